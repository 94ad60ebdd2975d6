//! Lines of a statement, listed.

use crate::columns;
use crate::db::filter::{Bound, Conditions};
use crate::http::paged_list::page_query;
use domain::model::base::figures::Money;
use domain::rules::books::settlement::LineKind;
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyPool;
use sqlx::any::AnyRow;

/// State of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StatementLineState")]
pub enum State {
    /// Not matched yet.
    Unmatched,
    /// Matched with items, with a payout or with a known text.
    Matched,
    /// A user must check it.
    Excepted,
    /// Resolved by a user, or a separate fee that needs no match.
    Resolved,
}

impl State {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "matched" => Self::Matched,
            "excepted" => Self::Excepted,
            "unmatched" => Self::Unmatched,
            "resolved" | "carried" => Self::Resolved,
            _ => return None,
        })
    }

    fn condition(self) -> &'static str {
        match self {
            Self::Unmatched => "state = 'unmatched'",
            Self::Matched => "state = 'matched'",
            Self::Excepted => "state = 'excepted'",
            Self::Resolved => "state IN ('resolved', 'carried')",
        }
    }
}

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementLinesQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those in this state.
    pub state: Option<State>,
}
page_query!(StatementLinesQuery);

/// A line of a statement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatementLine")]
pub struct View {
    /// ID of the line, `sln_…`.
    line_id: String,
    /// Position of the line in its file, from 1.
    line_no: i64,
    /// Date of the line.
    date: Date,
    /// Slip or transfer number of the line. Empty for none.
    reference: String,
    /// Description of the line, as the source wrote it.
    description: String,
    /// Kind of the line.
    #[serde(rename = "type")]
    kind: LineKind,
    /// Amount before fees in minor currency units, positive for incoming money. Null if the source reports none.
    gross: Option<Money>,
    /// Fee in minor currency units, positive if it is charged. Null if the source reports none.
    fee: Option<Money>,
    /// Net amount that reaches the account, in minor currency units.
    net: Option<Money>,
    /// Batch that the line was paid out with. Null if the source names none.
    batch: Option<String>,
    /// Terminal or shop, as the source names it. Null if it names none.
    store_ref: Option<String>,
    /// State of the line.
    state: State,
    /// ID of the line's match. Null if it has none.
    match_id: Option<String>,
}

/// The place of a line.
pub fn place(item: &View) -> i64 {
    item.line_no
}

/// The lines after a place, in the order of the file.
pub async fn list(
    pool: &AnyPool,
    statement_id: &str,
    ask: &StatementLinesQuery,
    after: Option<i64>,
    limit: i64,
) -> Result<Vec<View>, sqlx::Error> {
    let state = ask.state.map(State::condition);
    let conditions = Conditions::default()
        .text("statement_id = ?", Some(statement_id))
        .plain(state.unwrap_or_default(), state.is_some())
        .above(["line_no"], after.map(|place| [Bound::from(place)]));
    let sql = format!(
        "SELECT line_id, line_no, line_date, reference, description, kind, gross, fee, net, batch, store_ref, state, \
         match_id FROM statement_lines WHERE {{}} ORDER BY line_no LIMIT {limit}"
    );
    let view = |row: &AnyRow| -> Result<View, sqlx::Error> {
        Ok(columns!(row => View {
            line_id, line_no, date: "line_date", reference, description, gross, fee, net, batch, store_ref, match_id;
            kind = row.word("kind", LineKind::parse)?, state = row.word("state", State::parse)?,
        }))
    };
    conditions.query(&sql).fetch_all(pool).await?.iter().map(view).collect()
}
