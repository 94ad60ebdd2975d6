//! Promotions.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::promotions::preview::{self, Preview};
use crate::office::promotions::promotion::{self, TABLE};
use domain::model::base::answer::Answer;
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::search::fold;
use domain::model::selling::promotion::Promotion;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const PROMOTION: &str = r#"{"promotion_id": "prm_1", "name": "Tea week", "type": "line_percent", "value": 1000,
    "skus": ["8991234567890"], "category": null, "min_qty": null, "min_total": null, "buy": null, "get": null,
    "tier": null, "store_ids": null, "from": "2026-11-21", "to": "2026-11-27", "days": null, "priority": 1,
    "stackable": false}"#;

pub const LIST: Doc = Doc::of("Catalogue", "List promotions")
    .query::<Search>()
    .answers::<List<Promotion>>(r#"{"items": [], "next_cursor": null}"#);
pub const READ: Doc = Doc::of("Catalogue", "Retrieve a promotion").answers::<Promotion>(PROMOTION);
pub const CREATE: Doc = Doc::of("Catalogue", "Create a promotion")
    .body::<promotion::New>(
        r#"{"name": "Tea week", "type": "line_percent", "value": 1000, "skus": ["8991234567890"],
            "from": "2026-11-21", "to": "2026-11-27", "priority": 1}"#,
    )
    .creates::<Promotion>(PROMOTION)
    .refuses(&[Code::UnknownSku]);
pub const CHANGE: Doc = Doc::of("Catalogue", "Update a promotion's name and validity")
    .body::<promotion::Change>(r#"{"to": "2026-11-30"}"#)
    .answers::<Promotion>(PROMOTION);
pub const PREVIEW: Doc =
    Doc::of("Catalogue", "Preview the discounts that promotions, drafts included, give to a basket, and why others do not apply")
        .body::<preview::Asked>(
            r#"{"store_id": "S001", "date": "2026-11-21", "items": [{"sku": "8991234567890", "qty": 2}],
            "promotions": [{"name": "Tea week", "type": "line_percent", "value": 1000, "skus": ["8991234567890"],
            "from": "2026-11-21", "to": "2026-11-27", "priority": 1}]}"#,
        )
        .answers::<Preview>(
            r#"{"lines": [{"sku": "8991234567890", "qty": 2, "price": 15000, "discounts": [{"promotion_id": "draft_1",
            "name": "Tea week", "amount": 3000}], "discount": 3000, "net": 27000}], "discount": 3000, "net": 27000,
            "not_given": [{"promotion_id": "prm_1", "name": "Gold", "reason": "other_tier"}]}"#,
        )
        .unkeyed("nothing changes: the same request is answered anew")
        .refuses(&[Code::NotFound]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromotionSearch")]
struct Search {
    /// A part of the name.
    q: Option<String>,
    /// Only those that name this product, or no products at all.
    sku: Option<Sku>,
    /// Only those that count in this store.
    store_id: Option<StoreId>,
    /// Only those that count on this day or a later one.
    from: Option<Date>,
    /// Only those that count on this day or an earlier one.
    to: Option<Date>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/promotions`
pub async fn list(request: Request) -> Answered {
    let Search { q, sku, store_id, from, to, limit, cursor } = request.query()?;
    change::check_q(q.as_deref())?;
    let after = bound_page::after_in::<String>(&request, cursor.as_ref())?.unwrap_or_default();
    let filter = promotion::Filter { q: q.as_deref().map(fold), sku, store_id, from, to };
    let (pool, most) = (request.state.db.pool(), change::one_more(limit));
    let items = TABLE
        .list_where(
            pool,
            &after,
            most,
            |one: &Promotion| &one.promotion_id,
            |one: &Promotion| filter.wants(one),
        )
        .await;
    Ok(Reply::ok(&bound_page::cut_in(&request, items?, limit, |item| item.promotion_id.clone())?))
}

/// `POST /api/promotions/preview`
pub async fn preview(request: Request) -> Answered {
    let asked: preview::Asked = request.json()?;
    Ok(Reply::ok(&preview::preview(request.state.db.pool(), asked, clock::now()).await?))
}

/// `GET /api/promotions/:id`
pub async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<Promotion> = TABLE.read(pool, request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the promotion"))?))
}

/// `POST /api/promotions`
pub async fn create(request: Request) -> Answered {
    let new: promotion::New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let made = promotion::create(&mut keyed.write, new, now).await?;
    let location = format!("/api/promotions/{}", made.promotion_id);
    let done = ("promotion.created", json!({"promotion_id": made.promotion_id, "name": made.name}));
    change::finish_audited(&request, keyed, done, Answer::created(location, &made)).await
}

/// `PATCH /api/promotions/:id`
pub async fn change(request: Request) -> Answered {
    let asked: promotion::Change = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let [before, after] = promotion::change(&mut keyed.write, request.param("id"), asked, now).await?;
    let done = ("promotion.changed", json!({"promotion_id": after.promotion_id}));
    change::finish_changed(&request, keyed, done, [&before, &after]).await
}
