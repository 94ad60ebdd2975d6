//! Kind of a row, by its type, status or text.

use crate::set_aside::Reason;
use domain::rules::books::settlement::LineKind;

/// Types of providers, in lower case, for sources that do not define them.
const TYPES: [(&str, &str); 33] = [
    ("charge", "sale"),
    ("capture", "sale"),
    ("captured", "sale"),
    ("settled", "sale"),
    ("purchase", "sale"),
    ("website payment", "sale"),
    ("express checkout payment", "sale"),
    ("mobile payment", "sale"),
    ("pembayaran", "sale"),
    ("refunded", "refund"),
    ("payment refund", "refund"),
    ("payment_refund", "refund"),
    ("pengembalian", "refund"),
    ("dispute", "chargeback"),
    ("dispute_reversal", "chargeback_reversal"),
    ("chargebackreversed", "chargeback_reversal"),
    ("fees", "fee"),
    ("transaction fee", "fee"),
    ("stripe_fee", "fee"),
    ("biaya", "fee"),
    ("merchantpayout", "payout"),
    ("general withdrawal", "payout"),
    ("withdrawal", "payout"),
    ("settlement", "payout"),
    ("depositcorrection", "adjustment"),
    ("invoicededuction", "adjustment"),
    ("balancetransfer", "transfer"),
    ("general authorization", "pending"),
    ("authorised", "pending"),
    ("authorized", "pending"),
    ("authorization", "pending"),
    ("refused", "failed"),
    ("general currency conversion", "ignore"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A line of the statement.
    Line(LineKind),
    /// No line, for this reason.
    Aside(Reason),
}

impl RowKind {
    /// The kind with that name: a type of a line, or a row that is no line.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        match name.as_str() {
            "pending" => Some(Self::Aside(Reason::Pending)),
            "failed" | "expired" => Some(Self::Aside(Reason::Status)),
            "ignore" => Some(Self::Aside(Reason::Ignored)),
            name => LineKind::parse(name).map(Self::Line),
        }
    }

    /// Meaning of a type that the source does not map.
    pub fn usual(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let known = TYPES.iter().find(|(known, _)| *known == text).map(|(_, name)| *name);
        Self::parse(known.unwrap_or(&text))
    }
}
