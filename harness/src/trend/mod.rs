//! How figures went over a series of records.
//!
//! An exact figure is one series over all records. A time belongs to a machine, so each machine has
//! a series of its own. A record that lacks a figure leaves a gap.

mod choice;

pub(crate) use choice::near;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::record::{Kind, OVERHEAD, Record, Unit};

/// Stands for a metric where the fingerprint of a cell's mapping is meant.
pub const CHECKSUM: &str = "checksum";

/// What is shown when no metric is named.
const HEADLINES: [&str; 8] = [
    "lookup_ns",
    "single_ns",
    "latency_ns",
    "heap_bytes",
    "moved_add_1",
    "unneeded_add_1",
    "shares_cv",
    CHECKSUM,
];

/// Series of figures and of mappings, in the order of the metrics and cells.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Trend {
    /// Where the figures come from, the oldest first.
    pub records: Vec<Origin>,
    /// One for each metric, cell and, for times, machine.
    pub series: Vec<Series>,
    /// One for each cell.
    pub mappings: Vec<Mapping>,
}

/// Which record a figure comes from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Origin {
    /// The commit that measured.
    pub commit: Option<String>,
    /// The commit in words.
    #[serde(skip)]
    pub revision: String,
    /// Whether the source differed from the commit.
    pub dirty: Option<bool>,
    /// When the run began, in UTC; null if that is beyond the calendar.
    pub date: Option<String>,
    /// Id of the machine.
    pub machine: String,
}

/// What one record says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Point<T> {
    /// The record.
    #[serde(flatten)]
    pub origin: Origin,
    /// The figure, where the record has it.
    pub value: Option<T>,
}

/// One figure over time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Series {
    /// Id of the cell.
    pub cell: String,
    /// Name of the metric.
    pub metric: String,
    /// What its number means.
    #[serde(flatten)]
    pub unit: Unit,
    /// The machine that a time belongs to.
    pub machine: Option<String>,
    /// The oldest value.
    pub first: f64,
    /// The newest value.
    pub last: f64,
    /// From the first to the last as a fraction of the first; null where that is 0 and the last is
    /// not.
    pub change: Option<f64>,
    /// The smallest value.
    pub minimum: f64,
    /// The largest value.
    pub maximum: f64,
    /// One for each record, or for each of the machine.
    pub points: Vec<Point<f64>>,
}

/// The fingerprint of a cell's mapping over time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mapping {
    /// Id of the cell.
    pub cell: String,
    /// Where the checksum is another than the last one known.
    pub changes: Vec<Change>,
    /// One for each record.
    pub points: Vec<Point<String>>,
}

/// A mapping that became another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Change {
    /// The first record with the new mapping.
    #[serde(flatten)]
    pub origin: Origin,
    /// The old checksum.
    pub from: String,
    /// The new checksum.
    pub to: String,
}

impl Trend {
    /// The wanted metrics of all cells whose id contains one of the texts; the headlines and all
    /// cells where nothing is named.
    ///
    /// # Errors
    /// When no cell contains one of the texts, or no such cell has one of the metrics.
    pub fn of(records: &[Record], metrics: &[String], cells: &[String]) -> Result<Self, Error> {
        let mut records: Vec<&Record> = records.iter().collect();
        records.sort_by_key(|record| record.created_unix_s);
        let ids = choice::cells(&records, cells)?;
        let wanted: Vec<&str> = match metrics {
            [] => HEADLINES.into(),
            named => named.iter().map(|name| &**name).collect(),
        };
        let mut trend = Self {
            records: records.iter().map(|record| Origin::of(record)).collect(),
            series: Vec::new(),
            mappings: Vec::new(),
        };
        for metric in &wanted {
            let found = trend.add(&records, metric, &ids);
            if !found && !metrics.is_empty() {
                return Err(choice::no_metric(&records, &ids, metric));
            }
        }
        match trend.series.is_empty() && trend.mappings.is_empty() {
            true => Err(choice::no_metric(&records, &ids, &wanted.join(", "))),
            false => Ok(trend),
        }
    }

