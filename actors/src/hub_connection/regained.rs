//! Settings of products that a hub of another life lost: they stay here, and go back.

use crate::door::Door;
use crate::hub_client::CallError;
use crate::inbound::key;
use domain::ids::Sku;
use domain::product_settings;
use domain::record::{self, ProductSettingsChanged};
use domain::sync::{Change, Kind, SettingDown};
use std::collections::BTreeMap;
use storage::{Commit, Scratch};

/// Records that are looked at together.
const LOOKED_AT: usize = 500;

/// What of a setting goes back, because the record of it is older than what is here.
pub(super) fn setting(door: &Door, change: &Change) -> Result<Option<ProductSettingsChanged>, CallError> {
    if change.kind != Kind::Settings.name() {
        return Ok(None);
    }
    let has = serde_json::from_value::<SettingDown>(change.payload.clone()).ok();
    let has = has.filter(|_| !change.deleted);
    lost(door, &change.id, has.as_ref())
}

/// The settings that the hub of another life does not have at all.
pub(super) async fn settings(door: &Door, seen: &Scratch) -> Result<(), CallError> {
    let kind = Kind::Settings.name();
    let mut after: Option<String> = None;
    loop {
        let records = door.storage.inbounds(kind, after.as_deref(), LOOKED_AT)?;
        let Some(last) = records.last().map(|record| record.id.clone()) else { return Ok(()) };
        for record in &records {
            if !seen.has(&key(kind, &record.id))?
                && let Some(changed) = lost(door, &record.id, None)?
            {
                send_back(door, &changed).await?;
            }
        }
        after = Some(last);
    }
}

fn lost(
    door: &Door,
    name: &str,
    has: Option<&SettingDown>,
) -> Result<Option<ProductSettingsChanged>, CallError> {
    let Some((sku, field)) = product_settings::named(name) else { return Ok(None) };
    let Some(known) = door.storage.product_settings(&sku)? else { return Ok(None) };
    let write = product_settings::regained(has, field, &known, &door.rules.store_id);
    Ok(write.map(|write| changed(sku, field, write)))
}

fn changed(sku: Sku, field: &str, write: record::FieldWrite) -> ProductSettingsChanged {
    ProductSettingsChanged { id: sku, fields: BTreeMap::from([(field.to_owned(), write)]) }
}

/// Interrupted before the cursor moves it is sent once more: the same value with the same stamp.
pub(super) async fn send_back(door: &Door, changed: &ProductSettingsChanged) -> Result<(), CallError> {
    let stamp = door.stamps.stamp();
    let records = vec![record::product_settings_changed(&stamp, changed)];
    let commit = Commit { events: Vec::new(), records, keyed: None, at: stamp.now, hlc: Some(stamp.at) };
    door.storage.commit(commit).await?;
    Ok(())
}
