//! Checks records of the feed against the same bounds as requests, so that a store applies no value that a request
//! could not have set, even from a faulty hub. Problems are reported by field, for people.

use crate::model::base::fields::Fields;
use crate::model::base::ids::{SHORT_ID_PROBLEM, StoreId, is_short_id};
use crate::model::base::limits::{
    FIGURE_MAX, ID_BYTES_MAX, NAME_CHARS_MAX, PRODUCT_NAME_CHARS_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX,
};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::inventory::product::Product;
use crate::model::people::member::MERGED_MAX;
use crate::model::people::user::costs::Costs;
use crate::model::people::user::{FieldTimes, LATEST_WORD, NAME_BYTES_MAX, Role, login_name};
use crate::model::selling::price::PriceDown;
use crate::wire::feed::{
    Change, Coverage, FieldDown, MemberDown, PointsDown, RevocationDown, StoreDown, UserDown,
};
use serde_json::Value;
use std::ops::RangeInclusive;

mod promotion;
mod settings;
mod stock_documents;
pub use promotion::promotion;
pub use settings::{register, setting, store_settings};
pub use stock_documents::{order, supplier, transfer};

/// The longest ID of a record, in bytes: that of a setting names a product and a field.
pub const RECORD_ID_BYTES_MAX: usize = 192;

/// Most bytes of a record as text.
pub const RECORD_BYTES_MAX: usize = 1024 * 1024;

/// Greatest depth to which a record may be nested.
const DEPTH_MAX: usize = 16;

/// The longest name of a kind and a version, in bytes.
pub(super) const WORD_BYTES_MAX: usize = 128;

/// The highest price and cost.
pub(super) const PRICE_MAX: i64 = 1_000_000_000_000;

/// The highest reorder level.
const REORDER_LEVEL_MAX: i64 = 1_000_000_000;

/// 100 percent, in basis points.
const RATE_BP_MAX: i64 = 10_000;

/// The longest category, tax code, barcode and tier, in bytes.
pub(super) const WORDS_BYTES_MAX: usize = 64;

/// Most barcodes of a product.
const BARCODES_MAX: usize = 100;

/// Most fields of a member.
pub(super) const FIELDS_MAX: usize = 64;

/// The longest text value of a field that both sides write, in bytes.
pub(super) const VALUE_BYTES_MAX: usize = 1024;

/// Most epochs and parked records that a page names for its balances.
const NAMED_MAX: usize = 10_000;

/// Valid times of clocks: 2000-01-01 to 2200-01-01.
pub const MOMENTS: RangeInclusive<i64> = 946_684_800_000..=7_258_118_400_000;

/// Range of times at which a user's field may have been set. 0 means that it was never set, or that a clock had
/// stopped. The end is a year before the last time that can be stored.
const WORDS: RangeInclusive<i64> = 0..=LATEST_WORD.0;

/// Values of a store that a record is checked against.
#[derive(Debug, Clone, Copy)]
pub struct Own<'a> {
    /// ID of the store.
    pub store_id: &'a StoreId,
    /// The most that a password hash may cost.
    pub costs_max: Costs,
}

/// Checks a record of any kind: whether it can be stored and shown.
///
/// # Errors
/// `validation_failed`.
pub fn envelope(change: &Change) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    fields.code("kind", &change.kind, WORD_BYTES_MAX);
    fields.code("id", &change.id, RECORD_ID_BYTES_MAX);
    if change.id.chars().any(char::is_control) {
        fields.wrong("id", "must not contain control characters");
    }
    fields.code_if_any("version", Some(&change.version), WORD_BYTES_MAX);
    if let Some(at) = change.effective_at {
        moment(&mut fields, "effective_at", at);
    }
    let mut left = RECORD_BYTES_MAX;
    if !fits(&change.payload, 0, &mut left) {
        fields.wrong("payload", format!("must have at most {RECORD_BYTES_MAX} bytes and {DEPTH_MAX} levels"));
    }
    fields.done()
}

/// Whether a value is at most as large as `left`, which is reduced by its size.
fn fits(value: &Value, depth: usize, left: &mut usize) -> bool {
    let deeper = depth.saturating_add(1);
    let mut take = |bytes: usize| match left.checked_sub(bytes) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    };
    let own = match value {
        Value::String(text) => take(text.len().saturating_add(2)),
        Value::Object(members) => members.keys().all(|name| take(name.len().saturating_add(4))),
        _ => take(4),
    };
    own && depth <= DEPTH_MAX
        && match value {
            Value::Array(items) => items.iter().all(|item| fits(item, deeper, left)),
            Value::Object(members) => members.values().all(|item| fits(item, deeper, left)),
            _ => true,
        }
}

