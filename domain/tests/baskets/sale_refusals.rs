//! Refusals when selling.

use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::ids::TransactionId;
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::{NegativeStock, PriceOverride};
use domain::model::books::shift::ShiftState;
use domain::model::people::user::Role;
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::payment::NewPayment;
use domain::rules::selling::sale::{CreateSale, NewItem, OPEN_LINES_MAX, OPEN_MAX, PaySale};
use testkit::shop::*;

fn create(shop: &mut Shop, items: Vec<NewItem>) -> Result<TransactionId, Refusal> {
    shop.create(&basket(items))
}

/// Makes a sale of one piece `a` (2,220 with tax) and pays it.
fn pay_a(shop: &mut Shop, payments: Vec<NewPayment>) -> Result<Option<Transaction>, Refusal> {
    let id = match shop.shift.open.keys().next() {
        Some(id) => id.clone(),
        None => shop.create(&basket(vec![item("a", 1, 2000)]))?,
    };
    shop.pay(&id, &PaySale { payments })
}

fn one_open(shop: &mut Shop) {
    shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
}

fn with(items: Vec<NewItem>, change: fn(&mut CreateSale)) -> CreateSale {
    let mut cmd = basket(items);
    change(&mut cmd);
    cmd
}

#[test]
fn baskets_that_are_refused() {
    let invalid = "validation_failed";
    run_table(
        open,
        &[
            case("no lines", nothing, |s| create(s, vec![]), invalid, "\"items\""),
            case("501 lines", nothing, |s| create(s, vec![item("a", 1, 2000); 501]), invalid, "1 to 500"),
            case("qty 0", nothing, |s| create(s, vec![item("a", 0, 2000)]), invalid, "items[0].qty"),
            case("qty below 0", nothing, |s| create(s, vec![item("a", -1, 2000)]), invalid, "items[0].qty"),
            case(
                "qty i64::MAX",
                nothing,
                |s| create(s, vec![item("a", i64::MAX, 1)]),
                invalid,
                "items[0].qty",
            ),
            case("price below 0", nothing, |s| create(s, vec![item("a", 1, -1)]), invalid, "items[0].price"),
            case("sku empty", nothing, |s| create(s, vec![item("", 1, 1)]), invalid, "items[0].sku"),
            case(
                "sku of 65 bytes",
                nothing,
                |s| create(s, vec![item(&"x".repeat(65), 1, 1)]),
                invalid,
                "64 bytes",
            ),
            case(
                "every wrong field is named",
                nothing,
                |s| create(s, vec![item("a", 0, 1), item("a", 1, -1)]),
                invalid,
                "items[1].price",
            ),
            case(
                "every unknown sku is named once, in order",
                nothing,
                |s| create(s, vec![item("z", 1, 1), item("a", 1, 2000), item("y", 1, 1), item("z", 1, 1)]),
                "unknown_sku",
                r#"["z","y"]"#,
            ),
            case(
                "not sold any more",
                nothing,
                |s| create(s, vec![item("gone", 1, 700)]),
                invalid,
                "items[0].sku",
            ),
            case(
                "a figure above 2^53 - 1",
                nothing,
                |s| create(s, vec![item("a", 1_000_000, 1_000_000_000_000)]),
                invalid,
                "9007199254740991",
            ),
            case(
                "a sum above 2^53 - 1",
                nothing,
                |s| create(s, vec![item("a", 9_000, 1_000_000_000_000); 2]),
                invalid,
                "9007199254740991",
            ),
            case(
                "line discount above its price",
                nothing,
                |s| create(s, vec![NewItem { discount: Some(Money::new(2001)), ..item("a", 1, 2000) }]),
                invalid,
                "items[0].discount",
            ),
            case(
                "basket discount above what is left",
                nothing,
                |s| s.create(&with(vec![item("a", 1, 2000)], |c| c.discount = Some(Money::new(2001)))),
                invalid,
                "\"discount\"",
            ),
            case(
                "control characters have no place on a receipt",
                nothing,
                |s| s.create(&with(vec![item("a", 1, 2000)], |c| c.note = Some("\u{1b}[2J".into()))),
                invalid,
                "note",
            ),
            case(
                "a record above 256 KiB",
                nothing,
                |s| {
                    let mut cmd =
                        with(vec![item("a", 1, 2000); 500], |c| c.discount = Some(Money::new(1000)));
                    cmd.discount_reason = Some("y".repeat(128));
                    s.create(&cmd)
                },
                invalid,
                "too large",
            ),
            case(
                "too many unfinished baskets",
                |s| {
                    one_open(s);
                    let open = s.shift.open.values().next().unwrap().clone();
                    let ids = (0..OPEN_MAX).map(|n| TransactionId(format!("trx_open_{n}")));
                    s.shift.open = ids.map(|id| (id, open.clone())).collect();
                },
                |s| create(s, vec![item("a", 1, 2000)]),
                "invalid_state",
                "full",
            ),
            case(
                "too many lines in unfinished baskets",
                |s| {
                    one_open(s);
                    let mut open = s.shift.open.values().next().unwrap().clone();
                    open.items = vec![open.items[0].clone(); 500];
                    let ids = (0..OPEN_LINES_MAX / 500).map(|n| TransactionId(format!("trx_open_{n}")));
                    s.shift.open = ids.map(|id| (id, open.clone())).collect();
                },
                |s| create(s, vec![item("a", 1, 2000)]),
                "invalid_state",
                "full",
            ),
            case(
                "no members yet",
                nothing,
                |s| s.create(&with(vec![item("a", 1, 2000)], |c| c.member_id = Some("mbr_9".into()))),
                "unknown_member",
                "mbr_9",
            ),
            case(
                "another shift than the book's",
                nothing,
                |s| s.create(&with(vec![item("a", 1, 2000)], |c| c.shift_id = Some("shf_9".into()))),
                "not_found",
                "",
            ),
            case(
                "somebody else's shift",
                nothing,
                |s| s.create_as(&budi(), &basket(vec![item("a", 1, 2000)])),
                "insufficient_role",
                "",
            ),
            case(
                "warehouse staff do not sell",
                nothing,
                |s| s.create_as(&caller("ani", Role::WarehouseStaff), &basket(vec![item("a", 1, 2000)])),
                "insufficient_role",
                "",
            ),
            case(
                "a closed shift",
                |s| s.shift.shift.state = ShiftState::Closed,
                |s| create(s, vec![item("a", 1, 2000)]),
                "invalid_state",
                r#""state":"closed""#,
            ),
            case(
                "price policy: a manager's matter",
                |s| s.rules.price_override = PriceOverride::Manager,
                |s| create(s, vec![item("a", 1, 1999)]),
                "approval_required",
                "",
            ),
            case(
                "a discount by hand above the limit: a manager's matter",
                |s| s.rules.policy.discount_limit_bp = BasisPoints::new(1_000),
                |s| {
                    let line = NewItem { discount: Some(Money::new(150)), ..item("a", 1, 2000) };
                    let cmd = CreateSale { discount: Some(Money::new(51)), ..basket(vec![line]) };
                    s.create(&cmd)
                },
                "approval_required",
                "",
            ),
            case(
                "a discount above the line's price: no manager is asked",
                |s| s.rules.policy.discount_limit_bp = BasisPoints::new(1_000),
                |s| create(s, vec![NewItem { discount: Some(Money::new(2001)), ..item("a", 1, 2000) }]),
                invalid,
                "items[0].discount",
            ),
            case(
                "price policy: refused",
                |s| s.rules.price_override = PriceOverride::Reject,
                |s| create(s, vec![item("a", 1, 2000), item("b", 1, 1)]),
                invalid,
                "items[1].price",
            ),
        ],
    );
}

