//! Suppliers and purchase orders.

use super::change::{self, begun};
use super::{Answered, Request};
use crate::failure::Failure;
use crate::purchase::order::{self, Step};
use crate::purchase::supplier;
use domain::answer::Answer;
use domain::purchase::{OrderState, PurchaseOrder, Supplier};
use edge::identity::Nothing;
use edge::page::{Cursor, Limit, List, Page};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const SUPPLIER: &str = r#"{"supplier_id": "sup_1", "code": "TEA", "name": "Tea Ltd", "tax_id": null, "phone": null,
    "email": null, "address": null, "payment_terms_days": 30, "lead_time_days": 7, "state": "active",
    "updated_at": "2026-11-20T02:06:34.739Z"}"#;
const ORDER: &str = r#"{"po_id": "po_1", "supplier_id": "sup_1", "store_id": "S001", "state": "draft",
    "revision": 0, "expected_at": null, "lines": [{"line_no": 1, "sku": "8991234567890", "qty": 24,
    "unit_cost": 9000, "received_qty": 0}], "total": 216000, "note": null, "created_by": "usr_1",
    "created_at": "2026-11-20T02:06:34.739Z", "approved_by": null, "cancel_requested_at": null,
    "updated_at": "2026-11-20T02:06:34.739Z"}"#;

/// `GET /api/suppliers`
pub const SUPPLIERS: Doc = Doc::of("Purchasing", "List suppliers")
    .query::<Page>()
    .answers::<List<Supplier>>(r#"{"items": [], "next_cursor": null}"#);
/// `GET /api/suppliers/:id`
pub const SUPPLIER_READ: Doc = Doc::of("Purchasing", "A supplier").answers::<Supplier>(SUPPLIER);
/// `POST /api/suppliers`
pub const SUPPLIER_ADD: Doc = Doc::of("Purchasing", "Add a supplier")
    .body::<supplier::Fields>(r#"{"code": "TEA", "name": "Tea Ltd", "payment_terms_days": 30}"#)
    .creates::<Supplier>(SUPPLIER)
    .refuses(&[Code::Duplicate]);
/// `PATCH /api/suppliers/:id`
pub const SUPPLIER_CHANGE: Doc = Doc::of("Purchasing", "Change a supplier")
    .body::<supplier::Fields>(r#"{"phone": "+6221"}"#)
    .answers::<Supplier>(SUPPLIER)
    .refuses(&[Code::Duplicate]);
/// `GET /api/purchase-orders`
pub const ORDERS: Doc = Doc::of("Purchasing", "List purchase orders")
    .query::<Orders>()
    .answers::<List<PurchaseOrder>>(r#"{"items": [], "next_cursor": null}"#);
/// `GET /api/purchase-orders/:id`
pub const ORDER_READ: Doc = Doc::of("Purchasing", "A purchase order").answers::<PurchaseOrder>(ORDER);
/// `POST /api/purchase-orders`
pub const ORDER_ADD: Doc = Doc::of("Purchasing", "Write a purchase order down")
    .body::<order::New>(
        r#"{"supplier_id": "sup_1", "store_id": "S001", "lines": [{"sku": "8991234567890", "qty": 24,
            "unit_cost": 9000}]}"#,
    )
    .creates::<PurchaseOrder>(ORDER)
    .refuses(&[Code::UnknownSku]);
/// `PATCH /api/purchase-orders/:id`
pub const ORDER_CHANGE: Doc = Doc::of("Purchasing", "Change an order while it is a draft")
    .body::<order::Change>(r#"{"lines": [{"sku": "8991234567890", "qty": 24, "unit_cost": 9000}]}"#)
    .answers::<PurchaseOrder>(ORDER)
    .refuses(&[Code::UnknownSku, Code::InvalidState]);
/// `POST /api/purchase-orders/:id/approve`
pub const APPROVE: Doc = Doc::of("Purchasing", "Answer for an order")
    .optional_body::<Nothing>("{}")
    .answers::<PurchaseOrder>(ORDER)
    .refuses(&[Code::InvalidState]);
/// `POST /api/purchase-orders/:id/send`
pub const SEND: Doc = Doc::of("Purchasing", "Send an order: its store knows it from now on")
    .optional_body::<Nothing>("{}")
    .answers::<PurchaseOrder>(ORDER)
    .refuses(&[Code::InvalidState]);
/// `POST /api/purchase-orders/:id/cancel`
pub const CANCEL: Doc = Doc::of(
    "Purchasing",
    "Call an order off before anything came; goods that its store took in all the same win",
)
.optional_body::<Nothing>("{}")
.answers::<PurchaseOrder>(ORDER)
.refuses(&[Code::InvalidState]);
/// `POST /api/purchase-orders/:id/close`
pub const CLOSE: Doc = Doc::of("Purchasing", "Expect nothing more of an order")
    .optional_body::<Nothing>("{}")
    .answers::<PurchaseOrder>(ORDER)
    .refuses(&[Code::InvalidState]);

/// `GET /api/suppliers`
pub async fn suppliers(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = change::after(page.cursor.as_ref())?;
    let (pool, limit) = (request.state.db.pool(), change::one_more(page.limit));
    let items: Vec<Supplier> = supplier::TABLE.list(pool, &after, limit).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(items, page.limit, |item| item.supplier_id.clone())))
}

