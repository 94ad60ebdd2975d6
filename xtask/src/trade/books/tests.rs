#![allow(clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use crate::trade::month::of_lines;
use crate::trade::plan::{given, plan, spend};

fn books(lines: &[&str]) -> Books {
    let month = of_lines(lines);
    Books::of(&month, &plan(&month), &[])
}

/// Total, tax and points of a document; for a return the refunded ones.
fn reported(books: &Books, name: &str) -> (i64, i64, i64) {
    let figures = &books.documents[name].figures;
    if figures.returns > 0 {
        (figures.refunds, figures.tax_back, figures.reversed)
    } else {
        (figures.total, figures.tax, figures.earned)
    }
}

fn went(books: &Books, name: &str) -> Vec<(String, i64)> {
    books.documents[name].money.iter().map(|(method, flow)| (method.clone(), flow.went)).collect()
}

#[test]
fn tax_is_rounded_line_by_line() {
    let three = books(&["1,A,LAMP,1,d,0.05,,UK", "1,A,LAMP,1,d,0.05,,UK", "1,A,LAMP,1,d,0.05,,UK"]);
    assert_eq!(reported(&three, "1-1"), (18, 3, 0));
    let one = books(&["1,A,LAMP,3,d,0.05,,UK"]);
    assert_eq!(reported(&one, "1-1"), (17, 2, 0));
    assert_eq!((half_up(50, 1_100), half_up(4, 1_100), half_up(0, 1_100)), (6, 0, 0));
}

/// The table: lines of a month, and the expected figures of each document, computed by hand.
#[test]
fn small_months_come_to_what_was_worked_out_by_hand() {
    type Case = (&'static [&'static str], &'static [(&'static str, (i64, i64, i64))]);
    let cases: [Case; 5] = [
        // 3 × 33.33 = 9,999, tax 1,099.89 → 1,100; a third of it each: 366, 367, 367. Points: 11; the rest
        // keeps 7, then 3, then none.
        (
            &[
                "1,A,LAMP,3,d,33.33,7,UK",
                "C2,A,LAMP,-1,d,33.33,7,UK",
                "C3,A,LAMP,-1,d,33.33,7,UK",
                "C4,A,LAMP,-1,d,33.33,7,UK",
            ],
            &[
                ("1-1", (11_099, 1_100, 11)),
                ("C2-1", (3_699, 366, 4)),
                ("C3-1", (3_700, 367, 4)),
                ("C4-1", (3_700, 367, 3)),
            ],
        ),
        // Two pieces at once give the same as one by one.
        (
            &["1,A,LAMP,3,d,33.33,7,UK", "C2,A,LAMP,-2,d,33.33,7,UK"],
            &[("1-1", (11_099, 1_100, 11)), ("C2-1", (7_399, 733, 8))],
        ),
        // Without a receipt: half up for itself, no points.
        (&["1,A,LAMP,3,d,33.33,7,UK", "C2,A,LAMP,-1,d,33.34,7,UK"], &[("C2-1", (3_701, 367, 0))]),
        // Without a customer no points are earned.
        (
            &["1,A,LAMP,1,d,90,,UK", "C2,A,LAMP,-1,d,90,,UK"],
            &[("1-1", (9_990, 990, 0)), ("C2-1", (9_990, 990, 0))],
        ),
        // A point for 1,000 is not kept by bringing 900 back, and not taken twice.
        (
            &[
                "1,A,LAMP,1,d,9.00,7,UK",
                "1,B,CUP,1,d,0.10,7,UK",
                "C2,A,LAMP,-1,d,9.00,7,UK",
                "C3,B,CUP,-1,d,0.10,7,UK",
            ],
            &[("1-1", (1_010, 100, 1)), ("C2-1", (999, 99, 1)), ("C3-1", (11, 1, 0))],
        ),
    ];
    for (lines, documents) in cases {
        let books = books(lines);
        for (name, expected) in documents {
            assert_eq!(reported(&books, name), *expected, "{name} of {lines:?}");
        }
    }
}

#[test]
fn money_goes_back_by_the_other_methods_first_and_cash_last() {
    // The third sale is paid half by QRIS: 1,110 of 2,220; each piece is 740.
    let lines = [
        "1,B,CUP,1,d,1,,UK",
        "2,B,CUP,1,d,1,,UK",
        "3,A,LAMP,3,d,6.6667,,UK",
        "C4,A,LAMP,-1,d,6.6667,,UK",
        "C5,A,LAMP,-1,d,6.6667,,UK",
        "C6,A,LAMP,-1,d,6.6667,,UK",
        "C7,B,CUP,-1,d,1,,UK",
    ];
    let books = books(&lines);
    assert_eq!(books.documents["3-1"].figures.total, 2_221);
    let part = |list: &[(&str, i64)]| -> Vec<(String, i64)> {
        list.iter().map(|(method, amount)| ((*method).to_owned(), *amount)).collect()
    };
    assert_eq!(went(&books, "C4-1"), part(&[("qris", 740)]));
    assert_eq!(went(&books, "C5-1"), part(&[("cash", 370), ("qris", 370)]));
    assert_eq!(went(&books, "C6-1"), part(&[("cash", 741)]));
    assert_eq!(went(&books, "C7-1"), part(&[("card", 111)]), "the latest sale was paid by card");
}

