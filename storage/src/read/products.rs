//! Reads of products.

use super::{Products, Read};
use crate::rows::table::Table;
use domain::model::base::ids::Sku;
use domain::model::inventory::barcode;
use domain::model::inventory::product::Product;
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::selling::price::{Price, PriceMoment};
use domain::model::selling::promotion::Promotion;
use domain::rules::inventory::product;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Codes read at once.
const CODES_READ: usize = 10_000;

impl Products<'_> {
    /// Reads a product.
    pub fn product(&self, sku: &Sku) -> Read<Option<Product>> {
        self.0.rows.row(Table::Product, sku.as_str())
    }

    /// A product at the price that it has then; mostly no row is read for it.
    pub fn sold(&self, sku: &Sku, on: PriceMoment) -> Read<Option<Arc<Product>>> {
        self.0.rows.sold(sku.as_str(), on)
    }

    /// The products of [`Products::products_by_barcode`], at the prices of that moment; mostly no row is read for it.
    pub fn sold_by_barcode(&self, scan: &str, on: PriceMoment) -> Read<Vec<Arc<Product>>> {
        self.0.rows.sold_by_barcode(scan, on)
    }

    /// Products after a sku, in order of sku (bytes).
    pub fn products(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<Product>> {
        self.0.rows.page(Table::Product, after.map(Sku::as_str), limit)
    }

    /// Number of products.
    pub fn product_count(&self) -> Read<u64> {
        self.0.rows.count(Table::Product)
    }

    /// The products that are sold and that a scan names, in order of sku. More than one: head office and the store each
    /// gave the code to a product.
    pub fn products_by_barcode(&self, scan: &str) -> Read<Vec<Product>> {
        let mut found = self.holders(&barcode::normal(scan))?;
        found.retain(|product| product.has_code(scan));
        Ok(found)
    }

    /// The products that are sold and have a code, as [`barcode::normal`] writes it, or that as their sku.
    pub fn holders(&self, code: &str) -> Read<Vec<Product>> {
        let mut found = Vec::new();
        for sku in self.0.rows.skus_by_code(code)? {
            let product = self.product(&sku)?;
            found.extend(
                product.filter(|product| product.is_active() && product.normal_codes().contains(code)),
            );
        }
        Ok(found)
    }

    /// Products that have, for each typed word, a word that begins with it, or that have the typed digits in a code;
    /// in order of SKU, after the given one.
    pub fn search_products(
        &self,
        typed: &BTreeSet<String>,
        after: Option<&Sku>,
        limit: usize,
    ) -> Read<Vec<Product>> {
        let skus = self.0.rows.candidates(Table::ProductWord, typed, after.map(Sku::as_str))?;
        let products = skus.filter_map(|sku| self.0.rows.row::<Product>(Table::Product, &sku).transpose());
        let wanted = |product: &Product| product::found_by(product, typed);
        let mut found: Vec<Product> = products
            .filter(|product| product.as_ref().map_or(true, wanted))
            .take(limit)
            .collect::<Read<_>>()?;
        if let Some(part) = product::code_part(typed) {
            found.extend(self.with_code_part(part, after, limit)?);
            let same = self.holders(&barcode::normal(part))?;
            found.extend(same.into_iter().filter(|product| after.is_none_or(|after| product.sku > *after)));
            found.sort_by(|one, other| one.sku.cmp(&other.sku));
            found.dedup_by(|one, other| one.sku == other.sku);
            found.truncate(limit);
        }
        Ok(found)
    }

    /// Products with these digits in one of their codes, in order of SKU, after the given one. All codes are read,
    /// since no index finds the middle of a word; searching by part of a torn label is rare.
    fn with_code_part(&self, part: &str, after: Option<&Sku>, limit: usize) -> Read<Vec<Product>> {
        let (table, mut last) = (Table::Barcode.key(""), None::<Vec<u8>>);
        let mut skus: BTreeSet<Sku> = BTreeSet::new();
        loop {
            let keys = self.0.rows.range(&table, last.as_deref(), CODES_READ)?;
            let complete = keys.len() < CODES_READ;
            for (key, _) in &keys {
                let text = String::from_utf8_lossy(key.get(table.len()..).unwrap_or_default());
                if let Some((code, sku)) = text.split_once('\0')
                    && code.contains(part)
                    && after.is_none_or(|after| sku > after.as_str())
                {
                    skus.insert(Sku::from(sku));
                }
            }
            last = keys.into_iter().last().and_then(|(key, _)| key.get(table.len()..).map(<[u8]>::to_vec));
            if complete {
                break;
            }
        }
        let products = skus.iter().filter_map(|sku| self.product(sku).transpose());
        let wanted = |product: &Product| product::has_code_part(product, part);
        products.filter(|product| product.as_ref().map_or(true, wanted)).take(limit).collect()
    }

    /// Skus of digits only that have the number of one of these, with more, fewer or equal leading zeros.
    pub fn same_numbers<'s>(&self, skus: impl Iterator<Item = &'s Sku>) -> Read<Vec<Sku>> {
        let numbers: BTreeSet<&str> = skus.filter_map(product::number_of).collect();
        let mut found = Vec::new();
        if numbers.is_empty() {
            return Ok(found);
        }
        for number in &numbers {
            found.extend(self.product(&Sku::from(*number))?.map(|product| product.sku));
        }
        // Of two that differ by leading zeros one begins with a zero.
        let (table, mut last) = (Table::Product.key("0"), None::<Vec<u8>>);
        loop {
            let keys = self.0.rows.range(&table, last.as_deref(), CODES_READ)?;
            for (key, _) in &keys {
                let sku = Sku(String::from_utf8_lossy(key.get(1..).unwrap_or_default()).into_owned());
                found.extend(product::number_of(&sku).is_some_and(|it| numbers.contains(it)).then_some(sku));
            }
            if keys.len() < CODES_READ {
                break;
            }
            last = keys.into_iter().last().and_then(|(key, _)| key.get(table.len()..).map(<[u8]>::to_vec));
        }
        Ok(found)
    }

    /// Promotions, in order of ID; read from the disk only after one changed.
    pub fn promotions(&self) -> Read<Arc<Vec<Promotion>>> {
        self.0.rows.known.promotions.get(|| self.0.rows.page(Table::Promotion, None, usize::MAX))
    }

    /// The store's own settings of a product; `None` if it has none.
    pub fn product_settings(&self, sku: &Sku) -> Read<Option<ProductSettings>> {
        self.0.rows.product_settings(sku)
    }

    /// The last price set for a product that has begun by then. It reads the coming prices and that one, however many
    /// there were before.
    pub fn last_begun_price(&self, sku: &Sku, on: PriceMoment) -> Read<Option<Price>> {
        Ok(self.0.rows.last_begun_price(sku, on)?.price)
    }
}