/// `GET /api/suppliers/:id`
pub async fn supplier(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<Supplier> =
        supplier::TABLE.read(pool, request.param("id")).await.map_err(Failure::from)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the supplier"))?))
}

/// `POST /api/suppliers`
pub async fn add_supplier(request: Request) -> Answered {
    let fields: supplier::Fields = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let made = supplier::create(&mut keyed.write, fields, now).await?;
    let location = format!("/api/suppliers/{}", made.supplier_id);
    let done = ("supplier.created", json!({"supplier_id": made.supplier_id, "code": made.code}));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/suppliers/:id`
pub async fn change_supplier(request: Request) -> Answered {
    let fields: supplier::Fields = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let changed = supplier::change(&mut keyed.write, request.param("id"), fields, now).await?;
    let fields = change::fields(&request);
    let done = ("supplier.changed", json!({"supplier_id": changed.supplier_id, "fields": fields}));
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Orders {
    /// Only those of this supplier.
    supplier_id: Option<String>,
    /// Only those for this store.
    store_id: Option<String>,
    /// Only those in this state.
    state: Option<OrderState>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/purchase-orders`
pub async fn orders(request: Request) -> Answered {
    let ask: Orders = request.query()?;
    let after = change::after(ask.cursor.as_ref())?;
    let filter = order::Filter { supplier_id: ask.supplier_id, store_id: ask.store_id, state: ask.state };
    let (pool, limit) = (request.state.db.pool(), change::one_more(ask.limit));
    let items = order::list(pool, &filter, &after, limit).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(items, ask.limit, |item| item.po_id.clone())))
}

/// `GET /api/purchase-orders/:id`
pub async fn order(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<PurchaseOrder> =
        order::TABLE.read(pool, request.param("id")).await.map_err(Failure::from)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the order"))?))
}

/// `POST /api/purchase-orders`
pub async fn add_order(request: Request) -> Answered {
    let new: order::New = request.json()?;
    let by = request.caller()?.user_id.0.clone();
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let made = order::create(&mut keyed.write, new, &by, now).await?;
    let location = format!("/api/purchase-orders/{}", made.po_id);
    let done = ("purchase_order.created", ordered(&made));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/purchase-orders/:id`
pub async fn change_order(request: Request) -> Answered {
    let asked: order::Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let changed = order::change(&mut keyed.write, request.param("id"), asked, now).await?;
    let done = ("purchase_order.changed", ordered(&changed));
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}

/// `POST /api/purchase-orders/:id/approve`
pub async fn approve(request: Request) -> Answered {
    step(request, Step::Approve).await
}

/// `POST /api/purchase-orders/:id/send`
pub async fn send(request: Request) -> Answered {
    step(request, Step::Send).await
}

/// `POST /api/purchase-orders/:id/cancel`
pub async fn cancel(request: Request) -> Answered {
    step(request, Step::Cancel).await
}

/// `POST /api/purchase-orders/:id/close`
pub async fn close(request: Request) -> Answered {
    step(request, Step::Close).await
}

async fn step(request: Request, step: Step) -> Answered {
    let Nothing {} = request.json()?;
    let by = request.caller()?.user_id.0.clone();
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let order = order::step(&mut keyed.write, request.param("id"), step, &by, now).await?;
    let done = (step.audit_action(), ordered(&order));
    change::finish_audited(&request, keyed, done, Answer::ok(&order)).await
}

/// What the audit log tells of an order.
fn ordered(order: &PurchaseOrder) -> Value {
    let PurchaseOrder { po_id, supplier_id, store_id, total, .. } = order;
    json!({"po_id": po_id, "supplier_id": supplier_id, "store_id": store_id, "total": total})
}
