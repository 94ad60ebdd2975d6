//! Rows of stock documents other than sales: the columns that lists filter by, lines of receipts, movements.

use crate::db::insert::{self, NewRow};
use crate::projection::envelope::Understood;
use crate::row;
use crate::table::exception::{self, Found};
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::{note_key, stated_note};
use domain::model::inventory::adjustment::{Adjustment, AdjustmentState};
use domain::model::inventory::receiving::{Receiving, ReceivingWarningCode};
use domain::model::inventory::stock::MovementReason;
use domain::wire::record::{AnyPayload, Move, OpnamePosted, SupplierReturnPosted, TransferRecord};
use serde_json::json;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a document, its ID, and the number of its part.
type DocumentKey = (&'static str, String, i64);

/// Rows of a batch.
#[derive(Default)]
pub(crate) struct GoodsRows {
    /// State of each document by these records, with its row.
    documents: BTreeMap<DocumentKey, (i64, NewRow)>,
    receiving_lines: Vec<NewRow>,
    supplier_return_lines: Vec<NewRow>,
    /// All movements except those of sales and returns, which are in their lines.
    pub(crate) movements: Vec<NewRow>,
    /// Suppliers and the normalised number of their delivery notes, with the event that reported each, its receipt and
    /// the note's number as it was written.
    notes: BTreeMap<(String, String), Vec<ToldNote>>,
    /// Receipts that their store reported as repeating another one.
    repeats: Vec<Repeat>,
}

/// A receipt that repeats another one, with its event.
struct Repeat {
    event_id: String,
    receiving_id: String,
    other: String,
}

/// An event, its receipt and the number of its delivery note.
type ToldNote = (String, String, String);

/// User, reason and document of a movement of goods.
struct Cause<'a> {
    reason: MovementReason,
    document: (&'a str, &'a str),
    user_id: &'a str,
}

impl GoodsRows {
    /// Adds the effect of a record.
    pub(crate) fn fold(&mut self, (store_id, event_id): (&str, &str), reported: &Understood) {
        match &reported.payload {
            AnyPayload::ReceivingPosted(it) => {
                self.received(store_id, event_id, &it.receiving);
                self.receipt((store_id, event_id), &it.receiving, 1);
            }
            AnyPayload::ReceivingReversed(it) => self.receipt((store_id, event_id), &it.receiving, 2),
            AnyPayload::SupplierReturnPosted(it) => self.sent_back((store_id, event_id), it),
            AnyPayload::AdjustmentPosted(it) => self.adjusted((store_id, event_id), &it.adjustment),
            AnyPayload::OpnamePosted(it) => self.counted((store_id, event_id), it),
            _ => {}
        }
        let day = reported.business_date.map(|day| day.to_string()).unwrap_or_default();
        for (position, (place, moved)) in (0_i64..).zip(reported.effect.moves.iter().enumerate()) {
            let Some(cause) = cause(store_id, &reported.payload, place) else { return };
            let Move { sku, qty, value, correction, balance_after } = moved;
            let (reference_type, reference_id) = cause.document;
            self.movements.push(row! {
                store_id, event_id, position, business_date: day.as_str(), sku: sku.as_str(), qty: *qty,
                cost: value.saturating_add(*correction), correction: *correction, balance_after: *balance_after,
                reason: cause.reason.name(), reference_type, reference_id, user_id: cause.user_id,
                moved_at: reported.occurred_at.0,
            });
        }
    }

    /// Adds a report of a document. Of two in a batch the one that is further along counts, of two equal ones the
    /// first. A reversed document stays on its day.
    fn document(&mut self, key: DocumentKey, step: i64, mut row: NewRow) {
        match self.documents.get(&key) {
            Some((known, _)) if *known >= step => {}
            Some((1, known)) => {
                let day = known.text("business_date").to_owned();
                row.set("business_date", day);
                self.documents.insert(key, (step, row));
            }
            _ => {
                self.documents.insert(key, (step, row));
            }
        }
    }

