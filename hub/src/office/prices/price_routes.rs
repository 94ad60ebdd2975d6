//! Prices.

use crate::http::batch::Batch;
use crate::http::filtered_list;
use crate::http::prelude::*;
use crate::office::prices::price;
use crate::office::prices::price_batch::PriceItem;
use domain::model::base::ids::StoreId;
use domain::model::base::time::UtcMs;
use domain::model::selling::price::PriceDown;
use domain::rules::selling::price::EffectivePrice;
use jiff::civil::Date;

const PRICE: &str = r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null}"#;

const RESULTS: &str = r#"{"items": [{"index": 0, "http_status": 201, "data": {"price_id": "prc_1", "sku": "8991234567890",
    "store_id": "S001", "price": 15500, "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null}}],
    "done": 1, "refused": 0}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/prices", EVERYONE, "Catalogue").summary("List prices").lists::<Search>(""),
    post("/api/prices", ADMIN, "Catalogue").summary("Set a price from now or from a date, for one store or all")
        .refuses(&[Code::UnknownSku])
        .creates::<price::New>(
            r#"{"sku": "8991234567890", "price": 15500, "store_id": "S001", "from": "2026-11-21"}"#,
            PRICE,
        ),
    post("/api/prices/batch", ADMIN, "Catalogue").summary("Set up to 500 prices; each item has its own result")
        .command::<Batch<PriceItem>>(
            r#"{"items": [{"sku": "8991234567890", "price": 15500, "store_id": "S001", "from": "2026-11-21"}]}"#,
            RESULTS,
        ),
    get("/api/prices/effective", EVERYONE, "Catalogue").summary("Retrieve a product's price in a store at a time, and why it applies")
    .query::<Asked>()
    .refuses(&[Code::NotFound])
    .answers::<EffectivePrice>(
        r#"{"sku": "8991234567890", "store_id": "S001", "at": "2026-11-21T02:06:34.739Z", "price": 15500,
    "source": "store", "price_row": {"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": null},
    "since": "2026-11-20T17:00:00.000Z",
    "why": "it was set for this store, which takes precedence over prices for all stores and the product's own"}"#,
        answers!(effective),
    ),
    post("/api/prices/:id/withdraw", ADMIN, "Catalogue").summary("Withdraw a price; it is kept but no longer applies")
    .step::<Withdraw>(
        r#"{"price_id": "prc_1", "sku": "8991234567890", "store_id": "S001", "price": 15500,
    "from": "2026-11-21", "set_at": "2026-11-20T02:06:34.739Z", "withdrawn_at": "2026-11-20T03:00:00.000Z"}"#,
    ),
];

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PriceSearch")]
pub struct Search {
    /// Only those of this product.
    sku: Option<String>,
    /// Only prices that apply in this store: its own, and those for all stores. Empty or omitted for the prices of any
    /// store.
    store_id: Option<String>,
    /// Only prices in this state.
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

page_query!(Search);

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

impl PagedList for Search {
    type Query = Self;
    type Item = PriceDown;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<PriceDown>, Failure> {
        let Search { sku, store_id, state, from, to, .. } = page.query.clone();
        let filter = price::Filter { sku, store_id, state, from, to };
        Ok(price::list(page.pool, &filter, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(price: &PriceDown) -> String {
        price.price_id.clone()
    }
}

impl Command for price::New {
    const ACTION: &'static str = "price.set";
    type Answer = PriceDown;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PriceDown>, Failure> {
        let price = price::set(tx.connection, self, tx.now).await?;
        let location =
            format!("/api/prices?cursor={}", filtered_list::cursor_at("/api/prices", &price.price_id));
        Ok(Changed::created(location, &price, json!(price)))
    }
}

async fn effective(request: Request) -> Answered {
    let asked: Asked = request.query()?;
    let now = clock::now();
    let at = edge::query::now_or_later(asked.at, now)?;
    let pool = request.state.db.pool();
    Ok(Reply::ok(&price::effective(pool, &asked.sku, &StoreId(asked.store_id), (at, None), now).await?))
}

without_body!(Withdraw);

impl Command for Withdraw {
    const ACTION: &'static str = "price.withdrawn";
    type Answer = PriceDown;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<PriceDown>, Failure> {
        // Withdrawn again, the answer is the same.
        let (price, withdrawn) = price::withdraw(tx.connection, tx.path.get("id"), tx.now).await?;
        Ok(if withdrawn { Changed::answer(&price, json!(price)) } else { Changed::without_entry(&price) })
    }
}
