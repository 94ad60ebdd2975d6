//! Purchase orders, from the draft to their end.

use crate::http::bound_page;
use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::orders::order::{self, Buyer, Filter};
use crate::table::purchase_order;
use domain::model::base::answer::Answer;
use domain::model::inventory::purchase::PurchaseOrder;
use edge::page::List;
use edge::{ApiError, Code, Doc, Reply, clock};
use serde_json::{Value, json};

/// An order, for descriptions of routes.
pub const ORDER: &str = r#"{"po_id": "po_1", "supplier_id": "sup_1", "store_id": "S001",
    "po_no": "PO-2026-000001", "state": "draft", "revision": 0, "expected_at": null, "lines": [{"line_no": 1,
    "sku": "8991234567890", "qty": 24, "unit_cost": 9000, "line_total": null, "received_qty": 0, "rejected_qty": 0, "invoiced_qty": 0,
    "returned_qty": 0, "closed": false, "state": "open", "expected_at": null}], "total": 216000, "note": null,
    "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "writers": [], "proposed": null, "submitted_by": null, "submitted_at": null,
    "rejected_reason": null, "approved_by": null, "approved_total": null, "sent_at": null,
    "cancel_requested_at": null, "cancel_final": false, "closed_reason": null, "warnings": [],
    "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const LIST: Doc = Doc::of("Purchasing", "List purchase orders, newest first")
    .query::<Filter>()
    .answers::<List<PurchaseOrder>>(r#"{"items": [], "next_cursor": null}"#);
pub const READ: Doc = Doc::of("Purchasing", "Retrieve a purchase order").answers::<PurchaseOrder>(ORDER);
pub const ADD: Doc = Doc::of(
    "Purchasing",
    "Create a purchase order; missing unit costs are taken from the supplier's price list",
)
.body::<order::New>(
    r#"{"supplier_id": "sup_1", "store_id": "S001", "lines": [{"sku": "8991234567890", "qty": 24,
            "unit_cost": 9000}]}"#,
)
.creates::<PurchaseOrder>(ORDER)
.refuses(&[Code::UnknownSku]);
pub const CHANGE: Doc = Doc::of("Purchasing", "Update a draft purchase order")
    .body::<order::Change>(r#"{"lines": [{"sku": "8991234567890", "qty": 24, "unit_cost": 9000}]}"#)
    .answers::<PurchaseOrder>(ORDER)
    .refuses(&[Code::UnknownSku, Code::InvalidState]);

/// `GET /api/purchase-orders`
pub async fn list(request: Request) -> Answered {
    let ask: Filter = request.query()?;
    let before = bound_page::after(&ask)?;
    let (pool, limit) = (request.state.db.pool(), change::one_more(ask.limit));
    let today = request.state.today(clock::now());
    let items = order::list(pool, &ask, before, today, limit).await?;
    let page = bound_page::cut(&ask, items, |(made_on, order)| (made_on.clone(), order.po_id.clone()));
    let items = page.items.into_iter().map(|(_, order)| order).collect();
    Ok(Reply::ok(&List { items, next_cursor: page.next_cursor }))
}

/// `GET /api/purchase-orders/:id`
pub async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<PurchaseOrder> = purchase_order::TABLE.read(pool, request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the order"))?))
}

/// `POST /api/purchase-orders`
pub async fn add(request: Request) -> Answered {
    let new: order::New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let buyer = Buyer::of(&mut keyed.write, &request, now).await?;
    let made = order::create(&mut keyed.write, new, &buyer).await?;
    let location = format!("/api/purchase-orders/{}", made.po_id);
    let done = ("purchasing.order_created", ordered(&made));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/purchase-orders/:id`
pub async fn change(request: Request) -> Answered {
    let asked: order::Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let buyer = Buyer::of(&mut keyed.write, &request, now).await?;
    let changed = order::change(&mut keyed.write, request.param("id"), asked, &buyer).await?;
    let done = ("purchasing.order_changed", ordered(&changed));
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}

/// Details of an order for the audit log.
pub fn ordered(order: &PurchaseOrder) -> Value {
    let PurchaseOrder { po_id, po_no, supplier_id, store_id, revision, total, .. } = order;
    json!({"po_id": po_id, "po_no": po_no, "revision": revision, "supplier_id": supplier_id, "store_id": store_id, "total": total})
}
