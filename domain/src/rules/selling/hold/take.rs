//! Puts a basket away.

use crate::model::base::event::{Event, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::Money;
use crate::model::base::ids::{HoldId, TransactionId};
use crate::model::base::limits::{FIGURE_MAX, ITEMS_MAX, REFERENCE_CHARS_MAX, TEXT_CHARS_MAX};
use crate::model::base::money::sum;
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::selling::hold::{Hold, HoldState};
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::books::shift::may_sell;
use crate::rules::selling::sale;
use crate::rules::selling::sale::{CreateSale, TillContext, may_drop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most baskets that wait at once: they live in the ledger's memory.
pub const HOLDS_MAX: usize = 5_000;

/// Request body of `POST /api/pos/holds`: an open basket of the shift, or a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "HoldBody")]
pub struct HoldSale {
    /// Basket to put on hold.
    pub basket: HeldBasket,
    /// Note on the hold, for example the customer's name. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Basket to put on hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HeldBasket {
    /// An open transaction of the shift.
    Open(TransactionId),
    /// One that is made for it.
    New(Box<CreateSale>),
}

/// Either `transaction_id`, or a whole transaction.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HoldBody {
    /// Open transaction to hold. Omit it to hold a new basket, which the other fields describe.
    #[schemars(length(min = 1))]
    transaction_id: Option<TransactionId>,
    /// Lines of the new basket. Required without `transaction_id`.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    items: Option<Vec<sale::NewItem>>,
    /// Member of the new basket. Null for none.
    #[schemars(length(min = 1))]
    member_id: Option<crate::model::base::ids::MemberId>,
    /// Shift of the new basket. Defaults to the caller's own open shift.
    #[schemars(length(min = 1))]
    shift_id: Option<crate::model::base::ids::ShiftId>,
    /// Discount on the whole new basket, in minor currency units. Null for none.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    discount: Option<Money>,
    /// Reason for the discount. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    discount_reason: Option<String>,
    /// Note on the hold, for example the customer's name. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    note: Option<String>,
}

impl TryFrom<HoldBody> for HoldSale {
    type Error = &'static str;

    fn try_from(body: HoldBody) -> Result<Self, Self::Error> {
        let HoldBody { transaction_id, items, member_id, shift_id, discount, discount_reason, note } = body;
        let alone =
            member_id.is_none() && shift_id.is_none() && discount.is_none() && discount_reason.is_none();
        let basket = match (transaction_id, items) {
            (Some(id), None) if alone => HeldBasket::Open(id),
            (None, Some(items)) => {
                let note = note.clone();
                let sale = CreateSale {
                    items,
                    member_id,
                    shift_id,
                    discount,
                    discount_reason,
                    note,
                    payments: None,
                };
                HeldBasket::New(Box::new(sale))
            }
            (None, None) => return Err("missing field `transaction_id`"),
            _ => return Err("give either `transaction_id` or a whole transaction, not both"),
        };
        Ok(Self { basket, note })
    }
}

impl HoldSale {
    /// Checks that need no data of the store: counts, ranges, lengths.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        match &self.basket {
            HeldBasket::Open(id) => fields.id("transaction_id", id.as_str()),
            HeldBasket::New(sale) => sale.check()?,
        }
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.done()
    }
}

/// Puts a basket of the book's shift away. `id` is the hold's ID, `new_id` the ID of a new transaction.
///
/// The ledger submits it, after [`LedgerBook::may_hold`].
///
/// # Errors
/// The errors of [`sale::create`]; `invalid_state` for a basket that is not open.
pub fn take(
    cmd: &HoldSale,
    id: HoldId,
    new_id: TransactionId,
    till: &TillContext<'_>,
) -> Result<Event<fact::TransactionHeld>, Refusal> {
    cmd.check()?;
    may_sell(&till.authorization, &till.book.shift)?;
    let basket = match &cmd.basket {
        HeldBasket::New(sale) => sale::basket(sale, new_id, till)?,
        HeldBasket::Open(id) => {
            // The caller knows that it belongs to this shift: it was completed meanwhile.
            let basket = till.book.open.get(id).ok_or_else(|| TransactionState::Paid.refusal())?;
            if basket.state != TransactionState::Open {
                return Err(basket.state.refusal());
            }
            may_drop(basket, &till.authorization)?;
            basket.clone()
        }
    };
    let transaction = Transaction { state: TransactionState::Held, ..basket };
    // A partly paid hold does not expire, since dropping it needs a manager.
    let life = if transaction.payments.is_empty() { till.rules.policy.hold_expire_after_ms } else { 0 };
    let hold = Hold {
        hold_id: id,
        state: HoldState::Active,
        transaction_id: transaction.transaction_id.clone(),
        register_id: transaction.register_id.clone(),
        note: cmd.note.clone(),
        held_by: till.authorization.caller.user_id.clone(),
        held_at: till.now,
        expires_at: (life > 0).then(|| UtcMs(till.now.0.saturating_add(life))),
        total: transaction.total,
        item_count: sum("items", transaction.items.iter().map(|line| line.qty))?,
    };
    Ok(Event::of(fact::TransactionHeld { hold, transaction }))
}

impl LedgerBook {
    /// Whether one more basket may wait.
    ///
    /// # Errors
    /// `invalid_state`.
    pub fn may_hold(&self) -> Result<(), Refusal> {
        if self.holds.len() < HOLDS_MAX {
            return Ok(());
        }
        let allowed = ["recall", "void"].map(str::to_owned).to_vec();
        Err(Refusal::InvalidState { state: "full".to_owned(), allowed })
    }
}
