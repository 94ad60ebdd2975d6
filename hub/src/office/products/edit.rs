//! One product at a time: made, changed, looked up.

use crate::db::failure::Failure;
use crate::feed;
use crate::office::products::product::put;
use crate::table::price;
use crate::table::product::{document, documents};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{PRODUCT_NAME_CHARS_MAX, QTY_MAX, SKU_BYTES_MAX};
use domain::model::base::patch::Given;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::text::is_blank;
use domain::model::base::time::UtcMs;
use domain::model::inventory::barcode;
use domain::model::inventory::product::{Barcode, Product, ProductState};
use domain::wire::feed::lane;
use edge::{ApiError, sheet};
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;
use std::collections::{BTreeSet, HashMap};

/// The highest price and cost.
const PRICE_MAX: i64 = 1_000_000_000_000;
/// The highest reorder level.
const REORDER_LEVEL_MAX: i64 = 1_000_000_000;
/// All of a price, in basis points.
const RATE_BP_MAX: u32 = 10_000;
/// The longest category and tax code, in characters.
const WORDS_CHARS_MAX: usize = 64;
/// Most barcodes of a product.
const BARCODES_MAX: usize = 100;

// The fields that both bodies have are written once. A flattened struct would do the same, but serde then names no field in
// the problems that it finds.
macro_rules! body {
    ($(#[$about:meta])* $name:ident { $($own:tt)* }) => {
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$about])*
        pub struct $name {
            $($own)*
            /// Tax rate in basis points. Null for the rate of the tax code, or else the store's default.
            #[serde(default)]
            pub tax_rate_bp: Given<u32>,
            /// Tax code of the product, which explains a rate of 0. Null for none.
            #[serde(default, deserialize_with = "domain::model::base::patch::text")]
            pub tax_code: Given<String>,
            /// Code of the category. Null for none.
            #[serde(default, deserialize_with = "domain::model::base::patch::text")]
            pub category: Given<String>,
            /// Codes by which a scanner finds the product.
            #[serde(default, deserialize_with = "domain::model::base::patch::cleared")]
            pub barcodes: Option<Vec<Barcode>>,
            /// First estimate of the cost of one piece, in whole currency units.
            #[serde(default)]
            pub cost: Given<i64>,
            /// On-hand quantity at or below which the product should be ordered.
            #[serde(default)]
            pub reorder_level: Given<i64>,
            /// Whether stock of the product is kept.
            #[serde(default, deserialize_with = "domain::model::base::patch::set")]
            pub track_stock: Option<bool>,
            /// Whether the product may be sold.
            #[serde(default, deserialize_with = "domain::model::base::patch::set")]
            pub state: Option<ProductState>,
        }

        impl $name {
            /// Writes the optional fields into the product. In a change, null removes the value.
            fn apply(self, product: &mut Product, wrong: &mut Vec<FieldProblem>) {
                product.tax_rate_bp = self.tax_rate_bp.over(product.tax_rate_bp);
                product.tax_code = self.tax_code.over(product.tax_code.take());
                product.category = self.category.over(product.category.take());
                product.cost = self.cost.over(product.cost);
                product.reorder_level = self.reorder_level.over(product.reorder_level);
                product.track_stock = self.track_stock.unwrap_or(product.track_stock);
                product.state = self.state.unwrap_or(product.state);
                if let Some(barcodes) = self.barcodes {
                    product.barcodes = read(barcodes, wrong);
                }
            }
        }
    };
}

body! {
    /// Request body of `POST /api/products`.
    #[schemars(rename = "NewProduct")]
    New {
        /// Product code, unique.
        pub sku: Sku,
        /// Name of the product.
        pub name: String,
        /// Unit price in whole currency units.
        pub price: i64,
    }
}

body! {
    /// Request body of `PATCH /api/products/:sku`. Omitted fields stay as they are.
    #[schemars(rename = "ChangeProduct")]
    Change {
        /// Name of the product.
        #[serde(default, deserialize_with = "domain::model::base::patch::set")]
        pub name: Option<String>,
        /// Unit price in whole currency units.
        #[serde(default, deserialize_with = "domain::model::base::patch::set")]
        pub price: Option<i64>,
    }
}

/// Barcodes as they are stored: repaired as those of files are.
fn read(barcodes: Vec<Barcode>, wrong: &mut Vec<FieldProblem>) -> Vec<Barcode> {
    let mut stored = Vec::with_capacity(barcodes.len());
    for (place, known) in barcodes.into_iter().enumerate() {
        // A scan has control characters between its fields, which no cell has.
        let scan = known.code.contains(barcode::FIELD_END).then(|| barcode::scanned(&known.code));
        let read = sheet::code::barcode("code", scan.as_deref().unwrap_or(&known.code));
        let path = || format!("barcodes[{place}].code");
        let code = required(read, path, wrong).unwrap_or(known.code);
        stored.push(Barcode { code, ..known });
    }
    stored
}

/// A code that was read; without one there is a problem.
fn required(
    read: Result<Option<String>, String>,
    path: impl Fn() -> String,
    wrong: &mut Vec<FieldProblem>,
) -> Option<String> {
    let problem = match read {
        Ok(Some(code)) => return Some(code),
        Ok(None) => "has no code".to_owned(),
        Err(problem) => problem,
    };
    wrong.push(FieldProblem { path: path(), problem });
    None
}

