//! Transfers: sent, received, settled, called off; and what head office tells of them.

use super::{Decided, Products, TransferStep, foreign};
use crate::failure::Failure;
use crate::ledger::State;
use crate::who::Who;
use domain::answer::Answer;
use domain::event::{Event, Stamp};
use domain::ids::{Sku, StoreId, TransferId};
use domain::record;
use domain::refusal::Refusal;
use domain::stock::Movement;
use domain::sync::{Kind, StoreDown};
use domain::transfer::{self, NewTransfer, Transfer, TransferState};

/// How a step is told to head office.
type Record = fn(&Stamp, &Transfer, &[Movement]) -> String;

impl State {
    pub(super) fn transfer(
        &mut self,
        id: TransferId,
        command: &NewTransfer,
        products: &Products,
        who: &Who,
    ) -> Result<Decided, Failure> {
        let stamp = self.door.stamps.stamp();
        let ids = self.movement_ids(command.lines.len());
        let skus = command.lines.iter().map(|line| &line.sku);
        self.check_destination(&command.to_store_id)?;
        let event =
            self.decide(skus, &stamp, who, |room| transfer::create(command, id, ids, products, room))?;
        let Event::TransferChanged { transfer, movements, .. } = &event else { return Err(foreign()) };
        let location = format!("/api/transfers/{}", transfer.transfer_id);
        let answer = Answer::created(location, &transfer::view(transfer));
        // A draft is nobody else's business.
        let left = transfer.state == TransferState::InTransit;
        let records = left.then(|| record::transfer_sent(&stamp, transfer, movements)).into_iter().collect();
        Ok(Decided { stamp, records, answer, audit: None, events: vec![event] })
    }

    /// Whether head office knows the store that goods shall go to.
    fn check_destination(&self, to: &StoreId) -> Result<(), Failure> {
        let (storage, kind) = (&self.door.storage, Kind::Store.name());
        let told = storage.inbound(kind, to.as_str())?;
        let told = told.and_then(|record| serde_json::from_value::<StoreDown>(record.payload).ok());
        let list_is_here = told.is_some() || !storage.inbounds(kind, None, 1)?.is_empty();
        Ok(transfer::check_destination(told.as_ref(), list_is_here)?)
    }

    pub(super) fn go_on_transferring(
        &mut self,
        id: &TransferId,
        step: &TransferStep,
        who: &Who,
    ) -> Result<Decided, Failure> {
        let known = self.known_transfer(id)?.ok_or(Refusal::NotFound("transfer"))?;
        let was_draft = known.state == TransferState::Draft;
        if matches!(step, TransferStep::Send) {
            self.check_destination(&known.to_store_id)?;
        }
        let stamp = self.door.stamps.stamp();
        let parts = match step {
            TransferStep::Resolve(command) => command.lines.len(),
            _ => known.lines.len(),
        };
        let ids = self.movement_ids(parts);
        let event = self.decide(skus(&known), &stamp, who, |room| match step {
            TransferStep::Send => transfer::send(&known, ids, room),
            TransferStep::Receive(command) => transfer::receive(command, &known, ids, room),
            TransferStep::Resolve(command) => transfer::resolve(command, &known, ids, room),
            TransferStep::Cancel => transfer::cancel(&known, ids, room),
        })?;
        let (tell, action): (Option<Record>, Option<&'static str>) = match step {
            TransferStep::Send => (Some(record::transfer_sent), None),
            TransferStep::Receive(_) => (Some(record::transfer_received), None),
            TransferStep::Resolve(_) => (Some(record::transfer_resolved), Some("transfer.resolved")),
            TransferStep::Cancel if was_draft => (None, Some("transfer.cancelled")),
            TransferStep::Cancel => (Some(record::transfer_cancelled), Some("transfer.cancelled")),
        };
        moved(stamp, event, tell, action)
    }

    /// Head office told of a transfer: what it means here, if it says anything new.
    pub(super) fn told(&mut self, told: &Transfer, who: &Who) -> Result<Decided, Failure> {
        let known = self.known_transfer(&told.transfer_id)?;
        let stamp = self.door.stamps.stamp();
        let parts = told.lines.iter().map(|line| line.resolved.len().saturating_add(1)).sum();
        let ids = self.movement_ids(parts);
        let event =
            self.decide(skus(told), &stamp, who, |room| transfer::told(told, known.as_ref(), ids, room))?;
        let Some(event) = event else {
            let (events, records, answer) = (Vec::new(), Vec::new(), Answer::ok(&transfer::view(told)));
            return Ok(Decided { stamp, events, records, answer, audit: None });
        };
        let Event::TransferChanged { transfer, movements, .. } = &event else { return Err(foreign()) };
        let goods_moved = !movements.is_empty();
        // Goods that left again, or were found here, are news for head office; the document alone is not.
        let tell: Option<Record> = match transfer.from_store_id == self.door.rules.store_id {
            _ if !goods_moved => None,
            true => Some(record::transfer_sent),
            false => Some(record::transfer_resolved),
        };
        moved(stamp, event, tell, None)
    }

    /// The transfer as it is by now; one that is over is read from the journal.
    fn known_transfer(&self, id: &TransferId) -> Result<Option<Transfer>, Failure> {
        if let Some(known) = self.book.transfers.get(id) {
            return Ok(Some(known.clone()));
        }
        Ok(self.door.storage.transfer(id)?)
    }
}

fn skus(transfer: &Transfer) -> impl Iterator<Item = &Sku> {
    transfer.lines.iter().map(|line| &line.sku)
}

fn moved(
    stamp: Stamp,
    event: Event,
    tell: Option<Record>,
    action: Option<&'static str>,
) -> Result<Decided, Failure> {
    let Event::TransferChanged { transfer, movements, .. } = &event else { return Err(foreign()) };
    let records = tell.map(|tell| tell(&stamp, transfer, movements)).into_iter().collect();
    let answer = Answer::ok(&transfer::view(transfer));
    let audit = action.map(|action| (action, transfer.transfer_id.0.clone(), transfer.business_date));
    Ok(Decided { stamp, records, answer, audit, events: vec![event] })
}
