//! Stock documents: adjustments, transfers, counts, reversed receipts.

use domain::model::base::event::{Event, Fact, Rows, fact};
use domain::model::base::ids::{AdjustmentId, MovementId, OpnameId};
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::NegativeStock;
use domain::model::base::time::UtcMs;
use domain::model::inventory::adjustment::{Adjustment, AdjustmentReason, AdjustmentState};
use domain::model::inventory::opname::{Opname, OpnameLine, OpnameState, Scope};
use domain::model::inventory::product::Product;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::transfer::{Resolution, Transfer, TransferState};
use domain::model::people::user::{Principal, Role};
use domain::rules::inventory::adjustment;
use domain::rules::inventory::opname;
use domain::rules::inventory::opname::{Count, CountMode, CountOpname, RecountOpname, line_view};
use domain::rules::inventory::receiving;
use domain::rules::inventory::receiving::{COMPARED_MS, NewReceiving, NewReceivingLine, counted_before};
use domain::rules::inventory::transfer;
use domain::rules::inventory::transfer::{
    NewTransfer, NewTransferLine, ReceiveTransfer, Receiver, ResolveLine, ResolveTransfer,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use testkit::acts::*;
use testkit::shop::*;

mod adjustments;
mod counts;
mod dates;
mod receipts;
mod transfers;
mod write_offs;

fn open() -> Shop {
    let milk = Product { category: Some("c".to_owned()), ..product("milk", 800) };
    let mut shop = Shop::open(rules(), [product("a", 1000), product("b", 3000), service(), milk]);
    shop.stock("a", 12, 10_003);
    shop.stock("b", 4, 1_001);
    shop
}

fn staff() -> Principal {
    caller("wati", Role::WarehouseStaff)
}

fn on_hand(shop: &Shop, sku: &str) -> (i64, i64) {
    let row = &shop.ledger.stock[sku];
    (row.qty.get(), row.value.get())
}

fn ids(shop: &mut Shop) -> Vec<MovementId> {
    shop.ids("mov_", 10)
}
