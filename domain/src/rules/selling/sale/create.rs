//! Makes a basket: prices it, applies the price policy, and checks that it may be sold here.

use crate::model::base::event::{Event, fact};
use crate::model::base::figures::{BasisPoints, Money, Points};
use crate::model::base::ids::{MemberId, RegisterId, TransactionId};
use crate::model::base::refusal::{FieldProblem, NeedsApproval, Refusal};
use crate::model::base::settings::{PriceOverride, Rules};
use crate::model::base::time::UtcMs;
use crate::model::books::shift::{Shift, ShiftBook, ShiftState};
use crate::model::inventory::product::Product;
use crate::model::people::authorization::Authorization;
use crate::model::people::member::{Member, MemberState};
use crate::model::selling::reasons::Why;
use crate::model::selling::transaction::{Transaction, TransactionState};
use crate::rules::books::shift::{overdue, register_of};
use crate::rules::selling::sale::discount_limit::discount_policy;
use crate::rules::selling::sale::plausible::{is_set_before, plausible_prices};
use crate::rules::selling::sale::price::{Asked, catalogue, reprice};
use crate::rules::selling::sale::{CreateSale, NewItem, PricingContext, TillContext};
use std::collections::BTreeMap;

/// Most unfinished transactions of one shift: they live in its owner's memory.
pub const OPEN_MAX: usize = 5_000;

/// Most lines in them: a close that voids them all is one commit, and has to be storable.
pub const OPEN_LINES_MAX: usize = 5_000;

/// Makes an open transaction in the caller's own shift; managers: in any.
///
/// # Errors
/// `insufficient_role`, `invalid_state` (the shift does not sell, or has too many open), `unknown_member`, `unknown_sku`
/// (all of them), `validation_failed`, `approval_required` (prices, discounts by hand).
pub fn create(
    cmd: &CreateSale,
    id: TransactionId,
    till: &TillContext<'_>,
) -> Result<Event<fact::TransactionOpen>, Refusal> {
    let transaction = basket(cmd, id, till)?;
    Ok(Event::of(fact::TransactionOpen { transaction }))
}

/// The basket that a command makes.
///
/// # Errors
/// The errors of [`create`].
pub(crate) fn basket(
    cmd: &CreateSale,
    id: TransactionId,
    till: &TillContext<'_>,
) -> Result<Transaction, Refusal> {
    cmd.check()?;
    if cmd.shift_id.as_ref().is_some_and(|shift| *shift != till.book.shift.shift_id) {
        return Err(Refusal::NotFound("shift"));
    }
    till.sells()?;
    check_open_baskets(cmd.items.len(), till.book)?;
    let member = member(cmd.member_id.as_ref(), &till.pricing)?;
    let kept = BTreeMap::new();
    let found = catalogue(&cmd.items, till.pricing.products, &kept)?;
    price_policy(&cmd.items, &found, None, &till.authorization, till.rules)?;
    let register_id = register_of(&till.authorization, &till.book.shift)?.clone();
    let mut transaction = empty(cmd, id, register_id, till);
    attribute(&mut transaction, member, till.rules);
    let reason = cmd.discount_reason.as_deref();
    let asked =
        Asked { items: &cmd.items, discount: cmd.discount.unwrap_or(Money::ZERO), discount_reason: reason };
    // Before the policy: a manager is not asked for an impossible action.
    reprice(&mut transaction, &asked, &found, &till.pricing, till.rules)?;
    discount_policy((&cmd.items, asked.discount), &found, None, &till.authorization, till.rules)?;
    discount_reason((&cmd.items, asked.discount), &found, reason, till.rules)?;
    Ok(transaction)
}

/// A shift whose date has ended may be stopped from selling.
pub(super) fn in_time(shift: &Shift, now: UtcMs, rules: &Rules) -> Result<(), Refusal> {
    if rules.policy.refuse_overdue && overdue(shift, now, rules) {
        let allowed = ShiftState::Ended.steps().iter().map(|step| (*step).to_owned()).collect();
        return Err(Refusal::InvalidState { state: "overdue".to_owned(), allowed });
    }
    Ok(())
}

/// Checks that the shift may keep one more open basket of this number of lines in memory.
pub(super) fn check_open_baskets(lines: usize, book: &ShiftBook) -> Result<(), Refusal> {
    let open = book.open.values().map(|basket| basket.items.len()).sum::<usize>();
    if book.open.len() < OPEN_MAX && open.saturating_add(lines) <= OPEN_LINES_MAX {
        return Ok(());
    }
    let allowed = ["pay", "void"].map(str::to_owned).to_vec();
    Err(Refusal::InvalidState { state: "full".to_owned(), allowed })
}

