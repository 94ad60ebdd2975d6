//! Cash between tills, safe and bank; settlements.

use crate::model::base::figures::Money;
use crate::model::books::shift::CashKind;
use crate::rules::books::posting::entry::Draft;
use crate::rules::books::posting::plan::{
    Account, BANK, ON_THE_WAY, OTHER_INCOME, OVER_AND_SHORT, PAYMENT_FEES, PETTY_CASH, SAFE,
    SETTLEMENT_DIFFERENCES, TILLS,
};

/// The whole count goes back to the safe, so a closed till holds nothing.
pub(super) fn closed(expected: Money, counted: Money) -> Draft {
    let mut draft = Draft::default();
    draft.debit(SAFE, counted).credit(TILLS, expected).rest(OVER_AND_SHORT);
    draft
}

pub(super) fn moved(kind: CashKind, amount: Money, account: Option<Account>) -> Draft {
    let mut draft = Draft::default();
    match kind {
        CashKind::PayIn => draft.transfer(TILLS, account.unwrap_or(OTHER_INCOME), amount),
        CashKind::PayOut => draft.transfer(account.unwrap_or(PETTY_CASH), TILLS, amount),
        CashKind::Drop => draft.transfer(SAFE, TILLS, amount),
        CashKind::NoSale => &mut draft,
    };
    draft
}

pub(super) fn deposit_matched(deposited: Money, banked: Money) -> Draft {
    let mut draft = Draft::default();
    draft.debit(BANK, banked).credit(ON_THE_WAY, deposited).rest(OVER_AND_SHORT);
    draft
}

/// A provider's line; a shortfall beyond its fee is a difference.
pub(super) fn settled(clearing: Account, gross: Money, fee: Money, net: Money) -> Draft {
    let mut draft = Draft::default();
    draft.debit(BANK, net).debit(PAYMENT_FEES, fee).credit(clearing, gross).rest(SETTLEMENT_DIFFERENCES);
    draft
}
