//! Lists credit notes.

use crate::db::document::decode;
use crate::db::filter::{Bound, Conditions};
use domain::model::books::payables::{CreditNote, CreditNoteState};
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditNotesQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Only those in this state.
    pub state: Option<CreditNoteState>,
    /// Only those of this day or later.
    pub from: Option<Date>,
    /// Only those of this day or earlier.
    pub to: Option<Date>,
}

/// The newest first, before the note of a day.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &CreditNotesQuery,
    before: Option<(Date, String)>,
    limit: i64,
) -> Result<Vec<CreditNote>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(day, id)| [day.to_string(), id].map(|text| Bound::from(text.as_str())));
    let conditions = Conditions::default()
        .text("supplier_id = ?", ask.supplier_id.as_deref())
        .text("state = ?", ask.state.map(CreditNoteState::name))
        .text("note_date >= ?", date(ask.from).as_deref())
        .text("note_date <= ?", date(ask.to).as_deref())
        .below(["note_date", "credit_note_id"], below);
    let sql = format!(
        "SELECT document FROM credit_notes WHERE {{}} ORDER BY note_date DESC, credit_note_id DESC LIMIT {limit}"
    );
    let one = |row: &AnyRow| decode(row.try_get("document")?);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(one).collect()
}
