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

    /// Without the columns in which no row has anything. A row that failed says so in the first
    /// column that is left.
    pub fn without_empty_columns(mut self) -> Self {
        let empty = |cell: &str| cell == NOTHING || cell == FAILED;
        let filled = |column: usize| self.rows().any(|row| !empty(&row[column]));
        let some = (self.names..self.heads.len()).any(filled);
        let keep: Vec<bool> = (0..self.heads.len())
            // Where every row failed, one column tells it.
            .map(|column| column < self.names || filled(column) || (!some && column == self.names))
            .collect();
        let retain = |row: &mut Vec<String>| {
            let mut kept = keep.iter();
            row.retain(|_| kept.next() == Some(&true));
        };
        retain(&mut self.heads);
        for row in self.groups.iter_mut().flatten() {
            let failed = row.iter().any(|cell| cell == FAILED);
            retain(row);
            if let (true, Some(first)) = (failed, row.get_mut(self.names)) {
                *first = FAILED.into();
            }
        }
        self
    }

    /// Whether a column holds words or bars, which stand left; numbers stand right.
    pub fn is_text(&self, column: usize) -> bool {
        let word = |cell: &String| {
            (cell.starts_with(char::is_alphabetic) && cell != FAILED) || cell.starts_with(BARS)
        };
        self.rows().any(|row| word(&row[column]))
    }
}

/// Heads of columns that say more about the column before them.
pub const OF_THE_LAST: [&str; 3] = ["law", "over names", "zones first"];

/// What stands where there is no value.
pub const NOTHING: &str = "–";

/// What stands in the first column of a row that has no values.
pub const FAILED: &str = "FAILED";

/// Letters that bars begin with.
const BARS: [char; 3] = ['█', '░', '┃'];
