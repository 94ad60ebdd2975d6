//! Routes of goods in warehouses: receipts, supplier returns, adjustments.

use crate::http::prelude::*;
use crate::http::route::Row;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::warehouse_adjustment::{self, AdjustmentStep};
use crate::office::warehouses::warehouse_document::{self, InWarehouse, clerk};
use crate::office::warehouses::warehouse_receipt;
use domain::model::inventory::adjustment::Adjustment;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::supplier_return::SupplierReturn;
use domain::model::people::user::Role;
use domain::rules::inventory::adjustment::NewAdjustment;
use domain::rules::inventory::receiving::NewReceiving;
use domain::rules::inventory::supplier_return::NewSupplierReturn;

/// The group of these routes.
pub const GROUP: &str = "Warehouses";

/// A receipt, for descriptions of routes.
const RECEIPT: &str = r#"{"receiving_id": "rcv_019aa0a0b1c27d3e", "state": "posted", "store_id": "W1", "po_id": null,
    "supplier_id": "sup_019a9f11b2c3", "delivery_note_no": "DN-1", "reference": null, "lines": [{"line_no": 1,
    "sku": "8991234567890", "name": "Tea", "qty": 10, "rejected_qty": 0, "unit_cost": 9000, "cost": 90000,
    "correction": 0, "balance_after": 10, "cost_missing": false, "note": null}], "total_cost": 90000, "note": null, "resubmits": null,
    "replaced_by": null,
    "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "warnings": []}"#;
/// An adjustment, for descriptions of routes.
const ADJUSTMENT: &str = r#"{"adjustment_id": "adj_019aa0a0b1c27d3e", "state": "posted", "store_id": "W1",
    "reason": "loss", "bucket": "on_hand", "keep": false, "lines": [{"line_no": 1, "sku": "8991234567890",
    "name": "Tea", "qty": -1, "cost": -9000, "correction": 0, "balance_after": 9}], "value": -9000, "note": null,
    "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z",
    "decided_by": null, "decided_at": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    post("/api/receiving", PURCHASING, GROUP).summary("Receive a supplier's goods in a warehouse")
        .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::Duplicate, Code::OverReceipt])
        .creates::<InWarehouse<NewReceiving>>(
            r#"{"store_id": "W1", "supplier_id": "sup_019a9f11b2c3", "delivery_note_no": "DN-1",
            "lines": [{"sku": "8991234567890", "qty": 10, "unit_cost": 9000}]}"#,
            RECEIPT,
        ),
    post("/api/receiving/:id/reverse", PURCHASING, GROUP).summary("Reverse a warehouse's receipt of goods; the goods leave stock at average cost")
    .refuses(&[Code::StoreDisabled, Code::InvalidState, Code::InsufficientStock])
    .step::<ReverseReceipt>(RECEIPT),
    post("/api/supplier-returns", PURCHASING, GROUP).summary("Return a warehouse's goods to their supplier")
        .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InsufficientStock])
        .creates::<InWarehouse<NewSupplierReturn>>(
            r#"{"store_id": "W1", "supplier_id": "sup_019a9f11b2c3", "lines": [{"sku": "8991234567890", "qty": 1}]}"#,
            r#"{"supplier_return_id": "srt_019aa0a0b1c27d3e", "store_id": "W1", "supplier_id": "sup_019a9f11b2c3",
            "reference": null, "bucket": "on_hand", "lines": [{"line_no": 1, "sku": "8991234567890", "name": "Tea",
            "qty": 1, "claim": 9000, "stock_cost": 9000, "balance_after": 9}], "claim": 9000, "stock_cost": 9000,
            "note": null, "business_date": "2026-11-20", "created_by": "usr_1",
            "created_at": "2026-11-20T02:06:34.739Z"}"#,
        ),
    post("/api/adjustments", PURCHASING, GROUP).summary("Create a stock adjustment in a warehouse")
        .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InsufficientStock, Code::ApprovalRequired])
        .creates::<InWarehouse<NewAdjustment>>(
            r#"{"store_id": "W1", "reason": "loss", "lines": [{"sku": "8991234567890", "qty": -1}]}"#,
            ADJUSTMENT,
        ),
    step("/api/adjustments/:id/approve", "Approve and post a warehouse's pending adjustment")
        .step::<Approve>(ADJUSTMENT),
    step("/api/adjustments/:id/reject", "Reject a warehouse's pending adjustment").step::<Reject>(ADJUSTMENT),
    step("/api/adjustments/:id/reverse", "Reverse a warehouse's posted adjustment")
        .step::<Reverse>(ADJUSTMENT),
];

