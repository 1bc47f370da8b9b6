//! A placement that wraps a working one and makes one mistake.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use algorithms::hash::{Purpose, encode, mix};
use algorithms::replicas::Visit;
use algorithms::{
    Layout, Membership, Node, NodeId, Placement, PlacementError, Settings, Work, registry,
};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Nothing.
    Sound,
    /// Each call answers another member.
    Garbage,
    /// Some keys belong to a member of an even number of joined nodes' choice.
    WrongOwner,
    /// No key belongs to anyone.
    Nobody,
    /// Every key belongs to the first member.
    First,
    /// A key past the last point belongs to nobody.
    NoWrap,
    /// A map of points, in which the later node overwrites an equal point.
    LastWins,
    /// Points stay when their node leaves.
    Ghost,
    /// Points are shared out in proportion to the total weight.
    Rescaled,
    /// The smallest hash divided by weight wins.
    Quotient,
    /// A Maglev turn is lost when its slot is taken.
    OneProbe,
    /// Every change builds anew, with ids from the start.
    Rebuilt,
    /// As before, with newcomers in front.
    Reversed,
    /// The last answer of a long batch is missing.
    Batch,
    /// Several nodes join one by one, until one of them is refused.
    Piecemeal,
    /// A removal that is refused takes the newest node instead.
    Eager,
    /// Removing an unknown node succeeds.
    Obliging,
    /// Each lookup takes memory.
    Leak,
    /// Weights are accepted and not used.
    Deaf,
    /// A copy lacks the last node.
    Copy,
    /// Shares add up to 100.
    Percent,
    /// Owners stand one entry off in the layout.
    Shifted,
    /// Copies are on the next points, whoever owns them.
    Repeats,
    /// Copies after the first are on neighbours in the list, from a place that the key gives.
    Neighbours,
    /// Zones are not looked at.
    ZoneBlind,
}

/// A working placement, one fault, and what the fault needs.
pub struct Planted {
    base: &'static str,
    settings: Settings,
    fault: Fault,
    inner: Box<dyn Placement>,
    calls: AtomicU64,
    points: BTreeMap<u64, NodeId>,
    table: Vec<NodeId>,
}

/// An empty placement of the algorithm `base` with a fault.
pub fn planted(base: &'static str, settings: &Settings, fault: Fault) -> Planted {
    Planted {
        base,
        settings: *settings,
        fault,
        inner: (registry::find(base).unwrap().empty)(settings).unwrap(),
        calls: AtomicU64::new(0),
        points: BTreeMap::new(),
        table: Vec::new(),
    }
}

impl Planted {
    fn nodes(&self) -> Vec<Node> {
        let members = self.inner.membership().members().iter();
        members
            .map(|member| Node::weighing(&*member.name, member.weight))
            .collect()
    }

    fn label(&self, purpose: Purpose, name: &str, index: u64) -> u64 {
        self.settings.hash.of(&encode(purpose, name, index))
    }

    /// Replaces the working placement by a new one of these nodes.
    fn rebuild(&mut self, nodes: Vec<Node>) -> Result<(), PlacementError> {
        self.inner = registry::find(self.base)
            .unwrap()
            .build(&self.settings, nodes)?;
        Ok(())
    }

    /// Brings the fault's own points or table up to date after the nodes `ids` have joined.
    fn refresh(&mut self, ids: &[NodeId]) {
        match self.fault {
            Fault::NoWrap | Fault::LastWins | Fault::Ghost => {
                for &id in ids {
                    let point = self.label(Purpose::Point, self.inner.membership().name(id), 0);
                    self.points.insert(point, id);
                }
            }
            Fault::Rescaled => {
                let membership = self.inner.membership();
                let unit = f64::from(self.settings.points) * membership.len() as f64;
                let mut points = BTreeMap::new();
                for member in membership.by_name() {
                    let share = member.weight / membership.total_weight();
                    for index in 0..(unit * share).round() as u64 {
                        let point = self.label(Purpose::Point, &member.name, index);
                        points.entry(point).or_insert(member.id);
                    }
                }
                self.points = points;
            }
            Fault::OneProbe => self.table = self.one_probe_table(),
            _ => {}
        }
    }

