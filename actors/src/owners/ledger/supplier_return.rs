//! Goods that go back to their supplier.

use super::Ledger;
use crate::owners::scanned;
use crate::prelude::*;
use domain::rules::inventory::supplier_return;
use domain::rules::inventory::supplier_return::NewSupplierReturn;

/// Sends goods back to a supplier, by the rules of [`domain::rules::inventory::supplier_return::return_to_supplier`].
pub struct ReturnToSupplier(pub NewSupplierReturn);

impl Dispatch for ReturnToSupplier {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        scanned::scanned(context, &self.0, |command| &mut command.lines)
    }
}

impl Command for ReturnToSupplier {
    type Book = LedgerBook;
    /// The command with products and pieces in place of scanned codes.
    type Rows = (Option<NewSupplierReturn>, Products);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        (scanned, products): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let command = scanned.as_ref().unwrap_or(&self.0);
        let is_listed = ledger.check_supplier(&command.supplier_id)?;
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("srt_"), ledger.movement_ids(command.lines.len()));
        let skus = command.lines.iter().map(|line| &line.sku);
        let event = ledger.with_stock(skus, &stamp, request, |context| {
            supplier_return::return_to_supplier(command, id, ids, is_listed, &products, context)
        })?;
        let document = &event.fact.document;
        let (id, date) = (document.supplier_return_id.0.clone(), document.business_date);
        let answer = Answer::created(format!("/api/supplier-returns/{id}"), document);
        let records = vec![record::supplier_return_posted(&stamp, document)];
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(ledger.audited(outcome, request, "supplier_return.posted", &id, date).into())
    }
}
