//! Days: when they are sealed, and what happens to documents on a sealed day.

use domain::model::base::event::{Event, fact};
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::day::Day;
use domain::model::people::authorization::Authorization;
use domain::model::people::user::{Principal, Role};
use domain::rules::books::day::{
    CLOCK_TRUSTED_DAYS, SealDay, UnsealDay, dated, due, reopen_if_sealed_automatically, seal, unseal,
};
use domain::rules::books::shift::{CloseShift, close};
use domain::wire::record;
use serde_json::Value;
use testkit::shop::*;

/// Closes the open shift with a count.
fn count(shop: &mut Shop) {
    let (cmd, who) = (CloseShift { counted_cash: Money::ZERO, ..CloseShift::default() }, ani());
    let event = close(&cmd, shop.now, &Authorization::unapproved(&who), &shop.rules, &shop.shift).unwrap();
    shop.commit(event);
}

fn said(record: &str) -> Value {
    serde_json::from_str::<Value>(record).unwrap()["payload"].clone()
}

#[test]
fn a_day_is_sealed_once_when_it_is_over_and_all_its_shifts_are_closed() {
    let mut shop = open();
    let date = shop.shift.shift.business_date;
    let tomorrow = UtcMs(NOW.0 + 24 * 3_600_000);
    let (who, cashier, clerk) = (boss(), ani(), SealDay::default());
    let run = |shop: &Shop, date, now, sealed: Option<&Day>, cmd: &SealDay, by: &Principal| {
        let by = Authorization::unapproved(by);
        let shifts = std::slice::from_ref(&shop.shift.shift);
        let shifts: Vec<_> = shifts.iter().filter(|shift| shift.business_date == date).cloned().collect();
        seal(date, &shifts, sealed, now, Some((cmd, &by)), &shop.rules)
    };
    let refused =
        |outcome: Result<Event<fact::DaySealed>, Refusal>| outcome.unwrap_err().details()["state"].clone();
    assert_eq!(refused(run(&shop, date, tomorrow, None, &clerk, &who)), "open");
    count(&mut shop);
    assert_eq!(refused(run(&shop, date.tomorrow().unwrap(), NOW, None, &clerk, &who)), "not_begun");
    assert_eq!(refused(run(&shop, date, NOW, None, &clerk, &who)), "not_over");
    let blunt = SealDay { force: true, reason: None };
    assert_eq!(run(&shop, date, NOW, None, &blunt, &who).unwrap_err().code(), "validation_failed");
    let forced = SealDay { force: true, reason: Some(" flood ".to_owned()) };
    let day = run(&shop, date, NOW, None, &forced, &who).unwrap().fact.day;
    assert_eq!((day.shift_ids.len(), day.reason.as_deref()), (1, Some("flood")));
    let day = run(&shop, date, tomorrow, None, &clerk, &who).unwrap().fact.day;
    assert_eq!((&day.shift_ids[..], &day.reason), (&["shf_1".into()][..], &None));
    assert_eq!(refused(run(&shop, date, tomorrow, Some(&day), &clerk, &who)), "sealed");
    assert_eq!(said(&record::day_sealed(&shop.stamp(), &day))["business_date"], "2026-11-20");
    assert_eq!(run(&shop, date, tomorrow, None, &clerk, &cashier).unwrap_err().code(), "insufficient_role");
}

#[test]
fn a_document_of_a_sealed_day_belongs_to_the_next_open_day() {
    let mut shop = open();
    count(&mut shop);
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
    shop.commit(fact::DaySealed { day: day(date) });
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), next);
    assert_eq!(
        reopen_if_sealed_automatically(NOW, &shop.rules, &shop.ledger),
        None,
        "a seal by a person is kept"
    );
    shop.commit(fact::DaySealed { day: day(next) });
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), next.tomorrow().unwrap());

    let run = |shop: &Shop, by: &Principal, sealed: Option<&Day>, now, reason: &str| {
        let cmd = UnsealDay { reason: reason.to_owned() };
        unseal(&cmd, date, sealed, now, &Authorization::unapproved(by), &shop.rules)
    };
    let (admin, sealed) = (Principal { role: Role::Admin, ..boss() }, day(date));
    assert_eq!(run(&shop, &boss(), Some(&sealed), NOW, "x").unwrap_err().code(), "insufficient_role");
    assert_eq!(run(&shop, &admin, Some(&sealed), NOW, " ").unwrap_err().code(), "validation_failed");
    assert_eq!(run(&shop, &admin, None, NOW, "x").unwrap_err().code(), "invalid_state");
    // Two days later: a day is not sealed automatically before it is over.
    let later = UtcMs(NOW.0 + 2 * 24 * 3_600_000);
    let opened = run(&shop, &admin, Some(&sealed), later, "x").unwrap();
    shop.commit(fact::DayReopened { day: opened.clone() });
    assert_eq!(dated(NOW, &shop.rules, &shop.ledger), date);
    let today = next.tomorrow().unwrap();
    assert_eq!(due(today, &shop.ledger), None);
    assert_eq!(due(today.tomorrow().unwrap(), &shop.ledger), Some(date));
    assert_eq!(said(&record::day_reopened(&shop.stamp(), &opened))["open_until"], "2026-11-22");
}

#[test]
fn a_day_is_due_when_another_has_begun_and_all_its_shifts_are_closed() {
    let mut shop = open();
    let date = shop.shift.shift.business_date;
    let next = date.tomorrow().unwrap();
    assert_eq!((due(date, &shop.ledger), due(next, &shop.ledger)), (None, None), "the till sells");
    count(&mut shop);
    assert_eq!((due(date, &shop.ledger), due(next, &shop.ledger)), (None, Some(date)));
    let far = date.checked_add(jiff::Span::new().days(CLOCK_TRUSTED_DAYS + 1)).unwrap();
    assert_eq!(due(far, &shop.ledger), None, "a clock that is years ahead seals nothing");
    shop.ledger.days.insert(next, next);
    assert_eq!(due(far, &shop.ledger), Some(date), "but the shop has continued");
    let (who, shifts) = (boss(), [shop.shift.shift.clone()]);
    let forced = SealDay { force: true, reason: Some("x".to_owned()) };
    for by in [None, Some((&forced, &Authorization::unapproved(&who)))] {
        let sealed = seal(date, &shifts, None, NOW, by, &shop.rules).unwrap();
        let day = &sealed.fact.day;
        assert_eq!(day.sealed_by.is_some(), by.is_some());
        shop.commit(sealed);
        assert_eq!(due(next, &shop.ledger), None);
        let reopened = reopen_if_sealed_automatically(NOW, &shop.rules, &shop.ledger);
        assert_eq!(reopened.is_some(), by.is_none());
        if let Some(day) = reopened {
            shop.commit(fact::DayReopened { day });
        }
        let open = by.is_none().then_some(date);
        assert_eq!(
            due(next, &shop.ledger),
            open,
            "an automatically sealed day is open again, to be sealed later"
        );
    }
}