/// Checks that the ID of a record is the ID of the object that it describes.
pub(super) fn same(fields: &mut Fields, path: &str, change: &Change, id: &str) {
    if change.id != id {
        fields.wrong(path, "must be the record's own id");
    }
}

/// Checks an ID that must not be empty.
pub(crate) fn id(fields: &mut Fields, path: &str, text: &str) {
    fields.code(path, text, ID_BYTES_MAX);
    line(fields, path, text);
}

/// Checks a text of one line.
pub(super) fn line(fields: &mut Fields, path: &str, text: &str) {
    if text.contains(['\n', '\t']) {
        fields.wrong(path, "must not contain control characters");
    }
}

/// Checks the length of a text for people, as it was typed: the printing code handles characters that can't be printed.
pub(super) fn loose(fields: &mut Fields, path: &str, text: &str, chars_max: usize) {
    if text.len() > chars_max && text.chars().count() > chars_max {
        fields.wrong(path, format!("must be at most {chars_max} characters"));
    } else if text.contains('\0') {
        fields.wrong(path, "must not contain the character U+0000");
    }
}

/// Checks that a store, if one is named, is this store.
pub(crate) fn this_store(fields: &mut Fields, path: &str, store_id: &StoreId, own: &Own<'_>) {
    if store_id != own.store_id {
        fields.wrong(path, format!("must be {}, this store", own.store_id));
    }
}

pub(super) fn moment(fields: &mut Fields, path: &str, at: UtcMs) {
    if !MOMENTS.contains(&at.0) {
        fields.wrong(path, "must be between the years 2000 and 2200");
    }
}

/// Checks a product. The time of its change is not checked, because nothing depends on it.
///
/// # Errors
/// `validation_failed`.
pub fn product(change: &Change, product: &Product) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "sku", change, product.sku.as_str());
    fields.code("sku", product.sku.as_str(), SKU_BYTES_MAX);
    line(&mut fields, "sku", product.sku.as_str());
    fields.name("name", &product.name, PRODUCT_NAME_CHARS_MAX);
    line(&mut fields, "name", &product.name);
    fields.range("price", product.price, 0..=PRICE_MAX);
    fields.range_of("tax_rate_bp", product.tax_rate_bp.map(i64::from), 0..=RATE_BP_MAX);
    fields.text("tax_code", product.tax_code.as_deref(), WORDS_BYTES_MAX);
    fields.text("category", product.category.as_deref(), WORDS_BYTES_MAX);
    fields.range_of("cost", product.cost, 0..=PRICE_MAX);
    fields.range_of("reorder_level", product.reorder_level, 0..=REORDER_LEVEL_MAX);
    fields.count("barcodes", product.barcodes.len(), 0..=BARCODES_MAX);
    for (place, code) in product.barcodes.iter().take(BARCODES_MAX).enumerate() {
        fields.name(format!("barcodes[{place}].code"), &code.code, WORDS_BYTES_MAX);
        fields.range(format!("barcodes[{place}].pack_qty"), code.pack_qty, 1..=REORDER_LEVEL_MAX);
    }
    fields.done()
}

/// A store of the company.
///
/// # Errors
/// `validation_failed`.
pub fn store(change: &Change, store: &StoreDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "store_id", change, store.store_id.as_str());
    if !is_short_id(store.store_id.as_str()) {
        fields.wrong("store_id", SHORT_ID_PROBLEM);
    }
    loose(&mut fields, "name", &store.name, NAME_CHARS_MAX);
    fields.done()
}

/// A price.
///
/// # Errors
/// `validation_failed`.
pub fn price(change: &Change, price: &PriceDown, here: &Own<'_>) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "price_id", change, &price.price_id);
    id(&mut fields, "price_id", &price.price_id);
    fields.code("sku", price.sku.as_str(), SKU_BYTES_MAX);
    line(&mut fields, "sku", price.sku.as_str());
    if !price.store_id.as_str().is_empty() {
        this_store(&mut fields, "store_id", &price.store_id, here);
    }
    fields.range("price", price.price, 0..=PRICE_MAX);
    fields.done()
}

