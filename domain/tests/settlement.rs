//! Matching step by step, and laws for every statement.

mod as_reported;
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::{Account, CARD, ON_THE_WAY, PAYABLES, QRIS};
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::state::{SettlementState, StatementState};
use domain::rules::books::settlement::{
    BankText, Before, FeeOnRefunds, Found, ItemKind, Known, LineKind, Match, OpenItem, OpenLine, Payout,
    Rule, Slice, SourceKind, Terms, match_by_hand, match_lines, may_tell_again, reference_key,
};
use jiff::civil::{Date, date};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn day(day: i8) -> Date {
    date(2026, 11, day)
}

fn terms(kind: SourceKind, fee_rate_bp: Option<i64>) -> Terms {
    Terms {
        kind,
        fee_rate_bp: fee_rate_bp.map(BasisPoints::new),
        fee_fixed: Money::ZERO,
        fee_tolerance: Money::ZERO,
        fee_on_refunds: FeeOnRefunds::Kept,
        window_days: 4,
        lag_days: 1,
    }
}

fn item(store_id: &str, of: i8, reference: &str, amount: i64) -> OpenItem {
    OpenItem {
        item_id: format!("{reference} {amount}"),
        store_id: store_id.to_owned(),
        kind: if amount < 0 { ItemKind::Refund } else { ItemKind::Payment },
        method: "card".to_owned(),
        account: CARD,
        business_date: day(of),
        settlement_date: day(of),
        occurred_at: UtcMs(i64::from(of)),
        amount: amount.into(),
        reference: Some(reference.to_owned()),
        contra_of: None,
    }
}

fn line(line_no: i64, of: i8, reference: &str) -> OpenLine {
    OpenLine {
        line_id: format!("l{line_no}"),
        date: day(of),
        line_no,
        kind: LineKind::Other,
        reference: reference.to_owned(),
        description: String::new(),
        store_id: None,
        unknown_store: false,
        gross: None,
        fee: None,
        net: None,
        batch: None,
    }
}

fn reported(line_no: i64, of: i8, reference: &str, [gross, fee]: [i64; 2]) -> OpenLine {
    let (gross, fee, net) = (Some(gross.into()), Some(fee.into()), Some((gross - fee).into()));
    OpenLine { gross, fee, net, ..line(line_no, of, reference) }
}

fn banked(line_no: i64, of: i8, reference: &str, net: i64) -> OpenLine {
    OpenLine { net: Some(net.into()), ..line(line_no, of, reference) }
}

/// Returns the rule and the items of each match, by line.
fn said(found: &Found<'_>) -> Vec<(String, Rule, Vec<String>)> {
    let mut said: Vec<_> = found
        .matches
        .iter()
        .map(|made| {
            let items = made.items.iter().map(|item| format!("{} {}", item.store_id, item.item_id)).collect();
            let lines: Vec<&str> = made.lines.iter().map(|line| line.line_id.as_str()).collect();
            (lines.join("+"), made.rule, items)
        })
        .collect();
    said.sort_by(|one, other| one.0.cmp(&other.0));
    said
}

fn raised(found: &Found<'_>) -> Vec<(ExceptionKind, i64)> {
    found.raised.iter().map(|raised| (raised.kind, raised.amount.get())).collect()
}

