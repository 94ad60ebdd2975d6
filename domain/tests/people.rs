//! Members and their points, tills, and the records of them for head office.

use domain::model::base::event::{Event, fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::MemberId;
use domain::model::base::refusal::Refusal;
use domain::model::people::authorization::Authorization;
use domain::model::people::member::{Member, MemberKey, MemberState};
use domain::model::people::points::{Cause, Lots, PointsAccount};
use domain::model::people::user::{Principal, Role};
use domain::rules::books::register;
use domain::rules::books::register::{ChangeRegister, NewRegister, RegisterState};
use domain::rules::people::member;
use domain::rules::people::member::{ChangeMember, NewMember};
use domain::rules::people::points;
use domain::rules::people::points::AdjustPoints;
use domain::wire::record;
use jiff::civil::{Date, date};
use proptest::prelude::*;
use testkit::shop::*;

mod expiry;
mod opening_points;

fn open() -> Shop {
    let mut shop = Shop::open(rules(), []);
    shop.join("Siti", "0812-3456-7890").unwrap();
    shop
}

fn first(shop: &Shop) -> MemberId {
    shop.members.members.keys().next().unwrap().clone()
}

fn register(shop: &mut Shop, who: &Principal, cmd: &NewMember) -> Result<MemberId, Refusal> {
    let (id, stamp) = (MemberId(shop.next("mbr_")), shop.stamp());
    let event = member::register(
        cmd,
        id.clone(),
        &stamp,
        &Authorization::unapproved(who),
        &shop.rules,
        &shop.members,
    )?;
    shop.commit(event);
    Ok(id)
}

fn change(
    shop: &mut Shop,
    who: &Principal,
    cmd: &ChangeMember,
) -> Result<Event<fact::MemberChanged>, Refusal> {
    let (id, stamp) = (first(shop), shop.stamp());
    let event =
        member::change(cmd, &id, &stamp, &Authorization::unapproved(who), &shop.rules, &shop.members)?;
    shop.commit(event.clone());
    Ok(event)
}

fn named(name: &str) -> NewMember {
    NewMember { name: name.to_owned(), ..NewMember::default() }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn members_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "one phone number, written otherwise",
                nothing,
                |s| s.join("Tini", "+62 812 3456 7890"),
                "duplicate",
                "mbr_1",
            ),
            case(
                "one e-mail address, in capitals",
                |s| {
                    register(s, &ani(), &NewMember { email: some("a@b.id"), ..named("A") }).unwrap();
                },
                |s| register(s, &ani(), &NewMember { email: some("A@B.id"), ..named("B") }),
                "duplicate",
                "mbr_3",
            ),
            case(
                "neither phone nor e-mail",
                nothing,
                |s| register(s, &ani(), &named("A")),
                "validation_failed",
                "phone",
            ),
            case(
                "no number, no address, no name",
                nothing,
                |s| {
                    let cmd = NewMember { phone: some("12"), email: some("a b@c"), ..named(" ") };
                    register(s, &ani(), &cmd)
                },
                "validation_failed",
                r#""email""#,
            ),
            case(
                "by the stock room",
                nothing,
                |s| register(s, &caller("w", Role::WarehouseStaff), &named("A")),
                "insufficient_role",
                "",
            ),
            case(
                "changed by a cashier",
                nothing,
                |s| change(s, &ani(), &ChangeMember::default()),
                "insufficient_role",
                "",
            ),
            case(
                "left without phone and e-mail",
                nothing,
                |s| change(s, &boss(), &ChangeMember { phone: some(""), ..Default::default() }),
                "validation_failed",
                "phone",
            ),
            case(
                "merged by hand",
                nothing,
                |s| {
                    let state = Some(MemberState::Merged);
                    change(s, &boss(), &ChangeMember { state, ..Default::default() })
                },
                "validation_failed",
                "state",
            ),
            case(
                "changed after it was erased",
                |s| {
                    let (id, stamp) = (first(s), s.stamp());
                    let event =
                        member::erase(&id, &stamp, &Authorization::unapproved(&boss()), &s.members).unwrap();
                    s.commit(event);
                },
                |s| change(s, &boss(), &ChangeMember { name: some("X"), ..Default::default() }),
                "invalid_state",
                "erased",
            ),
        ],
    );
}

