//! The nodes of each key's copies, found once and counted in several ways.

use algorithms::{NodeId, Placement};

/// The copies of many keys.
#[derive(Debug)]
pub(super) struct Sets {
    copies: usize,
    /// Ids that were ever given.
    joined: usize,
    /// One after the other, as many for each key.
    nodes: Vec<NodeId>,
}

impl Sets {
    /// The copies of these keys, found on all processors.
    ///
    /// # Errors
    /// When a key has fewer copies than there are nodes for, or the first is not on its owner.
    pub fn of(
        placement: &dyn Placement,
        keys: &[u64],
        wanted: u32,
        across: bool,
    ) -> Result<Self, String> {
        let membership = placement.membership();
        let copies = membership.eligible().min(wanted as usize);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let chunk = keys.len().div_ceil(threads).max(1);
        let parts: Vec<_> = std::thread::scope(|scope| {
            let find = |keys| scope.spawn(move || select(placement, keys, copies, across));
            let running: Vec<_> = keys.chunks(chunk).map(find).collect();
            let joined = running.into_iter().map(|thread| thread.join());
            joined
                .map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut nodes = Vec::with_capacity(keys.len() * copies);
        for part in parts {
            nodes.extend(part?);
        }
        Ok(Self {
            copies,
            joined: membership.joined(),
            nodes,
        })
    }

    /// Copies of each key.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The nodes of each key, the owner first.
    pub fn each(&self) -> impl Iterator<Item = &[NodeId]> {
        self.nodes.chunks(self.copies.max(1))
    }

    /// How many of the first `copies` of all keys each node that has any holds.
    pub fn loads(&self, copies: usize) -> Vec<u64> {
        let mut loads = vec![0; self.joined];
        for set in self.each() {
            set.iter()
                .take(copies)
                .for_each(|node| loads[node.index()] += 1);
        }
        loads
    }
}

fn select(
    placement: &dyn Placement,
    keys: &[u64],
    copies: usize,
    across: bool,
) -> Result<Vec<NodeId>, String> {
    let mut found = Vec::with_capacity(keys.len() * copies);
    let mut set = vec![None; copies];
    for &key in keys {
        let count = match across {
            true => placement.replicas_across_zones(key, &mut set),
            false => placement.replicas(key, &mut set),
        };
        if count != copies || set.first().copied().flatten() != placement.place(key) {
            return Err(format!(
                "key hash {key:#018x} has its copies on {set:?}, which are not {copies} beginning with its owner"
            ));
        }
        found.extend(set.iter().copied().flatten());
    }
    Ok(found)
}
