//! Adjustments: refused, waiting, posted, reversed.

use super::*;
use domain::model::base::figures::Money;

fn adjust(shop: &mut Shop, reason: AdjustmentReason, sku: &str, qty: i64) -> Result<AdjustmentId, Refusal> {
    shop.adjust(&staff(), &adjusting(reason, sku, qty))
}

fn document(shop: &Shop) -> Adjustment {
    let Some(Event { fact: Fact::AdjustmentChanged(it), .. }) = shop.events.last() else { panic!() };
    let adjustment = &it.adjustment;
    adjustment.clone()
}

fn wait(shop: &mut Shop) -> Adjustment {
    let mut cmd = adjusting(AdjustmentReason::Theft, "a", -2);
    cmd.request_approval = Some(true);
    shop.adjust(&staff(), &cmd).unwrap();
    document(shop)
}

fn approve(shop: &mut Shop, who: &Principal, adjustment: &Adjustment) -> Result<(), Refusal> {
    let ids = ids(shop);
    let event = adjustment::approve(adjustment, ids, &shop.stock_context(who))?;
    shop.commit(event);
    Ok(())
}

#[test]
fn adjustments_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "stolen goods that come in",
                nothing,
                |s| adjust(s, AdjustmentReason::Theft, "a", 1),
                "validation_failed",
                "lines[0].qty",
            ),
            case(
                "found goods that go out",
                nothing,
                |s| adjust(s, AdjustmentReason::Found, "a", -1),
                "validation_failed",
                "lines[0].qty",
            ),
            case(
                "nothing at all",
                nothing,
                |s| adjust(s, AdjustmentReason::Correction, "a", 0),
                "validation_failed",
                "lines[0].qty",
            ),
            case(
                "an unknown product",
                nothing,
                |s| adjust(s, AdjustmentReason::Loss, "x", -1),
                "unknown_sku",
                "x",
            ),
            case(
                "a service",
                nothing,
                |s| adjust(s, AdjustmentReason::Loss, "wrap", -1),
                "validation_failed",
                "no stock",
            ),
            case(
                "above the limit, without a manager",
                |s| s.rules.policy.adjustment_value = Money::new(1_666),
                |s| adjust(s, AdjustmentReason::Loss, "a", -2),
                "approval_required",
                "",
            ),
            case(
                "by a cashier",
                nothing,
                |s| s.adjust(&ani(), &adjusting(AdjustmentReason::Loss, "a", -1)),
                "insufficient_role",
                "",
            ),
            case(
                "approved by the stock room",
                |s| {
                    wait(s);
                },
                |s| {
                    let waiting = document(s);
                    approve(s, &staff(), &waiting)
                },
                "insufficient_role",
                "",
            ),
            case(
                "approved twice",
                |s| {
                    let waiting = wait(s);
                    approve(s, &boss(), &waiting).unwrap();
                },
                |s| {
                    let stale = Adjustment { state: AdjustmentState::Pending, ..document(s) };
                    approve(s, &boss(), &stale)
                },
                "invalid_state",
                "posted",
            ),
        ],
    );
}

#[test]
fn an_adjustment_waits_moves_and_is_taken_back() {
    let mut shop = open();
    let waiting = wait(&mut shop);
    assert_eq!((waiting.state, waiting.value), (AdjustmentState::Pending, (-1_667).into()));
    assert_eq!(on_hand(&shop, "a"), (12, 10_003), "no stock moved");
    approve(&mut shop, &boss(), &waiting).unwrap();
    assert_eq!(on_hand(&shop, "a"), (10, 8_336));
    let posted = document(&shop);
    let (who, ids) = (boss(), ids(&mut shop));
    let event = adjustment::reverse(&posted, ids.clone(), &shop.stock_context(&who)).unwrap();
    shop.commit(event);
    assert_eq!(on_hand(&shop, "a"), (12, 10_003), "at the cost with which the pieces left");
    let again = adjustment::reverse(&posted, ids, &shop.stock_context(&who));
    assert_eq!(again.unwrap_err().code(), "invalid_state");
    // If stock can't go below zero, found pieces that have left since can't be taken out again.
    shop.rules.negative_stock = NegativeStock::Reject;
    let found = adjusting(AdjustmentReason::Found, "a", 3);
    shop.adjust(&boss(), &found).unwrap();
    let found = document(&shop);
    shop.adjust(&boss(), &adjusting(AdjustmentReason::Loss, "a", -13)).unwrap();
    let refused = adjustment::reverse(&found, vec![], &shop.stock_context(&who));
    assert_eq!(refused.unwrap_err().code(), "insufficient_stock");

    let rejected = wait(&mut shop);
    let event = adjustment::reject(&rejected, &shop.stock_context(&who)).unwrap();
    shop.commit(event);
    assert_eq!(approve(&mut shop, &boss(), &rejected).unwrap_err().code(), "invalid_state");
}
