//! Creation and change of one product, at head office or in a shop without one.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::limits::{PRODUCT_NAME_CHARS_MAX, QTY_MAX, SKU_BYTES_MAX};
use crate::model::base::patch::Given;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::text::is_blank;
use crate::model::base::time::UtcMs;
use crate::model::inventory::barcode;
use crate::model::inventory::product::{Barcode, Product, ProductState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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
            #[schemars(range(min = 0, max = RATE_BP_MAX))]
            pub tax_rate_bp: Given<u32>,
            /// Tax code of the product, which explains a rate of 0. Null for none.
            #[serde(default, deserialize_with = "crate::model::base::patch::text_up_to::<WORDS_CHARS_MAX, _>")]
            #[schemars(length(max = WORDS_CHARS_MAX))]
            pub tax_code: Given<String>,
            /// Code of the category. Null for none.
            #[serde(default, deserialize_with = "crate::model::base::patch::text_up_to::<WORDS_CHARS_MAX, _>")]
            #[schemars(length(max = WORDS_CHARS_MAX))]
            pub category: Given<String>,
            /// Codes by which a scanner finds the product.
            #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
            #[schemars(length(max = BARCODES_MAX))]
            pub barcodes: Option<Vec<Barcode>>,
            /// First estimate of the cost of one piece, in minor currency units.
            #[serde(default)]
            #[schemars(range(min = 0, max = PRICE_MAX))]
            pub cost: Given<Money>,
            /// On-hand quantity at or below which the product should be ordered.
            #[serde(default)]
            #[schemars(range(min = 0, max = REORDER_LEVEL_MAX))]
            pub reorder_level: Given<Quantity>,
            /// Whether stock of the product is kept.
            #[serde(default, deserialize_with = "crate::model::base::patch::set")]
            pub track_stock: Option<bool>,
            /// Whether the product may be sold.
            #[serde(default, deserialize_with = "crate::model::base::patch::set")]
            pub state: Option<ProductState>,
        }

        impl $name {
            /// Writes the optional fields into the product. In a change, null removes the value.
            fn apply(self, product: &mut Product) {
                product.tax_rate_bp = self.tax_rate_bp.over(product.tax_rate_bp);
                product.tax_code = self.tax_code.over(product.tax_code.take());
                product.category = self.category.over(product.category.take());
                product.cost = self.cost.over(product.cost);
                product.reorder_level = self.reorder_level.over(product.reorder_level);
                product.track_stock = self.track_stock.unwrap_or(product.track_stock);
                product.state = self.state.unwrap_or(product.state);
                if let Some(barcodes) = self.barcodes {
                    product.barcodes = barcodes;
                }
            }
        }
    };
}

body! {
    /// Request body of `POST /api/products`.
    NewProduct {
        /// Product code, unique.
        #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
        pub sku: Sku,
        /// Name of the product.
        #[schemars(length(min = 1, max = PRODUCT_NAME_CHARS_MAX))]
        pub name: String,
        /// Unit price in minor currency units.
        #[schemars(range(min = 0, max = PRICE_MAX))]
        pub price: Money,
    }
}

body! {
    /// Request body of `PATCH /api/products/:sku`. Omitted fields stay as they are.
    ChangeProduct {
        /// Name of the product.
        #[serde(default, deserialize_with = "crate::model::base::patch::set")]
        #[schemars(length(min = 1, max = PRODUCT_NAME_CHARS_MAX))]
        pub name: Option<String>,
        /// Unit price in minor currency units.
        #[serde(default, deserialize_with = "crate::model::base::patch::set")]
        #[schemars(range(min = 0, max = PRICE_MAX))]
        pub price: Option<Money>,
    }
}

/// A product, with warnings about it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedProduct {
    #[serde(flatten)]
    pub product: Product,
    /// Warnings about its barcodes, such as a wrong check digit. Omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl From<Product> for CheckedProduct {
    fn from(product: Product) -> Self {
        let warnings = product.doubts();
        Self { product, warnings }
    }
}

impl NewProduct {
    /// The product. Codes are repaired already; `wrong` has the problems that were found with them.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn product(self, now: UtcMs, wrong: Vec<FieldProblem>) -> Result<Product, Refusal> {
        let mut product = Product::new(self.sku.clone(), self.name.trim().to_owned(), self.price, now);
        let fits = has_room(&self.name);
        self.apply(&mut product);
        check(&product, fits, wrong)?;
        Ok(product)
    }
}

impl ChangeProduct {
    /// The product from now on; a price that is given counts from `priced_at`. Codes as in [`NewProduct::product`].
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn over(
        self,
        before: &Product,
        (now, priced_at): (UtcMs, UtcMs),
        wrong: Vec<FieldProblem>,
    ) -> Result<Product, Refusal> {
        let mut product = Product { updated_at: now, ..before.clone() };
        if let Some(name) = &self.name {
            name.trim().clone_into(&mut product.name);
        }
        if let Some(price) = self.price {
            product.price = price;
            product.price_set_at = priced_at;
        }
        let fits = self.name.as_deref().is_none_or(has_room);
        self.apply(&mut product);
        check(&product, fits, wrong)?;
        Ok(product)
    }
}

/// Whether a name is short enough with the spaces around it, which are not stored.
fn has_room(name: &str) -> bool {
    name.chars().count() <= PRODUCT_NAME_CHARS_MAX
}

/// Whether a product of a file has no more codes than one may have.
///
/// # Errors
/// `validation_failed`.
pub fn codes_fit(product: &Product) -> Result<(), Refusal> {
    if product.barcodes.len() <= BARCODES_MAX {
        return Ok(());
    }
    let problem = format!("must have at most {BARCODES_MAX} barcodes: remove one before you add another");
    Err(Refusal::field(format!("sku {}", product.sku), problem))
}

/// Whether a product is sound; `wrong` has the problems of its codes, and `name_fits` is whether the name of the request
/// is short enough.
fn check(product: &Product, name_fits: bool, mut wrong: Vec<FieldProblem>) -> Result<(), Refusal> {
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
    rule(name_fits && text(&product.name, PRODUCT_NAME_CHARS_MAX), "name", "must have 1 to 255 characters");
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
    if wrong.is_empty() { Ok(()) } else { Err(Refusal::ValidationFailed(wrong)) }
}
