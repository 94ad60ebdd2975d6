//! The items of a record: one for each payment, refund and deposit that a provider or bank has to settle.

use crate::model::base::figures::Money;
use crate::model::base::time::UtcMs;
use crate::model::books::deposit::Deposit;
use crate::model::selling::payment::{CASH, EXCHANGE, POINTS};
use crate::model::selling::returns::Return;
use crate::model::selling::transaction::{Payment, Transaction};
use crate::rules::books::posting::Mapped;
use crate::rules::books::posting::plan::{Account, ON_THE_WAY};
use crate::rules::books::settlement::ItemKind;
use crate::wire::record::{AnyPayload, TenderCorrected, TransactionVoided};
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// The method of bags.
const DEPOSIT: &str = "deposit";

/// An item on its way into its store's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    /// Unique in its store.
    pub item_id: String,
    /// Kind of the item.
    pub kind: ItemKind,
    /// Payment method of the item.
    pub method: String,
    /// The day it belongs to.
    pub business_date: Date,
    /// Money to us is above 0; with its rounding.
    pub amount: Money,
    /// Slip or bag number.
    pub reference: Option<String>,
    /// The sale, return or deposit.
    pub document_id: String,
    /// Receipt number of that document.
    pub receipt_no: Option<String>,
    /// Register of the item.
    pub register_id: Option<String>,
    /// When the payment took place.
    pub occurred_at: UtcMs,
    /// Item that it takes back.
    pub contra_of: Option<String>,
}

impl NewItem {
    /// Account on which the item stays until it is settled: the one that its event posts it to.
    pub fn account(&self, mapped: &Mapped) -> Account {
        match self.kind {
            ItemKind::Deposit => ON_THE_WAY,
            _ => mapped.method(&self.method),
        }
    }
}

/// Whether a provider or bank has to settle payments by this method.
pub fn is_settled_elsewhere(method: &str) -> bool {
    ![CASH, POINTS, EXCHANGE].contains(&method)
}

/// Differences of a day between the totals of its shifts and its items, by method. Methods that agree are omitted.
pub fn differing(
    shifts: &BTreeMap<String, Money>,
    items: &BTreeMap<String, Money>,
) -> BTreeMap<String, Money> {
    let methods: BTreeSet<&String> = shifts.keys().chain(items.keys()).collect();
    let of = |sums: &BTreeMap<String, Money>, method: &String| sums.get(method).copied().unwrap_or_default();
    let difference = |method: &String| (method.clone(), of(shifts, method).saturating_sub(of(items, method)));
    methods.into_iter().map(difference).filter(|(_, amount)| *amount != 0).collect()
}

/// The items of a record.
pub fn items_of(payload: &AnyPayload) -> Vec<NewItem> {
    let items = match payload {
        AnyPayload::TransactionPaid(it) => {
            let sale = &it.transaction;
            let counted = sale.payments.iter().filter(|payment| payment.counts());
            counted.map(|payment| paid(sale, payment, it.business_date)).collect()
        }
        AnyPayload::TransactionVoided(it) => voided(it),
        AnyPayload::TenderCorrected(it) => corrected(it),
        AnyPayload::ReturnPosted(it) => refunds(&it.document, it.business_date),
        AnyPayload::ReturnVoided(it) => {
            refunds(&it.document, it.business_date).into_iter().map(contra).collect()
        }
        AnyPayload::CashDeposited(it) => vec![deposited(&it.deposit, it.business_date)],
        _ => Vec::new(),
    };
    items.into_iter().filter(|item| is_settled_elsewhere(&item.method) && item.amount != 0).collect()
}

fn paid(sale: &Transaction, payment: &Payment, business_date: Date) -> NewItem {
    NewItem {
        item_id: payment.payment_id.0.clone(),
        kind: ItemKind::Payment,
        method: payment.method.clone(),
        business_date,
        amount: payment.amount.saturating_add(payment.rounding),
        reference: payment.reference.clone(),
        document_id: sale.transaction_id.0.clone(),
        receipt_no: sale.receipt_no.clone(),
        register_id: Some(sale.register_id.0.clone()),
        occurred_at: payment.paid_at,
        contra_of: None,
    }
}

/// Item that takes another item back.
fn contra(item: NewItem) -> NewItem {
    let item_id = format!("{}#contra", item.item_id);
    let amount = item.amount.saturating_neg();
    NewItem { item_id, amount, contra_of: Some(item.item_id), ..item }
}

/// Items that a void reverses. Money from an exchange is refunded by the method of the original payment and reverses
/// no item. A sale that was never completed has no items.
fn voided(voided: &TransactionVoided) -> Vec<NewItem> {
    let sale = &voided.transaction;
    let back = |refund: &crate::model::selling::payment::ReversedPayment| {
        let payment = sale.payments.iter().find(|payment| payment.payment_id == refund.payment_id)?;
        let by = Payment {
            method: refund.method.clone(),
            amount: refund.amount,
            rounding: refund.rounding,
            ..payment.clone()
        };
        let item = contra(paid(sale, &by, voided.business_date));
        let kind = if refund.exchange { ItemKind::Refund } else { ItemKind::Payment };
        Some(NewItem { kind, contra_of: item.contra_of.clone().filter(|_| !refund.exchange), ..item })
    };
    let complete = sale.receipt_no.is_some();
    voided.refunds.iter().filter(|refund| complete || refund.exchange).filter_map(back).collect()
}

fn corrected(corrected: &TenderCorrected) -> Vec<NewItem> {
    let TenderCorrected { business_date, transaction: sale, wrong, right } = corrected;
    let of = |id: &crate::model::base::ids::PaymentId| {
        let payment = sale.payments.iter().find(|payment| payment.payment_id == *id)?;
        Some(paid(sale, payment, *business_date))
    };
    of(wrong).map(contra).into_iter().chain(right.iter().filter_map(of)).collect()
}

fn refunds(back: &Return, business_date: Date) -> Vec<NewItem> {
    let item = |(place, refund): (usize, &crate::model::selling::returns::Refund)| NewItem {
        item_id: format!("{}#{place}", back.return_id.0),
        kind: ItemKind::Refund,
        method: refund.method.clone(),
        business_date,
        amount: refund.amount.saturating_add(refund.rounding).saturating_neg(),
        reference: refund.reference.clone(),
        document_id: back.return_id.0.clone(),
        receipt_no: Some(back.receipt_no.clone()),
        register_id: Some(back.register_id.0.clone()),
        occurred_at: back.created_at,
        contra_of: None,
    };
    (1..).zip(&back.refunds).map(item).collect()
}

fn deposited(deposit: &Deposit, business_date: Date) -> NewItem {
    NewItem {
        item_id: deposit.deposit_id.0.clone(),
        kind: ItemKind::Deposit,
        method: DEPOSIT.to_owned(),
        business_date,
        amount: deposit.amount,
        reference: Some(deposit.bag_no.clone()).filter(|bag_no| !bag_no.is_empty()),
        document_id: deposit.deposit_id.0.clone(),
        receipt_no: None,
        register_id: None,
        occurred_at: deposit.deposited_at,
        contra_of: deposit.reverses.as_ref().map(|id| id.0.clone()),
    }
}
