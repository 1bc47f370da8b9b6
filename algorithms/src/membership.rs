//! The nodes of a placement: names, weights, zones, ids, and the version of the set.

use std::num::NonZeroU32;

use crate::algorithm::Weights;
use crate::error::PlacementError;
use crate::placement::NodeId;

/// Smallest weight above 0. The limits keep every quotient and sum of weights finite.
pub const MIN_WEIGHT: f64 = 1e-100;
/// Largest weight.
pub const MAX_WEIGHT: f64 = 1e100;

/// A node as it is given to a placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What identifies the node; any text, the empty one too.
    pub name: String,
    /// Capacity relative to the others; 1 unless set. 0 keeps it listed and gives it no keys.
    pub weight: f64,
    /// Failure domain, such as a rack; a node without one fails alone.
    pub zone: Option<Box<str>>,
}

impl Node {
    /// A node of weight 1.
    pub fn new(name: impl Into<String>) -> Self {
        Self::weighing(name, 1.0)
    }

    /// A node of the given weight. It is checked where the node joins a placement.
    pub fn weighing(name: impl Into<String>, weight: f64) -> Self {
        Self {
            name: name.into(),
            weight,
            zone: None,
        }
    }

    /// The same node in this zone.
    pub fn in_zone(self, zone: impl Into<Box<str>>) -> Self {
        Self {
            zone: Some(zone.into()),
            ..self
        }
    }
}

/// A node that has joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its id in this placement.
    pub id: NodeId,
    /// Its name.
    pub name: Box<str>,
    /// Its weight.
    pub weight: f64,
    /// Its zone, by a number that is private to the membership: the position in `zones` plus 1.
    zone: Option<NonZeroU32>,
}

/// The set of nodes at one version.
#[derive(Clone, Debug)]
pub struct Membership {
    algorithm: &'static str,
    weights: Weights,
    /// In joining order, which is the order of ids.
    members: Vec<Member>,
    /// Positions in `members`, in the order of names.
    by_name: Vec<u32>,
    joined: u32,
    version: u64,
    /// Zones that a node was ever in, in order of first appearance.
    zones: Vec<Zone>,
    /// Eligible nodes without a zone.
    zoneless: usize,
}

/// Position in the list of the zone of this number.
fn position_of(zone: NonZeroU32) -> usize {
    zone.get() as usize - 1
}

/// A failure domain.
#[derive(Clone, Debug)]
struct Zone {
    name: Box<str>,
    /// Nodes in it whose weight is not 0.
    eligible: usize,
}

impl Membership {
    /// The empty set of `algorithm`, which has weights of the given kind.
    pub fn new(algorithm: &'static str, weights: Weights) -> Self {
        Self {
            algorithm,
            weights,
            members: Vec::new(),
            by_name: Vec::new(),
            joined: 0,
            version: 0,
            zones: Vec::new(),
            zoneless: 0,
        }
    }

    /// Number of nodes, those of weight 0 included.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Counts up by one with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Nodes that ever joined; every id's index lies below it.
    pub fn joined(&self) -> usize {
        self.joined as usize
    }

    /// The members in joining order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The members in the order of their names, compared by bytes.
    pub fn by_name(&self) -> impl Iterator<Item = &Member> {
        self.by_name.iter().map(|&at| &self.members[at as usize])
    }

    /// Positions in [`Membership::members`], in the order of names.
    pub(crate) fn positions_by_name(&self) -> impl Iterator<Item = usize> {
        self.by_name.iter().map(|&at| at as usize)
    }

    /// The member with this id.
    ///
    /// # Errors
    /// [`PlacementError::UnknownNode`] when it has left or never joined.
    pub fn get(&self, id: NodeId) -> Result<&Member, PlacementError> {
        self.position(id).map(|at| &self.members[at])
    }

