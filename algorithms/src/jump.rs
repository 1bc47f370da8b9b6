//! Jump consistent hash: the bucket is computed, nothing is stored.
//!
//! A key starts in bucket 0 and jumps to ever higher buckets, each jump drawn by a generator that
//! the key seeds. The last bucket reached below N is its own. When a bucket N is added, a key
//! jumps into it with probability 1/(N+1) and otherwise stays where it is.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(log N): H_N jumps | O(N log N) | O(N), for the list of names | the same, the newest only | the list of nodes | 1/(N+1), the least possible |
//!
//! Choose it for numbered shards that only grow. Do not when any node may leave: buckets are
//! numbered in joining order, and only the last number can be dropped.
//!
//! Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014
//! (arXiv 1406.2294). Deviations: none. The paper's floating-point operations round twice, and
//! dividing by `((key >> 33) + 1) / 2^31` instead gives other buckets for rare keys; what is computed
//! otherwise here gives the same ones.

use std::num::NonZeroU32;

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::placement::{NodeId, Placement};
use crate::simd::Level;
use crate::simd::jumps::{self, MULTIPLIER, TOGETHER};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "jump",
    title: "jump",
    source: "Lamping & Veach 2014",
    version: 1,
    traits: Traits {
        order_free: false,
        history_free: true,
        traceless: true,
        moves: Moves::Least,
        removal: Removal::Newest,
        weights: Weights::None,
        spread: Spread::Even,
        replicas: Replicas::Rehashed,
    },
    costs: Costs {
        lookup: Growth::LogN,
        build: Growth::NLogN,
        change: Growth::N,
        memory: Growth::N,
        upkeep: Upkeep::Shift,
    },
    empty: |_| Ok(Box::new(Jump::new())),
    naive,
};

/// The bucket below `buckets` of a key; `None` when there are no buckets.
///
/// The draws have 31 bits, so more than 2^31 buckets cannot all be reached.
#[inline]
pub fn bucket(key: u64, buckets: u32) -> Option<u32> {
    tallied_bucket(key, buckets, &mut ())
}

/// From so many keys on, filling up what jumps together is faster than jumping one by one.
const FEW: usize = 8;

/// The buckets of many keys: `found[i]` becomes [`bucket`] of `keys[i]`.
///
/// # Panics
/// When the two slices differ in length.
pub fn bucket_many(keys: &[u64], buckets: NonZeroU32, found: &mut [u32]) {
    assert_eq!(keys.len(), found.len(), "one bucket per key");
    let (level, count) = (Level::in_use(), buckets.get());
    let (groups, rest) = keys.as_chunks();
    let (grouped, last) = found.as_chunks_mut();
    // Without vectors jumping together gains nothing.
    let together = level != Level::PORTABLE;
    for (keys, found) in groups.iter().zip(grouped) {
        match together {
            true => jumps::buckets(level, keys, count, found),
            false => *found = keys.map(|key| bucket(key, count).unwrap_or(0)),
        }
    }
    if together && rest.len() >= FEW {
        let (mut keys, mut buckets) = ([0; TOGETHER], [0; TOGETHER]);
        keys[..rest.len()].copy_from_slice(rest);
        keys[rest.len()..].fill(rest[0]);
        jumps::buckets(level, &keys, count, &mut buckets);
        return last.copy_from_slice(&buckets[..rest.len()]);
    }
    for (&key, found) in rest.iter().zip(last) {
        *found = bucket(key, count).unwrap_or(0);
    }
}

/// Where the products of a jump and of the end differ by more, no rounding changes which is larger:
/// the paper's shift a quotient near an end below 2^32 by less than 2^-18, and a draw is at most 2^31.
const MARGIN: i64 = 1 << 13;

#[inline]
fn tallied_bucket(mut key: u64, buckets: u32, tally: &mut impl Tally) -> Option<u32> {
    let count = u64::from(buckets);
    let mut last = (count > 0).then_some(0u64)?;
    loop {
        tally.draw();
        key = key.wrapping_mul(MULTIPLIER).wrapping_add(1);
        let next = leap(last + 1, (key >> 33) + 1, count);
        if next >= count {
            return Some(last as u32);
        }
        last = next;
    }
}

/// The next bucket, or one at or behind the end.
///
/// The paper divides 2^31 by the draw, multiplies by the bucket and rounds both results to 53 bits.
/// A quotient of integers is faster; the two differ only where it lies so near a whole number that
/// the roundings can cross it, and there the paper's operations decide.
///
/// The last jump is the one that no processor foresees, so whether a jump passes the end is told by a
/// product, before the division that says where it leads.
#[inline]
fn leap(bucket: u64, draw: u64, count: u64) -> u64 {
    // Both are at most 2^63, and so is their difference.
    let product = bucket << 31;
    let past = product.wrapping_sub(draw * count).cast_signed();
    if past > MARGIN {
        count
    } else if past < -MARGIN {
        quotient(product, draw)
    } else {
        rounded(bucket, draw)
    }
}