#[test]
fn a_provider_reports_two_stores_and_two_days() {
    let items = [
        item("S001", 18, "C-1001", 155_400),
        item("S002", 18, "C-2001", 222_000),
        item("S001", 19, "C-1002", 333_000),
        item("S001", 19, "C-1003", 83_250),
        item("S001", 19, "R-1001", -62_160),
    ];
    let lines = [
        reported(1, 20, "C-1001", [155_400, 2_331]),
        reported(2, 20, "C-2001", [222_000, 3_330]),
        reported(3, 20, "C-1002", [333_000, 4_995]),
        reported(4, 20, "R-1001", [-62_160, 0]),
    ];
    let terms = terms(SourceKind::Provider, Some(150));
    let found = match_lines(&terms, &lines, &items, &Known::default());
    assert_eq!(raised(&found), []);
    assert_eq!(found.matches.len(), 4);
    assert!(found.matches.iter().all(|made| made.rule == Rule::Reference && made.difference == 0));
    let sum = |of: fn(&Match<'_>) -> Money| found.matches.iter().map(of).sum::<Money>();
    let sums = [sum(|made| made.gross), sum(|made| made.fee), sum(|made| made.net)];
    assert_eq!(sums, [648_240, 10_656, 637_584]);
    assert!(terms.is_overdue(day(19), Some(day(20)), day(20)), "the provider is past this day");
    assert!(!terms.is_overdue(day(20), Some(day(20)), day(20)));
}

#[test]
fn a_bank_reports_nets_a_payout_and_a_suppliers_payment() {
    let qris = |item: OpenItem| OpenItem { account: QRIS, ..item };
    let paid =
        OpenItem { kind: ItemKind::SupplierPayment, account: PAYABLES, ..item("", 20, "TEA-778", -971_188) };
    let items = [qris(item("S002", 18, "Q-1", 111_000)), qris(item("S002", 19, "QR-1", -111_000)), paid];
    let lines = [
        banked(1, 19, "QR 18NOV", 110_223),
        banked(2, 20, "QR 19NOV", -111_000),
        banked(3, 20, "PAYOUT 77", 637_584),
        banked(4, 20, "TEA-778", -971_188),
    ];
    let (source_id, batch) = ("src_card".to_owned(), "77".to_owned());
    let payout = Payout { date: day(20), source_id, batch, net: 637_584.into() };
    let known = Known { payouts: vec![payout], ..Known::default() };
    let found = match_lines(&terms(SourceKind::Bank, Some(70)), &lines, &items, &known);
    assert_eq!(raised(&found), []);
    let expected = [
        ("l1", Rule::Net, vec!["S002 Q-1 111000"]),
        ("l2", Rule::Net, vec!["S002 QR-1 -111000"]),
        ("l3", Rule::Payout, vec![]),
        ("l4", Rule::SupplierPayment, vec![" TEA-778 -971188"]),
    ];
    let said = said(&found);
    for ((line_id, rule, items), said) in expected.into_iter().zip(&said) {
        assert_eq!(
            (line_id, rule, items),
            (said.0.as_str(), said.1, said.2.iter().map(String::as_str).collect())
        );
    }
    assert_eq!(found.paid_out["l3"], ("src_card".to_owned(), "77".to_owned()));
    let fees: Vec<i64> = found.matches.iter().map(|made| made.fee.get()).collect();
    assert_eq!(fees.iter().sum::<i64>(), 777);
}

#[test]
fn bags_and_texts_are_found_in_what_the_bank_writes() {
    let bag = |reference: &str, amount| OpenItem {
        kind: ItemKind::Deposit,
        account: ON_THE_WAY,
        ..item("S001", 18, reference, amount)
    };
    let items = [bag("B-17", 250_000), bag("B-18", 99_000), bag("B-19", 500_000)];
    let lines = [
        banked(1, 19, "SETOR B-17 TOKO", 250_000),
        banked(2, 19, "setor b-18", 98_000),
        banked(3, 20, "SETORAN TUNAI", 500_000),
        banked(4, 20, "PARKIR PASAR", -5_000),
        banked(5, 20, "???", 7),
    ];
    let text = |key: &str, account: &str, from: i8| BankText {
        key: key.to_owned(),
        account: Account::parse(account).unwrap(),
        from: item("S001", from, "", 0).business_date,
    };
    // The second text applies to lines from the 21st on.
    let texts = vec![text("park", "6110", 1), text("parkir", "6050", 20), text("parkir", "6100", 21)];
    let known = Known { texts, ..Known::default() };
    let found = match_lines(&terms(SourceKind::Bank, None), &lines, &items, &known);
    let rules: Vec<Rule> = said(&found).into_iter().map(|(_, rule, _)| rule).collect();
    assert_eq!(rules, [Rule::Deposit, Rule::Deposit, Rule::Deposit, Rule::Text]);
    let account = found.matches.iter().find_map(|made| made.account);
    assert_eq!(account, Account::parse("6050"), "the longest text has precedence");
    let expected = [(ExceptionKind::DepositDiffers, 1_000), (ExceptionKind::MissingInStore, 7)];
    assert_eq!(raised(&found), expected);
}

#[test]
fn amounts_match_where_they_leave_no_choice() {
    fn found<'a>(lines: &'a [OpenLine], items: &'a [OpenItem]) -> Found<'a> {
        match_lines(&terms(SourceKind::Provider, None), lines, items, &Known::default())
    }
    let (one, other) = (item("S001", 18, "", 5_000), item("S002", 18, "x", 5_000));
    let (first, second) = (reported(1, 19, "", [5_000, 0]), reported(2, 19, "", [5_000, 0]));
    let both = [one.clone(), other.clone()];
    let alone = found(std::slice::from_ref(&first), &both);
    assert_eq!(raised(&alone), [(ExceptionKind::Ambiguous, 5_000)]);
    assert_eq!(alone.raised[0].candidates.len(), 2);
    assert!(alone.matches.is_empty());
    assert_eq!(found(&[first.clone(), second], &both).matches.len(), 2);
    let named = OpenLine { store_id: Some("S002".to_owned()), ..first };
    assert_eq!(said(&found(&[named], &both))[0].2, ["S002 x 5000"]);
}

#[test]
fn a_line_that_is_no_payment_becomes_an_exception() {
    let items = [item("S001", 18, "C-1001", 5_000)];
    let known = reported(1, 19, "C-1001", [5_000, 90]);
    let back = reported(2, 19, "C-1001", [-5_000, 0]);
    let nobody = OpenLine { unknown_store: true, ..reported(3, 19, "C-9999", [7, 0]) };
    let fee = OpenLine { kind: LineKind::Fee, ..reported(4, 19, "", [0, 100]) };
    let taken = OpenLine { kind: LineKind::Chargeback, ..reported(5, 19, "C-5", [-50_000, 0]) };
    let lines = [known, back, nobody, fee, taken];
    let found = match_lines(&terms(SourceKind::Provider, Some(150)), &lines, &items, &Known::default());
    let kinds: BTreeSet<_> = raised(&found).into_iter().collect();
    let expected = [
        (ExceptionKind::FeeDiffers, 15),
        (ExceptionKind::Chargeback, -5_000),
        (ExceptionKind::UnknownStore, 7),
        (ExceptionKind::Chargeback, -50_000),
    ];
    assert_eq!(kinds, expected.into_iter().collect());
    assert_eq!(found.fees, ["l4"]);
}

#[test]
fn an_item_and_what_takes_it_back_settle_each_other() {
    let sold = item("S001", 18, "C-1001", 5_000);
    let contra_of = Some(sold.item_id.clone());
    let back = OpenItem { contra_of, ..item("S001", 19, "C-1001", -5_000) };
    let items = [sold, back];
    let terms = terms(SourceKind::Provider, None);
    let found = match_lines(&terms, &[], &items, &Known::default());
    assert_eq!(found.matches.len(), 1);
    assert!(found.matches[0].slices().iter().all(|slice| slice.gross == 0 && slice.net == 0));
    let line = [reported(1, 19, "c1001", [1, 0])];
    assert_eq!(match_lines(&terms, &line, &items, &Known::default()).matches, [], "the provider knows it");
}

#[test]
fn a_settlement_is_where_its_items_and_exceptions_are() {
    for (items, exceptions, state, statement) in [
        (0, 0, SettlementState::Reconciled, StatementState::Reconciled),
        (1, 0, SettlementState::Open, StatementState::Imported),
        (0, 1, SettlementState::Discrepant, StatementState::Discrepant),
        (1, 1, SettlementState::Discrepant, StatementState::Discrepant),
    ] {
        assert_eq!(SettlementState::of(items, exceptions), state);
        assert_eq!(StatementState::of(items, exceptions), statement);
    }
}

/// Few stores, days, references and amounts, so that they often coincide.
fn some_items() -> impl Strategy<Value = Vec<OpenItem>> {
    let one = (0..3_usize, 16..20_i8, 0..6_usize, prop::sample::select(vec![-300_i64, 300, 500, 500, 700]));
    prop::collection::vec(one, 0..14).prop_map(|items| {
        let item = |(place, (store, of, reference, amount)): (usize, (usize, i8, usize, i64))| OpenItem {
            item_id: format!("i{place:02}"),
            ..item(["S001", "S002", "S003"][store], of, &reference_of(reference), amount)
        };
        items.into_iter().enumerate().map(item).collect()
    })
}

fn reference_of(number: usize) -> String {
    if number == 0 { String::new() } else { format!("C-100{number}") }
}

fn some_lines() -> impl Strategy<Value = Vec<OpenLine>> {
    let amounts = prop::sample::select(vec![-300_i64, 300, 500, 700, 800, 1_000, 1_500]);
    let one = (17..22_i8, 0..6_usize, amounts, 0..4_usize, any::<bool>());
    prop::collection::vec(one, 0..14).prop_map(|lines| {
        let line = |(place, (of, reference, amount, store, gross)): (i64, (i8, usize, i64, usize, bool))| {
            let plain = line(place, of, &reference_of(reference));
            let store_id = ["S001", "S002"].get(store).map(|id| (*id).to_owned());
            let amount = Money::new(amount);
            OpenLine { gross: gross.then_some(amount), net: Some(amount), store_id, ..plain }
        };
        (1..).zip(lines).map(line).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn matching_is_the_same_in_any_order(
        items in some_items(), lines in some_lines(), rate in prop::option::of(0..200_i64), bank in any::<bool>(),
    ) {
        let terms = terms(if bank { SourceKind::Bank } else { SourceKind::Provider }, rate);
        let found = match_lines(&terms, &lines, &items, &Known::default());
        let turned = |at: usize| {
            let (mut lines, mut items) = (lines.clone(), items.clone());
            lines.reverse();
            items.reverse();
            let (of_lines, of_items) = (at.min(lines.len()), at.min(items.len()));
            lines.rotate_left(of_lines);
            items.rotate_left(of_items);
            (lines, items)
        };
        for at in 0..4 {
            let (lines, items) = turned(at);
            prop_assert_eq!(&match_lines(&terms, &lines, &items, &Known::default()), &found);
        }
    }

    #[test]
    fn what_was_before_counts_only_for_lines_that_may_tell_it_again(
        items in some_items(), lines in some_lines(), given in prop::collection::vec((1..6_usize, 0..4_usize), 0..9),
    ) {
        let terms = terms(SourceKind::Provider, None);
        let known = |(number, amount): &(usize, usize)| {
            (reference_key(&reference_of(*number)).unwrap(), Money::new([-300, 300, 500, 700][*amount]))
        };
        let before: BTreeSet<(String, Money)> = given.iter().map(known).collect();
        let keys = before.iter().map(|(key, _)| key.clone()).collect();
        let all = Before { lines: before, items: keys };
        let again = may_tell_again(&lines, &items);
        let mut asked = all.clone();
        asked.lines.retain(|(key, _)| again.lines.contains(key));
        asked.items.retain(|key| again.items.contains(key));
        let [all, asked] = [all, asked].map(|before| Known { before, ..Known::default() });
        let found = match_lines(&terms, &lines, &items, &all);
        prop_assert_eq!(match_lines(&terms, &lines, &items, &asked), found);
    }

    #[test]
    fn nothing_is_matched_twice_and_slices_add_up(
        items in some_items(), lines in some_lines(), rate in prop::option::of(0..200_i64),
    ) {
        let found = match_lines(&terms(SourceKind::Provider, rate), &lines, &items, &Known::default());
        let (mut seen_lines, mut seen_items) = (BTreeSet::new(), BTreeSet::new());
        for made in &found.matches {
            for line in &made.lines {
                prop_assert!(seen_lines.insert(line.line_id.clone()));
            }
            for item in &made.items {
                prop_assert!(seen_items.insert((&item.store_id, &item.item_id)));
            }
            prop_assert_eq!(made.gross, made.fee.get() + made.net.get() + made.difference.get());
            let slices = made.slices();
            let sums = slices.iter().fold([0; 4], |sums, slice| {
                let parts = [slice.gross, slice.fee, slice.difference, slice.net].map(Money::get);
                std::array::from_fn(|place| sums[place] + parts[place])
            });
            prop_assert_eq!(sums, [made.gross, made.fee, made.difference, made.net].map(Money::get));
            for slice in &slices {
                prop_assert_eq!(slice.gross, slice.fee.get() + slice.difference.get() + slice.net.get());
                prop_assert_eq!(slice.gross, slice.cleared.values().copied().sum::<Money>());
            }
        }
        // Each line is matched or makes an exception.
        for line in &lines {
            let raised = found.raised.iter().any(|it| it.line_ids.contains(&line.line_id));
            prop_assert!(raised || seen_lines.contains(&line.line_id));
        }
    }
}

#[test]
fn a_person_may_match_what_no_rule_would() {
    let card = terms(SourceKind::Provider, Some(150));
    let bag = |amount| OpenItem {
        kind: ItemKind::Deposit,
        account: ON_THE_WAY,
        ..item("S001", 18, "B-17", amount)
    };
    let bill = |amount| OpenItem {
        kind: ItemKind::SupplierPayment,
        account: PAYABLES,
        ..item("", 18, "TEA-778", amount)
    };
    let one = item("S001", 18, "C-1", 10_000);
    let two = item("S002", 19, "C-2", 30_000);
    let short = [reported(1, 20, "x", [39_000, 600])];
    let net = [banked(1, 20, "x", 39_400)];
    let pair = |lines: &[OpenLine], items: &[OpenItem]| {
        let made = match_by_hand(&card, lines, items).unwrap();
        let figures = |it: &Slice| [it.gross, it.fee, it.difference, it.net].map(Money::get);
        let slices: Vec<_> = made.slices().iter().map(figures).collect();
        (made.rule, [made.gross, made.fee, made.difference, made.net].map(Money::get), slices)
    };
    let both = [one.clone(), two];
    // Fees are as reported, otherwise as agreed; both are split by stores and days.
    let slices = vec![[10_000, 150, 250, 9_600], [30_000, 450, 750, 28_800]];
    assert_eq!(pair(&short, &both), (Rule::ByHand, [40_000, 600, 1_000, 38_400], slices));
    let slices = vec![[10_000, 150, 0, 9_850], [30_000, 450, 0, 29_550]];
    assert_eq!(pair(&net, &both), (Rule::ByHand, [40_000, 600, 0, 39_400], slices));
    // A bag has no fee, whatever was agreed for cards, and neither has a supplier's payment.
    let bank = [banked(1, 20, "x", 24_000)];
    let slices = vec![[25_000, 0, 1_000, 24_000]];
    assert_eq!(pair(&bank, &[bag(25_000)]), (Rule::Deposit, [25_000, 0, 1_000, 24_000], slices));
    let by_hand = |items: &[OpenItem]| match_by_hand(&card, &bank, items).is_ok();
    assert!(!by_hand(&[bill(25_000)]));
    assert!(by_hand(&[bill(24_000)]));
    assert!(!by_hand(&[one, bag(14_000)]));
}
