//! Results of matching: matches, and exceptions for a person.

use crate::model::base::figures::Money;
use crate::rules::books::posting::plan::Account;
use crate::rules::books::settlement::exception::ExceptionKind;
use crate::rules::books::settlement::{ItemRef, OpenItem, OpenLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rule by which lines and items belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SettlementMatchRule")]
pub enum Rule {
    /// An item and what takes it back.
    Contra,
    /// One reference.
    Reference,
    /// The only one of that amount in its days.
    Amount,
    /// The only group of items that comes to it.
    Net,
    /// Cash that reached the bank.
    Deposit,
    /// A provider's batch: its lines have posted it.
    Payout,
    /// A supplier's payment that left the bank.
    SupplierPayment,
    /// A bank's text.
    Text,
    /// A person matched them.
    ByHand,
}

impl Rule {
    pub const ALL: [Self; 9] = [
        Self::Contra,
        Self::Reference,
        Self::Amount,
        Self::Net,
        Self::Deposit,
        Self::Payout,
        Self::SupplierPayment,
        Self::Text,
        Self::ByHand,
    ];

    /// As in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contra => "contra",
            Self::Reference => "reference",
            Self::Amount => "amount",
            Self::Net => "net",
            Self::Deposit => "deposit",
            Self::Payout => "payout",
            Self::SupplierPayment => "supplier_payment",
            Self::Text => "text",
            Self::ByHand => "by_hand",
        }
    }
}

/// Lines and items that belong together: those that were looked at, not copies of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match<'a> {
    /// Rule of the match.
    pub rule: Rule,
    /// Matched lines. Empty for an item and its reversal.
    pub lines: Vec<&'a OpenLine>,
    /// Matched items. Empty for a payout or a bank's text.
    pub items: Vec<&'a OpenItem>,
    /// Sum of the items, in minor currency units.
    pub gross: Money,
    /// Fee that the provider keeps, in minor currency units.
    pub fee: Money,
    /// Net amount that reached the account, in minor currency units.
    pub net: Money,
    /// Difference: gross − fee − net.
    pub difference: Money,
    /// Account to which a bank's text posts the line. `None` for a payout.
    pub account: Option<Account>,
}

/// Difference that a person has to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    pub kind: ExceptionKind,
    /// Lines that the difference is about.
    pub line_ids: Vec<String>,
    /// Items that the difference is about.
    pub items: Vec<ItemRef>,
    /// Groups of items that would fit equally well.
    pub candidates: Vec<Vec<ItemRef>>,
    /// Amount of the difference, or of the item or line it is about.
    pub amount: Money,
}