    fn one_probe_table(&self) -> Vec<NodeId> {
        let size = u64::from(self.settings.table);
        let eligible = self
            .inner
            .membership()
            .by_name()
            .filter(|member| member.weight > 0.0);
        let walks: Vec<(u64, u64, NodeId)> = eligible
            .map(|member| {
                let offset = self.label(Purpose::Offset, &member.name, 0) % size;
                let skip = self.label(Purpose::Skip, &member.name, 0) % (size - 1) + 1;
                (offset, skip, member.id)
            })
            .collect();
        let mut table = vec![None; size as usize];
        for turn in 0..size {
            for (offset, skip, id) in &walks {
                table[((offset + turn * skip) % size) as usize].get_or_insert(*id);
            }
        }
        table.into_iter().flatten().collect()
    }

    fn member(&self, number: u64) -> Option<NodeId> {
        let members = self.inner.membership().members();
        let at = number.checked_rem(members.len() as u64)?;
        Some(members[at as usize].id)
    }

    fn quotient(&self, key: u64) -> Option<NodeId> {
        let bid = |name: &str, weight: f64| {
            mix(key ^ self.label(Purpose::Score, name, 0)) as f64 / weight
        };
        let eligible = self
            .inner
            .membership()
            .by_name()
            .filter(|member| member.weight > 0.0);
        let winner =
            eligible.min_by(|a, b| bid(&a.name, a.weight).total_cmp(&bid(&b.name, b.weight)));
        winner.map(|member| member.id)
    }
}

/// The twin of [`Fault::Quotient`].
pub fn naive_quotient(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let mut placement = planted("weighted-rendezvous", settings, Fault::Quotient);
    let ids = placement.extend(nodes.to_vec()).unwrap();
    let owner = |&key: &u64| placement.place(key);
    let position = |owner: NodeId| ids.iter().position(|&id| id == owner);
    keys.iter()
        .map(|key| owner(key).and_then(position))
        .collect()
}

impl Placement for Planted {
    fn place(&self, key: u64) -> Option<NodeId> {
        let wrap = || self.points.first_key_value();
        let point = self.points.range(key..).next();
        match self.fault {
            Fault::Garbage => self.member(mix(key) ^ self.calls.fetch_add(1, Ordering::Relaxed)),
            Fault::WrongOwner => self.member(mix(key)),
            Fault::Nobody => None,
            Fault::First => self.member(0),
            Fault::NoWrap => point.map(|point| *point.1),
            Fault::LastWins | Fault::Ghost | Fault::Rescaled => {
                point.or_else(wrap).map(|point| *point.1)
            }
            Fault::Quotient => self.quotient(key),
            Fault::OneProbe => {
                let slot = key.checked_rem(self.table.len() as u64)?;
                Some(self.table[slot as usize])
            }
            Fault::Leak => {
                self.calls.fetch_add(1, Ordering::Relaxed);
                self.inner.place(key)
            }
            _ => self.inner.place(key),
        }
    }

    fn work(&self, key: u64) -> Work {
        self.inner.work(key)
    }

