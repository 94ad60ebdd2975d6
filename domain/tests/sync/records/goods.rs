//! Goods that leave a store, come back or arrive, and head office's changes to them.

use super::store::{Died, Disk, Store};
use domain::model::base::event::{Event, Rows, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{MovementId, Sku, StoreId, TransferId};
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::stock::{Movement, Stock};
use domain::model::inventory::transfer::{Transfer, TransferState};
use domain::model::people::authorization::Authorization;
use domain::rules::inventory::stock::StockContext;
use domain::rules::inventory::transfer;
use domain::rules::inventory::transfer::{NewTransfer, NewTransferLine, ReceiveTransfer, Receiver};
use domain::wire::feed::Change;
use domain::wire::record;
use std::collections::BTreeMap;
use testkit::shop::{boss, product};

/// The product that is transferred.
const GOODS: &str = "g";
/// Pieces in every store at the start.
pub const PIECES: i64 = 100;

type Reported = fn(&Stamp, &Transfer, &[Movement]) -> String;

impl Disk {
    pub fn stocked(mut self) -> Self {
        let sku = Sku::from(GOODS);
        let row = Stock {
            sku: sku.clone(),
            qty: PIECES.into(),
            value: Money::new(1000 * PIECES),
            last_cost: Money::new(1000),
            ..Stock::default()
        };
        self.ledger.stock.insert(sku, row);
        self
    }

    pub fn pieces(&self) -> i64 {
        self.ledger.stock[&Sku::from(GOODS)].qty.get()
    }

    /// Returns the current transfer, also a finished one.
    fn transfer(&self, id: &TransferId) -> Option<Transfer> {
        self.ledger.transfers.get(id).or_else(|| self.transfers.get(id)).cloned()
    }

    fn moved(&mut self, event: &Event<fact::TransferChanged>) {
        self.ledger.evolve(&event.clone().into());
        let transfer = &event.fact.transfer;
        self.transfers.insert(transfer.transfer_id.clone(), transfer.clone());
    }
}

fn lines(qty: i64) -> Vec<NewTransferLine> {
    vec![NewTransferLine { sku: GOODS.into(), code: None, qty: qty.into() }]
}

impl Store {
    fn decide(
        &self,
        wall: UtcMs,
        rule: impl FnOnce(
            Vec<MovementId>,
            &StockContext<'_>,
        ) -> Result<Option<Event<fact::TransferChanged>>, Refusal>,
    ) -> Result<Option<Event<fact::TransferChanged>>, Refusal> {
        let who = boss();
        let rules: &Rules = &self.rules;
        let context = StockContext {
            now: wall,
            authorization: Authorization::unapproved(&who),
            rules,
            book: &self.disk.ledger,
        };
        let ids = (0..4).map(|n| MovementId(format!("mov_{}_{n}", self.disk.log.len()))).collect();
        rule(ids, &context)
    }

    fn commits(
        &mut self,
        event: &Event<fact::TransferChanged>,
        stamp: &Stamp,
        tell: Option<Reported>,
    ) -> Result<(), Died> {
        let Event { fact: fact::TransferChanged { transfer, .. }, rows: Rows { movements, .. } } = event;
        match tell {
            Some(tell) => {
                let text = tell(stamp, transfer, movements);
                self.append(stamp, text, |disk| disk.moved(event))
            }
            None => self.commit(|disk| disk.moved(event)),
        }
    }

    pub fn sends(&mut self, wall: UtcMs, to: &StoreId, id: &str, qty: i64, stamp: &str) {
        let cmd = NewTransfer { to_store_id: to.clone(), lines: lines(qty), note: None, draft: None };
        let products = BTreeMap::from([(Sku::from(GOODS), product(GOODS, 1000))]);
        let event = self.decide(wall, |ids, context| {
            transfer::create(&cmd, Receiver::Listed, id.into(), ids, &products, context).map(Some)
        });
        let stamp = self.stamp(wall, stamp);
        self.commits(&event.unwrap().unwrap(), &stamp, Some(record::transfer_sent)).unwrap();
    }

    /// Receives or cancels the first transfer for which this is possible. Returns false if there is none.
    pub fn goes_on(&mut self, wall: UtcMs, receives: bool, short: i64, stamp: &str) -> bool {
        let own = &self.rules.store_id;
        let mine = |transfer: &&Transfer| {
            let store = if receives { &transfer.to_store_id } else { &transfer.from_store_id };
            transfer.state == TransferState::InTransit && store == own
        };
        let Some(known) = self.disk.transfers.values().find(mine).cloned() else { return false };
        let cmd = ReceiveTransfer { lines: lines(known.lines[0].qty.get() - short) };
        let event = self.decide(wall, |ids, context| match receives {
            true => transfer::receive(&cmd, &known, ids, context).map(Some),
            false => transfer::cancel(&known, ids, context).map(Some),
        });
        let tell: Reported = if receives { record::transfer_received } else { record::transfer_cancelled };
        let stamp = self.stamp(wall, stamp);
        self.commits(&event.unwrap().unwrap(), &stamp, Some(tell)).unwrap();
        true
    }

    /// Applies head office's record about a transfer.
    pub fn recorded_goods(&mut self, wall: UtcMs, change: &Change) -> Result<(), Died> {
        let reported: Transfer = serde_json::from_value(change.payload.clone()).unwrap();
        let known = self.disk.transfer(&reported.transfer_id);
        let event =
            self.decide(wall, |ids, context| transfer::merge_remote(&reported, known.as_ref(), ids, context));
        let Ok(Some(event)) = event else { return Ok(()) };
        let Event { fact: fact::TransferChanged { transfer, .. }, rows: Rows { movements, .. } } = &event;
        // Goods that left again or were found here are reported to head office; the document alone is not.
        let tell: Option<Reported> = match transfer.from_store_id == self.rules.store_id {
            _ if movements.is_empty() => None,
            true => Some(record::transfer_sent),
            false => Some(record::transfer_resolved),
        };
        let stamp = self.back(wall);
        self.commits(&event, &stamp, tell)
    }
}
