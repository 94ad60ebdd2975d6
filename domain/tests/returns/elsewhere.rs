//! Returns of a sale at other stores count here: pieces, refunds by method, and points. Returns at this store count
//! once, whatever the hub reports about them.

use super::*;
use domain::model::base::figures::Money;
use domain::model::base::ids::StoreId;
use domain::model::selling::returns::{LineReturned, MethodBack, Refund, Span, TakenBack};
use domain::rules::selling::returns::taken_back;
use domain::wire::sync::ReservePieces;

/// The code for more pieces than are left.
const EXCEEDED: &str = "return_exceeds_sold";

type Reported = Option<Vec<TakenBack>>;

fn pieces(from: i64, to: i64) -> Vec<LineReturned> {
    vec![LineReturned { line_no: 1, pieces: vec![Span { start: from, end: to }] }]
}

fn taken(store: &str, from: i64, to: i64, method: &str, amount: i64) -> TakenBack {
    TakenBack {
        store_id: store.into(),
        lines: pieces(from, to),
        refunds: vec![MethodBack {
            method: method.to_owned(),
            amount: Money::new(amount),
            rounding: Money::ZERO,
        }],
        refunded: Money::new(amount),
        ..TakenBack::default()
    }
}

fn give(shop: &mut Shop, qty: i64, reported: Reported) -> Result<Return, Refusal> {
    let cmd = of(shop, vec![back("a", qty)]);
    shop.give_back_reported(&ani(), &cmd, reported)
}

/// Of three pieces: (returned here before, the hub's report, requested pieces, whether they are accepted).
#[test]
fn pieces_that_others_took_are_gone() {
    let other = |from, to| taken("S002", from, to, "cash", 0);
    let own = |from, to| taken("S001", from, to, "cash", 0);
    let cases: [(i64, Reported, i64, bool); 12] = [
        (0, None, 3, true),
        (0, Some(vec![]), 3, true),
        (0, Some(vec![other(0, 1)]), 2, true),
        (0, Some(vec![other(0, 1)]), 3, false),
        (0, Some(vec![other(0, 1), taken("S003", 1, 2, "cash", 0)]), 1, true),
        (0, Some(vec![other(0, 1), taken("S003", 1, 2, "cash", 0)]), 2, false),
        // Own pieces count once, whether the hub is behind, up to date, or does not know of a void yet.
        (1, Some(vec![own(0, 1)]), 2, true),
        (1, Some(vec![]), 2, true),
        (1, Some(vec![own(0, 3)]), 2, true),
        (1, Some(vec![own(0, 1), other(1, 2)]), 2, false),
        // A piece that both stores returned, one of them without asking, counts twice.
        (1, Some(vec![own(0, 1), other(0, 1)]), 2, false),
        // Without its own row a store uses the hub's report.
        (0, Some(vec![own(0, 1)]), 3, false),
    ];
    for (before, reported, wanted, may) in cases {
        let mut shop = open();
        in_cash(&mut shop);
        if before > 0 {
            give(&mut shop, before, None).unwrap();
        }
        let given = give(&mut shop, wanted, reported.clone());
        let expected = (!may).then_some(EXCEEDED);
        assert_eq!(
            given.err().map(|refused| refused.code()),
            expected,
            "{before} before, {reported:?}, {wanted} wanted"
        );
    }
}

#[test]
fn all_parts_are_the_sale_wherever_they_are_taken() {
    let mut shop = open();
    let mut body = basket(vec![item("a", 3, 1000)]);
    body.items[0].discount = Some(Money::new(100));
    let id = shop.create(&body).unwrap();
    shop.pay(&id, &PaySale { payments: vec![payment("cash", 3219)] }).unwrap();
    // The middle piece was returned elsewhere; the first and then the last one are returned here.
    let reported = || Some(vec![taken("S002", 1, 2, "cash", 1073)]);
    let parts = [give(&mut shop, 1, reported()).unwrap(), give(&mut shop, 1, reported()).unwrap()];
    assert_eq!(parts.each_ref().map(|part| part.items[0].pieces[0].start), [0, 2]);
    assert_eq!(parts.iter().map(|part| part.refund_total).sum::<i64>() + 1073, 3219);
    assert_eq!(give(&mut shop, 1, reported()).unwrap_err().code(), EXCEEDED);
    // A void releases only its own piece.
    shop.void_return(&boss(), &parts[0]).unwrap();
    assert_eq!(give(&mut shop, 1, reported()).unwrap().items[0].pieces, parts[0].items[0].pieces);
    assert_eq!(give(&mut shop, 1, reported()).unwrap_err().code(), EXCEEDED);
}

