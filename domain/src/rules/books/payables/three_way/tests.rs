//! Invoices against receipts and orders, line by line.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use super::*;
use crate::model::base::figures::BasisPoints;

fn at(receiving_id: &str) -> ReceiptRef {
    ReceiptRef { store_id: "S001".to_owned(), receiving_id: receiving_id.to_owned(), line_no: 1 }
}

fn receipt(receiving_id: &str, qty: i64) -> ReceiptLine {
    ReceiptLine {
        at: at(receiving_id),
        supplier_id: Some("sup_1".to_owned()),
        po_id: Some("po_1".to_owned()),
        po_line_no: Some(1),
        sku: "A".into(),
        open: OpenReceipt { qty: qty.into(), value: qty.saturating_mul(9_000).into() },
        unit_cost: 9_000.into(),
        order_cost: Some(9_000.into()),
        total: None,
        cost_missing: false,
    }
}

fn context(receipts: &[ReceiptLine]) -> MatchContext<'_> {
    MatchContext {
        supplier_id: "sup_1",
        receipts,
        tolerance: Tolerance { bp: BasisPoints::new(200), amount: Money::ZERO },
        no_order_stops: false,
        usual_rate_bp: None,
        suspect: false,
        accepted: &[],
        before: &[],
    }
}

fn named(line_no: u32, receiving_id: &str, qty: i64, unit_cost: i64) -> InvoiceLine {
    InvoiceLine {
        line_no,
        store_id: "S001".to_owned(),
        receiving_id: Some(receiving_id.to_owned()),
        receiving_line_no: Some(1),
        sku: Some("A".into()),
        qty: qty.into(),
        unit_cost: unit_cost.into(),
        net: qty.saturating_mul(unit_cost).into(),
        ..InvoiceLine::default()
    }
}

fn by_order(line_no: u32, qty: i64) -> InvoiceLine {
    InvoiceLine {
        store_id: String::new(),
        receiving_id: None,
        receiving_line_no: None,
        po_id: Some("po_1".to_owned()),
        tax: qty.saturating_mul(990).into(),
        ..named(line_no, "", qty, 9_000)
    }
}

fn exceptions_of(matched: &Matched) -> Vec<(Option<u32>, Kind, bool, i64)> {
    let one = |found: &MatchException| {
        (found.line_no, found.kind, found.stops && found.accepted_by.is_none(), found.amount.get())
    };
    matched.exceptions.iter().map(one).collect()
}

#[test]
fn a_price_above_the_tolerance_stops_until_somebody_accepts_it() {
    let receipts = [receipt("rcv_1", 96)];
    let lines = [named(1, "rcv_1", 96, 9_300)];
    let first = three_way(&lines, &context(&receipts));
    assert_eq!(exceptions_of(&first), [(Some(1), Kind::PriceOver, true, 28_800)]);
    let letter = Accepted {
        line_no: Some(1),
        kind: Kind::PriceOver,
        reason: "price list of 15 Nov".to_owned(),
        by: "usr_1".to_owned(),
    };
    let accepted = std::slice::from_ref(&letter);
    let second = three_way(&first.lines, &MatchContext { accepted, ..context(&receipts) });
    assert_eq!(exceptions_of(&second), [(Some(1), Kind::PriceOver, false, 28_800)]);
    let again = MatchContext { before: &second.exceptions, ..context(&receipts) };
    assert_eq!(three_way(&second.lines, &again), second);
    // A still higher price was not accepted.
    let dearer = three_way(&[named(1, "rcv_1", 96, 9_301)], &again);
    assert_eq!(exceptions_of(&dearer), [(Some(1), Kind::PriceOver, true, 28_896)]);
}

