//! Notes differences: the same difference has the same ID, so that matching again notes it once.

use crate::db::insert::{self, NewRow};
use crate::db::{Engine, array};
use crate::office::settlement::open::Statements;
use crate::table::settlement;
use crate::{columns, row};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::{ItemRef, OpenItem, OpenLine, Raised};
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};

/// Exceptions that are changed at once.
const CHUNK: usize = 5_000;

/// Place of an exception.
#[derive(Debug, Clone, Default)]
pub struct Belongs {
    /// Statement of the line. Null for none.
    pub statement_id: Option<String>,
    /// The store and day whose settlement it holds up.
    pub settlement: Option<(String, Date)>,
    pub method: Option<String>,
    /// The match that it is about.
    pub match_id: Option<String>,
}

/// ID of an exception. Exceptions of one kind about the same thing have the same ID.
fn exception_id(kind: ExceptionKind, source_id: &str, about: &str) -> String {
    settlement::exception_id(kind, &format!("{source_id} {about}"))
}

fn json(value: serde_json::Result<String>) -> Result<String, sqlx::Error> {
    value.map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Lines and items of an exception, as its row has them.
fn about(raised: &Raised) -> Result<[String; 2], sqlx::Error> {
    Ok([json(serde_json::to_string(&raised.line_ids))?, json(serde_json::to_string(&raised.items))?])
}

/// The row of an exception from matching.
pub fn row_of(raised: &Raised, source_id: &str, belongs: Belongs, now: UtcMs) -> Result<NewRow, sqlx::Error> {
    let [lines, items] = about(raised)?;
    let told_only = raised.kind.is_informational();
    let (store_id, day) = belongs.settlement.map_or((None, None), |(store, day)| (Some(store), Some(day)));
    let item = raised.items.first().filter(|_| raised.line_ids.is_empty());
    let line = raised.line_ids.first().filter(|_| waits(raised.kind));
    Ok(row! {
        exception_id: exception_id(raised.kind, source_id, &format!("{lines} {items}")),
        kind: raised.kind.name(), source_id, statement_id: belongs.statement_id, store_id,
        business_date: day.map(|day| day.to_string()), method: belongs.method, amount: raised.amount,
        item_id: item.map(|(_, item_id)| item_id.clone()), line_id: line.cloned(),
        first_line: raised.line_ids.first().cloned(), items, lines,
        candidates: json(serde_json::to_string(&raised.candidates))?, match_id: belongs.match_id,
        state: if told_only { "resolved" } else { "open" },
        resolved_at: told_only.then_some(now.0), found_at: now.0,
    })
}

/// Whether a later record may still match one of its lines.
pub fn waits(kind: ExceptionKind) -> bool {
    use ExceptionKind::{Ambiguous, MissingInStore, UnknownStore};
    matches!(kind, MissingInStore | Ambiguous | UnknownStore)
}

/// Notes them. Existing ones stay as they are, with a person's resolution; those that a match or a store's name had
/// resolved are open again.
pub async fn note(connection: &mut AnyConnection, rows: Vec<NewRow>) -> Result<(), sqlx::Error> {
    let tail = "ON CONFLICT (exception_id) DO UPDATE SET state = 'open', resolution = NULL, reason = NULL, \
                resolved_by = NULL, resolved_at = NULL, found_at = excluded.found_at, store_id = excluded.store_id, \
                business_date = excluded.business_date, amount = excluded.amount, candidates = excluded.candidates \
                WHERE excluded.state = 'open' AND settlement_exceptions.state = 'resolved' \
                AND COALESCE(settlement_exceptions.resolution, 'match') IN ('match', 'store_id')";
    insert::rows(connection, "settlement_exceptions", tail, rows).await
}

/// The settlements that exceptions hold up.
pub fn held_up(rows: &[AnyRow]) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let mut settlements = BTreeSet::new();
    for row in rows {
        let (store_id, day): (Option<String>, Option<Date>) = columns!(row => (store_id, business_date));
        settlements.extend(store_id.zip(day));
    }
    Ok(settlements)
}

