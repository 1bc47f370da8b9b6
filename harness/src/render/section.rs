//! A titled table before it has a form: what terminal tables and Markdown are made from.

/// A titled table. Its first columns name the row and are repeated wherever the table is split.
#[derive(Clone, Debug)]
pub struct Section {
    /// What the table shows.
    pub title: String,
    /// How to read it, in one or two sentences; may be empty.
    pub about: String,
    /// Number of columns that name a row.
    pub names: usize,
    /// Column heads.
    pub heads: Vec<String>,
    /// Rows in groups that are set apart.
    pub groups: Vec<Vec<Vec<String>>>,
}

impl Section {
    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(Vec::is_empty)
    }

    /// All rows, those of a group after each other.
    pub fn rows(&self) -> impl Iterator<Item = &Vec<String>> {
        self.groups.iter().flatten()
    }

    /// Without the columns in which no row has anything.
    pub fn without_empty_columns(mut self) -> Self {
        let filled = |column: usize| self.rows().any(|row| row[column] != NOTHING);
        let keep: Vec<bool> = (0..self.heads.len())
            .map(|column| column < self.names || filled(column))
            .collect();
        let retain = |row: &mut Vec<String>| {
            let mut kept = keep.iter();
            row.retain(|_| kept.next() == Some(&true));
        };
        retain(&mut self.heads);
        self.groups.iter_mut().flatten().for_each(retain);
        self
    }
}

/// What stands where there is no value.
pub const NOTHING: &str = "–";

/// What stands in the first column of a row that has no values.
pub const FAILED: &str = "FAILED";