#[test]
fn a_line_of_an_order_is_laid_on_its_receipts_the_oldest_first() {
    let receipts = [receipt("rcv_1", 10), receipt("rcv_2", 20)];
    let matched = three_way(&[by_order(1, 35), named(2, "rcv_1", 4, 9_000)], &context(&receipts));
    let laid: Vec<_> = matched
        .lines
        .iter()
        .map(|line| {
            (
                line.line_no,
                line.receiving_id.as_deref(),
                line.qty.get(),
                line.matched_qty.get(),
                line.tax.get(),
            )
        })
        .collect();
    assert_eq!(
        laid,
        [
            (1, Some("rcv_1"), 6, 6, 5_940),
            (2, Some("rcv_1"), 4, 4, 0),
            (3, Some("rcv_2"), 20, 20, 19_800),
            (4, None, 9, 0, 8_910),
        ]
    );
    assert_eq!(exceptions_of(&matched), [(Some(4), Kind::NotReceived, true, 81_000)]);
    let again = three_way(&matched.lines, &context(&receipts));
    assert_eq!(again, matched);
    // The next match takes the later receipts.
    let later = [receipt("rcv_1", 10), receipt("rcv_2", 20), receipt("rcv_3", 9)];
    assert!(three_way(&matched.lines, &context(&later)).exceptions.is_empty());
}

#[test]
fn two_lines_do_not_bill_one_piece() {
    let receipts = [receipt("rcv_1", 10)];
    let lines = [named(1, "rcv_1", 8, 9_000), named(2, "rcv_1", 3, 9_000), named(3, "rcv_1", 1, 9_000)];
    let matched = three_way(&lines, &context(&receipts));
    let pieces: Vec<Quantity> = matched.lines.iter().map(|line| line.matched_qty).collect();
    assert_eq!(pieces, [8, 2, 0]);
    assert_eq!(
        exceptions_of(&matched),
        [(Some(2), Kind::QtyOver, true, 9_000), (Some(3), Kind::NotReceived, true, 9_000)]
    );
}

#[test]
fn oddities_of_a_receipt_are_reported() {
    let odd = ReceiptLine {
        supplier_id: Some("sup_2".to_owned()),
        order_cost: None,
        cost_missing: true,
        ..receipt("rcv_1", 5)
    };
    let receipts = [odd];
    let asked = MatchContext { usual_rate_bp: Some(1_100), suspect: true, ..context(&receipts) };
    let matched = three_way(&[named(1, "rcv_1", 5, 9_000)], &asked);
    assert_eq!(
        exceptions_of(&matched),
        [
            (Some(1), Kind::NoOrder, false, 0),
            (Some(1), Kind::CostMissing, false, 0),
            (Some(1), Kind::WrongSupplier, true, 0),
            (Some(1), Kind::TaxRate, false, 0),
            (None, Kind::DuplicateSuspect, true, 0),
        ]
    );
    let strict = MatchContext { no_order_stops: true, ..context(&receipts) };
    assert!(exceptions_of(&three_way(&[named(1, "rcv_1", 5, 9_000)], &strict)).first().unwrap().2);
}

#[test]
fn an_expense_is_compared_with_nothing() {
    let expense =
        InvoiceLine { account: Some("6110".to_owned()), qty: Quantity::new(1), ..InvoiceLine::default() };
    assert!(three_way(&[expense], &context(&[])).exceptions.is_empty());
}

/// 10,000 bags for 4,000: no whole price per piece is right, and the sum is.
#[test]
fn a_line_ordered_by_its_total_is_compared_by_its_total() {
    let came = |value: i64, qty: i64| ReceiptLine {
        open: OpenReceipt { qty: qty.into(), value: value.into() },
        unit_cost: Money::ZERO,
        order_cost: Some(Money::ZERO),
        total: Some(LineTotal { value: value.into(), qty: qty.into() }),
        ..receipt("rcv_1", qty)
    };
    let receipts = [came(4_000, 10_000)];
    for (unit_cost, net, expected) in [
        (0, 4_000_i64, vec![]),
        (1, 4_000, vec![]),
        (1, 4_080, vec![]),
        (1, 4_081, vec![(Some(1), Kind::PriceOver, true, 81)]),
        (0, 3_000, vec![(Some(1), Kind::PriceUnder, false, 0)]),
    ] {
        let line = InvoiceLine { net: net.into(), ..named(1, "rcv_1", 10_000, unit_cost) };
        assert_eq!(exceptions_of(&three_way(&[line], &context(&receipts))), expected, "{net}");
    }
    let part = [came(100_000, 12)];
    let line = InvoiceLine { net: 33_333.into(), ..named(1, "rcv_1", 4, 8_333) };
    assert_eq!(exceptions_of(&three_way(&[line], &context(&part))), []);
}
