//! The shift's decisions about a return: user, time, sale, and target transaction.

use crate::model::base::fields::Fields;
use crate::model::base::ids::{MovementId, PaymentId, RegisterId, ReturnId, Sku};
use crate::model::base::limits::PAYMENTS_MAX;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::base::settings::Rules;
use crate::model::books::register::Counters;
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::inventory::product::Product;
use crate::model::people::authorization::Authorization;
use crate::model::selling::payment::EXCHANGE;
use crate::model::selling::reasons::Why;
use crate::model::selling::returns::{TakenBack, Verification};
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::books::shift::{may_sell, register_of};
use crate::rules::selling::returns::NewReturn;
use jiff::civil::Date;
use std::collections::BTreeMap;

/// The IDs that a return may need; unused ones are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnIds {
    pub return_id: ReturnId,
    /// One per line of the sale (without a receipt: of the command), and of the transaction that
    /// an exchange pays.
    pub movements: Vec<MovementId>,
    /// One per method that paid the sale, for an exchange.
    pub payments: Vec<PaymentId>,
}

/// A return, before the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct ReturnDraft {
    pub cmd: NewReturn,
    pub ids: ReturnIds,
    /// The sale, as it was completed.
    pub sale: Option<Transaction>,
    /// The products, if there is no receipt.
    pub products: BTreeMap<Sku, Product>,
    /// Verification of another store's receipt by the hub.
    pub verification: Option<Verification>,
    /// The sale's returns as the hub reported them, this store's and others'. `None` if it reported nothing.
    pub taken: Option<Vec<TakenBack>>,
    /// The present shift.
    pub shift: Shift,
    /// Counters of the return's register, the return's number given.
    pub counters: Counters,
    pub receipt_no: String,
    pub series: String,
    /// The transaction that an exchange pays.
    pub target: Option<Transaction>,
    /// Needs a manager's approval, whatever its amount.
    pub late: bool,
    /// Whether the return is only quoted.
    pub is_quote: bool,
}

/// Drafts a return in the book's shift.
///
/// `sale` is the command's sale, as the journal has it; `products` are the catalogue's rows if there is none;
/// `verification` is for a receipt of another store.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `not_found`, `invalid_state` (the shift does not sell,
/// the sale is not paid, the exchange's transaction is not open), `approval_required` (no receipt,
/// unverified, past the window).
#[expect(clippy::too_many_arguments, reason = "a rule gets all that it may know as arguments")]
pub fn draft(
    cmd: &NewReturn,
    ids: ReturnIds,
    sale: Option<&Transaction>,
    products: &BTreeMap<Sku, Product>,
    verification: Option<Verification>,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<ReturnDraft, Refusal> {
    cmd.check()?;
    if cmd.shift_id.as_ref().is_some_and(|shift| *shift != book.shift.shift_id) {
        return Err(Refusal::NotFound("shift"));
    }
    may_sell(authorization, &book.shift)?;
    for (place, item) in cmd.items.iter().enumerate() {
        let path = format!("items[{place}].reason");
        rules.policy.reasons.check(Why::Return, &path, item.reason.as_deref())?;
    }
    if cmd.transaction_id.as_ref() != sale.map(|sale| &sale.transaction_id) {
        return Err(Refusal::NotFound("transaction"));
    }
    if let Some(sale) = sale
        && sale.state != TransactionState::Paid
    {
        return Err(sale.state.refusal());
    }
    if sale.is_none() && !rules.policy.unreceipted_any_price {
        at_most_the_price(cmd, products)?;
    }
    let late = sale.is_some_and(|sale| late(sale, book.shift.business_date, rules));
    if verification == Some(Verification::Pending) {
        authorization.manager_for(|| NeedsApproval::of("a return that head office can't check now"))?;
    }
    if sale.is_none() {
        authorization.manager_for(|| NeedsApproval::of("a return without a receipt"))?;
    }
    if late {
        let days = i64::from(rules.policy.return_window_days);
        authorization.manager_for(|| {
            NeedsApproval::of("a return this many days after the sale").by(days, "returns.window_days")
        })?;
    }
    let register_id = register_of(authorization, &book.shift)?;
    let target = target(cmd, register_id, book)?;
    let mut counters = book.counters_at(register_id)?;
    Ok(ReturnDraft {
        cmd: cmd.clone(),
        ids,
        sale: sale.cloned(),
        products: if sale.is_none() { products.clone() } else { BTreeMap::new() },
        verification,
        taken: None,
        shift: book.shift.clone(),
        receipt_no: counters.next_receipt(&book.shift.store_id, &book.series),
        counters,
        series: book.series.clone(),
        target,
        late,
        is_quote: false,
    })
}

/// Without a receipt the refund for a piece is limited to its present price.
fn at_most_the_price(cmd: &NewReturn, products: &BTreeMap<Sku, Product>) -> Result<(), Refusal> {
    let mut fields = Fields::default();
    for (place, item) in cmd.items.iter().enumerate() {
        let price = products.get(&item.sku).map(|product| product.price);
        if let Some((asked, price)) = item.price.zip(price).filter(|(asked, price)| asked > price) {
            let problem = format!(
                "must be at most {price}, the current price, because there is no receipt: {asked} was requested"
            );
            fields.wrong(format!("items[{place}].price"), problem);
        }
    }
    fields.done()
}

/// Whether a sale is older than the window, in business days, on the business date of the return.
fn late(sale: &Transaction, today: Date, rules: &Rules) -> bool {
    let last = crate::model::people::points::days_after(sale.business_date, rules.policy.return_window_days);
    today > last
}

/// The unfinished transaction of the same shift and register that an exchange pays: both documents take the next numbers
/// of that register.
fn target(
    cmd: &NewReturn,
    register_id: &RegisterId,
    book: &ShiftBook,
) -> Result<Option<Transaction>, Refusal> {
    let refunds = cmd.refunds.as_deref().unwrap_or_default();
    let Some(exchange) = refunds.iter().find(|refund| refund.method == EXCHANGE) else { return Ok(None) };
    let Some(id) = &exchange.transaction_id else { return Ok(None) };
    let basket = book.open.get(id).ok_or(Refusal::NotFound("transaction"))?;
    if !basket.state.payable() {
        return Err(basket.state.refusal());
    }
    if basket.register_id != *register_id {
        let problem =
            format!("must be of this register: the exchange pays a transaction of {}", basket.register_id);
        return Err(Refusal::field("refunds", problem));
    }
    if exchange.amount > basket.amount_due {
        let problem = format!("the exchange is {}, but only {} is due", exchange.amount, basket.amount_due);
        return Err(Refusal::PaymentMismatch { problem, amount_due: basket.amount_due });
    }
    if basket.payments.len() >= PAYMENTS_MAX {
        return Err(Refusal::field(
            "refunds",
            format!("must not give a transaction more than {PAYMENTS_MAX} payments"),
        ));
    }
    Ok(Some(basket.clone()))
}
