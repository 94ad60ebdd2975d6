//! What is posted: the figures of business events, as rules and tests write them down.

use super::plan::Account;
use crate::adjustment::AdjustmentReason;
use crate::returns::Disposition;
use crate::shift::CashKind;
use crate::transfer::Resolution;
use serde::{Deserialize, Serialize};

/// How prices carry tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaxMode {
    /// Added to the price.
    OnTop,
    /// Part of the price.
    Contained,
}

/// How points are accounted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointsPolicy {
    /// A part of the price is deferred (IFRS 15 / PSAK 115).
    Deferral,
    /// The face value is an expense at once.
    #[default]
    Expense,
}

/// A sold line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaleLine {
    /// qty × price.
    pub gross: i64,
    /// Σ discounts.
    pub discount: i64,
    /// Tax on, or contained in, the net.
    pub tax: i64,
    /// Basis points.
    pub rate_bp: u32,
    /// What the goods cost.
    pub cost: i64,
    /// Correction that a void's goods made when they came back.
    #[serde(default)]
    pub correction: i64,
}

/// A line that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnLine {
    /// What was given back for it, tax included.
    pub refund: i64,
    /// The tax in it.
    pub tax: i64,
    /// What the goods cost.
    pub cost: i64,
    /// Where they went.
    pub disposition: Disposition,
    /// Correction of earlier estimates.
    #[serde(default)]
    pub correction: i64,
}

/// Money by one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// The method.
    pub method: String,
    /// Before rounding.
    pub amount: i64,
    /// Cash rounding.
    #[serde(default)]
    pub rounding: i64,
}

/// What a sale or return did to the points liability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PointsEffect {
    /// How points are accounted for.
    pub policy: PointsPolicy,
    /// What the sale's points added to the liability.
    pub earned_value: i64,
    /// What points paid, in currency; the payment says so too.
    pub face: i64,
    /// What the pool held for them.
    pub released: i64,
    /// What a return took off the liability of the sale's points.
    pub reversed_value: i64,
    /// What was given back in points, in currency.
    pub back_face: i64,
    /// What the pool takes for them.
    pub back_value: i64,
}

/// A sale, or its void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sold {
    /// How prices carry tax.
    pub tax: TaxMode,
    /// Its lines.
    pub sale_lines: Vec<SaleLine>,
    /// Its payments.
    pub payments: Vec<Money>,
    /// Its points.
    #[serde(default)]
    pub points: PointsEffect,
}

/// A return, or its void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// How prices carried tax.
    pub tax: TaxMode,
    /// Its lines.
    pub return_lines: Vec<ReturnLine>,
    /// Its refunds.
    pub refunds: Vec<Money>,
    /// Its points.
    #[serde(default)]
    pub points: PointsEffect,
}

/// A business event with the figures that are posted. Costs and amounts are not below zero but
/// where it says signed; `correction` is signed everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[expect(missing_docs, reason = "each variant is a row of the posting table; its fields are that row's")]
pub enum Fact {
    Sale(Sold),
    Void(Sold),
    Return(Returned),
    ReturnVoided(Returned),
    ExchangeGivenBack(Money),
    TenderCorrected {
        amount: i64,
        from: String,
        to: String,
        #[serde(default)]
        from_rounding: i64,
        #[serde(default)]
        to_rounding: i64,
    },
    ShiftOpened {
        opening_float: i64,
    },
    ShiftClosed {
        expected: i64,
        counted: i64,
    },
    ShiftRecounted {
        before: i64,
        counted: i64,
    },
    CashMoved {
        #[serde(rename = "type")]
        kind: CashKind,
        amount: i64,
        #[serde(default)]
        account: Option<Account>,
    },
    CashDeposited {
        amount: i64,
    },
    DepositMatched {
        deposited: i64,
        banked: i64,
    },
    OpeningStock {
        cost: i64,
        #[serde(default)]
        correction: i64,
    },
    Receiving {
        cost: i64,
        #[serde(default)]
        correction: i64,
    },
    ReceivingReversed {
        claim: i64,
        stock_cost: i64,
    },
    SupplierReturned {
        claim: i64,
        stock_cost: i64,
        #[serde(default)]
        invoiced: bool,
        #[serde(default)]
        tax: i64,
    },
    InvoiceApproved {
        receipt_value: i64,
        net: i64,
        tax: i64,
    },
    InvoicePaid {
        amount: i64,
        #[serde(default)]
        discount: i64,
    },
    TransferSent {
        cost: i64,
    },
    TransferReceived {
        cost: i64,
        #[serde(default)]
        correction: i64,
    },
    TransferResolved {
        resolution: Resolution,
        cost: i64,
        #[serde(default)]
        correction: i64,
    },
    TransferCancelled {
        cost: i64,
        #[serde(default)]
        correction: i64,
    },
    /// `value` is signed.
    Adjustment {
        reason: AdjustmentReason,
        value: i64,
        #[serde(default)]
        correction: i64,
    },
    /// `variance_value` is signed.
    Opname {
        variance_value: i64,
    },
    MovedToDamaged {
        value: i64,
    },
    DamagedWrittenOff {
        value: i64,
    },
    SettlementLine {
        method: String,
        gross: i64,
        fee: i64,
        net: i64,
    },
    Chargeback {
        amount: i64,
    },
    /// `value` is signed.
    PointsAdjusted {
        value: i64,
    },
    PointsExpired {
        policy: PointsPolicy,
        released: i64,
    },
    /// A person's entry: account, debit, credit.
    Manual {
        rows: Vec<(Account, i64, i64)>,
    },
}
