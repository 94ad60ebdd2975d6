//! Refusals of holds, changes and voids.

use super::*;
use domain::model::base::figures::Money;

#[test]
fn holds_that_are_refused() {
    run_table(
        open,
        &[
            case("a basket that is partly paid", part_paid, |s| s.hold(&first(s)), "invalid_state", "pay"),
            case("a sale that is complete", sold, |s| s.hold(&"trx_1".into()), "invalid_state", "return"),
            case(
                "every payment was taken back, by a cashier alone",
                taken_back,
                |s| s.hold(&first(s)),
                "approval_required",
                "",
            ),
            case(
                "recalled twice",
                |s| {
                    a_hold(s);
                    s.recall(&held(s)).unwrap();
                },
                |s| s.recall(&"hld_2".into()),
                "invalid_state",
                "recalled",
            ),
            case(
                "recalled after its time",
                |s| {
                    s.rules.policy.hold_expire_after_ms = 1_000;
                    a_hold(s);
                    s.later(1_000);
                },
                |s| s.recall(&held(s)),
                "invalid_state",
                "expired",
            ),
            case(
                "recalled into a shift that sells no more",
                |s| {
                    a_hold(s);
                    s.shift.shift.state = ShiftState::Ended;
                },
                |s| s.recall(&held(s)),
                "invalid_state",
                "close",
            ),
        ],
    );
}

#[test]
fn changes_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "no lines",
                a_basket,
                |s| change(s, ChangeSale { items: Some(vec![]), ..ChangeSale::default() }),
                "validation_failed",
                "items",
            ),
            case(
                "an unknown product",
                a_basket,
                |s| change(s, ChangeSale { items: Some(vec![item("x", 1, 1)]), ..ChangeSale::default() }),
                "unknown_sku",
                "x",
            ),
            case(
                "an unknown member",
                a_basket,
                |s| change(s, ChangeSale { member_id: Some("mbr_9".into()), ..ChangeSale::default() }),
                "unknown_member",
                "mbr_9",
            ),
            case(
                "a discount above what is left",
                a_basket,
                |s| change(s, ChangeSale { discount: Some(Money::new(4001)), ..ChangeSale::default() }),
                "validation_failed",
                "discount",
            ),
            case(
                "a price for managers",
                |s| {
                    a_basket(s);
                    s.rules.price_override = PriceOverride::Manager;
                },
                |s| change(s, ChangeSale { items: Some(vec![item("a", 1, 1)]), ..ChangeSale::default() }),
                "approval_required",
                "",
            ),
            case(
                "partly paid",
                part_paid,
                |s| change(s, ChangeSale { discount: Some(Money::new(1)), ..ChangeSale::default() }),
                "invalid_state",
                "partially_paid",
            ),
            case(
                "every payment was taken back, by a cashier alone",
                taken_back,
                |s| change(s, ChangeSale { discount: Some(Money::new(1)), ..ChangeSale::default() }),
                "approval_required",
                "",
            ),
            case(
                "after its day, where that is refused",
                |s| {
                    a_basket(s);
                    s.rules.policy.refuse_overdue = true;
                    s.later(86_400_000);
                },
                |s| change(s, ChangeSale { discount: Some(Money::new(1)), ..ChangeSale::default() }),
                "invalid_state",
                "overdue",
            ),
        ],
    );
}

#[test]
fn voids_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "partly paid, by a cashier alone",
                part_paid,
                |s| s.void_open_as(&ani(), &first(s)),
                "approval_required",
                "",
            ),
            case(
                "every payment was taken back, by a cashier alone",
                taken_back,
                |s| s.void_open_as(&ani(), &first(s)),
                "approval_required",
                "voiding, reducing or holding a partly paid sale",
            ),
            case(
                "every payment was taken back, at the close",
                taken_back,
                |s| {
                    let cmd = CloseShift { void_open: Some(true), ..CloseShift::default() };
                    let who = boss();
                    domain::rules::books::shift::close(
                        &cmd,
                        s.now,
                        &Authorization::unapproved(&who),
                        &s.rules,
                        &s.shift,
                    )
                },
                "shift_has_open_transactions",
                "trx_1",
            ),
            case(
                "every payment was taken back, while it waits",
                |s| {
                    taken_back(s);
                    s.rules.policy.hold_expire_after_ms = 1_000;
                    s.hold_as(&boss(), &first(s)).unwrap();
                    s.later(2_000);
                    assert!(
                        domain::rules::selling::hold::expire(s.now, &s.ledger, 9, 9_999).is_empty(),
                        "the line alone is refused as well"
                    );
                },
                |s| {
                    let (cmd, who) = (why("x"), ani());
                    let by = Authorization::unapproved(&who);
                    domain::rules::selling::hold::void(&cmd, &held(s), s.now, &by, &s.rules, &s.ledger)
                },
                "approval_required",
                "",
            ),
            case(
                "a payment whose notes are in the safe by now",
                |s| {
                    let id = one(s);
                    s.pay(&id, &pay_by("cash", 1000)).unwrap();
                    s.cash(domain::model::books::shift::CashKind::Drop, 400).unwrap();
                },
                |s| s.reverse(&first(s), &"pay_2".into()),
                "approval_required",
                r#""limit":600"#,
            ),
            case(
                "paid, by a cashier alone",
                sold,
                |s| s.void_paid(&ani(), &"trx_1".into()),
                "approval_required",
                "",
            ),
            case(
                "paid, in another shift",
                |s| {
                    sold(s);
                    s.shift.shift.shift_id = "shf_2".into();
                },
                |s| s.void_paid(&boss(), &"trx_1".into()),
                "invalid_state",
                "return",
            ),
            case(
                "paid, and something came back",
                |s| {
                    sold(s);
                    s.take_back(&"trx_1".into(), "a", 1).unwrap();
                },
                |s| s.void_paid(&boss(), &"trx_1".into()),
                "invalid_state",
                r#"["return"]"#,
            ),
            case(
                "voided before",
                |s| {
                    sold(s);
                    s.void_paid(&boss(), &"trx_1".into()).unwrap();
                },
                |s| s.void_paid(&boss(), &"trx_1".into()),
                "invalid_state",
                "voided",
            ),
            case(
                "somebody else's basket",
                a_basket,
                |s| s.void_open_as(&budi(), &first(s)),
                "insufficient_role",
                "",
            ),
            case(
                "a payment that is not there",
                part_paid,
                |s| s.reverse(&first(s), &"pay_9".into()),
                "not_found",
                "",
            ),
            case(
                "a payment twice",
                |s| {
                    let id = one(s);
                    s.pay(&id, &pay_by("cash", 1000)).unwrap();
                    s.pay(&id, &pay_by("card", 1000)).unwrap();
                    s.reverse(&id, &"pay_2".into()).unwrap();
                },
                |s| s.reverse(&first(s), &"pay_2".into()),
                "invalid_state",
                "reversed",
            ),
            case(
                "a tender for another amount",
                sold,
                |s| s.correct(&"trx_1".into(), &"pay_2".into(), payment("card", 4439)),
                "payment_mismatch",
                "4440",
            ),
            case(
                "a tender of points",
                sold,
                |s| s.correct(&"trx_1".into(), &"pay_2".into(), payment("points", 4440)),
                "validation_failed",
                "payments[0].method",
            ),
            case(
                "a tender after a return",
                |s| {
                    sold(s);
                    s.take_back(&"trx_1".into(), "a", 1).unwrap();
                },
                |s| s.correct(&"trx_1".into(), &"pay_2".into(), payment("card", 4440)),
                "invalid_state",
                "return",
            ),
        ],
    );
}
