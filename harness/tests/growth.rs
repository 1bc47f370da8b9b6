//! How costs grow: what is counted, how exponents are fitted and judged, and the command itself.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;

use algorithms::algorithm::Spread;
use algorithms::growth::{Growth, Size, Upkeep};
use algorithms::{Algorithm, Layout, NodeId, Placement, Settings, Work, registry};
use common::call;
use harness::growth::fit::{Axis, Cost, Curve, Fit, Verdict, exponent};
use harness::growth::{Part, Study, count};
use harness::measure::{Candidate, Metrics, nodes};
use harness::record::Metric;
use harness::verify::Verified;
use harness::workload::{Random, random};

fn keys(count: usize) -> Vec<u64> {
    random(count, 7, Settings::default().hash).hashes
}

fn candidate(algorithm: &Algorithm, count: u32, points: u32) -> Candidate<'_> {
    let settings = Settings {
        points,
        ..Settings::default()
    };
    let nodes = nodes(7, count);
    Candidate {
        algorithm,
        settings,
        placement: algorithm.build(&settings, nodes.clone()).unwrap(),
        nodes,
        seed: 7,
        verified: Verified {
            owners: Vec::new(),
            checksum: 0,
            laws: 0,
        },
    }
}

fn built(name: &str, count: u32, points: u32) -> Box<dyn Placement> {
    candidate(registry::find(name).unwrap(), count, points).placement
}

fn works(placement: &dyn Placement, keys: &[u64]) -> Vec<Work> {
    keys.iter().map(|&key| placement.work(key)).collect()
}

/// Sizes with made-up or counted metrics.
type Measured = Vec<(Size, Metrics)>;

fn size(nodes: u32, points: u32) -> Size {
    Size {
        nodes: nodes.into(),
        points: points.into(),
        slots: Settings::default().table.into(),
    }
}

fn fit(axis: Axis, measured: &Measured, cost: Cost, claim: Growth) -> Option<Fit> {
    let points = measured.iter().map(|(size, metrics)| (*size, metrics));
    let points = points.collect();
    Curve { axis, points }.fit(cost, claim)
}

/// Every algorithm along every axis that it has.
fn each_axis(mut check: impl FnMut(&Algorithm, Axis, Vec<(u32, u32)>)) {
    for algorithm in registry::ALL {
        let nodes = [10, 32, 100, 316, 1000].map(|nodes| (nodes, 20));
        check(algorithm, Axis::Nodes, nodes.into());
        if algorithm.traits.spread == Spread::Points(None) {
            let points = [1, 3, 10, 32, 100, 316].map(|points| (50, points));
            check(algorithm, Axis::Points, points.into());
        }
    }
}

#[test]
fn the_counted_work_of_a_lookup_grows_as_every_algorithm_claims() {
    let keys = keys(1000);
    each_axis(|algorithm, axis, sizes| {
        let at = |&(nodes, points): &(u32, u32)| {
            let placement = candidate(algorithm, nodes, points).placement;
            (size(nodes, points), count::lookup(&*placement, &keys))
        };
        let measured = sizes.iter().map(at).collect();
        let fit = fit(axis, &measured, Cost::Lookup, algorithm.costs.lookup).unwrap();
        let counted = fit.counted.unwrap();
        assert_eq!(
            counted.verdict,
            Verdict::Agrees,
            "{} {axis:?}: {} claimed {}, counted {:?}",
            algorithm.name,
            fit.claim,
            fit.claimed_high,
            counted.exponent.value
        );
    });
}

#[test]
fn what_changes_hash_and_write_grows_no_faster_than_claimed() {
    let keys = keys(10);
    each_axis(|algorithm, axis, sizes| {
        let at = |&(nodes, points): &(u32, u32)| {
            let candidate = candidate(algorithm, nodes, points);
            let mut metrics = count::changes(&candidate).unwrap();
            metrics.extend(count::memory(&candidate, &keys).unwrap());
            (size(nodes, points), metrics)
        };
        let measured: Measured = sizes.iter().map(at).collect();
        for cost in [Cost::Build, Cost::Add, Cost::Remove, Cost::Memory] {
            let fit = fit(axis, &measured, cost, cost.claim(&algorithm.costs)).unwrap();
            let counted = fit.counted.unwrap();
            let bad = [Verdict::Faster, Verdict::Slower];
            assert!(
                !bad.contains(&counted.verdict),
                "{} {axis:?} {cost:?}: {} is {:?}, counted {:?}",
                algorithm.name,
                fit.claim,
                counted.verdict,
                counted.exponent.value
            );
        }
    });
}

