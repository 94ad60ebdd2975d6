//! Rows of the dealings with the hub: JSON text, because the hub's records are read as they came.

use super::apply::FeedRow;
use super::codec::encode;
use super::table::Table;
use super::{Page, RowOp, days, failed, notes};
use crate::error::StorageError;
use crate::handle::Storage;
use domain::price::Price;
use domain::sync::kept::Kept;
use domain::sync::local::{Change, Inbound, OwnWrite, Standing};
use domain::time::UtcMs;
use serde::{Serialize, de::DeserializeOwned};

type Read<T> = Result<T, StorageError>;

const STANDING: &str = "standing";
const KEPT: &str = "kept\0";
pub(super) const SETTLED: &str = "product\0";
pub(super) const WRITE: &str = "write\0";
pub(super) const UNTAKEN: &str = "untaken\0";

/// The operations of a change, appended.
pub fn ops(change: &Change, out: &mut Vec<RowOp>) -> Result<(), String> {
    match change {
        Change::Standing { standing } => put(Table::Sync.key(STANDING), standing, out),
        // They concern the commit itself.
        Change::Refill { .. } | Change::ClockReset { .. } => Ok(()),
        Change::Lane { lane, cursor, hub_time } => {
            let row = FeedRow { cursor: cursor.clone(), hub_time: *hub_time };
            out.push(RowOp { key: Table::Feed.key(lane), value: Some(encode(&row)?) });
            Ok(())
        }
        Change::Pulled { record } => put(inbound_key(&record.kind, &record.id), record, out),
        Change::Gone { kind, id } => {
            out.push(RowOp { key: inbound_key(kind, id), value: None });
            Ok(())
        }
        Change::Parked { .. } | Change::Unparked { .. } | Change::Conflict { .. } => notes::ops(change, out),
        Change::Price { price } => {
            out.push(RowOp { key: price_key(price), value: Some(encode(price)?) });
            Ok(())
        }
        Change::PriceGone { price } => {
            out.push(RowOp { key: price_key(price), value: None });
            Ok(())
        }
        Change::ProductSettings { settings } => {
            put(Table::Sync.key(&format!("{SETTLED}{}", settings.sku)), settings, out)
        }
        Change::Decided { write } => put(write_key(write), write, out),
        Change::Reached { write } => {
            out.push(RowOp { key: write_key(write), value: None });
            Ok(())
        }
        Change::Untaken { note } => put(untaken_key(&note.kind, &note.id), note, out),
        Change::Taken { kind, id } => {
            out.push(RowOp { key: untaken_key(kind, id), value: None });
            Ok(())
        }
        Change::Kept { kept } => put(Table::Sync.key(&format!("{KEPT}{}", kept.epoch)), kept, out),
        Change::Tally { .. }
        | Change::Figures { .. }
        | Change::Day { .. }
        | Change::Proving { .. }
        | Change::Proven { .. } => days::ops(change, out),
    }
}

fn price_key(price: &Price) -> Vec<u8> {
    Table::Price.pair(price.price.sku.as_str(), &domain::price::order(price))
}

fn inbound_key(kind: &str, id: &str) -> Vec<u8> {
    Table::Inbound.key(&format!("{kind}\0{id}"))
}

fn write_key(write: &OwnWrite) -> Vec<u8> {
    Table::Sync.key(&format!("{WRITE}{}\0{}\0{}", write.kind, write.id, write.event_id))
}

fn untaken_key(kind: &str, id: &str) -> Vec<u8> {
    Table::Sync.key(&format!("{UNTAKEN}{kind}\0{id}"))
}

pub(super) fn put<T: Serialize>(key: Vec<u8>, row: &T, out: &mut Vec<RowOp>) -> Result<(), String> {
    let text = serde_json::to_string(row).map_err(|error| error.to_string())?;
    out.push(RowOp { key, value: Some(encode(&text)?) });
    Ok(())
}

impl Storage {
    /// The store's standing at the hub.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn standing(&self) -> Read<Standing> {
        let text: Option<String> = self.rows().row(Table::Sync, STANDING)?;
        text.map_or_else(|| Ok(Standing::default()), |text| self.parsed(&text))
    }

    /// Where a lane of the feed goes on; none: from the beginning.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn lane_cursor(&self, lane: &str) -> Read<Option<(String, UtcMs)>> {
        let row: Option<FeedRow> = self.rows().row(Table::Feed, lane)?;
        Ok(row.filter(|row| !row.cursor.is_empty()).map(|row| (row.cursor, row.hub_time)))
    }

    /// A record of the feed.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn inbound(&self, kind: &str, id: &str) -> Read<Option<Inbound>> {
        let text: Option<String> = self.rows().row(Table::Inbound, &format!("{kind}\0{id}"))?;
        text.map(|text| self.parsed(&text)).transpose()
    }

    /// Records of the feed of one kind after an id, in order of id.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn inbounds(&self, kind: &str, after: Option<&str>, limit: usize) -> Read<Vec<Inbound>> {
        self.sync_rows(Table::Inbound, &format!("{kind}\0"), after, limit)
    }

    /// What is still offered of an epoch.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn kept(&self, epoch: &str) -> Read<Kept> {
        let text: Option<String> = self.rows().row(Table::Sync, &format!("{KEPT}{epoch}"))?;
        text.map_or_else(|| Ok(Kept::default()), |text| self.parsed(&text))
    }

    pub(super) fn sync_rows<T: DeserializeOwned>(
        &self,
        table: Table,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Read<Vec<T>> {
        self.sync_texts(self.rows().range(&table.key(prefix), after.map(str::as_bytes), limit)?)
    }

    /// Rows of JSON text, as their type.
    pub(super) fn sync_texts<T: DeserializeOwned>(&self, rows: Page) -> Read<Vec<T>> {
        let text = |bytes: &[u8]| super::codec::decode::<String>(bytes);
        let parse = |bytes: &[u8]| text(bytes).map_err(|what| failed(self.rows().path(), what));
        rows.iter().map(|(_, bytes)| self.parsed(&parse(bytes)?)).collect()
    }

    pub(super) fn parsed<T: DeserializeOwned>(&self, text: &str) -> Read<T> {
        serde_json::from_str(text).map_err(|error| failed(self.rows().path(), error.to_string()))
    }
}
