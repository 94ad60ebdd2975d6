//! What a basket is priced with, gathered before its shift is asked.

use crate::failure::Failure;
use domain::ids::{MemberId, Sku};
use domain::member::Member;
use domain::price;
use domain::product::Product;
use domain::promotion::Promotion;
use domain::sale::{NewItem, Shelf};
use domain::time::UtcMs;
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::{Storage, StorageError};

/// Rows of the catalogue, promotions and the member that a command names.
#[derive(Debug, Clone, Default)]
pub struct PricingInputs {
    products: BTreeMap<Sku, Product>,
    promotions: Arc<Vec<Promotion>>,
    member: Option<Member>,
}

impl PricingInputs {
    /// Reads what a basket of these skus needs, at the prices of `now`.
    pub(crate) fn read<'a>(
        storage: &Storage,
        skus: impl Iterator<Item = &'a Sku>,
        member: Option<&MemberId>,
        now: UtcMs,
    ) -> Result<Self, StorageError> {
        let mut products = BTreeMap::new();
        for sku in skus {
            if !products.contains_key(sku)
                && let Some(product) = storage.product(sku)?
            {
                products.insert(sku.clone(), priced(storage, product, now)?);
            }
        }
        let promotions = storage.promotions()?;
        let member = member.map_or(Ok(None), |id| self::member(storage, id))?;
        Ok(Self { products, promotions, member })
    }

    /// Puts product and pieces where codes were scanned.
    pub(crate) fn scan(storage: &Storage, items: &mut [NewItem]) -> Result<(), Failure> {
        let mut found = BTreeMap::new();
        for code in items.iter().filter_map(|item| item.code.as_ref()) {
            if !found.contains_key(code) {
                found.insert(code.clone(), storage.products_by_barcode(code)?);
            }
        }
        Ok(domain::sale::scan(items, &found)?)
    }

    /// As rules take it.
    pub(crate) fn shelf(&self) -> Shelf<'_> {
        Shelf { products: &self.products, promotions: &self.promotions, member: self.member.as_ref() }
    }
}

/// A product at the price that it has at `now`.
pub(crate) fn priced(storage: &Storage, product: Product, now: UtcMs) -> Result<Product, StorageError> {
    let last_begun = storage.last_begun_price(&product.sku, now)?;
    Ok(price::priced(product, last_begun))
}

/// How often a member may have been merged before its first id stops resolving.
const MERGES_MAX: usize = 16;

/// The member of an id; of a merged one, whom it goes on as.
pub(crate) fn member(storage: &Storage, id: &MemberId) -> Result<Option<Member>, StorageError> {
    let mut found = storage.member(id)?;
    for _ in 0..MERGES_MAX {
        let Some(next) = found.as_ref().and_then(|member| member.merged_into.as_ref()) else { break };
        // Whose record is not here yet: the id goes on naming what is.
        let Some(next) = storage.member(next)? else { break };
        found = Some(next);
    }
    Ok(found)
}