/// A step of an adjustment.
const fn step(path: &'static str, summary: &'static str) -> Row {
    post(path, PURCHASING, GROUP).summary(summary).refuses(&[
        Code::StoreDisabled,
        Code::InvalidState,
        Code::InsufficientStock,
        Code::ApprovalRequired,
    ])
}

without_body!(ReverseReceipt, Approve, Reject, Reverse);

impl Command for InWarehouse<NewReceiving> {
    const ACTION: &'static str = "stock.received";
    type Answer = Receiving;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Receiving>, Failure> {
        let mut warehouse = tx.warehouse(&self.store_id).await?;
        let made = warehouse_receipt::receive(tx.connection, &mut warehouse, self.command).await?;
        let details = json!({"store_id": self.store_id, "receiving_id": made.receiving_id});
        let location = format!("/api/receiving/{}", made.receiving_id);
        warehouse.finish(tx, Changed::created(location, &made, details)).await
    }
}

impl Command for ReverseReceipt {
    const ACTION: &'static str = "stock.receipt_reversed";
    type Answer = Receiving;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Receiving>, Failure> {
        let (id, words) = (tx.path.get("id"), ("the receipt", "the store must reverse it"));
        let store_id = warehouse_document::place(tx.connection, ("receiving", id), words).await?;
        let mut warehouse = tx.warehouse(&store_id).await?;
        let made = warehouse_receipt::reverse(tx.connection, &mut warehouse, id).await?;
        let details = json!({"store_id": store_id, "receiving_id": id});
        warehouse.finish(tx, Changed::answer(&made, details)).await
    }
}

impl Command for InWarehouse<NewSupplierReturn> {
    const ACTION: &'static str = "stock.sent_back";
    type Answer = SupplierReturn;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<SupplierReturn>, Failure> {
        let mut warehouse = tx.warehouse(&self.store_id).await?;
        let made = warehouse_receipt::send_back(tx.connection, &mut warehouse, self.command).await?;
        let details = json!({"store_id": self.store_id, "supplier_return_id": made.supplier_return_id});
        let location = format!("/api/supplier-returns/{}", made.supplier_return_id);
        warehouse.finish(tx, Changed::created(location, &made, details)).await
    }
}

impl Command for InWarehouse<NewAdjustment> {
    const ACTION: &'static str = "stock.adjusted";
    type Answer = Adjustment;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Adjustment>, Failure> {
        let (person, now) = (clerk(tx.caller), tx.now);
        let mut warehouse = Warehouse::open(tx.hub, tx.connection, &self.store_id, person, now).await?;
        let made = warehouse_adjustment::adjust(tx.connection, &mut warehouse, self.command).await?;
        let details = json!({"store_id": self.store_id, "adjustment_id": made.adjustment_id});
        let location = format!("/api/adjustments/{}", made.adjustment_id);
        warehouse.finish(tx, Changed::created(location, &made, details)).await
    }
}

/// Steps of an adjustment.
macro_rules! steps {
    ($($step:ident $action:literal),+ $(,)?) => {$(
        impl Command for $step {
            const ACTION: &'static str = $action;
            type Answer = Adjustment;

            async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Adjustment>, Failure> {
                taken(tx, AdjustmentStep::$step).await
            }
        }
    )+};
}
steps! {
    Approve "stock.adjustment_approved",
    Reject "stock.adjustment_rejected",
    Reverse "stock.adjustment_reversed",
}

async fn taken(tx: &mut Tx<'_>, step: AdjustmentStep) -> Result<Changed<Adjustment>, Failure> {
    let (id, words) = (tx.path.get("id"), ("the adjustment", "the store must decide on it"));
    let administers = tx.caller.role == Role::Admin;
    let store_id = warehouse_document::place(tx.connection, ("adjustment", id), words).await?;
    let mut warehouse = tx.warehouse(&store_id).await?;
    let made =
        warehouse_adjustment::take_step(tx.connection, &mut warehouse, (id, step), administers).await?;
    let details = json!({"store_id": store_id, "adjustment_id": id});
    warehouse.finish(tx, Changed::answer(&made, details)).await
}
