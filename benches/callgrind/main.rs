//! `cargo bench -p benches --features callgrind --bench callgrind`: instructions, reads and writes
//! of every algorithm, counted under Callgrind. `ci/callgrind.sh` makes a record of them.
//!
//! Each benchmark runs the program `subject`, since those of the runner's own form cannot be
//! listed from the registry.

#![allow(missing_docs)] // The macros below make public functions.

use benches::Case;
use harness::counts::{self, NODES, Operation};
use iai_callgrind::{
    Bench, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Callgrind, Command,
    EntryPoint, binary_benchmark_group, main,
};

fn fill(group: &mut BinaryBenchmarkGroup) {
    for operation in Operation::ALL {
        let mut benchmark = BinaryBenchmark::new(operation.name());
        for case in Case::all(&NODES) {
            let name = case.algorithm.name;
            let mut subject = Command::new(env!("CARGO_BIN_EXE_subject"));
            subject.args([operation.name(), name, &case.nodes.to_string()]);
            benchmark.bench(Bench::new(counts::id(name, case.nodes)).command(subject));
        }
        group.binary_benchmark(benchmark);
    }
}

/// Counts only what happens inside of the subject's function `counted`.
fn config() -> BinaryBenchmarkConfig {
    let mut callgrind = Callgrind::default();
    callgrind.entry_point(EntryPoint::Custom("*counted*".into()));
    BinaryBenchmarkConfig::default().tool(callgrind).clone()
}

binary_benchmark_group!(
    name = placements;
    benchmarks = |group: &mut BinaryBenchmarkGroup| fill(group)
);
main!(
    config = config();
    binary_benchmark_groups = placements
);
