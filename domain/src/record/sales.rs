//! Records of sales and returns.

use super::{LineEffect, text};
use crate::event::Stamp;
use crate::ids::PaymentId;
use crate::points::PointsEntry;
use crate::returns::Return;
use crate::sale::GivenBack;
use crate::stock::Movement;
use crate::transaction::Transaction;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Payload of `transaction.paid`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionPaid {
    /// The day it counts for.
    pub business_date: Date,
    /// The sale.
    pub transaction: Transaction,
    /// What each line did to stock.
    pub lines: Vec<LineEffect>,
    /// What it did to points.
    pub points: Vec<PointsEntry>,
}

/// Payload of `transaction.voided`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionVoided {
    /// The day it counts for.
    pub business_date: Date,
    /// The transaction; without a receipt number it was never paid, and moves no figure.
    pub transaction: Transaction,
    /// What each line did to stock.
    pub lines: Vec<LineEffect>,
    /// What went back to the customer.
    pub refunds: Vec<GivenBack>,
    /// What it did to points.
    pub points: Vec<PointsEntry>,
}

/// Payload of `return.posted` and `return.voided`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReturnRecord {
    /// The day it counts for.
    pub business_date: Date,
    /// The document.
    pub document: Return,
    /// What each line did to stock.
    pub lines: Vec<LineEffect>,
    /// What it did to points.
    pub points: Vec<PointsEntry>,
}

/// Payload of `tender.corrected`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenderCorrected {
    /// The day it counts for.
    pub business_date: Date,
    /// The sale with both payments.
    pub transaction: Transaction,
    /// The payment that was wrong.
    pub wrong: PaymentId,
    /// Those that take its place.
    pub right: Vec<PaymentId>,
}

/// The record of a completed sale.
pub fn transaction_paid(
    stamp: &Stamp,
    transaction: &Transaction,
    movements: &[Movement],
    points: &[PointsEntry],
) -> String {
    let payload = TransactionPaid {
        business_date: transaction.business_date,
        transaction: transaction.clone(),
        lines: LineEffect::of(movements),
        points: points.to_vec(),
    };
    text(stamp, "transaction.paid", payload)
}

/// The record of a transaction that was voided before it was complete.
pub fn transaction_voided(stamp: &Stamp, transaction: &Transaction) -> String {
    sale_voided(stamp, transaction, &[], &[], &[])
}

/// The record of a voided sale.
pub fn sale_voided(
    stamp: &Stamp,
    transaction: &Transaction,
    movements: &[Movement],
    refunds: &[GivenBack],
    points: &[PointsEntry],
) -> String {
    let payload = TransactionVoided {
        business_date: transaction.business_date,
        transaction: transaction.clone(),
        lines: LineEffect::of(movements),
        refunds: refunds.to_vec(),
        points: points.to_vec(),
    };
    text(stamp, "transaction.voided", payload)
}

/// The record of a return.
pub fn return_posted(stamp: &Stamp, back: &Return, movements: &[Movement], points: &[PointsEntry]) -> String {
    text(stamp, "return.posted", returned(back, movements, points))
}

/// The record of a voided return.
pub fn return_voided(stamp: &Stamp, back: &Return, movements: &[Movement], points: &[PointsEntry]) -> String {
    text(stamp, "return.voided", returned(back, movements, points))
}

fn returned(back: &Return, movements: &[Movement], points: &[PointsEntry]) -> ReturnRecord {
    ReturnRecord {
        business_date: back.business_date,
        document: back.clone(),
        lines: LineEffect::of(movements),
        points: points.to_vec(),
    }
}

/// The record of a corrected tender: the last accepted payments take the wrong one's place.
pub fn tender_corrected(stamp: &Stamp, sale: &Transaction, wrong: &PaymentId, right: &[PaymentId]) -> String {
    let payload = TenderCorrected {
        business_date: sale.business_date,
        transaction: sale.clone(),
        wrong: wrong.clone(),
        right: right.to_vec(),
    };
    text(stamp, "tender.corrected", payload)
}
