//! Drawers: cash movements, blind end, tolerance, recounts; and the records of all that.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test fails loudly")]

#[path = "support/acts.rs"]
mod acts;
#[path = "support/shop.rs"]
mod shop;

use domain::audit::AuditEntry;
use domain::event::{Event, Stamp};
use domain::mandate::Mandate;
use domain::opname::{Opname, OpnameLine, OpnameState, Scope};
use domain::posting::{of_close, of_opening, of_recount, post};
use domain::record::{self, Record};
use domain::refusal::Refusal;
use domain::shift::{
    Cash, CashKind, CloseShift, MoveCash, RECOUNTS_MAX, RecountShift, Shift, ShiftState, blind, close, end,
    move_cash, recount, summary,
};
use domain::time::UtcMs;
use domain::user::{Caller, Role};
use serde_json::{Value, json};
use shop::*;

fn ending(shop: &mut Shop, who: &Caller) -> Result<(), Refusal> {
    let event = end(shop.now, &Mandate::own(who), &shop.shift)?;
    shop.commit(event);
    Ok(())
}

fn closing(shop: &mut Shop, mandate: &Mandate<'_>, counted_cash: i64) -> Result<Shift, Refusal> {
    let cmd = CloseShift { counted_cash, ..CloseShift::default() };
    let event = close(&cmd, shop.now, mandate, &shop.rules, &shop.shift)?;
    shop.commit(event);
    Ok(shop.shift.shift.clone())
}

fn counting(shop: &mut Shop, who: &Caller, counted_cash: i64) -> Result<(), Refusal> {
    let cmd = RecountShift { counted_cash, reason: "again".to_owned() };
    let event = recount(&cmd, shop.now, &Mandate::own(who), &shop.shift.shift, &shop.rules, &shop.ledger)?;
    shop.commit(event);
    Ok(())
}

fn moving(shop: &mut Shop, change: fn(&mut MoveCash)) -> Result<Event, Refusal> {
    let mut cmd = MoveCash {
        kind: CashKind::PayIn,
        amount: 100,
        reason: "change".to_owned(),
        reason_code: None,
        bag_no: None,
    };
    change(&mut cmd);
    move_cash(&cmd, "csh_9".into(), NOW, &Mandate::own(&ani()), &shop.rules, &shop.shift)
}

fn closed(shop: &mut Shop) {
    closing(shop, &Mandate::own(&ani()), 0).unwrap();
}

