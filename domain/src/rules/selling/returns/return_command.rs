//! The return command, as it comes in.

use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{ShiftId, Sku, TransactionId};
use crate::model::base::limits::{
    FIGURE_MAX, ITEMS_MAX, METHOD_BYTES_MAX, PRICE_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX,
    TEXT_CHARS_MAX,
};
use crate::model::base::refusal::Refusal;
use crate::model::selling::payment::EXCHANGE;
use crate::model::selling::returns::Disposition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most methods of one refund.
pub const REFUNDS_MAX: usize = 20;

/// Request body of `POST /api/pos/returns`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReturn {
    /// Sale that the goods are from. Omitted for a return without a receipt, or with a `receipt_no`.
    #[schemars(length(min = 1))]
    pub transaction_id: Option<TransactionId>,
    /// Receipt number of the sale, in place of `transaction_id`; may be another store's.
    #[schemars(length(min = 1, max = REFERENCE_CHARS_MAX))]
    pub receipt_no: Option<String>,
    /// Returned lines, 1–500.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub items: Vec<NewReturnItem>,
    /// Refunds by payment method. Defaults to the original payment method.
    #[schemars(length(max = REFUNDS_MAX))]
    pub refunds: Option<Vec<NewRefund>>,
    /// Shift. Defaults to the caller's own open shift.
    #[schemars(length(min = 1))]
    pub shift_id: Option<ShiftId>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Pieces to return.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReturnItem {
    /// SKU of the product.
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Number of pieces, 1–1,000,000.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Line number of the sale. If it is omitted, the pieces are taken from the product's lines in their order.
    pub line_no: Option<u32>,
    /// Reason why the goods came back. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub reason: Option<String>,
    /// Short form of `disposition`: `true` means `restock`, `false` means `none`.
    pub restock: Option<bool>,
    /// Destination of the returned goods. If it and `restock` are omitted, the goods go back to sellable stock.
    pub disposition: Option<Disposition>,
    /// Price of one piece, in minor currency units. Required without a receipt, and accepted only then.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub price: Option<Money>,
}

/// Part of a refund with its payment method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRefund {
    /// Payment method: `cash`, `card`, …, `exchange`.
    #[schemars(length(min = 1, max = METHOD_BYTES_MAX))]
    pub method: String,
    /// Amount before cash rounding, in minor currency units.
    #[schemars(range(min = 1, max = FIGURE_MAX))]
    pub amount: Money,
    /// For an exchange: the open transaction that it pays. Required for an exchange, and omitted otherwise.
    pub transaction_id: Option<TransactionId>,
    /// Slip number or other reference of the payment. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub reference: Option<String>,
}

impl NewReturn {
    /// Checks that need no data of the sale.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        if let Some(id) = &self.transaction_id {
            fields.id("transaction_id", id.as_str());
        }
        if let Some(number) = &self.receipt_no {
            fields.name("receipt_no", number, REFERENCE_CHARS_MAX);
        }
        if let Some(shift) = &self.shift_id {
            fields.id("shift_id", shift.as_str());
        }
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.count("items", self.items.len(), 1..=ITEMS_MAX);
        let receipted = self.transaction_id.is_some();
        for (place, item) in self.items.iter().take(ITEMS_MAX).enumerate() {
            item.check(place, receipted, &mut fields);
        }
        self.check_refunds(&mut fields);
        fields.done()
    }

    fn check_refunds(&self, fields: &mut Fields) {
        let Some(refunds) = &self.refunds else { return };
        fields.count("refunds", refunds.len(), 0..=REFUNDS_MAX);
        let mut seen = BTreeSet::new();
        for (place, refund) in refunds.iter().take(REFUNDS_MAX).enumerate() {
            let at = |field: &str| format!("refunds[{place}].{field}");
            fields.code(at("method"), &refund.method, METHOD_BYTES_MAX);
            fields.range(at("amount"), refund.amount, 1..=FIGURE_MAX);
            fields.text(at("reference"), refund.reference.as_deref(), REFERENCE_CHARS_MAX);
            if !seen.insert(&refund.method) {
                fields.wrong(at("method"), "appears twice");
            }
            if (refund.method == EXCHANGE) != refund.transaction_id.is_some() {
                fields
                    .wrong(at("transaction_id"), "is needed for an exchange, and must be omitted otherwise");
            }
        }
    }
}

impl NewReturnItem {
    fn check(&self, place: usize, receipted: bool, fields: &mut Fields) {
        let at = |field: &str| format!("items[{place}].{field}");
        fields.code(at("sku"), self.sku.as_str(), SKU_BYTES_MAX);
        fields.range(at("qty"), self.qty, 1..=QTY_MAX);
        fields.range_of(at("price"), self.price, 0..=PRICE_MAX);
        fields.text(at("reason"), self.reason.as_deref(), REFERENCE_CHARS_MAX);
        let restock = self.disposition.map(|disposition| disposition == Disposition::Restock);
        if self.restock.is_some() && restock.is_some() && self.restock != restock {
            fields.wrong(at("restock"), "contradicts disposition: send only one of them");
        }
        match (receipted, self.price) {
            (true, Some(_)) => fields.wrong(at("price"), "must be omitted: the price of the sale is used"),
            (false, None) => fields.wrong(at("price"), "is needed without a receipt"),
            _ => {}
        }
        if !receipted && self.line_no.is_some() {
            fields.wrong(at("line_no"), "must be omitted without a receipt");
        }
    }

    /// Destination of the pieces.
    pub fn disposition(&self) -> Disposition {
        let by_flag = match self.restock {
            Some(false) => Disposition::None,
            _ => Disposition::Restock,
        };
        self.disposition.unwrap_or(by_flag)
    }
}