#[test]
fn payments_that_are_refused() {
    let mismatch = "payment_mismatch";
    let invalid = "validation_failed";
    run_table(
        open,
        &[
            case("too much", one_open, |s| pay_a(s, vec![payment("card", 2221)]), mismatch, "2220"),
            case("nothing for something", one_open, |s| pay_a(s, vec![]), mismatch, "2220"),
            case("amount 0", one_open, |s| pay_a(s, vec![payment("cash", 0)]), invalid, "payments[0].amount"),
            case(
                "amounts that overflow together",
                one_open,
                |s| pay_a(s, vec![payment("cash", 9_007_199_254_740_991); 3]),
                invalid,
                "payments",
            ),
            case(
                "too little cash on the counter",
                one_open,
                |s| pay_a(s, vec![NewPayment { tendered: Some(Money::new(2219)), ..payment("cash", 2220) }]),
                mismatch,
                "",
            ),
            case(
                "a card gives no change",
                one_open,
                |s| pay_a(s, vec![NewPayment { tendered: Some(Money::new(2221)), ..payment("card", 2220) }]),
                mismatch,
                "",
            ),
            case(
                "unknown method",
                one_open,
                |s| pay_a(s, vec![payment("shells", 1)]),
                invalid,
                "payments[0].method",
            ),
            case(
                "points without a member",
                one_open,
                |s| pay_a(s, vec![payment("points", 1)]),
                invalid,
                "member",
            ),
            case("21 payments", one_open, |s| pay_a(s, vec![payment("cash", 1); 21]), invalid, "payments"),
            case(
                "a 21st payment",
                |s| {
                    one_open(s);
                    pay_a(s, vec![payment("cash", 1); 20]).unwrap();
                },
                |s| pay_a(s, vec![payment("cash", 1)]),
                invalid,
                "at most 20",
            ),
            case(
                "paid before",
                nothing,
                |s| s.pay(&TransactionId::from("trx_paid"), &pay_by("cash", 1)),
                "invalid_state",
                r#""state":"paid""#,
            ),
            case(
                "somebody else's shift",
                one_open,
                |s| {
                    let id = s.shift.open.keys().next().unwrap().clone();
                    s.pay_as(&budi(), &id, &pay_by("cash", 2220))
                },
                "insufficient_role",
                "",
            ),
            case(
                "a shift that ended",
                |s| {
                    one_open(s);
                    s.shift.shift.state = ShiftState::Ended;
                },
                |s| pay_a(s, vec![payment("cash", 2220)]),
                "invalid_state",
                "ended",
            ),
            case(
                "every short sku is named, summed over its lines",
                short_of_two,
                |s| pay_a(s, vec![payment("cash", 2220 + 4440 + 3330 + 555)]),
                "insufficient_stock",
                r#"[{"on_hand":0,"requested":3,"sku":"a"},{"on_hand":0,"requested":1,"sku":"b"}]"#,
            ),
        ],
    );
}

/// Creates a sale of two lines of `a`, one of `b`, and a service without stock.
fn short_of_two(shop: &mut Shop) {
    shop.rules.negative_stock = NegativeStock::Reject;
    let items = vec![item("a", 1, 2000), item("b", 1, 3000), item("a", 2, 2000), item("wrap", 1, 500)];
    shop.create(&basket(items)).unwrap();
}
