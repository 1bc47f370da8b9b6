//! Scores and draws, where each key chooses by itself: rendezvous and jump.

use algorithms::hash::{Purpose, XXH3, encode, mix};
use algorithms::{
    Algorithm, Node, PlacementError, Settings, jump, maglev, rendezvous, weighted_rendezvous,
};

use super::Reproduction;
use super::estimate::Estimate;
use super::lab::{Lab, shares};
use super::laws;
use super::outcome::Finding;
use super::ring_shares::cv_row;
use super::row::{Range, Row};
use crate::theory::{Against, against, jump as law, ring, scores};
use crate::verify::place_all;

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "jump-rounds",
        title: "jump: rounds of the loop",
        claim: "A lookup among n buckets takes H_n rounds in the mean: 2.93 for 10, 5.19 for 100, 7.49 for 1000, 14.39 for a million; not ln n + 1.",
        source: "exact by the chances 1/(i + 1) of each jump",
        conditions: "random keys; rounds counted from the buckets that a key passes",
        seconds: 0.3,
        run: rounds,
    },
    Reproduction {
        name: "jump-standard-error",
        title: "jump: standard error of the paper",
        claim: "The buckets' sizes have a standard error of 0.00000000764 and a 99 % interval of (0.99999998, 1.00000002), for any number of buckets.",
        source: "Lamping & Veach 2014, table 1, as quoted",
        conditions: "bucket 0's exact size over the mean, by bisection over its 2^31 first draws; CV of all buckets with independent draws",
        seconds: 0.1,
        run: standard_error,
    },
    Reproduction {
        name: "ring-against-jump",
        title: "ring against jump: spread",
        claim: "At 1000 buckets a ring with 1, 10, 100, 1000 points has a standard error of .9979, .3152, .0997, .0316.",
        source: "Lamping & Veach 2014, table 1, as quoted",
        conditions: "exact shares; the claim holds when one ring in a hundred lies farther off than the published figure",
        seconds: 2.0,
        run: paper_rings,
    },
    Reproduction {
        name: "key-noise",
        title: "even algorithms: chance of the keys",
        claim: "Rendezvous, jump and a Maglev table are uneven by the chance of the keys alone: χ²/(N − 1) of the counts is near 1.",
        source: "Pearson's χ²",
        conditions: "equal nodes; at least 100 random keys for each (1000 in full)",
        seconds: 1.0,
        run: noise,
    },
    Reproduction {
        name: "least-moves",
        title: "minimal algorithms: keys moved",
        claim: "When a node joins N, 1/(N + 1) of the keys move, all of them to it.",
        source: "Thaler & Ravishankar 1996; Lamping & Veach 2014",
        conditions: "equal nodes, random keys",
        seconds: 0.5,
        run: least_moves,
    },
    Reproduction {
        name: "rendezvous-replicas",
        title: "rendezvous: replica sets changed",
        claim: "When a node joins N, the set of the R best nodes changes for R/(N + 1) of the keys, by one member each.",
        source: "exact by symmetry of the scores",
        conditions: "equal nodes, random keys, the R highest scores",
        seconds: 0.4,
        run: replicas,
    },
    Reproduction {
        name: "weighted-rendezvous",
        title: "weighted rendezvous: shares",
        claim: "A node of weight w owns w/Σw of the keys.",
        source: "Schindelhauer & Schomaker 2005",
        conditions: "smallest −ln(U)/w with U strictly between 0 and 1; random keys",
        seconds: 0.1,
        run: weighted,
    },
    Reproduction {
        name: "hash-over-weight",
        title: "smallest hash/weight wins",
        claim: "Dividing the hash by the weight gives each node w/Σw of the keys.",
        source: "a common shortcut",
        conditions: "two nodes of weights 1 and w; smallest U/w wins; random keys",
        seconds: 0.1,
        run: quotient,
    },
];

/// Rounds that a key takes among n buckets: each bucket that it passes is its bucket among fewer.
fn rounds_of(key: u64, buckets: u32) -> f64 {
    let passed = std::iter::successors(jump::bucket(key, buckets), |&bucket| {
        jump::bucket(key, bucket)
    });
    passed.count() as f64
}

fn rounds(lab: &Lab) -> Result<Finding, PlacementError> {
    let keys = lab.keys("jump rounds", lab.trials(1_000_000));
    let row = |buckets: u32| {
        let seen: Vec<f64> = lab.each(keys.len(), |at| Ok(rounds_of(keys[at], buckets)))?;
        let n = u64::from(buckets);
        let moments = (law::rounds(n), law::rounds_variance(n).sqrt());
        Ok(laws::mean(format!("n = {buckets}"), &seen, moments, "keys"))
    };
    let sizes = [10, 100, 1000, 1_000_000];
    Ok(Finding::of(
        sizes.into_iter().map(row).collect::<Result<_, _>>()?,
    ))
}