    fn place_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        // Eight at a time, and the rest forgotten.
        let whole = match self.fault {
            Fault::Batch => keys.len() / 8 * 8,
            _ => keys.len(),
        };
        for (key, owner) in keys.iter().zip(owners).take(whole) {
            *owner = self.place(*key);
        }
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.fault == Fault::Neighbours {
            self.place(key)
                .map_or(ControlFlow::Continue(()), &mut *visit)?;
            let count = self.membership().len() as u64;
            return (0..count)
                .filter_map(|next| self.member(key.wrapping_add(next)))
                .try_for_each(visit);
        }
        self.inner.prefer(key, visit)
    }

    fn replicas(&self, key: u64, owners: &mut [Option<NodeId>]) -> usize {
        if self.fault != Fault::Repeats {
            return algorithms::replicas::distinct(self, key, owners);
        }
        let mut count = 0;
        let _ = self.inner.prefer(key, &mut |node| {
            if let Some(owner) = owners.get_mut(count) {
                *owner = Some(node);
                count += 1;
                return ControlFlow::Continue(());
            }
            ControlFlow::Break(())
        });
        count
    }

    fn replicas_across_zones(&self, key: u64, owners: &mut [Option<NodeId>]) -> usize {
        match self.fault {
            Fault::ZoneBlind => self.replicas(key, owners),
            _ => algorithms::replicas::across_zones(self, key, owners),
        }
    }

    fn membership(&self) -> &Membership {
        self.inner.membership()
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        let (old, count) = (self.nodes(), nodes.len());
        let ids = match self.fault {
            Fault::Piecemeal => {
                let added = nodes.into_iter().map(|node| self.inner.add(node));
                added.collect::<Result<Vec<_>, _>>()?
            }
            Fault::Rebuilt => {
                self.rebuild([old, nodes].concat())?;
                let members = self.inner.membership().members();
                members[members.len() - count..]
                    .iter()
                    .map(|member| member.id)
                    .collect()
            }
            Fault::Reversed => {
                self.rebuild([nodes, old].concat())?;
                let members = self.inner.membership().members();
                members[..count].iter().map(|member| member.id).collect()
            }
            _ => self.inner.extend(nodes)?,
        };
        self.refresh(&ids);
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        let name = self
            .inner
            .membership()
            .get(id)
            .map(|member| member.name.clone());
        match (self.fault, &name) {
            (Fault::Rebuilt | Fault::Reversed, Ok(name)) => {
                let mut nodes = self.nodes();
                nodes.retain(|node| *node.name != **name);
                self.rebuild(nodes)?;
            }
            (Fault::LastWins | Fault::NoWrap, Ok(name)) => {
                let point = self.label(Purpose::Point, name, 0);
                self.points.remove(&point);
                self.inner.remove(id)?;
            }
            (Fault::Obliging, Err(_)) => {}
            (Fault::Eager, Ok(_)) => {
                let newest = self.inner.membership().members().last().unwrap().id;
                self.inner.remove(newest)?;
            }
            _ => self.inner.remove(id)?,
        }
        self.refresh(&[]);
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        if self.fault == Fault::Deaf {
            return self.inner.boxed_clone().reweigh(id, weight);
        }
        self.inner.reweigh(id, weight)?;
        self.refresh(&[]);
        Ok(())
    }

    fn layout(&self) -> Layout {
        match (self.fault, self.inner.layout()) {
            (Fault::LastWins | Fault::Ghost | Fault::Rescaled | Fault::NoWrap, _) => {
                Layout::Points(self.points.iter().map(|(&at, &id)| (at, id)).collect())
            }
            (Fault::OneProbe, _) => Layout::Table(self.table.clone()),
            (Fault::Shifted, Layout::Points(points)) => {
                let (positions, mut owners): (Vec<u64>, Vec<NodeId>) = points.into_iter().unzip();
                let one = owners.len().min(1);
                owners.rotate_left(one);
                Layout::Points(positions.into_iter().zip(owners).collect())
            }
            (_, layout) => layout,
        }
    }

    fn heap_bytes(&self) -> usize {
        self.inner.heap_bytes() + self.calls.load(Ordering::Relaxed) as usize
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        let mut copy = Self {
            inner: self.inner.boxed_clone(),
            calls: AtomicU64::new(0),
            points: self.points.clone(),
            table: self.table.clone(),
            ..*self
        };
        if let (Fault::Copy, Some(last)) = (self.fault, self.inner.membership().members().last()) {
            copy.inner.remove(last.id).unwrap();
        }
        Box::new(copy)
    }

    fn shares(&self) -> Vec<(NodeId, f64)> {
        let factor = match self.fault {
            Fault::Percent => 100.0,
            _ => 1.0,
        };
        let shares = self.layout().shares(self.membership());
        shares
            .into_iter()
            .map(|(id, share)| (id, share * factor))
            .collect()
    }
}
