//! Goods that go back to their supplier.

use super::Ledger;
use crate::prelude::*;
use domain::supplier_return::{self, NewSupplierReturn};

/// Sends goods back to a supplier, by the rules of [`domain::supplier_return::give_back`].
pub struct ReturnToSupplier(pub NewSupplierReturn);

impl Dispatch for ReturnToSupplier {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Products, Failure> {
        context.products(self.0.lines.iter().map(|line| &line.sku))
    }
}

impl Command for ReturnToSupplier {
    type Book = LedgerBook;
    type Rows = Products;

    fn decide(
        &self,
        products: Products,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        ledger.check_supplier(Some(&self.0.supplier_id))?;
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("srt_"), ledger.movement_ids(self.0.lines.len()));
        let skus = self.0.lines.iter().map(|line| &line.sku);
        let event = ledger.with_stock(skus, &stamp, request, |room| {
            supplier_return::give_back(&self.0, id, ids, &products, room)
        })?;
        let Event::SupplierReturnPosted { document, .. } = &event else { return Err(internal_mismatch()) };
        let (id, date) = (document.supplier_return_id.0.clone(), document.business_date);
        let answer = Answer::created(format!("/api/supplier-returns/{id}"), document);
        let records = vec![record::supplier_return_posted(&stamp, document)];
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(ledger.audited(outcome, request, "supplier_return.posted", &id, date).into())
    }
}
