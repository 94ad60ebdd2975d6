//! Drawers: cash movements, blind end, tolerance, recounts, and the records of these.

use domain::model::base::event::{Event, Fact, fact};
use domain::model::base::figures::Money;
use domain::model::base::limits::CASH_MAX;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::shift::{Cash, CashKind, Shift, ShiftState};
use domain::model::hub::stamp::Stamp;
use domain::model::inventory::opname::{Opname, OpnameLine, OpnameState, Scope};
use domain::model::people::audit::AuditEntry;
use domain::model::people::authorization::Authorization;
use domain::model::people::user::{Principal, Role};
use domain::rules::books::posting::{of_close, of_opening, of_recount, post};
use domain::rules::books::shift::{
    CloseShift, MoveCash, RECOUNTS_MAX, RecountShift, ReverseCash, blind, close, end, move_cash, recount,
    reverse_cash, summary,
};
use domain::wire::record;
use domain::wire::record::Record;
use serde_json::{Value, json};
use testkit::shop::*;

fn ending(shop: &mut Shop, who: &Principal) -> Result<(), Refusal> {
    let event = end(shop.now, &Authorization::unapproved(who), &shop.shift)?;
    shop.commit(event);
    Ok(())
}

fn closing(shop: &mut Shop, authorization: &Authorization<'_>, counted_cash: i64) -> Result<Shift, Refusal> {
    let cmd = CloseShift { counted_cash: Money::new(counted_cash), ..CloseShift::default() };
    let event = close(&cmd, shop.now, authorization, &shop.rules, &shop.shift)?;
    shop.commit(event);
    Ok(shop.shift.shift.clone())
}

fn counting(shop: &mut Shop, who: &Principal, counted_cash: i64) -> Result<(), Refusal> {
    let cmd = RecountShift { counted_cash: Money::new(counted_cash), reason: "again".to_owned() };
    let by = Authorization::unapproved(who);
    let event = recount(&cmd, shop.now, &by, &shop.shift.shift, &shop.rules, &shop.ledger)?;
    shop.commit(event);
    Ok(())
}

fn moving(shop: &mut Shop, change: fn(&mut MoveCash)) -> Result<Event<fact::CashMoved>, Refusal> {
    moving_by(shop, &ani(), change)
}

fn moving_by(
    shop: &mut Shop,
    who: &Principal,
    change: impl Fn(&mut MoveCash),
) -> Result<Event<fact::CashMoved>, Refusal> {
    let mut cmd = MoveCash {
        kind: CashKind::PayIn,
        amount: Money::new(100),
        reason: "change".to_owned(),
        reason_code: None,
        bag_no: None,
    };
    change(&mut cmd);
    move_cash(&cmd, "csh_9".into(), NOW, &Authorization::unapproved(who), &shop.rules, &shop.shift)
}

/// Reverses the first cash movement of the shop.
fn taking_back(shop: &mut Shop, who: &Principal) -> Result<Event<fact::CashMoved>, Refusal> {
    let moved = |event: &Event| match &event.fact {
        Fact::CashMoved(it) => Some(it.movement.clone()),
        _ => None,
    };
    let first = shop.events.iter().find_map(moved).unwrap();
    let manager = boss();
    let by = Authorization { approver: Some(&manager), ..Authorization::unapproved(who) };
    let cmd = ReverseCash { reason: "a zero too many".to_owned() };
    reverse_cash(&cmd, &first, "csh_9".into(), NOW, &by, &shop.rules, &shop.shift)
}

/// Pays cash in, and then a part of it out.
fn put_in_and_gone(shop: &mut Shop) {
    shop.cash(CashKind::PayIn, 500).unwrap();
    shop.cash(CashKind::Drop, 300).unwrap();
}

#[test]
fn a_blind_count_is_shown_no_figure_of_the_drawer() {
    for (blind, who, reported) in [(true, ani(), false), (false, ani(), true), (true, boss(), true)] {
        let mut shop = open();
        put_in_and_gone(&mut shop);
        shop.rules.policy.blind = blind;
        let drop = |c: &mut MoveCash| (c.kind, c.amount) = (CashKind::Drop, 201.into());
        let refused = [moving_by(&mut shop, &who, drop), taking_back(&mut shop, &who)];
        for refused in refused.map(|refused| refused.unwrap_err().details().to_string()) {
            assert_eq!(refused.contains("200"), reported, "{refused}");
        }
    }
}

