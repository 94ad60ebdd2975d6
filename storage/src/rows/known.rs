//! Decoded rows: products, prices, members and tills, which every sale needs.

use super::apply::sync_rows::SETTLED;
use super::cached::Cached;
use super::prices::{Counts, LastBegun};
use super::row_cache::RowCache;
use super::table::Table;
use super::{RowOp, Rows};
use crate::error::StorageError;
use domain::model::base::ids::Sku;
use domain::model::books::register::Register;
use domain::model::inventory::barcode;
use domain::model::inventory::product::Product;
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::member::Member;
use domain::model::selling::price::PriceMoment;
use domain::model::selling::promotion::Promotion;
use domain::rules::selling::price;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

type Read<T> = Result<T, StorageError>;

/// Most products that are kept decoded, with as many codes and settings: about 16 MiB. Of a larger catalogue these are
/// the most recently used.
const PRODUCTS_KEPT_MAX: usize = 16_384;

/// Most members that are kept decoded: the recent customers, about 4 MiB.
const MEMBERS_KEPT_MAX: usize = 8_192;
/// Most tills that are kept decoded.
const REGISTERS_KEPT_MAX: usize = 1_024;

/// Decoded rows. Each is dropped by the commit that changes it.
#[derive(Debug)]
pub struct Known {
    /// Promotions: every basket is priced with them.
    pub promotions: Cached<Promotion>,
    /// Open transfers. They show the goods that are on their way to this store.
    pub transfers: Cached<Transfer>,
    /// Products and prices, by SKU.
    products: RowCache<Priced>,
    /// SKUs, by barcode.
    codes: RowCache<Vec<Sku>>,
    /// By sku; an inner `None` means that there are no settings of it.
    settings: RowCache<Option<ProductSettings>>,
    /// Members, by ID.
    pub members: RowCache<Member>,
    /// Registers, by ID.
    pub registers: RowCache<Register>,
    /// Whether a price of head office may exist: most independent stores have none, and need no look-up.
    has_prices: AtomicBool,
}

/// A product at a price, and when that price counts.
#[derive(Debug)]
struct Priced {
    product: Arc<Product>,
    counts: Counts,
}

/// Changes of kept rows by row operations.
#[derive(Debug, Default)]
pub struct ChangedKeys {
    promotions: bool,
    transfers: bool,
    products: Vec<String>,
    codes: Vec<String>,
    settings: Vec<String>,
    members: Vec<String>,
    registers: Vec<String>,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            promotions: Cached::default(),
            transfers: Cached::default(),
            products: RowCache::new(PRODUCTS_KEPT_MAX),
            codes: RowCache::new(PRODUCTS_KEPT_MAX),
            settings: RowCache::new(PRODUCTS_KEPT_MAX),
            members: RowCache::new(MEMBERS_KEPT_MAX),
            registers: RowCache::new(REGISTERS_KEPT_MAX),
            has_prices: AtomicBool::new(true),
        }
    }
}

impl Known {
    /// Says whether the engine holds prices.
    pub fn has_prices(&self, any: bool) {
        self.has_prices.store(any, Relaxed);
    }

    /// Rows that operations are about to change.
    pub fn touched(&self, ops: &[RowOp]) -> ChangedKeys {
        let mut touched = ChangedKeys::default();
        for RowOp { key, .. } in ops {
            let Some((table, rest)) = key.split_first() else { continue };
            let first = || text(rest.split(|byte| *byte == 0).next().unwrap_or_default());
            if *table == Table::Product as u8 {
                touched.products.push(text(rest));
            } else if *table == Table::Price as u8 {
                self.has_prices.store(true, Relaxed);
                touched.products.push(first());
            } else if *table == Table::Barcode as u8 {
                touched.codes.push(first());
            } else if *table == Table::Member as u8 {
                touched.members.push(text(rest));
            } else if *table == Table::Register as u8 {
                touched.registers.push(text(rest));
            } else if *table == Table::Sync as u8 {
                touched.settings.extend(rest.strip_prefix(SETTLED.as_bytes()).map(text));
            }
            touched.promotions |= *table == Table::Promotion as u8;
            touched.transfers |= *table == Table::Transfer as u8;
        }
        touched
    }

    /// The rows changed, and readers see it.
    pub fn forget(&self, touched: &ChangedKeys) {
        self.products.forget(&touched.products);
        self.codes.forget(&touched.codes);
        self.settings.forget(&touched.settings);
        self.members.forget(&touched.members);
        self.registers.forget(&touched.registers);
        if touched.promotions {
            self.promotions.forget();
        }
        if touched.transfers {
            self.transfers.forget();
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Rows {
    /// A product at the price that it has then.
    pub fn sold(&self, sku: &str, on: PriceMoment) -> Read<Option<Arc<Product>>> {
        let counts = |priced: &Priced| priced.counts.at(on);
        let priced = self.known.products.get(sku, counts, || self.read_priced(sku, on))?;
        Ok(priced.map(|priced| Arc::clone(&priced.product)))
    }

    fn read_priced(&self, sku: &str, on: PriceMoment) -> Read<Option<Priced>> {
        let Some(product) = self.row::<Product>(Table::Product, sku)? else { return Ok(None) };
        let last = if self.known.has_prices.load(Relaxed) {
            self.last_begun_price(&product.sku, on)?
        } else {
            LastBegun::default()
        };
        let product = Arc::new(price::priced(product, last.price));
        Ok(Some(Priced { product, counts: last.counts }))
    }

    /// The products that are sold and that a scan names, at the prices of then, in order of sku.
    pub fn sold_by_barcode(&self, scan: &str, on: PriceMoment) -> Read<Vec<Arc<Product>>> {
        let code = &*barcode::normal(scan);
        let skus = || self.skus_by_code(code).map(|skus| (!skus.is_empty()).then_some(skus));
        let mut found = Vec::new();
        if let Some(skus) = self.known.codes.get(code, |_| true, skus)? {
            for sku in skus.iter() {
                let product = self.sold(sku.as_str(), on)?;
                found.extend(product.filter(|product| product.is_active() && product.has_code(code)));
            }
        }
        Ok(found)
    }

    /// The skus of products that have, or had, a code as [`barcode::normal`] writes it, or are called so themselves.
    pub fn skus_by_code(&self, code: &str) -> Read<Vec<Sku>> {
        let prefix = Table::Barcode.pair(code, "");
        let keys = self.range(&prefix, None, usize::MAX)?;
        Ok(keys.iter().map(|(key, _)| Sku(text(key.get(prefix.len()..).unwrap_or_default()))).collect())
    }

    /// The store's own settings of a product; `None` if it has none.
    pub fn product_settings(&self, sku: &Sku) -> Read<Option<ProductSettings>> {
        let read = || {
            let text: Option<String> = self.row(Table::Sync, &format!("{SETTLED}{sku}"))?;
            text.map(|text| self.parse_json(&text)).transpose().map(Some)
        };
        let kept = self.known.settings.get(sku.as_str(), |_| true, read)?;
        Ok(kept.and_then(|settings| (*settings).clone()))
    }
}
