//! Common rules for a line of a statement, in any format.

use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::refusal::FieldProblem;
use domain::rules::books::settlement::import::{Figures, TextLine};
use domain::rules::books::settlement::{LineKind, SourceKind};
use jiff::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;

/// Older lines are slips.
const DAYS_BACK_MAX: i32 = 400;
/// Days that a date may be ahead: at a store or a bank the day may begin before it does at head office.
const DAYS_AHEAD_MAX: i32 = 1;
/// Longest reference, in bytes.
pub const REFERENCE_BYTES_MAX: usize = 140;
/// Longest batch and terminal, in bytes.
pub const NAME_BYTES_MAX: usize = 64;
/// Longest description, in bytes.
pub const TEXT_BYTES_MAX: usize = 500;
/// The text of the line with the rounding differences of the others.
pub const ROUNDING: &str = "Rounding of amounts with a fraction";
/// The largest amount of a line.
pub const AMOUNT_MAX: i64 = 1_000_000_000_000;

#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The date at head office.
    pub today: Date,
    /// Most rows of a file, or lines of a statement, that are imported at once.
    pub import_rows: usize,
    /// Currency of all amounts, which says how many decimals a file may have.
    pub currency: Currency,
}

impl Bounds {
    /// # Errors
    /// Description of the problem, for people.
    pub fn check_rows(&self, rows: usize) -> Result<(), String> {
        let most = self.import_rows;
        let problem = || format!("has {rows} rows; at most {most} are imported at once (limits.import_rows)");
        if rows > most { Err(problem()) } else { Ok(()) }
    }
}

/// Source whose file is read.
#[derive(Debug, Clone)]
pub struct SourceFile<'a> {
    /// Kind of source: a payment provider or a bank.
    pub kind: SourceKind,
    /// Number of its account. `None` if it is not checked.
    pub account_no: Option<&'a str>,
    /// Code of its currency. `None` if it is not checked.
    pub currency: Option<&'a str>,
    /// Time zone of its times. `None` if they change no day.
    pub zone: Option<TimeZone>,
    /// The zone whose days count.
    pub local: TimeZone,
    /// Separator of cells, once it is known.
    pub separator: char,
}

/// The row that a line came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRow {
    /// The line of the file, from 1.
    pub row_no: i64,
    /// Amount that rounding took from its net, in millionths.
    pub lost: i64,
}

/// A line of a statement in JSON.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewStatementLine")]
pub struct JsonLine {
    /// Date of the line.
    pub date: Date,
    /// Slip or transfer number of the line.
    #[serde(default)]
    #[schemars(length(max = REFERENCE_BYTES_MAX))]
    pub reference: String,
    /// Description of the line. Defaults to an empty text.
    #[serde(default)]
    #[schemars(length(max = TEXT_BYTES_MAX))]
    pub description: String,
    /// Amount of the line in minor currency units: gross for a provider, net for a bank.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    pub amount: Option<Money>,
    /// Amount before fees in minor currency units, positive for incoming money. Null if the source reports none.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    pub gross: Option<Money>,
    /// Fee in minor currency units, positive if it is charged. Null if the source reports none.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    pub fee: Option<Money>,
    /// Net amount that reaches the account, in minor currency units.
    #[schemars(range(min = -AMOUNT_MAX, max = AMOUNT_MAX))]
    pub net: Option<Money>,
    /// Kind of line. Null to decide by the sign of the amount.
    #[serde(rename = "type")]
    pub kind: Option<LineKind>,
    /// Batch that the line was paid out with. Null if the source names none.
    #[schemars(length(max = NAME_BYTES_MAX))]
    pub batch: Option<String>,
    /// Terminal or shop, as the source names it. Null if it names none.
    #[schemars(length(max = NAME_BYTES_MAX))]
    pub store_ref: Option<String>,
}

