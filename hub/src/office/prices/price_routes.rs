//! Prices.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::prices::price;
use domain::model::base::answer::Answer;
use domain::model::base::ids::StoreId;
use domain::model::base::time::UtcMs;
use domain::model::selling::price::PriceDown;
use domain::rules::selling::price::EffectivePrice;
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit, List};
use edge::{Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const PRICE: &str = r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null}"#;

pub const LIST: Doc = Doc::of("Catalogue", "List prices")
    .query::<Search>()
    .answers::<List<PriceDown>>(r#"{"items": [], "next_cursor": null}"#);
pub const SET: Doc = Doc::of("Catalogue", "Set a price from now or from a date, for one store or all")
    .body::<price::New>(
        r#"{"sku": "8991234567890", "price": 15500, "store_id": "S001", "from": "2026-11-21"}"#,
    )
    .creates::<PriceDown>(PRICE)
    .refuses(&[Code::UnknownSku]);

pub const EFFECTIVE: Doc =
    Doc::of("Catalogue", "Retrieve the price of a product in a store at a point in time, and the reason why it applies")
        .query::<Asked>()
        .answers::<EffectivePrice>(
            r#"{"sku": "8991234567890", "store_id": "S001", "at": "2026-11-21T02:06:34.739Z", "price": 15500,
    "source": "store", "price_row": {"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null},
    "since": "2026-11-20T17:00:00.000Z",
    "why": "it was set for this store, which takes precedence over prices for all stores and the product's own"}"#,
        )
        .refuses(&[Code::NotFound]);
/// `POST /api/prices/:id/withdraw`
pub const WITHDRAW: Doc = Doc::of("Catalogue", "Withdraw a price; it is kept but no longer applies")
    .optional_body::<EmptyBody>("{}")
    .answers::<PriceDown>(
        r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": "2026-11-20T03:00:00.000Z"}"#,
    );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PriceSearch")]
struct Search {
    /// Only those of this product.
    sku: Option<String>,
    /// Only prices that apply in this store: its own, and those for all stores. Empty or omitted for the prices of any
    /// store.
    store_id: Option<String>,
    /// Only those that were taken back, or that were not.
    state: Option<price::State>,
    /// Only prices whose first business day is this day or later.
    from: Option<Date>,
    /// Only prices whose first business day is this day or earlier, and prices that applied at once.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// Query parameters of the effective price.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Product code (SKU).
    sku: String,
    /// Store of the price.
    store_id: String,
    /// Point in time. Defaults to now; must not be in the past. Earlier prices are in the sales and in the audit log.
    at: Option<UtcMs>,
}

/// `GET /api/prices`
pub async fn list(request: Request) -> Answered {
    let Search { sku, store_id, state, from, to, limit, cursor } = request.query()?;
    let after = bound_page::after_in::<String>(&request, cursor.as_ref())?.unwrap_or_default();
    let filter = price::Filter { sku, store_id, state, from, to };
    let items = price::list(request.state.db.pool(), &filter, &after, change::one_more(limit)).await;
    Ok(Reply::ok(&bound_page::cut_in(&request, items?, limit, |item| item.price_id.clone())?))
}

/// `POST /api/prices`
pub async fn set(request: Request) -> Answered {
    let new: price::New = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let price = price::set(&mut keyed.write, new, now).await?;
    let location = format!("/api/prices?cursor={}", bound_page::cursor_at("/api/prices", &price.price_id));
    let done = ("price.set", json!(price));
    change::finish_audited(&request, keyed, done, Answer::created(location, &price)).await
}

/// `GET /api/prices/effective`
pub async fn effective(request: Request) -> Answered {
    let asked: Asked = request.query()?;
    let now = clock::now();
    let at = edge::query::now_or_later(asked.at, now)?;
    let pool = request.state.db.pool();
    Ok(Reply::ok(&price::effective(pool, &asked.sku, &StoreId(asked.store_id), (at, None), now).await?))
}

/// `POST /api/prices/:id/withdraw`: withdrawn again, the same answer.
pub async fn withdraw(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let (price, withdrawn) = price::withdraw(&mut keyed.write, request.param("id"), now).await?;
    if !withdrawn {
        return change::finish(&request, keyed, Answer::ok(&price)).await;
    }
    change::finish_audited(&request, keyed, ("price.withdrawn", json!(price)), Answer::ok(&price)).await
}
