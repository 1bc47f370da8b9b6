//! What is asked for, how often, and in which order.

use rand_distr::weighted::WeightedAliasIndex;

use crate::error::Error;
use crate::workload::{Random, Workload};

/// A request: for the key at this position, or for something that no cache ever holds.
pub type Request = Option<u32>;

/// How often each key of a workload is asked for.
#[derive(Clone, Debug)]
pub struct Popularity {
    /// Where it comes from.
    pub source: String,
    /// Part of all requests, by position of the key.
    pub parts: Vec<f64>,
    law: WeightedAliasIndex<f64>,
}

impl Popularity {
    /// Real counts where the workload has them, else Zipf's law: the k-th key is asked for
    /// proportionally to 1/k^s, s being 1 unless given.
    ///
    /// # Errors
    /// When there are counts and an exponent, or all counts are 0.
    pub fn of(workload: &Workload, zipf: Option<f64>) -> Result<Self, Error> {
        let (source, weights): (String, Vec<f64>) = match (&workload.requests, zipf) {
            (Some(_), Some(_)) => {
                let problem = "--zipf: the key file has real counts; leave it out";
                return Err(Error::Usage(problem.into()));
            }
            (Some(counts), None) => {
                let counts = counts.iter().map(|&count| count as f64);
                ("real counts".into(), counts.collect())
            }
            (None, _) => {
                let exponent = zipf.unwrap_or(1.0);
                let weight = |rank: usize| (rank as f64).powf(-exponent);
                let weights = (1..=workload.len()).map(weight);
                (format!("Zipf {exponent}"), weights.collect())
            }
        };
        let whole: f64 = weights.iter().sum();
        let parts: Vec<f64> = weights.iter().map(|weight| weight / whole).collect();
        let law = WeightedAliasIndex::new(parts.clone())
            .map_err(|problem| Error::Usage(format!("no requests can be drawn: {problem}")))?;
        Ok(Self { source, parts, law })
    }

    /// Random requests; all but `cacheable` of them, in the mean, are for something else.
    pub fn draw(&self, count: usize, cacheable: f64, random: &mut Random) -> Vec<Request> {
        // Of 2^53 equal steps.
        let below = (cacheable * (1u64 << 53) as f64) as u64;
        let mut one = || {
            let key = random.sample(&self.law) as u32;
            (random.bits() >> 11 < below).then_some(key)
        };
        (0..count).map(|_| one()).collect()
    }

    /// The positions of all keys, those asked for most last: a cache that took them in this order
    /// keeps the most popular.
    pub fn ascending(&self) -> Vec<u32> {
        let mut keys: Vec<u32> = (0..self.parts.len() as u32).collect();
        keys.sort_by(|&a, &b| self.parts[a as usize].total_cmp(&self.parts[b as usize]));
        keys
    }
}