/// The member that a command names, if it can be sold to.
pub(super) fn member<'a>(
    id: Option<&MemberId>,
    pricing: &PricingContext<'a>,
) -> Result<Option<&'a Member>, Refusal> {
    let Some(id) = id else { return Ok(None) };
    let known = |member: &&Member| matches!(member.state, MemberState::Active | MemberState::Blocked);
    match pricing.member.filter(known) {
        Some(member) => Ok(Some(member)),
        None => Err(Refusal::UnknownMember(id.0.clone())),
    }
}

/// Attributes the basket to a member, by whose terms it earns.
pub(super) fn attribute(basket: &mut Transaction, member: Option<&Member>, rules: &Rules) {
    basket.member_id = member.map(|member| member.member_id.clone());
    basket.earn_per = if member.is_some() { rules.earn_per } else { Money::ZERO };
    basket.multiplier_bp = member.map_or(BasisPoints::ZERO, |member| member.multiplier_bp(rules));
}

/// A price other than the catalogue's: flagged, for managers only, or refused.
pub(super) fn price_policy(
    items: &[NewItem],
    found: &[&Product],
    before: Option<&Transaction>,
    authorization: &Authorization<'_>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let other = |(_, (item, product)): &(usize, (&NewItem, &&Product))| {
        let price = item.price_of(product);
        price != product.price && !is_set_before(before, &item.sku, price)
    };
    let mut overrides = items.iter().zip(found).enumerate().filter(other).peekable();
    if overrides.peek().is_none() {
        return Ok(());
    }
    match rules.price_override {
        PriceOverride::Flag => plausible_prices(items, found, authorization, rules),
        PriceOverride::Manager => {
            let first = overrides.next();
            authorization.manager_for(|| {
                let needs = NeedsApproval::of("a price other than the catalogue's");
                match first {
                    Some((place, (item, product))) => NeedsApproval {
                        value: item.price.map(Money::get),
                        limit: Some(product.price.get()),
                        setting: Some("pricing.override"),
                        ..needs
                    }
                    .at(format!("items[{place}].price")),
                    None => needs,
                }
            })
        }
        PriceOverride::Reject => Err(Refusal::ValidationFailed(
            overrides
                .map(|(place, (_, product))| FieldProblem {
                    path: format!("items[{place}].price"),
                    problem: format!("must be {}, the catalogue's price", product.price),
                })
                .collect(),
        )),
    }
}

/// Requires a reason of a discount by hand and of a price below the catalogue's, if the shop has codes for them.
pub(super) fn discount_reason(
    (items, on_the_whole): (&[NewItem], Money),
    found: &[&Product],
    reason: Option<&str>,
    rules: &Rules,
) -> Result<(), Refusal> {
    let reasons = &rules.policy.reasons;
    if on_the_whole != 0 {
        reasons.check(Why::Discount, "discount_reason", reason)?;
    }
    for (place, (item, product)) in items.iter().zip(found).enumerate() {
        if item.discount.is_some_and(|discount| discount != 0) {
            let path = match item.discount_reason {
                Some(_) => format!("items[{place}].discount_reason"),
                None => "discount_reason".to_owned(),
            };
            reasons.check(Why::Discount, &path, item.discount_reason(reason))?;
        }
        if item.price_of(product) < product.price {
            let path = format!("items[{place}].price_reason");
            reasons.check(Why::Discount, &path, item.price_reason.as_deref().or(reason))?;
        }
    }
    Ok(())
}

fn empty(
    cmd: &CreateSale,
    id: TransactionId,
    register_id: RegisterId,
    till: &TillContext<'_>,
) -> Transaction {
    let shift = &till.book.shift;
    Transaction {
        transaction_id: id,
        receipt_no: None,
        state: TransactionState::Open,
        business_date: shift.business_date,
        occurred_at: till.now,
        store_id: shift.store_id.clone(),
        register_id,
        shift_id: shift.shift_id.clone(),
        cashier_id: till.authorization.caller.user_id.clone(),
        member_id: None,
        items: Vec::new(),
        scans: Vec::new(),
        price_reasons: Vec::new(),
        prices_include_tax: till.rules.prices_include_tax,
        subtotal: Money::ZERO,
        discount: Money::ZERO,
        tax: Money::ZERO,
        rounding: Money::ZERO,
        total: Money::ZERO,
        points_earned: Points::ZERO,
        points_redeemed: Points::ZERO,
        earn_per: Money::ZERO,
        multiplier_bp: BasisPoints::ZERO,
        points_expire: None,
        points_lots: Vec::new(),
        payments: Vec::new(),
        amount_paid: Money::ZERO,
        amount_due: Money::ZERO,
        cash_due: Money::ZERO,
        change: Money::ZERO,
        refunded: Money::ZERO,
        flags: Vec::new(),
        created_at: till.now,
        paid_at: None,
        voided_at: None,
        void_reason: None,
        note: cmd.note.clone(),
    }
}
