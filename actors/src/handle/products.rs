//! Products: their prices, and their changes here.

use super::StoreHandle;
use crate::hub::hub_connection::merge_transfer;
use crate::message::CatalogueMessage;
use crate::owners::catalogue::check_barcodes_free;
use crate::runtime::command::COMMAND_DEADLINE;
use crate::runtime::failure::Failure;
use crate::runtime::mailbox;
use domain::model::base::event::Event;
use domain::model::base::ids::{RegisterId, Sku, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::inventory::product::Product;
use domain::model::inventory::transfer::Transfer;
use domain::model::selling::price::PriceMoment;
use domain::rules::inventory::product;
use domain::rules::selling::price;
use domain::rules::selling::price::EffectivePrice;
use std::collections::HashMap;
use std::sync::Arc;

impl StoreHandle {
    /// A product at the price that it has now (docs/protocol.md#pull, kind `price`).
    ///
    /// # Errors
    /// [`Failure::Internal`] when storage can't be read.
    pub fn sold(&self, sku: &Sku) -> Result<Option<Arc<Product>>, Failure> {
        Ok(self.context.storage.products().sold(sku, self.context.price_moment())?)
    }

    /// The moment for a user's prices at a register: now, by the business date of the shift in which the user works
    /// there, which is the date of its baskets.
    ///
    /// # Errors
    /// The errors of [`Self::sold`].
    pub fn price_moment_of(&self, user: &UserId, here: Option<&RegisterId>) -> Result<PriceMoment, Failure> {
        match self.context.shift_registry.id_for(user, here) {
            Some(shift_id) => self.context.price_moment_of(&shift_id),
            None => Ok(self.context.price_moment()),
        }
    }

    /// A product at the price that it has then.
    ///
    /// # Errors
    /// The errors of [`Self::sold`].
    pub fn sold_on(&self, sku: &Sku, on: PriceMoment) -> Result<Option<Arc<Product>>, Failure> {
        Ok(self.context.storage.products().sold(sku, on)?)
    }

    /// The products that are sold and that a scanner's code names, at the prices of then, in order of sku.
    ///
    /// # Errors
    /// The errors of [`Self::sold`].
    pub fn sold_by_barcode(&self, code: &str, on: PriceMoment) -> Result<Vec<Arc<Product>>, Failure> {
        Ok(self.context.storage.products().sold_by_barcode(code, on)?)
    }

    /// Checks that each barcode of a file's products belongs to one product. `lines` has their places in the file.
    ///
    /// # Errors
    /// [`Refusal::BarcodeTaken`].
    pub fn check_barcodes(&self, products: &[Product], lines: &HashMap<Sku, u64>) -> Result<(), Failure> {
        check_barcodes_free(&self.context.storage, products, lines)
    }

    /// The price of a product that counts at `at`, now or later, and why.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for a product that is not there.
    pub fn effective_price(&self, sku: &Sku, at: UtcMs) -> Result<EffectivePrice, Failure> {
        let storage = &self.context.storage;
        let product = storage.products().product(sku)?.ok_or(Refusal::NotFound("product"))?;
        let rules = self.context.rules.now();
        let on = price::moment(at, &rules.timezone, rules.day_start);
        let last_begun = storage.products().last_begun_price(sku, on)?;
        Ok(price::effective(&product, &rules.store_id, last_begun, at))
    }

    /// Writes products into the catalogue, all in one commit. If a hub owns the catalogue, rows that change nothing
    /// are skipped and any other row refuses the file.
    ///
    /// # Errors
    /// [`Refusal::ValidationFailed`] with the rows that would override head office; [`Failure::Unavailable`] while
    /// the catalogue restarts, [`Failure::StorageFull`].
    pub async fn import_products(&self, products: Vec<Product>) -> Result<(), Failure> {
        let storage = &self.context.storage;
        if storage.sync().hub()?.is_some() {
            let known = products
                .iter()
                .map(|row| storage.products().product(&row.sku))
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(product::overrides_nothing(products.iter().zip(known.iter().map(Option::as_ref)))?);
        }
        self.write_catalogue(products.into_iter().map(Event::product_changed).collect()).await
    }

    /// Writes events that only head office decides, all in one commit: products, suppliers, orders.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while the catalogue restarts, [`Failure::StorageFull`].
    pub async fn write_catalogue(&self, events: Vec<Event>) -> Result<(), Failure> {
        let at = self.context.stamps.now();
        let message = |applied| CatalogueMessage::Apply { events, at, applied };
        self.context.catalogue.call(COMMAND_DEADLINE, mailbox::CATALOGUE, message).await?
    }

    /// Applies the other store's document of a transfer (kind `transfer` of the feed), in any order and any number of
    /// times. Returns when its effects are durable.
    ///
    /// # Errors [`Failure::Refused`] for an impossible document, by
    /// [`domain::rules::inventory::transfer::merge_remote`]: sending it again won't help. [`Failure::Unavailable`] and
    /// [`Failure::StorageFull`]: send it again later.
    pub async fn merge_transfer(&self, transfer: Transfer) -> Result<(), Failure> {
        merge_transfer(&self.context, transfer).await
    }
}
