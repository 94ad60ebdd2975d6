//! Quick keys: products that a till sells by a key of their own.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::ids::{RegisterId, Sku};
use crate::model::base::limits::SKU_BYTES_MAX;
use crate::model::base::refusal::Refusal;
use crate::model::books::ledger::LedgerBook;
use crate::model::books::register::{NAME_CHARS_MAX, QUICK_KEYS_MAX, QuickKey, Register};
use crate::model::inventory::product::{Product, ProductState};
use crate::model::people::authorization::{Authorization, allow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Request body of `PUT /api/pos/quick-keys`: all quick keys of a register, in display order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetQuickKeys {
    /// Keys in display order, at most 24, each product once. `.1` sells the product of the first key. Empty to remove
    /// the keys of the register.
    #[schemars(length(max = QUICK_KEYS_MAX))]
    pub items: Vec<NewQuickKey>,
}

/// A quick key to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewQuickKey {
    /// SKU of a product of the catalogue.
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Label of the key, at most 64 bytes. Defaults to the product's name.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub label: Option<String>,
}

/// Quick keys of a register with the current prices of their products (`GET /pos/quick-keys`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "QuickKeys")]
pub struct QuickKeysView {
    /// Register of the keys.
    register_id: RegisterId,
    /// Maximum number of keys of a register.
    limit: usize,
    /// Keys in display order. `.1` sells the product of the first key.
    items: Vec<QuickKeyView>,
}

/// A quick key with its product as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "QuickKey")]
pub struct QuickKeyView {
    /// SKU of the product.
    sku: Sku,
    /// Label of the key. Null for the product's name.
    label: Option<String>,
    /// Name of the product.
    name: String,
    /// Unit price in minor currency units.
    price: Money,
    /// Whether the product may be sold. An inactive product keeps its key.
    state: ProductState,
}

impl SetQuickKeys {
    /// Refuses values that no store could set.
    ///
    /// # Errors
    /// `validation_failed`: too many, a product twice, a label that is empty or too long.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.count("items", self.items.len(), 0..=QUICK_KEYS_MAX);
        let mut places = HashMap::new();
        for (place, key) in self.items.iter().take(QUICK_KEYS_MAX).enumerate() {
            if let Some(label) = &key.label {
                fields.trimmed(format_args!("items[{place}].label"), label, NAME_CHARS_MAX);
            }
            let first = *places.entry(&key.sku).or_insert(place);
            if first != place {
                let problem =
                    format!("is already on key {}: a product can have only one key", first.saturating_add(1));
                fields.wrong(format_args!("items[{place}].sku"), problem);
            }
        }
        fields.done()
    }
}

/// Sets all quick keys of a till; `product` finds a product of the catalogue, whether it is sold or not.
///
/// # Errors
/// `insufficient_role`, `not_found`, `unknown_sku`.
pub fn set_quick_keys<'p>(
    cmd: &SetQuickKeys,
    id: &RegisterId,
    product: impl Fn(&Sku) -> Option<&'p Product>,
    authorization: &Authorization<'_>,
    book: &LedgerBook,
) -> Result<Event<fact::RegisterChanged>, Refusal> {
    allow(authorization.caller.role.manages())?;
    let register = book.registers.get(id).cloned().ok_or(Refusal::NotFound("register"))?;
    let unknown = cmd.items.iter().map(|key| &key.sku).filter(|sku| product(sku).is_none());
    let unknown: Vec<String> = unknown.map(|sku| sku.0.clone()).collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownSku(unknown));
    }
    let label = |key: &NewQuickKey| key.label.as_ref().map(|label| label.trim().to_owned());
    let keys = cmd.items.iter().map(|key| QuickKey { sku: key.sku.clone(), label: label(key) });
    let register = Register { quick_keys: keys.collect(), ..register };
    Ok(Event::of(fact::RegisterChanged { register }))
}

impl QuickKeysView {
    /// The keys of a till; `product` finds their products.
    pub fn of<'p>(register: &Register, product: impl Fn(&Sku) -> Option<&'p Product>) -> Self {
        let shown = |key: &QuickKey| {
            let found = product(&key.sku);
            QuickKeyView {
                sku: key.sku.clone(),
                label: key.label.clone(),
                name: found.map_or_else(|| key.sku.0.clone(), |product| product.name.clone()),
                price: found.map_or(Money::ZERO, |product| product.price),
                state: found.map_or(ProductState::Inactive, |product| product.state),
            }
        };
        let items = register.quick_keys.iter().map(shown).collect();
        Self { register_id: register.register_id.clone(), limit: QUICK_KEYS_MAX, items }
    }
}
