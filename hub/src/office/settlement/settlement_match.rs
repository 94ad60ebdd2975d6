//! Matches, read.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::Rule;
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// The part of a match that belongs to a store and a day.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SettlementMatchSlice")]
pub struct SliceView {
    /// ID of the store.
    pub store_id: String,
    /// Day of the settlement that posts it.
    pub settlement_date: Date,
    /// Sum of its items, in minor currency units.
    pub gross: Money,
    /// Its part of the match's fee, in minor currency units.
    pub fee: Money,
    /// Its part of the match's difference, in minor currency units.
    pub difference: Money,
    /// Its net amount that reached the account, in minor currency units.
    pub net: Money,
    /// Whether the part is posted to the books.
    pub booked: bool,
}

/// State of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SettlementMatchState")]
pub enum MatchState {
    /// The lines and items are matched, and not posted yet.
    Matched,
    /// The match is posted to the books.
    Posted,
    /// The match was undone.
    Undone,
}

impl MatchState {
    /// The word of the state.
    pub fn name(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Posted => "posted",
            Self::Undone => "undone",
        }
    }
}

/// Lines and items that belong together.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SettlementMatch")]
pub struct View {
    /// ID of the match, `mch_…`.
    pub match_id: String,
    /// Source that reported the lines.
    pub source_id: String,
    /// Rule of the match.
    pub rule: Rule,
    /// IDs of the lines.
    pub line_ids: Vec<String>,
    /// IDs of the items.
    pub item_ids: Vec<String>,
    /// Sum of the items, in minor currency units.
    pub gross: Money,
    /// Fee that the provider keeps, in minor currency units.
    pub fee: Money,
    /// Net amount that reached the account, in minor currency units.
    pub net: Money,
    /// `gross` − `fee` − `net`, in minor currency units.
    pub difference: Money,
    /// Account that the difference is posted to. Null for account 6060.
    pub difference_account: Option<String>,
    /// Parts of the match, by store and day.
    pub slices: Vec<SliceView>,
    /// State of the match.
    pub state: MatchState,
    /// User who made the match. Null if it was made automatically.
    pub made_by: Option<String>,
    /// Reason given for the match. Null if the lines were matched automatically.
    pub reason: Option<String>,
    /// When the match was made.
    pub made_at: UtcMs,
    /// User who undid the match. Null if it was not undone.
    pub undone_by: Option<String>,
    /// When the match was undone. Null if it was not.
    pub undone_at: Option<UtcMs>,
    /// Reason given for undoing the match. Null if it was not undone.
    pub undone_reason: Option<String>,
}

/// A match as it was when it was undone.
#[derive(Deserialize)]
struct Undone {
    line_ids: Vec<String>,
    item_ids: Vec<String>,
    slices: Vec<SliceView>,
    undone_by: String,
    undone_at: UtcMs,
    undone_reason: String,
}

/// One of them.
///
/// # Errors
/// 404.
pub async fn read(connection: &mut AnyConnection, match_id: &str) -> Result<View, Failure> {
    let sql = "SELECT match_id, source_id, rule, gross, fee, net, difference, difference_account, state, made_by, reason, \
               made_at, COALESCE(undone, 'null') AS undone FROM settlement_matches WHERE match_id = $1";
    let row = sqlx::query(sql).bind(match_id).fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| ApiError::not_found("the match"))?;
    let undone: Option<Undone> = row.json("undone")?;
    let mut view = columns!(row => View {
        match_id, source_id, gross, fee, net, difference, difference_account, made_by, reason, made_at;
        rule = row.named("rule")?, state = row.named("state")?, line_ids = Vec::new(), item_ids = Vec::new(),
        slices = Vec::new(), undone_by = None, undone_at = None, undone_reason = None,
    });
    if let Some(undone) = undone {
        (view.line_ids, view.item_ids, view.slices) = (undone.line_ids, undone.item_ids, undone.slices);
        (view.undone_by, view.undone_at) = (Some(undone.undone_by), Some(undone.undone_at));
        view.undone_reason = Some(undone.undone_reason);
        return Ok(view);
    }
    let ids = |rows: Vec<AnyRow>| rows.iter().map(|row| row.cell("id")).collect::<Result<Vec<String>, _>>();
    let sql = "SELECT line_id AS id FROM match_lines WHERE match_id = $1 ORDER BY line_id";
    view.line_ids = ids(sqlx::query(sql).bind(match_id).fetch_all(&mut *connection).await?)?;
    let sql = "SELECT item_id AS id FROM match_items WHERE match_id = $1 ORDER BY store_id, item_id";
    view.item_ids = ids(sqlx::query(sql).bind(match_id).fetch_all(&mut *connection).await?)?;
    let sql = "SELECT store_id, settlement_date, gross, fee, difference, net, posted FROM match_slices \
               WHERE match_id = $1 ORDER BY store_id, settlement_date";
    let slice = |row: &AnyRow| -> Result<SliceView, sqlx::Error> {
        Ok(
            columns!(row => SliceView { store_id, settlement_date, gross, fee, difference, net, booked: "posted" }),
        )
    };
    let rows = sqlx::query(sql).bind(match_id).fetch_all(connection).await?;
    view.slices = rows.iter().map(slice).collect::<Result<_, _>>()?;
    Ok(view)
}
