//! Facts about a book that people should see after a posting: disagreements, entries for locked days, reported once for
//! each day, and a safe with a negative balance.

use super::Book;
use crate::columns;
use crate::table::exception::{self, Found};
use crate::table::journal::NewEntry;
use crate::table::notice;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::model::inventory::stock::MovementReason;
use domain::rules::books::posting::RecordEntries;
use domain::rules::books::posting::plan::SAFE;
use domain::wire::record::AnyPayload;
use jiff::civil::Date;
use serde_json::{Value, json};
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// Facts noticed about a book, whose new entries are in it.
pub(super) struct Noticed {
    book: String,
    /// Late entries: their number, their sum, and an event that reported one, by the day that they belong to.
    late: BTreeMap<Date, (i64, Money, String)>,
    /// Change of the safe, and the last event that took money out.
    safe: Money,
    taken_by: Option<String>,
}

impl Noticed {
    /// Facts about the entries that are about to be added.
    pub(super) fn of(name: &str, book: &Book) -> Self {
        let mut noticed =
            Self { book: name.to_owned(), late: BTreeMap::new(), safe: Money::ZERO, taken_by: None };
        let safe = String::from(SAFE);
        for entry in &book.entries {
            let event_id = entry.event_id.clone().unwrap_or_default();
            if let Some(day) = entry.reference_date {
                let (count, total, _) =
                    noticed.late.entry(day).or_insert_with(|| (0, Money::ZERO, event_id.clone()));
                (*count, *total) = (count.saturating_add(1), total.saturating_add(debit(entry)));
            }
            for line in entry.lines.iter().filter(|line| line.account == safe) {
                noticed.safe = noticed.safe.saturating_add(line.debit.saturating_sub(line.credit));
                if line.credit > 0 {
                    noticed.taken_by = Some(event_id.clone());
                }
            }
        }
        noticed
    }

    /// Raises the exceptions. The book is locked, so no other transaction reports its days.
    pub(super) async fn tell(self, connection: &mut AnyConnection, now: UtcMs) -> Result<(), sqlx::Error> {
        let Self { book, late, safe, taken_by } = self;
        for (day, (count, total, event_id)) in late {
            let found = Found { store_id: &book, event_id: &event_id, now };
            tell_late(connection, found, day, (count, total)).await?;
        }
        let Some(event_id) = taken_by else { return Ok(()) };
        // The contents of the safe before its reported opening are not known.
        let sql = "SELECT CAST(COALESCE(SUM(debit - credit), 0) AS BIGINT) FROM ledger_days WHERE account = '1020' \
                   AND store_id = $1 AND EXISTS (SELECT 1 FROM journal j JOIN journal_lines l ON l.store_id = j.store_id \
                   AND l.entry_no = j.entry_no WHERE j.store_id = $1 AND j.kind = 'opening' AND j.kind <> 'event' AND l.account = '1020')";
        let holds = sqlx::query_scalar(sql).bind(&book).fetch_one(&mut *connection).await.map(Money::new)?;
        if holds < 0 && holds.saturating_sub(safe) >= 0 {
            let found = Found { store_id: &book, event_id: &event_id, now };
            exception::note(
                connection,
                found,
                exception::SAFE_BELOW_ZERO,
                &json!({"store_id": book, "amount": holds}),
            )
            .await?;
        }
        Ok(())
    }
}

fn debit(entry: &NewEntry) -> Money {
    entry.lines.iter().map(|line| line.debit).sum::<Money>()
}

/// Adds to the report about a day; a report that a person settled is opened again.
async fn tell_late(
    connection: &mut AnyConnection,
    found: Found<'_>,
    day: Date,
    (count, total): (i64, Money),
) -> Result<(), sqlx::Error> {
    let sql = "SELECT event_id, details FROM exceptions WHERE store_id = $1 AND code = $2 AND day = $3";
    let query = sqlx::query(sql).bind(found.store_id).bind(exception::LATE_AFTER_LOCK).bind(day.to_string());
    let known = query.fetch_optional(&mut *connection).await?;
    let known: Option<(String, String)> = match known {
        Some(row) => Some(columns!(row => (event_id, details))),
        None => None,
    };
    let before = known.as_ref().and_then(|(_, details)| serde_json::from_str::<Value>(details).ok());
    let of = |name: &str| before.as_ref().and_then(|details| details[name].as_i64()).unwrap_or_default();
    let details = json!({"business_date": day, "count": of("count").saturating_add(count),
        "total": of("total").saturating_add(total.get())});
    let event_id = match known {
        Some((event_id, _)) => {
            notice::tell_exception(connection, ("", found.store_id), exception::LATE_AFTER_LOCK).await?;
            event_id
        }
        None => {
            exception::note(connection, found, exception::LATE_AFTER_LOCK, &details).await?;
            found.event_id.to_owned()
        }
    };
    let sql = "UPDATE exceptions SET details = $4, day = $5, settled_at = NULL, settled_by = NULL, note = NULL \
               WHERE store_id = $1 AND event_id = $2 AND code = $3";
    let query = sqlx::query(sql).bind(found.store_id).bind(event_id).bind(exception::LATE_AFTER_LOCK);
    query.bind(details.to_string()).bind(day.to_string()).execute(connection).await.map(drop)
}

/// Reports disagreements and unexplained facts, which hold nothing back.
pub(super) async fn flag(
    connection: &mut AnyConnection,
    found: Found<'_>,
    payload: &AnyPayload,
    record: &RecordEntries,
) -> Result<(), sqlx::Error> {
    let unexplained = match payload {
        AnyPayload::StockMoved(it) => {
            let moved = it.movements.iter().filter(|moved| moved.reason != MovementReason::Opening);
            moved.map(|moved| moved.cost.saturating_sub(moved.correction)).collect()
        }
        _ => Vec::new(),
    };
    let figures = [
        (exception::ENTRY_UNBALANCED, record.own.unbalanced, record.own.unbalanced != 0),
        (exception::STOCK_VALUE_DIFFERS, record.own.stock_differs, record.own.stock_differs != 0),
        (exception::UNEXPLAINED_MOVEMENT, unexplained.iter().copied().sum(), !unexplained.is_empty()),
    ];
    for (code, amount, _) in figures.into_iter().filter(|(.., wrong)| *wrong) {
        let details = json!({"cause_type": record.cause.kind, "cause_id": record.cause.id, "amount": amount});
        exception::note(connection, found, code, &details).await?;
    }
    Ok(())
}
