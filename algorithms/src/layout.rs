//! What decides the owners, spread out: exact shares, entry counts and movements come from here.

use std::collections::{BTreeMap, BTreeSet};

use crate::growth::Upkeep;
use crate::membership::Membership;
use crate::placement::NodeId;

/// The whole key space (2^64 hashes) as a placement divides it.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// A ring: points in ascending order, those at one position in the order of names. The first
    /// point at or after a key owns it; past the last one it is the first.
    Points(Vec<(u64, NodeId)>),
    /// A table: slot `hash mod length` owns the key.
    Table(Vec<NodeId>),
    /// Scores or draws: a node wins a key with this probability, each key by itself.
    Law(Vec<(NodeId, f64)>),
}

/// Keys that leave one node for another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Owner before.
    pub from: NodeId,
    /// Owner after.
    pub to: NodeId,
    /// Fraction of the key space.
    pub share: f64,
}

/// Two tables of different size are compared hash by hash over one common period, up to this one.
const LONGEST_PERIOD: usize = 1 << 28;

impl Layout {
    /// Points, slots or nodes that the placement keeps.
    pub fn entries(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Table(slots) => slots.len(),
            Self::Law(nodes) => nodes.len(),
        }
    }

    /// What an entry is called.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Points(_) => "points",
            Self::Table(_) => "slots",
            Self::Law(_) => "nodes",
        }
    }

    /// Who owns this key by the layout; `None` for scores and draws, which do not say, and for an
    /// empty layout.
    pub fn owner(&self, key: u64) -> Option<NodeId> {
        match self {
            Self::Points(points) => {
                let at = points.partition_point(|point| point.0 < key);
                points.get(at).or(points.first()).map(|point| point.1)
            }
            Self::Table(slots) => {
                let slot = key.checked_rem(slots.len() as u64)?;
                Some(slots[slot as usize])
            }
            Self::Law(_) => None,
        }
    }

    /// Points that stand at the position of another one.
    pub fn clashes(&self) -> usize {
        match self {
            Self::Points(points) => points.windows(2).filter(|p| p[0].0 == p[1].0).count(),
            Self::Table(_) | Self::Law(_) => 0,
        }
    }

    /// Lengths of the arcs before the points of a ring, in the order of the points, as fractions of
    /// the whole: they add up to 1, and of points at one position all but the first have none. Empty
    /// for what is no ring.
    pub fn arcs(&self) -> Vec<f64> {
        match self {
            Self::Points(points) => {
                let ends: Vec<u64> = points.iter().map(|point| point.0).collect();
                spans(&ends).map(|span| fraction(span.0)).collect()
            }
            Self::Table(_) | Self::Law(_) => Vec::new(),
        }
    }

    /// Exact share of each member, in joining order.
    ///
    /// A table's shares are counted in slots; since 2^64 is not a multiple of its length, they are
    /// exact to within (length / 2^64).
    pub fn shares(&self, members: &Membership) -> Vec<(NodeId, f64)> {
        let mut owned: BTreeMap<NodeId, f64> = BTreeMap::new();
        match self {
            Self::Points(points) => {
                let mut arcs: BTreeMap<NodeId, u128> = BTreeMap::new();
                for (arc, owner) in arcs_of(points) {
                    *arcs.entry(owner).or_default() += arc;
                }
                owned.extend(arcs.into_iter().map(|(id, arc)| (id, fraction(arc))));
            }
            Self::Table(slots) => {
                let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
                for owner in slots {
                    *counts.entry(*owner).or_default() += 1;
                }
                let share = |count: usize| count as f64 / slots.len() as f64;
                owned.extend(counts.into_iter().map(|(id, count)| (id, share(count))));
            }
            Self::Law(nodes) => owned.extend(nodes.iter().copied()),
        }
        let share = |id| owned.get(&id).copied().unwrap_or(0.0);
        let members = members.members().iter();
        members
            .map(|member| (member.id, share(member.id)))
            .collect()
    }

    /// Entries that a change added, removed or gave to another node.
    pub fn changed(&self, after: &Self) -> usize {
        match (self, after) {
            (Self::Points(before), Self::Points(after)) => {
                let (only_before, only_after) = difference(before, after);
                only_before.max(only_after)
            }
            (Self::Table(before), Self::Table(after)) => {
                let kept = before.iter().zip(after).filter(|(a, b)| a == b).count();
                before.len().max(after.len()) - kept
            }
            (Self::Law(before), Self::Law(after)) => {
                let after_ids: BTreeSet<NodeId> = after.iter().map(|node| node.0).collect();
                let both = before.iter().filter(|node| after_ids.contains(&node.0));
                before.len().max(after.len()) - both.count()
            }
            _ => self.entries().max(after.entries()),
        }
    }

    /// Entries that the change to `after` wrote, for a placement that keeps its entries up so.
    pub fn written(&self, after: &Self, upkeep: Upkeep) -> usize {
        fn displaced<T: PartialEq>(before: &[T], after: &[T]) -> usize {
            let kept = before.iter().zip(after).filter(|(a, b)| a == b).count();
            after.len() - kept
        }
        match (upkeep, self, after) {
            (Upkeep::Each, before, after) => before.changed(after),
            (Upkeep::Shift, Self::Points(before), Self::Points(after)) => displaced(before, after),
            (Upkeep::Shift, Self::Table(before), Self::Table(after)) => displaced(before, after),
            // Shares change with every node, so that the ids alone tell who stands where.
            (Upkeep::Shift, Self::Law(before), Self::Law(after)) => {
                let ids = |law: &[(NodeId, f64)]| law.iter().map(|node| node.0).collect::<Vec<_>>();
                displaced(&ids(before), &ids(after))
            }
            (_, _, after) => after.entries(),
        }
    }

    /// Exactly what moves from this layout to `after`, whose ids must mean the same nodes.
    /// `None` where it cannot be counted: for scores and draws, or tables whose common period is
    /// too long.
    pub fn flows(&self, after: &Self) -> Option<Vec<Flow>> {
        let mut moved: BTreeMap<(NodeId, NodeId), u128> = BTreeMap::new();
        let whole = self.each_move(after, |from, to, count| {
            *moved.entry((from, to)).or_default() += count;
        })?;
        let flow = |((from, to), count): ((NodeId, NodeId), u128)| Flow {
            from,
            to,
            share: count as f64 / whole as f64,
        };
        Some(moved.into_iter().map(flow).collect())
    }

    /// Calls `visit` with every piece of the key space that moves: its owner before, its owner
    /// after, and its size. Returns the size of the whole, or `None` as [`Layout::flows`], without
    /// a call.
    pub fn each_move(
        &self,
        after: &Self,
        mut visit: impl FnMut(NodeId, NodeId, u128),
    ) -> Option<u128> {
        let mut moves = |from: NodeId, to: NodeId, size| {
            if from != to {
                visit(from, to, size);
            }
        };
        match (self, after) {
            (Self::Points(before), Self::Points(after)) => {
                let (mut was, mut is) = (Successor::new(before)?, Successor::new(after)?);
                let mut ends: Vec<u64> = before.iter().chain(after).map(|point| point.0).collect();
                ends.sort_unstable();
                ends.dedup();
                spans(&ends).for_each(|(arc, end)| moves(was.owner(end), is.owner(end), arc));
                Some(1u128 << 64)
            }
            (Self::Table(before), Self::Table(after)) => {
                if before.is_empty() || after.is_empty() {
                    return None;
                }
                let period = lcm(before.len(), after.len());
                if period > LONGEST_PERIOD {
                    return None;
                }
                let cycle = before.iter().cycle().zip(after.iter().cycle());
                cycle
                    .take(period)
                    .for_each(|(from, to)| moves(*from, *to, 1));
                Some(period as u128)
            }
            _ => None,
        }
    }
}

