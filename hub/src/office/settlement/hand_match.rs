//! Makes and undoes matches by hand.

use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::settlement::match_rows::{self, By};
use crate::office::settlement::settlement_match::{self, MatchState};
use crate::office::settlement::{exceptions::raised, open, source, statement};
use crate::table::{journal, settlement};
use domain::model::base::figures::Money;
use domain::model::base::limits::{ACCOUNT_DIGITS, ID_BYTES_MAX, TEXT_CHARS_MAX};
use domain::model::base::refusal::Refusal;
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::settlement::{Found, Match, Rule, match_by_hand};
use edge::ApiError;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Most lines, and most items, of one match.
pub(super) const NAMED_MAX: usize = 500;
/// The longest ID of a line or an item, in bytes: that of an item may be a document's with an end such as `#contra`.
pub(super) const NAMED_BYTES_MAX: usize = 2 * ID_BYTES_MAX;

/// A manual match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSettlementMatch")]
pub struct New {
    /// Source that reported the lines.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub source_id: String,
    /// IDs of the lines, up to 500. Empty if the items cancel each other.
    #[schemars(length(max = NAMED_MAX), inner(length(min = 1, max = NAMED_BYTES_MAX)))]
    pub line_ids: Vec<String>,
    /// IDs of the items, up to 500. Empty if the lines are a charge and its refund that no store recorded.
    #[schemars(length(max = NAMED_MAX), inner(length(min = 1, max = NAMED_BYTES_MAX)))]
    pub item_ids: Vec<String>,
    /// Account that the difference between lines and items is posted to. Required if there is a difference.
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub difference_account: Option<String>,
    /// Reason for the match.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub reason: String,
}

/// A payment to a supplier is reported by the bank that paid it: nothing is posted that would move it to another bank's
/// account.
fn check_paid_from(made: &Match<'_>, bank: Account) -> Result<(), ApiError> {
    if made.rule != Rule::SupplierPayment {
        return Ok(());
    }
    let Some((place, item)) = made.items.iter().enumerate().find(|(_, item)| item.account != bank) else {
        return Ok(());
    };
    let (paid_from, bank) = (String::from(item.account), String::from(bank));
    let problem = format!("was paid from account {paid_from}, and the lines are of account {bank}");
    Err(ApiError::field(format!("item_ids[{place}]"), problem))
}

impl Writer<'_> {
    /// Matches lines with items; returns the match's ID.
    ///
    /// # Errors
    /// 404; 422; 409 `invalid_state` for a line or an item that is not open.
    pub async fn match_by_hand(&self, connection: &mut AnyConnection, new: &New) -> Result<String, Failure> {
        check_text("reason", &new.reason)?;
        if new.line_ids.is_empty() && new.item_ids.is_empty() {
            return Err(ApiError::field("line_ids", format!("must name 1 to {NAMED_MAX}")).into());
        }
        let source = source::lock(connection, &new.source_id).await?;
        let mut lines = Vec::new();
        for line_id in named("line_ids", &new.line_ids)? {
            lines.push(open::named_line(connection, &source, line_id).await?);
        }
        let mut items = Vec::new();
        for item_id in named("item_ids", &new.item_ids)? {
            items.push(open::named_item(connection, item_id).await?);
        }
        let made = match_by_hand(&source.terms(), &lines, &items)
            .map_err(|problem| ApiError::field("item_ids", problem))?;
        check_paid_from(&made, source.bank()?)?;
        let rest = self.difference_account(connection, new, made.difference).await?;
        let books: BTreeSet<&str> = items.iter().map(|item| item.store_id.as_str()).collect();
        for book in books {
            journal::numbers(connection, book, 0).await?;
        }
        let mut touched = settle_exceptions(connection, &made, &source.source_id, self.now).await?;
        touched.extend(items.iter().map(|item| (item.store_id.clone(), item.settlement_date)));
        let found = Found { matches: vec![made], ..Found::default() };
        let by = By::Person { made_by: self.by, reason: &new.reason, rest };
        let made_ids = match_rows::write(connection, &source, &found, &by, self.now).await?;
        let made_id = made_ids.into_iter().next();
        let made_id = made_id.ok_or_else(|| ApiError::field("item_ids", "must name at least one"))?;
        let named = lines.iter().map(|line| (line.line_id.as_str(), made_id.as_str()));
        match_rows::mark(connection, named).await?;
        evaluate(connection, &source.source_id, touched).await?;
        Ok(made_id)
    }

    async fn difference_account(
        &self,
        connection: &mut AnyConnection,
        new: &New,
        difference: Money,
    ) -> Result<Option<Account>, Failure> {
        let field = "difference_account";
        let Some(named) = &new.difference_account else {
            if difference == 0 {
                return Ok(None);
            }
            return Err(
                ApiError::field(field, format!("is needed for the difference of {difference}")).into()
            );
        };
        Chart::read(connection).await?.check_by_hand(std::iter::once(named))?;
        Ok(Some(Account::parse(named).ok_or_else(|| ApiError::field(field, "is not an account"))?))
    }

    /// Takes a match back: its lines and items are open again.
    ///
    /// # Errors
    /// 404; 422; 409 `invalid_state` once a part of the match is posted, or it was undone.
    pub async fn undo_match(
        &self,
        connection: &mut AnyConnection,
        match_id: &str,
        reason: &str,
    ) -> Result<(), Failure> {
        check_text("reason", reason)?;
        let source_id = settlement_match::read(connection, match_id).await?.source_id;
        source::lock(connection, &source_id).await?;
        let found = settlement_match::read(connection, match_id).await?;
        let books: BTreeSet<&str> = found.slices.iter().map(|slice| slice.store_id.as_str()).collect();
        for book in books {
            journal::numbers(connection, book, 0).await?;
        }
        let posted =
            settlement_match::read(connection, match_id).await?.slices.iter().any(|slice| slice.booked);
        let state = if posted { MatchState::Posted } else { found.state };
        if state != MatchState::Matched {
            let state = state.name().to_owned();
            return Err(ApiError::from(Refusal::InvalidState { state, allowed: Vec::new() }).into());
        }
        let undone = json!({"line_ids": found.line_ids, "item_ids": found.item_ids, "slices": found.slices,
            "undone_by": self.by, "undone_at": self.now, "undone_reason": reason});
        let sql = "UPDATE settlement_matches SET state = 'undone', undone = $2 WHERE match_id = $1";
        sqlx::query(sql).bind(match_id).bind(undone.to_string()).execute(&mut *connection).await?;
        for sql in [
            "UPDATE statement_lines SET state = 'unmatched', match_id = NULL WHERE match_id = $1",
            "UPDATE settlement_items SET state = 'open', match_id = NULL WHERE state = 'matched' AND match_id = $1",
            "DELETE FROM paid_batches WHERE line_id IN (SELECT line_id FROM match_lines WHERE match_id = $1)",
            "DELETE FROM match_lines WHERE match_id = $1",
            "DELETE FROM match_items WHERE match_id = $1",
            "DELETE FROM match_slices WHERE match_id = $1",
            "DELETE FROM slice_methods WHERE match_id = $1",
        ] {
            sqlx::query(sql).bind(match_id).execute(&mut *connection).await?;
        }
        let mut touched = forget(connection, &found.line_ids, &source_id, self.now).await?;
        touched.extend(found.slices.iter().map(|slice| (slice.store_id.clone(), slice.settlement_date)));
        evaluate(connection, &source_id, touched).await
    }
}

