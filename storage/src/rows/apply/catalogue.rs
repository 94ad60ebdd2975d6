//! Rows of products and their look-up keys.

use super::super::RowOp;
use super::super::table::Table;
use super::{Encoded, delete, empty, put};
use domain::model::inventory::product::Product;

pub fn product(product: &Product, lost_words: &[String], out: &mut Vec<RowOp>) -> Encoded {
    for code in product.normal_codes() {
        empty(Table::Barcode.pair(&code, product.sku.as_str()), out);
    }
    for word in lost_words {
        delete(Table::ProductWord.pair(word, product.sku.as_str()), out);
    }
    for word in domain::rules::inventory::product::words(product) {
        empty(Table::ProductWord.pair(&word, product.sku.as_str()), out);
    }
    put(Table::Product.key(product.sku.as_str()), product, out)
}
