//! Expiry of a member's points at head office, from the records of all stores.

use domain::model::base::figures::Money;
use domain::model::people::points::{Cause, LotPart, PointsAccount, PointsEntry, PointsReason};
use domain::rules::people::points::{Expiry, ExpiryEntry, LotFold};
use jiff::civil::{Date, date};
use proptest::prelude::*;
use std::collections::BTreeMap;
use testkit::shop::{NOW, rules};

const EARN: PointsReason = PointsReason::Earn;
const REDEEM: PointsReason = PointsReason::Redeem;
const EXPIRE: PointsReason = PointsReason::Expire;

fn reported(day: i8, points: i64, reason: PointsReason, sale: &str, last: Option<Date>) -> ExpiryEntry {
    let business_date = date(2026, 11, day);
    ExpiryEntry {
        reason,
        points: points.into(),
        expires: last,
        transaction_id: sale.to_owned(),
        business_date,
    }
}

fn due(reported: &[ExpiryEntry], today: Date) -> Expiry {
    let mut lots = LotFold::new(today);
    reported.iter().for_each(|reported| lots.add(reported));
    lots.done()
}

#[test]
fn only_points_past_their_date_expire() {
    let (nov, dec) = (date(2026, 11, 20), date(2026, 12, 31));
    let both = vec![reported(1, 100, EARN, "s1", Some(dec)), reported(2, 50, EARN, "s2", Some(nov))];
    let with = |more: &[ExpiryEntry]| {
        let mut all = both.clone();
        all.extend(more.iter().cloned());
        all.sort_by_key(|reported| reported.business_date);
        all
    };
    // Another store redeemed the points, which it considered to have no date.
    let used = reported(3, -20, REDEEM, "s3", None);
    let back = reported(22, 20, PointsReason::GiveBack, "s3", None);
    let table = [
        ("through its date", with(&[]), nov, 0, Some(nov)),
        ("the day after", with(&[]), date(2026, 11, 21), 50, Some(dec)),
        ("everything, once both are past", with(&[]), date(2027, 1, 1), 150, None),
        ("said before", with(&[reported(21, -50, EXPIRE, "", None)]), date(2026, 11, 30), 0, Some(dec)),
        ("redeemed first", with(std::slice::from_ref(&used)), date(2026, 11, 21), 30, Some(dec)),
        (
            "redeemed in time, told late",
            with(&[reported(21, -50, EXPIRE, "", None), used.clone()]),
            date(2026, 11, 30),
            -20,
            Some(dec),
        ),
        (
            "redeemed after it expired: the other lot's",
            with(&[reported(22, -20, REDEEM, "s3", None)]),
            date(2026, 11, 30),
            50,
            Some(dec),
        ),
        (
            "given back after its date: 30 days",
            with(&[used, back]),
            date(2026, 11, 30),
            30,
            Some(date(2026, 12, 22)),
        ),
        (
            "a clock that runs ahead lets nothing expire",
            with(&[reported(29, -1, REDEEM, "s3", None)]),
            date(2026, 11, 10),
            0,
            Some(nov),
        ),
        (
            "more redeemed than there was, by two stores",
            with(&[reported(3, -160, REDEEM, "s3", None), reported(4, 30, EARN, "s4", Some(nov))]),
            date(2026, 11, 21),
            20,
            None,
        ),
        (
            "taken back of the sale that another store told of",
            with(&[reported(4, -50, PointsReason::Reverse, "s2", None)]),
            date(2026, 11, 21),
            0,
            Some(dec),
        ),
    ];
    for (case, reported, today, points, next) in table {
        assert_eq!(due(&reported, today), Expiry { points: points.into(), next }, "{case}");
    }
}

/// Returns a store's entry in the form in which head office reads it.
fn heard((entry, sale, last): &(PointsEntry, String, Option<Date>)) -> ExpiryEntry {
    let marked = |part: &&LotPart| part.lot_id.ends_with('*');
    let reported = match entry.reason {
        PointsReason::GiveBack => entry.lots.iter().filter(marked).filter_map(|part| part.expires).max(),
        _ => entry.lots.first().and_then(|part| part.expires),
    };
    ExpiryEntry {
        reason: entry.reason,
        points: entry.points,
        expires: last.or(reported),
        transaction_id: sale.clone(),
        business_date: entry.business_date,
    }
}