#[test]
fn what_a_drawer_refuses() {
    run_table(
        open,
        &[
            case("nothing put in", nothing, |s| moving(s, |c| c.amount = 0), "validation_failed", "amount"),
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
                |s| s.rules.policy.variance_tolerance = 500,
                |s| closing(s, &Mandate::own(&ani()), 501),
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
    shop.rules.policy.variance_tolerance = 500;
    let (who, manager) = (ani(), boss());
    let approved = Mandate { caller: &who, approver: Some(&manager) };
    let within = closing(&mut shop.clone(), &Mandate::own(&who), 15_500).unwrap();
    assert_eq!((within.variance, within.approved_by), (Some(500), None));
    let shift = closing(&mut shop, &approved, 14_000).unwrap();
    assert_eq!((shift.state, shift.variance), (ShiftState::Closed, Some(-1_000)));
    assert_eq!(shift.approved_by, Some("usr_boss".into()));
}

#[test]
fn a_recount_is_a_new_entry_and_the_books_follow() {
    let mut shop = open();
    shop.cash(CashKind::PayIn, 10_000).unwrap();
    closing(&mut shop, &Mandate::own(&ani()), 9_000).unwrap();
    counting(&mut shop, &boss(), 9_500).unwrap();
    counting(&mut shop, &boss(), 10_000).unwrap();
    let shift = &shop.shift.shift;
    assert_eq!((shift.counted_cash, shift.variance), (Some(9_000), Some(-1_000)), "the first stays");
    let counts: Vec<_> = shift.recounts.iter().map(|count| (count.before, count.variance)).collect();
    assert_eq!(counts, [(9_000, -500), (9_500, 0)]);
    let rows = post(&of_recount(shift).unwrap()).unwrap().here.rows;
    assert_eq!(rows.iter().map(|row| row.debit).sum::<i64>(), 500);
    assert_eq!(post(&of_close(shift)).unwrap().here.rows.len(), 3);
    assert!(post(&of_opening(shift)).unwrap().here.rows.is_empty(), "a float of 0 is nothing");
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
    closing(&mut shop, &Mandate::own(&ani()), 9_000).unwrap();
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
fn a_long_count_is_told_in_parts() {
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
        variance_value: Some(0),
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
    assert_eq!(record::opname_posted(|| stamp(9), &opname, &[]).len(), 1, "an empty count is told too");
}

#[test]
fn records_carry_their_type_and_day() {
    let mut shop = open();
    shop.cash(CashKind::PayIn, 700).unwrap();
    shop.cash(CashKind::Drop, 700).unwrap();
    let Some(Event::CashMoved { movement, shift }) = shop.events.last() else { panic!() };
    let told = read(&record::cash_moved(&stamp(1), movement));
    assert_eq!(
        (told.kind.as_str(), told.payload["business_date"].as_str()),
        ("cash.moved", Some("2026-11-20"))
    );
    assert_eq!(told.payload["movement"]["type"], "drop");
    let told = read(&record::shift_recounted(&stamp(2), shift));
    assert_eq!((told.kind.as_str(), told.schema), ("shift.recounted", record::SCHEMA));

    let (who, manager) = (ani(), boss());
    let mandate = Mandate { caller: &who, approver: Some(&manager) };
    let entry = AuditEntry::new(&mandate, "transaction.voided", NOW, json!({"transaction_id": "trx_1"}));
    let told = read(&record::audit_recorded(&stamp(3), Some(shift.business_date), &entry));
    assert_eq!(told.kind, "audit.recorded");
    assert_eq!(told.payload["user_id"], "usr_ani");
    assert_eq!(told.payload["approved_by"], "usr_boss");
    assert_eq!(told.payload["details"]["transaction_id"], "trx_1");
    let back: Record<record::AuditRecorded> =
        serde_json::from_value(serde_json::to_value(&told).unwrap()).unwrap();
    assert_eq!(back.payload.entry, entry);
}

#[test]
fn a_bag_goes_to_the_bank() {
    use domain::deposit::{NewDeposit, deposit};
    let cmd = NewDeposit {
        amount: 1_500_000,
        bag_no: "B-7".to_owned(),
        bank_account: "123".to_owned(),
        deposited_at: None,
    };
    let run = |who: &Caller, cmd: &NewDeposit| {
        let book = domain::ledger::LedgerBook::default();
        deposit(cmd, "csh_1".into(), 200, 1_500_200, NOW, &Mandate::own(who), &rules(), &book)
    };
    let Event::CashDeposited { deposit, total } = run(&boss(), &cmd).unwrap() else { panic!() };
    assert_eq!((deposit.amount, deposit.deposited_at, total), (1_500_000, NOW, Some(1_500_200)));
    assert_eq!(read(&record::cash_deposited(&stamp(1), &deposit)).kind, "cash.deposited");
    assert_eq!(run(&ani(), &cmd).unwrap_err().code(), "insufficient_role");
    let later = Some(UtcMs(NOW.0 + 1));
    let above = run(&boss(), &NewDeposit { amount: 1_500_001, ..cmd.clone() }).unwrap_err();
    assert!(above.details().to_string().contains("more than the 1500000 that lie in the safe"), "{above:?}");
    let refused = run(&boss(), &NewDeposit { amount: 0, deposited_at: later, ..cmd }).unwrap_err();
    let details = refused.details().to_string();
    assert!(details.contains("amount") && details.contains("deposited_at"), "{details}");
}

#[test]
fn a_day_is_sealed_once_when_it_is_over_and_all_its_shifts_are_closed() {
    use domain::day::{Day, SealDay, seal};
    let mut shop = open();
    let date = shop.shift.shift.business_date;
    let tomorrow = UtcMs(NOW.0 + 24 * 3_600_000);
    let (who, cashier, clerk) = (boss(), ani(), SealDay::default());
    let run = |shop: &Shop, date, now, sealed: Option<&Day>, cmd: &SealDay, by: &Caller| {
        let by = Mandate::own(by);
        let shifts = std::slice::from_ref(&shop.shift.shift);
        let shifts: Vec<_> = shifts.iter().filter(|shift| shift.business_date == date).cloned().collect();
        seal(date, &shifts, sealed, now, Some((cmd, &by)), &shop.rules)
    };
    let refused = |outcome: Result<Event, Refusal>| outcome.unwrap_err().details()["state"].clone();
    assert_eq!(refused(run(&shop, date, tomorrow, None, &clerk, &who)), "open");
    closed(&mut shop);
    assert_eq!(refused(run(&shop, date.tomorrow().unwrap(), NOW, None, &clerk, &who)), "not_begun");
    assert_eq!(refused(run(&shop, date, NOW, None, &clerk, &who)), "not_over");
    let blunt = SealDay { force: true, reason: None };
    assert_eq!(run(&shop, date, NOW, None, &blunt, &who).unwrap_err().code(), "validation_failed");
    let forced = SealDay { force: true, reason: Some(" flood ".to_owned()) };
    let Event::DaySealed { day } = run(&shop, date, NOW, None, &forced, &who).unwrap() else { panic!() };
    assert_eq!((day.shift_ids.len(), day.reason.as_deref()), (1, Some("flood")));
    let Event::DaySealed { day } = run(&shop, date, tomorrow, None, &clerk, &who).unwrap() else { panic!() };
    assert_eq!((&day.shift_ids[..], &day.reason), (&["shf_1".into()][..], &None));
    assert_eq!(refused(run(&shop, date, tomorrow, Some(&day), &clerk, &who)), "sealed");
    assert_eq!(read(&record::day_sealed(&stamp(1), &day)).payload["business_date"], "2026-11-20");
    assert_eq!(run(&shop, date, tomorrow, None, &clerk, &cashier).unwrap_err().code(), "insufficient_role");
}

#[test]
fn what_comes_on_a_sealed_day_counts_for_the_next_one_that_is_not() {
    use domain::day::{Day, UnsealDay, dated, goes_on, unseal};
    let mut shop = open();
    closed(&mut shop);
    let date = shop.shift.shift.business_date;
    let next = date.tomorrow().unwrap();
    let day = |business_date| Day {
        business_date,
        shift_ids: Vec::new(),
        sealed_by: Some(boss().user_id),
        sealed_at: NOW,
        reason: None,
    };
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), date);
    shop.commit(Event::DaySealed { day: day(date) });
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), next);
    assert_eq!(goes_on(NOW, &shop.rules, &shop.ledger), None, "a person's word stands");
    shop.commit(Event::DaySealed { day: day(next) });
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), next.tomorrow().unwrap());

    let run = |shop: &Shop, by: &Caller, sealed: Option<&Day>, now, reason: &str| {
        let cmd = UnsealDay { reason: reason.to_owned() };
        unseal(&cmd, date, sealed, now, &Mandate::own(by), &shop.rules)
    };
    let (admin, sealed) = (Caller { role: Role::Admin, ..boss() }, day(date));
    assert_eq!(run(&shop, &boss(), Some(&sealed), NOW, "x").unwrap_err().code(), "insufficient_role");
    assert_eq!(run(&shop, &admin, Some(&sealed), NOW, " ").unwrap_err().code(), "validation_failed");
    assert_eq!(run(&shop, &admin, None, NOW, "x").unwrap_err().code(), "invalid_state");
    // Two days later: it does not seal itself before that day is over.
    let later = UtcMs(NOW.0 + 2 * 24 * 3_600_000);
    let opened = run(&shop, &admin, Some(&sealed), later, "x").unwrap();
    shop.commit(Event::DayReopened { day: opened.clone() });
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), date);
    let today = next.tomorrow().unwrap();
    assert_eq!(domain::day::due(today, &shop.ledger), None);
    assert_eq!(domain::day::due(today.tomorrow().unwrap(), &shop.ledger), Some(date));
    assert_eq!(read(&record::day_reopened(&stamp(1), &opened)).payload["open_until"], "2026-11-22");
}

