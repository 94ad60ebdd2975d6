//! Opening stock: one commit with every movement, told to head office in parts.

use super::State;
use crate::pending::Pending;
use crate::shift::guarded;
use domain::answer::Answer;
use domain::day::dated;
use domain::event::Event;
use domain::ids::{MovementId, Sku, UserId};
use domain::product::Product;
use domain::record;
use domain::stock::{OpeningRow, open_stock};
use serde_json::json;
use std::collections::BTreeMap;

impl State {
    pub(super) fn open_stock(
        &mut self,
        rows: &[OpeningRow],
        products: &BTreeMap<Sku, Product>,
        user_id: &UserId,
        pending: Pending,
    ) {
        let stamps = &self.door.stamps;
        let movement_ids: Vec<MovementId> = stamps.ids("mov_", rows.len());
        let now = stamps.now();
        let event = match guarded(|| open_stock(rows, movement_ids, now, user_id, products, &self.book)) {
            Ok(event) => event,
            Err(failure) => return pending.fail(failure),
        };
        let Event::StockOpened { movements, .. } = &event else { return };
        let rules = &self.door.rules;
        let date = dated(now, rules, &self.book);
        let records = record::stock_moved(|| stamps.stamp(), &rules.store_id, date, movements);
        // The last stamp of all: the mark keeps the highest.
        let stamp = stamps.stamp();
        let answer = Answer::ok(&json!({"movements": movements.len()}));
        self.submit(event, records, answer, stamp, pending);
    }
}
