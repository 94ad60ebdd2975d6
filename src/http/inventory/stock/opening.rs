//! Opening stock: the pieces on the shelves when the books begin.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::stock_csv;
use ::actors::commands;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{PRICE_MAX, QTY_MAX, SKU_BYTES_MAX};
use domain::rules::inventory::stock::{OPENING_ROWS_MAX, OpeningCost, OpeningRow};
use edge::sheet::ImportFile;
use edge::{ApiError, Doc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const OPEN: Doc = Doc::of("Stock", "Record the opening stock of products that have not moved yet")
    .body::<OpenStock>(r#"{"lines": [{"sku": "8991234567890", "qty": 24, "unit_cost": 10000}]}"#)
    .answers::<Opened>(r#"{"products_count": 1}"#);
pub const IMPORT: Doc = Doc::of(
    "Stock",
    "Import opening stock (CSV); one bad row refuses the whole file. Columns: `sku`, `qty`, and `unit_cost` or `line_total`",
)
.csv("sku,qty,unit_cost\n8991234567890,24,10000\n")
.query::<ImportFile>()
.answers::<Opened>(r#"{"products_count": 1}"#);

/// Request body of `POST /api/stock/opening`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenStock {
    /// One line for each product, 1 to 20,000.
    #[schemars(length(min = 1, max = OPENING_ROWS_MAX))]
    lines: Vec<OpeningLine>,
}

/// Opening stock of a product.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpeningLine {
    /// SKU of the product.
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    sku: Sku,
    /// Pieces on hand, 1–1,000,000.
    #[schemars(range(min = 1, max = QTY_MAX))]
    qty: Quantity,
    /// Cost of one piece in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    unit_cost: Money,
}

/// Result of an opening of stock.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OpenedStock")]
struct Opened {
    /// Number of products.
    products_count: usize,
}

/// `POST /api/stock/opening`
pub async fn open(request: Request) -> Answered {
    let OpenStock { lines } = request.json()?;
    let row = |(line, it): (u64, OpeningLine)| OpeningRow {
        line,
        sku: it.sku,
        qty: it.qty,
        cost: OpeningCost::Unit(it.unit_cost),
        late: false,
    };
    let rows = (1..).zip(lines).map(row).collect();
    run(&request, commands::OpenStock { rows, dry_run: false }).await
}

/// `POST /api/stock/opening/import`
pub async fn import(request: Request) -> Answered {
    let file: ImportFile = request.query()?;
    let (body, encoding, columns) = (request.body.clone(), file.encoding(), file.columns());
    let terms = (false, request.state.currency);
    // A large file takes long to read: not on the threads that serve.
    let read = move || stock_csv::read(&body, encoding, columns.as_ref(), terms);
    let read = tokio::task::spawn_blocking(read).await;
    let rows = read.map_err(ApiError::internal)?.map_err(|problems| ApiError::from(&problems))?;
    run(&request, commands::OpenStock { rows, dry_run: file.is_dry_run() }).await
}
