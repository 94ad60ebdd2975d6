//! Accepts payments (docs/arithmetic.md#payment-change-and-cash-rounding): split tender, change, cash rounding.

use crate::model::base::figures::Money;
use crate::model::base::limits::{FIGURE_MAX, METHOD_BYTES_MAX, REFERENCE_CHARS_MAX};
use crate::model::base::money::{figure, figure_at, half_up, sum};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::{RoundingMode, Rules};
use crate::model::selling::payment::{CASH, POINTS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Payment to accept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPayment {
    /// Payment method: `cash`, `card`, …
    #[schemars(length(min = 1, max = METHOD_BYTES_MAX))]
    pub method: String,
    /// Part of the total that the payment settles, before rounding, in minor currency units.
    #[schemars(range(min = 1, max = FIGURE_MAX))]
    pub amount: Money,
    /// Amount tendered, in minor currency units. Defaults to the exact amount.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub tendered: Option<Money>,
    /// Slip number or other reference of the payment. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub reference: Option<String>,
}

/// Direction of cash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Into the drawer.
    Sale,
    /// Out of the drawer, for an amount beyond the cash of a sale: rounded to the nearest step, or down. Rounding up
    /// would make buying and returning profitable.
    Refund,
}

/// An accepted payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The part of the total that it settles.
    pub amount: Money,
    /// Amount tendered by the customer, in minor currency units.
    pub tendered: Money,
    /// tendered − amount − rounding.
    pub change: Money,
    pub rounding: Money,
}

/// Amount that rounding adds to a cash amount that is not below zero; 0 if `step` is 0.
pub fn cash_rounding(amount: Money, step: Money, mode: RoundingMode, direction: Direction) -> i128 {
    if step <= 0 {
        return 0;
    }
    let (amount, step) = (i128::from(amount), i128::from(step));
    let over = amount.checked_rem(step).unwrap_or(0);
    let up = match (mode, direction) {
        (RoundingMode::Nearest, _) => half_up(over, step) == 1,
        (RoundingMode::Customer, _) | (RoundingMode::Shop, Direction::Refund) => false,
        (RoundingMode::Shop, Direction::Sale) => over > 0,
    };
    if up { step.saturating_sub(over) } else { over.saturating_neg() }
}

/// Amount to pay in cash for `due`.
///
/// # Errors
/// `validation_failed` for a figure above the largest.
pub fn cash_due(due: Money, rules: &Rules) -> Result<Money, Refusal> {
    let rounding = cash_rounding(due, rules.cash_rounding, rules.cash_rounding_mode, Direction::Sale);
    figure("items", i128::from(due).saturating_add(rounding))
}

/// Accepts one request's payments against `due`; it completes the sale when they add up to it.
///
/// # Errors
/// `payment_mismatch` for sums and tenders that don't fit, `validation_failed` for a method that
/// the store does not take, or points that are not whole.
pub fn accept(due: Money, offers: &[NewPayment], rules: &Rules) -> Result<Vec<Accepted>, Refusal> {
    let mismatch = |problem: String| Refusal::PaymentMismatch { problem, amount_due: due };
    let offered = sum("payments", offers.iter().map(|offer| offer.amount))?;
    if offered > due {
        let cash = offers.iter().any(|offer| offer.method == CASH);
        let tendered = if cash { "; send the cash that the customer gave as `tendered`" } else { "" };
        return Err(mismatch(format!("the payments add up to {offered}, but only {due} is due{tendered}")));
    }
    if offers.is_empty() && due > 0 {
        return Err(mismatch(format!("no payment was sent, but {due} is due")));
    }
    let last_cash = offers.iter().rposition(|offer| offer.method == CASH);
    let rounded = last_cash.filter(|_| offered == due);
    offers
        .iter()
        .enumerate()
        .map(|(place, offer)| {
            method_takes(place, offer, rules)?;
            let rounding = if rounded == Some(place) { completing(offer, rules) } else { 0 };
            if offer.method == CASH && rounded != Some(place) && !whole(offer.amount, rules.cash_rounding) {
                let step = rules.cash_rounding;
                return Err(mismatch(format!(
                    "a cash payment that does not complete the sale must be a multiple of {step}"
                )));
            }
            tender(place, offer, rounding, &mismatch)
        })
        .collect()
}

fn completing(offer: &NewPayment, rules: &Rules) -> i128 {
    cash_rounding(offer.amount, rules.cash_rounding, rules.cash_rounding_mode, Direction::Sale)
}

fn whole(amount: Money, step: Money) -> bool {
    step <= 0 || amount.checked_rem(step) == Some(Money::ZERO)
}

fn method_takes(place: usize, offer: &NewPayment, rules: &Rules) -> Result<(), Refusal> {
    if !rules.methods.contains(&offer.method) {
        let known = rules.methods.join(", ");
        return Err(Refusal::field(format!("payments[{place}].method"), format!("must be one of {known}")));
    }
    if offer.method == POINTS && !whole(offer.amount, rules.redeem_value) {
        let worth = rules.redeem_value;
        return Err(Refusal::field(
            format!("payments[{place}].amount"),
            format!("must be a multiple of {worth}, the value of a point"),
        ));
    }
    Ok(())
}

fn tender(
    place: usize,
    offer: &NewPayment,
    rounding: i128,
    mismatch: &dyn Fn(String) -> Refusal,
) -> Result<Accepted, Refusal> {
    let path = || format!("payments[{place}]");
    let owed = figure_at(path, i128::from(offer.amount).saturating_add(rounding))?;
    let tendered = offer.tendered.unwrap_or(owed);
    let change = figure_at(path, i128::from(tendered).saturating_sub(i128::from(owed)))?;
    if change < 0 {
        return Err(mismatch(format!("{tendered} was tendered, which is less than the {owed} to pay")));
    }
    if change > 0 && offer.method != CASH {
        return Err(mismatch(format!("change can be given for cash only, not for {}", offer.method)));
    }
    let rounding = figure_at(path, rounding)?;
    Ok(Accepted { amount: offer.amount, tendered, change, rounding })
}
