//! Commands of receipts: receiving goods from suppliers, and reversals.

use super::Ledger;
use super::doubts::Doubts;
use crate::owners::scanned;
use crate::prelude::*;
use domain::model::base::ids::ReceivingId;
use domain::model::books::ledger::DeliveryNote;
use domain::model::inventory::purchase::PurchaseOrder;
use domain::model::inventory::receiving::Receiving;
use domain::rules::inventory::receiving;
use domain::rules::inventory::receiving::NewReceiving;
use std::iter;
use storage::{Storage, StorageError};

/// Takes a supplier's goods into stock, against an order where the command names one, by the rules of
/// [`domain::rules::inventory::receiving::receive_order`].
pub struct Receive(pub NewReceiving);

/// Reverses a receipt, by the rules of [`domain::rules::inventory::receiving::reverse`].
pub struct ReverseReceiving(pub ReceivingId);

/// The command with products and pieces in place of scanned codes, the order, and what the receipt is compared with.
pub(super) type ReceivedRows = (Option<NewReceiving>, Products, Option<PurchaseOrder>, Doubts);

pub(super) fn received_rows(context: &Context, command: &NewReceiving) -> Result<ReceivedRows, Failure> {
    let (scanned, products) = scanned::scanned(context, command, |command| &mut command.lines)?;
    let order = order(&context.storage, command.po_id.as_deref())?;
    let lines = &scanned.as_ref().unwrap_or(command).lines;
    let doubts = Doubts::load(&context.storage, lines.iter().map(|line| &line.sku))?;
    Ok((scanned, products, order, doubts))
}

impl Dispatch for Receive {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        received_rows(context, &self.0)
    }
}

impl Command for Receive {
    type Book = LedgerBook;
    type Rows = ReceivedRows;

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.0.check()
    }

    fn decide(
        &self,
        (scanned, products, order, doubts): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let (command, order) = (scanned.as_ref().unwrap_or(&self.0), order.as_ref());
        ledger.load_for(command, order)?;
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("rcv_"), ledger.movement_ids(command.lines.len()));
        let mut event = ledger.with_stock(iter::empty(), &stamp, request, |context| {
            receiving::receive_order(command, order, id, ids, &products, context)
        })?;
        event.fact.receiving.warnings = doubts.warnings(&event.fact.receiving);
        let receiving = &event.fact.receiving;
        let answer = Answer::created(format!("/api/receiving/{}", receiving.receiving_id), receiving);
        let records = vec![record::receiving_posted(&stamp, receiving)];
        Ok(Outcome::of(stamp, event, records, answer).into())
    }
}

impl Dispatch for ReverseReceiving {}

impl Command for ReverseReceiving {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let document = ledger.receipt(&self.0)?;
        let order = order(&ledger.storage, document.po_id.as_deref())?;
        ledger.load_progress(order.as_ref())?;
        let stamp = ledger.stamps.stamp();
        let ids = ledger.movement_ids(document.lines.len());
        let skus = document.lines.iter().map(|line| &line.sku);
        let event = ledger.with_stock(skus, &stamp, request, |context| {
            receiving::reverse(&document, order.as_ref(), ids, context)
        })?;
        let receiving = &event.fact.receiving;
        let movements = &event.rows.movements;
        let answer = Answer::ok(receiving);
        let records = vec![record::receiving_reversed(&stamp, receiving, movements)];
        let (id, date) = (receiving.receiving_id.0.clone(), receiving.business_date);
        let outcome = Outcome::of(stamp, event, records, answer);
        Ok(ledger.audited(outcome, request, "receiving.reversed", &id, date).into())
    }
}

impl Owner<LedgerBook> {
    pub(super) fn receipt(&self, id: &ReceivingId) -> Result<Receiving, Failure> {
        let found = self.storage.purchasing().receiving(id)?;
        Ok(found.ok_or(Refusal::NotFound("receiving document"))?)
    }

    /// Checks the supplier of a receipt, and loads its delivery note and the progress of its order.
    pub(super) fn load_for(
        &mut self,
        command: &NewReceiving,
        order: Option<&PurchaseOrder>,
    ) -> Result<(), Failure> {
        command.supplier_id.as_deref().map_or(Ok(true), |supplier| self.check_supplier(supplier))?;
        let supplier = command.supplier_id.as_deref().or(order.map(|order| order.supplier_id.as_str()));
        self.find_note(DeliveryNote::new(supplier, command.delivery_note_no.as_deref()))?;
        self.load_progress(order)
    }

    /// Whether the supplier that a document names is on head office's list. Refused if there is a list without it.
    pub(super) fn check_supplier(&self, supplier: &str) -> Result<bool, Failure> {
        let list_is_here =
            self.storage.sync().hub()?.is_some() && !self.storage.purchasing().suppliers(None, 1)?.is_empty();
        let known = self.storage.purchasing().supplier(supplier)?.is_some();
        receiving::check_supplier(known, list_is_here)?;
        Ok(known)
    }

    /// Loads a delivery note, if it was received before.
    fn find_note(&mut self, note: Option<DeliveryNote>) -> Result<(), Failure> {
        // Notes received since the start are in the book; keeping every older one would grow for ever.
        if let Some(note) = note.filter(|note| !self.book.delivery_notes.contains_key(note))
            && let Some(id) = self.storage.purchasing().delivery_note(&note.supplier_id, &note.number)?
        {
            self.book.delivery_notes.insert(note, id);
        }
        Ok(())
    }

    /// Loads the progress of an order, if there is any.
    pub(super) fn load_progress(&mut self, order: Option<&PurchaseOrder>) -> Result<(), Failure> {
        if let Some(order) = order.filter(|order| !self.book.orders.contains_key(&order.po_id))
            && let Some(progress) = self.storage.purchasing().order_progress(&order.po_id)?
        {
            self.book.orders.insert(order.po_id.clone(), progress);
        }
        Ok(())
    }
}

pub(super) fn order(storage: &Storage, po_id: Option<&str>) -> Result<Option<PurchaseOrder>, StorageError> {
    po_id.map_or(Ok(None), |po_id| storage.purchasing().purchase_order(po_id))
}
