//! Members of a file: all of them, or every row that is wrong.

use crate::model::base::event::{Event, fact};
use crate::model::base::ids::MemberId;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::settings::Rules;
use crate::model::hub::stamp::Stamp;
use crate::model::people::authorization::Authorization;
use crate::model::people::member::MemberBook;
use crate::rules::people::member::{NewMember, register};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most members of one file: they are one commit, so that all of them are imported or none.
pub const MEMBER_ROWS_MAX: usize = 10_000;

/// A row of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRow {
    /// Line of the row in the file.
    pub line: u64,
    /// The member in it.
    pub member: NewMember,
    /// Why the row can't be read as a member. The import reports it together with all other problems of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Registers every row; `new` has an ID and a stamp for each.
///
/// # Errors
/// `validation_failed` with every row that can't be registered, by its line.
pub fn import(
    rows: &[MemberRow],
    new: &[(MemberId, Stamp)],
    authorization: &Authorization<'_>,
    rules: &Rules,
    book: &MemberBook,
) -> Result<Vec<Event<fact::MemberChanged>>, Refusal> {
    if rows.len() > MEMBER_ROWS_MAX || rows.len() != new.len() {
        let problem = format!("more than {MEMBER_ROWS_MAX} rows: split the file");
        return Err(Refusal::field("file", problem));
    }
    let (mut book, mut lines) = (book.clone(), BTreeMap::new());
    let (mut events, mut problems) = (Vec::new(), Vec::new());
    for (row, (id, stamp)) in rows.iter().zip(new) {
        let mut wrong: Vec<String> = row.problem.iter().cloned().collect();
        match register(&row.member, id.clone(), stamp, authorization, rules, &book) {
            Ok(event) => {
                book.evolve(&event.fact);
                lines.insert(id.0.clone(), row.line);
                events.push(event);
            }
            Err(refusal) => wrong.push(problem(&refusal, &lines)),
        }
        if !wrong.is_empty() {
            problems.push(FieldProblem { path: format!("line {}", row.line), problem: wrong.join("; ") });
        }
    }
    if problems.is_empty() { Ok(events) } else { Err(Refusal::ValidationFailed(problems)) }
}

/// Problem of a row, on one line.
fn problem(refusal: &Refusal, lines: &BTreeMap<String, u64>) -> String {
    match refusal {
        Refusal::ValidationFailed(fields) => {
            let said: Vec<_> =
                fields.iter().map(|field| format!("{} {}", field.path, field.problem)).collect();
            said.join("; ")
        }
        Refusal::MemberExists(id) => match lines.get(id) {
            Some(line) => format!("has the phone, e-mail or code of line {line}"),
            None => format!("has the phone, e-mail or code of {id}"),
        },
        other => other.to_string(),
    }
}