/// Walks ascending positions and tells the owner of each.
struct Successor<'a> {
    points: &'a [(u64, NodeId)],
    next: usize,
}

impl<'a> Successor<'a> {
    fn new(points: &'a [(u64, NodeId)]) -> Option<Self> {
        (!points.is_empty()).then_some(Self { points, next: 0 })
    }

    fn owner(&mut self, position: u64) -> NodeId {
        while self.points.get(self.next).is_some_and(|p| p.0 < position) {
            self.next += 1;
        }
        self.points.get(self.next).unwrap_or(&self.points[0]).1
    }
}

/// Length of the arc that ends at each position, with the position.
fn spans(ends: &[u64]) -> impl Iterator<Item = (u128, u64)> {
    let last = ends.last().copied().unwrap_or(0);
    let starts = std::iter::once(last).chain(ends.iter().copied());
    let whole = ends.len() == 1;
    starts.zip(ends).map(move |(start, &end)| match whole {
        true => (1u128 << 64, end),
        false => (u128::from(end.wrapping_sub(start)), end),
    })
}

/// Length of every arc of a ring and its owner: the first point at a position.
fn arcs_of(points: &[(u64, NodeId)]) -> impl Iterator<Item = (u128, NodeId)> {
    let mut firsts = points.to_vec();
    firsts.dedup_by_key(|point| point.0);
    let ends: Vec<u64> = firsts.iter().map(|point| point.0).collect();
    let arcs: Vec<u128> = spans(&ends).map(|span| span.0).collect();
    arcs.into_iter()
        .zip(firsts)
        .map(|(arc, point)| (arc, point.1))
}

fn fraction(arc: u128) -> f64 {
    arc as f64 / (1u128 << 64) as f64
}

/// How many entries stand only in the first and only in the second of two lists.
fn difference(a: &[(u64, NodeId)], b: &[(u64, NodeId)]) -> (usize, usize) {
    let sorted = |points: &[(u64, NodeId)]| {
        let mut points = points.to_vec();
        points.sort_unstable();
        points
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut in_a, mut in_b, mut both) = (0, 0, 0);
    while in_a < a.len() && in_b < b.len() {
        let order = a[in_a].cmp(&b[in_b]);
        both += usize::from(order.is_eq());
        in_a += usize::from(order.is_le());
        in_b += usize::from(order.is_ge());
    }
    (a.len() - both, b.len() - both)
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
