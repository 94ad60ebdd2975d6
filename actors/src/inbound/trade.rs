//! What is sold and what it costs: products, prices, promotions.

use super::{Page, Untaken};
use domain::event::Event;
use domain::price::Price;
use domain::product::Product;
use domain::promotion::Promotion;
use domain::sync::local::Change as Kept;
use domain::sync::{Change, PriceDown, check};
use domain::time::UtcMs;
use jiff::civil::Date;

impl Page<'_> {
    pub(super) fn product(&mut self, change: &Change) -> Result<(), Untaken> {
        let mut product: Product = self.payload(change)?;
        check::product(change, &product)?;
        product.active &= !change.deleted;
        self.events.push(Event::product_changed(product));
        Ok(())
    }

    /// It is written down with its first moment, and counts from then on by itself.
    pub(super) fn price(&mut self, change: &Change) -> Result<(), Untaken> {
        let price: PriceDown = self.payload(change)?;
        check::price(change, &price, &self.own())?;
        if change.deleted {
            self.push(Kept::PriceGone { price });
            return Ok(());
        }
        // The row's place is made of what the record says: where that changed, the old one has to go.
        let known = self.storage.inbound(&change.kind, &change.id)?;
        let known = known.and_then(|known| serde_json::from_value::<PriceDown>(known.payload).ok());
        if let Some(known) = known.filter(|known| *known != price) {
            self.push(Kept::PriceGone { price: known });
        }
        let begins = change.effective_at.or_else(|| self.day_begins(price.from));
        let effective_at = begins.ok_or(Untaken::Unusable("its first day is no day here"))?;
        self.push(Kept::Price { price: Price { price, effective_at } });
        Ok(())
    }

    fn day_begins(&self, day: Date) -> Option<UtcMs> {
        let begins = day.to_zoned(self.rules.timezone.clone()).ok()?;
        Some(UtcMs(begins.timestamp().as_millisecond()))
    }

    pub(super) fn promotion(&mut self, change: &Change) -> Result<(), Untaken> {
        if change.deleted {
            self.events.push(Event::PromotionWithdrawn { promotion_id: change.id.clone() });
            return Ok(());
        }
        let promotion: Promotion = self.payload(change)?;
        check::promotion(change, &promotion)?;
        self.events.push(Event::PromotionChanged { promotion: Box::new(promotion) });
        Ok(())
    }
}
