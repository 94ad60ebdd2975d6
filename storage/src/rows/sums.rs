//! Counts and hash sums per table, which show that the engine lost or changed a row.

use super::table::TABLES;
use crate::bytes::hash64;
use bincode::{Decode, Encode};

/// Rows and the XOR of their hashes, per table byte.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode)]
pub struct Sums(Vec<(u64, u64)>);

/// Effect of one operation on the sums.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    table: usize,
    count: i64,
    hash: u64,
    hashed: usize,
}

impl Change {
    /// Made from the row before and after.
    pub fn new(key: &[u8], old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        let hash = |row: Option<&[u8]>| row.map_or(0, |row| hash64([key, row]));
        let table = key.first().copied().map_or(0, usize::from);
        let count = i64::from(new.is_some()) - i64::from(old.is_some());
        let bytes = |row: Option<&[u8]>| row.map_or(0, |row| key.len() + row.len());
        Self { table, count, hash: hash(old) ^ hash(new), hashed: bytes(old) + bytes(new) }
    }

    /// Bytes that were hashed for it.
    pub fn hashed_bytes(&self) -> u64 {
        self.hashed as u64
    }
}

impl Sums {
    /// Applies a change.
    pub fn change(&mut self, change: &Change) {
        if self.0.len() < TABLES {
            self.0.resize(TABLES, (0, 0));
        }
        if let Some((count, sum)) = self.0.get_mut(change.table) {
            *count = count.saturating_add_signed(change.count);
            *sum ^= change.hash;
        }
    }

    /// Rows of a table.
    pub fn count(&self, table: usize) -> u64 {
        self.0.get(table).map_or(0, |(count, _)| *count)
    }

    /// Rows of all tables.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(count, _)| count).sum()
    }

    /// Whether the rows are equal. A table that was never used equals an empty one.
    pub fn same(&self, other: &Self) -> bool {
        let at = |sums: &Self, table: usize| sums.0.get(table).copied().unwrap_or_default();
        (0..TABLES.max(self.0.len()).max(other.0.len())).all(|table| at(self, table) == at(other, table))
    }
}

/// A scan in the background: rows up to a key are counted, changes behind it are followed.
#[derive(Debug, Default)]
pub struct Scan {
    /// The last key that was counted.
    pub upto: Vec<u8>,
    /// Sums of the rows up to it, as they are now.
    pub sums: Sums,
}

impl Scan {
    /// Follows a change of a row that was already counted.
    pub fn change(&mut self, key: &[u8], change: &Change) {
        if key <= self.upto.as_slice() {
            self.sums.change(change);
        }
    }
}
