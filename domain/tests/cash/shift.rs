//! Shifts: opening, closing, the drawer and the summary.

use domain::model::base::event::{Event, Fact, fact};
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::books::register::Register;
use domain::model::books::shift::{Denomination, MethodCount, Shift};
use domain::model::people::authorization::Authorization;
use domain::model::people::user::{Principal, Role};
use domain::model::selling::transaction::TransactionState;
use domain::rules::books::ledger::{numbered, open_shift};
use domain::rules::books::register::REGISTERS_MAX;
use domain::rules::books::shift::{CloseShift, OpenShift, close, overdue, summary, view};
use serde_json::json;
use testkit::shop::*;

fn unpaid(shop: &mut Shop) {
    shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
}

fn part_paid(shop: &mut Shop) {
    unpaid(shop);
    let id = shop.create(&basket(vec![item("a", 1, 2000)])).unwrap();
    shop.pay(&id, &pay_by("cash", 1)).unwrap();
}

fn opening(
    who: &Principal,
    register: Option<&str>,
    shop: &Shop,
) -> Result<Event<fact::ShiftOpened>, Refusal> {
    let cmd = OpenShift { register_id: register.map(Into::into), ..OpenShift::default() };
    open_shift(&cmd, "shf_2".into(), NOW, who, &shop.rules, &shop.ledger)
}

fn closing(who: &Principal, cmd: &CloseShift, shop: &mut Shop) -> Result<Shift, Refusal> {
    let event = close(cmd, NOW, &Authorization::unapproved(who), &shop.rules, &shop.shift)?;
    let event = numbered(event, &shop.ledger);
    let shift = &event.fact.shift;
    let closed = Shift::clone(shift);
    shop.commit(event);
    Ok(closed)
}

fn counted(cash: i64) -> CloseShift {
    CloseShift { counted_cash: Money::new(cash), ..CloseShift::default() }
}

fn close_with(shop: &mut Shop, change: fn(&mut CloseShift)) -> Result<Shift, Refusal> {
    let mut cmd = counted(100);
    change(&mut cmd);
    closing(&ani(), &cmd, shop)
}

#[test]
fn openings_that_are_refused() {
    run_table(
        open,
        &[
            case("the till is taken", nothing, |s| opening(&budi(), None, s), "shift_already_open", "shf_1"),
            case(
                "the caller sells elsewhere",
                nothing,
                |s| opening(&ani(), Some("till-2"), s),
                "shift_already_open",
                "shf_1",
            ),
            case(
                "a till that is no name",
                nothing,
                |s| opening(&budi(), Some("till 2"), s),
                "validation_failed",
                "register_id",
            ),
            case(
                "an unknown till of a closed list",
                |s| s.rules.registers_closed = true,
                |s| opening(&budi(), Some("till-2"), s),
                "validation_failed",
                "register_id",
            ),
            case(
                "a new till where there are as many as there may be",
                |s| {
                    for number in s.ledger.registers.len()..REGISTERS_MAX {
                        let till = Register::new(format!("t-{number}").into(), "T".into());
                        s.ledger.registers.insert(till.register_id.clone(), till);
                    }
                    assert!(opening(&budi(), Some("t-499"), s).is_ok(), "existing baskets can be sold");
                },
                |s| opening(&budi(), Some("till-2"), s),
                "validation_failed",
                "register_id",
            ),
            case(
                "a disabled till",
                |s| {
                    let till = Register { disabled: true, ..Register::new("till-2".into(), "2".into()) };
                    s.ledger.registers.insert(till.register_id.clone(), till);
                },
                |s| opening(&budi(), Some("till-2"), s),
                "insufficient_role",
                "",
            ),
            case(
                "warehouse staff",
                nothing,
                |s| opening(&caller("w", Role::WarehouseStaff), Some("till-2"), s),
                "insufficient_role",
                "",
            ),
            case(
                "a float below zero",
                nothing,
                |s| {
                    let cmd = OpenShift { opening_float: Some(Money::new(-1)), ..OpenShift::default() };
                    open_shift(&cmd, "shf_2".into(), NOW, &budi(), &s.rules, &s.ledger)
                },
                "validation_failed",
                "opening_float",
            ),
        ],
    );
}

