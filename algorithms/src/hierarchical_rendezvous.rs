//! Hierarchical rendezvous: 128 groups of nodes bid for every key, then the nodes of one group.
//!
//! The hash of a node's name puts it into a group. A key chooses among the groups by weighted
//! rendezvous, each weighing as much as its nodes together, and then in the same way among the
//! nodes of the group. So a lookup computes 128 scores and those of one group, not those of all.
//!
//! | lookup | build | add | remove | memory | moved by one equal node added to N |
//! |---|---|---|---|---|---|
//! | 128 scores and those of N/128 nodes | O(N log N) | O(N) | O(N) | 28 bytes a node in blocks, 25 KiB of groups and 1.5 KiB for the first nodes of each, and the membership | up to 2/(N+1): the least possible to the newcomer, and up to as much between others |
//!
//! Choose it for thousands of nodes with weights that are to be met exactly. Do not below some
//! hundreds, where the plain forms are faster, nor where no key may move between survivors: a node
//! that joins makes its group larger, and what the group gains goes to all of its nodes.
//!
//! Source: Wang and Ravishankar's hierarchical scheme in "Hash-Based Virtual Hierarchies for
//! Scalable Location Service in Mobile Ad-hoc Networks", 2009, with groups of uneven size.
//! Deviations: groups are weighed, so that every node owns w/Σw of the keys whatever its group.

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::hash::{KeyHash, Purpose, mix};
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::placement::{NodeId, Placement};
use crate::simd::Level;
use crate::simd::bids::{self, Bidders};
use crate::weighted_rendezvous::{score, tallied_winner};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "hierarchical-rendezvous",
    title: "rendezvous in groups",
    source: "Wang & Ravishankar 2009",
    version: 1,
    traits: Traits {
        order_free: true,
        history_free: true,
        traceless: true,
        moves: Moves::Approximate { unneeded: 0.008 },
        removal: Removal::Any,
        weights: Weights::Exact,
        spread: Spread::Even,
        replicas: Replicas::Rehashed,
    },
    costs: Costs {
        lookup: Growth::Sum(&[Growth::One, Growth::N]),
        build: Growth::NLogN,
        change: Growth::N,
        memory: Growth::Sum(&[Growth::One, Growth::N]),
        upkeep: Upkeep::Shift,
    },
    empty: |settings| Ok(Box::new(HierarchicalRendezvous::new(settings.hash))),
    naive,
};

/// Groups: a number for ever, since another one would move nearly every key.
const GROUPS: u32 = 128;

/// Which group a node of this name is in.
fn group_of(hash: &KeyHash, name: &str) -> usize {
    // Mixed, so that a hash with poor low bits fills all groups as well.
    (mix(hash.label(Purpose::Group, name)) % u64::from(GROUPS)) as usize
}

/// The seed of each group.
fn group_seeds(hash: &KeyHash) -> Vec<u64> {
    hash.labels(Purpose::Group, "", 0..GROUPS)
}

/// Nodes of a group in the order of names.
#[derive(Clone, Debug, Default)]
struct Group {
    bidders: Bidders,
    nodes: Vec<NodeId>,
}

/// The groups, and what each weighs.
#[derive(Clone, Debug)]
pub struct HierarchicalRendezvous {
    membership: Membership,
    hash: KeyHash,
    weighed: Bidders,
    groups: Vec<Group>,
}

impl HierarchicalRendezvous {
    /// Without nodes; names are hashed with `hash`.
    pub fn new(hash: KeyHash) -> Self {
        let mut weighed = Bidders::default();
        for (at, seed) in group_seeds(&hash).into_iter().enumerate() {
            weighed.insert(at, seed, 0.0);
        }
        Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            hash,
            weighed,
            groups: vec![Group::default(); GROUPS as usize],
        }
    }

    /// Weighs a group after a change in it. The sum is taken anew and in the order of names, so that
    /// how it came about does not show in its last bits.
    fn weigh(&mut self, group: usize) {
        let sum = self.groups[group].bidders.weights().iter().sum();
        self.weighed.reweigh(group, sum);
    }

    /// The group of a member, and its place there or where it would be.
    fn place_of(&self, name: &str) -> (usize, Result<usize, usize>) {
        let group = group_of(&self.hash, name);
        let nodes = &self.groups[group].nodes;
        let place = nodes.binary_search_by(|&other| self.membership.name(other).cmp(name));
        (group, place)
    }
}

