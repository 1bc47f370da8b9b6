//! A slowdown that is planted on purpose, to try whether a comparison of two runs finds it.

use algorithms::registry;

use crate::error::Error;
use crate::measure::lookup::PER_SAMPLE;

/// The variable that plants one: an algorithm and a percentage, such as `maglev=10`.
const VARIABLE: &str = "HARNESS_PLANT";

/// Lookups of one algorithm that are made slower by looking up further keys in the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plant {
    /// The algorithm.
    pub algorithm: String,
    /// By how much, in percent.
    pub percent: usize,
}

impl Plant {
    /// What the environment asks for, with a warning on standard error.
    ///
    /// # Errors
    /// When it cannot be understood.
    pub fn from_environment() -> Result<Option<Self>, Error> {
        let Some(text) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let text = text.to_string_lossy();
        let parsed = text.split_once('=').and_then(|(name, percent)| {
            Some(Self {
                algorithm: registry::find(name)?.name.into(),
                percent: percent
                    .parse()
                    .ok()
                    .filter(|percent| (1..=100).contains(percent))?,
            })
        });
        let plant = parsed.ok_or_else(|| {
            Error::Usage(format!(
                "{VARIABLE} is {text:?}; it names an algorithm and a percentage from 1 to 100, such as maglev=10"
            ))
        })?;
        eprintln!(
            "warning: {VARIABLE} is set: these figures are wrong on purpose ({})",
            plant.words()
        );
        Ok(Some(plant))
    }

    /// The slowdown in words, for the record.
    pub fn words(&self) -> String {
        format!(
            "lookups of {} are slower by {} %",
            self.algorithm, self.percent
        )
    }

    /// Lookups that one sample does beyond its own.
    pub fn extra(&self) -> usize {
        (PER_SAMPLE * self.percent).div_ceil(100)
    }
}
