//! Transfers: sending, receiving, settling, calling off, and changes from head office.

use super::Ledger;
use super::doubts::Counted;
use crate::owners::scanned;
use crate::prelude::*;
use domain::model::base::ids::{MovementId, Sku, StoreId, TransferId};
use domain::model::inventory::stock::Movement;
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::rules::inventory::stock::StockContext;
use domain::rules::inventory::transfer;
use domain::rules::inventory::transfer::NewTransfer;
use domain::wire::feed::{Kind, StoreDown};

/// Creates a transfer, and sends it unless it is a draft, by the rules of
/// [`domain::rules::inventory::transfer::create`].
pub struct CreateTransfer(pub NewTransfer);

/// Sends a draft, by the rules of [`domain::rules::inventory::transfer::send`].
pub struct SendTransfer(pub TransferId);

/// Takes in the arrived pieces, by the rules of [`domain::rules::inventory::transfer::receive`].
pub struct ReceiveTransfer(pub TransferId, pub transfer::ReceiveTransfer);

/// Records what happened to missing pieces, by the rules of [`domain::rules::inventory::transfer::resolve`].
pub struct ResolveTransfer(pub TransferId, pub transfer::ResolveTransfer);

/// Calls a transfer off, by the rules of [`domain::rules::inventory::transfer::cancel`].
pub struct CancelTransfer(pub TransferId);

/// Takes over a transfer that head office sent, by the rules of [`domain::rules::inventory::transfer::merge_remote`].
pub(super) struct MergeTransfer(pub(super) Box<Transfer>);

/// Record by which a step is reported to head office.
type Record = fn(&Stamp, &Transfer, &[Movement]) -> String;

impl Dispatch for CreateTransfer {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        let (mut scanned, products) = scanned::scanned(context, &self.0, |command| &mut command.lines)?;
        if let Some(command) = &mut scanned {
            transfer::add_up_skus(&mut command.lines);
        }
        Ok((scanned, products))
    }
}

impl Command for CreateTransfer {
    type Book = LedgerBook;
    /// The command with products and pieces in place of scanned codes.
    type Rows = (Option<NewTransfer>, Products);

    fn check(&self, rules: &Rules) -> Result<(), Refusal> {
        self.0.check(&rules.store_id)
    }

    fn decide(
        &self,
        (scanned, products): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let command = scanned.as_ref().unwrap_or(&self.0);
        let receiver = ledger.check_destination(&command.to_store_id)?;
        let stamp = ledger.stamps.stamp();
        let (id, ids) = (ledger.stamps.id("trf_"), ledger.movement_ids(command.lines.len()));
        let skus = command.lines.iter().map(|line| &line.sku);
        let rule =
            |context: &StockContext<'_>| transfer::create(command, receiver, id, ids, &products, context);
        let event = ledger.with_stock(skus, &stamp, request, rule)?;
        let transfer = &event.fact.transfer;
        let movements = &event.rows.movements;
        let location = format!("/api/transfers/{}", transfer.transfer_id);
        let answer = Answer::created(location, &transfer::view(transfer));
        // A draft does not concern other stores.
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
        let receiver = ledger.check_destination(&known.to_store_id)?;
        let (stamp, event) = run_rule(ledger, &known, known.lines.len(), request, |known, ids, context| {
            transfer::send(known, receiver, ids, context)
        })?;
        moved(ledger, stamp, event, Some(record::transfer_sent), None, request)
    }
}

impl Dispatch for ReceiveTransfer {
    async fn load(&self, context: &Context, _request: &RequestContext) -> Result<Self::Rows, Failure> {
        let (mut scanned, _) = scanned::scanned(context, &self.1, |command| &mut command.lines)?;
        if let Some(command) = &mut scanned {
            transfer::add_up_skus(&mut command.lines);
        }
        let lines = &scanned.as_ref().unwrap_or(&self.1).lines;
        let arrived = lines.iter().filter(|line| line.qty > 0).map(|line| &line.sku);
        let counted = Counted::load(&context.storage, arrived)?;
        Ok((scanned, counted))
    }
}

impl Command for ReceiveTransfer {
    type Book = LedgerBook;
    /// The command with products and pieces in place of scanned codes, and counts of the products that arrived.
    type Rows = (Option<transfer::ReceiveTransfer>, Counted);

    fn check(&self, _rules: &Rules) -> Result<(), Refusal> {
        self.1.check()
    }

