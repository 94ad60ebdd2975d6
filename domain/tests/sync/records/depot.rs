//! Goods in transit at head office: movements of stores always count, and the document with the later state has
//! precedence.

use super::broken::Broken;
use super::feed::Entry;
use super::hub::{Hub, Later};
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::rules::inventory::transfer::{Precedence, precedence};
use domain::wire::feed::Kind;
use domain::wire::record::TransferRecord;
use serde_json::json;

/// A document, and whether its sender reported it.
#[derive(Clone)]
pub struct Document {
    pub transfer: Transfer,
    sent: bool,
}

impl Hub {
    /// Applies a store's record about goods that it moved.
    pub(super) fn receives_goods(&mut self, store: usize, record: &TransferRecord, later: &mut Later) {
        let reported = &record.transfer;
        let (id, by_sender) = (reported.transfer_id.0.clone(), reported.from_store_id == store_id(store));
        let known = self.transfers.get(&id).cloned();
        if !by_sender && !known.as_ref().is_some_and(|known| known.sent) {
            // The record's predecessor is missing: it waits, and is retried when the transfer changes.
            self.waiting.push((store, record.clone()));
            return;
        }
        let state = known.as_ref().map(|known| known.transfer.state);
        let allowed = match reported.state {
            TransferState::Received | TransferState::Cancelled => state == Some(TransferState::InTransit),
            TransferState::Draft | TransferState::InTransit => state.is_none(),
        };
        if self.broken == Broken::StateMachine && !allowed {
            return;
        }
        *self.stock.entry(store).or_default() += record.lines.iter().map(|line| line.qty.get()).sum::<i64>();
        let known = known.unwrap_or_else(|| Document { transfer: reported.clone(), sent: by_sender });
        let Precedence { mut stands, met, hear } = precedence(&known.transfer, reported, by_sender);
        stands |= self.broken == Broken::CancelledStands && reported.state == TransferState::Cancelled;
        if met {
            self.exceptions.insert(id.clone());
        }
        let transfer = if stands { reported.clone() } else { known.transfer };
        for store in (0..self.stores).filter(|store| hear.contains(&store_id(*store))) {
            let (kind, id, payload) = (Kind::Transfer, id.clone(), json!(transfer));
            later.entries.push(Entry {
                kind,
                id,
                store: Some(store),
                version: None,
                deleted: false,
                payload,
            });
        }
        self.transfers.insert(id.clone(), Document { transfer, sent: known.sent || by_sender });
        let (again, rest) =
            self.waiting.drain(..).partition(|(_, waits)| by_sender && waits.transfer.transfer_id.0 == id);
        self.waiting = rest;
        let again: Vec<(usize, TransferRecord)> = again;
        for (store, waited) in again {
            self.receives_goods(store, &waited, later);
        }
    }
}

/// Returns the ID of a store by its number.
pub fn store_id(store: usize) -> domain::model::base::ids::StoreId {
    format!("S{:03}", store + 1).as_str().into()
}
