//! Cash that moves without a sale, and what follows the close: blind end, recount.

use super::{Cash, Shift, ShiftBook, ShiftState, may_run};
use crate::event::Event;
use crate::fields::{Fields, REFERENCE_BYTES_MAX, TEXT_BYTES_MAX};
use crate::ids::{CashId, RegisterId, ShiftId, UserId};
use crate::mandate::Mandate;
use crate::money::{FIGURE_MAX, sum};
use crate::refusal::Refusal;
use crate::settings::Rules;
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why the drawer was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CashKind {
    /// Cash put in.
    PayIn,
    /// Cash taken out for costs.
    PayOut,
    /// Cash brought to the safe.
    Drop,
    /// Nothing moved: the drawer was only opened.
    NoSale,
}

impl CashKind {
    /// The kind's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::PayIn => "pay_in",
            Self::PayOut => "pay_out",
            Self::Drop => "drop",
            Self::NoSale => "no_sale",
        }
    }
}

/// `POST /shifts/:id/cash-movements`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveCash {
    /// Which way.
    #[serde(rename = "type")]
    pub kind: CashKind,
    /// Whole currency units, above 0; 0 for `no_sale`.
    #[serde(default)]
    pub amount: i64,
    /// Why.
    pub reason: String,
    /// Why, as the shop codes it.
    pub reason_code: Option<String>,
    /// The bag of a drop.
    pub bag_no: Option<String>,
}

/// `POST /shifts/:id/cash-movements/:cash_id/reverse`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReverseCash {
    /// Why.
    pub reason: String,
}

/// Cash that moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CashMovement {
    /// `csh_…`
    pub cash_id: CashId,
    /// The shift.
    pub shift_id: ShiftId,
    /// The till.
    pub register_id: RegisterId,
    /// The shift's business date.
    pub business_date: jiff::civil::Date,
    /// Which way.
    #[serde(rename = "type")]
    pub kind: CashKind,
    /// Whole currency units; below 0: it takes another movement back.
    pub amount: i64,
    /// The movement that it takes back.
    pub reverses: Option<CashId>,
    /// Why.
    pub reason: String,
    /// Why, as the shop codes it.
    pub reason_code: Option<String>,
    /// The bag of a drop.
    pub bag_no: Option<String>,
    /// Who.
    pub user_id: UserId,
    /// When.
    pub at: UtcMs,
}

impl MoveCash {
    /// What can be told without looking at the shift.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        match self.kind {
            CashKind::NoSale => fields.range("amount", self.amount, 0..=0),
            _ => fields.range("amount", self.amount, 1..=FIGURE_MAX),
        }
        fields.name("reason", self.reason.trim(), TEXT_BYTES_MAX);
        fields.text("reason_code", self.reason_code.as_deref(), REFERENCE_BYTES_MAX);
        fields.text("bag_no", self.bag_no.as_deref(), REFERENCE_BYTES_MAX);
        if self.bag_no.is_some() && self.kind != CashKind::Drop {
            fields.wrong("bag_no", "belongs to a drop");
        }
        fields.done()
    }
}

/// Moves cash in or out of the book's shift.
///
/// # Errors
/// `validation_failed` (also for more than the drawer holds), `insufficient_role`, `invalid_state` (closed),
/// `approval_required` (a pay-out above the limit).
pub fn move_cash(
    cmd: &MoveCash,
    id: CashId,
    now: UtcMs,
    mandate: &Mandate<'_>,
    rules: &Rules,
    book: &ShiftBook,
) -> Result<Event, Refusal> {
    cmd.check()?;
    may_run(mandate.caller, &book.shift)?;
    if !matches!(book.shift.state, ShiftState::Open | ShiftState::Ended) {
        return Err(book.shift.state.refusal());
    }
    // Who counts blind is not told what should be there.
    let leaves = matches!(cmd.kind, CashKind::PayOut | CashKind::Drop);
    if leaves && cmd.amount > Cash::of(&book.shift).expected {
        return Err(Refusal::field("amount", "is more than the drawer holds by the books"));
    }
    let limit = rules.policy.pay_out_value;
    if cmd.kind == CashKind::PayOut && limit > 0 && cmd.amount > limit {
        mandate.manager()?;
    }
    let mut shift = book.shift.clone();
    if let Some(so_far) = shift.totals.of_cash(cmd.kind) {
        *so_far = sum("amount", [*so_far, cmd.amount])?;
    }
    let movement = CashMovement {
        cash_id: id,
        shift_id: shift.shift_id.clone(),
        register_id: shift.register_id.clone(),
        business_date: shift.business_date,
        kind: cmd.kind,
        amount: cmd.amount,
        reverses: None,
        reason: cmd.reason.trim().to_owned(),
        reason_code: cmd.reason_code.clone(),
        bag_no: cmd.bag_no.clone(),
        user_id: mandate.caller.user_id.clone(),
        at: now,
    };
    Ok(Event::CashMoved { movement, shift: Box::new(shift) })
}

/// Takes a wrong movement of the book's shift back by one of its own, while the drawer is not counted.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `approval_required` (a cashier alone), `invalid_state` (counted; taken back
/// before; nothing to take back).
pub fn reverse_cash(
    cmd: &ReverseCash,
    wrong: &CashMovement,
    id: CashId,
    now: UtcMs,
    mandate: &Mandate<'_>,
    book: &ShiftBook,
) -> Result<Event, Refusal> {
    let mut fields = Fields::default();
    fields.name("reason", cmd.reason.trim(), TEXT_BYTES_MAX);
    fields.done()?;
    may_run(mandate.caller, &book.shift)?;
    if !matches!(book.shift.state, ShiftState::Open | ShiftState::Ended) {
        return Err(book.shift.state.refusal());
    }
    let refused = |state: &str| Refusal::InvalidState { state: state.to_owned(), allowed: Vec::new() };
    let mut shift = book.shift.clone();
    if !shift.reversed.insert(wrong.cash_id.clone()) {
        return Err(refused("reversed"));
    }
    let amount = wrong.amount.saturating_neg();
    match shift.totals.of_cash(wrong.kind).filter(|_| wrong.reverses.is_none()) {
        Some(so_far) => *so_far = sum("amount", [*so_far, amount])?,
        None => return Err(refused(if wrong.reverses.is_some() { "reversal" } else { "no_sale" })),
    }
    mandate.manager()?;
    let movement = CashMovement {
        cash_id: id,
        amount,
        reverses: Some(wrong.cash_id.clone()),
        reason: cmd.reason.trim().to_owned(),
        user_id: mandate.caller.user_id.clone(),
        at: now,
        ..wrong.clone()
    };
    Ok(Event::CashMoved { movement, shift: Box::new(shift) })
}

/// Ends the book's shift blind: no more sales, not yet counted.
///
/// # Errors
/// `insufficient_role`, `invalid_state`, `shift_has_open_transactions`.
pub fn end(now: UtcMs, mandate: &Mandate<'_>, book: &ShiftBook) -> Result<Event, Refusal> {
    may_run(mandate.caller, &book.shift)?;
    if book.shift.state != ShiftState::Open {
        return Err(book.shift.state.refusal());
    }
    if !book.open.is_empty() {
        let transactions = book.open.keys().map(|id| id.0.clone()).collect();
        return Err(Refusal::ShiftHasOpenTransactions { transactions });
    }
    let shift = Shift { state: ShiftState::Ended, ended_at: Some(now), ..book.shift.clone() };
    Ok(Event::ShiftEnded { shift: Box::new(shift) })
}
