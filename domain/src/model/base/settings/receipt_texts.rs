//! Texts that a shop prints on every receipt.

/// Texts at the top and the bottom of receipts; lines are separated by `\n`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceiptTexts {
    /// Name of the shop.
    pub name: String,
    pub address: String,
    pub tax_id: String,
    /// Last lines of the receipt.
    pub footer: String,
}