fn closed(shop: &mut Shop) {
    closing(shop, &Authorization::unapproved(&ani()), 0).unwrap();
}

#[test]
fn movements_that_a_drawer_refuses() {
    run_table(
        open,
        &[
            case(
                "nothing put in",
                nothing,
                |s| moving(s, |c| c.amount = Money::ZERO),
                "validation_failed",
                "amount",
            ),
            case(
                "money of an opened drawer",
                nothing,
                |s| moving(s, |c| c.kind = CashKind::NoSale),
                "validation_failed",
                "amount",
            ),
            case(
                "a bag of no drop",
                nothing,
                |s| moving(s, |c| c.bag_no = Some("B1".to_owned())),
                "validation_failed",
                "bag_no",
            ),
            case(
                "no reason",
                nothing,
                |s| moving(s, |c| c.reason = " ".to_owned()),
                "validation_failed",
                "reason",
            ),
            case(
                "a pay-in that is no longer there",
                put_in_and_gone,
                |s| taking_back(s, &boss()),
                "validation_failed",
                "reverses more than the 200 in the drawer",
            ),
            case(
                "cash that no drawer holds",
                nothing,
                |s| moving(s, |c| c.amount = Money::new(CASH_MAX + 1)),
                "validation_failed",
                "1000000000000",
            ),
            case(
                "a count that no drawer holds",
                nothing,
                |s| closing(s, &Authorization::unapproved(&ani()), CASH_MAX + 1),
                "validation_failed",
                "1000000000000: check for extra digits",
            ),
            case(
                "a recount that no drawer holds",
                closed,
                |s| counting(s, &boss(), CASH_MAX + 1),
                "validation_failed",
                "counted_cash",
            ),
            case("after the close", closed, |s| moving(s, |_| {}), "invalid_state", "recount"),
            case(
                "an end over an open basket",
                |s| {
                    s.create(&basket(vec![item("a", 1, 2000)])).unwrap();
                },
                |s| ending(s, &ani()),
                "shift_has_open_transactions",
                "trx_1",
            ),
            case(
                "a second end",
                |s| ending(s, &ani()).unwrap(),
                |s| ending(s, &ani()),
                "invalid_state",
                "ended",
            ),
            case("somebody else's end", nothing, |s| ending(s, &budi()), "insufficient_role", ""),
            case(
                "a sale after the end",
                |s| ending(s, &ani()).unwrap(),
                |s| s.create(&basket(vec![item("a", 1, 2000)])),
                "invalid_state",
                "close",
            ),
            case(
                "a variance beyond the tolerance",
                |s| s.rules.policy.variance_tolerance = Money::new(500),
                |s| closing(s, &Authorization::unapproved(&ani()), 501),
                "approval_required",
                "",
            ),
            case("a recount before the close", nothing, |s| counting(s, &boss(), 1), "invalid_state", "open"),
            case("a recount by a cashier", closed, |s| counting(s, &ani(), 1), "insufficient_role", ""),
            case(
                "one recount too many",
                |s| {
                    closed(s);
                    (0..RECOUNTS_MAX).for_each(|_| counting(s, &boss(), 1).unwrap());
                },
                |s| counting(s, &boss(), 1),
                "invalid_state",
                "closed",
            ),
        ],
    );
}

#[test]
fn cash_goes_in_and_out_and_the_count_meets_it() {
    let mut shop = open();
    shop.cash(CashKind::PayIn, 50_000).unwrap();
    shop.cash(CashKind::PayOut, 15_000).unwrap();
    shop.cash(CashKind::Drop, 20_000).unwrap();
    shop.cash(CashKind::NoSale, 0).unwrap();
    assert_eq!(Cash::of(&shop.shift.shift).expected, 15_000);
    ending(&mut shop, &ani()).unwrap();
    shop.rules.policy.variance_tolerance = Money::new(500);
    let (who, manager) = (ani(), boss());
    let approved = Authorization { approver: Some(&manager), ..Authorization::unapproved(&who) };
    let within = closing(&mut shop.clone(), &Authorization::unapproved(&who), 15_500).unwrap();
    assert_eq!((within.variance, within.approved_by), (Some(500.into()), None));
    let shift = closing(&mut shop, &approved, 14_000).unwrap();
    assert_eq!((shift.state, shift.variance), (ShiftState::Closed, Some((-1_000).into())));
    assert_eq!(shift.approved_by, Some("usr_boss".into()));
}

