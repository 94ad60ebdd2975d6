//! Closes a shift in the books that a restore interrupted, and that its store never counted.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::finance::writer::Writer;
use crate::table::day_lock;
use crate::table::exception::SHIFT_INTERRUPTED;
use crate::table::journal::{self, Kind, NewEntry};
use crate::table::store;
use domain::model::base::figures::Money;
use domain::rules::books::entry_by_hand::EntryLine;
use domain::rules::books::posting::{Fact, Row, post};
use edge::{ApiError, ids};
use jiff::civil::Date;
use sqlx::AnyConnection;

/// The most cash that may be entered for a drawer, in minor currency units.
const CASH_MAX: i64 = 1_000_000_000_000;

/// A shift that was never counted.
struct Uncounted {
    store_id: String,
    shift_id: String,
    business_date: Date,
    /// Expected cash in the drawer by the records of its store, in minor currency units.
    expected: Money,
}

impl Writer<'_> {
    /// Closes the shift of an exception with the cash found in its drawer, as if its store had counted it. If the store
    /// reports a count later, only the difference is posted. `codes`: exceptions that the user may see, `None` for all.
    ///
    /// # Errors
    /// 404 for an exception that the user may not see; 422 for one of another code, or an invalid amount; 409
    /// `invalid_state` for a shift that was counted meanwhile.
    pub async fn count_interrupted(
        &self,
        connection: &mut AnyConnection,
        (exception_id, codes): (&str, Option<&[&str]>),
        counted: Money,
    ) -> Result<(), Failure> {
        let sql = "SELECT store_id, event_id, code FROM exceptions WHERE exception_id = $1";
        let row = sqlx::query(sql).bind(exception_id).fetch_optional(&mut *connection).await?;
        let row = row.ok_or_else(|| ApiError::not_found("the exception"))?;
        let (store_id, event_id, code): (String, String, String) =
            columns!(row => (store_id, event_id, code));
        if codes.is_some_and(|codes| !codes.contains(&code.as_str())) {
            return Err(ApiError::not_found("the exception").into());
        }
        if code != SHIFT_INTERRUPTED {
            return Err(ApiError::field("counted_cash", "applies to an interrupted shift only").into());
        }
        if !(0..=CASH_MAX).contains(&counted) {
            return Err(ApiError::field("counted_cash", format!("must be 0 to {CASH_MAX}")).into());
        }
        // The store is locked before its book, like in a push. Meanwhile no record of the store is applied.
        store::lock(connection, &store_id).await?;
        let shift = uncounted(connection, store_id, &event_id).await?;
        self.post_count(connection, &shift, counted, exception_id).await?;
        let sql = "UPDATE shifts SET state = 'closed', closed_by = $3, closed_at = $4, counted_cash = $5, \
                   expected_cash = $6, variance = $7, last_counted = $5, last_counted_at = $4, updated_at = $4 \
                   WHERE store_id = $1 AND shift_id = $2";
        let query =
            sqlx::query(sql).bind(&shift.store_id).bind(&shift.shift_id).bind(self.by).bind(self.now.0);
        let query = query
            .bind(counted.get())
            .bind(shift.expected.get())
            .bind(counted.saturating_sub(shift.expected).get());
        query.execute(connection).await?;
        Ok(())
    }

    /// Posts the counted cash to the safe, and the difference to cash over and short.
    async fn post_count(
        &self,
        connection: &mut AnyConnection,
        shift: &Uncounted,
        counted: Money,
        exception_id: &str,
    ) -> Result<(), Failure> {
        let closed = Fact::ShiftClosed { expected: shift.expected, counted };
        let rows = post(&closed).map_err(ApiError::from)?.here.rows;
        if rows.is_empty() {
            return Ok(());
        }
        let line =
            |row: Row| EntryLine { account: String::from(row.account), debit: row.debit, credit: row.credit };
        let (book, day) = (shift.store_id.as_str(), shift.business_date);
        let entry_no = journal::numbers(connection, book, 1).await?;
        let entry_date = day_lock::of_book(connection, book, day).await?.first_open(day);
        let entry = NewEntry {
            book: book.to_owned(),
            entry_no,
            entry_id: ids::new("jrn_"),
            cause_type: "shift",
            cause_id: shift.shift_id.clone(),
            cause_store_id: shift.store_id.clone(),
            cause_key: format!("{exception_id}:settle"),
            memo: Some("interrupted, counted at head office".to_owned()),
            lines: rows.into_iter().map(line).collect(),
            ..self.entry(Kind::Settlement)
        };
        let reference_date = (entry_date != day).then_some(day);
        self.add(connection, vec![NewEntry { entry_date, reference_date, ..entry }]).await
    }
}

/// The shift that an event opened, unless it was counted since.
async fn uncounted(
    connection: &mut AnyConnection,
    store_id: String,
    event_id: &str,
) -> Result<Uncounted, Failure> {
    let sql = "SELECT s.shift_id, s.business_date, CAST(s.opening_float \
               + COALESCE((SELECT SUM(m.amount) FROM shift_methods m WHERE m.store_id = s.store_id \
               AND m.shift_id = s.shift_id AND m.method = 'cash'), 0) \
               + COALESCE((SELECT SUM(c.pay_in - c.pay_out - c.drops) FROM shift_cash c WHERE c.store_id = s.store_id \
               AND c.shift_id = s.shift_id), 0) AS BIGINT) AS expected \
               FROM shifts s WHERE s.store_id = $1 AND s.event_id = $2 AND s.state <> 'closed'";
    let row = sqlx::query(sql).bind(&store_id).bind(event_id).fetch_optional(connection).await?;
    let Some(row) = row else {
        let error = ApiError::new(edge::Code::InvalidState, "the store has meanwhile counted this shift");
        return Err(error.with_details(serde_json::json!({"state": "closed", "allowed": []})).into());
    };
    let (shift_id, business_date): (String, Date) = columns!(row => (shift_id, business_date));
    Ok(Uncounted { store_id, shift_id, business_date, expected: row.cell("expected")? })
}
