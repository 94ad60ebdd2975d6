//! Purchase orders, from the draft to their end.

use crate::http::change;
use crate::http::filtered_list::FilteredList;
use crate::http::prelude::*;
use crate::office::orders::order;
use crate::office::orders::order_list::{self, Filter};
use crate::table::purchase_order;
use domain::model::inventory::purchase::PurchaseOrder;

/// An order, for descriptions of routes.
pub const ORDER: &str = r#"{"po_id": "po_1", "supplier_id": "sup_1", "store_id": "S001",
    "po_no": "PO-2026-000001", "state": "draft", "revision": 0, "expected_at": null, "lines": [{"line_no": 1,
    "sku": "8991234567890", "qty": 24, "unit_cost": 9000, "line_total": null, "received_qty": 0, "rejected_qty": 0, "invoiced_qty": 0,
    "returned_qty": 0, "closed": false, "state": "open", "expected_at": null}], "total": 216000, "note": null,
    "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z", "writers": [], "proposed": null, "submitted_by": null, "submitted_at": null,
    "rejected_reason": null, "approved_by": null, "approved_total": null, "sent_at": null,
    "cancel_requested_at": null, "cancel_final": false, "closed_reason": null, "warnings": [],
    "updated_at": "2026-11-20T02:06:34.739Z"}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/purchase-orders", GOODS, "Purchasing")
        .summary("List purchase orders, newest first, or by change")
        .query::<Filter>()
        .answers::<List<PurchaseOrder>>(r#"{"items": [], "next_cursor": null}"#, answers!(list)),
    post("/api/purchase-orders", PURCHASING, "Purchasing")
        .summary("Create a purchase order; missing unit costs are taken from the supplier's price list")
        .refuses(&[Code::UnknownSku])
        .creates::<order::New>(
            r#"{"supplier_id": "sup_1", "store_id": "S001", "lines": [{"sku": "8991234567890", "qty": 24,
            "unit_cost": 9000}]}"#,
            ORDER,
        ),
    get("/api/purchase-orders/:id", GOODS, "Purchasing")
        .summary("Retrieve a purchase order")
        .answers::<PurchaseOrder>(ORDER, answers!(read)),
    patch("/api/purchase-orders/:id", PURCHASING, "Purchasing")
        .summary("Update a draft purchase order")
        .refuses(&[Code::UnknownSku, Code::InvalidState])
        .command::<order::Change>(
            r#"{"lines": [{"sku": "8991234567890", "qty": 24, "unit_cost": 9000}]}"#,
            ORDER,
        ),
];

async fn list(request: Request) -> Answered {
    let ask: Filter = request.query()?;
    let list = FilteredList::of(&request)?;
    let before = list.after(ask.cursor.as_ref())?;
    let (pool, limit) = (request.state.db.pool(), change::one_more(ask.limit));
    let today = request.state.today(clock::now());
    let items = order_list::list(pool, &ask, before, today, limit).await?;
    let page = list.cut(items, ask.limit, order_list::place);
    let items = page.items.into_iter().map(|(_, order)| order).collect();
    Ok(Reply::ok(&List { items, next_cursor: page.next_cursor }))
}

async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<PurchaseOrder> = purchase_order::TABLE.read(pool, request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the order"))?))
}

impl Command for order::New {
    const ACTION: &'static str = "purchasing.order_created";
    type Answer = PurchaseOrder;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PurchaseOrder>, Failure> {
        let buyer = tx.buyer().await?;
        let made = order::create(tx.connection, self, &buyer).await?;
        Ok(Changed::created(format!("/api/purchase-orders/{}", made.po_id), &made, ordered(&made)))
    }
}

impl Command for order::Change {
    const ACTION: &'static str = "purchasing.order_changed";
    type Answer = PurchaseOrder;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PurchaseOrder>, Failure> {
        let buyer = tx.buyer().await?;
        let changed = order::change(tx.connection, tx.path.get("id"), self, &buyer).await?;
        Ok(Changed::answer(&changed, ordered(&changed)))
    }
}

/// Details of an order for the audit log.
pub fn ordered(order: &PurchaseOrder) -> Value {
    let PurchaseOrder { po_id, po_no, supplier_id, store_id, revision, total, .. } = order;
    json!({"po_id": po_id, "po_no": po_no, "revision": revision, "supplier_id": supplier_id, "store_id": store_id, "total": total})
}
