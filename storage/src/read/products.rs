//! Reads of products.

use super::{Products, Read};
use crate::rows::table::Table;
use domain::model::base::ids::Sku;
use domain::model::base::search;
use domain::model::inventory::product::Product;
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::selling::price::{Price, PriceMoment};
use domain::model::selling::promotion::Promotion;
use domain::rules::inventory::product;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Products<'_> {
    /// A product.
    pub fn product(&self, sku: &Sku) -> Read<Option<Product>> {
        self.0.rows.row(Table::Product, sku.as_str())
    }

    /// A product at the price that it has then; mostly no row is read for it.
    pub fn sold(&self, sku: &Sku, on: PriceMoment) -> Read<Option<Arc<Product>>> {
        self.0.rows.sold(sku.as_str(), on)
    }

    /// What [`Products::products_by_barcode`] gives, at the prices of then; mostly no row is read for it.
    pub fn sold_by_barcode(&self, code: &str, on: PriceMoment) -> Read<Vec<Arc<Product>>> {
        self.0.rows.sold_by_barcode(code, on)
    }

    /// Products after a sku, in order of sku (bytes).
    pub fn products(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<Product>> {
        self.0.rows.page(Table::Product, after.map(Sku::as_str), limit)
    }

    /// How many products there are.
    pub fn product_count(&self) -> Read<u64> {
        self.0.rows.count(Table::Product)
    }

    /// The products that are sold and that a scanner's code names, in order of sku. More than one: head office
    /// and the store each gave the code to a product.
    pub fn products_by_barcode(&self, code: &str) -> Read<Vec<Product>> {
        let mut found = Vec::new();
        for sku in self.0.rows.skus_by_barcode(code)? {
            let product = self.product(&sku)?;
            found.extend(product.filter(|product| product.is_active() && product.has_code(code)));
        }
        Ok(found)
    }

    /// Products some word of which begins with each typed word, in order of sku, after one.
    pub fn search_products(
        &self,
        typed: &BTreeSet<String>,
        after: Option<&Sku>,
        limit: usize,
    ) -> Read<Vec<Product>> {
        let skus = self.0.rows.candidates(Table::ProductWord, typed, after.map(Sku::as_str))?;
        let products = skus.filter_map(|sku| self.0.rows.row::<Product>(Table::Product, &sku).transpose());
        let wanted = |product: &Product| search::matches(typed, &product::words(product));
        products.filter(|product| product.as_ref().map_or(true, wanted)).take(limit).collect()
    }

    /// Promotions, in order of id; read from the disk only after one changed.
    pub fn promotions(&self) -> Read<Arc<Vec<Promotion>>> {
        self.0.rows.known.promotions.get(|| self.0.rows.page(Table::Promotion, None, usize::MAX))
    }

    /// What the store settles about a product; none: nothing.
    pub fn product_settings(&self, sku: &Sku) -> Read<Option<ProductSettings>> {
        self.0.rows.product_settings(sku)
    }

    /// The last price set for a product that has begun then. What it reads are the coming prices and that one,
    /// however many there were before.
    pub fn last_begun_price(&self, sku: &Sku, on: PriceMoment) -> Read<Option<Price>> {
        Ok(self.0.rows.last_begun_price(sku, on)?.price)
    }
}