    fn received(&mut self, store_id: &str, event_id: &str, receiving: &Receiving) {
        let receiving_id = receiving.receiving_id.as_str();
        for line in &receiving.lines {
            self.receiving_lines.push(row! {
                store_id, receiving_id, line_no: i64::from(line.line_no), sku: line.sku.as_str(), qty: line.qty,
                rejected_qty: line.rejected_qty, unit_cost: line.unit_cost, cost: line.cost,
                correction: line.correction, cost_missing: i64::from(line.cost_missing),
            });
        }
        let note = stated_note(receiving.delivery_note_no.as_deref());
        if let Some((supplier_id, note)) = receiving.supplier_id.clone().zip(note) {
            let reported = (event_id.to_owned(), receiving_id.to_owned(), note.to_owned());
            self.notes.entry((supplier_id, note_key(note))).or_default().push(reported);
        }
        let repeats =
            receiving.warnings.iter().filter(|warning| warning.code == ReceivingWarningCode::RepeatsReceipt);
        self.repeats.extend(repeats.map(|warning| Repeat {
            event_id: event_id.to_owned(),
            receiving_id: receiving_id.to_owned(),
            other: warning.document_id.clone(),
        }));
    }

    fn receipt(&mut self, (store_id, event_id): (&str, &str), receiving: &Receiving, step: i64) {
        let document_id = receiving.receiving_id.as_str();
        let row = row! {
            store_id, kind: "receiving", document_id, part: 1_i64, event_id, state: receiving.state.as_str(), step,
            business_date: receiving.business_date.to_string(), created_at: receiving.created_at.0,
            supplier_id: receiving.supplier_id.clone(), po_id: receiving.po_id.clone(),
            delivery_note_no: receiving.delivery_note_no.clone(),
            note_key: stated_note(receiving.delivery_note_no.as_deref()).map(note_key), reason: None::<String>,
            value: receiving.total_cost,
        };
        self.document(("receiving", document_id.to_owned(), 1), step, row);
    }

    fn sent_back(&mut self, (store_id, event_id): (&str, &str), it: &SupplierReturnPosted) {
        let (document, document_id) = (&it.document, it.document.supplier_return_id.as_str());
        for line in &document.lines {
            self.supplier_return_lines.push(row! {
                store_id, supplier_return_id: document_id, line_no: i64::from(line.line_no),
                sku: line.sku.as_str(), qty: line.qty, claim: line.claim, stock_cost: line.stock_cost,
            });
        }
        let row = row! {
            store_id, kind: "supplier_return", document_id, part: 1_i64, event_id, state: "posted", step: 1_i64,
            business_date: document.business_date.to_string(), created_at: document.created_at.0,
            supplier_id: document.supplier_id.as_str(), po_id: None::<String>, delivery_note_no: None::<String>,
            note_key: None::<String>,
            reason: None::<String>, value: document.claim,
        };
        self.document(("supplier_return", document_id.to_owned(), 1), 1, row);
    }

    fn adjusted(&mut self, (store_id, event_id): (&str, &str), adjustment: &Adjustment) {
        let step = match adjustment.state {
            AdjustmentState::Pending => 0,
            AdjustmentState::Posted | AdjustmentState::Rejected => 1,
            AdjustmentState::Reversed => 2,
        };
        let document_id = adjustment.adjustment_id.0.as_str();
        let row = row! {
            store_id, kind: "adjustment", document_id, part: 1_i64, event_id, state: adjustment.state.name(), step,
            business_date: adjustment.business_date.to_string(), created_at: adjustment.created_at.0,
            supplier_id: None::<String>, po_id: None::<String>, delivery_note_no: None::<String>,
            note_key: None::<String>,
            reason: adjustment.reason.name(), value: adjustment.value,
        };
        self.document(("adjustment", document_id.to_owned(), 1), step, row);
    }