#[test]
fn goods_come_back_to_the_shelf() {
    let lines = ["1,A,LAMP,3,d,1,7,UK", "C2,A,LAMP,-2,d,1,7,UK", "C3,B,CUP,-4,d,1,7,UK"];
    let month = of_lines(&lines);
    let delivery =
        |qty| Delivery { qty, unit_costs: BTreeMap::from([("A".to_owned(), 50)]), ..Delivery::default() };
    let books = Books::of(&month, &plan(&month), &[delivery(6), delivery(4)]);
    assert_eq!(books.stock, BTreeMap::from([("A".to_owned(), 9), ("B".to_owned(), 4)]));
    assert_eq!(books.by_sku["A"], [3, 300, 33, 333, 222]);
    assert_eq!(books.by_sku["B"], [0, 0, 0, 0, 444]);
    assert_eq!(books.points, BTreeMap::from([("7".to_owned(), 0)]));
    assert_eq!(went(&books, "C3-1"), [("cash".to_owned(), 444)], "without a receipt: in cash");
}

#[test]
fn documents_can_be_added_up_by_name() {
    let books = books(&["1,A,LAMP,3,d,1,7,UK", "2,A,LAMP,1,d,1,7,UK", "C3,A,LAMP,-1,d,1,7,UK"]);
    let names = ["2-1".to_owned(), "C3-1".to_owned()];
    let sum = books.together(&names);
    assert_eq!(
        (sum.figures.sales, sum.figures.returns, sum.figures.total, sum.figures.refunds),
        (1, 1, 111, 111)
    );
    assert_eq!(books.together(books.documents.keys()), books.whole);
}

/// 11,099, of which 300 are paid with points: each return refunds its share, rounded down once for all, and the rest
/// keeps the points that it earns without them.
#[test]
fn points_that_paid_come_back_in_proportion_and_earn_nothing() {
    let month = of_lines(&[
        "1,A,LAMP,3,d,33.33,7,UK",
        "C2,A,LAMP,-1,d,33.33,7,UK",
        "C3,A,LAMP,-1,d,33.33,7,UK",
        "C4,A,LAMP,-1,d,33.33,7,UK",
    ]);
    let mut steps = plan(&month);
    spend(&mut steps);
    assert_eq!(given(&steps), BTreeMap::from([("7".to_owned(), 300)]));
    let books = Books::of(&month, &steps, &[]);
    let sold = &books.documents["1-1"];
    assert_eq!((sold.figures.earned, sold.figures.redeemed), (10, 300));
    assert_eq!((sold.money["points"].came, sold.money["cash"].came), (300, 10_799));
    let backs = ["C2-1", "C3-1", "C4-1"].map(|name| &books.documents[name]);
    let points = backs.map(|back| (back.figures.given_back, back.figures.reversed));
    assert_eq!(points, [(99, 3), (100, 4), (101, 3)]);
    assert_eq!(backs.map(|back| back.money["cash"].went), [3_600, 3_600, 3_599]);
    assert_eq!(books.points["7"], 300, "all of it came back");
}

#[test]
fn some_customers_spend_on_their_first_sales_up_to_half_of_each() {
    let mut lines = vec!["1,A,LAMP,1,d,1,1,UK", "2,A,LAMP,1,d,9,1,UK", "3,A,LAMP,1,d,9,1,UK"];
    lines.extend(["4,A,LAMP,1,d,9,1,UK", "5,A,LAMP,1,d,9,2,UK", "6,A,LAMP,1,d,9,3,UK"]);
    lines.extend(["7,A,LAMP,1,d,9,4,UK", "8,A,LAMP,1,d,9,5,UK"]);
    let month = of_lines(&lines);
    let mut steps = plan(&month);
    spend(&mut steps);
    assert_eq!(given(&steps), BTreeMap::from([("1".to_owned(), 900), ("5".to_owned(), 300)]));
    let books = Books::of(&month, &steps, &[]);
    let redeemed = (1..=8).map(|n| books.documents[&format!("{n}-1")].figures.redeemed);
    assert_eq!(redeemed.collect::<Vec<_>>(), [55, 300, 300, 0, 0, 0, 0, 300]);
    assert_eq!((books.points["1"], books.points["5"]), (900 - 655, 0));
}