/// A person whom head office gives to this store.
///
/// # Errors
/// `validation_failed`.
pub fn user(change: &Change, user: &UserDown, here: &Own<'_>) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "user_id", change, user.user_id.as_str());
    id(&mut fields, "user_id", user.user_id.as_str());
    fields.code("username", &user.username, NAME_BYTES_MAX);
    if user.username.chars().any(char::is_whitespace) || login_name(&user.username) != user.username {
        fields.wrong("username", "must be in lower case and without spaces");
    }
    fields.name("name", &user.name, NAME_CHARS_MAX);
    if !Role::STORE.contains(&user.role) {
        fields.wrong("role", "must be a role in a store");
    }
    this_store(&mut fields, "store_id", &user.store_id, here);
    if let Some(hash) = &user.password_hash {
        match Costs::of(hash) {
            None => fields.wrong("password_hash", "must be an argon2id hash"),
            Some(costs) if !costs.within(here.costs_max) => {
                fields.wrong(
                    "password_hash",
                    "must not need more memory or time to check than this store allows for a log-in",
                );
            }
            Some(_) => {}
        }
    }
    version(&mut fields, "token_version", user.token_version);
    version(&mut fields, "grant", user.grant);
    // A later change must have a later time: a value with the last possible time could never be changed.
    let FieldTimes { username, name, role, password } = user.times;
    for (path, at) in [("username", username), ("name", name), ("role", role), ("password", password)] {
        fields.range(format!("times.{path}"), at.0, WORDS);
    }
    fields.done()
}

/// Checks a counter: one at its largest value could not rise again.
fn version(fields: &mut Fields, path: &str, count: u64) {
    fields.range(path, i64::try_from(count).unwrap_or(i64::MAX), 0..=FIGURE_MAX);
}

/// The highest version that tokens may have.
pub const VERSION_MAX: u64 = FIGURE_MAX.unsigned_abs();

/// Checks the revocation of a user's tokens.
///
/// # Errors
/// `validation_failed`.
pub fn revocation(change: &Change, revocation: &RevocationDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "user_id", change, revocation.user_id.as_str());
    id(&mut fields, "user_id", revocation.user_id.as_str());
    version(&mut fields, "token_version", revocation.token_version);
    fields.done()
}

/// A member. An erased one has an empty name.
///
/// # Errors
/// `validation_failed`.
pub fn member(change: &Change, member: &MemberDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "member_id", change, &member.member_id);
    fields.done()?;
    values(member)
}

/// The fields of a member's record, whenever they are taken over.
///
/// # Errors
/// `validation_failed`.
pub fn values(member: &MemberDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    id(&mut fields, "member_id", &member.member_id);
    for other in member.merged_into.iter().chain(member.merged.iter().take(MERGED_MAX)) {
        id(&mut fields, "merged", other);
    }
    fields.count("merged", member.merged.len(), 0..=MERGED_MAX);
    fields.count("fields", member.fields.len(), 0..=FIELDS_MAX);
    for (name, FieldDown { value, at, by }) in member.fields.iter().take(FIELDS_MAX) {
        fields.name("fields", name, WORDS_BYTES_MAX);
        let chars_max = match name.as_str() {
            "name" => NAME_CHARS_MAX,
            "email" => crate::model::base::limits::EMAIL_BYTES_MAX,
            "phone" | "code" | "tier" | "birth_date" | "state" => WORDS_BYTES_MAX,
            _ => VALUE_BYTES_MAX,
        };
        written(&mut fields, name, (value, chars_max), at, by);
    }
    fields.done()
}

/// A field that both sides write.
pub(super) fn written(
    fields: &mut Fields,
    name: &str,
    (value, chars_max): (&Value, usize),
    at: &str,
    by: &str,
) {
    let mut left = VALUE_BYTES_MAX.saturating_mul(4);
    match value {
        Value::String(text) => fields.text(name, Some(text), chars_max),
        other if !fits(other, 0, &mut left) => fields.wrong(name, "is too large"),
        _ => {}
    }
    fields.code_if_any(format!("{name}.at"), Some(at), WORD_BYTES_MAX);
    fields.code_if_any(format!("{name}.by"), Some(by), WORD_BYTES_MAX);
}

/// A balance.
///
/// # Errors
/// `validation_failed`.
pub fn points(change: &Change, points: &PointsDown) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    same(&mut fields, "member_id", change, &points.member_id);
    id(&mut fields, "member_id", &points.member_id);
    fields.range("balance", points.balance, -FIGURE_MAX..=FIGURE_MAX);
    fields.done()
}

/// Checks the own records that the balances of a page contain.
///
/// # Errors
/// `validation_failed`.
pub fn coverage(coverage: &Coverage) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    fields.count("includes", coverage.includes.len(), 0..=NAMED_MAX);
    fields.count("missing", coverage.missing.len(), 0..=NAMED_MAX);
    for end in coverage.includes.iter().take(NAMED_MAX) {
        fields.code("includes.epoch", &end.epoch, ID_BYTES_MAX);
        fields.code("includes.hash", &end.hash, ID_BYTES_MAX);
        version(&mut fields, "includes.seq", end.seq);
    }
    for event in coverage.missing.iter().take(NAMED_MAX) {
        fields.name("missing", event, REFERENCE_CHARS_MAX);
    }
    fields.done()
}

#[cfg(test)]
mod tests;
