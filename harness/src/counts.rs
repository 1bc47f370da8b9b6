//! Instructions and memory accesses, as the benchmark `callgrind` counts them: what is counted, and
//! how its runner's output becomes cells.

/// Numbers of nodes.
pub const NODES: [u32; 3] = [10, 100, 1000];
/// Lookups of random distinct keys that are counted together.
pub const LOOKUPS: usize = 4096;
/// Seed of the keys and of the nodes' names.
pub const SEED: u64 = 42;

/// What is done once while the counters run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// [`LOOKUPS`] lookups in one batch.
    Lookup,
    /// Building from the list of nodes.
    Build,
    /// Adding one node.
    Add,
    /// Removing the newest node.
    Remove,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lookup, Self::Build, Self::Add, Self::Remove];

    /// Its name, in benchmarks and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Build => "build",
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }

    /// The operation of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == name)
    }
}

/// The benchmark's id of an algorithm at a number of nodes: the runner takes letters, digits and
/// underscores only.
pub fn id(algorithm: &str, nodes: u32) -> String {
    format!("{}_{nodes}", algorithm.replace('-', "_"))
}
