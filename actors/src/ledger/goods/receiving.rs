//! Goods of suppliers: taken in, taken back, sent back.

use super::{Decided, Products, foreign};
use crate::failure::Failure;
use crate::ledger::State;
use crate::who::Who;
use domain::answer::Answer;
use domain::event::Event;
use domain::ids::{ReceivingId, SupplierReturnId};
use domain::ledger::DeliveryNote;
use domain::purchase::{OrderProgress, PurchaseOrder};
use domain::receiving::{self, NewReceiving, Receiving};
use domain::record;
use domain::refusal::Refusal;
use domain::supplier_return::{NewSupplierReturn, give_back};
use std::iter;

impl State {
    pub(super) fn receive(
        &mut self,
        id: ReceivingId,
        command: &NewReceiving,
        order: Option<&PurchaseOrder>,
        products: &Products,
        who: &Who,
    ) -> Result<Decided, Failure> {
        self.check_supplier(command.supplier_id.as_deref())?;
        let supplier = command.supplier_id.as_deref().or(order.map(|order| order.supplier_id.as_str()));
        self.find_note(DeliveryNote::new(supplier, command.delivery_note_no.as_deref()))?;
        self.load_progress(order)?;
        let stamp = self.door.stamps.stamp();
        let ids = self.movement_ids(command.lines.len());
        let (event, progress) = self.decide(iter::empty(), &stamp, who, |room| {
            receiving::receive_order(command, order, id, ids, products, room)
        })?;
        let Event::ReceivingPosted { receiving, .. } = &event else { return Err(foreign()) };
        let answer = Answer::created(format!("/api/receiving/{}", receiving.receiving_id), receiving);
        let records = vec![record::receiving_posted(&stamp, receiving)];
        Ok(Decided { stamp, records, answer, audit: None, events: with_progress(event, progress) })
    }

    pub(super) fn reverse_receiving(&mut self, id: &ReceivingId, who: &Who) -> Result<Decided, Failure> {
        let document: Option<Receiving> = self.door.storage.receiving(id)?;
        let document = document.ok_or(Refusal::NotFound("receiving document"))?;
        let order = document.po_id.as_deref().map(|po_id| self.door.storage.purchase_order(po_id));
        let order = order.transpose()?.flatten();
        self.load_progress(order.as_ref())?;
        let stamp = self.door.stamps.stamp();
        let ids = self.movement_ids(document.lines.len());
        let skus = document.lines.iter().map(|line| &line.sku);
        let (event, progress) = self.decide(skus, &stamp, who, |room| {
            let event = receiving::reverse(&document, ids, room)?;
            let order = order.as_ref();
            Ok((event, order.map(|order| receiving::taken_back(&document, order, room.book))))
        })?;
        let Event::ReceivingReversed { receiving, movements, .. } = &event else { return Err(foreign()) };
        let answer = Answer::ok(receiving);
        let records = vec![record::receiving_reversed(&stamp, receiving, movements)];
        let audit = Some(("receiving.reversed", receiving.receiving_id.0.clone(), receiving.business_date));
        Ok(Decided { stamp, records, answer, audit, events: with_progress(event, progress) })
    }

    pub(super) fn give_back(
        &mut self,
        id: SupplierReturnId,
        command: &NewSupplierReturn,
        products: &Products,
        who: &Who,
    ) -> Result<Decided, Failure> {
        self.check_supplier(Some(&command.supplier_id))?;
        let stamp = self.door.stamps.stamp();
        let ids = self.movement_ids(command.lines.len());
        let skus = command.lines.iter().map(|line| &line.sku);
        let event = self.decide(skus, &stamp, who, |room| give_back(command, id, ids, products, room))?;
        let Event::SupplierReturnPosted { document, .. } = &event else { return Err(foreign()) };
        let id = document.supplier_return_id.0.clone();
        let answer = Answer::created(format!("/api/supplier-returns/{id}"), document);
        let records = vec![record::supplier_return_posted(&stamp, document)];
        let audit = Some(("supplier_return.posted", id, document.business_date));
        Ok(Decided { stamp, records, answer, audit, events: vec![event] })
    }

    /// Whether head office knows the supplier that a document names.
    fn check_supplier(&self, supplier: Option<&str>) -> Result<(), Failure> {
        let Some(supplier) = supplier else { return Ok(()) };
        let storage = &self.door.storage;
        let list_is_here = storage.hub()?.is_some() && !storage.suppliers(None, 1)?.is_empty();
        let known = storage.supplier(supplier)?.is_some();
        Ok(receiving::check_supplier(known, list_is_here)?)
    }

    /// Loads a delivery note, if it was received before.
    fn find_note(&mut self, note: Option<DeliveryNote>) -> Result<(), Failure> {
        // Notes received since the start are in the book; keeping every older one would grow for ever.
        if let Some(note) = note.filter(|note| !self.book.delivery_notes.contains_key(note))
            && let Some(id) = self.door.storage.delivery_note(&note.supplier_id, &note.number)?
        {
            self.book.delivery_notes.insert(note, id);
        }
        Ok(())
    }

    /// Loads what came of an order, if anything did.
    fn load_progress(&mut self, order: Option<&PurchaseOrder>) -> Result<(), Failure> {
        if let Some(order) = order.filter(|order| !self.book.orders.contains_key(&order.po_id))
            && let Some(progress) = self.door.storage.order_progress(&order.po_id)?
        {
            self.book.orders.insert(order.po_id.clone(), progress);
        }
        Ok(())
    }
}

fn with_progress(event: Event, progress: Option<OrderProgress>) -> Vec<Event> {
    let progressed = progress.map(|progress| Event::OrderProgressed { progress: Box::new(progress) });
    [event].into_iter().chain(progressed).collect()
}