/// Factor and summand of jump's generator.
const STEP: (u64, u64) = (2_862_933_555_777_941_757, 1);

/// A key whose first draw is this one of 2^31: the generator's step, undone.
fn key_of_draw(draw: u64) -> u64 {
    // Newton's iteration doubles the digits of the inverse that are right.
    let doubled =
        |inverse: u64, _| inverse.wrapping_mul(2u64.wrapping_sub(STEP.0.wrapping_mul(inverse)));
    let inverse = (0..6).fold(STEP.0, doubled);
    (draw << 33).wrapping_sub(STEP.1).wrapping_mul(inverse)
}

/// Exact share of bucket 0: the smallest draws jump beyond all buckets and so stay there, and how
/// many they are is found by halving.
fn first_share(buckets: u32) -> f64 {
    const DRAWS: u64 = 1 << 31;
    let stays = |draw: u64| jump::bucket(key_of_draw(draw), buckets) == Some(0);
    let (mut staying, mut end) = (0, DRAWS);
    while staying < end {
        let middle = u64::midpoint(staying, end);
        match stays(middle) {
            true => staying = middle + 1,
            false => end = middle,
        }
    }
    staying as f64 / DRAWS as f64
}

/// The published interval of a bucket's size over the mean.
const PUBLISHED_SIZE: [f64; 2] = [0.999_999_98, 1.000_000_02];

fn standard_error(_: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for buckets in [3, 10, 100, 1000, 10_000] {
        let fair = f64::from(buckets);
        rows.push(
            Row::exact(
                format!("n = {buckets}: bucket 0 − 1"),
                first_share(buckets) * fair - 1.0,
            )
            .claimed(Range::between(
                PUBLISHED_SIZE[0] - 1.0,
                PUBLISHED_SIZE[1] - 1.0,
            ))
            .equals(law::first_share(buckets.into()) * fair - 1.0),
        );
    }
    // As far as all smaller numbers of buckets are within as well.
    let off = |buckets: &u64| {
        let size = law::first_share(*buckets) * *buckets as f64;
        !(PUBLISHED_SIZE[0]..=PUBLISHED_SIZE[1]).contains(&size)
    };
    let first = (1..).find(off).unwrap_or(1);
    let cv = law::cv(1000);
    Ok(Finding::of(rows).only_if(format!(
        "n < {first}, where 2^31/n is near enough to a whole number; at n = 1000 the CV of all buckets is {cv:.2e}"
    )))
}

fn paper_rings(lab: &Lab) -> Result<Finding, PlacementError> {
    const BUCKETS: usize = 1000;
    let mut rows = Vec::new();
    for (points, rings, published) in [
        (1, 1000, 0.9979),
        (10, 400, 0.3152),
        (100, 100, 0.0997),
        (1000, 20, 0.0316),
    ] {
        let row = cv_row(
            lab,
            "paper",
            format!("k = {points}"),
            (BUCKETS, points),
            rings,
        )?;
        let sd = ring::cv_square_sd(BUCKETS, points);
        let one_ring = sd / (2.0 * ring::cv(BUCKETS, points));
        rows.push(
            row.published(published)
                .claimed(Range::about(published, 2.576 * one_ring + 0.00005)),
        );
    }
    Ok(Finding::of(rows))
}

fn noise(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, keys) in [(10, 100_000), (100, 400_000), (1000, 1_000_000)] {
        for algorithm in [rendezvous::ALGORITHM, jump::ALGORITHM, maglev::ALGORITHM] {
            let purpose = format!("noise {} {nodes}", algorithm.name);
            let placement = algorithm.build(&Settings::default(), lab.nodes(&purpose, 0, nodes))?;
            let keys = lab.keys(&purpose, lab.trials(keys));
            let mut counts = vec![0; nodes];
            for owner in place_all(&*placement, &keys).into_iter().flatten() {
                counts[owner.index()] += 1;
            }
            // Even for the first two; a table's are even within a slot.
            let shares = shares(&*placement);
            if let Some((sum, freedom)) = against::chi_square(&counts, &shares) {
                let what = format!("{}, N = {nodes}", algorithm.name);
                rows.push(laws::chi_square(&what, sum, freedom, keys.len(), "keys"));
            }
        }
    }
    Ok(Finding::of(rows))
}

