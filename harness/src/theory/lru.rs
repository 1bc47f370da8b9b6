//! Hit rates of caches that drop what was not asked for the longest, under independent requests.

/// Hit rate and characteristic time of a cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Objects that the cache holds.
    pub objects: f64,
    /// Part of the requests that find their object.
    pub hit_rate: f64,
}

/// What a cache holds and hits when an object stays for `time` requests after the last one for it
/// (Che, Tung and Wang 2002): Σ 1 − e^(−pT) objects, and Σ p(1 − e^(−pT)) of the requests.
///
/// An approximation; within a percent from some hundred objects on.
pub fn che(popularity: &[f64], time: f64) -> Fit {
    let (mut objects, mut hit_rate) = (0.0, 0.0);
    for p in popularity {
        let there = -(-p * time).exp_m1();
        objects += there;
        hit_rate += p * there;
    }
    Fit { objects, hit_rate }
}

/// The smallest characteristic time, to a thousandth, with which `enough` holds; `most` where none
/// below it does. What holds must go on to hold for longer times.
pub fn time(popularity: &[f64], most: f64, enough: impl Fn(Fit) -> bool) -> f64 {
    let (mut low, mut high) = (1.0, most);
    while high / low > 1.001 {
        let middle = (low * high).sqrt();
        match enough(che(popularity, middle)) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_objects_are_hit_as_often_as_they_are_there() {
        let even = [0.001; 1000];
        let time = time(&even, 1e9, |fit| fit.hit_rate >= 0.9);
        let fit = che(&even, time);
        assert!((fit.hit_rate - 0.9).abs() < 1e-3);
        assert!((fit.objects - 1000.0 * fit.hit_rate).abs() < 1e-6);
    }
}
