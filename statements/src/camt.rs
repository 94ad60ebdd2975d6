//! Statements as CAMT.053, 001.01 to 001.13: elements are known by their local names. A file that declares a document
//! type is refused, so that no entity is ever expanded; the memory used for reading a file is bounded, whatever its
//! content.

mod encoding;
mod entry;
mod money;
mod names;
mod statement;
#[cfg(test)]
mod tests;
mod walk;

pub use statement::AccountName;

use crate::line::{Bounds, LineRow};
use crate::set_aside::RowsSetAside;
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::import::TextLine;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use money::whole_balance;
use quick_xml::Reader;
use quick_xml::events::Event;
use walk::Walk;

/// Account whose statements are read.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// Number of the account at its bank. `None` if the file must be of one account.
    pub account: Option<&'a str>,
    /// Currency of the account. `None` for that of the file.
    pub currency: Option<&'a str>,
    /// Whether amounts with a fraction of the smallest unit are rounded; otherwise their entries are set aside.
    pub round: bool,
    /// Time zone of moments without an offset. `None` if their day is as it is written.
    pub zone: Option<&'a TimeZone>,
    /// Time zone in which a moment has its day. `None` if every day is as it is written.
    pub local: Option<&'a TimeZone>,
}

/// Statement of an account in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CamtStatement {
    /// Account that was read. `None` if the file names none.
    pub account: Option<AccountName>,
    pub opening: Option<Money>,
    pub closing: Option<Money>,
    /// Lines of its booked entries.
    pub lines: Vec<TextLine>,
    /// Numbers of the lines, with the amounts that rounding took from them.
    pub rows: Vec<LineRow>,
    /// Accounts of the file whose statements were passed over.
    pub others: Vec<AccountName>,
    /// The first and the last day that its statements name.
    pub span: (Option<Date>, Option<Date>),
    /// Entries that are no lines, and statements of other accounts.
    pub aside: RowsSetAside,
}

/// Reads the lines of an account.
///
/// # Errors
/// Each bad entry, or the problem of the file.
pub fn read(bytes: &[u8], wanted: &Wanted<'_>, bounds: &Bounds) -> Result<CamtStatement, Vec<FieldProblem>> {
    let text = encoding::decoded(bytes).map_err(|problem| whole(&problem))?;
    let mut reader = Reader::from_str(&text);
    reader.config_mut().expand_empty_elements = true;
    let mut walk = Walk::new(wanted, bounds);
    loop {
        let event = reader.read_event().map_err(|error| whole(&format!("is not XML: {error}")))?;
        if matches!(event, Event::Eof) {
            break;
        }
        walk.take(event).map_err(|problem| whole(&problem))?;
    }
    if !walk.is_over() {
        return Err(whole("is incomplete: it ends too early"));
    }
    reported(walk, wanted, bounds.currency)
}

fn reported(
    walk: Walk<'_>,
    wanted: &Wanted<'_>,
    office: Currency,
) -> Result<CamtStatement, Vec<FieldProblem>> {
    let Walk { statements, account, others, aside, problems, .. } = walk;
    let names = || others.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let account = account.filter(|account| *account != AccountName::default());
    match (statements.is_empty(), others.is_empty()) {
        (true, true) => return Err(whole("has no statement (BkToCstmrStmt/Stmt)")),
        (true, false) => return Err(whole(&format!("is of {}; {}", names(), is_of(wanted)))),
        (false, false) if wanted.account.is_none() || in_two_currencies(&others, wanted) => {
            let first = account.map(|account| account.to_string()).unwrap_or_default();
            return Err(whole(&format!(
                "has statements of several accounts: {first}, {}; {}",
                names(),
                is_of(wanted)
            )));
        }
        _ => {}
    }
    // Unreadable entries are set aside, unless none is left beside them.
    if !problems.is_empty() && statements.iter().all(|statement| statement.lines.is_empty()) {
        return Err(problems);
    }
    let closing = |problem: String| vec![FieldProblem { path: "closing_balance".to_owned(), problem }];
    let joined = statement::joined(statements, office).map_err(closing)?.unwrap_or_default();
    let (opening, closing) = (joined.opening().map(whole_balance), joined.closing().map(whole_balance));
    let span = (joined.from, joined.to);
    let numbered = (1..).zip(&joined.lines);
    let rows = numbered.map(|(row_no, booked)| LineRow { row_no, lost: booked.lost }).collect();
    let lines = joined.lines.into_iter().map(|booked| booked.line).collect();
    Ok(CamtStatement { account, opening, closing, lines, rows, others, span, aside })
}

/// Whether the requested account is there in several currencies, and none was chosen.
fn in_two_currencies(others: &[AccountName], wanted: &Wanted<'_>) -> bool {
    wanted.currency.is_none() && others.iter().any(|other| other.is(wanted.account, None))
}

/// Description of the source, for people.
fn is_of(wanted: &Wanted<'_>) -> String {
    match (wanted.account, wanted.currency) {
        (Some(account), Some(currency)) => format!("the source is of account {account} in {currency}"),
        (Some(account), None) => {
            format!("the source is of account {account} without a currency")
        }
        (None, Some(currency)) => {
            format!("the source is in {currency} without an account: set its account_no")
        }
        (None, None) => "set the account_no of the source".to_owned(),
    }
}

fn whole(problem: &str) -> Vec<FieldProblem> {
    vec![FieldProblem { path: "file".to_owned(), problem: problem.to_owned() }]
}
