//! Which of a store's parked records are tried again.

use std::collections::BTreeSet;

/// Parked records of a store to retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    All,
    These(Wanted),
}

/// Parked records of a store, each with the rest of its aggregate, since they wait for one another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    aggregates: BTreeSet<String>,
    /// Records without an aggregate.
    ids: BTreeSet<String>,
}

impl Wanted {
    /// Adds a record, by its aggregate if it has one.
    pub fn add(&mut self, parked_id: String, aggregate: Option<String>) {
        match aggregate {
            Some(aggregate) => self.aggregates.insert(aggregate),
            None => self.ids.insert(parked_id),
        };
    }

    /// Whether this one is tried.
    pub fn has(&self, parked_id: &str, aggregate: Option<&str>) -> bool {
        match aggregate {
            Some(aggregate) => self.aggregates.contains(aggregate),
            None => self.ids.contains(parked_id),
        }
    }
}
