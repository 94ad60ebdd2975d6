//! Reads of the dealings with the hub.

use super::{Read, SyncRows};
use crate::rows::apply::FeedRow;
use crate::rows::apply::note_rows::parked_place;
use crate::rows::apply::sync_rows::{STANDING, UNTAKEN, WRITE};
use crate::rows::table::Table;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::model::hub::sync::local::{ConflictNote, Inbound, LinkRow, OwnWrite, ParkedNote, Unsupported};

impl SyncRows<'_> {
    /// The hub, once enrolled.
    pub fn hub(&self) -> Read<Option<HubIdentity>> {
        self.0.rows.row(Table::Hub, "")
    }

    /// The store's standing at the hub.
    pub fn standing(&self) -> Read<LinkRow> {
        let text: Option<String> = self.0.rows.row(Table::Sync, STANDING)?;
        text.map_or_else(|| Ok(LinkRow::default()), |text| self.0.rows.parse_json(&text))
    }

    /// The feed's cursor and the hub's time of the last page.
    pub fn feed_cursor(&self) -> Read<Option<(String, UtcMs)>> {
        let row: Option<FeedRow> = self.0.rows.row(Table::Feed, "")?;
        Ok(row.map(|row| (row.cursor, row.hub_time)))
    }

    /// Cursor of a lane of the feed; `None` if it starts from the beginning.
    pub fn lane_cursor(&self, lane: &str) -> Read<Option<(String, UtcMs)>> {
        let row: Option<FeedRow> = self.0.rows.row(Table::Feed, lane)?;
        Ok(row.filter(|row| !row.cursor.is_empty()).map(|row| (row.cursor, row.hub_time)))
    }

    /// A record of the feed.
    pub fn inbound(&self, kind: &str, id: &str) -> Read<Option<Inbound>> {
        let text: Option<String> = self.0.rows.row(Table::Inbound, &format!("{kind}\0{id}"))?;
        text.map(|text| self.0.rows.parse_json(&text)).transpose()
    }

    /// Records of the feed of one kind after an ID, in order of ID.
    pub fn inbounds(&self, kind: &str, after: Option<&str>, limit: usize) -> Read<Vec<Inbound>> {
        self.0.rows.json_rows(Table::Inbound, &format!("{kind}\0"), after, limit)
    }

    /// Own writes of a kind, of one record, that head office decided on and the feed has not brought yet.
    pub fn own_writes(&self, kind: &str, id: &str) -> Read<Vec<OwnWrite>> {
        self.0.rows.json_rows(Table::Sync, &format!("{WRITE}{kind}\0{id}\0"), None, usize::MAX)
    }

    /// Such writes of all records of a kind after one of them, in order of record and event.
    pub fn own_writes_after(
        &self,
        kind: &str,
        after: Option<&OwnWrite>,
        limit: usize,
    ) -> Read<Vec<OwnWrite>> {
        let after = after.map(|write| format!("{}\0{}", write.id, write.event_id));
        self.0.rows.json_rows(Table::Sync, &format!("{WRITE}{kind}\0"), after.as_deref(), limit)
    }

    /// Whether the record of the feed is noted as one that can't be used.
    pub fn is_untaken(&self, kind: &str, id: &str) -> Read<bool> {
        let text: Option<String> = self.0.rows.row(Table::Sync, &format!("{UNTAKEN}{kind}\0{id}"))?;
        Ok(text.is_some())
    }

    /// Records of one kind of the feed that can't be used, in order of ID.
    pub fn untaken_of(&self, kind: &str, limit: usize) -> Read<Vec<Unsupported>> {
        self.0.rows.json_rows(Table::Sync, &format!("{UNTAKEN}{kind}\0"), None, limit)
    }

    /// Records of the feed that can't be used, in order of kind and ID.
    pub fn untaken(&self, limit: usize) -> Read<Vec<Unsupported>> {
        self.0.rows.json_rows(Table::Sync, UNTAKEN, None, limit)
    }

    /// Records that the hub could not apply when they were pushed, in order of epoch and seq, after one of
    /// them.
    pub fn parked(&self, after: Option<(&str, u64)>, limit: usize) -> Read<Vec<ParkedNote>> {
        let after = after.map(|(epoch, seq)| parked_place(epoch, seq));
        self.0.rows.json_rows(Table::Parked, "", after.as_deref(), limit)
    }

    /// Number of them.
    pub fn parked_count(&self) -> Read<u64> {
        self.0.rows.count(Table::Parked)
    }

    /// A value that lost.
    pub fn conflict(&self, id: &str) -> Read<Option<ConflictNote>> {
        let text: Option<String> = self.0.rows.row(Table::Conflict, id)?;
        text.map(|text| self.0.rows.parse_json(&text)).transpose()
    }

    /// Values that lost, in order of ID.
    pub fn conflicts(&self, after: Option<&str>, limit: usize) -> Read<Vec<ConflictNote>> {
        self.0.rows.json_rows(Table::Conflict, "", after, limit)
    }

    /// Number of them, and the newest, the last decided first.
    pub fn newest_conflicts(&self, limit: usize) -> Read<(u64, Vec<ConflictNote>)> {
        let (table, next) = ([Table::ConflictTime as u8], [Table::ConflictTime as u8 + 1]);
        let keys = self.0.rows.range_back(&table, &next, limit)?;
        let ids = keys.iter().filter_map(|(key, _)| key.splitn(2, |byte| *byte == 0).nth(1));
        let notes = ids.map(|id| self.conflict(&String::from_utf8_lossy(id)));
        let notes = notes.filter_map(Result::transpose).collect::<Read<_>>()?;
        Ok((self.0.rows.count(Table::Conflict)?, notes))
    }

    /// The highest hybrid clock stamp that was ever stored.
    pub fn last_hlc(&self) -> Option<String> {
        self.0.rows.mark().hlc
    }
}
