//! Goods of suppliers: taken in, and taken back.

use super::Ledger;
use crate::prelude::*;
use domain::ids::ReceivingId;
use domain::ledger::DeliveryNote;
use domain::purchase::{OrderProgress, PurchaseOrder};
use domain::receiving::{self, NewReceiving};
use std::iter;
use storage::{Storage, StorageError};

/// Takes a supplier's goods into stock, against an order where the command names one, by the rules of
/// [`domain::receiving::receive_order`].
pub struct Receive(pub NewReceiving);

/// Takes a receipt back, by the rules of [`domain::receiving::reverse`].
pub struct ReverseReceiving(pub ReceivingId);

impl Dispatch for Receive {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        let products = context.products(self.0.lines.iter().map(|line| &line.sku))?;
        Ok((products, order(&context.storage, self.0.po_id.as_deref())?))
    }
}

impl Command for Receive {
    type Book = LedgerBook;
    type Rows = (Products, Option<PurchaseOrder>);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        (products, order): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (command, order) = (&self.0, order.as_ref());
        ledger.check_supplier(command.supplier_id.as_deref())?;
        let supplier = command.supplier_id.as_deref().or(order.map(|order| order.supplier_id.as_str()));
        ledger.find_note(DeliveryNote::new(supplier, command.delivery_note_no.as_deref()))?;
        ledger.load_progress(order)?;
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("rcv_"), ledger.movement_ids(command.lines.len()));
        let (event, progress) = ledger.with_stock(iter::empty(), &stamp, request, |room| {
            receiving::receive_order(command, order, id, ids, &products, room)
        })?;
        let Event::ReceivingPosted { receiving, .. } = &event else { return Err(internal_mismatch()) };
        let answer = Answer::created(format!("/api/receiving/{}", receiving.receiving_id), receiving);
        let records = vec![record::receiving_posted(&stamp, receiving)];
        Ok(with_progress(Outcome::of(stamp, event, records, answer), progress).into())
    }
}

impl Dispatch for ReverseReceiving {}

impl Command for ReverseReceiving {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let document = ledger.storage.receiving(&self.0)?.ok_or(Refusal::NotFound("receiving document"))?;
        let order = order(&ledger.storage, document.po_id.as_deref())?;
        ledger.load_progress(order.as_ref())?;
        let stamp = ledger.stamps.stamp();
        let ids = ledger.movement_ids(document.lines.len());
        let skus = document.lines.iter().map(|line| &line.sku);
        let (event, progress) = ledger.with_stock(skus, &stamp, request, |room| {
            let event = receiving::reverse(&document, ids, room)?;
            let order = order.as_ref();
            Ok((event, order.map(|order| receiving::taken_back(&document, order, room.book))))
        })?;
        let Event::ReceivingReversed { receiving, movements, .. } = &event else {
            return Err(internal_mismatch());
        };
        let answer = Answer::ok(receiving);
        let records = vec![record::receiving_reversed(&stamp, receiving, movements)];
        let (id, date) = (receiving.receiving_id.0.clone(), receiving.business_date);
        let outcome = with_progress(Outcome::of(stamp, event, records, answer), progress);
        Ok(ledger.audited(outcome, request, "receiving.reversed", &id, date).into())
    }
}

impl Owner<LedgerBook> {
    /// Whether head office knows the supplier that a document names.
    pub(super) fn check_supplier(&self, supplier: Option<&str>) -> Result<(), Failure> {
        let Some(supplier) = supplier else { return Ok(()) };
        let list_is_here = self.storage.hub()?.is_some() && !self.storage.suppliers(None, 1)?.is_empty();
        let known = self.storage.supplier(supplier)?.is_some();
        Ok(receiving::check_supplier(known, list_is_here)?)
    }

    /// Loads a delivery note, if it was received before.
    fn find_note(&mut self, note: Option<DeliveryNote>) -> Result<(), Failure> {
        // Notes received since the start are in the book; keeping every older one would grow for ever.
        if let Some(note) = note.filter(|note| !self.book.delivery_notes.contains_key(note))
            && let Some(id) = self.storage.delivery_note(&note.supplier_id, &note.number)?
        {
            self.book.delivery_notes.insert(note, id);
        }
        Ok(())
    }

    /// Loads what came of an order, if anything did.
    fn load_progress(&mut self, order: Option<&PurchaseOrder>) -> Result<(), Failure> {
        if let Some(order) = order.filter(|order| !self.book.orders.contains_key(&order.po_id))
            && let Some(progress) = self.storage.order_progress(&order.po_id)?
        {
            self.book.orders.insert(order.po_id.clone(), progress);
        }
        Ok(())
    }
}

fn order(storage: &Storage, po_id: Option<&str>) -> Result<Option<PurchaseOrder>, StorageError> {
    po_id.map_or(Ok(None), |po_id| storage.purchase_order(po_id))
}

fn with_progress(mut outcome: Outcome, progress: Option<OrderProgress>) -> Outcome {
    let progressed = progress.map(|progress| Event::OrderProgressed { progress: Box::new(progress) });
    outcome.events.extend(progressed);
    outcome
}
