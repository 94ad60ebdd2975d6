//! Takes one payment back before the sale is complete.

use super::pay::paid_by;
use super::void::take_back;
use super::{VoidSale, Voided};
use crate::event::Event;
use crate::ids::{PaymentId, TransactionId};
use crate::payment::EXCHANGE;
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::shift::{ShiftBook, may_sell};
use crate::transaction::{Payment, PaymentState, TransactionState};
use crate::user::Caller;

/// Reverses an accepted payment of a partly paid basket; with the last one it is open again.
///
/// Whoever may take the payment may take it back: a refused card or missing points must not stop the queue
/// until a manager comes.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state` (complete, or the payment was reversed before,
/// or came by an exchange), `not_found`.
pub fn reverse_payment(
    cmd: &VoidSale,
    id: &TransactionId,
    payment_id: &PaymentId,
    caller: &Caller,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Voided, Refusal> {
    cmd.check()?;
    may_sell(caller, &book.shift)?;
    let before = book.open.get(id).ok_or_else(|| TransactionState::Paid.refusal())?;
    let mut after = before.clone();
    let place = after.payments.iter().position(|payment| payment.payment_id == *payment_id);
    let exchange = place.and_then(|place| after.payments.get(place)).is_some_and(is_exchange);
    if exchange {
        // Head office hears of what an exchange gave back by the void of the basket alone.
        let allowed = ["pay", "void"].map(str::to_owned).to_vec();
        return Err(Refusal::InvalidState { state: "exchanged".to_owned(), allowed });
    }
    let one: &mut [Payment] = match place.and_then(|place| after.payments.get_mut(place..=place)) {
        Some(one) if one.iter().all(Payment::counts) => one,
        Some(_) => {
            let state = "reversed".to_owned();
            return Err(Refusal::InvalidState { state, allowed: Vec::new() });
        }
        None => return Err(Refusal::NotFound("payment")),
    };
    let mut shift = book.shift.clone();
    let refunds = take_back(one, &mut shift, rules)?;
    let mut after = paid_by(after, Vec::new(), rules)?;
    if after.payments.iter().all(|payment| payment.state == PaymentState::Reversed) {
        after.state = TransactionState::Open;
    }
    let event = Event::TransactionOpen { transaction: Box::new(after), shift: Some(Box::new(shift)) };
    Ok(Voided { event, refunds })
}

fn is_exchange(payment: &Payment) -> bool {
    payment.method == EXCHANGE && payment.counts()
}