#[test]
fn a_day_is_due_when_another_has_begun_and_all_its_shifts_are_closed() {
    use domain::day::{CLOCK_TRUSTED_DAYS, SealDay, due, goes_on};
    let mut shop = open();
    let date = shop.shift.shift.business_date;
    let next = date.tomorrow().unwrap();
    assert_eq!((due(date, &shop.ledger), due(next, &shop.ledger)), (None, None), "it sells");
    closed(&mut shop);
    assert_eq!((due(date, &shop.ledger), due(next, &shop.ledger)), (None, Some(date)));
    let far = date.checked_add(jiff::Span::new().days(CLOCK_TRUSTED_DAYS + 1)).unwrap();
    assert_eq!(due(far, &shop.ledger), None, "a clock that is years ahead seals nothing");
    shop.ledger.days.insert(next, next);
    assert_eq!(due(far, &shop.ledger), Some(date), "but the shop has moved on");
    let (who, shifts) = (boss(), [shop.shift.shift.clone()]);
    let forced = SealDay { force: true, reason: Some("x".to_owned()) };
    for by in [None, Some((&forced, &Mandate::own(&who)))] {
        let sealed = domain::day::seal(date, &shifts, None, NOW, by, &shop.rules).unwrap();
        let Event::DaySealed { day } = &sealed else { panic!() };
        assert_eq!(day.sealed_by.is_some(), by.is_some());
        shop.commit(sealed);
        assert_eq!(due(next, &shop.ledger), None);
        let reopened = goes_on(NOW, &shop.rules, &shop.ledger);
        assert_eq!(reopened.is_some(), by.is_none());
        if let Some(day) = reopened {
            shop.commit(Event::DayReopened { day });
        }
        let open = by.is_none().then_some(date);
        assert_eq!(due(next, &shop.ledger), open, "one that sealed itself is open again, to be sealed anew");
    }
}