    /// The id of the member with this name.
    ///
    /// # Errors
    /// [`PlacementError::UnknownName`] when there is none.
    pub fn find(&self, name: &str) -> Result<NodeId, PlacementError> {
        match self.search_name(name) {
            Ok(rank) => Ok(self.members[self.by_name[rank] as usize].id),
            Err(_) => Err(PlacementError::UnknownName { name: name.into() }),
        }
    }

    /// The name of a member.
    ///
    /// # Panics
    /// When the id is not of a member; [`Membership::get`] is the form that does not.
    pub fn name(&self, id: NodeId) -> &str {
        match self.get(id) {
            Ok(member) => &member.name,
            Err(error) => panic!("{error}"),
        }
    }

    /// The name of a member's zone, where it has one.
    ///
    /// # Errors
    /// [`PlacementError::UnknownNode`] when it has left or never joined.
    pub fn zone_name(&self, id: NodeId) -> Result<Option<&str>, PlacementError> {
        let zone = self.get(id)?.zone;
        Ok(zone.map(|zone| &*self.zones[position_of(zone)].name))
    }

    /// Nodes whose weight is not 0.
    pub fn eligible(&self) -> usize {
        let zoned: usize = self.zones.iter().map(|zone| zone.eligible).sum();
        self.zoneless + zoned
    }

    /// Zones with at least `copies` eligible nodes; a node without a zone is a zone of its own.
    pub fn zones_of(&self, copies: usize) -> usize {
        let zones = self.zones.iter().filter(|zone| zone.eligible >= copies);
        zones.count() + if copies == 1 { self.zoneless } else { 0 }
    }

    /// The zone of a member by its number, where it has one.
    pub(crate) fn zone(&self, id: NodeId) -> Option<NonZeroU32> {
        self.get(id).ok()?.zone
    }

    /// The counter of eligible nodes in a zone, or without one.
    fn eligible_in(&mut self, zone: Option<NonZeroU32>) -> &mut usize {
        match zone {
            Some(zone) => &mut self.zones[position_of(zone)].eligible,
            None => &mut self.zoneless,
        }
    }

    /// The number of the zone of this name, which is taken in where it is new.
    fn number_of(&mut self, zone: Box<str>) -> NonZeroU32 {
        let known = self.zones.iter().position(|known| known.name == zone);
        let position = known.unwrap_or_else(|| {
            self.zones.push(Zone {
                name: zone,
                eligible: 0,
            });
            self.zones.len() - 1
        });
        // There are fewer zones than nodes that ever joined, and those end before u32::MAX.
        NonZeroU32::MIN.saturating_add(position as u32)
    }

    /// Sum of all weights; finite, since each weight is bounded.
    pub fn total_weight(&self) -> f64 {
        self.members.iter().map(|member| member.weight).sum()
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.members.capacity() * size_of::<Member>()
            + self.by_name.capacity() * size_of::<u32>()
            + self.members.iter().map(|m| m.name.len()).sum::<usize>()
            + self.zones.capacity() * size_of::<Zone>()
            + self.zones.iter().map(|z| z.name.len()).sum::<usize>()
    }

    /// Whether these nodes may join.
    pub(crate) fn check(&self, nodes: &[Node]) -> Result<(), PlacementError> {
        let joined = u64::from(self.joined) + nodes.len() as u64;
        if joined >= u64::from(u32::MAX) {
            return Err(PlacementError::TooManyNodes { joined });
        }
        let duplicate = match nodes {
            [] => None,
            [node] => self.search_name(&node.name).is_ok().then_some(&*node.name),
            _ => self.duplicate(nodes),
        };
        if let Some(name) = duplicate {
            return Err(PlacementError::DuplicateName { name: name.into() });
        }
        nodes
            .iter()
            .try_for_each(|node| self.check_weight(&node.name, node.weight))
    }