#[test]
fn a_recount_is_a_new_entry_and_the_books_follow() {
    let mut shop = open();
    shop.cash(CashKind::PayIn, 10_000).unwrap();
    closing(&mut shop, &Authorization::unapproved(&ani()), 9_000).unwrap();
    counting(&mut shop, &boss(), 9_500).unwrap();
    counting(&mut shop, &boss(), 10_000).unwrap();
    let shift = &shop.shift.shift;
    assert_eq!(
        (shift.counted_cash, shift.variance),
        (Some(9_000.into()), Some((-1_000).into())),
        "the first one is kept"
    );
    let counts: Vec<_> =
        shift.recounts.iter().map(|count| (count.before.get(), count.variance.get())).collect();
    assert_eq!(counts, [(9_000, -500), (9_500, 0)]);
    let rows = post(&of_recount(shift).unwrap()).unwrap().here.rows;
    assert_eq!(rows.iter().map(|row| row.debit).sum::<i64>(), 500);
    assert_eq!(post(&of_close(shift)).unwrap().here.rows.len(), 3);
    assert!(post(&of_opening(shift)).unwrap().here.rows.is_empty(), "a float of 0 is no movement");
}

#[test]
fn a_blind_shift_hides_what_is_expected_until_it_is_closed() {
    let mut shop = open();
    shop.rules.policy.blind = true;
    shop.cash(CashKind::PayIn, 10_000).unwrap();
    let seen = |shop: &Shop, role| {
        let shift = &shop.shift.shift;
        blind(summary(shift, NOW, &shop.rules), shift, role, &shop.rules)
    };
    let cashier = seen(&shop, Role::Cashier);
    assert!(cashier["cash"].is_null() && cashier["by_method"].is_null());
    assert_eq!(seen(&shop, Role::StoreManager)["cash"]["expected"], 10_000);
    closing(&mut shop, &Authorization::unapproved(&ani()), 9_000).unwrap();
    assert_eq!(seen(&shop, Role::Cashier)["shift"]["variance"], -1_000);
}

fn stamp(number: u64) -> Stamp {
    let at = format!("{:013}-00000-S001", NOW.0);
    Stamp { now: NOW, at, event_id: format!("evt_{number}").into() }
}

