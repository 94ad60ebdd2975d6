//! Transfers: sent, received, settled, called off; and what head office tells of them.

use super::Ledger;
use crate::prelude::*;
use domain::ids::{MovementId, Sku, StoreId, TransferId};
use domain::stock::{Movement, StockRoom};
use domain::sync::{Kind, StoreDown};
use domain::transfer::{self, NewTransfer, Transfer, TransferState};

/// Writes a transfer down, and sends it unless it is a draft, by the rules of [`domain::transfer::create`].
pub struct CreateTransfer(pub NewTransfer);

/// Sends a draft, by the rules of [`domain::transfer::send`].
pub struct SendTransfer(pub TransferId);

/// Takes in what arrived, by the rules of [`domain::transfer::receive`].
pub struct ReceiveTransfer(pub TransferId, pub transfer::ReceiveTransfer);

/// Says what became of missing pieces, by the rules of [`domain::transfer::resolve`].
pub struct ResolveTransfer(pub TransferId, pub transfer::ResolveTransfer);

/// Calls a transfer off, by the rules of [`domain::transfer::cancel`].
pub struct CancelTransfer(pub TransferId);

/// Takes over what head office tells of a transfer, by the rules of [`domain::transfer::told`].
pub(super) struct MergeTransfer(pub(super) Box<Transfer>);

/// How a step is told to head office.
type Record = fn(&Stamp, &Transfer, &[Movement]) -> String;

impl Dispatch for CreateTransfer {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Products, Failure> {
        context.products(self.0.lines.iter().map(|line| &line.sku))
    }
}

impl Command for CreateTransfer {
    type Book = LedgerBook;
    type Rows = Products;

    fn check(&self, rules: &Rules) -> Result<(), Refusal> {
        self.0.check(&rules.store_id)
    }

    fn decide(
        &self,
        products: Products,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        ledger.check_destination(&self.0.to_store_id)?;
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("trf_"), ledger.movement_ids(self.0.lines.len()));
        let skus = self.0.lines.iter().map(|line| &line.sku);
        let rule = |room: &StockRoom<'_>| transfer::create(&self.0, id, ids, &products, room);
        let event = ledger.with_stock(skus, &stamp, request, rule)?;
        let Event::TransferChanged { transfer, movements, .. } = &event else {
            return Err(internal_mismatch());
        };
        let location = format!("/api/transfers/{}", transfer.transfer_id);
        let answer = Answer::created(location, &transfer::view(transfer));
        // A draft is nobody else's business.
        let left = transfer.state == TransferState::InTransit;
        let records = left.then(|| record::transfer_sent(&stamp, transfer, movements)).into_iter().collect();
        Ok(Outcome::of(stamp, event, records, answer).into())
    }
}

impl Dispatch for SendTransfer {}

impl Command for SendTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let known = ledger.transfer(&self.0)?;
        ledger.check_destination(&known.to_store_id)?;
        let (stamp, event) = go_on(ledger, &known, known.lines.len(), request, transfer::send)?;
        moved(ledger, stamp, event, Some(record::transfer_sent), None, request)
    }
}

impl Dispatch for ReceiveTransfer {}

impl Command for ReceiveTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let known = ledger.transfer(&self.0)?;
        let (stamp, event) = go_on(ledger, &known, known.lines.len(), request, |known, ids, room| {
            transfer::receive(&self.1, known, ids, room)
        })?;
        moved(ledger, stamp, event, Some(record::transfer_received), None, request)
    }
}

impl Dispatch for ResolveTransfer {}

impl Command for ResolveTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let known = ledger.transfer(&self.0)?;
        let (stamp, event) = go_on(ledger, &known, self.1.lines.len(), request, |known, ids, room| {
            transfer::resolve(&self.1, known, ids, room)
        })?;
        let action = Some("transfer.resolved");
        moved(ledger, stamp, event, Some(record::transfer_resolved), action, request)
    }
}

impl Dispatch for CancelTransfer {}

