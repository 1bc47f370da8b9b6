//! Every figure of a record under an id and a name.

use super::{Metric, Record, Status};

/// Stands for the id of a cell where the cost of measuring itself is meant.
pub const OVERHEAD: &str = "overhead";

impl Record {
    /// Id, name and figure of everything that has a value. A failed cell has none.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &str, f64, &Metric)> {
        let overheads = [(OVERHEAD, &self.overheads)];
        let cells = self.cells.iter().filter(|cell| cell.status == Status::Ok);
        let cells = cells.map(|cell| (&*cell.id, &cell.metrics));
        overheads
            .into_iter()
            .chain(cells)
            .flat_map(|(id, metrics)| {
                metrics
                    .iter()
                    .filter_map(move |(name, metric)| Some((id, &**name, metric.value?, metric)))
            })
    }
}
