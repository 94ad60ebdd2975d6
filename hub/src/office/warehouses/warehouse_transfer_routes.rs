//! Routes of transfers of warehouses.

use crate::http::prelude::*;
use crate::office::warehouses::warehouse_document::InWarehouse;
use crate::office::warehouses::warehouse_routes::GROUP;
use crate::office::warehouses::warehouse_transfer::{self, TransferStep};
use domain::rules::inventory::transfer::{NewTransfer, ReceiveTransfer, ResolveTransfer, TransferView, view};

const TRANSFER: &str = r#"{"transfer_id": "trf_019aa0a0b1c27d3e", "state": "in_transit", "from_store_id": "W1",
    "to_store_id": "S001", "lines": [{"line_no": 1, "sku": "8991234567890", "name": "Tea", "qty": 4, "cost": 36000,
    "received_qty": null}], "discrepancies": [], "in_transit_value": 36000, "note": null,
    "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z",
    "sent_at": "2026-11-20T02:06:34.739Z", "received_by": null, "received_at": null, "cancelled_at": null,
    "cancel_lost": false, "warnings": []}"#;

pub const ROUTES: &[Route<Hub>] = &[
    post("/api/transfers", PURCHASING, GROUP)
        .summary("Send a warehouse's goods to a store or another warehouse")
        .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InsufficientStock])
        .creates::<InWarehouse<NewTransfer>>(
            r#"{"store_id": "W1", "to_store_id": "S001", "lines": [{"sku": "8991234567890", "qty": 4}]}"#,
            TRANSFER,
        ),
    post("/api/transfers/:id/send", PURCHASING, GROUP)
        .summary("Send a warehouse's draft transfer")
        .refuses(&[Code::StoreDisabled, Code::InvalidState, Code::InsufficientStock])
        .step::<Send>(TRANSFER),
    post("/api/transfers/:id/cancel", PURCHASING, GROUP)
        .summary("Cancel a warehouse's transfer; if the receiver records a receipt first, the receipt counts")
        .refuses(&[Code::StoreDisabled, Code::InvalidState])
        .step::<Cancel>(TRANSFER),
    post("/api/transfers/:id/receive", PURCHASING, GROUP)
        .summary("Receive a transfer in a warehouse")
        .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InvalidState, Code::OverReceipt])
        .command::<ReceiveTransfer>(r#"{"lines": [{"sku": "8991234567890", "qty": 4}]}"#, TRANSFER),
    post("/api/transfers/:id/resolve", PURCHASING, GROUP)
        .summary("Resolve pieces that a warehouse sent and nobody received")
        .refuses(&[Code::StoreDisabled, Code::InvalidState])
        .command::<ResolveTransfer>(
            r#"{"lines": [{"sku": "8991234567890", "qty": 1, "resolution": "lost"}]}"#,
            TRANSFER,
        ),
];

without_body!(Send, Cancel);

impl Command for InWarehouse<NewTransfer> {
    const ACTION: &'static str = "stock.transfer_created";
    type Answer = TransferView;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TransferView>, Failure> {
        let mut warehouse = tx.warehouse(&self.store_id).await?;
        let made = warehouse_transfer::begin(tx.connection, &mut warehouse, self.command).await?;
        let details = json!({"store_id": self.store_id, "transfer_id": made.transfer_id});
        let location = format!("/api/transfers/{}", made.transfer_id);
        warehouse.finish(tx, Changed::created(location, &view(&made), details).described_as()).await
    }
}

impl Command for Send {
    const ACTION: &'static str = "stock.transfer_sent";
    type Answer = TransferView;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TransferView>, Failure> {
        taken(tx, TransferStep::Send).await
    }
}

impl Command for Cancel {
    const ACTION: &'static str = "stock.transfer_cancelled";
    type Answer = TransferView;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TransferView>, Failure> {
        taken(tx, TransferStep::Cancel).await
    }
}

impl Command for ReceiveTransfer {
    const ACTION: &'static str = "stock.transfer_received";
    type Answer = TransferView;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TransferView>, Failure> {
        taken(tx, TransferStep::Receive(self)).await
    }
}

impl Command for ResolveTransfer {
    const ACTION: &'static str = "stock.transfer_resolved";
    type Answer = TransferView;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<TransferView>, Failure> {
        taken(tx, TransferStep::Resolve(self)).await
    }
}

async fn taken(tx: &mut Tx<'_>, mut step: TransferStep) -> Result<Changed<TransferView>, Failure> {
    let id = tx.path.get("id");
    let store_id = warehouse_transfer::place(tx.connection, id, &step).await?;
    let mut warehouse = tx.warehouse(&store_id).await?;
    let made = warehouse_transfer::take_step(tx.connection, &mut warehouse, (id, &mut step)).await?;
    let details = json!({"store_id": store_id, "transfer_id": id});
    warehouse.finish(tx, Changed::answer(&view(&made), details).described_as()).await
}