/// Makes a product.
///
/// # Errors
/// 422 with every field that is wrong; 409 `duplicate` for the sku, or for a barcode of another product.
pub async fn create(connection: &mut AnyConnection, new: New, now: UtcMs) -> Result<Product, Failure> {
    let mut wrong = Vec::new();
    let sku = required(sheet::code::sku("sku", &new.sku.0), || "sku".to_owned(), &mut wrong);
    let sku = sku.map_or_else(|| new.sku.clone(), Sku);
    let mut product = Product::new(sku, new.name.trim().to_owned(), new.price, now);
    new.apply(&mut product, &mut wrong);
    check(&product, wrong)?;
    // The lane's lock first, as an import does.
    feed::take(connection, lane::REST, 0, now).await?;
    if documents(connection, std::slice::from_ref(&product)).await?.contains_key(product.sku.as_str()) {
        return Err(ApiError::from(Refusal::Duplicate { what: "product", id: product.sku.0 }).into());
    }
    put(connection, vec![product.clone()], &HashMap::new(), now).await?;
    Ok(product)
}

/// Changes a product. A price that is given is the latest word on it for all stores, even where it is the
/// product's own of before. The product as it was, and as it is.
///
/// # Errors
/// 404; 422 with every field that is wrong; 409 `duplicate` for a barcode of another product.
pub async fn change(
    connection: &mut AnyConnection,
    sku: &str,
    change: Change,
    now: UtcMs,
) -> Result<[Product; 2], Failure> {
    feed::take(connection, lane::REST, 0, now).await?;
    let sql = "SELECT document FROM products WHERE sku = $1";
    let row = sqlx::query(sql).bind(sku).fetch_optional(&mut *connection).await?;
    let before = document(&row.ok_or_else(|| ApiError::not_found("the product"))?)?;
    let mut product = before.clone();
    if let Some(name) = &change.name {
        name.trim().clone_into(&mut product.name);
    }
    if let Some(price) = change.price {
        product.price = price;
        product.price_set_at = price::next_moment(connection, &product.sku, now).await?;
    }
    let mut wrong = Vec::new();
    change.apply(&mut product, &mut wrong);
    product.updated_at = now;
    check(&product, wrong)?;
    put(connection, vec![product.clone()], &HashMap::new(), now).await?;
    Ok([before, product])
}

/// Whether a product of a file has no more codes than one may have.
///
/// # Errors
/// 422.
pub(crate) fn codes_fit(product: &Product) -> Result<(), ApiError> {
    if product.barcodes.len() <= BARCODES_MAX {
        return Ok(());
    }
    let path = format!("sku {}", product.sku);
    let problem = format!("must have at most {BARCODES_MAX} barcodes: remove one before you add another");
    Err(ApiError::validation(&[FieldProblem { path, problem }]))
}

/// Whether a product is sound; `wrong` is what was wrong with its codes.
fn check(product: &Product, mut wrong: Vec<FieldProblem>) -> Result<(), ApiError> {
    let are_read = wrong.is_empty();
    let mut rule = |holds: bool, path: &str, problem: &str| {
        if !holds {
            wrong.push(FieldProblem { path: path.to_owned(), problem: problem.to_owned() });
        }
    };
    let text = |text: &str, chars_max: usize| {
        (1..=chars_max).contains(&text.chars().count())
            && !text.chars().any(char::is_control)
            && !is_blank(text)
    };
    let sku = product.sku.as_str();
    rule(
        !are_read || text(sku, SKU_BYTES_MAX) && sku.len() <= SKU_BYTES_MAX,
        "sku",
        "must have 1 to 64 bytes",
    );
    rule(text(&product.name, PRODUCT_NAME_CHARS_MAX), "name", "must have 1 to 255 characters");
    rule((0..=PRICE_MAX).contains(&product.price), "price", "must be 0 to 1000000000000");
    let rate = product.tax_rate_bp.is_none_or(|rate| rate <= RATE_BP_MAX);
    rule(rate, "tax_rate_bp", "must be 0 to 10000");
    for (path, value) in [("tax_code", &product.tax_code), ("category", &product.category)] {
        rule(
            value.as_ref().is_none_or(|value| text(value, WORDS_CHARS_MAX)),
            path,
            "must have 1 to 64 characters",
        );
    }
    rule(
        product.cost.is_none_or(|cost| (0..=PRICE_MAX).contains(&cost)),
        "cost",
        "must be 0 to 1000000000000",
    );
    let level = product.reorder_level.is_none_or(|level| (0..=REORDER_LEVEL_MAX).contains(&level));
    rule(level, "reorder_level", "must be 0 to 1000000000");
    let codes = product.barcodes.len() <= BARCODES_MAX
        && product
            .barcodes
            .iter()
            .all(|code| barcode::can_be_scanned(&code.code) && (1..=QTY_MAX).contains(&code.pack_qty));
    rule(
        !are_read || codes,
        "barcodes",
        "must be at most 100, each with 1 to 64 ASCII characters and 1 to 1000000 pieces",
    );
    let different: BTreeSet<String> =
        product.barcodes.iter().map(|code| barcode::normal(&code.code)).collect();
    rule(
        !are_read || different.len() == product.barcodes.len(),
        "barcodes",
        "must be different from each other",
    );
    if wrong.is_empty() { Ok(()) } else { Err(ApiError::validation(&wrong)) }
}
