//! The lines of an indexed ring, and how points come and go.
//!
//! The circle is cut into equal stretches, one line each: a position times the number of lines is
//! the line, and behind the point of the fraction the offset in it. Both are exact and ascend with
//! the position, so that comparing offsets is comparing positions. A line holds the first 16 bits
//! of the offsets; the rest of them stands apart and is read where 16 bits do not decide.
//!
//! A stretch with more points than a line has places is crowded: its points stand in a sorted list.

mod deal;

use std::cmp::Ordering;
use std::ops::ControlFlow;

pub(super) use self::deal::Deal;
#[cfg(target_arch = "x86_64")]
use super::batch::MANY;
use super::line::{Entry, FULL, Line, PLACES, close, open, search};
use crate::membership::Membership;
use crate::owners::Packed;
use crate::placement::NodeId;
use crate::replicas::Visit;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;
use crate::work::Tally;

/// Lines for so many points: one for every 8¼. Of random points one line in a hundred is crowded.
fn lines_for(points: usize) -> usize {
    (points * 4 / 33).max(1)
}

/// Stands for the number of points of a crowded line.
const CROWDED: u8 = u8::MAX;

/// The last 48 bits of an offset are so many words.
const WORDS: usize = 3;
/// Those of all places of a line: in one row, so that vectors move them.
type Rests = [u16; FULL * WORDS];

/// The points of a crowded line.
#[derive(Clone, Debug)]
struct Crowd {
    line: usize,
    points: Vec<(u64, NodeId)>,
    after: Option<NodeId>,
}

#[derive(Clone, Debug)]
pub(super) struct Table<O> {
    pub(super) lines: Vec<Line<O>>,
    rests: Vec<Rests>,
    /// Points of each line, or [`CROWDED`].
    counts: Vec<u8>,
    /// In no order; the first two owners of a crowded line tell where its crowd stands.
    crowds: Vec<Crowd>,
    points: usize,
}

impl<O: Packed + Entry> Table<O> {
    /// Of points of which those at one position stand in the order of names.
    pub(super) fn of(points: &[(u64, NodeId)]) -> Self {
        let mut deal = Deal::new(points.len());
        points
            .iter()
            .for_each(|&(position, node)| deal.give(position, node));
        deal.table()
    }

    /// Puts these points into a line that has none.
    fn fill(&mut self, line: usize, points: &[(u64, NodeId)], after: Option<NodeId>) {
        if points.len() > FULL {
            return self.crowd_up(line, points.to_vec(), after);
        }
        self.lines[line] = Line::empty(O::of(after));
        self.counts[line] = points.len() as u8;
        for (at, &(position, owner)) in points.iter().enumerate() {
            let (_, offset) = self.split(position);
            self.put(line, at, offset, O::pack(owner));
        }
    }

    /// Gives a line these points as a crowd.
    fn crowd_up(&mut self, line: usize, points: Vec<(u64, NodeId)>, after: Option<NodeId>) {
        self.crowds.push(Crowd {
            line,
            points,
            after,
        });
        self.mark_crowded(line, self.crowds.len() - 1);
    }

    fn mark_crowded(&mut self, line: usize, crowd: usize) {
        self.counts[line] = CROWDED;
        let mut owners = [O::SPARE; PLACES];
        owners[..2].copy_from_slice(&[crowd, crowd >> 16].map(|half| O::from(half as u16)));
        self.lines[line] = Line {
            bounds: [0; PLACES],
            owners,
        };
    }

    #[inline(always)]
    fn put(&mut self, line: usize, at: usize, offset: u64, owner: O) {
        self.lines[line].bounds[at] = (offset >> 48) as u16;
        self.lines[line].owners[at] = owner;
        let rest = [(offset >> 32) as u16, (offset >> 16) as u16, offset as u16];
        self.rests[line][at * WORDS..][..WORDS].copy_from_slice(&rest);
    }

    /// The line of a position, and its offset there in units of 2^-64 lines.
    #[inline]
    fn split(&self, position: u64) -> (usize, u64) {
        let product = u128::from(position) * self.lines.len() as u128;
        ((product >> 64) as usize, product as u64)
    }

    fn offset(&self, line: usize, at: usize) -> u64 {
        let bound = u64::from(self.lines[line].bounds[at]);
        let words = &self.rests[line][at * WORDS..][..WORDS];
        words
            .iter()
            .fold(bound, |offset, &word| offset << 16 | u64::from(word))
    }

    fn position(&self, line: usize, at: usize) -> u64 {
        let product = (line as u128) << 64 | u128::from(self.offset(line, at));
        (product / self.lines.len() as u128) as u64
    }

    /// Where the crowd of a line stands, if it has one.
    fn crowd(&self, line: usize) -> Option<usize> {
        let owners = &self.lines[line].owners;
        let [low, high]: [u32; 2] = [owners[0], owners[1]].map(O::into);
        (owners[FULL] == O::SPARE).then_some((low | high << 16) as usize)
    }

