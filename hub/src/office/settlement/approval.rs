//! Approves a settlement: matches are posted, carried items move on, and the day is locked, in one commit.

use crate::columns;
use crate::db::failure::Failure;
use crate::office::finance::account::Chart;
use crate::office::finance::readiness;
use crate::office::finance::writer::{Writer, check_text};
use crate::office::settlement::posting::slice;
use crate::office::settlement::{by_method, day_settlement as document};
use crate::table::day_lock::{self, Lock};
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::settlement;
use domain::model::base::figures::Money;
use domain::model::base::refusal::Refusal;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::settlement::Slice;
use domain::rules::books::settlement::entry::of_slices;
use domain::rules::books::settlement::state::SettlementState;
use edge::{ApiError, ids};
use jiff::civil::Date;
use serde_json::json;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// Most open exceptions of one settlement that an answer lists.
const TOLD_MAX: i64 = 100;

/// Slices of one source and day of its lines, each with the account of the shortfall.
type Parts = BTreeMap<(String, Account, Date), Vec<(Slice, Account)>>;

impl Writer<'_> {
    /// Approves a settlement.
    ///
    /// # Errors
    /// 404; 422, also for a day that is not over there; 409 `invalid_state` unless it is reconciled.
    pub async fn approve_settlement(
        &self,
        connection: &mut AnyConnection,
        settlement_id: &str,
        note: Option<&str>,
    ) -> Result<(), Failure> {
        if let Some(note) = note {
            check_text("note", note)?;
        }
        let found = document::find(connection, settlement_id).await?;
        let (store_id, day) = (found.store_id.as_str(), found.business_date);
        // The book is locked before the settlement: a record that a store reports meanwhile is either included or late.
        journal::numbers(connection, store_id, 0).await?;
        let tellers = readiness::tellers(&mut *connection).await?;
        if tellers.iter().any(|teller| teller.store_id == store_id && !teller.is_over(day, self.now)) {
            let problem = format!(
                "must be a day that is over in store {store_id}: approving its settlement locks the day"
            );
            return Err(ApiError::field("business_date", problem).into());
        }
        settlement::evaluate(connection, store_id, day).await?;
        let sql = "UPDATE settlements SET state = 'approved', approved_by = $3, approved_at = $4, note = $5 \
                   WHERE store_id = $1 AND business_date = $2 AND state = 'reconciled'";
        let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(self.by).bind(self.now.0);
        if query.bind(note.map(str::to_owned)).execute(&mut *connection).await?.rows_affected() == 0 {
            return Err(not_reconciled(connection, settlement_id).await?.into());
        }
        let parts = parts(connection, store_id, day).await?;
        self.post_slices(connection, settlement_id, store_id, parts).await?;
        posted(connection, store_id, day).await?;
        by_method::keep(connection, store_id, day).await?;
        carry_on(connection, store_id, day).await?;
        let locked = day_lock::of_book(connection, store_id, day).await?;
        if !locked.is_locked(day) {
            let lock = Lock { at: self.now, by: self.by, reason: None };
            day_lock::add(connection, &[(store_id.to_owned(), (day, day))], &lock).await?;
        }
        Ok(())
    }

    /// One entry for each source and day of its lines; for a locked day, on the first open one.
    async fn post_slices(
        &self,
        connection: &mut AnyConnection,
        settlement_id: &str,
        store_id: &str,
        parts: Parts,
    ) -> Result<(), Failure> {
        let mut entries = Vec::new();
        let chart = Chart::read(&mut *connection).await?;
        for ((source_id, account, date), slices) in parts {
            let missing = slices.iter().filter(|(slice, _)| slice.difference != 0).map(|(_, rest)| *rest);
            chart.check_still_free(missing.chain([account]))?;
            let lines = of_slices(account, slices.iter().map(|(slice, rest)| (slice, *rest)));
            let lines = lines.map_err(ApiError::from)?;
            if lines.is_empty() {
                continue;
            }
            let entry_no = journal::numbers(connection, store_id, 1).await?;
            let entry_date = day_lock::of_book(connection, store_id, date).await?.first_open(date);
            let named = NewEntry {
                book: store_id.to_owned(),
                entry_no,
                entry_id: ids::new("jrn_"),
                cause_id: settlement_id.to_owned(),
                cause_key: format!("{settlement_id}:{source_id}:{date}"),
                lines,
                ..self.entry(Kind::Settlement)
            };
            let reference_date = (entry_date != date).then_some(date);
            entries.push(NewEntry { entry_date, reference_date, ..named });
        }
        self.add(connection, entries).await
    }
}

