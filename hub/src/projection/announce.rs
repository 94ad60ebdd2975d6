//! The changes that a batch sends to other stores and to its own: the last statements of its transaction.

use crate::feed::{self, Entry, LANES};
use crate::projection::fields::{self, MEMBER, STATE};
use crate::projection::members::duplicate_members;
use crate::projection::points;
use crate::table::event_log::{self, NewEvents};
use crate::table::member;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::ConflictDown;
use domain::wire::feed::{Kind, RecordVersion, lane};
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Gathered while a batch is applied, and sent once its cursor has moved.
#[derive(Default)]
pub struct FeedUpdates {
    /// Changes that are ready.
    pub entries: Vec<Entry>,
    /// Members whose points moved.
    pub points: BTreeSet<String>,
    /// Members with a changed field.
    pub members: BTreeSet<String>,
    /// Conflicts that were decided.
    pub conflicts: Vec<ConflictDown>,
    /// Versions of the records that were written to.
    pub versions: Vec<RecordVersion>,
    /// Members whose phone, e-mail or code a store reported.
    pub named: Vec<Named>,
    /// Events for programs, in the order of the records.
    pub events: NewEvents,
}

/// A member of whom a store reported a phone, e-mail or code.
pub struct Named {
    /// ID of the member.
    pub member_id: String,
    /// ID of the store.
    pub store_id: String,
    /// ID of the event that reported it.
    pub event_id: String,
}

impl FeedUpdates {
    /// Adds the updates of another one.
    pub fn join(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.points.extend(other.points);
        self.members.extend(other.members);
        self.conflicts.extend(other.conflicts);
        self.versions.extend(other.versions);
        self.named.extend(other.named);
        self.events.join(other.events);
    }

    /// Writes the updates into the event log and the feed; true if the feed has a new change. A member is one change
    /// and a balance is one, however many stores there are.
    pub async fn announce(self, connection: &mut AnyConnection, now: UtcMs) -> Result<bool, sqlx::Error> {
        event_log::write(connection, self.events, now).await?;
        let mut entries = self.entries;
        let mut points = self.points;
        if !points.is_empty() || !self.named.is_empty() {
            // Until this is committed, no other transaction merges members or reports a phone, e-mail or code.
            for lane in LANES.into_iter().take_while(|lane| *lane != lane::REST) {
                if lane == lane::MEMBERS || entries.iter().any(|entry| entry.kind.lane() == lane) {
                    feed::take(connection, lane, 0, now).await?;
                }
            }
            points = member::resolved(connection, points).await?;
            for named in &self.named {
                duplicate_members::note(connection, named, now).await?;
            }
        }
        let mut erased = Vec::new();
        for member_id in &self.members {
            let Some(entry) = fields::member_entry(connection, member_id).await? else { continue };
            if fields::is_erased(fields::read(connection, MEMBER, member_id).await?.get(STATE)) {
                erased.push((
                    entry.id.clone(),
                    entry.version.clone().unwrap_or_default(),
                    entry.payload.clone(),
                ));
            }
            entries.push(entry);
        }
        entries.extend(points.iter().map(|member_id| points::entry(member_id)));
        let any = !entries.is_empty();
        feed::publish(connection, entries, now).await?;
        for record in erased {
            feed::replace_older(connection, Kind::Member, record).await?;
        }
        Ok(any)
    }
}
