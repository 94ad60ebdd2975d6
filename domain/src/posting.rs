//! Postings (docs/arithmetic.md#postings): business events become balanced journal entries, store by store.
//!
//! Pure and at the hub. Change is never posted, a part-paid sale neither; holds and orders neither.

mod cash;
mod entry;
mod fact;
mod goods;
mod of;
pub mod plan;
mod sale;

pub use entry::{Entry, Posted, Row, TrialBalance};
pub use fact::{Fact, Money, PointsEffect, PointsPolicy, ReturnLine, Returned, SaleLine, Sold, TaxMode};

pub use of::{
    of_adjustment, of_cash, of_close, of_correction, of_opening, of_opname, of_recount, of_return,
    of_return_void, of_sale, of_void,
};

use crate::refusal::Refusal;
use crate::transfer::Resolution;
use entry::Draft;
use plan::{
    BANK, BETWEEN_STORES, COUNT_DIFFERENCES, DAMAGED, IN_TRANSIT, INVENTORY, LOYALTY, NOT_INVOICED,
    ON_THE_WAY, OPENING, OVER_AND_SHORT, POINTS_LIABILITY, SAFE, SETTLEMENT_DIFFERENCES, THROWN_AWAY, TILLS,
    TRANSFER_LOSSES,
};

/// Posts a fact: each entry is balanced.
///
/// # Errors
/// `validation_failed` for a person's entry that is not balanced, or a figure above the largest.
pub fn post(fact: &Fact) -> Result<Posted, Refusal> {
    let (here, there) = drafts(fact);
    Ok(Posted { here: here.entry()?, there: there.map(|draft| draft.entry()).transpose()? })
}

fn drafts(fact: &Fact) -> (Draft, Option<Draft>) {
    match fact {
        Fact::TransferReceived { cost, correction }
        | Fact::TransferResolved { resolution: Resolution::FoundAtDestination, cost, correction } => {
            let arrived = goods::into_stock(BETWEEN_STORES, *cost, *correction);
            (plain(BETWEEN_STORES, IN_TRANSIT, *cost), Some(arrived))
        }
        Fact::TransferResolved { resolution: Resolution::FoundAtSource, cost, correction }
        | Fact::TransferCancelled { cost, correction } => {
            (goods::into_stock(IN_TRANSIT, *cost, *correction), None)
        }
        Fact::TransferResolved { resolution: Resolution::Lost | Resolution::Damaged, cost, .. } => {
            (plain(TRANSFER_LOSSES, IN_TRANSIT, *cost), None)
        }
        Fact::TransferSent { cost } => (plain(IN_TRANSIT, INVENTORY, *cost), None),
        other => (alone(other), None),
    }
}

fn plain(debit: plan::Account, credit: plan::Account, amount: i64) -> Draft {
    let mut draft = Draft::default();
    draft.transfer(debit, credit, amount);
    draft
}

/// What is posted in one store alone.
fn alone(fact: &Fact) -> Draft {
    match fact {
        Fact::Sale(sold) => sale::sale(sold),
        Fact::Void(sold) => sale::sale(sold).mirrored(),
        Fact::Return(back) => sale::returned(back),
        Fact::ReturnVoided(back) => sale::returned(back).mirrored(),
        Fact::ExchangeGivenBack(refund) => sale::exchange_given_back(refund),
        Fact::TenderCorrected { amount, from, to, from_rounding, to_rounding } => {
            let money =
                |method: &String, rounding| Money { method: method.clone(), amount: *amount, rounding };
            sale::tender_corrected(&money(from, *from_rounding), &money(to, *to_rounding))
        }
        Fact::Adjustment { reason, value, correction } => {
            goods::into_stock(goods::reason(*reason), *value, *correction)
        }
        Fact::Opname { variance_value } => goods::into_stock(COUNT_DIFFERENCES, *variance_value, 0),
        Fact::OpeningStock { cost, correction } => goods::into_stock(OPENING, *cost, *correction),
        Fact::Receiving { cost, correction } => goods::into_stock(NOT_INVOICED, *cost, *correction),
        Fact::ReceivingReversed { claim, stock_cost } => {
            goods::supplier_returned(*claim, *stock_cost, false, 0)
        }
        Fact::SupplierReturned { claim, stock_cost, invoiced, tax } => {
            goods::supplier_returned(*claim, *stock_cost, *invoiced, *tax)
        }
        Fact::InvoiceApproved { receipt_value, net, tax } => {
            goods::invoice_approved(*receipt_value, *net, *tax)
        }
        Fact::InvoicePaid { amount, discount } => goods::invoice_paid(*amount, *discount),
        other => money(other),
    }
}

/// What moves money alone.
fn money(fact: &Fact) -> Draft {
    match fact {
        Fact::ShiftOpened { opening_float } => plain(TILLS, SAFE, *opening_float),
        Fact::ShiftClosed { expected, counted } => cash::closed(*expected, *counted),
        Fact::ShiftRecounted { before, counted } => {
            plain(SAFE, OVER_AND_SHORT, counted.saturating_sub(*before))
        }
        Fact::CashMoved { kind, amount, account } => cash::moved(*kind, *amount, *account),
        Fact::CashDeposited { amount } => plain(ON_THE_WAY, SAFE, *amount),
        Fact::DepositMatched { deposited, banked } => cash::deposit_matched(*deposited, *banked),
        Fact::SettlementLine { method, gross, fee, net } => cash::settled(method, *gross, *fee, *net),
        Fact::Chargeback { amount } => plain(SETTLEMENT_DIFFERENCES, BANK, *amount),
        Fact::MovedToDamaged { value } => plain(DAMAGED, INVENTORY, *value),
        Fact::DamagedWrittenOff { value } => plain(THROWN_AWAY, DAMAGED, *value),
        Fact::PointsAdjusted { value } => plain(LOYALTY, POINTS_LIABILITY, *value),
        Fact::PointsExpired { policy, released } => {
            plain(POINTS_LIABILITY, sale::earning(*policy), *released)
        }
        Fact::Manual { rows } => {
            let mut draft = Draft::default();
            for (account, debit, credit) in rows {
                draft.debit(*account, *debit).credit(*account, *credit);
            }
            draft
        }
        // The rest is posted by `drafts` and `alone`.
        _ => Draft::default(),
    }
}
