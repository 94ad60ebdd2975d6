//! Prices.

use super::change::{self, begun};
use super::{Answered, Request};
use crate::failure::Failure;
use crate::price::{self, TABLE};
use domain::answer::Answer;
use domain::ids::StoreId;
use domain::price::EffectivePrice;
use domain::sync::PriceDown;
use domain::time::UtcMs;
use edge::identity::Nothing;
use edge::page::{List, Page};
use edge::{Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const PRICE: &str = r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null}"#;

/// `GET /api/prices`
pub const LIST: Doc = Doc::of("Catalogue", "List prices")
    .query::<Page>()
    .answers::<List<PriceDown>>(r#"{"items": [], "next_cursor": null}"#);
/// `POST /api/prices`
pub const SET: Doc = Doc::of("Catalogue", "Set a price at once or from a day on, for one store or all")
    .body::<price::New>(
        r#"{"sku": "8991234567890", "price": 15500, "store_id": "S001", "from": "2026-11-21"}"#,
    )
    .creates::<PriceDown>(PRICE)
    .refuses(&[Code::UnknownSku]);

/// `GET /api/prices/effective`
pub const EFFECTIVE: Doc =
    Doc::of("Catalogue", "Which price of a product counts in a store, now or at a later time, and why")
        .query::<Asked>()
        .answers::<EffectivePrice>(
            r#"{"sku": "8991234567890", "store_id": "S001", "at": "2026-11-21T02:06:34.739Z", "price": 15500,
    "source": "store", "price_row": {"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null},
    "since": "2026-11-20T17:00:00.000Z",
    "why": "it was set for this store, which counts before prices for all stores and the product's own"}"#,
        )
        .refuses(&[Code::NotFound]);
/// `POST /api/prices/:id/withdraw`
pub const WITHDRAW: Doc = Doc::of("Catalogue", "Take a price back: it is kept, and counts nowhere any more")
    .optional_body::<Nothing>("{}")
    .answers::<PriceDown>(
        r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": "2026-11-20T03:00:00.000Z"}"#,
    );

/// Which price counts is asked of this.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The product.
    sku: String,
    /// In this store.
    store_id: String,
    /// Then; none: now. What counted before is in the sales and in the audit log.
    at: Option<UtcMs>,
}

/// `GET /api/prices`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = change::after(page.cursor.as_ref())?;
    let pool = request.state.db.pool();
    let items: Vec<PriceDown> =
        TABLE.list(pool, &after, change::one_more(page.limit)).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(items, page.limit, |item| item.price_id.clone())))
}

/// `POST /api/prices`
pub async fn set(request: Request) -> Answered {
    let new: price::New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let price = price::set(&mut keyed.write, new, now).await?;
    let location = format!("/api/prices?cursor={}", edge::page::cursor(&price.price_id));
    let done = ("price.set", json!(price));
    change::finish_audited(&request, keyed, done, Answer::created(location, &price)).await
}

/// `GET /api/prices/effective`
pub async fn effective(request: Request) -> Answered {
    let asked: Asked = request.query()?;
    let now = clock::now();
    let at = edge::query::now_or_later(asked.at, now)?;
    let pool = request.state.db.pool();
    Ok(Reply::ok(&price::effective(pool, &asked.sku, &StoreId(asked.store_id), at, now).await?))
}

/// `POST /api/prices/:id/withdraw`: withdrawn again, the same answer.
pub async fn withdraw(request: Request) -> Answered {
    let Nothing {} = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let (price, withdrawn) = price::withdraw(&mut keyed.write, request.param("id"), now).await?;
    if !withdrawn {
        return change::finish(&request, keyed, Answer::ok(&price)).await;
    }
    change::finish_audited(&request, keyed, ("price.withdrawn", json!(price)), Answer::ok(&price)).await
}
