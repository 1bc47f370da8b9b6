//! What is warned of: a sorted array into which every point of a node is inserted by itself, so
//! that all later points move up each time. It is measured to show why nobody should; the rings
//! merge a node's points in one pass.

use std::time::Instant;

use algorithms::growth::{Costs, Growth, Upkeep};
use algorithms::hash::{Purpose, encode};
use algorithms::{KeyHash, Layout, Node};

use crate::measure::{Candidate, Metrics};
use crate::record::Metric;

/// Its name in the tables.
pub const NAME: &str = "ring-vec, point by point";

/// What it costs.
pub const COSTS: Costs = Costs {
    lookup: Growth::LogNV,
    build: Growth::NVSquared,
    change: Growth::VNV,
    memory: Growth::NV,
    upkeep: Upkeep::Shift,
};

/// A build of more points than this takes longer than a second, growing with their square.
const MOST_BUILT: usize = 100_000;

/// All rounds of one size.
pub struct Naive<'a> {
    candidate: &'a Candidate<'a>,
    ring: Ring,
    newcomer: Node,
    build: Vec<f64>,
    add: Vec<f64>,
    /// Points that each moves or writes.
    built: Option<u64>,
    added: u64,
}

/// Sorted points beside the numbers of their owners.
#[derive(Clone, Default)]
struct Ring {
    points: Vec<u64>,
    owners: Vec<u32>,
}

impl Ring {
    fn of(layout: &Layout) -> Self {
        let Layout::Points(points) = layout else {
            return Self::default();
        };
        Self {
            points: points.iter().map(|point| point.0).collect(),
            owners: points.iter().map(|point| point.1.index() as u32).collect(),
        }
    }

    /// Inserts a node's points one by one and returns how many points that moved or wrote.
    fn join(&mut self, hash: KeyHash, name: &str, owner: u32, count: u32) -> u64 {
        let mut written = 0;
        let mut label = encode(Purpose::Point, name, 0);
        let tail = label.len() - size_of::<u64>();
        for index in 0..u64::from(count) {
            label[tail..].copy_from_slice(&index.to_le_bytes());
            let point = hash.of(&label);
            let at = self.points.partition_point(|&other| other <= point);
            self.points.insert(at, point);
            self.owners.insert(at, owner);
            written += (self.points.len() - at) as u64;
        }
        written
    }
}

impl<'a> Naive<'a> {
    /// The same nodes as in the candidate.
    ///
    /// # Errors
    /// When the ring is another one than the candidate's, in words.
    pub fn new(candidate: &'a Candidate<'a>) -> Result<Self, String> {
        let mut naive = Self {
            candidate,
            ring: Ring::of(&candidate.placement.layout()),
            newcomer: candidate.newcomer(0),
            build: Vec::new(),
            add: Vec::new(),
            built: None,
            added: 0,
        };
        let mut grown = candidate.placement.boxed_clone();
        let joined = grown.add(naive.newcomer.clone());
        joined.map_err(|error| error.to_string())?;
        let wanted = Ring::of(&grown.layout());
        let (ring, _) = naive.add();
        let rebuilt = naive.buildable().then(|| naive.build().0);
        let same = |ring: &Ring, other: &Ring| ring.points == other.points;
        if !same(&ring, &wanted) || rebuilt.is_some_and(|ring| !same(&ring, &naive.ring)) {
            return Err("inserting points one by one gave another ring than merging them".into());
        }
        Ok(naive)
    }

    /// Times one addition, and one build where that takes no longer than a second.
    pub fn round(&mut self) {
        let (_, time) = self.add();
        self.add.push(time);
        if self.buildable() {
            let (_, time) = self.build();
            self.build.push(time);
        }
    }

    fn buildable(&self) -> bool {
        self.ring.points.len() <= MOST_BUILT
    }

    fn add(&mut self) -> (Ring, f64) {
        let settings = &self.candidate.settings;
        let mut ring = self.ring.clone();
        // Room for the newcomer, as a ring has on which nodes came and went before.
        ring.points.reserve(settings.points as usize);
        ring.owners.reserve(settings.points as usize);
        let start = Instant::now();
        self.added = ring.join(
            settings.hash,
            &self.newcomer.name,
            u32::MAX,
            settings.points,
        );
        let time = start.elapsed().as_nanos() as f64;
        (ring, time)
    }

    fn build(&mut self) -> (Ring, f64) {
        let settings = &self.candidate.settings;
        let mut ring = Ring::default();
        let start = Instant::now();
        let nodes = self.candidate.nodes.iter().zip(0..);
        let join = |(node, owner): (&Node, u32)| {
            ring.join(settings.hash, &node.name, owner, settings.points)
        };
        self.built = Some(nodes.map(join).sum());
        let time = start.elapsed().as_nanos() as f64;
        (ring, time)
    }

    /// Medians over the rounds, and what was written.
    pub fn metrics(&self) -> Metrics {
        let count = self.ring.points.len();
        let too_large = format!("a build of {count} points would take longer than a second");
        let (build, built) = match self.built {
            Some(built) => (Metric::median(&self.build), Metric::of(built as f64)),
            None => (Metric::none(&*too_large), Metric::none(&*too_large)),
        };
        Metrics::from([
            ("build_ns".into(), build),
            ("build_steps".into(), built),
            ("add_ns".into(), Metric::median(&self.add)),
            ("add_steps".into(), Metric::of(self.added as f64)),
        ])
    }
}