/// Each once, in their order.
fn named<'a>(field: &str, ids: &'a [String]) -> Result<BTreeSet<&'a str>, ApiError> {
    check_named(field, ids)?;
    Ok(ids.iter().map(String::as_str).collect())
}

/// 422 for more IDs than a match may name, or for a text that can't be one.
pub(super) fn check_named(field: &str, ids: &[String]) -> Result<(), ApiError> {
    if ids.len() > NAMED_MAX {
        return Err(ApiError::field(field, format!("must name at most {NAMED_MAX}")));
    }
    match ids.iter().position(|id| id.is_empty() || id.len() > NAMED_BYTES_MAX) {
        Some(place) => {
            Err(ApiError::field(format!("{field}[{place}]"), format!("must be 1 to {NAMED_BYTES_MAX} bytes")))
        }
        None => Ok(()),
    }
}

/// Settlements by store and day.
type Days = BTreeSet<(String, Date)>;

/// Resolves the open exceptions of these lines and items. Returns the settlements that they held up.
async fn settle_exceptions(
    connection: &mut AnyConnection,
    made: &Match<'_>,
    source_id: &str,
    now: UtcMs,
) -> Result<Days, sqlx::Error> {
    let mut touched = Days::new();
    for line in &made.lines {
        let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = 'match', resolved_at = $3 \
                   WHERE source_id = $1 AND state = 'open' AND first_line = $2 RETURNING store_id, business_date";
        let query = sqlx::query(sql).bind(source_id).bind(&line.line_id).bind(now.0);
        touched.extend(raised::held_up(&query.fetch_all(&mut *connection).await?)?);
    }
    for item in &made.items {
        let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = 'match', resolved_at = $3 \
                   WHERE store_id = $1 AND item_id = $2 AND state = 'open' RETURNING store_id, business_date";
        let query = sqlx::query(sql).bind(&item.store_id).bind(&item.item_id).bind(now.0);
        touched.extend(raised::held_up(&query.fetch_all(&mut *connection).await?)?);
    }
    Ok(touched)
}

/// Forgets the resolutions of the match that these lines were in: if they are matched so again, they are
/// asked again.
async fn forget(
    connection: &mut AnyConnection,
    line_ids: &[String],
    source_id: &str,
    now: UtcMs,
) -> Result<Days, sqlx::Error> {
    let mut touched = Days::new();
    for line_id in line_ids {
        let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = NULL, \
                   resolved_at = COALESCE(resolved_at, $3) WHERE source_id = $1 AND first_line = $2 AND kind IN \
                   ('amount_differs', 'fee_differs', 'deposit_differs', 'payout_differs') \
                   RETURNING store_id, business_date";
        let query = sqlx::query(sql).bind(source_id).bind(line_id).bind(now.0);
        touched.extend(raised::held_up(&query.fetch_all(&mut *connection).await?)?);
    }
    Ok(touched)
}

async fn evaluate(connection: &mut AnyConnection, source_id: &str, touched: Days) -> Result<(), Failure> {
    statement::evaluate(connection, source_id).await?;
    for (store_id, day) in touched {
        settlement::evaluate(connection, &store_id, day).await?;
    }
    Ok(())
}
