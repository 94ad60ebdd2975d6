//! Lines as providers and banks report them: days in other time zones, references of any length, rows that are not
//! payments.

use super::*;

fn found<'a>(kind: SourceKind, lines: &'a [OpenLine], items: &'a [OpenItem]) -> Found<'a> {
    match_lines(&terms(kind, None), lines, items, &Known::default())
}

/// Returns the items of each match.
fn items_of(found: &Found<'_>) -> Vec<Vec<String>> {
    said(found).into_iter().map(|(_, _, items)| items).collect()
}

#[test]
fn a_line_that_names_its_payment_may_be_dated_before_it() {
    for (of, near) in [(19, true), (17, true), (16, false), (1, false)] {
        let items = [item("S001", 20, "ch_A1", 155_400)];
        let lines = [reported(1, of, "ch_A1", [155_400, 4_662])];
        // A provider's line matches the payment that it names on any day; a day far off makes an exception.
        let found_there = found(SourceKind::Provider, &lines, &items);
        let late = found_there.raised.iter().any(|raised| raised.kind == ExceptionKind::Late);
        assert_eq!((found_there.matches.len(), late), (1, !near), "{of}");
        let lines = [banked(1, of, "ch_A1", 155_400)];
        assert_eq!(found(SourceKind::Bank, &lines, &items).matches.len() == 1, near, "{of}");
        // Without a reference the amount may belong to another day.
        let lines = [reported(1, of, "", [155_400, 4_662])];
        assert_eq!(found(SourceKind::Provider, &lines, &items).matches, []);
    }
}

#[test]
fn references_of_any_length_count_before_amounts() {
    let items =
        [item("S001", 18, "T-1", 50_000), item("S001", 18, "7", 50_000), item("S001", 18, "T-10", 50_000)];
    let lines = [
        reported(1, 18, "T-10", [50_000, 0]),
        reported(2, 18, "", [50_000, 0]),
        reported(3, 18, "007", [50_000, 0]),
    ];
    let of_provider = found(SourceKind::Provider, &lines, &items);
    let rules: Vec<_> =
        said(&of_provider).into_iter().map(|(line, rule, items)| (line, rule, items.concat())).collect();
    let expected = [
        ("l1", Rule::Reference, "S001 T-10 50000"),
        ("l2", Rule::Amount, "S001 T-1 50000"),
        ("l3", Rule::Reference, "S001 7 50000"),
    ];
    assert_eq!(rules, expected.map(|(line, rule, item)| (line.to_owned(), rule, item.to_owned())));
    assert_eq!(reference_key("NOTPROVIDED"), None, "a word that means none names no payment");
}

#[test]
fn the_reference_of_a_bank_line_counts_before_its_amount() {
    let bag = |reference: &str, amount| OpenItem {
        kind: ItemKind::Deposit,
        account: ON_THE_WAY,
        ..item("S001", 18, reference, amount)
    };
    // A bag, a batch and a transfer of the same amount.
    let items =
        [bag("B-17", 250_000), item("S001", 18, "T-1", 250_000), bag("B-1", 9_000), bag("B-1-2", 9_000)];
    let lines = [
        banked(1, 19, "T-1", 250_000),
        banked(2, 19, "PAYOUT 77", 250_000),
        banked(3, 19, "SETORAN", 250_000),
        banked(4, 19, "SETORAN B-1-2", 9_000),
        banked(5, 19, "SETORAN B-1", 9_000),
    ];
    let payout = Payout {
        date: day(19),
        source_id: "src_card".to_owned(),
        batch: "77".to_owned(),
        net: 250_000.into(),
    };
    let known = Known { payouts: vec![payout], ..Known::default() };
    let made = match_lines(&terms(SourceKind::Bank, None), &lines, &items, &known);
    let rules: Vec<_> = said(&made).into_iter().map(|(_, rule, items)| (rule, items.concat())).collect();
    let expected = [
        (Rule::Reference, "S001 T-1 250000"),
        (Rule::Payout, ""),
        (Rule::Deposit, "S001 B-17 250000"),
        (Rule::Deposit, "S001 B-1-2 9000"),
        (Rule::Deposit, "S001 B-1 9000"),
    ];
    assert_eq!(rules, expected.map(|(rule, items)| (rule, items.to_owned())));
    assert_eq!(raised(&made), []);
    // An amount that differs from the deposit.
    let lines = [banked(1, 19, "T-1", 249_000)];
    let items = [item("S001", 18, "T-1", 250_000), bag("B-17", 249_000)];
    let made = found(SourceKind::Bank, &lines, &items);
    assert_eq!(raised(&made), [(ExceptionKind::AmountDiffers, 1_000)]);
    let made = &made.matches[0];
    assert_eq!([made.gross, made.fee, made.net, made.difference], [250_000, 0, 249_000, 1_000]);
}