fn read(text: &str) -> Record<Value> {
    assert!(text.len() <= record::RECORD_BYTES_MAX, "{} bytes", text.len());
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_long_count_is_recorded_in_parts() {
    let opname = Opname {
        opname_id: "opn_1".into(),
        state: OpnameState::Posted,
        store_id: "S001".into(),
        scope: Scope::All,
        category: None,
        skus: Default::default(),
        categories: Default::default(),
        reopened: None,
        blind: false,
        lines_total: 1_201,
        lines_counted: 1_201,
        variance_value: Some(Money::ZERO),
        note: None,
        business_date: jiff::civil::date(2026, 11, 20),
        created_by: "usr_1".into(),
        created_at: NOW,
        ended_by: None,
        ended_at: None,
    };
    let line = |number: usize| OpnameLine { sku: format!("sku-{number}").into(), ..OpnameLine::default() };
    let lines: Vec<OpnameLine> = (0..1_201).map(line).collect();
    let mut number = 0;
    let stamps = || {
        number += 1;
        stamp(number)
    };
    let parts = record::opname_posted(stamps, &opname, &lines);
    let parts: Vec<_> = parts.iter().map(|text| read(text)).collect();
    let shown: Vec<_> = parts
        .iter()
        .map(|part| {
            let lines = part.payload["lines"].as_array().unwrap().len();
            (part.event_id.as_str(), part.payload["part"].clone(), part.payload["parts"].clone(), lines)
        })
        .collect();
    let expected = [("evt_1", 1, 500), ("evt_2", 2, 500), ("evt_3", 3, 201)];
    assert_eq!(shown, expected.map(|(id, part, lines)| (id, part.into(), 3.into(), lines)));
    assert_eq!(record::opname_posted(|| stamp(9), &opname, &[]).len(), 1, "an empty count is reported too");
}

#[test]
fn records_carry_their_type_and_day() {
    let mut shop = open();
    shop.cash(CashKind::PayIn, 700).unwrap();
    shop.cash(CashKind::Drop, 700).unwrap();
    let Some(Event { fact: Fact::CashMoved(it), rows }) = shop.events.last() else { panic!() };
    let (movement, shift, safe) = (&it.movement, &rows.shifts[0], rows.safe.as_ref().unwrap());
    assert_eq!((safe.drops, safe.balance), (700.into(), 700.into()));
    let reported = read(&record::cash_moved(&stamp(1), movement));
    assert_eq!(
        (reported.kind.as_str(), reported.payload["business_date"].as_str()),
        ("cash.moved", Some("2026-11-20"))
    );
    assert_eq!(reported.payload["movement"]["type"], "drop");
    let reported = read(&record::shift_recounted(&stamp(2), shift));
    assert_eq!((reported.kind.as_str(), reported.schema), ("shift.recounted", record::SCHEMA));

    let (who, manager) = (ani(), boss());
    let authorization = Authorization { approver: Some(&manager), ..Authorization::unapproved(&who) };
    let entry =
        AuditEntry::new(&authorization, "transaction.voided", NOW, json!({"transaction_id": "trx_1"}));
    let reported = read(&record::audit_recorded(&stamp(3), Some(shift.business_date), &entry));
    assert_eq!(reported.kind, "audit.recorded");
    assert_eq!(reported.payload["user_id"], "usr_ani");
    assert_eq!(reported.payload["approved_by"], "usr_boss");
    assert_eq!(reported.payload["details"]["transaction_id"], "trx_1");
    let back: Record<record::AuditRecorded> =
        serde_json::from_value(serde_json::to_value(&reported).unwrap()).unwrap();
    assert_eq!(back.payload.entry, entry);
}

#[test]
fn a_bag_goes_to_the_bank() {
    use domain::model::books::deposit::Safe;
    use domain::rules::books::deposit::{NewDeposit, deposit};
    let cmd = NewDeposit {
        amount: 1_500_000.into(),
        bag_no: "B-7".to_owned(),
        bank_account: "123".to_owned(),
        deposited_at: None,
    };
    let run = |who: &Principal, cmd: &NewDeposit| {
        let safe = Safe::default().opened(1_500_000.into()).unwrap();
        let book = domain::model::books::ledger::LedgerBook { safe, ..Default::default() };
        deposit(cmd, "csh_1".into(), NOW, &Authorization::unapproved(who), &rules(), &book)
    };
    let event = run(&boss(), &cmd).unwrap();
    let (deposit, safe) = (&event.fact.deposit, event.rows.safe.unwrap());
    assert_eq!((deposit.amount, deposit.deposited_at, safe.balance), (1_500_000.into(), NOW, 0.into()));
    assert_eq!(read(&record::cash_deposited(&stamp(1), deposit)).kind, "cash.deposited");
    assert_eq!(run(&ani(), &cmd).unwrap_err().code(), "insufficient_role");
    let later = Some(UtcMs(NOW.0 + 1));
    let above = run(&boss(), &NewDeposit { amount: 1_500_001.into(), ..cmd.clone() }).unwrap_err();
    assert!(
        above.details().to_string().contains("must be at most 1500000, the balance of the safe"),
        "{above:?}"
    );
    let refused = run(&boss(), &NewDeposit { amount: 0.into(), deposited_at: later, ..cmd }).unwrap_err();
    let details = refused.details().to_string();
    assert!(details.contains("amount") && details.contains("deposited_at"), "{details}");
}

#[test]
fn only_an_unpaid_basket_is_recorded_as_held() {
    let refused = Refusal::ShiftHasOpenTransactions { transactions: vec!["trx_1".to_owned()] }.to_string();
    assert!(
        refused.contains("pay or void them first. Only a sale without payments can be held"),
        "{refused}"
    );
}
