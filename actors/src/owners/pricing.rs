//! The inputs for the prices of a basket, read before the command reaches its shift.

use crate::runtime::failure::Failure;
use domain::model::base::ids::{MemberId, Sku};
use domain::model::inventory::product::Product;
use domain::model::people::member::Member;
use domain::model::selling::price::PriceMoment;
use domain::model::selling::promotion::Promotion;
use domain::rules::selling::sale::{PricingContext, Scanned};
use std::collections::BTreeMap;
use std::sync::Arc;
use storage::{Storage, StorageError};

/// Rows of the catalogue, promotions and the member that a command names.
#[derive(Debug, Clone, Default)]
pub struct PricingInputs {
    products: BTreeMap<Sku, Arc<Product>>,
    promotions: Arc<Vec<Promotion>>,
    member: Option<Arc<Member>>,
}

impl PricingInputs {
    /// Reads the inputs of a basket of these skus, with their prices at a time.
    pub(crate) fn read<'a>(
        storage: &Storage,
        skus: impl Iterator<Item = &'a Sku>,
        member: Option<&MemberId>,
        on: PriceMoment,
    ) -> Result<Self, StorageError> {
        let promotions = storage.products().promotions()?;
        let member = member.map_or(Ok(None), |id| self::member(storage, id))?;
        let mut inputs = Self { products: BTreeMap::new(), promotions, member };
        inputs.add_missing(storage, skus, on)?;
        Ok(inputs)
    }

    /// Reads the member again if the basket has another one by now.
    pub(crate) fn renew_member(
        &mut self,
        storage: &Storage,
        id: Option<&MemberId>,
    ) -> Result<(), StorageError> {
        if self.member.as_ref().map(|member| &member.member_id) != id {
            self.member = id.map_or(Ok(None), |id| self::member(storage, id))?;
        }
        Ok(())
    }

    /// Reads the products that were not read yet.
    pub(crate) fn add_missing<'a>(
        &mut self,
        storage: &Storage,
        skus: impl Iterator<Item = &'a Sku>,
        on: PriceMoment,
    ) -> Result<(), StorageError> {
        for sku in skus {
            if !self.products.contains_key(sku)
                && let Some(product) = storage.products().sold(sku, on)?
            {
                self.products.insert(sku.clone(), product);
            }
        }
        Ok(())
    }

    /// Sets the product and the pieces of lines that have a scanned code instead.
    pub(crate) fn scan<L: Scanned>(
        storage: &Storage,
        lines: &mut [L],
        on: PriceMoment,
    ) -> Result<(), Failure> {
        let mut found = BTreeMap::new();
        for code in lines.iter().filter_map(Scanned::code) {
            if !found.contains_key(code) {
                found.insert(code.to_owned(), storage.products().sold_by_barcode(code, on)?);
            }
        }
        Ok(domain::rules::selling::sale::scan(lines, &found)?)
    }

    /// The inputs in the form that the rules take.
    pub(crate) fn pricing(&self) -> PricingContext<'_> {
        PricingContext {
            products: &self.products,
            promotions: &self.promotions,
            member: self.member.as_deref(),
        }
    }
}

/// Most merges that are followed from the ID of a member.
const MERGES_MAX: usize = 16;

/// The member of an ID. For a merged member, the member that it was merged into.
pub(crate) fn member(storage: &Storage, id: &MemberId) -> Result<Option<Arc<Member>>, StorageError> {
    let mut found = storage.members().known(id)?;
    for _ in 0..MERGES_MAX {
        let Some(next) = found.as_ref().and_then(|member| member.merged_into.as_ref()) else { break };
        // The next member has not been received yet, so the ID still names the present one.
        let Some(next) = storage.members().known(next)? else { break };
        found = Some(next);
    }
    Ok(found)
}
