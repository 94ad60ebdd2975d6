//! Items: money that is expected from a provider or at the bank.

use crate::model::base::figures::Money;
use crate::model::base::time::UtcMs;
use crate::rules::books::posting::plan::Account;
use crate::rules::books::settlement::reference_key;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SettlementItemKind")]
pub enum ItemKind {
    /// Payment by a customer.
    Payment,
    /// Refund to a customer.
    Refund,
    /// Cash that is on its way to the bank.
    Deposit,
    /// A supplier was paid.
    SupplierPayment,
}

impl ItemKind {
    pub const ALL: [Self; 4] = [Self::Payment, Self::Refund, Self::Deposit, Self::SupplierPayment];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::Deposit => "deposit",
            Self::SupplierPayment => "supplier_payment",
        }
    }

    /// Whether the item is a customer's payment or refund. Only those are settled by a provider.
    pub fn is_of_customers(self) -> bool {
        matches!(self, Self::Payment | Self::Refund)
    }
}

/// Store ID and item ID of an item. A tuple, because exceptions store it as a JSON array.
pub type ItemRef = (String, String);

/// An item without a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenItem {
    /// ID of the item, unique in its store.
    pub item_id: String,
    /// Store of the item.
    pub store_id: String,
    /// Kind of the item.
    pub kind: ItemKind,
    /// Payment method of the item.
    pub method: String,
    /// Account that has the amount until the item is settled.
    pub account: Account,
    /// Business date of the payment.
    pub business_date: Date,
    /// Date of the settlement that the item belongs to.
    pub settlement_date: Date,
    /// When the payment took place.
    pub occurred_at: UtcMs,
    /// Amount in minor currency units; above 0 for money received.
    pub amount: Money,
    /// Slip or bag number.
    pub reference: Option<String>,
    /// ID of the item that this one reverses.
    pub contra_of: Option<String>,
}

/// Sort key of an item. The order of the fields is the order of matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ItemKey<'a> {
    business_date: Date,
    occurred_at: UtcMs,
    store_id: &'a str,
    item_id: &'a str,
}

impl ItemKey<'_> {
    /// The lowest key of a day, from which a range begins.
    pub(super) fn first_of_day(business_date: Date) -> Self {
        Self { business_date, occurred_at: UtcMs(i64::MIN), store_id: "", item_id: "" }
    }
}

impl OpenItem {
    pub(super) fn sort_key(&self) -> ItemKey<'_> {
        ItemKey {
            business_date: self.business_date,
            occurred_at: self.occurred_at,
            store_id: &self.store_id,
            item_id: &self.item_id,
        }
    }

    pub(super) fn item_ref(&self) -> ItemRef {
        (self.store_id.clone(), self.item_id.clone())
    }

    /// The reference in the normalized form that is compared with the references of lines.
    pub(super) fn reference_key(&self) -> Option<String> {
        reference_key(self.reference.as_deref().unwrap_or_default())
    }

    /// Whether the item may belong to a line that names this store, or no store.
    pub(super) fn may_be_of(&self, store_id: Option<&str>) -> bool {
        store_id.is_none_or(|store_id| store_id == self.store_id)
    }
}
