//! Prices.

use super::change::{self, begun};
use super::{Answered, Request};
use crate::failure::Failure;
use crate::price::{self, TABLE};
use domain::answer::Answer;
use domain::sync::PriceDown;
use edge::page::{List, Page};
use edge::{Code, Doc, Reply, clock};
use serde_json::json;

const PRICE: &str = r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z"}"#;

/// `GET /api/prices`
pub const LIST: Doc = Doc::of("Catalogue", "List prices")
    .query::<Page>()
    .answers::<List<PriceDown>>(r#"{"items": [], "next_cursor": null}"#);
/// `POST /api/prices`
pub const SET: Doc = Doc::of("Catalogue", "Set a price from a day on, for one store or all")
    .body::<price::New>(
        r#"{"sku": "8991234567890", "price": 15500, "store_id": "S001", "from": "2026-11-21"}"#,
    )
    .creates::<PriceDown>(PRICE)
    .refuses(&[Code::UnknownSku]);

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
