//! Baskets: changed, held, recalled at the prices of now, voided, their payments taken back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails loudly")]

#[path = "../support/acts.rs"]
mod acts;
#[path = "../support/shop.rs"]
mod shop;

use acts::*;
use domain::hold::{Hold, HoldSale, HoldState, expire};
use domain::ids::{HoldId, TransactionId};
use domain::mandate::Mandate;
use domain::promotion::Promotion;
use domain::refusal::Refusal;
use domain::sale::{self, ChangeSale, CreateSale, NewItem, PaySale};
use domain::settings::PriceOverride;
use domain::shift::{Cash, ShiftState};
use domain::stock::Stock;
use domain::time::UtcMs;
use domain::transaction::{DiscountSource, TransactionState};
use proptest::prelude::*;
use shop::*;

mod holds;
mod refused;
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