    fn counted(&mut self, (store_id, event_id): (&str, &str), it: &OpnamePosted) {
        let (opname, document_id) = (&it.opname, it.opname.opname_id.as_str());
        let part = i64::try_from(it.part).unwrap_or(i64::MAX);
        let row = row! {
            store_id, kind: "opname", document_id, part, event_id, state: opname.state.name(), step: 1_i64,
            business_date: opname.business_date.to_string(), created_at: opname.created_at.0,
            supplier_id: None::<String>, po_id: None::<String>, delivery_note_no: None::<String>,
            note_key: None::<String>,
            reason: None::<String>, value: opname.variance_value.unwrap_or_default(),
        };
        self.document(("opname", document_id.to_owned(), part), 1, row);
    }

    /// Adds them to their tables. A receipt with the delivery note of another receipt is shown to a person.
    pub(crate) async fn write(
        self,
        connection: &mut AnyConnection,
        store_id: &str,
        now: UtcMs,
    ) -> Result<(), sqlx::Error> {
        let Self { documents, receiving_lines, supplier_return_lines, movements, notes, repeats } = self;
        // One supplier's receipts at a time: if two stores report one note, the second finds the first.
        for (supplier_id, _) in notes.keys() {
            let sql = "UPDATE suppliers SET code = code WHERE supplier_id = $1";
            sqlx::query(sql).bind(supplier_id).execute(&mut *connection).await?;
        }
        let tail = "ON CONFLICT (store_id, kind, document_id, part) DO UPDATE SET event_id = excluded.event_id, \
                    state = excluded.state, step = excluded.step, value = excluded.value, business_date = \
                    CASE WHEN goods_documents.step = 0 THEN excluded.business_date ELSE goods_documents.business_date END \
                    WHERE excluded.step > goods_documents.step";
        let rows = documents.into_values().map(|(_, row)| row).collect();
        insert::rows(connection, "goods_documents", tail, rows).await?;
        let tail = "ON CONFLICT (store_id, receiving_id, line_no) DO NOTHING";
        insert::rows(connection, "receiving_lines", tail, receiving_lines).await?;
        let tail = "ON CONFLICT (store_id, supplier_return_id, line_no) DO NOTHING";
        insert::rows(connection, "supplier_return_lines", tail, supplier_return_lines).await?;
        insert::rows(connection, "movements", "", movements).await?;
        for ((supplier_id, _), reported) in &notes {
            for (place, (event_id, receiving_id, note)) in reported.iter().enumerate() {
                let found = Found { store_id, event_id, now };
                // Of two in one batch the later one is reported: the first found none.
                let later =
                    reported.iter().skip(place.saturating_add(1)).map(|(_, id, _)| id.as_str()).collect();
                twice(connection, (supplier_id, note), (receiving_id, &later), found).await?;
            }
        }
        for Repeat { event_id, receiving_id, other } in &repeats {
            let found = Found { store_id, event_id, now };
            repeated(connection, (receiving_id, other), found).await?;
        }
        Ok(())
    }
}

/// Cause of a movement. `None` for a line of a sale or a return, which states it itself. `place` is the movement's
/// place in the record.
fn cause<'a>(store_id: &str, payload: &'a AnyPayload, place: usize) -> Option<Cause<'a>> {
    let of = |reason, document, user_id| Some(Cause { reason, document, user_id });
    match payload {
        AnyPayload::TransactionVoided(it) => {
            let sale = &it.transaction;
            let document = ("transaction", sale.transaction_id.as_str());
            of(MovementReason::SaleVoid, document, sale.cashier_id.as_str())
        }
        AnyPayload::ReturnVoided(it) => {
            let document = ("return", it.document.return_id.as_str());
            of(MovementReason::Return, document, it.document.cashier_id.as_str())
        }
        AnyPayload::ReceivingPosted(it) | AnyPayload::ReceivingReversed(it) => {
            let document = ("receiving", it.receiving.receiving_id.as_str());
            of(MovementReason::Receiving, document, it.receiving.created_by.as_str())
        }
        AnyPayload::SupplierReturnPosted(it) => {
            let document = ("supplier_return", it.document.supplier_return_id.as_str());
            of(MovementReason::Receiving, document, it.document.created_by.as_str())
        }
        AnyPayload::TransferSent(it)
        | AnyPayload::TransferReceived(it)
        | AnyPayload::TransferCancelled(it)
        | AnyPayload::TransferResolved(it) => Some(transferred(store_id, it)),
        AnyPayload::AdjustmentPosted(it) => {
            let Adjustment { adjustment_id, decided_by, created_by, .. } = &it.adjustment;
            let by = decided_by.as_ref().unwrap_or(created_by);
            of(MovementReason::Adjustment, ("adjustment", adjustment_id.0.as_str()), by.as_str())
        }
        AnyPayload::OpnamePosted(it) => {
            let by = it.opname.ended_by.as_ref().unwrap_or(&it.opname.created_by);
            of(MovementReason::Opname, ("opname", it.opname.opname_id.as_str()), by.as_str())
        }
        AnyPayload::StockMoved(it) => {
            let moved = it.movements.get(place)?;
            let document = (moved.reference_type.as_str(), moved.reference_id.as_str());
            of(moved.reason, document, moved.user_id.as_str())
        }
        _ => None,
    }
}