fn least_moves(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    let minimal: [Algorithm; 3] = [
        rendezvous::ALGORITHM,
        weighted_rendezvous::ALGORITHM,
        jump::ALGORITHM,
    ];
    for algorithm in minimal {
        for nodes in [10, 100] {
            let purpose = format!("moves {} {nodes}", algorithm.name);
            let mut placement =
                algorithm.build(&Settings::default(), lab.nodes(&purpose, 0, nodes))?;
            let keys = lab.keys(&purpose, lab.trials(500_000));
            let was = place_all(&*placement, &keys);
            let newcomer = placement.add(lab.node(&purpose, 0, nodes))?;
            let is = place_all(&*placement, &keys);
            let changed = || was.iter().zip(&is).filter(|(was, is)| was != is);
            let elsewhere = changed().filter(|(_, is)| **is != Some(newcomer)).count();
            let what = format!("{}, N = {nodes}", algorithm.name);
            let expected = scores::set_changed(nodes, 1);
            rows.push(part(
                format!("{what}: moved"),
                changed().count(),
                keys.len(),
                expected,
            ));
            rows.push(Row::exact(format!("{what}: elsewhere"), elsewhere as f64).equals(0.0));
        }
    }
    Ok(Finding::of(rows))
}

/// A counted part of the keys against its chance.
fn part(what: String, hits: usize, keys: usize, chance: f64) -> Row {
    let (hits, trials) = (hits as u64, keys as u64);
    Row::sampled(what, Estimate::fraction(hits, trials), keys, "keys")
        .fraction()
        .against(Against::fraction(hits, trials, chance))
}

/// The positions of the R highest scores, sorted.
fn best(key: u64, seeds: &[u64], replicas: usize) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..seeds.len()).collect();
    ranked.sort_unstable_by_key(|&at| !mix(key ^ seeds[at]));
    ranked.truncate(replicas);
    ranked.sort_unstable();
    ranked
}

fn replicas(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, replicas) in [(3, 2), (10, 3), (50, 3)] {
        let purpose = format!("rendezvous replicas {nodes}");
        let named = lab.nodes(&purpose, 0, nodes + 1);
        let seed = |node: &Node| XXH3.of(&encode(Purpose::Score, &node.name, 0));
        let seeds: Vec<u64> = named.iter().map(seed).collect();
        let keys = lab.keys(&purpose, lab.trials(200_000));
        let new = lab.each(keys.len(), |at| {
            let was = best(keys[at], &seeds[..nodes], replicas);
            let is = best(keys[at], &seeds, replicas);
            Ok(is.iter().filter(|node| !was.contains(node)).count())
        })?;
        let what = format!("N = {nodes}, R = {replicas}");
        let count = |wanted: fn(&&usize) -> bool| new.iter().filter(wanted).count();
        let expected = scores::set_changed(nodes, replicas);
        rows.push(part(
            format!("{what}: changed"),
            count(|new| **new > 0),
            keys.len(),
            expected,
        ));
        let several = count(|new| **new > 1) as f64;
        rows.push(Row::exact(format!("{what}: by more than one"), several).equals(0.0));
    }
    Ok(Finding::of(rows))
}

const WEIGHTS: [f64; 4] = [1.0, 2.0, 3.0, 0.25];

fn weighted(lab: &Lab) -> Result<Finding, PlacementError> {
    let nodes = lab
        .nodes("weighted", 0, WEIGHTS.len())
        .into_iter()
        .zip(WEIGHTS);
    let nodes = nodes
        .map(|(node, weight)| Node::weighing(node.name, weight))
        .collect();
    let placement = weighted_rendezvous::ALGORITHM.build(&Settings::default(), nodes)?;
    let keys = lab.keys("weighted", lab.trials(1_000_000));
    let owners = place_all(&*placement, &keys);
    let row = |(at, weight): (usize, f64)| {
        let own = |owner: &&algorithms::NodeId| owner.index() == at;
        let hits = owners.iter().flatten().filter(own).count();
        let share = scores::share(weight, WEIGHTS.iter().sum());
        part(format!("w = {weight}"), hits, keys.len(), share)
    };
    Ok(Finding::of(
        WEIGHTS.into_iter().enumerate().map(row).collect(),
    ))
}

fn quotient(lab: &Lab) -> Result<Finding, PlacementError> {
    let keys = lab.keys("quotient", lab.trials(1_000_000));
    let seeds = lab.keys("quotient seeds", 2);
    let row = |weight: f64| {
        let wins = |key: &&u64| {
            let bid = |seed: u64, weight: f64| mix(**key ^ seed) as f64 / weight;
            bid(seeds[1], weight) < bid(seeds[0], 1.0)
        };
        let hits = keys.iter().filter(wins).count();
        let claimed = scores::share(weight, 1.0 + weight);
        part(
            format!("share of w = {weight} beside 1"),
            hits,
            keys.len(),
            scores::quotient_share(weight),
        )
        .published(claimed)
        .claimed(Range::about(claimed, 0.001))
    };
    Ok(Finding::of([2.0, 10.0].map(row).into()))
}
