//! Baskets: changed, held, recalled at current prices, voided, and reversed payments.

use domain::model::base::ids::{HoldId, TransactionId};
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::PriceOverride;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::{Cash, ShiftState};
use domain::model::inventory::stock::Stock;
use domain::model::people::authorization::Authorization;
use domain::model::selling::hold::{Hold, HoldState};
use domain::model::selling::promotion::Promotion;
use domain::model::selling::transaction::{DiscountSource, TransactionState};
use domain::rules::books::shift::CloseShift;
use domain::rules::selling::hold::{HoldSale, RecallHold, expire};
use domain::rules::selling::sale;
use domain::rules::selling::sale::{ChangeSale, CreateSale, NewItem, PaySale};
use domain::wire::record;
use proptest::prelude::*;
use serde_json::json;
use testkit::acts::*;
use testkit::shop::*;

mod holds;
mod record_size;
mod refused;
mod sale_refusals;
mod sale_text;
mod tenders;

fn one(shop: &mut Shop) -> TransactionId {
    shop.create(&basket(vec![item("a", 2, 2000)])).unwrap()
}

fn a_basket(shop: &mut Shop) {
    one(shop);
}

fn a_hold(shop: &mut Shop) {
    let id = one(shop);
    shop.hold(&id).unwrap();
}

/// Pays a part, and reverses the payment.
fn taken_back(shop: &mut Shop) {
    let id = one(shop);
    shop.pay(&id, &pay_by("cash", 1000)).unwrap();
    let payment = shop.shift.open[&id].payments[0].payment_id.clone();
    shop.reverse(&id, &payment).unwrap();
}

fn part_paid(shop: &mut Shop) {
    let id = one(shop);
    shop.pay(&id, &pay_by("cash", 1000)).unwrap();
}

fn sold(shop: &mut Shop) {
    shop.sell(vec![item("a", 2, 2000)]).unwrap();
}

fn first(shop: &Shop) -> TransactionId {
    shop.shift.open.keys().next().unwrap().clone()
}

fn held(shop: &Shop) -> HoldId {
    shop.ledger.holds.keys().next().unwrap().clone()
}

fn change(shop: &mut Shop, cmd: ChangeSale) -> Result<Vec<String>, Refusal> {
    let id = first(shop);
    shop.change(&id, &cmd)
}
