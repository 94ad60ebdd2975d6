//! Opening stock: one commit with every movement, reported to head office in parts.

use super::Ledger;
use crate::prelude::*;
use crate::runtime::command::FILE_DEADLINE;
use domain::model::base::ids::Sku;
use domain::model::base::time::UtcMs;
use domain::model::inventory::stock::MovementReason;
use domain::rules::books::day::dated;
use domain::rules::inventory::stock::{OpeningRow, open_stock};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use storage::Storage;

/// Takes the first stock of every row into the books, all of them or none, by the rules of
/// [`domain::rules::inventory::stock::open_stock`].
pub struct OpenStock {
    pub rows: Vec<OpeningRow>,
    /// Whether to preview only.
    pub dry_run: bool,
}

/// Products, and the last movement of the late rows' stock without an opening.
type Seen = (Products, BTreeMap<Sku, UtcMs>);

impl Dispatch for OpenStock {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Seen, Failure> {
        let mut unopened = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.late) {
            // Read before the movements: movements in between are read again.
            let stock = context.storage.stock().stock(&row.sku)?.unwrap_or_default();
            if !is_opened(&context.storage, &row.sku)? {
                unopened.insert(row.sku.clone(), stock.updated_at);
            }
        }
        Ok((context.products(self.rows.iter().map(|row| &row.sku))?, unopened))
    }
}

fn is_opened(storage: &Storage, sku: &Sku) -> Result<bool, Failure> {
    let moved = storage.stock().movements(sku, None, usize::MAX)?;
    Ok(moved.iter().any(|(_, movement)| movement.reason == MovementReason::Opening))
}

impl Command for OpenStock {
    type Book = LedgerBook;
    type Rows = Seen;
    const DEADLINE: Duration = FILE_DEADLINE;

    fn is_from_rows(&self, _book: &LedgerBook) -> bool {
        self.rows.iter().any(|row| row.late)
    }

    fn decide(
        &self,
        (products, unopened): Seen,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let mut opened = BTreeSet::new();
        for row in self.rows.iter().filter(|row| row.late) {
            let moved_at = ledger.book.stock.get(&row.sku).map(|stock| stock.updated_at).unwrap_or_default();
            // Stock that moved since may have the opening of another file.
            if unopened.get(&row.sku) != Some(&moved_at) && is_opened(&ledger.storage, &row.sku)? {
                opened.insert(row.sku.clone());
            }
        }
        let (stamps, rules) = (&ledger.stamps, &*ledger.rules);
        let (ids, now, by) = (ledger.movement_ids(self.rows.len()), stamps.now(), &request.caller.user_id);
        let event = open_stock(&self.rows, ids, now, by, (&products, &opened), &ledger.book)?;
        let movements = &event.rows.movements;
        let answer = Answer::ok(&json!({"products_count": movements.len()}));
        if self.dry_run {
            return Ok(Decision::Answer(answer));
        }
        let date = dated(now, rules, &ledger.book);
        let records = record::stock_moved(|| stamps.stamp(), &rules.store_id, date, movements);
        let entry = AuditEntry::new(
            &request.authorization(),
            "stock.opened",
            now,
            json!({"products_count": movements.len()}),
        );
        // The last stamp of all: the mark keeps the highest.
        Ok(Outcome::of(stamps.stamp(), event, records, answer).audited(stamps, Some(date), entry).into())
    }
}
