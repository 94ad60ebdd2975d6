//! Facts that head office knows beside a record when it posts it. They are kept, so that the same entry can be made
//! again.

use crate::model::base::figures::Money;
use crate::model::inventory::adjustment::{AdjustmentReason, AdjustmentState};
use crate::model::inventory::transfer::Resolution;
use crate::model::selling::transaction::Transaction;
use crate::rules::books::posting::plan::{Account, NOT_INVOICED};
use crate::rules::books::posting::{PointsEffect, stock};
use crate::wire::record::AnyPayload;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Kind of object that an account may be mapped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MappingOf")]
pub enum MappingOf {
    /// A payment method.
    Method,
    /// The `reason_code` of a pay-in or pay-out.
    CashReason,
    /// The reason of a stock adjustment.
    AdjustmentReason,
    /// A part of the text of a bank's line.
    BankText,
}

impl MappingOf {
    /// Its name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::CashReason => "cash_reason",
            Self::AdjustmentReason => "adjustment_reason",
            Self::BankText => "bank_text",
        }
    }
}

/// The reason code of a pay-out to a supplier.
const SUPPLIER: &str = "supplier";

/// Accounts that take the place of the plan's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mapped(BTreeMap<String, Account>);

impl Mapped {
    /// From here on this account.
    pub fn set(&mut self, of: MappingOf, key: &str, account: Account) {
        self.0.insert(format!("{} {key}", of.name()), account);
    }

    /// Adds the facts for another record's keys.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Account that replaces the standard chart's account.
    pub fn get(&self, of: MappingOf, key: &str) -> Option<Account> {
        self.0.get(&format!("{} {key}", of.name())).copied()
    }

    /// Account on which money of a method stays until it is settled.
    pub fn method(&self, method: &str) -> Account {
        self.get(MappingOf::Method, method).unwrap_or_else(|| Account::of_method(method))
    }

    /// Account mapped to a reason code. `None` for the plan's account for pay-ins and pay-outs.
    pub(super) fn cash_reason(&self, code: &str, out: bool) -> Option<Account> {
        let plan = (out && code == SUPPLIER).then_some(NOT_INVOICED);
        self.get(MappingOf::CashReason, code).or(plan)
    }

    pub(super) fn adjustment_reason(&self, reason: AdjustmentReason) -> Account {
        self.mapped_reason(reason).unwrap_or_else(|| stock::reason(reason))
    }

    pub(super) fn mapped_reason(&self, reason: AdjustmentReason) -> Option<Account> {
        self.get(MappingOf::AdjustmentReason, reason.name())
    }
}

/// Amounts that a shift's close or count adds to those already in the books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counted {
    /// Cash that should be there.
    pub expected: Money,
    /// Cash that was there.
    pub counted: Money,
}

/// Head office's knowledge of a transfer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TransferContext {
    /// The stored document is between other stores: nothing is posted between stores or in a book that it names.
    pub foreign: bool,
    /// Parts of the shortfall that were not posted before, with their cost.
    pub settled: Vec<(Resolution, Money)>,
    /// Amount that the sender's book holds in transit beyond its document; signed.
    pub over: Money,
}

/// Head office's knowledge beside a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// Accounts that take the place of the plan's.
    #[serde(skip_serializing_if = "is_default")]
    pub accounts: Mapped,
    /// Effect of the event on the points' liability.
    #[serde(skip_serializing_if = "is_default")]
    pub points: PointsEffect,
    /// New amounts of a counted shift. `None` if the record's own amounts count.
    #[serde(skip_serializing_if = "is_default")]
    pub counted: Option<Counted>,
    /// Data of a transfer.
    #[serde(skip_serializing_if = "is_default")]
    pub transfer: TransferContext,
    /// Day of the event in the book of the store that reported it, if it differs from the event's own.
    #[serde(skip_serializing_if = "is_default")]
    pub entry_date: Option<Date>,
    /// Items of the event that another event reported, by their IDs. Their money is expected once, so it is posted
    /// once.
    #[serde(skip_serializing_if = "is_default")]
    pub told_before: BTreeMap<String, (Account, Money)>,
    /// Tier of its member when it was reported, or of the document that it takes back. `None` if neither has one.
    #[serde(skip_serializing_if = "is_default")]
    pub tier: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn method(method: &str) -> (MappingOf, &str) {
    (MappingOf::Method, method)
}

fn paid(sale: &Transaction) -> BTreeSet<(MappingOf, &str)> {
    let methods = sale.payments.iter().map(|payment| method(&payment.method));
    // The payment by an exchange goes back by its original method.
    let origins = sale.payments.iter().filter_map(|payment| payment.origin.as_deref()).map(method);
    methods.chain(origins).collect()
}

/// Parts of a record's payload that may be mapped to an account.
pub fn mapping_keys(payload: &AnyPayload) -> BTreeSet<(MappingOf, &str)> {
    match payload {
        AnyPayload::TransactionPaid(it) => paid(&it.transaction),
        AnyPayload::TransactionVoided(it) => paid(&it.transaction),
        AnyPayload::TenderCorrected(it) => paid(&it.transaction),
        AnyPayload::ReturnPosted(it) | AnyPayload::ReturnVoided(it) => {
            it.document.refunds.iter().map(|refund| method(refund.method.as_str())).collect()
        }
        AnyPayload::CashMoved(it) => {
            it.movement.reason_code.iter().map(|code| (MappingOf::CashReason, code.as_str())).collect()
        }
        AnyPayload::AdjustmentPosted(it) => {
            BTreeSet::from([(MappingOf::AdjustmentReason, it.adjustment.reason.name())])
        }
        _ => BTreeSet::new(),
    }
}

/// The document that a record reverses in part, and the mappings whose accounts are those of the document's own entry,
/// even if they have changed since.
pub fn undone(payload: &AnyPayload) -> Option<(&str, BTreeSet<(MappingOf, &str)>)> {
    let keys = || mapping_keys(payload);
    match payload {
        AnyPayload::TransactionVoided(it) => Some((it.transaction.transaction_id.as_str(), keys())),
        AnyPayload::TenderCorrected(it) => {
            let before = it.transaction.payments.iter().filter(|paid| !it.right.contains(&paid.payment_id));
            let methods = before.map(|payment| method(&payment.method)).collect();
            Some((it.transaction.transaction_id.as_str(), methods))
        }
        AnyPayload::ReturnVoided(it) => Some((it.document.return_id.as_str(), keys())),
        AnyPayload::CashMoved(it) => Some((it.movement.reverses.as_ref()?.0.as_str(), keys())),
        AnyPayload::AdjustmentPosted(it) if it.adjustment.state == AdjustmentState::Reversed => {
            Some((it.adjustment.adjustment_id.0.as_str(), keys()))
        }
        _ => None,
    }
}
