//! Returns that are refused.

use super::*;
use domain::model::base::figures::Money;

#[test]
fn returns_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "more than was sold",
                given_sale,
                |s| refund(s, |cmd| cmd.items[0].qty = 4.into()),
                "return_exceeds_sold",
                "",
            ),
            case(
                "more cash than the books have in the drawer",
                |s| {
                    in_cash(s);
                    let there = domain::model::books::shift::Cash::of(&s.shift.shift).expected;
                    s.cash(domain::model::books::shift::CashKind::Drop, there.get() - 1).unwrap();
                },
                |s| refund(s, |cmd| cmd.items[0].qty = 1.into()),
                "approval_required",
                r#""limit":1"#,
            ),
            case(
                "more cash than the drawer holds, counted blind",
                |s| {
                    in_cash(s);
                    s.rules.policy.blind = true;
                    let there = domain::model::books::shift::Cash::of(&s.shift.shift).expected;
                    s.cash(domain::model::books::shift::CashKind::Drop, there.get() - 1).unwrap();
                },
                |s| refund(s, |cmd| cmd.items[0].qty = 1.into()),
                "approval_required",
                r#""approvers":["store_manager","admin"]}"#,
            ),
            case(
                "more than is left",
                |s| {
                    let id = in_cash(s);
                    s.take_back(&id, "a", 2).unwrap();
                },
                |s| refund(s, |cmd| cmd.items[0].qty = 2.into()),
                "return_exceeds_sold",
                "",
            ),
            case(
                "one line twice in one return",
                given_sale,
                |s| refund(s, |cmd| cmd.items = vec![back("a", 2), back("a", 2)]),
                "return_exceeds_sold",
                "",
            ),
            case(
                "what was not in the sale",
                given_sale,
                |s| refund(s, |cmd| cmd.items = vec![back("b", 1)]),
                "return_exceeds_sold",
                "",
            ),
            case(
                "a line that is another product's",
                given_sale,
                |s| refund(s, |cmd| cmd.items[0].line_no = Some(2)),
                "return_exceeds_sold",
                "",
            ),
            case(
                "a price with a receipt",
                given_sale,
                |s| refund(s, |cmd| cmd.items[0].price = Some(Money::new(1))),
                "validation_failed",
                "items[0].price",
            ),
            case(
                "restock against its disposition",
                given_sale,
                |s| {
                    refund(s, |cmd| {
                        cmd.items[0].restock = Some(true);
                        cmd.items[0].disposition = Some(Disposition::Damaged);
                    })
                },
                "validation_failed",
                "items[0].restock",
            ),
            case("nothing", given_sale, |s| refund(s, |cmd| cmd.items.clear()), "validation_failed", "items"),
            case(
                "refunds that are not the total",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("cash", 1109)])),
                "payment_mismatch",
                "1110",
            ),
            case(
                "a method that the store does not know",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("gold", 1110)])),
                "validation_failed",
                "refunds[0].method",
            ),
            case(
                "one method twice",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("cash", 1000), by("cash", 110)])),
                "validation_failed",
                "refunds[1].method",
            ),
            case(
                "more than a method paid, without approval",
                |s| {
                    sold(s, vec![payment("card", 3000), payment("cash", 330)]);
                },
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("cash", 1110)])),
                "approval_required",
                "",
            ),
            case(
                "points for what points never paid",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("points", 1110)])),
                "validation_failed",
                "refunds[0].amount",
            ),
            case(
                "above what a cashier may",
                |s| {
                    in_cash(s);
                    s.rules.policy.return_cashier_limit = Money::new(1109);
                },
                |s| refund(s, |_| {}),
                "approval_required",
                "",
            ),
            case(
                "later than the window",
                |s| {
                    in_cash(s);
                    let shift = &mut s.shift.shift;
                    shift.business_date =
                        shift.business_date.checked_add(jiff::Span::new().days(31)).unwrap();
                },
                |s| refund(s, |_| {}),
                "approval_required",
                "",
            ),
            case(
                "a sale that was voided",
                |s| {
                    let id = in_cash(s);
                    s.void_paid(&boss(), &id).unwrap();
                },
                |s| refund(s, |_| {}),
                "invalid_state",
                "voided",
            ),
            case(
                "a shift that sells no more",
                |s| {
                    in_cash(s);
                    s.shift.shift.state = ShiftState::Ended;
                },
                |s| refund(s, |_| {}),
                "invalid_state",
                "close",
            ),
            case(
                "by the stock room",
                given_sale,
                |s| {
                    let cmd = of(s, vec![back("a", 1)]);
                    s.give_back(&caller("ani", Role::WarehouseStaff), &cmd)
                },
                "insufficient_role",
                "",
            ),
        ],
    );
}

#[test]
fn returns_without_a_receipt_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "by a cashier alone",
                |_| {},
                |s| s.give_back(&ani(), &bare(Some(500))),
                "approval_required",
                "",
            ),
            case(
                "without a price",
                |_| {},
                |s| s.give_back(&boss(), &bare(None)),
                "validation_failed",
                "items[0].price",
            ),
            case(
                "above the limit, whoever asks",
                |s| s.rules.policy.unreceipted_max = Money::new(554),
                |s| s.give_back(&boss(), &bare(Some(500))),
                "validation_failed",
                "items",
            ),
            case(
                "an unknown product",
                |_| {},
                |s| {
                    let mut cmd = bare(Some(500));
                    cmd.items[0].sku = "gone".into();
                    s.give_back(&boss(), &cmd)
                },
                "unknown_sku",
                "gone",
            ),
        ],
    );
}
