//! Simulated caches, before and after a change.

use std::convert::Infallible;

use algorithms::{Algorithm, PlacementError};

use super::answer::{Change, Row};
use super::fleet::{Fleet, Simulated, play, probe};
use super::stream::{Popularity, Request};
use super::{Ask, Cache, Placed, Sized};
use crate::progress::Progress;
use crate::reproduce::Lab;
use crate::theory::critical;
use crate::workload::{Random, Workload};

/// What one set of names gave for one change.
pub(super) struct Played {
    /// Part of the requests whose key moved.
    pub moved: f64,
    /// Hits before the change, and requests.
    pub before: [u64; 2],
    /// Hits straight after it, and requests.
    pub straight: [u64; 2],
    /// Hits in each window after it.
    pub windows: Vec<u64>,
    /// The same without the change.
    pub unchanged: Vec<u64>,
}

/// Plays everything that is asked, and judges what has a law.
pub fn simulate(
    ask: &Ask<'_>,
    workload: &Workload,
    popularity: &Popularity,
    progress: &Progress,
) -> Vec<Row> {
    let plan = &ask.plan;
    let jobs = ask.caches.len() * plan.nodes.len() * plan.algorithms.len();
    progress.total(jobs as u64 * u64::from(ask.sets));
    let mut all = Vec::new();
    for &cache in &ask.caches {
        for &nodes in &plan.nodes {
            let sized = ask.size(cache, nodes, popularity);
            let blank = |algorithm: &&Algorithm, change| Row {
                algorithm: algorithm.name.into(),
                nodes,
                objects: sized.objects.map(|objects| objects.get() as u64),
                change,
                removal: algorithm.traits.removal.word().into(),
                ..Row::default()
            };
            for algorithm in &plan.algorithms {
                progress.now(format!("{}, {nodes} nodes", algorithm.name));
                let played = sets(
                    ask,
                    algorithm,
                    nodes,
                    sized,
                    (workload, popularity),
                    progress,
                );
                let rows = Change::ALL.into_iter().enumerate().map(|(at, change)| {
                    let row = blank(algorithm, change);
                    match &played {
                        Ok(sets) => {
                            let sets: Vec<&Played> = sets.iter().map(|set| &set[at]).collect();
                            row.of(ask, sized, &sets)
                        }
                        Err(error) => Row {
                            reason: Some(error.to_string()),
                            ..row
                        },
                    }
                });
                all.extend(rows);
            }
        }
    }
    judge(&mut all);
    all
}

fn judge(rows: &mut [Row]) {
    let judged = rows.iter().filter(|row| row.straight.distance.is_some());
    let critical = critical(judged.count());
    for row in rows {
        let distance = row.straight.distance;
        row.straight.agrees = distance.map(|distance| distance.abs() <= critical);
    }
}

fn sets(
    ask: &Ask<'_>,
    algorithm: &Algorithm,
    nodes: u32,
    sized: Sized,
    (workload, popularity): (&Workload, &Popularity),
    progress: &Progress,
) -> Result<Vec<[Played; 2]>, PlacementError> {
    let lab = Lab {
        seed: ask.plan.seed,
        quick: ask.plan.quick,
    };
    lab.each(ask.sets as usize, |set| {
        let seed = ask.plan.seed.wrapping_add(set as u64);
        let placed = Placed::new(ask, algorithm, nodes, seed, &workload.hashes)?;
        let after = Change::ALL.map(|change| placed.after(change, algorithm, &workload.hashes));
        let [grown, shrunk] = after;
        let Ok(played) = one(ask, sized, popularity, &placed, [grown?, shrunk?]);
        progress.done(1);
        Ok(played)
    })
}

/// One set of names through both changes.
fn one(
    ask: &Ask<'_>,
    sized: Sized,
    popularity: &Popularity,
    placed: &Placed,
    after: [Placed; 2],
) -> Result<[Played; 2], Infallible> {
    let mut random = Random::new(placed.seed, 33);
    let mut draw = |count| popularity.draw(count, sized.cacheable, &mut random);
    let probed = (100 * ask.window).min(ask.horizon());
    let [settling, before, stream] = [sized.settled, probed, ask.horizon()].map(&mut draw);
    // One cache more, for the newcomer.
    let nodes = placed.placement.membership().joined() + 1;
    let mut fleet = Simulated::new(nodes, sized.objects);
    fleet.fill(&placed.owners, &popularity.ascending())?;
    play(&mut fleet, &placed.owners, &settling)?;
    let hits = play(&mut fleet, &placed.owners, &before)?;
    let windows = |mut fleet: Simulated, owners: &[usize]| -> Result<Vec<u64>, Infallible> {
        let windows = stream.chunks(ask.window);
        windows
            .map(|window| play(&mut fleet, owners, window))
            .collect()
    };
    let unchanged = windows(fleet.clone(), &placed.owners)?;
    let change = |after: &Placed| -> Result<Played, Infallible> {
        let straight: &[Request] = &stream[..probed];
        Ok(Played {
            moved: placed.moved(after, popularity),
            before: [hits, before.len() as u64],
            straight: [
                probe(&mut fleet.clone(), &after.owners, straight)?,
                probed as u64,
            ],
            windows: windows(fleet.clone(), &after.owners)?,
            unchanged: unchanged.clone(),
        })
    };
    Ok([change(&after[0])?, change(&after[1])?])
}

impl Cache {
    /// In a word, for the settings.
    pub fn word(self) -> String {
        match self {
            Self::Unlimited => "unlimited".into(),
            Self::Fitted => "fitted".into(),
            Self::Objects(objects) => objects.to_string(),
        }
    }
}
