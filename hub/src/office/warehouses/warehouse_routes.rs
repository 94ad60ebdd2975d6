//! Routes of goods in warehouses: receipts, supplier returns, adjustments.

use crate::http::change::begun;
use crate::http::{Answered, Request};
use crate::office::warehouses::warehouse::{self, Warehouse};
use crate::office::warehouses::warehouse_adjustment::{self, AdjustmentStep};
use crate::office::warehouses::warehouse_document::{self, InWarehouse, clerk, manager};
use crate::office::warehouses::warehouse_receipt;
use domain::model::base::answer::Answer;
use domain::model::inventory::adjustment::Adjustment;
use domain::model::inventory::receiving::Receiving;
use domain::model::inventory::supplier_return::SupplierReturn;
use domain::model::people::user::Role;
use domain::rules::inventory::adjustment::NewAdjustment;
use domain::rules::inventory::receiving::NewReceiving;
use domain::rules::inventory::supplier_return::NewSupplierReturn;
use edge::identity::EmptyBody;
use edge::{Code, Doc, clock};
use serde_json::json;

/// The group of these routes.
pub const GROUP: &str = "Warehouses";

/// A receipt, for descriptions of routes.
const RECEIPT: &str = r#"{"receiving_id": "rcv_019aa0a0b1c27d3e", "state": "posted", "store_id": "W1", "po_id": null,
    "supplier_id": "sup_019a9f11b2c3", "delivery_note_no": "DN-1", "reference": null, "lines": [{"line_no": 1,
    "sku": "8991234567890", "name": "Tea", "qty": 10, "rejected_qty": 0, "unit_cost": 9000, "cost": 90000,
    "correction": 0, "balance_after": 10, "cost_missing": false, "note": null}], "total_cost": 90000, "note": null,
    "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "warnings": []}"#;
/// An adjustment, for descriptions of routes.
const ADJUSTMENT: &str = r#"{"adjustment_id": "adj_019aa0a0b1c27d3e", "state": "posted", "store_id": "W1",
    "reason": "loss", "bucket": "on_hand", "keep": false, "lines": [{"line_no": 1, "sku": "8991234567890",
    "name": "Tea", "qty": -1, "cost": -9000, "correction": 0, "balance_after": 9}], "value": -9000, "note": null,
    "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z",
    "decided_by": null, "decided_at": null}"#;

pub const RECEIVE: Doc = Doc::of(GROUP, "Receive a supplier's goods in a warehouse")
    .body::<InWarehouse<NewReceiving>>(
        r#"{"store_id": "W1", "supplier_id": "sup_019a9f11b2c3", "delivery_note_no": "DN-1",
            "lines": [{"sku": "8991234567890", "qty": 10, "unit_cost": 9000}]}"#,
    )
    .creates::<Receiving>(RECEIPT)
    .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::Duplicate, Code::OverReceipt]);
pub const REVERSE_RECEIPT: Doc =
    Doc::of(GROUP, "Reverse a warehouse's receipt; the goods leave at average cost")
        .optional_body::<EmptyBody>("{}")
        .answers::<Receiving>(RECEIPT)
        .refuses(&[Code::StoreDisabled, Code::InvalidState, Code::InsufficientStock]);
pub const RETURN: Doc = Doc::of(GROUP, "Return a warehouse's goods to their supplier")
    .body::<InWarehouse<NewSupplierReturn>>(
        r#"{"store_id": "W1", "supplier_id": "sup_019a9f11b2c3", "lines": [{"sku": "8991234567890", "qty": 1}]}"#,
    )
    .creates::<SupplierReturn>(
        r#"{"supplier_return_id": "srt_019aa0a0b1c27d3e", "store_id": "W1", "supplier_id": "sup_019a9f11b2c3",
            "reference": null, "bucket": "on_hand", "lines": [{"line_no": 1, "sku": "8991234567890", "name": "Tea",
            "qty": 1, "claim": 9000, "stock_cost": 9000, "balance_after": 9}], "claim": 9000, "stock_cost": 9000,
            "note": null, "business_date": "2026-11-20", "created_by": "usr_1",
            "created_at": "2026-11-20T02:06:34.739Z"}"#,
    )
    .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InsufficientStock]);
pub const ADJUST: Doc = Doc::of(GROUP, "Create a stock adjustment in a warehouse")
    .body::<InWarehouse<NewAdjustment>>(
        r#"{"store_id": "W1", "reason": "loss", "lines": [{"sku": "8991234567890", "qty": -1}]}"#,
    )
    .creates::<Adjustment>(ADJUSTMENT)
    .refuses(&[Code::StoreDisabled, Code::UnknownSku, Code::InsufficientStock, Code::ApprovalRequired]);

