//! A table from its points: each is dealt to its line as it comes, and then every line is put in
//! order. So no list of all points is made, and no line is shifted.

use super::super::line::{Bounds, Entry, FULL, Line, PLACES};
use super::{Table, WORDS, lines_for};
use crate::owners::Packed;
use crate::placement::NodeId;

/// Lines that get their points.
pub(in super::super) struct Deal<O> {
    table: Table<O>,
    /// The points for which their lines had no place, in the order in which they came.
    left: Vec<(u64, NodeId)>,
}

impl<O: Packed + Entry> Deal<O> {
    /// For so many points.
    pub(in super::super) fn new(points: usize) -> Self {
        let lines = lines_for(points);
        let table = Table {
            lines: vec![Line::empty(O::NONE); lines],
            rests: vec![[0; FULL * WORDS]; lines],
            counts: vec![0; lines],
            crowds: Vec::new(),
            points,
        };
        Self {
            table,
            left: Vec::new(),
        }
    }

    /// Gives a point to its line. Those at one position come in the order of names.
    #[inline]
    pub(in super::super) fn give(&mut self, position: u64, node: NodeId) {
        let (line, offset) = self.table.split(position);
        let at = usize::from(self.table.counts[line]);
        if at == FULL {
            return self.left.push((position, node));
        }
        self.table.put(line, at, offset, O::pack(node));
        self.table.counts[line] += 1;
    }

    /// The table, with every line in order.
    pub(in super::super) fn table(self) -> Table<O> {
        let Self { mut table, left } = self;
        table.crowd_all(left);
        let (mut after, mut first) = (None, None);
        for line in (0..table.lines.len()).rev() {
            let count = usize::from(table.counts[line]);
            if let Some(crowd) = table.crowd(line) {
                table.crowds[crowd].after = after;
            } else {
                table.order(line, count);
                table.lines[line].owners[count] = O::of(after);
            }
            if count > 0 {
                after = table.owner(line, 0);
                first = Some(line);
            }
        }
        // Behind the last point the first one follows.
        if let Some(line) = first {
            table.tell_those_before(line);
        }
        table
    }
}

impl<O: Packed + Entry> Table<O> {
    /// Makes crowds of the lines with more points than places.
    fn crowd_all(&mut self, mut left: Vec<(u64, NodeId)>) {
        let lines = self.lines.len() as u128;
        let line_of = |position: u64| ((u128::from(position) * lines) >> 64) as usize;
        // A sort that leaves the order in which they came.
        left.sort_by_key(|point| line_of(point.0));
        for more in left.chunk_by(|a, b| line_of(a.0) == line_of(b.0)) {
            let line = line_of(more[0].0);
            let mut points = Vec::with_capacity(FULL + more.len());
            points.extend(self.spaced(line));
            points.extend(more);
            points.sort_by_key(|point| point.0);
            self.crowd_up(line, points, None);
        }
    }

    /// Puts the points of a line in order, so many of them.
    fn order(&mut self, line: usize, count: usize) {
        let (old, rests) = (self.lines[line], self.rests[line]);
        let ranks = ranks(&old.bounds, count);
        let mut taken = 0u32;
        for (from, &rank) in ranks.iter().enumerate().take(count) {
            let to = usize::from(rank);
            taken |= 1 << to;
            self.lines[line].bounds[to] = old.bounds[from];
            self.lines[line].owners[to] = old.owners[from];
            let rest = &rests[from * WORDS..][..WORDS];
            self.rests[line][to * WORDS..][..WORDS].copy_from_slice(rest);
        }
        // Two with the same first bits have one rank.
        if taken.count_ones() as usize != count {
            (self.lines[line], self.rests[line]) = (old, rests);
            self.order_exactly(line, count);
        }
    }

    /// Where 16 bits do not tell two points apart.
    #[cold]
    #[inline(never)]
    fn order_exactly(&mut self, line: usize, count: usize) {
        let owners = self.lines[line].owners;
        let point = |at| (self.offset(line, at), owners[at]);
        let mut points: Vec<(u64, O)> = (0..count).map(point).collect();
        points.sort_by_key(|point| point.0);
        for (at, (offset, owner)) in points.into_iter().enumerate() {
            self.put(line, at, offset, owner);
        }
    }
}

/// How many of the first `count` bounds are below each: its place, unless others equal it. Counted
/// without branches, so that a compiler makes vectors of it.
fn ranks(bounds: &Bounds, count: usize) -> Bounds {
    let mut ranks = [0; PLACES];
    for &other in &bounds[..count] {
        for (rank, &bound) in ranks.iter_mut().zip(bounds) {
            *rank += u16::from(other < bound);
        }
    }
    ranks
}
