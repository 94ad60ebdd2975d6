//! Suppliers, listed, added and changed.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::suppliers::supplier::{self, Known};
use domain::model::base::answer::Answer;
use domain::model::inventory::purchase::SupplierState;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const SUPPLIER: &str = r#"{"supplier_id": "sup_1", "code": "TEA", "name": "Tea Ltd", "tax_id": null, "phone": null,
    "email": null, "address": null, "payment_terms_days": 30, "lead_time_days": 7, "state": "active",
    "updated_at": "2026-11-20T02:06:34.739Z", "discount_days": 10, "discount_bp": 200, "min_order_total": null,
    "price_tolerance_bp": 200, "price_tolerance_amount": null, "default_tax_rate_bp": 1100, "bank_account": null}"#;

pub const LIST: Doc = Doc::of("Purchasing", "List suppliers")
    .query::<Search>()
    .answers::<List<Known>>(r#"{"items": [], "next_cursor": null}"#);
pub const READ: Doc = Doc::of("Purchasing", "Retrieve a supplier").answers::<Known>(SUPPLIER);
pub const ADD: Doc = Doc::of("Purchasing", "Create a supplier")
    .body::<supplier::Fields>(r#"{"code": "TEA", "name": "Tea Ltd", "payment_terms_days": 30}"#)
    .creates::<Known>(SUPPLIER)
    .refuses(&[Code::Duplicate]);
pub const CHANGE: Doc = Doc::of("Purchasing", "Update a supplier")
    .body::<supplier::Fields>(r#"{"phone": "+6221"}"#)
    .answers::<Known>(SUPPLIER)
    .refuses(&[Code::Duplicate]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SupplierSearch")]
struct Search {
    /// Text in the name or the code.
    q: Option<String>,
    /// Only those in this state.
    state: Option<SupplierState>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/suppliers`
pub async fn list(request: Request) -> Answered {
    let Search { q, state, limit, cursor } = request.query()?;
    change::check_q(q.as_deref())?;
    let after = bound_page::after_in::<String>(&request, cursor.as_ref())?.unwrap_or_default();
    let q = q.unwrap_or_default().to_lowercase();
    let wanted = |one: &Known| {
        let text = |text: &str| text.to_lowercase().contains(&q);
        let one = &one.supplier;
        (text(&one.name) || text(&one.code)) && state.is_none_or(|state| one.state == state)
    };
    let (pool, most) = (request.state.db.pool(), change::one_more(limit));
    let items = supplier::TABLE.list_where(pool, &after, most, |one| &one.supplier.supplier_id, wanted).await;
    Ok(Reply::ok(&bound_page::cut_in(&request, items?, limit, |item| item.supplier.supplier_id.clone())?))
}

/// `GET /api/suppliers/:id`
pub async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<Known> = supplier::TABLE.read(pool, request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the supplier"))?))
}

/// `POST /api/suppliers`
pub async fn add(request: Request) -> Answered {
    let fields: supplier::Fields = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let made = supplier::create(&mut keyed.write, fields, now).await?;
    let location = format!("/api/suppliers/{}", made.supplier.supplier_id);
    let done = (
        "purchasing.supplier_created",
        json!({"supplier_id": made.supplier.supplier_id, "code": made.supplier.code}),
    );
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/suppliers/:id`
pub async fn change(request: Request) -> Answered {
    let fields: supplier::Fields = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let [before, after] = supplier::change(&mut keyed.write, request.param("id"), fields, now).await?;
    let done = ("purchasing.supplier_changed", json!({"supplier_id": after.supplier.supplier_id}));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}