macro_rules! step_docs {
    ($($name:ident $summary:literal),+ $(,)?) => {$(
        #[doc = concat!("`POST /api/adjustments/:id/…`: ", $summary)]
        pub const $name: Doc = Doc::of(GROUP, $summary)
            .optional_body::<EmptyBody>("{}")
            .answers::<Adjustment>(ADJUSTMENT)
            .refuses(&[Code::StoreDisabled, Code::InvalidState, Code::InsufficientStock, Code::ApprovalRequired]);
    )+};
}
step_docs! {
    APPROVE "Approve and post a warehouse's pending adjustment",
    REJECT "Reject a warehouse's pending adjustment",
    REVERSE "Reverse a warehouse's posted adjustment",
}

/// `POST /api/receiving`
pub async fn receive(request: Request) -> Answered {
    let asked: InWarehouse<NewReceiving> = request.json()?;
    let (person, now) = (manager(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let mut place = Warehouse::open(hub, write, &asked.store_id, person, now).await?;
    let made = warehouse_receipt::receive(write, &mut place, asked.command).await?;
    let details = json!({"store_id": asked.store_id, "receiving_id": made.receiving_id});
    let answer = Answer::created(format!("/api/receiving/{}", made.receiving_id), &made);
    warehouse::finish(&request, keyed, place, ("stock.received", details), answer).await
}

/// `POST /api/receiving/:id/reverse`
pub async fn reverse_receipt(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (person, now, id) = (manager(&request)?, clock::now(), request.param("id"));
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let words = ("the receipt", "the store must reverse it");
    let store_id = warehouse_document::place(write, ("receiving", id), words).await?;
    let mut place = Warehouse::open(hub, write, &store_id, person, now).await?;
    let made = warehouse_receipt::reverse(write, &mut place, id).await?;
    let details = json!({"store_id": store_id, "receiving_id": id});
    warehouse::finish(&request, keyed, place, ("stock.receipt_reversed", details), Answer::ok(&made)).await
}

/// `POST /api/supplier-returns`
pub async fn send_back(request: Request) -> Answered {
    let asked: InWarehouse<NewSupplierReturn> = request.json()?;
    let (person, now) = (manager(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let mut place = Warehouse::open(hub, write, &asked.store_id, person, now).await?;
    let made = warehouse_receipt::send_back(write, &mut place, asked.command).await?;
    let details = json!({"store_id": asked.store_id, "supplier_return_id": made.supplier_return_id});
    let answer = Answer::created(format!("/api/supplier-returns/{}", made.supplier_return_id), &made);
    warehouse::finish(&request, keyed, place, ("stock.sent_back", details), answer).await
}

/// `POST /api/adjustments`
pub async fn adjust(request: Request) -> Answered {
    let asked: InWarehouse<NewAdjustment> = request.json()?;
    let (person, now) = (clerk(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let mut place = Warehouse::open(hub, write, &asked.store_id, person, now).await?;
    let made = warehouse_adjustment::adjust(write, &mut place, asked.command).await?;
    let details = json!({"store_id": asked.store_id, "adjustment_id": made.adjustment_id});
    let answer = Answer::created(format!("/api/adjustments/{}", made.adjustment_id), &made);
    warehouse::finish(&request, keyed, place, ("stock.adjusted", details), answer).await
}

/// `POST /api/adjustments/:id/approve`
pub async fn approve(request: Request) -> Answered {
    step(request, AdjustmentStep::Approve).await
}

/// `POST /api/adjustments/:id/reject`
pub async fn reject(request: Request) -> Answered {
    step(request, AdjustmentStep::Reject).await
}

/// `POST /api/adjustments/:id/reverse`
pub async fn reverse(request: Request) -> Answered {
    step(request, AdjustmentStep::Reverse).await
}

async fn step(request: Request, step: AdjustmentStep) -> Answered {
    let EmptyBody {} = request.json()?;
    let (person, now, id) = (manager(&request)?, clock::now(), request.param("id"));
    let administers = person.role == Role::Admin;
    let mut keyed = begun!(request, now);
    let (hub, write) = (&request.state, &mut keyed.write);
    let words = ("the adjustment", "the store must decide on it");
    let store_id = warehouse_document::place(write, ("adjustment", id), words).await?;
    let mut place = Warehouse::open(hub, write, &store_id, person, now).await?;
    let made = warehouse_adjustment::go_on(write, &mut place, (id, step), administers).await?;
    let details = json!({"store_id": store_id, "adjustment_id": id});
    warehouse::finish(&request, keyed, place, (step.audit_action(), details), Answer::ok(&made)).await
}