#[test]
fn a_sorted_array_halves_its_points_and_compares_once_more() {
    for nodes in [1, 2, 3, 7, 31, 32, 33] {
        let placement = built("ring-vec", nodes, 16);
        let points = f64::from(nodes * 16);
        let most = points.log2().ceil() as u64 + 1;
        for work in works(&*placement, &keys(300)) {
            assert!(work.comparisons <= most, "{points}: {}", work.comparisons);
            assert_eq!((work.draws, work.hashes, work.reads), (0, 0, 1));
        }
    }
}

#[test]
fn a_tree_compares_with_no_more_than_the_keys_of_one_block_per_level() {
    let placement = built("ring-btree", 100, 100);
    for work in works(&*placement, &keys(1000)) {
        // 10,000 points in blocks of 6 to 11 keys: at most 5 levels.
        assert!((1..=55).contains(&work.comparisons), "{work:?}");
        assert_eq!((work.draws, work.hashes, work.reads), (0, 0, 1));
    }
}

#[test]
fn jump_draws_as_many_numbers_as_the_harmonic_series_says() {
    let keys = keys(20_000);
    for nodes in [1, 10, 100, 1000] {
        let harmonic: f64 = (1..=nodes).map(|n| 1.0 / f64::from(n)).sum();
        let works = works(&*built("jump", nodes, 1), &keys);
        let draws: u64 = works.iter().map(|work| work.draws).sum();
        let mean = draws as f64 / keys.len() as f64;
        // The variance is below H_N, so this is five standard errors.
        let slack = 5.0 * (harmonic / keys.len() as f64).sqrt();
        assert!(
            (mean - harmonic).abs() < slack,
            "{nodes}: {mean} {harmonic}"
        );
    }
}

#[test]
fn rendezvous_scores_every_node_and_tables_are_read_once() {
    for nodes in [1, 10, 333] {
        for name in ["rendezvous", "weighted-rendezvous"] {
            for work in works(&*built(name, nodes, 1), &keys(100)) {
                assert_eq!(
                    (work.draws, work.steps()),
                    (nodes.into(), u64::from(nodes) + 1)
                );
            }
        }
        for name in ["maglev", "mod-n"] {
            for work in works(&*built(name, nodes, 1), &keys(100)) {
                assert_eq!((work.reads, work.steps()), (1, 1));
            }
        }
    }
}

#[test]
fn builds_and_changes_hash_each_label_once() {
    let counts = |name: &str| {
        let algorithm = registry::find(name).unwrap();
        let metrics = count::changes(&candidate(algorithm, 40, 10)).unwrap();
        let of = |name: &str| metrics[name].value.unwrap();
        [of("build_hashes"), of("add_hashes"), of("remove_hashes")]
    };
    assert_eq!(counts("ring-vec"), [400.0, 10.0, 10.0]);
    assert_eq!(counts("ring-1"), [40.0, 1.0, 1.0]);
    assert_eq!(counts("rendezvous"), [40.0, 1.0, 0.0]);
    assert_eq!(counts("jump"), [0.0, 0.0, 0.0]);
    // Two for each node's walk, at every filling.
    assert_eq!(counts("maglev"), [80.0, 82.0, 80.0]);
}

#[test]
fn entries_written_are_those_that_stand_elsewhere_those_that_differ_or_all() {
    let id = NodeId::from_index;
    let before = Layout::Points(vec![(10, id(0)), (20, id(1)), (30, id(0))]);
    let after = Layout::Points(vec![(10, id(0)), (15, id(2)), (20, id(1)), (30, id(0))]);
    let written = |upkeep| {
        let (grown, shrunk) = (
            before.written(&after, upkeep),
            after.written(&before, upkeep),
        );
        (grown, shrunk)
    };
    assert_eq!(written(Upkeep::Shift), (3, 2));
    assert_eq!(written(Upkeep::Each), (1, 1));
    assert_eq!(written(Upkeep::Refill), (4, 3));
}

