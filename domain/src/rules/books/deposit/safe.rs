//! The safe (docs/arithmetic.md#postings): floats leave it, drops and counted drawers enter it, deposits leave it.
//!
//! The safe is a row of running sums. A commit that moves cash in or out of the safe also stores the new row.

use crate::model::base::event::{Event, Fact};
use crate::model::base::figures::Money;
use crate::model::base::money::sum;
use crate::model::base::refusal::{NeedsApproval, Refusal};
use crate::model::books::deposit::{Deposit, Safe};
use crate::model::books::ledger::LedgerBook;
use crate::model::books::shift::Shift;
use crate::model::people::authorization::Authorization;

/// Path reported when figures leave the range.
const PATH: &str = "safe";

impl Safe {
    /// The safe after a shift's share of it changed.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn moved(&self, was: Share, is: Share) -> Result<Self, Refusal> {
        let changed = |so_far: Money, was: Money, is: Money| sum(PATH, [so_far, was.saturating_neg(), is]);
        Self {
            floats: changed(self.floats, was.float, is.float)?,
            drops: changed(self.drops, was.drops, is.drops)?,
            counted: changed(self.counted, was.counted, is.counted)?,
            ..self.clone()
        }
        .balanced()
    }

    /// The safe after a deposit, or after one that takes another back.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn after_deposit(&self, deposit: &Deposit) -> Result<Self, Refusal> {
        Self { deposited: sum(PATH, [self.deposited, deposit.amount])?, ..self.clone() }.balanced()
    }

    /// The safe after a person stated its opening contents.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn opened(&self, amount: Money) -> Result<Self, Refusal> {
        Self { opening: Some(amount), ..self.clone() }.balanced()
    }

    /// The safe after an event; `before` is the share of the event's shift until then.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn after(&self, event: &Event, before: Share) -> Result<Self, Refusal> {
        match &event.fact {
            Fact::CashDeposited(it) => self.after_deposit(&it.deposit),
            Fact::SafeOpened(it) => self.opened(it.opening.amount),
            _ => event.shift().map_or_else(|| Ok(self.clone()), |after| self.moved(before, Share::of(after))),
        }
    }

    fn balanced(self) -> Result<Self, Refusal> {
        let out = [self.floats.saturating_neg(), self.deposited.saturating_neg()];
        let came = [self.opening.unwrap_or_default(), self.drops, self.counted];
        Ok(Self { balance: sum(PATH, came.into_iter().chain(out))?, ..self })
    }
}

/// A shift's share of the safe; empty before the shift began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Float that it took out.
    pub float: Money,
    /// Cash that it dropped into the safe.
    pub drops: Money,
    /// Cash that was counted into the safe, by the latest count.
    pub counted: Money,
}

impl Share {
    /// The present share of a shift.
    pub fn of(shift: &Shift) -> Self {
        let latest = shift.recounts.last().map(|recount| recount.counted_cash).or(shift.counted_cash);
        Self { float: shift.opening_float, drops: shift.totals.drops, counted: latest.unwrap_or_default() }
    }
}

/// Adds the balance of the safe after an event of the ledger. `before` is the event's shift before it.
///
/// No event takes more out of the safe than it holds, except a float that a manager approves, since its notes are in
/// the drawer already. Until the opening balance was entered, the balance is incomplete and only deposits are checked.
///
/// # Errors
/// `approval_required` (a float above the safe's contents), `validation_failed` (anything else that would take more).
pub fn settle_safe<F: Clone>(
    mut event: Event<F>,
    before: Option<&Shift>,
    authorization: &Authorization<'_>,
    book: &LedgerBook,
) -> Result<Event<F>, Refusal>
where
    Event<F>: Into<Event>,
{
    let (there, any) = (&book.safe, event.clone().into());
    let safe = there.after(&any, before.map(Share::of).unwrap_or_default())?;
    let takes = there.balance.saturating_sub(safe.balance);
    if takes > 0 && safe.balance < 0 {
        bounded(&any.fact, takes, there, authorization)?;
    }
    event.rows.safe = (safe != *there).then(|| Box::new(safe));
    Ok(event)
}

fn bounded(
    fact: &Fact,
    takes: Money,
    there: &Safe,
    authorization: &Authorization<'_>,
) -> Result<(), Refusal> {
    let left = there.balance.max(Money::ZERO);
    let more = |path: &str| {
        let problem =
            format!("would take {takes} out of the safe, but it contains {left} according to the books");
        Err(Refusal::field(
            path,
            format!(
                "{problem}: reverse a wrong deposit, or set a larger opening balance (POST /api/safe/opening)"
            ),
        ))
    };
    match fact {
        Fact::CashDeposited(_) => Err(Refusal::field(
            "amount",
            format!(
                "must be at most {left}, the balance of the safe: {takes} was requested. Set the opening balance (POST /api/safe/opening), or deposit less"
            ),
        )),
        _ if there.opening.is_none() => Ok(()),
        Fact::ShiftOpened(_) => authorization.manager_for(|| {
            let needs = NeedsApproval::of("a float larger than the balance of the safe");
            NeedsApproval { value: Some(takes.get()), limit: Some(left.get()), ..needs }.at("opening_float")
        }),
        Fact::SafeOpened(_) => more("amount"),
        Fact::ShiftClosed(_) | Fact::ShiftRecounted(_) => more("counted_cash"),
        _ => more("cash_id"),
    }
}
