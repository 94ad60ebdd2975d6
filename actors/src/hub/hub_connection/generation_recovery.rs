//! Settings of products that a restored hub lost: they stay here, and go back.

use crate::hub::hub_client::CallError;
use crate::hub::inbound::key;
use crate::runtime::context::Context;
use domain::model::base::ids::Sku;
use domain::rules::inventory::product_settings;
use domain::wire::feed::{Change, Kind, SettingDown};
use domain::wire::record;
use domain::wire::record::ProductSettingsChanged;
use std::collections::BTreeMap;
use storage::Scratch;

/// Records that are looked at together.
const LOOKED_AT: usize = 500;

/// Write that sends a setting back, because its record is older than the value here.
pub(super) fn setting(
    context: &Context,
    change: &Change,
) -> Result<Option<ProductSettingsChanged>, CallError> {
    if change.kind != Kind::Settings.name() {
        return Ok(None);
    }
    let has = serde_json::from_value::<SettingDown>(change.payload.clone()).ok();
    let has = has.filter(|_| !change.deleted);
    lost(context, &change.id, has.as_ref())
}

/// The settings that the restored hub does not have at all.
pub(super) async fn settings(context: &Context, seen: &Scratch) -> Result<(), CallError> {
    let kind = Kind::Settings.name();
    let mut after: Option<String> = None;
    loop {
        let records = context.storage.sync().inbounds(kind, after.as_deref(), LOOKED_AT)?;
        let Some(last) = records.last().map(|record| record.id.clone()) else { return Ok(()) };
        for record in &records {
            if !seen.has(&key(kind, &record.id))?
                && let Some(changed) = lost(context, &record.id, None)?
            {
                send_back(context, &changed).await?;
            }
        }
        after = Some(last);
    }
}

fn lost(
    context: &Context,
    name: &str,
    has: Option<&SettingDown>,
) -> Result<Option<ProductSettingsChanged>, CallError> {
    let Some((sku, field)) = product_settings::named(name) else { return Ok(None) };
    let Some(known) = context.storage.products().product_settings(&sku)? else { return Ok(None) };
    let write = product_settings::newer_field(has, field, &known, &context.rules.now().store_id);
    Ok(write.map(|write| changed(sku, field, write)))
}

fn changed(sku: Sku, field: &str, write: record::FieldWrite) -> ProductSettingsChanged {
    ProductSettingsChanged { id: sku, fields: BTreeMap::from([(field.to_owned(), write)]) }
}

/// Interrupted before the cursor moves it is sent once more: the same value with the same stamp.
pub(super) async fn send_back(context: &Context, changed: &ProductSettingsChanged) -> Result<(), CallError> {
    let stamp = context.stamps.stamp();
    let records = vec![record::product_settings_changed(&stamp, changed)];
    Ok(context.commit_records(stamp, Vec::new(), records).await?)
}