/// Refusal of an approval: the settlement's state, and the exceptions that it waits for.
async fn not_reconciled(connection: &mut AnyConnection, settlement_id: &str) -> Result<ApiError, Failure> {
    let found = document::find(connection, settlement_id).await?;
    let state = found.state.name().to_owned();
    if found.state == SettlementState::Approved {
        return Ok(ApiError::from(Refusal::InvalidState { state, allowed: Vec::new() }));
    }
    let sql = "SELECT exception_id, kind, amount FROM settlement_exceptions WHERE store_id = $1 \
               AND business_date = $2 AND state = 'open' ORDER BY found_at, exception_id LIMIT $3";
    let query = sqlx::query(sql).bind(&found.store_id).bind(found.business_date.to_string()).bind(TOLD_MAX);
    let mut open = Vec::new();
    for row in query.fetch_all(connection).await? {
        let (exception_id, kind, amount): (String, String, Money) =
            columns!(row => (exception_id, kind, amount));
        open.push(json!({"exception_id": exception_id, "type": kind, "amount": amount}));
    }
    let allowed = vec!["match".to_owned(), "resolve".to_owned()];
    let refusal = ApiError::from(Refusal::InvalidState { state, allowed });
    let mut details = refusal.details.clone();
    if let Some(details) = details.as_object_mut() {
        details.insert("exceptions".to_owned(), json!(open));
    }
    Ok(refusal.with_details(details))
}

/// Parts of matches that belong to a settlement. Bags and suppliers' payments are posted with the bank's
/// statement.
async fn parts(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<Parts, sqlx::Error> {
    let sql = "SELECT s.store_id, s.settlement_date, s.gross, s.fee, s.difference, s.net, s.cleared, m.rule, \
               m.source_id, m.line_date, m.difference_account, src.account FROM match_slices s \
               JOIN settlement_matches m ON m.match_id = s.match_id \
               JOIN statement_sources src ON src.source_id = m.source_id \
               WHERE s.store_id = $1 AND s.settlement_date = $2 AND s.posted = 0 AND m.state = 'matched' \
               AND m.rule NOT IN ('deposit', 'supplier_payment')";
    let mut parts = Parts::new();
    for row in sqlx::query(sql).bind(store_id).bind(day.to_string()).fetch_all(connection).await? {
        let (source_id, account, date) = columns!(row => (source_id, account, line_date));
        parts.entry((source_id, account, date)).or_default().push(slice(&row)?);
    }
    Ok(parts)
}

/// An item and its reversal clear each other, also on two different days: neither waits for the other's day.
const CONTRA: &str = "SELECT s.match_id FROM match_slices s JOIN settlement_matches m ON m.match_id = s.match_id \
                      WHERE s.store_id = $1 AND s.settlement_date = $2 AND m.rule = 'contra' AND m.state = 'matched'";

/// Marks the items and slices of the settlement's matches as posted.
async fn posted(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<(), sqlx::Error> {
    let of_contra = [
        format!(
            "UPDATE settlement_items SET state = 'posted' WHERE store_id = $1 AND item_id IN (SELECT i.item_id \
             FROM match_items i WHERE i.store_id = $1 AND i.match_id IN ({CONTRA}))"
        ),
        format!("UPDATE match_slices SET posted = 1 WHERE store_id = $1 AND match_id IN ({CONTRA})"),
    ];
    for sql in of_contra {
        let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.to_owned()).bind(day.to_string());
        query.execute(&mut *connection).await?;
    }
    for sql in [
        "UPDATE match_slices SET posted = 1 WHERE store_id = $1 AND settlement_date = $2 AND match_id IN \
         (SELECT match_id FROM settlement_matches WHERE state = 'matched' \
         AND rule NOT IN ('deposit', 'supplier_payment'))",
        "UPDATE settlement_items SET state = 'posted' WHERE store_id = $1 AND settlement_date = $2 \
         AND state = 'matched' AND kind IN ('payment', 'refund')",
        "UPDATE settlement_matches SET state = 'posted' WHERE state = 'matched' AND match_id IN \
         (SELECT match_id FROM match_slices WHERE store_id = $1 AND settlement_date = $2 AND posted = 1) \
         AND NOT EXISTS (SELECT 1 FROM match_slices o WHERE o.match_id = settlement_matches.match_id \
         AND o.posted = 0)",
    ] {
        sqlx::query(sql).bind(store_id).bind(day.to_string()).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Moves open items to the store's next day that is not approved.
async fn carry_on(connection: &mut AnyConnection, store_id: &str, day: Date) -> Result<(), sqlx::Error> {
    let approved = settlement::approved(connection, store_id, day).await?;
    let next = settlement::first_waiting(&approved, day);
    let sql = "UPDATE settlement_items SET settlement_date = $3 WHERE store_id = $1 AND settlement_date = $2 \
               AND state = 'open' RETURNING item_id, late";
    let query = sqlx::query(sql).bind(store_id).bind(day.to_string()).bind(next.to_string());
    let mut late = Vec::new();
    for row in query.fetch_all(&mut *connection).await? {
        let (item_id, is_late): (String, bool) = columns!(row => (item_id, late));
        late.extend(Some(item_id).filter(|_| is_late));
    }
    settlement::late_went_on(connection, store_id, &late, next).await?;
    // Deposits that the bank has, and whose statement is not posted, go with them.
    settlement::evaluate(connection, store_id, next).await
}
