//! Items: money that is expected from a provider or at the bank.

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

    /// As in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Payment => "payment",
            Self::Refund => "refund",
            Self::Deposit => "deposit",
            Self::SupplierPayment => "supplier_payment",
        }
    }

    /// Whether a provider settles it: of customers, not of the house.
    pub fn is_of_customers(self) -> bool {
        matches!(self, Self::Payment | Self::Refund)
    }
}

/// The store of an item, and its ID there.
pub type ItemRef = (String, String);

/// An item that nothing is matched to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenItem {
    /// Unique in its store.
    pub item_id: String,
    /// Store of the item.
    pub store_id: String,
    /// Kind of the item.
    pub kind: ItemKind,
    /// Payment method of the item.
    pub method: String,
    /// The account that it is on until it is settled.
    pub account: Account,
    /// The day it belongs to.
    pub business_date: Date,
    /// Date of the settlement that the item belongs to.
    pub settlement_date: Date,
    /// When the payment took place.
    pub occurred_at: UtcMs,
    /// Amount in whole currency units; above 0 for money received.
    pub amount: i64,
    /// Slip or bag number.
    pub reference: Option<String>,
    /// Item that it takes back.
    pub contra_of: Option<String>,
}

/// The order of items: by day, moment, store and ID.
pub(super) type ItemKey<'a> = (Date, UtcMs, &'a str, &'a str);

impl OpenItem {
    pub(super) fn place(&self) -> ItemKey<'_> {
        (self.business_date, self.occurred_at, self.store_id.as_str(), self.item_id.as_str())
    }

    pub(super) fn named(&self) -> ItemRef {
        (self.store_id.clone(), self.item_id.clone())
    }

    pub(super) fn key(&self) -> Option<String> {
        reference_key(self.reference.as_deref().unwrap_or_default())
    }

    pub(super) fn is_of(&self, store_id: Option<&str>) -> bool {
        store_id.is_none_or(|store_id| store_id == self.store_id)
    }
}