    /// Adds a metric of all cells and tells whether any has it.
    fn add(&mut self, records: &[&Record], metric: &str, ids: &[&str]) -> bool {
        if metric == CHECKSUM {
            let mappings = ids.iter().filter_map(|id| Mapping::of(records, id));
            self.mappings = mappings.collect();
            return !self.mappings.is_empty();
        }
        let before = self.series.len();
        let newest = records.iter().rev();
        let Some(unit) = newest.filter_map(|record| record.units.get(metric)).next() else {
            return false;
        };
        for id in ids {
            let points: Vec<Point<f64>> = records
                .iter()
                .map(|record| Point {
                    origin: Origin::of(record),
                    value: figure(record, id, metric),
                })
                .collect();
            let parts = match unit.kind {
                Kind::Exact => vec![(None, points)],
                Kind::Sampled => by_machine(points),
            };
            let series = parts
                .into_iter()
                .filter_map(|(machine, points)| Series::of(id, metric, unit, machine, points));
            self.series.extend(series);
        }
        self.series.len() > before
    }
}

impl Origin {
    fn of(record: &Record) -> Self {
        let seconds = i64::try_from(record.created_unix_s).ok();
        let date = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        Self {
            commit: record.tool.commit.clone(),
            revision: record.tool.revision(),
            dirty: record.tool.dirty,
            date: date.map(|date| date.to_string()),
            machine: record.machine.id.clone(),
        }
    }
}

impl Series {
    /// None where no record has a value.
    fn of(
        cell: &str,
        metric: &str,
        unit: &Unit,
        machine: Option<String>,
        points: Vec<Point<f64>>,
    ) -> Option<Self> {
        let values = || points.iter().filter_map(|point| point.value);
        let (first, last) = (values().next()?, values().next_back()?);
        let change = match first == last {
            true => Some(0.0),
            false => Some((last - first) / first).filter(|change| change.is_finite()),
        };
        Some(Self {
            cell: cell.into(),
            metric: metric.into(),
            unit: unit.clone(),
            machine,
            first,
            last,
            change,
            minimum: values().fold(first, f64::min),
            maximum: values().fold(first, f64::max),
            points,
        })
    }
}

impl Mapping {
    /// None where no record has a checksum.
    fn of(records: &[&Record], id: &str) -> Option<Self> {
        let checksum = |record: &Record| {
            let cell = record.cells.iter().find(|cell| cell.id == id)?;
            Some(cell.verified.as_ref()?.checksum.clone())
        };
        let point = |record: &&Record| Point {
            origin: Origin::of(record),
            value: checksum(record),
        };
        let points: Vec<Point<String>> = records.iter().map(point).collect();
        let mut known: Vec<(&Origin, &String)> = points
            .iter()
            .filter_map(|point| Some((&point.origin, point.value.as_ref()?)))
            .collect();
        known.dedup_by_key(|(_, checksum)| *checksum);
        known.first()?;
        let changes = known.windows(2).map(|pair| Change {
            origin: pair[1].0.clone(),
            from: pair[0].1.clone(),
            to: pair[1].1.clone(),
        });
        Some(Self {
            cell: id.into(),
            changes: changes.collect(),
            points,
        })
    }
}

fn figure(record: &Record, id: &str, metric: &str) -> Option<f64> {
    if id == OVERHEAD {
        return record.overheads.get(metric)?.value;
    }
    let cell = record.cells.iter().find(|cell| cell.id == id)?;
    cell.value(metric)
}

/// The points of each machine, in the order in which the machines come up.
fn by_machine(points: Vec<Point<f64>>) -> Vec<(Option<String>, Vec<Point<f64>>)> {
    let mut parts: Vec<(Option<String>, Vec<Point<f64>>)> = Vec::new();
    for point in points {
        let machine = Some(&point.origin.machine);
        match parts.iter_mut().find(|part| part.0.as_ref() == machine) {
            Some(part) => part.1.push(point),
            None => parts.push((machine.cloned(), vec![point])),
        }
    }
    parts
}
