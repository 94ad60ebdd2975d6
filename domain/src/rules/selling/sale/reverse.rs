//! Takes one payment back before the sale is complete.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::ids::{PaymentId, TransactionId};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::books::shift::ShiftBook;
use crate::model::people::authorization::Authorization;
use crate::model::selling::payment::{EXCHANGE, ReversedPayment};
use crate::model::selling::transaction::{Payment, PaymentState, TransactionState};
use crate::rules::books::shift::{hands_back, may_sell};
use crate::rules::selling::sale::void::take_back;
use crate::rules::selling::sale::{VoidSale, add_payments};

/// A basket without a payment, and the refund.
#[derive(Debug, Clone, PartialEq)]
pub struct PaymentReversed {
    pub event: Event<fact::TransactionOpen>,
    /// One per payment.
    pub refunds: Vec<ReversedPayment>,
}

/// Reverses an accepted payment of a partly paid basket. After the last one the basket is open again.
///
/// A user who may take the payment may reverse it, since a refused card or missing points must not stop the queue
/// until a manager comes. Voiding the basket afterwards has its own rule, [`crate::rules::selling::sale::void_open`].
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `invalid_state` (complete, or the payment was reversed before,
/// or came by an exchange), `not_found`, `approval_required` (more cash than the drawer holds).
pub fn reverse_payment(
    cmd: &VoidSale,
    id: &TransactionId,
    payment_id: &PaymentId,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<PaymentReversed, Refusal> {
    cmd.check()?;
    may_sell(authorization, &book.shift)?;
    let before = book.open.get(id).ok_or_else(|| TransactionState::Paid.refusal())?;
    let mut after = before.clone();
    let place = after.payments.iter().position(|payment| payment.payment_id == *payment_id);
    let exchange = place.and_then(|place| after.payments.get(place)).is_some_and(is_exchange);
    if exchange {
        // Head office learns of what an exchange gave back only from the void of the basket.
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
    let refunds = take_back(one, &mut shift)?;
    hands_back(&book.shift, &shift, authorization, rules)?;
    let mut after = add_payments(after, Vec::new(), rules)?;
    if after.payments.iter().all(|payment| payment.state == PaymentState::Reversed) {
        after.state = TransactionState::Open;
    }
    let event = Event::new(fact::TransactionOpen { transaction: after }, Rows::of_shift(shift));
    Ok(PaymentReversed { event, refunds })
}

fn is_exchange(payment: &Payment) -> bool {
    payment.method == EXCHANGE && payment.counts()
}