#[test]
fn claims_are_worded_and_computed_alike() {
    let tree = registry::find("ring-btree").unwrap().costs;
    assert_eq!(tree.change.word(), "O(V log NV + N)");
    assert_eq!(tree.lookup.word(), "O(log NV)");
    let eight = Size {
        nodes: 8.0,
        points: 4.0,
        slots: 16.0,
    };
    for (claim, value) in [
        (Growth::One, 1.0),
        (Growth::LogN, 3.0),
        (Growth::N, 8.0),
        (Growth::NLogN, 24.0),
        (Growth::LogNV, 5.0),
        (Growth::NV, 32.0),
        (Growth::VLogNV, 20.0),
        (Growth::NVLogNV, 160.0),
        (Growth::VNV, 128.0),
        (Growth::NVSquared, 1024.0),
        (Growth::M, 16.0),
        (Growth::MLogM, 64.0),
        (tree.change, 28.0),
    ] {
        assert_eq!(claim.of(eight), value, "{}", claim.word());
    }
}

/// Sizes with one metric that is a function of the number of nodes.
fn made_up(metric: &str, value: impl Fn(f64) -> f64) -> Measured {
    let at = |nodes: u32| {
        let metric = (metric.to_owned(), Metric::of(value(nodes.into())));
        (size(nodes, 100), Metrics::from([metric]))
    };
    [10, 32, 100, 316, 1000, 3162, 10_000].map(at).into()
}

#[test]
fn a_fitted_exponent_is_that_of_the_series() {
    let sizes = [10.0, 32.0, 100.0, 1000.0];
    for power in [-0.5, 0.0, 0.37, 1.0, 2.0] {
        let values = sizes.map(|n: f64| 3.0 * n.powf(power));
        let found = exponent(&sizes, &values).unwrap();
        assert!((found - power).abs() < 1e-12, "{power}: {found}");
    }
    assert_eq!(exponent(&sizes, &[1.0, 0.0, 1.0, 1.0]), None);
    assert_eq!(exponent(&[5.0; 4], &sizes), None);
}

#[test]
fn the_interval_of_an_exponent_covers_it_in_95_of_100_simulations() {
    const SIMULATIONS: u32 = 10_000;
    // With 17 rounds the interval of a median has a confidence of 95.1 %.
    const ROUNDS: usize = 17;
    let mut random = Random::new(11, 0);
    let mut uniform = move || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let mut noise = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let mut covered = 0;
    for _ in 0..SIMULATIONS {
        let mut time = |nodes: f64| {
            let sample = |_| 1e4 * nodes.powf(0.8) * (0.1 * noise()).exp();
            let samples: Vec<f64> = (0..ROUNDS).map(sample).collect();
            Metrics::from([("build_ns".to_owned(), Metric::median(&samples))])
        };
        let measured: Measured = [10, 100, 1000]
            .map(|nodes| (size(nodes, 1), time(nodes.into())))
            .into();
        let fit = fit(Axis::Nodes, &measured, Cost::Build, Growth::N).unwrap();
        let exponent = fit.time.unwrap().exponent;
        covered += u32::from((exponent.low.unwrap()..=exponent.high.unwrap()).contains(&0.8));
    }
    let covered = f64::from(covered) / f64::from(SIMULATIONS);
    assert!((0.94..0.96).contains(&covered), "{covered}");
}