    #[inline]
    pub(super) fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        let (line, offset) = self.split(key);
        let bits = (offset >> 48) as u16;
        let line = &self.lines[line];
        tally.read();
        let at = search(line, bits);
        // The bound found is not below the key; that it is above it tells the two apart. No bound
        // of a crowded line is above anything.
        if line.bounds[at] <= bits {
            return self.find_exactly(key, tally);
        }
        line.owners[at].unpack()
    }

    /// The owners of many keys.
    pub(super) fn find_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        #[cfg(target_arch = "x86_64")]
        if keys.len() >= MANY && Level::in_use().is_avx512() {
            // SAFETY: such a level exists only on a processor that has these vectors.
            return unsafe { self.find_many_avx512(keys, owners) };
        }
        for (&key, owner) in keys.iter().zip(owners) {
            *owner = self.find(key, &mut ());
        }
    }

    /// Where 16 bits do not tell a key from a point, or the line is crowded.
    #[cold]
    #[inline(never)]
    pub(super) fn find_exactly(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        let (line, rank) = self.rank(key, tally);
        self.owner(line, rank)
    }

    /// The line of a position, and how many of its points stand before it.
    fn rank(&self, position: u64, tally: &mut impl Tally) -> (usize, usize) {
        let (line, offset) = self.split(position);
        if let Some(crowd) = self.crowd(line) {
            let before = |point: &(u64, NodeId)| {
                tally.compare();
                point.0 < position
            };
            return (line, self.crowds[crowd].points.partition_point(before));
        }
        // Only where the first bits are equal the rest decides.
        let bits = (offset >> 48) as u16;
        let mut rank = search(&self.lines[line], bits);
        while rank < usize::from(self.counts[line])
            && self.lines[line].bounds[rank] == bits
            && self.offset(line, rank) < offset
        {
            tally.compare();
            rank += 1;
        }
        (line, rank)
    }

    /// Points in a line.
    fn count(&self, line: usize) -> usize {
        match self.crowd(line) {
            Some(crowd) => self.crowds[crowd].points.len(),
            None => usize::from(self.counts[line]),
        }
    }

    /// The owner of a point of a line, and after the last one of the next point anywhere.
    fn owner(&self, line: usize, at: usize) -> Option<NodeId> {
        let Some(crowd) = self.crowd(line) else {
            return self.lines[line].owners[at].unpack();
        };
        let crowd = &self.crowds[crowd];
        crowd
            .points
            .get(at)
            .map_or(crowd.after, |point| Some(point.1))
    }

    /// Visits the owners of all points in the order in which they follow on a key.
    pub(super) fn walk(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let (home, start) = self.rank(key, &mut ());
        let count = |line| self.count(line);
        let whole = (home + 1..self.lines.len()).chain(0..home);
        let stretches = std::iter::once((home, start..count(home)))
            .chain(whole.map(|line| (line, 0..count(line))))
            .chain([(home, 0..start)]);
        for (line, places) in stretches {
            let mut owners = places.filter_map(|at| self.owner(line, at));
            owners.try_for_each(&mut *visit)?;
        }
        ControlFlow::Continue(())
    }

    /// All points, sorted by position and then by name.
    pub(super) fn sorted(&self) -> Vec<(u64, NodeId)> {
        let mut points = Vec::with_capacity(self.points);
        for line in 0..self.lines.len() {
            match self.crowd(line) {
                Some(crowd) => points.extend(&self.crowds[crowd].points),
                None => points.extend(self.spaced(line)),
            }
        }
        points
    }

    /// The points of a line that is not crowded.
    fn spaced(&self, line: usize) -> impl Iterator<Item = (u64, NodeId)> {
        (0..usize::from(self.counts[line]))
            .filter_map(move |at| Some((self.position(line, at), self.owner(line, at)?)))
    }

    pub(super) fn len(&self) -> usize {
        self.points
    }

    /// Adds a point of `node`, whose name and those of the others are in `names`.
    #[inline]
    pub(super) fn insert(&mut self, position: u64, node: NodeId, names: &Membership) {
        let (line, offset) = self.split(position);
        let bits = (offset >> 48) as u16;
        let at = search(&self.lines[line], bits);
        // A crowded line counts as more than full.
        if usize::from(self.counts[line]) >= FULL || self.lines[line].bounds[at] == bits {
            return self.insert_exactly(position, node, names);
        }
        self.points += 1;
        self.make_room(line, at);
        self.put(line, at, offset, O::pack(node));
        if at == 0 {
            self.tell_those_before(line);
        }
    }

    /// Where 16 bits do not tell two points apart, or the line has no room.
    #[cold]
    #[inline(never)]
    fn insert_exactly(&mut self, position: u64, node: NodeId, names: &Membership) {
        self.points += 1;
        let (line, offset) = self.split(position);
        if usize::from(self.counts[line]) == FULL {
            let points = self.spaced(line).collect();
            self.crowd_up(line, points, self.owner(line, FULL));
        }
        let before = |point: (u64, NodeId), mark: u64| match point.0.cmp(&mark) {
            Ordering::Equal => names.name(point.1) <= names.name(node),
            unequal => unequal.is_lt(),
        };
        let at = match self.crowd(line) {
            Some(crowd) => {
                let points = &mut self.crowds[crowd].points;
                let at = points.partition_point(|&point| before(point, position));
                points.insert(at, (position, node));
                at
            }
            None => self.insert_spaced(line, offset, node, before),
        };
        if at == 0 {
            self.tell_those_before(line);
        }
        // Many points for few lines would crowd them ever more.
        self.fit();
    }

    /// Adds a point to a line with room for it, after those that stand `before` it; returns its place.
    fn insert_spaced(
        &mut self,
        line: usize,
        offset: u64,
        node: NodeId,
        before: impl Fn((u64, NodeId), u64) -> bool,
    ) -> usize {
        let count = usize::from(self.counts[line]);
        let bits = (offset >> 48) as u16;
        let mut at = search(&self.lines[line], bits);
        // Only where the first bits are equal the rest and the names decide.
        while at < count
            && self.lines[line].bounds[at] == bits
            && let Some(owner) = self.owner(line, at)
            && before((self.offset(line, at), owner), offset)
        {
            at += 1;
        }
        self.make_room(line, at);
        self.put(line, at, offset, O::pack(node));
        at
    }

    /// Moves the points of a line from a place on by one place.
    #[inline(always)]
    fn make_room(&mut self, line: usize, at: usize) {
        let Line { bounds, owners } = &mut self.lines[line];
        open::<_, _, 1>(bounds, at);
        open::<_, _, 1>(owners, at);
        open::<_, _, WORDS>(&mut self.rests[line], at * WORDS);
        self.counts[line] += 1;
    }

    /// Moves the points of a line behind a place by one place back.
    #[inline(always)]
    fn close_up(&mut self, line: usize, at: usize) {
        // Behind the last point the bounds are all ones, and they stay so.
        let Line { bounds, owners } = &mut self.lines[line];
        close::<_, _, 1>(bounds, at);
        close::<_, _, 1>(owners, at);
        close::<_, _, WORDS>(&mut self.rests[line], at * WORDS);
        self.counts[line] -= 1;
    }

    /// Removes a point of `node` at this position.
    #[inline]
    pub(super) fn remove(&mut self, position: u64, node: NodeId) {
        let (line, offset) = self.split(position);
        let bits = (offset >> 48) as u16;
        let bounds = &self.lines[line].bounds;
        let at = search(&self.lines[line], bits);
        // The point is there: it is the first with such bits, and the only one unless the next has them.
        let only = bounds.get(at + 1).is_some_and(|&next| next != bits);
        if self.counts[line] == CROWDED || !only {
            return self.remove_exactly(position, node);
        }
        self.points -= 1;
        self.close_up(line, at);
        if at == 0 {
            self.tell_those_before(line);
        }
    }

    /// Where 16 bits do not tell two points apart, or the line is crowded.
    #[cold]
    #[inline(never)]
    fn remove_exactly(&mut self, position: u64, node: NodeId) {
        let (line, mut at) = self.rank(position, &mut ());
        while at < self.count(line) && self.owner(line, at) != Some(node) {
            at += 1;
        }
        self.points -= 1;
        match self.crowd(line) {
            Some(crowd) => {
                self.crowds[crowd].points.remove(at);
                if self.crowds[crowd].points.len() <= FULL {
                    self.disperse(line, crowd);
                }
            }
            None => self.close_up(line, at),
        }
        if at == 0 {
            self.tell_those_before(line);
        }
    }

    /// Puts the points of a crowd that has become small back into its line.
    fn disperse(&mut self, line: usize, crowd: usize) {
        let Crowd { points, after, .. } = self.crowds.swap_remove(crowd);
        if let Some(moved) = self.crowds.get(crowd) {
            self.mark_crowded(moved.line, crowd);
        }
        self.fill(line, &points, after);
    }

    /// After a change of the first point of a line: the lines before it, up to one with points,
    /// have another next point.
    fn tell_those_before(&mut self, line: usize) {
        let first = self.owner(line, 0);
        let all = (0..line).rev().chain((line..self.lines.len()).rev());
        for before in all {
            let count = self.count(before);
            match self.crowd(before) {
                Some(crowd) => self.crowds[crowd].after = first,
                None => self.lines[before].owners[count] = O::of(first),
            }
            if count > 0 {
                return;
            }
        }
    }

    /// Cuts the circle anew when the lines have become too full or too empty: after every node.
    pub(super) fn fit(&mut self) {
        let (lines, wanted) = (self.lines.len(), lines_for(self.points));
        if wanted > lines + lines / 6 || wanted < lines / 2 || self.points == 0 {
            *self = Self::of(&self.sorted());
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let points = self.crowds.iter().map(|crowd| crowd.points.capacity());
        self.lines.capacity() * size_of::<Line<O>>()
            + self.rests.capacity() * size_of::<Rests>()
            + self.counts.capacity()
            + self.crowds.capacity() * size_of::<Crowd>()
            + points.sum::<usize>() * size_of::<(u64, NodeId)>()
    }
}
