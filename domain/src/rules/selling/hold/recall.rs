//! Recalls a hold: the shift drafts, the ledger finds it waiting or refuses; prices are renewed.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::Money;
use crate::model::base::ids::{HoldId, RegisterId, Sku};
use crate::model::base::refusal::Refusal;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::{HeldBasket, LedgerBook};
use crate::model::books::shift::{Shift, ShiftBook};
use crate::model::people::authorization::Authorization;
use crate::model::selling::hold::{Hold, HoldState};
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::books::shift::{may_sell, register_of};
use crate::rules::selling::hold::expire;
use crate::rules::selling::sale;
use crate::rules::selling::sale::PricingContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/pos/holds/:id/recall`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallHold {
    /// Whether to keep the prices of the held basket if it can't be priced again. A basket that can be priced again is
    /// always priced again. Defaults to false.
    #[serde(default)]
    pub keep_prices: bool,
}

/// Shift that recalls the basket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallDraft {
    pub hold_id: HoldId,
    pub cmd: RecallHold,
    /// The shift that it moves to.
    pub shift: Shift,
    /// The register that it moves to.
    pub register_id: RegisterId,
}

/// A figure that changed while the basket was on hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RecallChange")]
pub struct Change {
    /// Line number. Null for the whole basket.
    pub line_no: Option<u32>,
    /// Product of the line. Null for the whole basket.
    pub sku: Option<Sku>,
    /// Changed figure: `price`, `discount`, `tax` or `total`.
    #[schemars(extend("enum" = ["price", "discount", "tax", "total"]))]
    pub field: &'static str,
    /// Value in the held basket, in minor currency units.
    pub before: Money,
    /// Value after the basket was priced again, in minor currency units.
    pub after: Money,
}

/// A recalled basket and the values that changed meanwhile.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    pub event: Event<fact::HoldRecalled>,
    /// For the cashier to read to the customer.
    pub changes: Vec<Change>,
}

/// Asks for a hold in the name of a shift.
///
/// # Errors
/// `insufficient_role`, `invalid_state` (the shift does not sell, or has too many open).
pub fn draft_recall(
    hold_id: HoldId,
    cmd: RecallHold,
    now: UtcMs,
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<RecallDraft, Refusal> {
    may_sell(authorization, &book.shift)?;
    sale::may_open(book, now, rules)?;
    let register_id = register_of(authorization, &book.shift)?.clone();
    Ok(RecallDraft { hold_id, cmd, shift: book.shift.clone(), register_id })
}

/// Gives the basket to the shift that drafted first; prices and promotions are the present ones.
///
/// A price that a cashier had overridden stays, unless it is now so far below the catalogue's that a manager would have to
/// approve it: then prices and discounts by hand are dropped. A product that is no longer sold keeps its line. A
/// cashier's discount that no longer fits is cut to the remaining amount: a change like the others. A basket that can't
/// be priced again (too large for one record with the present discounts, or with a figure above the largest) is taken
/// as it was held, if the caller requests it: its record fitted when it was made.
///
/// # Errors
/// `not_found`, `invalid_state` (no longer waiting, or past its time), `validation_failed` at `keep_prices`.
pub fn recall(
    draft: RecallDraft,
    now: UtcMs,
    authorization: &Authorization<'_>,
    pricing: &PricingContext<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Recalled, Refusal> {
    let HeldBasket { hold, basket: waiting } = waiting_hold(&draft.hold_id, book)?;
    if expire::due(hold, now) {
        return Err(HoldState::Expired.refusal());
    }
    let mut basket = Transaction {
        state: TransactionState::Open,
        business_date: draft.shift.business_date,
        register_id: draft.register_id.clone(),
        shift_id: draft.shift.shift_id.clone(),
        cashier_id: authorization.caller.user_id.clone(),
        ..waiting.clone()
    };
    let as_held = basket.clone();
    // Prices of now are prices under the terms of this shift.
    basket.prices_include_tax = rules.prices_include_tax;
    match sale::renew(&mut basket, pricing, rules) {
        Ok(()) => {}
        Err(_) if draft.cmd.keep_prices => basket = as_held,
        Err(refusal) => return Err(keep_prices(&refusal)),
    }
    if sale::discounted_above_limit(&basket, rules) && !sale::discounted_above_limit(waiting, rules) {
        // The catalogue's prices changed: discounts that a cashier was allowed to give are now above the limit, without
        // an approval.
        sale::drop_changes_by_hand(&mut basket);
        sale::renew(&mut basket, pricing, rules)?;
    }
    let changes = changes(waiting, &basket);
    let hold = Hold { state: HoldState::Recalled, ..hold.clone() };
    let event = Event::of(fact::HoldRecalled { hold, transaction: basket });
    Ok(Recalled { event, changes })
}

/// A waiting hold with its basket.
///
/// # Errors
/// `invalid_state` if the book does not have it, since it was recalled, voided or has expired.
pub(crate) fn waiting_hold<'a>(id: &HoldId, book: &'a LedgerBook) -> Result<&'a HeldBasket, Refusal> {
    book.holds.get(id).ok_or_else(|| HoldState::Recalled.refusal())
}

/// Refusal with advice about a basket that can't be priced again.
fn keep_prices(refusal: &Refusal) -> Refusal {
    let why = match refusal {
        Refusal::ValidationFailed(problems) => {
            problems.iter().map(|at| format!("{} {}", at.path, at.problem)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    let problem = format!(
        "must be true: the basket can't be priced again ({why}). With true, it is recalled at the prices and \
         discounts that it was held with"
    );
    Refusal::field("keep_prices", problem)
}

fn changes(before: &Transaction, after: &Transaction) -> Vec<Change> {
    let mut changes = Vec::new();
    for (old, new) in before.items.iter().zip(&after.items) {
        let figures = [
            ("price", old.price, new.price),
            ("discount", old.discount, new.discount),
            ("tax", old.tax, new.tax),
            ("total", old.total, new.total),
        ];
        for (field, before, after) in figures.into_iter().filter(|(_, before, after)| before != after) {
            let (line_no, sku) = (Some(new.line_no), Some(new.sku.clone()));
            changes.push(Change { line_no, sku, field, before, after });
        }
    }
    if before.total != after.total {
        let (before, after) = (before.total, after.total);
        changes.push(Change { line_no: None, sku: None, field: "total", before, after });
    }
    changes
}