#[test]
fn a_count_agrees_within_a_constant_and_not_beyond() {
    let verdict = |claim, value: &dyn Fn(f64) -> f64| {
        let measured = made_up("lookup_steps", value);
        let fit = fit(Axis::Nodes, &measured, Cost::Lookup, claim).unwrap();
        fit.counted.unwrap().verdict
    };
    assert_eq!(verdict(Growth::N, &|n| 2.0 * n + 1.0), Verdict::Agrees);
    assert_eq!(verdict(Growth::N, &|n| (n - 4.0) / 2.0), Verdict::Agrees);
    assert_eq!(verdict(Growth::LogN, &|n| n.log2() + 4.0), Verdict::Agrees);
    assert_eq!(verdict(Growth::LogN, &|n| n.log2() + 40.0), Verdict::Slower);
    assert_eq!(verdict(Growth::LogN, &|_| 5.0), Verdict::Slower);
    assert_eq!(verdict(Growth::LogN, &|n| n), Verdict::Faster);
    assert_eq!(verdict(Growth::One, &|n| n.log2()), Verdict::Faster);
    assert_eq!(verdict(Growth::N, &|n| n * n.log2()), Verdict::Faster);
    assert_eq!(verdict(Growth::N, &|n| n.log2()), Verdict::Slower);
    const SUM: Growth = Growth::Sum(&[Growth::M, Growth::N]);
    assert_eq!(verdict(SUM, &|n| 4e5 + 50.0 * n), Verdict::Agrees);
    assert_eq!(verdict(SUM, &|n| n.powf(1.1)), Verdict::Faster);
}

#[test]
fn a_part_of_the_work_may_grow_slower_but_not_faster() {
    let verdict = |value: &dyn Fn(f64) -> f64| {
        let measured = made_up("build_steps", value);
        let fit = fit(Axis::Nodes, &measured, Cost::Build, Growth::NLogN).unwrap();
        fit.counted.unwrap().verdict
    };
    assert_eq!(verdict(&|n| n), Verdict::Within);
    assert_eq!(verdict(&|n| n * n.log2()), Verdict::Agrees);
    assert_eq!(verdict(&|n| n * n), Verdict::Faster);
}

#[test]
fn a_time_agrees_when_its_widened_interval_reaches_the_claim() {
    let verdict = |power: f64| {
        let measured = made_up("add_ns", |n| 100.0 * n.powf(power));
        let fit = fit(Axis::Nodes, &measured, Cost::Add, Growth::N).unwrap();
        fit.time.unwrap().verdict
    };
    assert_eq!(verdict(0.84), Verdict::Slower);
    assert_eq!(verdict(0.86), Verdict::Agrees);
    assert_eq!(verdict(1.14), Verdict::Agrees);
    assert_eq!(verdict(1.16), Verdict::Faster);
}

#[test]
fn two_sizes_have_no_exponent() {
    let mut measured = made_up("add_ns", |n| n);
    measured.truncate(2);
    assert_eq!(fit(Axis::Nodes, &measured, Cost::Add, Growth::N), None);
}

const SMALL: [&str; 9] = [
    "growth",
    "--quick",
    "--rounds",
    "2",
    "--nodes",
    "3,10,32",
    "--points",
    "1,4,16",
    "--algorithms",
];

fn growth(algorithms: &str, more: &[&str]) -> (i32, String, String) {
    call(&[&SMALL[..], &[algorithms], more].concat(), "")
}

#[test]
fn everything_that_is_counted_stays_as_it_is() {
    let names: Vec<&str> = registry::ALL
        .iter()
        .map(|algorithm| algorithm.name)
        .collect();
    let (code, stdout, stderr) = growth(&names.join(","), &["--format", "csv"]);
    assert_eq!((code, &*stderr), (0, ""));
    let mut rows = BTreeMap::<[String; 4], String>::new();
    for line in csv::Reader::from_reader(stdout.as_bytes()).records() {
        let line = line.unwrap();
        let [metric, value, claim, verdict] = [4, 5, 8, 11].map(|at| &line[at]);
        // Bytes are those of one pointer width; the rest of what is left out is timed or nothing.
        let timed = metric.contains("_ns") || metric.ends_with("_ratio");
        if timed || metric.contains("bytes") || matches!(value, "" | "0") {
            continue;
        }
        let value: f64 = value.parse().unwrap();
        let judged = [claim, verdict].join(" ");
        let row = rows.entry([0, 1, 2, 3].map(|at| line[at].to_owned()));
        let figure = format!("\n  {metric} {value:.3} {judged}");
        row.or_default().push_str(figure.trim_end());
    }
    let text = rows
        .iter()
        .map(|(row, figures)| row.join(" ").trim().to_owned() + figures + "\n");
    insta::assert_snapshot!("counts", text.collect::<String>());
}

