//! Values on the command line, and what is said when one is not as it must be.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use algorithms::bounded::Bound;

/// The largest node count that can be asked for.
pub(crate) const MOST_NODES: u32 = 1_000_000;
/// The largest factor over a mean load: more nodes than can be asked for never hold as much on one.
const MOST_TIMES: f64 = 1e6;

/// A parser of whole numbers in this range.
pub(crate) fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (least, most) = (range.start(), range.end());
        number.ok_or_else(|| format!("give a whole number from {least} to {most}"))
    }
}

/// A number of nodes.
///
/// # Errors
/// When it is none, or none that can be asked for.
pub(crate) fn node_count(text: &str) -> Result<u32, String> {
    whole(1..=MOST_NODES)(text)
        .map_err(|_| format!("a node count is a whole number from 1 to {MOST_NODES}"))
}

/// A finite number, in percent or not.
pub(crate) fn fraction(text: &str) -> Option<f64> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(percent) => (percent, 0.01),
        None => (text, 1.0),
    };
    let number: f64 = number.trim().parse().ok()?;
    Some(number * unit).filter(|part| part.is_finite())
}

/// The exponent of a Zipf law.
///
/// # Errors
/// When it is no number from 0 to 100.
pub(crate) fn zipf(text: &str) -> Result<f64, String> {
    within(text, 0.0..=100.0).ok_or_else(|| {
        "a Zipf exponent is a number from 0 (all keys alike) to 100, such as 1.0".into()
    })
}

/// A multiple of the mean load.
///
/// # Errors
/// When it is below 1, too large to mean anything, or no number.
pub(crate) fn times_mean(text: &str) -> Result<f64, String> {
    within(text, 1.0..=MOST_TIMES)
        .ok_or_else(|| format!("give a number from 1 to {MOST_TIMES} times the mean, such as 1.25"))
}

/// A load bound.
///
/// # Errors
/// As [`times_mean`], when it is not "none" either.
pub(crate) fn bound(text: &str) -> Result<Bound, String> {
    let factor = match text {
        "none" => f64::INFINITY,
        _ => times_mean(text).map_err(|problem| format!("{problem}, or none"))?,
    };
    Bound::new(factor).map_err(|error| error.to_string())
}

/// A number in this range, which excludes what is none.
pub(crate) fn within(text: &str, range: RangeInclusive<f64>) -> Option<f64> {
    text.parse().ok().filter(|number| range.contains(number))
}