impl Command for CancelTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let known = ledger.transfer(&self.0)?;
        let (stamp, event) = go_on(ledger, &known, known.lines.len(), request, transfer::cancel)?;
        let was_sent = known.state != TransferState::Draft;
        let tell = was_sent.then_some(record::transfer_cancelled as Record);
        moved(ledger, stamp, event, tell, Some("transfer.cancelled"), request)
    }
}

impl Command for MergeTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let told = &*self.0;
        let known = ledger.known_transfer(&told.transfer_id)?;
        let stamp = ledger.stamps.stamp();
        let parts = told.lines.iter().map(|line| line.resolved.len().saturating_add(1)).sum();
        let ids = ledger.movement_ids(parts);
        let rule = |room: &StockRoom<'_>| transfer::told(told, known.as_ref(), ids, room);
        let Some(event) = ledger.with_stock(skus(told), &stamp, request, rule)? else {
            return Ok(Decision::Answer(Answer::ok(&transfer::view(told))));
        };
        let Event::TransferChanged { transfer, movements, .. } = &event else {
            return Err(internal_mismatch());
        };
        let goods_moved = !movements.is_empty();
        // Goods that left again, or were found here, are news for head office; the document alone is not.
        let tell: Option<Record> = match transfer.from_store_id == ledger.rules.store_id {
            _ if !goods_moved => None,
            true => Some(record::transfer_sent),
            false => Some(record::transfer_resolved),
        };
        moved(ledger, stamp, event, tell, None, request)
    }
}

impl Owner<LedgerBook> {
    /// Whether head office knows the store that goods shall go to.
    fn check_destination(&self, to: &StoreId) -> Result<(), Failure> {
        let kind = Kind::Store.name();
        let told = self.storage.inbound(kind, to.as_str())?;
        let told = told.and_then(|record| serde_json::from_value::<StoreDown>(record.payload).ok());
        let list_is_here = told.is_some() || !self.storage.inbounds(kind, None, 1)?.is_empty();
        Ok(transfer::check_destination(told.as_ref(), list_is_here)?)
    }

    fn transfer(&self, id: &TransferId) -> Result<Transfer, Failure> {
        Ok(self.known_transfer(id)?.ok_or(Refusal::NotFound("transfer"))?)
    }

    /// The transfer as it is by now; one that is over is read from the journal.
    fn known_transfer(&self, id: &TransferId) -> Result<Option<Transfer>, Failure> {
        if let Some(known) = self.book.transfers.get(id) {
            return Ok(Some(known.clone()));
        }
        Ok(self.storage.transfer(id)?)
    }
}

/// Asks a rule about a transfer that is there, which moves at most that many parts.
fn go_on(
    ledger: &mut Ledger,
    known: &Transfer,
    parts: usize,
    request: &RequestContext,
    rule: impl FnOnce(&Transfer, Vec<MovementId>, &StockRoom<'_>) -> Result<Event, Refusal>,
) -> Result<(Stamp, Event), Failure> {
    let stamp = ledger.stamps.stamp();
    let ids = ledger.movement_ids(parts);
    let event = ledger.with_stock(skus(known), &stamp, request, |room| rule(known, ids, room))?;
    Ok((stamp, event))
}

fn skus(transfer: &Transfer) -> impl Iterator<Item = &Sku> {
    transfer.lines.iter().map(|line| &line.sku)
}

fn moved(
    ledger: &Ledger,
    stamp: Stamp,
    event: Event,
    tell: Option<Record>,
    action: Option<&str>,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let Event::TransferChanged { transfer, movements, .. } = &event else { return Err(internal_mismatch()) };
    let records = tell.map(|tell| tell(&stamp, transfer, movements)).into_iter().collect();
    let answer = Answer::ok(&transfer::view(transfer));
    let (id, date) = (transfer.transfer_id.0.clone(), transfer.business_date);
    let outcome = Outcome::of(stamp, event, records, answer);
    Ok(match action {
        Some(action) => ledger.audited(outcome, request, action, &id, date).into(),
        None => outcome.into(),
    })
}