#[test]
fn closings_that_are_refused() {
    let invalid = "validation_failed";
    let unfinished = "shift_has_open_transactions";
    run_table(
        open,
        &[
            case("somebody else's", nothing, |s| closing(&budi(), &counted(0), s), "insufficient_role", ""),
            case(
                "closed before",
                |s| {
                    closing(&ani(), &counted(0), s).unwrap();
                },
                |s| closing(&ani(), &counted(0), s),
                "invalid_state",
                r#""state":"closed""#,
            ),
            case("open transactions", unpaid, |s| close_with(s, |_| ()), unfinished, "trx_1"),
            case(
                "void_open is not for what is partly paid",
                part_paid,
                |s| close_with(s, |c| c.void_open = Some(true)),
                unfinished,
                r#"["trx_2"]"#,
            ),
            case(
                "counted below zero",
                nothing,
                |s| close_with(s, |c| c.counted_cash = Money::new(-1)),
                invalid,
                "counted_cash",
            ),
            case(
                "denominations that do not add up",
                nothing,
                |s| {
                    close_with(s, |c| {
                        c.denominations = Some(vec![Denomination { value: Money::new(50), count: 1 }])
                    })
                },
                invalid,
                "denominations",
            ),
            case(
                "an unknown method",
                nothing,
                |s| {
                    close_with(s, |c| {
                        c.counts = Some(vec![MethodCount { method: "shells".into(), amount: Money::new(1) }])
                    })
                },
                invalid,
                "counts[0].method",
            ),
            case(
                "cash counted as a method",
                nothing,
                |s| {
                    close_with(s, |c| {
                        c.counts = Some(vec![MethodCount { method: "cash".into(), amount: Money::new(1) }])
                    })
                },
                invalid,
                "counted_cash",
            ),
            case(
                "a method counted twice",
                nothing,
                |s| {
                    close_with(s, |c| {
                        c.counts = Some(vec![MethodCount { method: "card".into(), amount: Money::new(1) }; 2])
                    })
                },
                invalid,
                "counts[1].method",
            ),
        ],
    );
}

#[test]
fn the_summary_shows_drawer_methods_and_variance() {
    let mut shop = open();
    shop.sell(vec![item("a", 1, 2000)]).unwrap();
    let id = shop.create(&basket(vec![item("a", 2, 2000)])).unwrap();
    shop.pay(&id, &pay_by("card", 4440)).unwrap();
    let card = MethodCount { method: "card".into(), amount: Money::new(4400) };
    let note = Denomination { value: Money::new(2000), count: 1 };
    let cmd = CloseShift {
        counts: Some(vec![card]),
        denominations: Some(vec![note]),
        note: Some("short".into()),
        ..counted(2000)
    };
    let shift = closing(&ani(), &cmd, &mut shop).unwrap();
    assert_eq!(shift.denominations.len(), 1);
    let shown = summary(&shift, NOW, &shop.rules);
    assert_eq!(
        shown["by_method"],
        json!([
            {"method": "card", "sales_count": 1, "sales": 4440, "refunds_count": 0, "refunds": 0, "net": 4440,
                "counted": 4400, "variance": -40},
            {"method": "cash", "sales_count": 1, "sales": 2220, "refunds_count": 0, "refunds": 0, "net": 2220,
                "counted": 2000, "variance": -220},
        ])
    );
    let taxed = json!({"tax_rate_bp": 1100, "base": 6000, "tax": 660, "returns_base": 0, "returns_tax": 0});
    assert_eq!(shown["by_tax"], json!([taxed]));
    assert_eq!(shown["cash"]["expected"], 2220);
    assert_eq!(
        (&shown["gross_sales"], &shown["tax"], &shown["net_sales"]),
        (&json!(6000), &json!(660), &json!(6000))
    );
    assert_eq!(shown["first_receipt"], "S001-main-00000001");
    assert_eq!(shown["last_receipt"], "S001-main-00000002");
    assert_eq!(shown["shift"]["variance"], -220);
    assert_eq!(shown["shift"]["z_no"], 1);
    assert_eq!(shown["shift"]["note"], "short");
    assert!(shop.ledger.shifts.is_empty(), "the till can be used again");
}

#[test]
fn void_open_voids_what_nothing_was_paid_of() {
    let mut shop = open();
    unpaid(&mut shop);
    let cmd = CloseShift { void_open: Some(true), ..counted(0) };
    let shift = closing(&boss(), &cmd, &mut shop).unwrap();
    let Some(Event { fact: Fact::ShiftClosed(it), .. }) = shop.events.last() else { panic!() };
    let voided = &it.voided;
    assert_eq!(voided[0].state, TransactionState::Voided);
    assert_eq!(voided[0].void_reason.as_deref(), Some("shift_closed"));
    assert_eq!((shift.totals.voids_count, shift.totals.voids_total), (1, 2220.into()));
    assert_eq!((shift.expected_cash, shift.variance), (Some(Money::ZERO), Some(Money::ZERO)));
    assert!(shop.shift.open.is_empty());
}

#[test]
fn a_shift_is_overdue_from_the_start_of_the_next_day_until_it_is_closed() {
    let rules = Rules { day_start: jiff::civil::time(4, 0, 0, 0), ..rules() };
    let at = |text: &str| UtcMs::parse(text).unwrap();
    let mut shift = Shop::open(rules.clone(), []).shift.shift;
    shift.business_date = jiff::civil::date(2026, 11, 20);
    assert!(!overdue(&shift, at("2026-11-20T20:59:59.999Z"), &rules));
    assert!(overdue(&shift, at("2026-11-20T21:00:00.000Z"), &rules));
    assert_eq!(view(&shift, at("2026-11-20T21:00:00.000Z"), &rules)["overdue"], true);
    shift.state = domain::model::books::shift::ShiftState::Closed;
    assert!(!overdue(&shift, at("2027-11-20T21:00:00.000Z"), &rules));
}