/// Checks lines of JSON.
///
/// # Errors
/// Each bad field.
pub fn of_json(
    lines: Vec<JsonLine>,
    kind: SourceKind,
    bounds: &Bounds,
) -> Result<Vec<TextLine>, Vec<FieldProblem>> {
    let problem = |path: String, problem: &str| FieldProblem { path, problem: problem.to_owned() };
    let some = if lines.is_empty() { Err("must not be empty".to_owned()) } else { Ok(()) };
    let fits = some.and_then(|()| bounds.check_rows(lines.len()));
    fits.map_err(|words| vec![problem("lines".to_owned(), &words)])?;
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for (place, given) in lines.into_iter().enumerate() {
        let figures = Figures { amount: given.amount, gross: given.gross, fee: given.fee, net: given.net };
        let figures = figures.of_kind(kind, given.kind);
        let [gross, fee, net] = match figures {
            Ok(figures) => figures,
            Err(wrong) => {
                problems.push(problem(format!("lines[{place}].amount"), wrong));
                continue;
            }
        };
        // The spaces around a text count too: the longest text of the request is then the longest of the line.
        for (field, text, most) in [
            ("reference", &given.reference, REFERENCE_BYTES_MAX),
            ("description", &given.description, TEXT_BYTES_MAX),
        ] {
            if text.len() > most && text.trim().len() <= most {
                let words = format!("must have at most {most} bytes");
                problems.push(problem(format!("lines[{place}].{field}"), &words));
            }
        }
        let line = TextLine {
            date: given.date,
            reference: given.reference.trim().to_owned(),
            other_references: Vec::new(),
            description: given.description.trim().to_owned(),
            kind: given.kind.unwrap_or(LineKind::by_sign(kind, gross.or(net).unwrap_or(Money::ZERO))),
            batch: given.batch.filter(|batch| !batch.is_empty()),
            store_ref: given.store_ref.filter(|store_ref| !store_ref.is_empty()),
            gross,
            fee,
            net,
        };
        let wrong = check_line(&line, bounds).into_iter().chain(check_amount(given.amount, &line));
        problems.extend(wrong.map(|(field, words)| problem(format!("lines[{place}].{field}"), &words)));
        good.push(line);
    }
    if problems.is_empty() { Ok(good) } else { Err(problems) }
}

/// The problem of an amount that its line does not have, because another figure took precedence.
pub fn check_amount(amount: Option<Money>, line: &TextLine) -> Option<(&'static str, String)> {
    let amount = amount.filter(|amount| !(-AMOUNT_MAX..=AMOUNT_MAX).contains(amount))?;
    let is_checked = [line.gross, line.net].contains(&Some(amount));
    (!is_checked).then(|| ("amount", format!("must be -{AMOUNT_MAX} to {AMOUNT_MAX}")))
}

/// Problems of a line, by field.
pub fn check_line(line: &TextLine, bounds: &Bounds) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let first = bounds.today.checked_sub(Span::new().days(DAYS_BACK_MAX)).unwrap_or(Date::MIN);
    let last = bounds.today.checked_add(Span::new().days(DAYS_AHEAD_MAX)).unwrap_or(bounds.today);
    if !(first..=last).contains(&line.date) {
        problems.push(("date", format!("must be {first} to {last}")));
    }
    let texts = [
        ("reference", Some(&line.reference), REFERENCE_BYTES_MAX),
        ("description", Some(&line.description), TEXT_BYTES_MAX),
        ("batch", line.batch.as_ref(), NAME_BYTES_MAX),
        ("store_ref", line.store_ref.as_ref(), NAME_BYTES_MAX),
    ];
    for (field, text, most) in texts {
        if text.is_some_and(|text| text.len() > most || text.contains('\0')) {
            problems.push((field, format!("must have at most {most} bytes and no NUL")));
        }
    }
    let figures = [("gross", line.gross), ("fee", line.fee), ("net", line.net)];
    for (field, figure) in figures {
        if figure.is_some_and(|figure| !(-AMOUNT_MAX..=AMOUNT_MAX).contains(&figure)) {
            problems.push((field, format!("must be -{AMOUNT_MAX} to {AMOUNT_MAX}")));
        }
    }
    problems
}
