//! Records of sales and returns.

use crate::model::base::figures::Money;
use crate::model::base::ids::{PaymentId, Sku};
use crate::model::hub::stamp::Stamp;
use crate::model::inventory::stock::Movement;
use crate::model::people::points::PointsEntry;
use crate::model::selling::hold::Hold;
use crate::model::selling::payment::ReversedPayment;
use crate::model::selling::returns::{Refund, Return};
use crate::model::selling::transaction::{Payment, Transaction, TransactionState};
use crate::wire::record::effect::{moves, of_store};
use crate::wire::record::{About, AnyPayload, Effect, Known, LineEffect, PAID, Payload, text, text_of};
use crate::wire::sale_text::SaleText;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionPaid {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub transaction: Transaction,
    /// Effect of each line on stock.
    pub lines: Vec<LineEffect>,
    /// Points movements of the sale.
    pub points: Vec<PointsEntry>,
}

/// [`TransactionPaid`] as it is written. Most records are of this kind, so it borrows instead of copying the sale.
#[derive(Serialize)]
struct PaidSale<'a> {
    business_date: Date,
    /// Null, until [`SaleText::put_into`] puts the sale's text here.
    transaction: (),
    lines: Vec<LineEffect>,
    points: &'a [PointsEntry],
}

fn of_sale(business_date: Date, sale: &Transaction, points: &[PointsEntry]) -> About {
    let about = About::day(business_date, sale.total).points(sale.member_id.as_ref(), points);
    about.belongs("transaction", sale.transaction_id.as_str())
}

fn sold_line(sale: &Transaction, line_no: u32) -> Option<&Sku> {
    sale.items.iter().find(|item| item.line_no == line_no).map(|item| &item.sku)
}

fn with_rounding(payment: &Payment) -> Money {
    payment.amount.saturating_add(payment.rounding)
}

impl Payload for TransactionPaid {
    fn about(&self) -> About {
        of_sale(self.business_date, &self.transaction, &self.points)
    }

    /// A sale moves its accepted payments, its goods and its points.
    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        let sale = &self.transaction;
        of_store(sale.store_id.as_str(), store_id)?;
        if sale.state != TransactionState::Paid {
            return Err("the transaction is not paid".to_owned());
        }
        let accepted = sale.payments.iter().filter(|payment| payment.counts());
        let method =
            |payment: &Payment| (sale.shift_id.clone(), payment.method.clone(), with_rounding(payment));
        Ok(Effect {
            shift_id: Some(sale.shift_id.clone()),
            moves: moves(&self.lines, |line_no| sold_line(sale, line_no))?,
            methods: accepted.map(method).collect(),
            points: self.points.clone(),
            gives: Some(Known::Sale(sale.transaction_id.0.clone())),
            needs: None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionVoided {
    /// Business date to which the record belongs.
    pub business_date: Date,
    /// The transaction. It was never paid if it has no receipt number.
    pub transaction: Transaction,
    /// Effect of each line on stock.
    pub lines: Vec<LineEffect>,
    /// Payments that went back to the customer.
    pub refunds: Vec<ReversedPayment>,
    /// Points movements of the void.
    pub points: Vec<PointsEntry>,
    /// The hold in which the basket waited. Such a void counts in no shift. `None` if the basket was not on hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
}

impl Payload for TransactionVoided {
    fn about(&self) -> About {
        of_sale(self.business_date, &self.transaction, &self.points)
    }

    /// A void reverses the sale. A basket that was never paid moves nothing, since it has no earlier record.
    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        let sale = &self.transaction;
        of_store(sale.store_id.as_str(), store_id)?;
        if sale.state != TransactionState::Voided {
            return Err("the transaction is not voided".to_owned());
        }
        if sale.receipt_no.is_none() {
            return Ok(Effect::default());
        }
        let back = |given: &ReversedPayment| given.amount.saturating_add(given.rounding).saturating_neg();
        let method = |given: &ReversedPayment| (sale.shift_id.clone(), given.method.clone(), back(given));
        Ok(Effect {
            shift_id: Some(sale.shift_id.clone()),
            moves: moves(&self.lines, |line_no| sold_line(sale, line_no))?,
            methods: self.refunds.iter().map(method).collect(),
            points: self.points.clone(),
            needs: Some(Known::Sale(sale.transaction_id.0.clone())),
            gives: None,
        })
    }
}

/// Payload of `return.posted` and `return.voided`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReturnRecord {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub document: Return,
    /// Effect of each line on stock.
    pub lines: Vec<LineEffect>,
    /// Points movements of the return.
    pub points: Vec<PointsEntry>,
}

impl Payload for ReturnRecord {
    fn about(&self) -> About {
        let back = &self.document;
        let sale = back.transaction_id.as_ref().map_or(back.return_id.as_str(), |id| id.as_str());
        let about = About::day(self.business_date, back.refund_total).belongs("transaction", sale);
        about.points(back.member_id.as_ref(), &self.points)
    }