#[test]
fn json_holds_every_row_with_its_samples() {
    let (code, stdout, stderr) = growth("ring-vec,jump", &["--format", "json"]);
    assert_eq!((code, &*stderr), (0, ""));
    let study: Study = serde_json::from_str(&stdout).unwrap();
    assert_eq!(study.settings.algorithms, ["ring-vec", "jump"]);
    let rows = |part: Part| study.rows.iter().filter(move |row| row.part == part);
    // The rings have a twin that inserts point by point.
    let counts = [Part::Nodes, Part::Points, Part::Powers, Part::Caches].map(|p| rows(p).count());
    assert_eq!(counts, [9, 6, 16, 6]);
    for row in &study.rows {
        assert_eq!(row.reason, None);
        for (name, metric) in &row.metrics {
            let timed = name.ends_with("_ns") || name.ends_with("_ratio");
            let samples = metric.samples.as_ref().map(Vec::len);
            assert_eq!(samples, timed.then_some(2), "{name}");
        }
    }
    let reference = rows(Part::Powers).filter(|row| row.nodes == 512);
    for row in reference {
        assert_eq!(row.metrics["lookup_ratio"].value, Some(1.0));
    }
}

#[test]
fn tables_keep_to_the_width_and_markdown_has_the_same_rows() {
    for width in ["80", "120"] {
        let (code, stdout, stderr) = growth("ring-btree,maglev", &["--width", width]);
        assert_eq!((code, &*stderr), (0, ""));
        let limit: usize = width.parse().unwrap();
        for line in stdout.lines() {
            assert!(line.chars().count() <= limit, "{width}: {line}");
        }
    }
    let (_, stdout, _) = growth("ring-btree", &["--format", "markdown"]);
    for title in [
        "### Lookup by nodes",
        "### Add by points per node",
        "### Latency around powers of two",
        "### Lookup and caches, ns",
        "### How to read this",
    ] {
        assert!(stdout.contains(title), "{title}");
    }
}

#[test]
fn a_placement_that_cannot_be_built_is_a_failed_row_and_exit_code_4() {
    let (code, stdout, stderr) = growth("maglev,jump", &["--table", "11"]);
    assert_eq!(code, 4);
    assert!(stderr.contains("rows failed"), "{stderr}");
    assert!(stdout.contains("cannot serve 32 nodes"), "{stdout}");
    assert!(stdout.contains("FAILED"));
}

#[test]
fn bad_input_gets_one_clear_line_and_no_output() {
    for (arguments, words) in [
        (
            vec!["--nodes", "10,100"],
            "--nodes has 2 counts; an exponent needs at least 3",
        ),
        (vec!["--points", "1,2"], "--points has 2 counts"),
        (vec!["--scale", "--points", "1,2,3"], "cannot be used with"),
        (vec!["--scale", "--nodes", "7,7"], "--nodes names 7 twice"),
        (vec!["--nodes", "10,20,10"], "--nodes names 10 twice"),
        (vec!["--points", "5,6,5"], "--points names 5 twice"),
        (vec!["--nodes", "0,1,2"], "from 1 to 1000000"),
        (vec!["--points", "0,1,2"], "--points"),
        (vec!["--rounds", "0"], "--rounds"),
        (vec!["--table", "65536"], "65537 is the next one"),
        (vec!["--algorithms", "magelv"], "'maglev'"),
        (vec!["--algorithms", "jump,jump"], "names jump twice"),
        (vec!["--hash", "xxh"], "xxh3"),
        (vec!["--keys", "5"], "--keys"),
    ] {
        let (code, stdout, stderr) = call(&[&["growth"], &*arguments].concat(), "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
    let (code, stdout, stderr) = call(&["growth", "--output", "no/such/folder/x"], "");
    assert_eq!((code, &*stdout), (1, ""));
    assert!(stderr.contains("there is no directory"), "{stderr}");
}
