//! Promotions.

use super::change::{self, begun};
use super::{Answered, Request};
use crate::failure::Failure;
use crate::promotion::{self, TABLE};
use domain::answer::Answer;
use domain::promotion::Promotion;
use edge::page::{List, Page};
use edge::{ApiError, Code, Doc, Reply, clock};
use serde_json::json;

const PROMOTION: &str = r#"{"promotion_id": "prm_1", "name": "Tea week", "type": "line_percent", "value": 1000,
    "skus": ["8991234567890"], "category": null, "min_qty": null, "min_total": null, "buy": null, "get": null,
    "tier": null, "store_ids": null, "from": "2026-11-21", "to": "2026-11-27", "days": null, "priority": 1,
    "stackable": false}"#;

/// `GET /api/promotions`
pub const LIST: Doc = Doc::of("Catalogue", "List promotions")
    .query::<Page>()
    .answers::<List<Promotion>>(r#"{"items": [], "next_cursor": null}"#);
/// `GET /api/promotions/:id`
pub const READ: Doc = Doc::of("Catalogue", "A promotion").answers::<Promotion>(PROMOTION);
/// `POST /api/promotions`
pub const CREATE: Doc = Doc::of("Catalogue", "Add a promotion")
    .body::<promotion::New>(
        r#"{"name": "Tea week", "type": "line_percent", "value": 1000, "skus": ["8991234567890"],
            "from": "2026-11-21", "to": "2026-11-27", "priority": 1}"#,
    )
    .creates::<Promotion>(PROMOTION)
    .refuses(&[Code::UnknownSku]);
/// `PATCH /api/promotions/:id`
pub const CHANGE: Doc = Doc::of("Catalogue", "Change when a promotion counts, and its name")
    .body::<promotion::Change>(r#"{"to": "2026-11-30"}"#)
    .answers::<Promotion>(PROMOTION);

/// `GET /api/promotions`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = change::after(page.cursor.as_ref())?;
    let pool = request.state.db.pool();
    let items: Vec<Promotion> =
        TABLE.list(pool, &after, change::one_more(page.limit)).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(items, page.limit, |item| item.promotion_id.clone())))
}

/// `GET /api/promotions/:id`
pub async fn read(request: Request) -> Answered {
    let pool = request.state.db.pool();
    let found: Option<Promotion> = TABLE.read(pool, request.param("id")).await.map_err(Failure::from)?;
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
    let changed = promotion::change(&mut keyed.write, request.param("id"), asked, now).await?;
    let done = (
        "promotion.changed",
        json!({"promotion_id": changed.promotion_id, "fields": change::fields(&request)}),
    );
    change::finish_audited(&request, keyed, done, Answer::ok(&changed)).await
}