/// Supersedes the exceptions of lines that were there `before` once a different one is raised. Returns the settlements
/// that they held up.
pub async fn supersede(
    connection: &mut AnyConnection,
    source_id: &str,
    (all, before): (&[Raised], &Statements),
    now: UtcMs,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let (mut freed, mut reported) = (BTreeSet::new(), BTreeMap::<&str, String>::new());
    for raised in all.iter().filter(|raised| raised.line_ids.iter().any(|id| before.contains_key(id))) {
        let [lines, items] = about(raised)?;
        let id = exception_id(raised.kind, source_id, &format!("{lines} {items}"));
        reported.extend(raised.line_ids.iter().map(|line_id| (line_id.as_str(), id.clone())));
    }
    if reported.is_empty() {
        return Ok(freed);
    }
    let sql = "SELECT exception_id, line_id FROM settlement_exceptions WHERE source_id = $1 AND state = 'open' \
               AND line_id IS NOT NULL";
    let mut over = Vec::new();
    for row in sqlx::query(sql).bind(source_id).fetch_all(&mut *connection).await? {
        let (exception_id, line_id): (String, String) = columns!(row => (exception_id, line_id));
        if reported.get(line_id.as_str()).is_some_and(|now_is| *now_is != exception_id) {
            over.push(exception_id);
        }
    }
    let engine = Engine::of_connection(connection);
    let sql = format!(
        "UPDATE settlement_exceptions SET state = 'resolved', resolved_at = $2 WHERE {} \
         RETURNING store_id, business_date",
        array::among(engine, "exception_id", 1)
    );
    for chunk in over.chunks(CHUNK) {
        let query = sqlx::query(AssertSqlSafe(sql.clone())).persistent(false);
        let query = query.bind(array::texts(engine, chunk.iter().map(String::as_str))?).bind(now.0);
        freed.extend(held_up(&query.fetch_all(&mut *connection).await?)?);
    }
    Ok(freed)
}

/// Notes exceptions about a statement as a whole.
pub async fn of_statement(
    connection: &mut AnyConnection,
    kind: ExceptionKind,
    (source_id, statement_id): (&str, &str),
    amount: Money,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let raised = Raised { kind, line_ids: Vec::new(), items: Vec::new(), candidates: Vec::new(), amount };
    let belongs = Belongs { statement_id: Some(statement_id.to_owned()), ..Belongs::default() };
    let mut row = row_of(&raised, source_id, belongs, now)?;
    // One for each statement.
    if let Some(crate::db::insert::Cell::Text(id)) = row.cells.first_mut() {
        *id = exception_id(kind, source_id, statement_id);
    }
    note(connection, vec![row]).await
}

/// Open items and lines by their IDs.
pub struct Index<'a> {
    items: BTreeMap<(&'a str, &'a str), &'a OpenItem>,
    lines: BTreeMap<&'a str, &'a OpenLine>,
}

impl<'a> Index<'a> {
    /// Index of these items and lines.
    pub fn of(items: &'a [OpenItem], lines: &'a [OpenLine]) -> Self {
        let items =
            items.iter().map(|item| ((item.store_id.as_str(), item.item_id.as_str()), item)).collect();
        let lines = lines.iter().map(|line| (line.line_id.as_str(), line)).collect();
        Self { items, lines }
    }

    fn item(&self, (store_id, item_id): &ItemRef) -> Option<&'a OpenItem> {
        self.items.get(&(store_id.as_str(), item_id.as_str())).copied()
    }

    /// The store and day whose settlement an exception holds up: those of its item, or those that its line names.
    pub fn settlement(
        &self,
        raised: &Raised,
        of_statement: Option<(&str, Option<Date>)>,
    ) -> Option<(String, Date)> {
        if let Some(item) = raised.items.first().and_then(|item| self.item(item)) {
            return Some((item.store_id.clone(), item.settlement_date));
        }
        let line = raised.line_ids.first().and_then(|line_id| self.lines.get(line_id.as_str()))?;
        // A statement of one settlement has its store and day; for other statements the line has them.
        let own = of_statement.and_then(|(store_id, day)| Some((store_id, day?)));
        let named = line.store_id.as_deref().or(of_statement.map(|(store_id, _)| store_id));
        let (store_id, day) = own.or(named.map(|store_id| (store_id, line.date)))?;
        Some((store_id.to_owned(), day))
    }

    /// Payment method of all of its items. `None` if it has none, or they were paid by several methods.
    pub fn method(&self, raised: &Raised) -> Option<String> {
        let mut all = raised.items.iter().map(|item| self.item(item).map(|item| item.method.as_str()));
        let first = all.next()??;
        all.all(|method| method == Some(first)).then(|| first.to_owned())
    }
}
