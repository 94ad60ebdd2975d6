//! Opening points: every member of a file once, or every bad row reported.

use domain::model::base::ids::MemberId;
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::LedgerBook;
use domain::rules::people::points::{Moved, NamedMember, PointsRow, open_points};
use testkit::shop::rules;

fn row(line: u64, points: i64) -> PointsRow {
    PointsRow { line, phone: None, email: None, code: Some(format!("C{line}")), points: points.into() }
}

fn opened(rows: &[PointsRow], named: &[NamedMember]) -> Result<Vec<Moved>, Refusal> {
    let ids: Vec<String> = rows.iter().map(|row| format!("evt_{}", row.line)).collect();
    let by = (UtcMs(1_790_000_000_000), &"console".into());
    open_points(rows, named, &ids, by, &rules(), &LedgerBook::default())
}

fn one(id: &str) -> NamedMember {
    NamedMember::One(MemberId::from(id))
}

#[test]
fn each_member_gets_the_points_of_the_row() {
    let moved = opened(&[row(2, 500), row(3, 7)], &[one("mbr_a"), one("mbr_b")]).unwrap();
    let entries: Vec<_> =
        moved.iter().map(|moved| (moved.entry.entry_id.as_str(), moved.entry.points)).collect();
    assert_eq!(entries, [("evt_2:opening", 500.into()), ("evt_3:opening", 7.into())]);
    assert_eq!((moved[0].account.balance().get(), moved[0].account.lifetime_earned.get()), (500, 0));
}

#[test]
fn every_bad_row_is_named_and_nothing_is_given() {
    let named = [
        one("mbr_a"),
        one("mbr_a"),
        one("mbr_b"),
        NamedMember::Unknown,
        NamedMember::Several,
        NamedMember::Opened(MemberId::from("mbr_c")),
        NamedMember::Erased(MemberId::from("mbr_d")),
    ];
    let rows = [row(2, 1), row(3, 1), row(4, 0), row(5, 1), row(6, 1), row(7, 1), row(8, 1)];
    let Err(Refusal::ValidationFailed(problems)) = opened(&rows, &named) else { panic!("taken") };
    let paths: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["line 3", "line 4", "line 5", "line 6", "line 7", "line 8"]);
    assert_eq!(problems[0].problem, "names the same member as line 2");
}
