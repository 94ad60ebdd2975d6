//! Products, prices and promotions.

use super::{Page, Untaken};
use domain::model::base::event::{Event, fact};
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::Change as Kept;
use domain::model::inventory::product::{Product, ProductState};
use domain::model::selling::price::{Price, PriceDown};
use domain::model::selling::promotion::Promotion;
use domain::rules::selling::price;
use domain::wire::feed::{Change, check};

impl Page<'_> {
    pub(super) fn product(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut product: Product = self.payload(change)?;
        check::product(change, &product)?;
        if change.deleted {
            product.state = ProductState::Inactive;
        }
        self.events.push(Event::product_changed(product));
        Ok(())
    }

    /// It is stored with its first moment, and counts from then on by itself.
    pub(super) fn price(&mut self, change: &Change) -> Result<(), Untaken> {
        let price: PriceDown = self.payload(change)?;
        check::price(change, &price, &self.own())?;
        let unusable = || Untaken::Unusable("its first day is not valid in this store's time zone");
        let price = self.here(price, change.effective_at).ok_or_else(unusable)?;
        if change.deleted {
            self.push(Kept::PriceGone { price });
            return Ok(());
        }
        // The row's key depends on the record: if it has changed, the old row is deleted.
        let known = self.inbound(&change.kind, &change.id)?;
        let known = known
            .and_then(|known| self.here(serde_json::from_value(known.payload).ok()?, known.effective_at));
        if let Some(known) = known.filter(|known| *known != price) {
            self.push(Kept::PriceGone { price: known });
        }
        self.push(Kept::Price { price });
        Ok(())
    }

    fn here(&self, price: PriceDown, begins: Option<UtcMs>) -> Option<Price> {
        let begin = |day| price::day_begins(day, &self.rules.timezone, self.rules.day_start);
        Price::here(price, |day| begins.or_else(|| begin(day)), self.now)
    }

    pub(super) fn promotion(&mut self, change: &Change) -> Result<(), Untaken> {
        if change.deleted {
            self.events.push(fact::PromotionWithdrawn { promotion_id: change.id.clone() }.into());
            return Ok(());
        }
        let promotion: Promotion = self.payload(change)?;
        check::promotion(change, &promotion)?;
        self.events.push(fact::PromotionChanged { promotion }.into());
        Ok(())
    }
}