    fn decide(
        &self,
        (scanned, counted): Self::Rows,
        ledger: &mut Ledger,
        request: &RequestContext,
    ) -> Result<Decision, Failure> {
        let command = scanned.as_ref().unwrap_or(&self.1);
        let known = ledger.transfer(&self.0)?;
        let (stamp, mut event) =
            run_rule(ledger, &known, known.lines.len(), request, |known, ids, context| {
                transfer::receive(command, known, ids, context)
            })?;
        event.fact.transfer.warnings = counted.warnings(stamp.now);
        moved(ledger, stamp, event, Some(record::transfer_received), None, request)
    }
}

impl Dispatch for ResolveTransfer {}

impl Command for ResolveTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let known = ledger.transfer(&self.0)?;
        let (stamp, event) = run_rule(ledger, &known, self.1.lines.len(), request, |known, ids, context| {
            transfer::resolve(&self.1, known, ids, context)
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
        let (stamp, event) = run_rule(ledger, &known, known.lines.len(), request, transfer::cancel)?;
        let was_sent = known.state != TransferState::Draft;
        let tell = was_sent.then_some(record::transfer_cancelled as Record);
        moved(ledger, stamp, event, tell, Some("transfer.cancelled"), request)
    }
}

impl Command for MergeTransfer {
    type Book = LedgerBook;
    type Rows = ();

    fn decide(&self, (): (), ledger: &mut Ledger, request: &RequestContext) -> Result<Decision, Failure> {
        let reported = &*self.0;
        let known = ledger.known_transfer(&reported.transfer_id)?;
        let stamp = ledger.stamps.stamp();
        let parts = reported.lines.iter().map(|line| line.resolved.len().saturating_add(1)).sum();
        let ids = ledger.movement_ids(parts);
        let rule =
            |context: &StockContext<'_>| transfer::merge_remote(reported, known.as_ref(), ids, context);
        let Some(event) = ledger.with_stock(skus(reported), &stamp, request, rule)? else {
            return Ok(Decision::Answer(Answer::ok(&transfer::view(reported))));
        };
        let transfer = &event.fact.transfer;
        let movements = &event.rows.movements;
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
    fn check_destination(&self, to: &StoreId) -> Result<transfer::Receiver, Failure> {
        let kind = Kind::Store.name();
        let reported = self.storage.sync().inbound(kind, to.as_str())?;
        let reported = reported.and_then(|record| serde_json::from_value::<StoreDown>(record.payload).ok());
        let list_is_here = reported.is_some() || !self.storage.sync().inbounds(kind, None, 1)?.is_empty();
        Ok(transfer::check_destination(reported.as_ref(), list_is_here)?)
    }

    fn transfer(&self, id: &TransferId) -> Result<Transfer, Failure> {
        Ok(self.known_transfer(id)?.ok_or(Refusal::NotFound("transfer"))?)
    }

    /// The transfer as it is by now; one that is over is read from the journal.
    fn known_transfer(&self, id: &TransferId) -> Result<Option<Transfer>, Failure> {
        if let Some(known) = self.book.transfers.get(id) {
            return Ok(Some(known.clone()));
        }
        Ok(self.storage.stock_documents().transfer(id)?)
    }
}

/// Runs a rule on an existing transfer; it makes at most `parts` movements.
fn run_rule(
    ledger: &mut Ledger,
    known: &Transfer,
    parts: usize,
    request: &RequestContext,
    rule: impl FnOnce(
        &Transfer,
        Vec<MovementId>,
        &StockContext<'_>,
    ) -> Result<Event<fact::TransferChanged>, Refusal>,
) -> Result<(Stamp, Event<fact::TransferChanged>), Failure> {
    let stamp = ledger.stamps.stamp();
    let ids = ledger.movement_ids(parts);
    let event = ledger.with_stock(skus(known), &stamp, request, |context| rule(known, ids, context))?;
    Ok((stamp, event))
}

fn skus(transfer: &Transfer) -> impl Iterator<Item = &Sku> {
    transfer.lines.iter().map(|line| &line.sku)
}

fn moved(
    ledger: &Ledger,
    stamp: Stamp,
    event: Event<fact::TransferChanged>,
    tell: Option<Record>,
    action: Option<&str>,
    request: &RequestContext,
) -> Result<Decision, Failure> {
    let transfer = &event.fact.transfer;
    let movements = &event.rows.movements;
    let records = tell.map(|tell| tell(&stamp, transfer, movements)).into_iter().collect();
    let answer = Answer::ok(&transfer::view(transfer));
    let (id, date) = (transfer.transfer_id.0.clone(), transfer.business_date);
    let outcome = Outcome::of(stamp, event, records, answer);
    Ok(match action {
        Some(action) => ledger.audited(outcome, request, action, &id, date).into(),
        None => outcome.into(),
    })
}
