//! What a basket is priced with, gathered before its shift is asked.

use domain::ids::{MemberId, Sku};
use domain::member::Member;
use domain::product::Product;
use domain::promotion::Promotion;
use domain::sale::Shelf;
use std::collections::BTreeMap;
use storage::{Storage, StorageError};

/// Rows of the catalogue, promotions and the member that a command names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stocked {
    products: BTreeMap<Sku, Product>,
    promotions: Vec<Promotion>,
    member: Option<Member>,
}

impl Stocked {
    /// Reads what a basket of these skus needs.
    pub(crate) fn read<'a>(
        storage: &Storage,
        skus: impl Iterator<Item = &'a Sku>,
        member: Option<&MemberId>,
    ) -> Result<Self, StorageError> {
        let mut products = BTreeMap::new();
        for sku in skus {
            if !products.contains_key(sku)
                && let Some(product) = storage.product(sku)?
            {
                products.insert(sku.clone(), product);
            }
        }
        let promotions = storage.promotions()?;
        let member = member.map_or(Ok(None), |id| storage.member(id))?;
        Ok(Self { products, promotions, member })
    }

    /// As rules take it.
    pub(crate) fn shelf(&self) -> Shelf<'_> {
        Shelf { products: &self.products, promotions: &self.promotions, member: self.member.as_ref() }
    }
}