impl Placement for HierarchicalRendezvous {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        let level = Level::in_use();
        let group = &self.groups[bids::winner(level, key, &self.weighed)?];
        Some(group.nodes[bids::winner(level, key, &group.bidders)?])
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| {
            let mut choose =
                |from: &Bidders| tallied_winner(key, from.seeds(), from.weights(), work);
            let group = &self.groups[choose(&self.weighed)?];
            let place = choose(&group.bidders)?;
            work.read();
            Some(group.nodes[place])
        })
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        let ids = self.membership.admit(nodes);
        for &id in &ids {
            let member = self.membership.get(id)?;
            let seed = self.hash.label(Purpose::Score, &member.name);
            let (group, place) = self.place_of(&member.name);
            let place = place.unwrap_or_else(|free| free);
            self.groups[group]
                .bidders
                .insert(place, seed, member.weight);
            self.groups[group].nodes.insert(place, id);
            self.weigh(group);
        }
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        let (group, place) = self.place_of(&self.membership.get(id)?.name);
        if let Ok(place) = place {
            self.groups[group].bidders.remove(place);
            self.groups[group].nodes.remove(place);
            self.weigh(group);
        }
        self.membership.remove(id).map(drop)
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.membership.reweigh(id, weight)?;
        let (group, place) = self.place_of(&self.membership.get(id)?.name);
        if let Ok(place) = place {
            self.groups[group].bidders.reweigh(place, weight);
            self.weigh(group);
        }
        Ok(())
    }

    fn layout(&self) -> Layout {
        let members = self.membership.members().iter();
        let eligible = members.filter(|member| member.weight > 0.0);
        let total: f64 = eligible.clone().map(|member| member.weight).sum();
        Layout::Law(
            eligible
                .map(|member| (member.id, member.weight / total))
                .collect(),
        )
    }

    fn heap_bytes(&self) -> usize {
        let group = |group: &Group| {
            group.bidders.heap_bytes() + group.nodes.capacity() * size_of::<NodeId>()
        };
        self.membership.heap_bytes()
            + self.weighed.heap_bytes()
            + self.groups.capacity() * size_of::<Group>()
            + self.groups.iter().map(group).sum::<usize>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// A logarithm for every group, then for every node of the best one.
fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let mut by_name: Vec<usize> = (0..nodes.len()).collect();
    by_name.sort_by_key(|&at| &nodes[at].name);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); GROUPS as usize];
    for at in by_name {
        groups[group_of(&settings.hash, &nodes[at].name)].push(at);
    }
    let best = |key: u64, bidders: &mut dyn Iterator<Item = (u64, f64, usize)>| {
        let bids = bidders.filter(|bidder| bidder.1 > 0.0);
        let bids = bids.map(|(seed, weight, at)| (score(mix(key ^ seed), weight), at));
        bids.min_by(|a, b| a.0.total_cmp(&b.0)).map(|bid| bid.1)
    };
    let seeds = group_seeds(&settings.hash);
    let sum = |group: &Vec<usize>| group.iter().map(|&at| nodes[at].weight).sum::<f64>();
    let sums: Vec<f64> = groups.iter().map(sum).collect();
    let owner = |&key: &u64| {
        let weighed = seeds.iter().zip(&sums).enumerate();
        let group = best(key, &mut weighed.map(|(at, (&seed, &sum))| (seed, sum, at)))?;
        let seed = |at: usize| settings.hash.label(Purpose::Score, &nodes[at].name);
        let members = groups[group].iter();
        best(
            key,
            &mut members.map(|&at| (seed(at), nodes[at].weight, at)),
        )
    };
    keys.iter().map(owner).collect()
}
