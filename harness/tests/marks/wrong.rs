//! Mistakes that people make, each as an algorithm that declares what the right one does.

use algorithms::hash::{Purpose, encode, mix};
use algorithms::{
    Algorithm, Layout, Membership, Node, NodeId, Placement, PlacementError, Settings, Work,
    registry,
};
use algorithms::{maglev, ring, weighted_rendezvous};

/// A ring whose search ends at the last point: a key past it belongs to that point, and not to the
/// first one.
pub const UNWRAPPED: Algorithm = Algorithm {
    name: "ring that does not wrap",
    empty: |settings| Wrong::boxed("ring-vec", settings, Mistake::Unwrapped),
    ..ring::vec::ALGORITHM
};

/// The smallest hash divided by the weight wins.
pub const QUOTIENT: Algorithm = Algorithm {
    name: "hash divided by weight",
    empty: |settings| Wrong::boxed("weighted-rendezvous", settings, Mistake::Quotient),
    ..weighted_rendezvous::ALGORITHM
};

/// A node whose next slot is taken loses its turn.
pub const ONE_PROBE: Algorithm = Algorithm {
    name: "one probe a turn",
    empty: |settings| Wrong::boxed("maglev", settings, Mistake::OneProbe),
    ..maglev::ALGORITHM
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    Unwrapped,
    Quotient,
    OneProbe,
}

/// The right placement beside what the mistake makes of it.
struct Wrong {
    right: Box<dyn Placement>,
    settings: Settings,
    mistake: Mistake,
    /// The last point of the ring.
    last: Option<(u64, NodeId)>,
    /// Seed, weight and node, by name.
    bids: Vec<(u64, f64, NodeId)>,
    table: Vec<NodeId>,
}

impl Wrong {
    fn boxed(
        base: &str,
        settings: &Settings,
        mistake: Mistake,
    ) -> Result<Box<dyn Placement>, PlacementError> {
        Ok(Box::new(Self {
            right: (registry::find(base).unwrap().empty)(settings)?,
            settings: *settings,
            mistake,
            last: None,
            bids: Vec::new(),
            table: Vec::new(),
        }))
    }

    fn label(&self, purpose: Purpose, name: &str) -> u64 {
        self.settings.hash.of(&encode(purpose, name, 0))
    }

    fn refresh(&mut self) {
        let members = self.right.membership().by_name();
        let eligible: Vec<_> = members.filter(|member| member.weight > 0.0).collect();
        match self.mistake {
            Mistake::Unwrapped => {
                self.last = match self.right.layout() {
                    Layout::Points(points) => points.last().copied(),
                    _ => None,
                };
            }
            Mistake::Quotient => {
                let bid = |name: &str| self.label(Purpose::Score, name);
                let bids = eligible
                    .iter()
                    .map(|member| (bid(&member.name), member.weight, member.id));
                self.bids = bids.collect();
            }
            Mistake::OneProbe => {
                let size = u64::from(self.settings.table);
                let mut table = vec![None; size as usize];
                let walks: Vec<(u64, u64, NodeId)> = eligible
                    .iter()
                    .map(|member| {
                        let offset = self.label(Purpose::Offset, &member.name) % size;
                        let skip = self.label(Purpose::Skip, &member.name) % (size - 1) + 1;
                        (offset, skip, member.id)
                    })
                    .collect();
                for turn in 0..size {
                    for (offset, skip, id) in &walks {
                        table[((offset + turn * skip) % size) as usize].get_or_insert(*id);
                    }
                }
                self.table = table.into_iter().flatten().collect();
            }
        }
    }
}

impl Placement for Wrong {
    fn place(&self, key: u64) -> Option<NodeId> {
        match self.mistake {
            Mistake::Unwrapped => match self.last {
                Some((point, owner)) if key > point => Some(owner),
                _ => self.right.place(key),
            },
            Mistake::Quotient => {
                let bid = |bid: &&(u64, f64, NodeId)| mix(key ^ bid.0) as f64 / bid.1;
                let winner = self.bids.iter().min_by(|a, b| bid(a).total_cmp(&bid(b)));
                winner.map(|bid| bid.2)
            }
            Mistake::OneProbe => {
                let slot = key.checked_rem(self.table.len() as u64)?;
                Some(self.table[slot as usize])
            }
        }
    }

    fn work(&self, key: u64) -> Work {
        self.right.work(key)
    }

    fn membership(&self) -> &Membership {
        self.right.membership()
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        let ids = self.right.extend(nodes)?;
        self.refresh();
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.right.remove(id)?;
        self.refresh();
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.right.reweigh(id, weight)?;
        self.refresh();
        Ok(())
    }

    fn layout(&self) -> Layout {
        match self.mistake {
            Mistake::OneProbe => Layout::Table(self.table.clone()),
            _ => self.right.layout(),
        }
    }

    fn heap_bytes(&self) -> usize {
        self.right.heap_bytes()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(Self {
            right: self.right.boxed_clone(),
            bids: self.bids.clone(),
            table: self.table.clone(),
            ..*self
        })
    }
}
