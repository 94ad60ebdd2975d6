//! Opening points: points that members had before this system kept them.

use crate::model::base::figures::Points;
use crate::model::base::ids::{MemberId, UserId};
use crate::model::base::limits::FIGURE_MAX;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::books::ledger::LedgerBook;
use crate::model::people::member::MemberKey;
use crate::model::people::points::{Cause, PointsReason, expiry};
use crate::rules::books::day::dated;
use crate::rules::people::member::ChangeMember;
use crate::rules::people::points::Moved;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most rows of one file: they are one commit, so that all of them are imported or none.
pub const POINTS_ROWS_MAX: usize = 10_000;

/// The opening points of one member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointsRow {
    /// The line of the file.
    pub line: u64,
    /// The member's phone number, as typed.
    pub phone: Option<String>,
    /// The member's e-mail address.
    pub email: Option<String>,
    pub code: Option<String>,
    /// Points, 1 or more.
    pub points: Points,
}

impl PointsRow {
    /// The keys by which the member is looked up; empty if there is none, or if one is badly written.
    pub fn keys(&self, country_code: &str) -> Vec<MemberKey> {
        let Self { phone, email, code, .. } = self.clone();
        ChangeMember { phone, email, code, ..ChangeMember::default() }.keys(country_code)
    }
}

/// The member that a row names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedMember {
    One(MemberId),
    /// No member has a key of the row.
    Unknown,
    /// The keys of the row belong to different members.
    Several,
    /// The member has opening points already.
    Opened(MemberId),
    /// The member's data was erased.
    Erased(MemberId),
}

/// Adds the points of each row of a file to its member: all rows or none. `named` and `reference_ids` have one value
/// for each row.
///
/// # Errors
/// `validation_failed` with every bad row as `line <n>`: no member or several, a member twice, points that are not 1
/// or more, a member who has opening points.
pub fn open_points(
    rows: &[PointsRow],
    named: &[NamedMember],
    reference_ids: &[String],
    (now, by): (UtcMs, &UserId),
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Vec<Moved>, Refusal> {
    if rows.is_empty() || rows.len() > POINTS_ROWS_MAX {
        let problem = format!("must be 1 to {POINTS_ROWS_MAX}: split the file");
        return Err(Refusal::field("rows", problem));
    }
    let (mut lines, mut moved, mut problems) = (BTreeMap::new(), Vec::new(), Vec::new());
    let business_date = dated(now, rules, book);
    for ((row, named), reference_id) in rows.iter().zip(named).zip(reference_ids) {
        let cause = Cause { reference_id, business_date, user_id: by, at: now, worth: rules.redeem_value };
        let opened = member(named).and_then(|member| match lines.insert(member.clone(), row.line) {
            Some(first) => Err(format!("names the same member as line {first}")),
            None => open(row, &member, &cause, rules, book),
        });
        match opened {
            Ok(opened) => moved.push(opened),
            Err(problem) => problems.push(FieldProblem { path: format!("line {}", row.line), problem }),
        }
    }
    if problems.is_empty() { Ok(moved) } else { Err(Refusal::ValidationFailed(problems)) }
}

fn member(named: &NamedMember) -> Result<MemberId, String> {
    match named {
        NamedMember::One(member) => Ok(member.clone()),
        NamedMember::Unknown => Err(
            "names no registered member: give the phone number, e-mail address or code that the member is \
            registered with"
                .to_owned(),
        ),
        NamedMember::Several => {
            Err("has a phone number, e-mail address and code of different members".to_owned())
        }
        NamedMember::Opened(member) => {
            Err(format!("member {member} already has opening points: adjust the points instead"))
        }
        NamedMember::Erased(member) => Err(format!("member {member} is erased")),
    }
}

fn open(
    row: &PointsRow,
    member: &MemberId,
    cause: &Cause<'_>,
    rules: &Rules,
    book: &LedgerBook,
) -> Result<Moved, String> {
    if !(1..=FIGURE_MAX).contains(&row.points) {
        return Err(format!("points must be 1 to {FIGURE_MAX}"));
    }
    let mut account = book.account(member);
    if account.balance().saturating_add(row.points) > FIGURE_MAX {
        return Err(format!("points must not give the member more than {FIGURE_MAX}"));
    }
    let lots = account.lots.earn(cause.reference_id, row.points, expiry(cause.business_date, rules));
    let entry = account.entry(row.points, PointsReason::Opening, lots.into_iter().collect(), cause);
    Ok(Moved { entry, account })
}
