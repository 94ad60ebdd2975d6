//! Stock documents: adjustments, transfers, counts, reversed receipts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

#[path = "../support/acts.rs"]
mod acts;
#[path = "../support/shop.rs"]
mod shop;

use acts::*;
use domain::adjustment::{self, Adjustment, AdjustmentReason, AdjustmentState};
use domain::event::Event;
use domain::ids::{MovementId, OpnameId};
use domain::mandate::Mandate;
use domain::opname::{self, OpnameState, RecountOpname, Scope, line_view};
use domain::receiving::{self, NewReceiving, NewReceivingLine, Receiving};
use domain::refusal::Refusal;
use domain::settings::NegativeStock;
use domain::stock::Stock;
use domain::transfer::{
    self, NewTransfer, NewTransferLine, ReceiveTransfer, Resolution, ResolveLine, ResolveTransfer, Transfer,
    TransferState,
};
use domain::user::{Caller, Role};
use proptest::prelude::*;
use shop::*;

mod adjustments;
mod counts;
mod receipts;
mod transfers;

fn open() -> Shop {
    let mut service = product("wrap", 500);
    service.track_stock = false;
    let mut milk = product("milk", 800);
    milk.category = Some("c".to_owned());
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000), service, milk]);
    stock(&mut shop, "a", 12, 10_003);
    stock(&mut shop, "b", 4, 1_001);
    shop
}

fn stock(shop: &mut Shop, sku: &str, qty: i64, value: i64) {
    let row = Stock { sku: sku.into(), qty, value, last_cost: value / qty, ..Stock::default() };
    shop.ledger.stock.insert(sku.into(), row);
}

fn staff() -> Caller {
    caller("wati", Role::WarehouseStaff)
}

fn on_hand(shop: &Shop, sku: &str) -> (i64, i64) {
    let row = &shop.ledger.stock[sku];
    (row.qty, row.value)
}

fn ids(shop: &mut Shop) -> Vec<MovementId> {
    shop.ids("mov_", 10)
}

fn nothing(_: &mut Shop) {}

fn case(
    name: &'static str,
    given: fn(&mut Shop),
    when: fn(&mut Shop) -> Result<(), Refusal>,
    code: &'static str,
    detail: &'static str,
) -> Case {
    Case { name, given, when, code, detail }
}
