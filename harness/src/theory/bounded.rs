//! Requests that find a bounded node full, where candidates are drawn at random.

use statrs::distribution::{DiscreteCDF, Poisson};

/// Steps over which the filling is integrated, for each request that a node may have.
const STEPS: f64 = 64.0;

/// Part of all requests that the first node drawn for them cannot take, for many equal nodes with
/// `mean` requests each in the end and room for `cap`, when every further candidate is another
/// random draw. Not for a ring, where full nodes pass requests on to their neighbours.
///
/// While a part f of the nodes is full, a request tries 1/(1−f) nodes in the mean, so tries on a
/// node are Poisson with a mean Λ that grows as dΛ = dt/(1−f), and f = P(tries ≥ cap). The part is
/// the mean of f over the requests: ∫f(1−f)dΛ / ∫(1−f)dΛ up to the Λ where the divisor is `mean`.
/// Exact as the nodes become many; own derivation, held against simulation in the tests.
pub fn spilled(mean: f64, cap: u64) -> f64 {
    let step = 1.0 / STEPS;
    let (mut tries, mut served, mut spilled) = (step / 2.0, 0.0, 0.0);
    while served < mean {
        let full = Poisson::new(tries).map_or(0.0, |law| match cap {
            0 => 1.0,
            _ => law.sf(cap - 1),
        });
        if full >= 1.0 {
            break;
        }
        let part = ((1.0 - full) * step).min(mean - served);
        served += part;
        spilled += full * part;
        tries += step;
    }
    spilled / mean
}