#[test]
fn rows_of_a_provider_that_are_no_payments_are_not_matched_as_one() {
    let of = |kind, line: OpenLine| OpenLine { kind, ..line };
    let items =
        [item("S001", 18, "po_1", -205_668), item("S001", 18, "r_1", -5_000), item("S001", 18, "", -7_000)];
    let lines = [
        of(LineKind::Payout, reported(1, 19, "po_1", [-205_668, 0])),
        of(LineKind::Reserve, reported(2, 19, "r_1", [-5_000, 0])),
        of(LineKind::Adjustment, reported(3, 19, "", [-7_000, 10])),
        of(LineKind::Transfer, reported(4, 19, "", [-7_000, 0])),
        of(LineKind::Fee, reported(5, 19, "", [0, 3_000])),
        of(LineKind::Chargeback, reported(6, 19, "dp_1", [-83_250, 15_000])),
        of(LineKind::ChargebackReversal, reported(7, 19, "dp_1", [83_250, -15_000])),
        of(LineKind::Payout, OpenLine { unknown_store: true, ..reported(8, 19, "", [-1, 0]) }),
    ];
    let made = found(SourceKind::Provider, &lines, &items);
    assert_eq!(made.matches, []);
    let expected = [
        (ExceptionKind::NotAPayment, -5_000),
        (ExceptionKind::NotAPayment, -7_010),
        (ExceptionKind::NotAPayment, -7_000),
        (ExceptionKind::Chargeback, -83_250),
        (ExceptionKind::Chargeback, 83_250),
    ];
    assert_eq!(raised(&made), expected);
    assert_eq!((made.fees, made.payouts), (vec!["l5".to_owned()], vec!["l1".to_owned(), "l8".to_owned()]));
}

#[test]
fn a_refund_may_have_the_reference_of_its_sale() {
    let sale = || item("S001", 18, "C-1001", 155_400);
    let lines = [reported(1, 20, "C-1001", [155_400, 0]), reported(2, 20, "C-1001", [-62_160, 0])];
    let refund = |store: &str, of, reference: &str| item(store, of, reference, -62_160);
    let matched = |items: &[OpenItem], lines: &[OpenLine]| {
        let made = found(SourceKind::Provider, lines, items);
        (items_of(&made), raised(&made))
    };
    let sold = || vec!["S001 C-1001 155400".to_owned()];
    for reference in ["R-1001", ""] {
        let items = [sale(), refund("S001", 19, reference)];
        let expected = vec![sold(), vec![format!("S001 {reference} -62160")]];
        assert_eq!(matched(&items, &lines), (expected, vec![]), "{reference}");
    }
    // A refund with its own line does not belong to another line.
    let three = [lines[0].clone(), lines[1].clone(), reported(3, 20, "R-1001", [-62_160, 0])];
    let one = [sale(), refund("S001", 19, "R-1001")];
    let expected = vec![sold(), vec!["S001 R-1001 -62160".to_owned()]];
    assert_eq!(matched(&one, &three), (expected, vec![(ExceptionKind::Chargeback, -62_160)]));
    let two = [sale(), refund("S001", 19, "R-1"), refund("S002", 19, "R-2")];
    assert_eq!(matched(&two, &lines).1, [(ExceptionKind::Ambiguous, -62_160)]);
    assert_eq!(matched(&[sale()], &lines).1, [(ExceptionKind::Chargeback, -62_160)]);
}

#[test]
fn a_charge_and_its_refund_may_settle_each_other() {
    let card = terms(SourceKind::Provider, Some(150));
    let lines = [reported(1, 19, "C-9", [50_000, 750]), reported(2, 20, "C-9", [-50_000, 0])];
    let made = match_by_hand(&card, &lines, &[]).unwrap();
    assert_eq!(
        (made.rule, [made.gross, made.fee, made.net, made.difference]),
        (Rule::Contra, [0, 750, -750, 0].map(Money::new))
    );
    assert!(match_by_hand(&card, &lines[..1], &[]).is_err());
    let items = [item("S001", 18, "a", 50_000), item("S001", 19, "b", -50_000)];
    let made = match_by_hand(&card, &[], &items).unwrap();
    assert_eq!((made.rule, made.items.len(), made.net), (Rule::Contra, 2, Money::ZERO));
    let elsewhere = [items[0].clone(), item("S002", 19, "b", -50_000)];
    assert!(match_by_hand(&card, &[], &elsewhere).is_err());
    let other_account = [items[0].clone(), OpenItem { account: QRIS, ..items[1].clone() }];
    assert!(match_by_hand(&card, &[], &other_account).is_err());
}