#[test]
fn a_key_that_one_member_gives_up_is_free_for_another() {
    let mut shop = open();
    let cmd = ChangeMember { phone: some("0813 9999 000"), tier: some("gold"), ..Default::default() };
    let freed = change(&mut shop, &boss(), &cmd).unwrap().fact.freed;
    assert_eq!(freed, [MemberKey::Phone("+6281234567890".to_owned())]);
    shop.join("Tini", "081234567890").unwrap();

    let (id, stamp) = (first(&shop), shop.stamp());
    let event = member::erase(&id, &stamp, &Authorization::unapproved(&boss()), &shop.members).unwrap();
    shop.commit(event);
    let erased = &shop.members.members[&id];
    assert_eq!((erased.name.as_str(), &erased.phone, &erased.tier), ("erased", &None, &None));
    shop.join("Third", "0813 9999 000").unwrap();
}

#[test]
fn null_takes_a_field_away_and_nothing_leaves_it() {
    let mut shop = open();
    let read = |text: &str| serde_json::from_str::<ChangeMember>(text).unwrap();
    let dated = change(&mut shop, &boss(), &read(r#"{"birth_date": "1990-02-28", "tier": "gold"}"#)).unwrap();
    shop.commit(dated);
    let kept = change(&mut shop, &boss(), &read(r#"{"name": "Siti R."}"#)).unwrap().fact.member;
    assert!(kept.birth_date.is_some() && kept.tier.is_some());
    let taken =
        change(&mut shop, &boss(), &read(r#"{"birth_date": null, "tier": null}"#)).unwrap().fact.member;
    assert_eq!((taken.birth_date, taken.tier), (None, None));
    for kept in [r#"{"name": null}"#, r#"{"state": null}"#] {
        assert!(serde_json::from_str::<ChangeMember>(kept).is_err(), "{kept}");
    }
}

#[test]
fn a_changed_field_says_whose_value_it_replaced() {
    let mut shop = open();
    let before: Member = shop.members.members[&first(&shop)].clone();
    let cmd = ChangeMember { name: some("Siti R."), ..Default::default() };
    let member = change(&mut shop, &boss(), &cmd).unwrap().fact.member;
    let stamp = shop.stamp();
    let text = record::member_changed(&stamp, Some(&before), &member);
    let reported: record::Record<record::MemberChanged> = serde_json::from_str(&text).unwrap();
    assert_eq!(reported.kind, "member.changed");
    assert_eq!(reported.payload.fields.keys().collect::<Vec<_>>(), ["name"], "field by field");
    let name = &reported.payload.fields["name"];
    assert_eq!((name.value.as_str(), name.base.as_str()), (Some("Siti R."), "evt_2"));
    let text = record::member_changed(&stamp, None, &before);
    let reported: record::Record<record::MemberChanged> = serde_json::from_str(&text).unwrap();
    assert_eq!(reported.payload.fields.len(), 7);
    assert!(reported.payload.fields.values().all(|field| field.base.is_empty()));
}

#[test]
fn tills_are_added_renamed_and_switched_off() {
    let mut shop = open();
    let cmd = NewRegister { register_id: "till-2".into(), name: some("Door") };
    let event = register::add(&cmd, &Authorization::unapproved(&boss()), &shop.ledger).unwrap();
    shop.commit(event);
    let again = register::add(&cmd, &Authorization::unapproved(&boss()), &shop.ledger).unwrap_err();
    assert_eq!(again.code(), "duplicate");
    let refused = register::add(&cmd, &Authorization::unapproved(&ani()), &shop.ledger).unwrap_err();
    assert_eq!(refused.code(), "insufficient_role");
    let off = ChangeRegister { name: None, state: Some(RegisterState::Disabled) };
    let event =
        register::change(&off, &"till-2".into(), &Authorization::unapproved(&boss()), &shop.ledger).unwrap();
    shop.commit(event);
    assert!(shop.ledger.registers["till-2"].disabled);
    assert_eq!(shop.ledger.registers["till-2"].name, "Door");
    let missing = register::change(&off, &"till-9".into(), &Authorization::unapproved(&boss()), &shop.ledger);
    assert_eq!(missing.unwrap_err().code(), "not_found");
}

fn cause(reference_id: &str, on: Date) -> Cause<'_> {
    static WHO: std::sync::OnceLock<domain::model::base::ids::UserId> = std::sync::OnceLock::new();
    let user_id = WHO.get_or_init(|| "usr_1".into());
    Cause { reference_id, business_date: on, user_id, at: NOW, worth: Money::new(1) }
}

#[test]
fn redeeming_has_an_allowance_while_head_office_is_away() {
    let mut rules = rules();
    rules.policy.points_offline_limit = 50.into();
    let on = date(2026, 11, 20);
    let mut account = PointsAccount::new("mbr_1".into());
    account.earn(100.into(), None, &cause("trx_1", on));
    account.redeem(40.into(), 0.into(), true, &rules, &cause("trx_2", on)).unwrap();
    let refused = account.redeem(11.into(), 0.into(), true, &rules, &cause("trx_3", on)).unwrap_err();
    assert_eq!(
        refused,
        Refusal::InsufficientPoints {
            member_id: "mbr_1".into(),
            balance: 60.into(),
            reserved: 0.into(),
            available: 10.into(),
            requested: 11.into()
        },
        "the remaining allowance"
    );
    account.redeem(11.into(), 0.into(), false, &rules, &cause("trx_3", on)).unwrap();
    assert_eq!(account.balance(), 49);
}

#[test]
fn a_lot_is_used_through_its_date_and_never_after() {
    let mut lots = Lots::default();
    lots.earn("s1", 10.into(), Some(date(2026, 11, 20)));
    assert_eq!(lots.usable(date(2026, 11, 20)), 10);
    let refused = lots.redeem(1.into(), date(2026, 11, 21)).unwrap_err();
    assert_eq!(refused.code(), "insufficient_points");
    assert_eq!(lots.balance(), 10, "only the hub expires it");
    assert_eq!(lots.expire(date(2026, 11, 20)).len(), 0);
    assert_eq!(lots.expire(date(2026, 11, 21)).len(), 1);
}

#[test]
fn points_given_by_hand_have_a_reason() {
    let bad = AdjustPoints { points: 0.into(), reason: String::new() };
    let refused = bad.check().unwrap_err().details().to_string();
    assert!(refused.contains("points") && refused.contains("reason"), "{refused}");
    let mut account = PointsAccount::new("mbr_1".into());
    let on = date(2026, 11, 20);
    let give = |points| AdjustPoints { points, reason: "sorry".to_owned() };
    let entry = give(500.into()).apply(&mut account, &rules(), &cause("evt_1", on));
    assert_eq!((entry.points.get(), entry.balance_after.get()), (500, 500));
    let entry = give((-600).into()).apply(&mut account, &rules(), &cause("evt_2", on));
    assert_eq!((entry.points.get(), entry.balance_after.get(), account.lots.debt.get()), (-600, -100, 100));
}

#[test]
fn a_manager_corrects_points_and_dates_pass() {
    let mut shop = open();
    shop.rules.policy.points_expire_days = 10;
    let id = first(&shop);
    let cmd = AdjustPoints { points: 50.into(), reason: "sorry".to_owned() };
    let run = |who: &Principal, shop: &Shop| {
        points::adjust(&cmd, &id, "evt_7", NOW, &Authorization::unapproved(who), &shop.rules, &shop.ledger)
    };
    assert_eq!(run(&ani(), &shop).unwrap_err().code(), "insufficient_role");
    let event = run(&boss(), &shop).unwrap();

    assert_eq!(event.entry.entry_id, "evt_7:adjust");
    shop.commit(event);
    let by = "usr_system".into();
    assert_eq!(points::expire(&id, date(2026, 11, 30), NOW, &by, &shop.ledger), None);
    let event = points::expire(&id, date(2026, 12, 1), NOW, &by, &shop.ledger).unwrap();
    shop.commit(event);
    assert_eq!(shop.ledger.points[&id].balance(), 0);
    assert_eq!(points::expire(&id, date(2026, 12, 1), NOW, &by, &shop.ledger), None, "once");
    let shown = member::view(&shop.members.members[&id], 7.into());
    assert_eq!((shown.points_balance.get(), shown.member_id), (7, id));
}

#[derive(Debug, Clone)]
enum Do {
    Earn(i64, Option<i8>),
    Redeem(i64),
    GiveBack(usize, i64),
    Reverse(i64, Option<i8>),
    Expire,
    Later(i8),
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Points equal what was earned less what was spent, and lots never go below zero.
    #[test]
    fn points_are_conserved_in_their_lots(steps in prop::collection::vec(
        prop_oneof![
            (1..50_i64, prop::option::of(1..20_i8)).prop_map(|(n, life)| Do::Earn(n, life)),
            (1..60_i64).prop_map(Do::Redeem),
            (0..5_usize, 1..60_i64).prop_map(|(which, n)| Do::GiveBack(which, n)),
            (1..60_i64, prop::option::of(1..20_i8)).prop_map(|(n, life)| Do::Reverse(n, life)),
            Just(Do::Expire),
            (1..9_i8).prop_map(Do::Later),
        ],
        0..60,
    )) {
        let mut lots = Lots::default();
        let mut today = date(2026, 1, 1);
        let day = |today: Date, life: Option<i8>| {
            life.map(|life| today.checked_add(jiff::Span::new().days(life)).unwrap())
        };
        let (mut expected, mut out): (i64, Vec<Vec<_>>) = (0, Vec::new());
        for step in steps {
            match step {
                Do::Earn(n, life) => {
                    lots.earn("s", n.into(), day(today, life));
                    expected += n;
                }
                Do::Redeem(n) => {
                    let usable = lots.usable(today);
                    match lots.redeem(n.into(), today) {
                        Ok(parts) => {
                            prop_assert_eq!(parts.iter().map(|part| part.points).sum::<i64>(), n);
                            prop_assert!(parts.is_sorted_by_key(|part| (part.expires.is_none(), part.expires)));
                            expected -= n;
                            out.push(parts);
                        }
                        Err(_) => prop_assert!(n > usable || lots.debt > 0),
                    }
                }
                Do::GiveBack(which, n) => {
                    let count = out.len().max(1);
                    if let Some(taken) = out.get_mut(which % count) {
                        let still: i64 = taken.iter().map(|part| part.points).sum();
                        let n = n.min(still);
                        lots.restore_points(taken, n.into(), today, 30);
                        prop_assert_eq!(taken.iter().map(|part| part.points).sum::<i64>(), still - n);
                        expected += n;
                    }
                }
                Do::Reverse(n, life) => {
                    lots.reverse(day(today, life), n.into());
                    expected -= n;
                }
                Do::Expire => {
                    let gone: i64 = lots.expire(today).iter().map(|part| part.points).sum();
                    expected -= gone;
                    prop_assert_eq!(lots.usable(today), lots.lots.iter().map(|lot| lot.points).sum::<i64>());
                }
                Do::Later(days) => today = day(today, Some(days)).unwrap(),
            }
            prop_assert_eq!(lots.balance(), expected);
            prop_assert!(lots.lots.iter().all(|lot| lot.points > 0));
            prop_assert!(lots.debt == 0 || lots.lots.is_empty());
            let mut dates: Vec<_> = lots.lots.iter().map(|lot| lot.expires).collect();
            dates.dedup();
            prop_assert_eq!(dates.len(), lots.lots.len(), "one lot per date");
        }
    }
}
