//! Columns of a file, with the names that a person gave them.

/// Meaning of the columns of a file, given by a person who looked at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Line of the row above the first one that is read, from 1.
    pub header: u64,
    /// Name of each column, in order; empty for a column that is not read.
    pub names: Vec<String>,
}

impl Columns {
    /// The columns that a query gives: names separated by commas, and the line of the header, by default the first.
    pub fn of(names: Option<&str>, header: Option<u64>) -> Option<Self> {
        let names = names?.split(',').map(|name| name.trim().to_lowercase()).collect();
        Some(Self { header: header.unwrap_or(1), names })
    }
}
