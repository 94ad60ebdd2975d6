//! Stock documents: adjustments, transfers, counts, reversed receipts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails loudly")]

#[path = "../support/acts.rs"]
mod acts;
#[path = "../support/shop.rs"]
mod shop;

use acts::*;
use domain::adjustment::{self, Adjustment, AdjustmentReason, AdjustmentState};
use domain::event::Event;
use domain::ids::{AdjustmentId, MovementId, OpnameId};
use domain::opname::{self, OpnameState, RecountOpname, Scope, line_view};
use domain::product::Product;
use domain::receiving::{self, NewReceiving, NewReceivingLine, Receiving};
use domain::refusal::Refusal;
use domain::settings::NegativeStock;
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
    let milk = Product { category: Some("c".to_owned()), ..product("milk", 800) };
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000), service(), milk]);
    shop.stock("a", 12, 10_003);
    shop.stock("b", 4, 1_001);
    shop
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