/// Simulates a member at a single store that lets points expire itself. Returns every entry with its sale and the last
/// day of that sale's points, and the final day.
fn lived(steps: &[(u8, i64, i8)]) -> (Vec<(PointsEntry, String, Option<Date>)>, Date) {
    let (rules, by) = (rules(), "usr_1".into());
    let mut account = PointsAccount::new("mbr_1".into());
    let (mut today, mut entries) = (date(2026, 1, 1), Vec::new());
    let mut taken: BTreeMap<String, Vec<LotPart>> = BTreeMap::new();
    let mut earned: BTreeMap<String, (i64, Date)> = BTreeMap::new();
    for (number, (what, points, days)) in steps.iter().enumerate() {
        let sale = format!("s{number}");
        let cause =
            Cause { reference_id: &sale, business_date: today, user_id: &by, at: NOW, worth: Money::new(1) };
        let mut reported = |entry, sale: &str, last| entries.push((entry, sale.to_owned(), last));
        match what {
            0 => {
                let last = today.checked_add(jiff::Span::new().days(*days)).unwrap();
                reported(account.earn((*points).into(), Some(last), &cause), &sale, Some(last));
                earned.insert(sale.clone(), (*points, last));
            }
            1 => {
                if let Ok(entry) = account.redeem((*points).into(), 0.into(), false, &rules, &cause) {
                    taken.insert(sale.clone(), entry.lots.clone());
                    reported(entry, &sale, None);
                }
            }
            2 => {
                if let Some((sale, parts)) = taken.iter_mut().next_back() {
                    let out = parts.iter().map(|part| part.points).sum::<i64>().min(*points);
                    reported(account.restore_points(parts, out.into(), &rules, &cause), sale, None);
                }
            }
            3 => {
                if let Some((sale, (_, last))) = earned.pop_first() {
                    reported(account.reverse((*points).into(), Some(last), &cause), &sale, None);
                }
            }
            _ => {
                today = today.checked_add(jiff::Span::new().days(*days)).unwrap();
                let cause = Cause { business_date: today, ..cause };
                entries.extend(account.expire(&cause).map(|entry| (entry, String::new(), None)));
            }
        }
    }
    (entries, today)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Head office gets the same result as a single store each night, even if it receives entries late. An expiry is
    /// not repeated.
    #[test]
    fn head_office_expires_what_a_store_alone_would(
        steps in prop::collection::vec((0..6_u8, 1..60_i64, 1..20_i8), 0..60),
        late in prop::collection::vec(0..40_i8, 60),
    ) {
        let (entries, today) = lived(&steps);
        let all: Vec<ExpiryEntry> = entries.iter().map(heard).collect();
        let by_store: i64 = all.iter().filter(|reported| reported.reason == EXPIRE).map(|reported| -reported.points.get()).sum();
        prop_assert_eq!(due(&all, today).points, 0, "the store said so");

        let (mut night, mut said, mut by_office) = (date(2026, 1, 1), Vec::new(), 0);
        let last = today.checked_add(jiff::Span::new().days(40)).unwrap();
        while night <= last {
            let arrived = |place: usize, reported: &ExpiryEntry| {
                let days = jiff::Span::new().days(late[place % late.len()]);
                reported.business_date.checked_add(days).unwrap() <= night
            };
            let known = all.iter().enumerate().filter(|(place, reported)| reported.reason != EXPIRE && arrived(*place, reported));
            let mut known: Vec<ExpiryEntry> = known.map(|(_, reported)| reported.clone()).chain(said.clone()).collect();
            known.sort_by_key(|reported| reported.business_date);
            let asked = night.min(today);
            let points = due(&known, asked).points;
            by_office += points.get();
            let entry = ExpiryEntry { reason: EXPIRE, points: points.saturating_neg(), expires: None, transaction_id: String::new(),
                business_date: asked };
            known.push(entry.clone());
            prop_assert_eq!(due(&known, asked).points, 0, "said twice");
            said.push(entry);
            night = night.tomorrow().unwrap();
        }
        prop_assert_eq!(by_office, by_store);
    }
}
