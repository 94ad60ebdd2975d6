//! Settings: those of products, which both sides write, and those that head office set for the store. Others are kept
//! for a later version that knows them.

use super::{Page, Untaken};
use domain::model::base::event::Event;
use domain::model::base::ids::Sku;
use domain::model::base::refusal::Refusal;
use domain::model::hub::sync::local::Change as Kept;
use domain::model::inventory::product_settings::ProductSettings;
use domain::rules::base::store_settings;
use domain::rules::inventory::product_settings;
use domain::rules::people::member::Heard;
use domain::wire::feed::{Change, Kind, SettingDown, StoreSettingsDown, check};

impl Page<'_> {
    pub(super) fn setting(&mut self, change: &Change) -> Result<(), Untaken> {
        let Some((sku, field)) = product_settings::named(&change.id).filter(|_| !change.deleted) else {
            return Ok(());
        };
        let down: SettingDown = self.payload(change)?;
        check::setting(change, &down)?;
        let writes = self.storage.sync().own_writes(Kind::Settings.name(), &change.id)?;
        let decided = writes.iter().map(|write| (write.event_id.clone(), write.version.clone()));
        let heard = Heard { version: &change.version, decided: &decided.collect(), now: self.now };
        let settings = product_settings::apply_feed(&down, field, self.settled(&sku)?, &heard)?;
        self.settings.insert(sku.clone(), settings.clone());
        self.push(Kept::ProductSettings { settings });
        for write in writes.into_iter().filter(|write| write.version.as_str() <= change.version.as_str()) {
            self.push(Kept::Reached { write });
        }
        // With its settings on top: the catalogue does this for every product.
        if let Some(product) = self.storage.products().product(&sku)? {
            self.events.push(Event::product_changed(product));
        }
        Ok(())
    }

    /// It is stored as it came: the rules in force are computed from it once it is on the disk. An impossible value is
    /// noted and left out.
    pub(super) fn store_settings(&mut self, change: &Change) -> Result<(), Untaken> {
        if change.deleted {
            return Ok(());
        }
        let down: StoreSettingsDown = self.payload(change)?;
        check::store_settings(change, &down)?;
        let (_, problems) = store_settings::in_force(&self.rules, &down);
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Untaken::InPart(Refusal::ValidationFailed(problems))),
        }
    }

    fn settled(&self, sku: &Sku) -> Result<ProductSettings, Untaken> {
        if let Some(settings) = self.settings.get(sku) {
            return Ok(settings.clone());
        }
        let known = self.storage.products().product_settings(sku)?;
        Ok(known.unwrap_or_else(|| ProductSettings::of(sku.clone())))
    }
}