/// The whole part of what the paper's operations make of this quotient.
#[inline]
fn quotient(product: u64, draw: u64) -> u64 {
    let quotient = product / draw;
    let rest = product - quotient * draw;
    // Twice the error at least: the roundings shift the quotient by less than 2^-52 of it, and so
    // the rest by less than product/2^52.
    let near = product >> 51;
    let safe = draw.saturating_sub(2 * near + 1);
    match rest.wrapping_sub(near + 1) < safe {
        true => quotient,
        false => rounded(product >> 31, draw),
    }
}

/// The next bucket by the paper's operations in their order.
#[cold]
fn rounded(bucket: u64, draw: u64) -> u64 {
    (bucket as f64 * ((1u64 << 31) as f64 / draw as f64)) as u64
}

/// Nodes numbered in joining order.
#[derive(Clone, Debug)]
pub struct Jump {
    membership: Membership,
    nodes: Vec<NodeId>,
}

impl Jump {
    /// Without nodes.
    pub fn new() -> Self {
        Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            nodes: Vec::new(),
        }
    }

    #[inline]
    fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        let bucket = tallied_bucket(key, self.nodes.len() as u32, tally)?;
        tally.read();
        Some(self.nodes[bucket as usize])
    }
}

impl Default for Jump {
    fn default() -> Self {
        Self::new()
    }
}

impl Placement for Jump {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        self.find(key, &mut ())
    }

    fn place_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        assert_eq!(keys.len(), owners.len(), "one owner per key");
        let Some(count) = NonZeroU32::new(self.nodes.len() as u32) else {
            return owners.fill(None);
        };
        let mut buckets = [0; TOGETHER];
        for (keys, owners) in keys.chunks(TOGETHER).zip(owners.chunks_mut(TOGETHER)) {
            bucket_many(keys, count, &mut buckets[..keys.len()]);
            for (owner, &bucket) in owners.iter_mut().zip(&buckets) {
                *owner = Some(self.nodes[bucket as usize]);
            }
        }
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| self.find(key, work))
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        let ids = self.membership.admit(nodes);
        self.nodes.extend(&ids);
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        let asked = &self.membership.get(id)?.name;
        if let Some(&newest) = self.nodes.last()
            && newest != id
        {
            return Err(PlacementError::OnlyNewest {
                algorithm: ALGORITHM.name,
                newest: self.membership.name(newest).into(),
                asked: asked.to_string(),
            });
        }
        self.membership.remove(id)?;
        self.nodes.pop();
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.membership.reweigh(id, weight).map(drop)
    }

    fn layout(&self) -> Layout {
        let share = 1.0 / self.nodes.len() as f64;
        Layout::Law(self.nodes.iter().map(|&id| (id, share)).collect())
    }

    fn heap_bytes(&self) -> usize {
        self.membership.heap_bytes() + self.nodes.capacity() * size_of::<NodeId>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// The figure of the paper, line by line, with 128-bit integers for the generator.
fn naive(_: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let owner = |&key: &u64| {
        let (mut b, mut j, mut state) = (-1i64, 0i64, u128::from(key));
        while j < nodes.len() as i64 {
            b = j;
            state = (state * 2_862_933_555_777_941_757 + 1) % (1 << 64);
            j = ((b + 1) as f64 * (2_147_483_648.0 / ((state >> 33) + 1) as f64)) as i64;
        }
        usize::try_from(b).ok()
    };
    keys.iter().map(owner).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The paper's operations in their order.
    fn paper(mut key: u64, count: u32) -> u32 {
        let (mut last, mut next) = (0, 0);
        while next < u64::from(count) {
            last = next;
            key = key.wrapping_mul(MULTIPLIER).wrapping_add(1);
            next = rounded(last + 1, (key >> 33) + 1);
        }
        last as u32
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Draws with which a bucket's jump misses a count by next to nothing.
        #[test]
        fn a_jump_that_ends_next_to_the_count_passes_it_as_the_papers_does(
            count in (1u64 << 24..1 << 32).prop_map(|count| count | 1),
            miss in -64..64i64,
        ) {
            // draw · count + miss is a multiple of 2^31.
            let inverse = (0..5).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(count.wrapping_mul(x))));
            let draw = miss.wrapping_neg().cast_unsigned().wrapping_mul(inverse) % (1 << 31);
            let bucket = (draw * count).wrapping_add_signed(miss) >> 31;
            prop_assume!(draw > 0 && (1..=count).contains(&bucket));
            let (seen, exact) = (leap(bucket, draw, count), rounded(bucket, draw));
            prop_assert!(seen == exact || seen.min(exact) >= count, "{} and {}", seen, exact);
        }

        #[test]
        fn a_bucket_is_the_papers_also_where_jumps_end_at_the_count(
            key in any::<u64>(),
            most in prop_oneof![1..2000u32, 1..=u32::MAX],
        ) {
            let reached = paper(key, most);
            for count in [most, reached.max(1), reached + 1, most - most / 3] {
                prop_assert_eq!(bucket(key, count), Some(paper(key, count)), "of {}", count);
            }
        }
    }
}
