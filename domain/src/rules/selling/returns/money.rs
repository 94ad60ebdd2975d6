//! Refund methods of a return.

use crate::model::base::figures::Money;
use crate::model::base::money::{figure, sum};
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::people::authorization::Authorization;
use crate::model::selling::payment::{CASH, EXCHANGE, POINTS, Paid};
use crate::model::selling::returns::{Refund, SaleAfter};
use crate::model::selling::transaction::Transaction;
use crate::rules::selling::refund::{Tender, cash_back, tenders};
use crate::rules::selling::returns::{NewRefund, NewReturn};

/// The refunds of `total`; `after`, if there is a sale, counts them in.
///
/// # Errors
/// `payment_mismatch`, `approval_required` (more than a method paid), `validation_failed`.
pub(crate) fn refunds(
    cmd: &NewReturn,
    total: Money,
    sale: Option<&Transaction>,
    after: &mut SaleAfter,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<Vec<Refund>, Refusal> {
    let mut refunds = match (&cmd.refunds, sale) {
        (Some(asked), sale) => asked_for(asked, total, sale, after, authorization, rules)?,
        (None, Some(sale)) => tenders(sale.total, total, &after.paid).into_iter().map(plain).collect(),
        (None, None) if total == 0 => Vec::new(),
        (None, None) => vec![plain(Tender { method: CASH.to_owned(), amount: total })],
    };
    for refund in &mut refunds {
        if settled_method(refund) == CASH {
            let (step, mode) = (rules.cash_rounding, rules.cash_rounding_mode);
            let rounding = figure("refunds", cash_back(&after.paid, refund.amount, step, mode))?;
            let part = if refund.method == CASH { &mut refund.rounding } else { &mut refund.origin_rounding };
            *part = rounding;
        }
        count(after, refund);
    }
    Ok(refunds)
}

fn plain(tender: Tender) -> Refund {
    let Tender { method, amount } = tender;
    Refund {
        method,
        amount,
        rounding: Money::ZERO,
        origin_rounding: Money::ZERO,
        origin: None,
        transaction_id: None,
        reference: None,
    }
}

pub(super) fn count(after: &mut SaleAfter, refund: &Refund) {
    // A method that paid nothing: by approval.
    let rounding = refund.rounding.saturating_add(refund.origin_rounding);
    after.pay_back(settled_method(refund), refund.amount, rounding);
}

/// The final method of the refund: for an exchange, the original one.
fn settled_method(refund: &Refund) -> &str {
    refund.origin.as_ref().unwrap_or(&refund.method)
}

fn asked_for(
    asked: &[NewRefund],
    total: Money,
    sale: Option<&Transaction>,
    after: &SaleAfter,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<Vec<Refund>, Refusal> {
    let offered = sum("refunds", asked.iter().map(|refund| refund.amount))?;
    if offered != total {
        let problem = format!("the refunds add up to {offered}, but {total} must be refunded");
        return Err(Refusal::PaymentMismatch { problem, amount_due: total });
    }
    let mut refunds = Vec::new();
    for (place, refund) in asked.iter().enumerate().filter(|(_, refund)| refund.method != EXCHANGE) {
        check_method(place, refund, rules)?;
        capped(place, refund, sale, after, authorization)?;
        let tender = Tender { method: refund.method.clone(), amount: refund.amount };
        refunds.push(Refund { reference: refund.reference.clone(), ..plain(tender) });
    }
    if let Some(exchange) = asked.iter().find(|refund| refund.method == EXCHANGE) {
        refunds.extend(exchanged(exchange, &refunds, sale, after)?);
    }
    Ok(refunds)
}

fn check_method(index: usize, refund: &NewRefund, rules: &Rules) -> Result<(), Refusal> {
    if rules.methods.contains(&refund.method) {
        return Ok(());
    }
    let methods = rules.methods.join(", ");
    Err(Refusal::field(format!("refunds[{index}].method"), format!("must be one of {methods}, {EXCHANGE}")))
}

/// No more than the method paid, but by approval; points only to where points came from.
fn capped(
    place: usize,
    refund: &NewRefund,
    sale: Option<&Transaction>,
    after: &SaleAfter,
    authorization: &Authorization<'_>,
) -> Result<(), Refusal> {
    let left = after.paid.iter().find(|paid| paid.method == refund.method).map_or(Money::ZERO, Paid::left);
    if refund.amount <= left {
        return Ok(());
    }
    if refund.method == POINTS {
        return Err(Refusal::field(
            format!("refunds[{place}].amount"),
            format!("must be at most {left}, the amount that was paid with points"),
        ));
    }
    // Without a receipt a manager has approved the return already.
    if sale.is_none() {
        return Ok(());
    }
    authorization.manager_for(|| {
        let needs = NeedsApproval::of("refunding more by a payment method than it paid");
        NeedsApproval { value: Some(refund.amount.get()), limit: Some(left.get()), ..needs }
            .at(format!("refunds[{place}].amount"))
    })
}

/// An exchange keeps its origin: one refund per method that had paid, points left out.
fn exchanged(
    exchange: &NewRefund,
    others: &[Refund],
    sale: Option<&Transaction>,
    after: &SaleAfter,
) -> Result<Vec<Refund>, Refusal> {
    let whole = |tender: Tender| Refund {
        method: EXCHANGE.to_owned(),
        origin: Some(tender.method),
        transaction_id: exchange.transaction_id.clone(),
        reference: exchange.reference.clone(),
        ..plain(Tender { method: String::new(), amount: tender.amount })
    };
    if sale.is_none() {
        return Ok(vec![whole(Tender { method: CASH.to_owned(), amount: exchange.amount })]);
    }
    let mut so_far = after.clone();
    for refund in others {
        count(&mut so_far, refund);
    }
    so_far.paid.retain(|paid| paid.method != POINTS);
    let parts = tenders(Money::new(1), exchange.amount, &so_far.paid);
    let found = sum("refunds", parts.iter().map(|part| part.amount))?;
    if found < exchange.amount {
        let problem = format!("an exchange can use at most {found}: the rest was not paid with money");
        return Err(Refusal::PaymentMismatch { problem, amount_due: found });
    }
    Ok(parts.into_iter().map(whole).collect())
}
