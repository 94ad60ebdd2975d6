//! A store's own settings of a product: when to order it, and where it is. Head office may write both too; the hub
//! decides, field by field (docs/protocol.md#last-write-wins).

use crate::model::base::fields::{Fields, read};
use crate::model::base::figures::Quantity;
use crate::model::base::ids::{Sku, StoreId};
use crate::model::base::patch::Given;
use crate::model::base::refusal::Refusal;
use crate::model::hub::stamp::Stamp;
use crate::model::inventory::product_settings::{LEVEL, PLACE, ProductSettings};
use crate::model::people::authorization::{Authorization, allow};
use crate::model::people::member::FieldMark;
use crate::model::people::user::Role;
use crate::rules::people::member::{Heard, lost};
use crate::wire::feed::{FieldDown, SettingDown};
use crate::wire::record::FieldWrite;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LEVEL_MAX: i64 = 1_000_000_000;

/// The longest name of a place, in characters.
const PLACE_CHARS_MAX: usize = 64;

/// Request body of `PATCH /api/stock/:sku`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeProductSettings {
    /// On-hand quantity at or below which the product should be ordered, 0–1,000,000,000. Null to remove the store's
    /// own level.
    #[serde(default, skip_serializing_if = "Given::is_nothing")]
    #[schemars(range(min = 0, max = LEVEL_MAX))]
    pub reorder_level: Given<Quantity>,
    /// Place in the store where the product is kept, at most 64 characters. Empty for none.
    #[serde(default, deserialize_with = "crate::model::base::patch::cleared")]
    #[schemars(length(max = PLACE_CHARS_MAX))]
    pub shelf_place: Option<String>,
}

/// Current settings of a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ProductSettings")]
pub struct SettingsView {
    /// SKU of the product.
    pub sku: Sku,
    /// On-hand quantity at or below which the product should be ordered. Null if there is no such level.
    pub reorder_level: Option<Quantity>,
    /// Place in the store where the product is kept. Null if none is recorded.
    pub shelf_place: Option<String>,
}

impl ChangeProductSettings {
    fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.range_of(LEVEL, self.reorder_level.value().copied(), 0..=LEVEL_MAX);
        fields.text(PLACE, self.shelf_place.as_deref(), PLACE_CHARS_MAX);
        fields.done()
    }

    fn trimmed_place(&self) -> Option<String> {
        self.shelf_place.as_deref().map(str::trim).filter(|place| !place.is_empty()).map(str::to_owned)
    }

    /// The fields that are given, with the values that they get.
    ///
    /// # Errors
    /// `validation_failed`.
    pub fn written(&self) -> Result<BTreeMap<&'static str, Value>, Refusal> {
        self.check()?;
        let level = (!self.reorder_level.is_nothing()).then(|| (LEVEL, json!(self.reorder_level)));
        let place = self.shelf_place.is_some().then(|| (PLACE, json!(self.trimmed_place())));
        Ok(level.into_iter().chain(place).collect())
    }
}

/// Changes the given fields; the writes are for head office. An equal value is not written.
///
/// # Errors
/// `insufficient_role`, `validation_failed`.
pub fn change(
    cmd: &ChangeProductSettings,
    before: &ProductSettings,
    stamp: &Stamp,
    authorization: &Authorization<'_>,
) -> Result<(ProductSettings, BTreeMap<String, FieldWrite>), Refusal> {
    let role = authorization.caller.role;
    allow(role.manages() || role == Role::WarehouseStaff)?;
    cmd.check()?;
    let mut after = before.clone();
    after.reorder_level = cmd.reorder_level.over(after.reorder_level);
    if cmd.shelf_place.is_some() {
        after.shelf_place = cmd.trimmed_place();
    }
    let mut writes = BTreeMap::new();
    for field in [LEVEL, PLACE] {
        let value = after.value(field);
        if value != before.value(field) {
            let base = before.marks.get(field).map(|mark| mark.event_id.clone()).unwrap_or_default();
            writes.insert(field.to_owned(), FieldWrite { value, at: stamp.at.clone(), base });
            after.marks.insert(field.to_owned(), FieldMark::local(stamp));
        }
    }
    Ok((after, writes))
}

/// The product and the field of a setting's name, `product:<sku>:<field>`; `None` if it is another setting.
pub fn named(name: &str) -> Option<(Sku, &str)> {
    let (sku, field) = name.strip_prefix("product:")?.rsplit_once(':')?;
    Some((Sku(sku.to_owned()), field))
}

/// Applies a setting of the feed: its value, unless an own write stays on top. Fields that this version does
/// not know are left to a later one.
///
/// # Errors
/// `validation_failed` for a value that the field can't have.
pub fn apply_feed(
    down: &SettingDown,
    field: &str,
    mut known: ProductSettings,
    heard: &Heard<'_>,
) -> Result<ProductSettings, Refusal> {
    let SettingDown { value, at, by, .. } = down.clone();
    let down = FieldDown { value, at, by };
    if known.marks.get(field).is_some_and(|mark| heard.on_top(mark, &down)) {
        return Ok(known);
    }
    match field {
        LEVEL => known.reorder_level = read(field, &down.value)?,
        PLACE => known.shelf_place = read(field, &down.value)?,
        _ => return Ok(known),
    }
    let (reorder_level, shelf_place) = (known.reorder_level, known.shelf_place.clone());
    let reorder_level = reorder_level.map_or(Given::Empty, Given::Value);
    ChangeProductSettings { reorder_level, shelf_place }.check()?;
    known.marks.insert(field.to_owned(), FieldMark::from_hub(&down.at, &down.by));
    Ok(known)
}

/// The write that sends a setting again which a restored head office has lost, as
/// [`crate::rules::people::member::newer_fields`] describes. `has` is the value that head office has instead.
pub fn newer_field(
    has: Option<&SettingDown>,
    field: &str,
    known: &ProductSettings,
    own: &StoreId,
) -> Option<FieldWrite> {
    let has = has.cloned().map(|SettingDown { value, at, by, .. }| FieldDown { value, at, by });
    let mark = known.marks.get(field).filter(|mark| lost(mark, has.as_ref(), own))?;
    Some(FieldWrite { value: known.value(field), at: mark.at.clone(), base: String::new() })
}