    /// A return moves goods to the store and money to the customer. Its void reverses both.
    fn effect(&self, kind: &str, store_id: &str) -> Result<Effect, String> {
        let back = &self.document;
        of_store(back.store_id.as_str(), store_id)?;
        let sku = |line_no| back.items.iter().find(|item| item.line_no == line_no).map(|item| &item.sku);
        let known = Some(Known::Return(back.return_id.0.clone()));
        // The receipt of another store is reported by that store.
        let own = back.transaction_id.as_ref().filter(|_| back.origin_receipt_no.is_none());
        let sale = own.map(|id| Known::Sale(id.0.clone()));
        let (sign, needs, gives) = if kind == "return.voided" { (1, known, None) } else { (-1, sale, known) };
        let method = |refund: &Refund| {
            let amount = refund.amount.saturating_add(refund.rounding).saturating_mul(sign);
            (back.shift_id.clone(), refund.method.clone(), amount)
        };
        Ok(Effect {
            shift_id: Some(back.shift_id.clone()),
            moves: moves(&self.lines, sku)?,
            methods: back.refunds.iter().map(method).collect(),
            points: self.points.clone(),
            needs,
            gives,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenderCorrected {
    /// Business date to which the record belongs.
    pub business_date: Date,
    /// The sale with both payments.
    pub transaction: Transaction,
    /// The payment that was wrong.
    pub wrong: PaymentId,
    /// The payments that replace it.
    pub right: Vec<PaymentId>,
}

impl TenderCorrected {
    fn payment(&self, id: &PaymentId) -> Result<&Payment, String> {
        let found = self.transaction.payments.iter().find(|payment| payment.payment_id == *id);
        found.ok_or_else(|| format!("payment {} is not in the sale", id.0))
    }

    /// The payments that change the sums, and with which sign.
    fn changes(&self) -> impl Iterator<Item = (&PaymentId, i64)> {
        std::iter::once((&self.wrong, -1)).chain(self.right.iter().map(|id| (id, 1)))
    }

    /// Change of the sale's cash rounding.
    pub fn rounding(&self) -> Money {
        let part = |(id, sign): (&PaymentId, i64)| Some(self.payment(id).ok()?.rounding.saturating_mul(sign));
        self.changes().filter_map(part).fold(Money::ZERO, Money::saturating_add)
    }
}

impl Payload for TenderCorrected {
    fn about(&self) -> About {
        of_sale(self.business_date, &self.transaction, &[])
    }

    /// A corrected tender takes the wrong payment out of the sums of its method, and adds the right ones to theirs.
    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        let sale = &self.transaction;
        of_store(sale.store_id.as_str(), store_id)?;
        let method = |(id, sign): (&PaymentId, i64)| {
            let payment = self.payment(id)?;
            Ok((sale.shift_id.clone(), payment.method.clone(), with_rounding(payment).saturating_mul(sign)))
        };
        let methods = self.changes().map(method).collect::<Result<_, String>>()?;
        let needs = Some(Known::Sale(sale.transaction_id.0.clone()));
        Ok(Effect { shift_id: Some(sale.shift_id.clone()), methods, needs, ..Effect::default() })
    }
}

/// The record of a completed sale.
pub fn transaction_paid(
    stamp: &Stamp,
    transaction: &Transaction,
    movements: &[Movement],
    points: &[PointsEntry],
) -> String {
    sale_paid(stamp, transaction, &SaleText::of(transaction), movements, points)
}

/// The record of a completed sale whose JSON text is already made.
pub fn sale_paid(
    stamp: &Stamp,
    transaction: &Transaction,
    text: &SaleText,
    movements: &[Movement],
    points: &[PointsEntry],
) -> String {
    let lines = LineEffect::of(movements);
    let payload = PaidSale { business_date: transaction.business_date, transaction: (), lines, points };
    let about = of_sale(transaction.business_date, transaction, points);
    text.put_into(text_of(stamp, PAID, about, &payload))
}

/// The record of a transaction that was voided before it was complete.
pub fn transaction_voided(stamp: &Stamp, transaction: &Transaction) -> String {
    sale_voided(stamp, transaction, &[], &[], &[])
}

/// The record of a basket that was voided while it was on hold.
pub fn hold_voided(stamp: &Stamp, hold: &Hold, transaction: &Transaction) -> String {
    let payload = TransactionVoided {
        business_date: transaction.business_date,
        transaction: transaction.clone(),
        lines: Vec::new(),
        refunds: Vec::new(),
        points: Vec::new(),
        hold: Some(hold.clone()),
    };
    text(stamp, AnyPayload::TransactionVoided, payload)
}

/// The record of a voided sale.
pub fn sale_voided(
    stamp: &Stamp,
    transaction: &Transaction,
    movements: &[Movement],
    refunds: &[ReversedPayment],
    points: &[PointsEntry],
) -> String {
    let payload = TransactionVoided {
        business_date: transaction.business_date,
        transaction: transaction.clone(),
        lines: LineEffect::of(movements),
        refunds: refunds.to_vec(),
        points: points.to_vec(),
        hold: None,
    };
    text(stamp, AnyPayload::TransactionVoided, payload)
}

/// The record of a return.
pub fn return_posted(stamp: &Stamp, back: &Return, movements: &[Movement], points: &[PointsEntry]) -> String {
    text(stamp, AnyPayload::ReturnPosted, return_record(back, movements, points))
}

/// The record of a voided return.
pub fn return_voided(stamp: &Stamp, back: &Return, movements: &[Movement], points: &[PointsEntry]) -> String {
    text(stamp, AnyPayload::ReturnVoided, return_record(back, movements, points))
}

fn return_record(back: &Return, movements: &[Movement], points: &[PointsEntry]) -> ReturnRecord {
    ReturnRecord {
        business_date: back.business_date,
        document: back.clone(),
        lines: LineEffect::of(movements),
        points: points.to_vec(),
    }
}

/// The record of a corrected tender: the payments of `right` replace the payment `wrong`.
pub fn tender_corrected(stamp: &Stamp, sale: &Transaction, wrong: &PaymentId, right: &[PaymentId]) -> String {
    let payload = TenderCorrected {
        business_date: sale.business_date,
        transaction: sale.clone(),
        wrong: wrong.clone(),
        right: right.to_vec(),
    };
    text(stamp, AnyPayload::TenderCorrected, payload)
}
