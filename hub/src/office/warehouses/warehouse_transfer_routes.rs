//! Routes of transfers from and to warehouses.

use crate::http::change::begun;
use crate::http::{Answered, Request};
use crate::office::warehouses::warehouse::{self, Warehouse};
use crate::office::warehouses::warehouse_document::{InWarehouse, manager};
use crate::office::warehouses::warehouse_routes::GROUP;
use crate::office::warehouses::warehouse_transfer::{self, TransferStep};
use domain::model::base::answer::Answer;
use domain::rules::inventory::transfer::{NewTransfer, ReceiveTransfer, ResolveTransfer, TransferView, view};
use edge::identity::EmptyBody;
use edge::{Code, Doc, clock};
use serde_json::json;

const TRANSFER: &str = r#"{"transfer_id": "trf_019aa0a0b1c27d3e", "state": "in_transit", "from_store_id": "W1",
    "to_store_id": "S001", "lines": [{"line_no": 1, "sku": "8991234567890", "name": "Tea", "qty": 4, "cost": 36000,
    "received_qty": null}], "discrepancies": [], "in_transit_value": 36000, "note": null,
    "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z",
    "sent_at": "2026-11-20T02:06:34.739Z", "received_by": null, "received_at": null, "cancelled_at": null,
    "cancel_lost": false, "warnings": []}"#;

pub const CREATE: Doc = Doc::of(GROUP, "Send a warehouse's goods to a store or another warehouse")
    .body::<InWarehouse<NewTransfer>>(
        r#"{"store_id": "W1", "to_store_id": "S001", "lines": [{"sku": "8991234567890", "qty": 4}]}"#,
    )
    .creates::<TransferView>(TRANSFER)
    .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InsufficientStock]);
pub const SEND: Doc = Doc::of(GROUP, "Send a warehouse's draft transfer")
    .optional_body::<EmptyBody>("{}")
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::StoreDisabled, Code::InvalidState, Code::InsufficientStock]);
pub const CANCEL: Doc = Doc::of(GROUP, "Cancel a warehouse's transfer; a receipt made meanwhile wins")
    .optional_body::<EmptyBody>("{}")
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::StoreDisabled, Code::InvalidState]);
pub const RECEIVE: Doc = Doc::of(GROUP, "Receive a transfer in a warehouse")
    .body::<ReceiveTransfer>(r#"{"lines": [{"sku": "8991234567890", "qty": 4}]}"#)
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InvalidState, Code::OverReceipt]);
pub const RESOLVE: Doc = Doc::of(GROUP, "Resolve pieces that a warehouse sent and nobody received")
    .body::<ResolveTransfer>(r#"{"lines": [{"sku": "8991234567890", "qty": 1, "resolution": "lost"}]}"#)
    .answers::<TransferView>(TRANSFER)
    .refuses(&[Code::StoreDisabled, Code::InvalidState]);

/// `POST /api/transfers`
pub async fn create(request: Request) -> Answered {
    let asked: InWarehouse<NewTransfer> = request.json()?;
    let (person, now) = (manager(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let mut place = Warehouse::open(hub, write, &asked.store_id, person, now).await?;
    let made = warehouse_transfer::begin(write, &mut place, asked.command).await?;
    let details = json!({"store_id": asked.store_id, "transfer_id": made.transfer_id});
    let answer = Answer::created(format!("/api/transfers/{}", made.transfer_id), &view(&made));
    warehouse::finish(&request, keyed, place, ("stock.transfer_created", details), answer).await
}

/// `POST /api/transfers/:id/send`
pub async fn send(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    step(request, TransferStep::Send).await
}

/// `POST /api/transfers/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    step(request, TransferStep::Cancel).await
}

/// `POST /api/transfers/:id/receive`
pub async fn receive(request: Request) -> Answered {
    let asked: ReceiveTransfer = request.json()?;
    step(request, TransferStep::Receive(asked)).await
}

/// `POST /api/transfers/:id/resolve`
pub async fn resolve(request: Request) -> Answered {
    let asked: ResolveTransfer = request.json()?;
    step(request, TransferStep::Resolve(asked)).await
}

async fn step(request: Request, mut step: TransferStep) -> Answered {
    let (person, now, id) = (manager(&request)?, clock::now(), request.param("id"));
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let store_id = warehouse_transfer::place(write, id, &step).await?;
    let mut place = Warehouse::open(hub, write, &store_id, person, now).await?;
    let made = warehouse_transfer::go_on(write, &mut place, (id, &mut step)).await?;
    let details = json!({"store_id": store_id, "transfer_id": id});
    let done = (step.audit_action(), details);
    warehouse::finish(&request, keyed, place, done, Answer::ok(&view(&made))).await
}
