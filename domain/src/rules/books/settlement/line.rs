//! Lines of statements: the fields that matching uses.

use crate::model::base::figures::Money;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StatementLineType")]
pub enum LineKind {
    /// Payment by a customer.
    #[serde(alias = "payment")]
    Sale,
    /// Refund to a customer.
    Refund,
    /// Chargeback: a customer's bank took a payment back.
    Chargeback,
    /// A customer's bank reversed a chargeback.
    ChargebackReversal,
    /// A fee of the provider.
    Fee,
    /// Payout: money that went to the bank account.
    Payout,
    /// Money that the provider holds back temporarily, or releases.
    Reserve,
    /// A correction by the provider that belongs to no payment.
    Adjustment,
    /// Cash paid in at the bank.
    Deposit,
    /// Transfer between accounts.
    Transfer,
    /// Any other line.
    Other,
}

impl LineKind {
    pub const ALL: [Self; 11] = [
        Self::Sale,
        Self::Refund,
        Self::Chargeback,
        Self::ChargebackReversal,
        Self::Fee,
        Self::Payout,
        Self::Reserve,
        Self::Adjustment,
        Self::Deposit,
        Self::Transfer,
        Self::Other,
    ];

    /// As in tables, files and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sale => "sale",
            Self::Refund => "refund",
            Self::Chargeback => "chargeback",
            Self::ChargebackReversal => "chargeback_reversal",
            Self::Fee => "fee",
            Self::Payout => "payout",
            Self::Reserve => "reserve",
            Self::Adjustment => "adjustment",
            Self::Deposit => "deposit",
            Self::Transfer => "transfer",
            Self::Other => "other",
        }
    }

    /// The type of that name; `payment` is another name of `sale`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "payment" { Self::Sale.name() } else { name };
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A line without a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenLine {
    /// Unique among the lines.
    pub line_id: String,
    /// Date of the line.
    pub date: Date,
    /// Its place in its statement.
    pub line_no: i64,
    /// Kind that the line states.
    pub kind: LineKind,
    /// Reference of the line. Empty if it has none.
    pub reference: String,
    /// Description of the line. Empty if it has none.
    pub description: String,
    /// The store that it names.
    pub store_id: Option<String>,
    /// Whether it names a store that does not exist.
    pub unknown_store: bool,
    /// Gross amount before fees; above 0 for money received.
    pub gross: Option<Money>,
    /// Fee; positive if it is a cost.
    pub fee: Option<Money>,
    /// Net amount that reaches the account, in minor currency units.
    pub net: Option<Money>,
    /// Payout batch that the line was paid out with.
    pub batch: Option<String>,
}

/// Sort key of a line. The order of the fields is the order of matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineKey<'a> {
    date: Date,
    line_no: i64,
    line_id: &'a str,
}

impl OpenLine {
    pub(super) fn sort_key(&self) -> LineKey<'_> {
        LineKey { date: self.date, line_no: self.line_no, line_id: &self.line_id }
    }

    /// Amount of the line, as far as it states one.
    pub fn amount(&self) -> Money {
        self.gross.or(self.net).unwrap_or_default()
    }

    /// Amount that the line moves on the account of its source, as far as it states one.
    pub fn posted(&self) -> Money {
        self.net.or(self.gross).unwrap_or_default()
    }

    /// Text in which words are looked for.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.reference, self.description)
    }
}