/// Cause of a transfer's movement: goods that left and came back are reported by the sender, goods that came
/// by the receiver.
fn transferred<'a>(store_id: &str, it: &'a TransferRecord) -> Cause<'a> {
    let transfer = &it.transfer;
    let came = transfer.to_store_id.as_str() == store_id;
    let by = transfer.received_by.as_ref().filter(|_| came).unwrap_or(&transfer.created_by);
    Cause {
        reason: if came { MovementReason::TransferIn } else { MovementReason::TransferOut },
        document: ("transfer", transfer.transfer_id.as_str()),
        user_id: by.as_str(),
    }
}

/// Notes a receipt with the delivery note of another one, of any store, if both count: a receipt that was taken back in
/// the same batch does not.
async fn twice(
    connection: &mut AnyConnection,
    (supplier_id, note): (&str, &str),
    (receiving_id, later): (&str, &BTreeSet<&str>),
    found: Found<'_>,
) -> Result<(), sqlx::Error> {
    let sql = "SELECT o.store_id, o.document_id FROM goods_documents o JOIN goods_documents m ON m.store_id = $3 \
               AND m.kind = 'receiving' AND m.document_id = $4 AND m.state = 'posted' \
               WHERE o.kind = 'receiving' AND o.supplier_id = $1 AND o.note_key = $2 AND o.state = 'posted' \
               AND NOT (o.store_id = $3 AND o.document_id = $4) \
               ORDER BY o.created_at, o.store_id";
    let query =
        sqlx::query(sql).bind(supplier_id).bind(note_key(note)).bind(found.store_id).bind(receiving_id);
    let mut others = Vec::new();
    for row in query.fetch_all(&mut *connection).await? {
        let other: (String, String) = crate::columns!(row => (store_id, document_id));
        others.push(other);
    }
    others.retain(|(store_id, id)| store_id != found.store_id || !later.contains(id.as_str()));
    let Some((other_store_id, other)) = others.into_iter().next() else { return Ok(()) };
    let details = json!({"supplier_id": supplier_id, "delivery_note_no": note, "receiving_id": receiving_id,
        "other_store_id": other_store_id, "other_receiving_id": other});
    exception::note(connection, found, exception::DELIVERY_NOTE_TWICE, &details).await
}

/// Notes a receipt that repeats another one, unless one of the two was reversed in the same batch.
async fn repeated(
    connection: &mut AnyConnection,
    (receiving_id, other): (&str, &str),
    found: Found<'_>,
) -> Result<(), sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM goods_documents WHERE store_id = $1 AND kind = 'receiving' \
               AND document_id IN ($2, $3) AND state <> 'posted'";
    let query = sqlx::query_scalar(sql).bind(found.store_id).bind(receiving_id).bind(other);
    let reversed: i64 = query.fetch_one(&mut *connection).await?;
    if reversed > 0 {
        return Ok(());
    }
    let details = json!({"receiving_id": receiving_id, "other_receiving_id": other});
    exception::note(connection, found, exception::RECEIPT_REPEATED, &details).await
}
