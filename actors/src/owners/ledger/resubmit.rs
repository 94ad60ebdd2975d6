//! Corrects a receipt that head office holds, because what it says can't be posted.

use super::Ledger;
use super::receiving::{order, received_rows};
use crate::prelude::*;
use domain::model::base::ids::ReceivingId;
use domain::rules::hub::sync::mending::may_correct;
use domain::rules::inventory::receiving::{Corrected, NewReceiving, Side, resubmit};
use serde_json::json;

/// Notes of parked records that are read at once.
const NOTES_AT_ONCE: usize = 500;

/// Replaces a receipt that head office holds, by the rules of [`domain::rules::inventory::receiving::resubmit()`].
pub struct ResubmitReceiving(pub ReceivingId, pub NewReceiving);

impl Dispatch for ResubmitReceiving {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        received_rows(context, &self.1)
    }
}

impl Command for ResubmitReceiving {
    type Book = LedgerBook;
    type Rows = super::receiving::ReceivedRows;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn decide(
        &self,
        (scanned, products, new_order, doubts): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (command, new_order) = (scanned.as_ref().unwrap_or(&self.1), new_order.as_ref());
        let document = ledger.receipt(&self.0)?;
        ledger.check_held(&self.0)?;
        ledger.load_for(command, new_order)?;
        let old_order = order(&ledger.storage, document.po_id.as_deref())?;
        ledger.load_progress(old_order.as_ref())?;
        let (before, stamp) = (ledger.stamps.stamp(), ledger.stamps.stamp());
        let movement_ids = ledger.movement_ids(document.lines.len());
        let old = Side { of: &document, order: old_order.as_ref(), movement_ids };
        let movement_ids = ledger.movement_ids(command.lines.len());
        let new = Side { of: command, order: new_order, movement_ids };
        let id = ledger.stamps.id("rcv_");
        let skus = document.lines.iter().map(|line| &line.sku);
        let corrected =
            ledger.with_stock(skus, &stamp, request, |context| resubmit(old, new, id, &products, context))?;
        let Corrected { reversed, mut posted } = corrected;
        posted.fact.receiving.warnings = doubts.without(&self.0).warnings(&posted.fact.receiving);
        let (taken_back, receiving) = (&reversed.fact.receiving, &posted.fact.receiving);
        let records = vec![
            record::receiving_reversed(&before, taken_back, &reversed.rows.movements),
            record::receiving_posted(&stamp, receiving),
        ];
        let answer = Answer::created(format!("/api/receiving/{}", receiving.receiving_id), receiving);
        let details = json!({"receiving_id": receiving.receiving_id, "resubmits": self.0});
        let entry = AuditEntry::new(&request.authorization(), "receiving.resubmitted", stamp.now, details);
        let date = receiving.business_date;
        let events = vec![reversed.into(), posted.into()];
        let outcome = Outcome { events, records, answer, stamp, sale: None };
        Ok(outcome.audited(&ledger.stamps, Some(date), entry).into())
    }
}

impl Owner<LedgerBook> {
    /// Checks that head office holds the receipt for a reason that its store can mend, and has named it to this copy of the
    /// store.
    fn check_held(&self, id: &ReceivingId) -> Result<(), Failure> {
        let epoch = self.storage.head().epoch;
        let mut after: Option<(String, u64)> = None;
        loop {
            let key = after.as_ref().map(|(epoch, seq)| (epoch.as_str(), *seq));
            let notes = self.storage.sync().parked(key, NOTES_AT_ONCE)?;
            let Some(last) = notes.last() else { break };
            after = Some((last.epoch.clone(), last.seq));
            let held = notes.iter().any(|note| {
                let kind = note.kind.as_deref().unwrap_or_default();
                note.receiving_id.as_ref() == Some(id)
                    && note.named_in == epoch
                    && may_correct(&note.code, kind)
            });
            if held {
                return Ok(());
            }
        }
        Err(Refusal::InvalidState { state: "not_held".to_owned(), allowed: Vec::new() }.into())
    }
}
