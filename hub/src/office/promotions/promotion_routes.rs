//! Promotions.

use crate::http::prelude::*;
use crate::office::promotions::preview::{self, Preview};
use crate::office::promotions::promotion::{self, TABLE};
use domain::model::base::ids::{Sku, StoreId};
use domain::model::base::search::fold;
use domain::model::selling::promotion::Promotion;
use edge::Doc;
use jiff::civil::Date;

const PROMOTION: &str = r#"{"promotion_id": "prm_1", "name": "Tea week", "type": "line_percent", "value": 1000,
    "skus": ["8991234567890"], "category": null, "min_qty": null, "min_total": null, "buy": null, "get": null,
    "tier": null, "store_ids": null, "from": "2026-11-21", "to": "2026-11-27", "days": null, "priority": 1,
    "stackable": false}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/promotions", EVERYONE, "Catalogue").summary("List promotions").lists::<Search>(""),
    post("/api/promotions", ADMIN, "Catalogue")
        .summary("Create a promotion")
        .refuses(&[Code::UnknownSku])
        .creates::<promotion::New>(
        r#"{"name": "Tea week", "type": "line_percent", "value": 1000, "skus": ["8991234567890"],
            "from": "2026-11-21", "to": "2026-11-27", "priority": 1}"#,
        PROMOTION,
    ),
    Route::post("/api/promotions/preview", ADMIN, PREVIEW, answers!(preview)),
    get("/api/promotions/:id", EVERYONE, "Catalogue")
        .summary("Retrieve a promotion")
        .answers::<Promotion>(PROMOTION, answers!(read)),
    patch("/api/promotions/:id", ADMIN, "Catalogue")
        .summary("Update a promotion's name and validity")
        .command::<promotion::Change>(r#"{"to": "2026-11-30"}"#, PROMOTION),
];

const PREVIEW: Doc =
    Doc::of("Catalogue", "Preview the discounts of promotions for a basket, drafts included, and the reasons why other promotions give none")
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
        .unkeyed("nothing changes: a repeated request is answered again")
        .refuses(&[Code::NotFound]);

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromotionSearch")]
pub struct Search {
    /// Text in the name.
    q: Option<String>,
    /// Only promotions that list this product or are not limited to products.
    sku: Option<Sku>,
    /// Only promotions that apply in this store.
    store_id: Option<StoreId>,
    /// Only promotions that apply on this day or later.
    from: Option<Date>,
    /// Only promotions that apply on this day or earlier.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

page_query!(Search, q);

impl PagedList for Search {
    type Query = Self;
    type Item = Promotion;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Promotion>, Failure> {
        let Search { q, sku, store_id, from, to, .. } = page.query.clone();
        let filter = promotion::Filter { q: q.as_deref().map(fold), sku, store_id, from, to };
        let (pool, after, limit) = (page.pool, page.after.unwrap_or_default(), page.limit);
        let wanted = |one: &Promotion| filter.wants(one);
        Ok(TABLE.list_where(pool, &after, limit, |one: &Promotion| &one.promotion_id, wanted).await?)
    }
    fn position(promotion: &Promotion) -> String {
        promotion.promotion_id.clone()
    }
}

async fn preview(request: Request) -> Answered {
    let asked: preview::Asked = request.json()?;
    Ok(Reply::ok(&preview::preview(request.state.db.pool(), asked, clock::now()).await?))
}

async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<Promotion> = TABLE.read(pool, request.param("id")).await?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("the promotion"))?))
}

impl Command for promotion::New {
    const ACTION: &'static str = "promotion.created";
    type Answer = Promotion;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Promotion>, Failure> {
        let made = promotion::create(tx.connection, self, tx.now).await?;
        let details = json!({"promotion_id": made.promotion_id, "name": made.name});
        Ok(Changed::created(format!("/api/promotions/{}", made.promotion_id), &made, details))
    }
}

impl Command for promotion::Change {
    const ACTION: &'static str = "promotion.changed";
    type Answer = Promotion;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Promotion>, Failure> {
        let [before, after] = promotion::change(tx.connection, tx.path.get("id"), self, tx.now).await?;
        Ok(Changed::document([&before, &after], json!({"promotion_id": after.promotion_id})))
    }
}