/// Three pieces for 3,330: 2,000 by card and 1,330 in cash.
#[test]
fn refunds_of_other_stores_count_against_each_method() {
    let cases: [(Reported, &[(&str, i64)]); 4] = [
        (None, &[("card", 1110)]),
        (Some(vec![taken("S002", 0, 1, "card", 1110)]), &[("card", 890), ("cash", 220)]),
        (Some(vec![taken("S002", 0, 1, "card", 1110), taken("S003", 1, 2, "card", 890)]), &[("cash", 1110)]),
        (Some(vec![taken("S002", 0, 1, "cash", 1110)]), &[("card", 1110)]),
    ];
    let split = || {
        let mut shop = open();
        sold(&mut shop, vec![payment("card", 2000), payment("cash", 1330)]);
        shop
    };
    for (reported, expected) in cases {
        for (method, paid) in [("card", 2000), ("cash", 1330)] {
            let gone = reported.iter().flatten().flat_map(|taken| &taken.refunds);
            let gone: i64 = gone.filter(|gone| gone.method == method).map(|gone| gone.amount).sum();
            let mut shop = split();
            let cmd =
                NewReturn { refunds: Some(vec![by(method, 1110)]), ..of(&shop, vec![super::back("a", 1)]) };
            let given = shop.give_back_reported(&ani(), &cmd, reported.clone());
            assert_eq!(given.is_ok(), 1110 <= paid - gone, "{method} after {reported:?}: {given:?}");
        }
        let given = give(&mut split(), 1, reported.clone()).unwrap();
        let refunds: Vec<_> =
            given.refunds.iter().map(|refund| (refund.method.as_str(), refund.amount.get())).collect();
        assert_eq!(refunds, expected, "{reported:?}");
    }
}

#[test]
fn points_that_another_store_took_back_are_not_taken_again() {
    let mut shop = open();
    let member = shop.join("Ani", "0811111111").unwrap();
    let mut body = basket(vec![item("a", 3, 1000)]);
    body.member_id = Some(member);
    let id = shop.create(&body).unwrap();
    shop.pay(&id, &PaySale { payments: vec![payment("cash", 3330)] }).unwrap();
    let reported = TakenBack { points_reversed: 1.into(), ..taken("S002", 0, 1, "cash", 1110) };
    // 3 points for 3,330; 2 of them stay for 2,220, then 1, then none.
    assert_eq!(give(&mut shop, 1, Some(vec![reported.clone()])).unwrap().points_reversed, 1);
    assert_eq!(give(&mut shop, 1, Some(vec![reported])).unwrap().points_reversed, 1);
}

#[test]
fn the_hub_reports_it_by_store() {
    let mut shop = open();
    let id = sold(&mut shop, vec![payment("card", 2000), payment("cash", 1330)]);
    let here = shop.take_back(&id, "a", 1).unwrap();
    let sale = sale_of(&shop, &id);
    // A return that a manager approved offline names no line, but its money counts.
    let mut pending = here.clone();
    pending.store_id = StoreId::from("S002");
    pending.items[0].sold_line_no = None;
    pending.items[0].pieces.clear();
    pending.refunds =
        vec![Refund { method: "cash".to_owned(), amount: Money::new(900), ..pending.refunds[0].clone() }];
    pending.refund_total = Money::new(900);
    let reserved = [(StoreId::from("S003"), ReservePieces { sku: "a".into(), qty: 1.into() })];
    let reported = taken_back(&sale, &[pending, here], &reserved);
    let expected = [
        taken("S001", 0, 1, "card", 1110),
        taken("S002", 1, 2, "cash", 900),
        TakenBack { store_id: "S003".into(), lines: pieces(2, 3), ..TakenBack::default() },
    ];
    assert_eq!(reported, expected);
}
