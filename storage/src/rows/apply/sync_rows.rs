//! Rows of the dealings with the hub: JSON text, because the hub's records are read as they came.

use super::{day_rows, note_rows};
use crate::rows::RowOp;
use crate::rows::apply::FeedRow;
use crate::rows::codec::encode;
use crate::rows::table::Table;
use domain::model::hub::sync::local::{Change, OwnWrite};
use domain::model::selling::price::Price;
use serde::Serialize;

pub const STANDING: &str = "standing";
pub const KEPT: &str = "kept\0";
pub const SETTLED: &str = "product\0";
pub const WRITE: &str = "write\0";
pub const UNTAKEN: &str = "untaken\0";

/// The operations of a change, appended.
pub fn ops(change: &Change, out: &mut Vec<RowOp>) -> Result<(), String> {
    match change {
        Change::Standing { standing } => put(Table::Sync.key(STANDING), standing, out),
        // These concern the commit itself.
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
        Change::Parked { .. } | Change::Unparked { .. } | Change::Conflict { .. } => {
            note_rows::ops(change, out)
        }
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
        | Change::Proven { .. } => day_rows::ops(change, out),
    }
}

fn price_key(price: &Price) -> Vec<u8> {
    Table::Price.pair(price.price.sku.as_str(), &domain::rules::selling::price::order(price))
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

pub fn put<T: Serialize>(key: Vec<u8>, row: &T, out: &mut Vec<RowOp>) -> Result<(), String> {
    let text = serde_json::to_string(row).map_err(|error| error.to_string())?;
    out.push(RowOp { key, value: Some(encode(&text)?) });
    Ok(())
}
