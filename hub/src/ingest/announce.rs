//! What a batch makes other stores, and its own, hear: the last statements of its transaction.

use super::points;
use crate::feed::{self, Entry};
use domain::sync::{ConflictDown, RecordVersion};
use domain::time::UtcMs;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Gathered while a batch is applied, done once its cursor has moved.
#[derive(Default)]
pub struct Later {
    /// Changes that are ready.
    pub entries: Vec<Entry>,
    /// Members whose points moved.
    pub points: BTreeSet<String>,
    /// Members of whom a field is another one.
    pub members: BTreeSet<String>,
    /// Conflicts that were decided.
    pub conflicts: Vec<ConflictDown>,
    /// Versions of the records that were written to.
    pub versions: Vec<RecordVersion>,
}

impl Later {
    /// Takes another's part over.
    pub fn join(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.points.extend(other.points);
        self.members.extend(other.members);
        self.conflicts.extend(other.conflicts);
        self.versions.extend(other.versions);
    }

    /// Writes it into the feed; true if there was anything. However many stores there are, a member is one change and
    /// a balance is one.
    ///
    /// # Errors
    /// The database's.
    pub async fn announce(self, connection: &mut AnyConnection, now: UtcMs) -> Result<bool, sqlx::Error> {
        let mut entries = self.entries;
        for member_id in &self.members {
            entries.extend(super::fields::member_entry(connection, member_id).await?);
        }
        entries.extend(self.points.iter().map(|member_id| points::entry(member_id)));
        let any = !entries.is_empty();
        feed::publish(connection, entries, now).await?;
        Ok(any)
    }
}
