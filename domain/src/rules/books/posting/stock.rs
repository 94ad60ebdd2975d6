//! Entries of goods, and of the debts for them.

use crate::model::base::figures::Money;
use crate::model::inventory::adjustment::AdjustmentReason;
use crate::model::inventory::stock::StockPlace;
use crate::rules::books::posting::entry::Draft;
use crate::rules::books::posting::plan::{
    Account, BANK, COST_CORRECTION, COUNT_DIFFERENCES, DAMAGED, INPUT_TAX, INVENTORY, NOT_INVOICED, PAYABLES,
    PRICE_VARIANCE, PURCHASE_DISCOUNTS, SAMPLES, SHRINKAGE, THROWN_AWAY,
};

/// Goods into stock. If the stock was negative, a part of the cost corrects earlier estimates.
pub(super) fn into_stock(from: Account, cost: Money, correction: Money) -> Draft {
    let mut draft = Draft::default();
    draft.transfer(INVENTORY, from, cost).transfer(COST_CORRECTION, INVENTORY, correction);
    draft
}

/// Account of an adjustment's value.
pub(super) fn reason(reason: AdjustmentReason) -> Account {
    match reason {
        AdjustmentReason::Damaged | AdjustmentReason::Expired => THROWN_AWAY,
        AdjustmentReason::Theft | AdjustmentReason::Loss => SHRINKAGE,
        AdjustmentReason::Sample => SAMPLES,
        AdjustmentReason::Found | AdjustmentReason::Correction => COUNT_DIFFERENCES,
    }
}

/// Account of the goods in the books.
pub(super) fn place(place: StockPlace) -> Account {
    match place {
        StockPlace::OnHand => INVENTORY,
        StockPlace::Damaged => DAMAGED,
    }
}

/// Goods back to the supplier: claimed at their own cost, removed at the average cost of their stock.
pub(super) fn supplier_returned(
    from: Account,
    claim: Money,
    stock_cost: Money,
    invoiced: bool,
    tax: Money,
) -> Draft {
    let mut draft = Draft::default();
    if invoiced {
        draft.debit(PAYABLES, claim).debit(PAYABLES, tax).credit(INPUT_TAX, tax);
    } else {
        draft.debit(NOT_INVOICED, claim);
    }
    draft.credit(from, stock_cost).rest(PRICE_VARIANCE);
    draft
}

/// A reversed receipt: claimed at its own cost, removed at the average cost of the stock, or at its own figures with what
/// it had corrected.
pub(super) fn receipt_reversed(claim: Money, stock_cost: Money, correction: Money) -> Draft {
    let mut draft = Draft::default();
    draft
        .debit(NOT_INVOICED, claim)
        .credit(INVENTORY, stock_cost)
        .credit(COST_CORRECTION, correction)
        .rest(PRICE_VARIANCE);
    draft
}

/// An invoice against the received goods; the whole difference is a price variance.
pub(super) fn invoice_approved(receipt_value: Money, net: Money, tax: Money) -> Draft {
    let mut draft = Draft::default();
    draft
        .debit(NOT_INVOICED, receipt_value)
        .debit(INPUT_TAX, tax)
        .credit(PAYABLES, net)
        .credit(PAYABLES, tax)
        .rest(PRICE_VARIANCE);
    draft
}

/// An invoice is paid, perhaps early.
pub(super) fn invoice_paid(amount: Money, discount: Money) -> Draft {
    let mut draft = Draft::default();
    draft.debit(PAYABLES, amount).credit(PURCHASE_DISCOUNTS, discount).rest(BANK);
    draft
}
