//! Reads of stock.

use super::{Products, Read, StockRows};
use crate::journal::index::{Kind, hash};
use crate::rows::table::Table;
use domain::model::base::ids::Sku;
use domain::model::inventory::product::Product;
use domain::model::inventory::stock::{Movement, Stock};
use std::collections::BTreeMap;

impl StockRows<'_> {
    /// A sku's stock; `None` if it never moved.
    pub fn stock(&self, sku: &Sku) -> Read<Option<Stock>> {
        self.0.rows.row(Table::Stock, sku.as_str())
    }

    /// Stock rows after a sku, in order of sku (bytes).
    pub fn stocks(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<Stock>> {
        self.0.rows.page(Table::Stock, after.map(Sku::as_str), limit)
    }

    /// Goods after a sku, in order of sku (bytes): products, and whatever else has stock.
    pub fn products_and_stock(&self, after: Option<&Sku>, limit: usize) -> Read<Vec<(Sku, Option<Product>)>> {
        let products = Products(self.0).products(after, limit)?;
        let end = products.last().filter(|_| products.len() >= limit).map(|last| last.sku.clone());
        let mut goods: BTreeMap<Sku, Option<Product>> =
            products.into_iter().map(|product| (product.sku.clone(), Some(product))).collect();
        let mut place = after.cloned();
        loop {
            let stocks = self.stocks(place.as_ref(), limit)?;
            let more = stocks.len() >= limit;
            place = stocks.last().map(|last| last.sku.clone());
            let within = |sku: &Sku| end.as_ref().is_none_or(|end| sku <= end);
            for stock in stocks.into_iter().filter(|stock| within(&stock.sku)) {
                goods.entry(stock.sku).or_insert(None);
            }
            if !more || place.as_ref().is_none_or(|place| !within(place)) {
                return Ok(goods.into_iter().take(limit).collect());
            }
        }
    }

    /// Movements of a sku, newest first, with their lsn: those before `before`. A commit is given whole,
    /// so there may be a few more than `limit`; the last lsn is where the next page starts.
    pub fn movements(&self, sku: &Sku, before: Option<u64>, limit: usize) -> Read<Vec<(u64, Movement)>> {
        let hash = hash(Kind::Movement, &[sku.as_str().as_bytes()]);
        self.0.history.newest(hash, before, limit, |event, found| {
            found.extend(event.rows.movements.iter().filter(|movement| movement.sku == *sku).cloned());
        })
    }
}