    /// A name that two of these nodes have, or one of them and a member.
    fn duplicate<'a>(&self, nodes: &'a [Node]) -> Option<&'a str> {
        let mut names: Vec<&str> = nodes.iter().map(|node| &*node.name).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        let taken = || names.iter().find(|name| self.search_name(name).is_ok());
        twice.map(|pair| pair[0]).or_else(|| taken().copied())
    }

    /// Whether a node may have this weight.
    pub(crate) fn check_weight(&self, name: &str, weight: f64) -> Result<(), PlacementError> {
        let name = || name.to_owned();
        if weight != 0.0 && !(MIN_WEIGHT..=MAX_WEIGHT).contains(&weight) {
            return Err(PlacementError::InvalidWeight {
                name: name(),
                weight,
            });
        }
        if self.weights == Weights::None && weight != 1.0 {
            return Err(PlacementError::WeightsUnsupported {
                algorithm: self.algorithm,
                name: name(),
                weight,
            });
        }
        Ok(())
    }

    /// Takes in nodes that [`Membership::check`] let pass.
    pub(crate) fn admit(&mut self, nodes: Vec<Node>) -> Vec<NodeId> {
        let first = self.members.len();
        let few = nodes.len() * 8 < first;
        let mut ids = Vec::with_capacity(nodes.len());
        for node in nodes {
            let id = NodeId::from_index(self.joined);
            self.joined += 1;
            let zone = node.zone.map(|zone| self.number_of(zone));
            *self.eligible_in(zone) += usize::from(node.weight > 0.0);
            self.members.push(Member {
                id,
                name: node.name.into_boxed_str(),
                weight: node.weight,
                zone,
            });
            ids.push(id);
        }
        for at in first..self.members.len() {
            let rank = match few {
                true => self.search_name(&self.members[at].name),
                false => Err(self.by_name.len()),
            };
            self.by_name
                .insert(rank.unwrap_or_else(|free| free), at as u32);
        }
        if !few {
            let members = &self.members;
            self.by_name
                .sort_by(|&a, &b| members[a as usize].name.cmp(&members[b as usize].name));
        }
        self.version += 1;
        ids
    }

    /// Takes a node out.
    pub(crate) fn remove(&mut self, id: NodeId) -> Result<Member, PlacementError> {
        let at = self.position(id)?;
        if let Ok(rank) = self.search_name(&self.members[at].name) {
            self.by_name.remove(rank);
        }
        let member = self.members.remove(at);
        *self.eligible_in(member.zone) -= usize::from(member.weight > 0.0);
        // Behind the last one there is none to move.
        if at < self.members.len() {
            let at = at as u32;
            for other in &mut self.by_name {
                *other -= u32::from(*other > at);
            }
        }
        self.version += 1;
        Ok(member)
    }

    /// Changes a weight and returns the old one.
    pub(crate) fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<f64, PlacementError> {
        let at = self.position(id)?;
        self.check_weight(&self.members[at].name, weight)?;
        self.version += 1;
        let member = &mut self.members[at];
        let (old, zone) = (std::mem::replace(&mut member.weight, weight), member.zone);
        let eligible = self.eligible_in(zone);
        *eligible += usize::from(weight > 0.0);
        *eligible -= usize::from(old > 0.0);
        Ok(old)
    }

    /// Position of a member in joining order.
    pub(crate) fn position(&self, id: NodeId) -> Result<usize, PlacementError> {
        // Before it stand all that joined before it, but for those that left.
        let left = self.joined() - self.members.len();
        let first = id.index().saturating_sub(left).min(self.members.len());
        let end = self.members.len().min(id.index() + 1);
        self.members[first..end.max(first)]
            .binary_search_by_key(&id, |member| member.id)
            .map(|at| first + at)
            .map_err(|_| PlacementError::UnknownNode { id })
    }

    fn search_name(&self, name: &str) -> Result<usize, usize> {
        self.by_name
            .binary_search_by(|&at| (*self.members[at as usize].name).cmp(name))
    }
}
