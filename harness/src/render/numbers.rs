//! Numbers as people read them.

use super::section::NOTHING;
use crate::record::Metric;

/// Three significant digits, whole numbers with thin groups of three.
pub fn short(value: f64) -> String {
    let magnitude = value.abs();
    match magnitude {
        _ if value == 0.0 => "0".into(),
        _ if magnitude >= 99.95 => grouped(value.round()),
        _ if magnitude >= 9.995 => format!("{value:.1}"),
        _ if magnitude >= 0.9995 => format!("{value:.2}"),
        _ if magnitude >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A number as it was given, in the short form where it has very many digits.
pub fn factor(value: f64) -> String {
    match value == 0.0 || (1e-6..1e12).contains(&value.abs()) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

/// A whole number with commas between groups of three digits.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let groups: Vec<&str> = (0..digits.len())
        .rev()
        .step_by(3)
        .map(|end| &digits[end.saturating_sub(2)..=end])
        .collect();
    let joined = groups.into_iter().rev().collect::<Vec<_>>().join(",");
    format!("{}{joined}", if value < 0.0 { "-" } else { "" })
}

/// So many of a thing, of which `one` is the name of one.
pub fn counted(value: f64, one: &str) -> String {
    let s = if value == 1.0 { "" } else { "s" };
    format!("{} {one}{s}", grouped(value))
}

/// A fraction in percent: two decimals, and three digits below 1.
pub fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    match percent.abs() {
        _ if percent == 0.0 => "0".into(),
        p if p < 0.0005 => format!("{percent:.1e}"),
        p if p < 0.9995 => format!("{percent:.3}"),
        _ => format!("{percent:.2}"),
    }
}

/// A metric scaled by `scale` and formatted, with half the width of its interval where it has one.
pub fn metric(metric: Option<&Metric>, scale: f64, format: fn(f64) -> String) -> String {
    let Some(value) = metric.and_then(|metric| metric.value) else {
        return NOTHING.into();
    };
    let text = format(value * scale);
    let interval = metric.and_then(|metric| Some((metric.low?, metric.high?)));
    match interval {
        Some((low, high)) => {
            let half = (high - value).max(value - low) * scale;
            format!("{text} ±{}", format(half))
        }
        None => text,
    }
}

/// A metric without its interval.
pub fn plain(metric: Option<&Metric>, scale: f64, format: fn(f64) -> String) -> String {
    let value = metric.and_then(|metric| metric.value);
    value.map_or(NOTHING.into(), |value| format(value * scale))
}

/// What theory expects of a metric; where the metric was held against it, how far off it is in
/// standard errors, and a mark. Without a number where the law leaves no room and is met.
pub fn law(metric: Option<&Metric>, scale: f64, format: fn(f64) -> String) -> String {
    let Some((metric, expected)) = metric.and_then(|m| Some((m, m.expected?))) else {
        return NOTHING.into();
    };
    let expected = format(expected * scale);
    match (metric.distance, metric.agrees) {
        (Some(distance), Some(agrees)) => {
            let mark = mark(agrees);
            match distance {
                0.0 => format!("{expected} {mark}"),
                d if d.abs() < 0.05 => format!("{expected} 0.0 {mark}"),
                d => format!("{expected} {d:+.1} {mark}"),
            }
        }
        _ => expected,
    }
}

/// Mark of a figure that agrees with its law, or contradicts it.
pub fn mark(agrees: bool) -> char {
    if agrees { '✓' } else { '✗' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_and_group_thousands() {
        let shown = [
            0.0, 0.0123, 0.9996, 1.234, 9.999, 12.34, 99.96, 1234.5, 1234567.0, 2e-5,
        ]
        .map(short);
        let wanted = [
            "0",
            "0.012",
            "1.00",
            "1.23",
            "10.0",
            "12.3",
            "100",
            "1,235",
            "1,234,567",
            "2.0e-5",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(grouped(-1000.0), "-1,000");
        assert_eq!(
            [1.0, 2000.0].map(|n| counted(n, "key")),
            ["1 key", "2,000 keys"]
        );
        let shown = [0.0, 0.5, 1e300, 1e-100].map(factor);
        assert_eq!(shown, ["0", "0.5", "1e300", "1e-100"]);
        let shown = [0.0, 0.142857, 1.0, 0.0001, 0.00001].map(percent);
        assert_eq!(shown, ["0", "14.29", "100.00", "0.010", "0.001"]);
    }
}
