//! Opening stock: one commit with every movement, told to head office in parts.

use super::Ledger;
use crate::prelude::*;
use crate::runtime::command::FILE_DEADLINE;
use domain::model::base::ids::Sku;
use domain::model::inventory::stock::MovementReason;
use domain::rules::books::day::dated;
use domain::rules::inventory::stock::{OpeningRow, open_stock};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// Takes the first stock of every row into the books, all of them or none, by the rules of
/// [`domain::rules::inventory::stock::open_stock`].
pub(crate) struct OpenStock(pub(crate) Vec<OpeningRow>);

/// Products, and those of the skus that have an opening.
type Opened = (Products, BTreeSet<Sku>);

impl Dispatch for OpenStock {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Opened, Failure> {
        let mut opened = BTreeSet::new();
        for row in self.0.iter().filter(|row| row.late) {
            let moved = context.storage.stock().movements(&row.sku, None, usize::MAX)?;
            if moved.iter().any(|(_, movement)| movement.reason == MovementReason::Opening) {
                opened.insert(row.sku.clone());
            }
        }
        Ok((context.products(self.0.iter().map(|row| &row.sku))?, opened))
    }
}

impl Command for OpenStock {
    type Book = LedgerBook;
    type Rows = Opened;
    const DEADLINE: Duration = FILE_DEADLINE;

    fn decide(
        &self,
        (products, opened): Opened,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (stamps, rules) = (&ledger.stamps, &*ledger.rules);
        let (ids, now, by) = (ledger.movement_ids(self.0.len()), stamps.now(), &request.caller.user_id);
        let event = open_stock(&self.0, ids, now, by, (&products, &opened), &ledger.book)?;
        let movements = &event.rows.movements;
        let date = dated(now, rules, &ledger.book);
        let records = record::stock_moved(|| stamps.stamp(), &rules.store_id, date, movements);
        let answer = Answer::ok(&json!({"movements": movements.len()}));
        // The last stamp of all: the mark keeps the highest.
        Ok(Outcome::of(stamps.stamp(), event, records, answer).into())
    }
}
