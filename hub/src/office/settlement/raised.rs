//! Noting what does not agree: the same thing has the same id, so that matching again notes it once.

use crate::db::insert::{self, NewRow};
use crate::db::{Engine, array};
use crate::{columns, row, secret};
use domain::model::base::time::UtcMs;
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::{ItemRef, OpenItem, OpenLine, Raised};
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};

/// Items that are looked up at once.
const CHUNK: usize = 500;

/// Where an exception belongs.
#[derive(Debug, Clone, Default)]
pub struct Belongs {
    /// The statement of its line.
    pub statement_id: Option<String>,
    /// The store and day whose settlement it holds up.
    pub settlement: Option<(String, Date)>,
    /// How it was paid.
    pub method: Option<String>,
    /// The match that it is about.
    pub match_id: Option<String>,
}

/// The same for the same thing.
fn exception_id(kind: ExceptionKind, source_id: &str, about: &str) -> String {
    let digest = secret::digest(&format!("{} {source_id} {about}", kind.name()));
    format!("sxc_{}", digest.get(..32).unwrap_or(&digest))
}

/// The row of what matching raised.
pub fn row_of(raised: &Raised, source_id: &str, belongs: Belongs, now: UtcMs) -> Result<NewRow, sqlx::Error> {
    let json = |value: serde_json::Result<String>| value.map_err(|error| sqlx::Error::Encode(error.into()));
    let (lines, items) =
        (json(serde_json::to_string(&raised.line_ids))?, json(serde_json::to_string(&raised.items))?);
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

/// Whether a line of it may still be matched by what comes later.
pub fn waits(kind: ExceptionKind) -> bool {
    use ExceptionKind::{Ambiguous, MissingInStore, UnknownStore};
    matches!(kind, MissingInStore | Ambiguous | UnknownStore)
}

/// Notes them. What was noted before stays as it is, with what a person said to it; what a match or a store's name had
/// resolved is open again.
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

/// What was said of a line is over once something else is said of it. Gives back the settlements that it held up.
pub async fn supersede(
    connection: &mut AnyConnection,
    source_id: &str,
    rows: &[NewRow],
    now: UtcMs,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let (mut freed, mut told) = (BTreeSet::new(), BTreeMap::<String, &str>::new());
    for row in rows {
        let lines: Vec<String> = serde_json::from_str(row.text("lines")).unwrap_or_default();
        told.extend(lines.into_iter().map(|line_id| (line_id, row.text("exception_id"))));
    }
    if told.is_empty() {
        return Ok(freed);
    }
    let sql = "SELECT exception_id, line_id FROM settlement_exceptions WHERE source_id = $1 AND state = 'open' \
               AND line_id IS NOT NULL";
    for row in sqlx::query(sql).bind(source_id).fetch_all(&mut *connection).await? {
        let (exception_id, line_id): (String, String) = columns!(row => (exception_id, line_id));
        if told.get(&line_id).is_some_and(|now_is| *now_is != exception_id) {
            let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolved_at = $2 WHERE exception_id = $1 \
                       RETURNING store_id, business_date";
            let query = sqlx::query(sql).bind(exception_id).bind(now.0);
            freed.extend(held_up(&query.fetch_all(&mut *connection).await?)?);
        }
    }
    Ok(freed)
}

/// Notes what is about a statement as a whole.
pub async fn of_statement(
    connection: &mut AnyConnection,
    kind: ExceptionKind,
    (source_id, statement_id): (&str, &str),
    amount: i64,
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

/// What is known of open items and lines, by their ids.
pub struct Index<'a> {
    items: BTreeMap<(&'a str, &'a str), &'a OpenItem>,
    lines: BTreeMap<&'a str, &'a OpenLine>,
}

impl<'a> Index<'a> {
    /// Of these.
    pub fn of(items: &'a [OpenItem], lines: &'a [OpenLine]) -> Self {
        let items =
            items.iter().map(|item| ((item.store_id.as_str(), item.item_id.as_str()), item)).collect();
        let lines = lines.iter().map(|line| (line.line_id.as_str(), line)).collect();
        Self { items, lines }
    }

    /// The store and day whose settlement something raised holds up: its item's, or what its line names.
    pub fn settlement(
        &self,
        raised: &Raised,
        of_statement: Option<(&str, Option<Date>)>,
    ) -> Option<(String, Date)> {
        let item = raised.items.first();
        let item =
            item.and_then(|(store_id, item_id)| self.items.get(&(store_id.as_str(), item_id.as_str())));
        if let Some(item) = item {
            return Some((item.store_id.clone(), item.settlement_date));
        }
        let line = raised.line_ids.first().and_then(|line_id| self.lines.get(line_id.as_str()))?;
        // A statement of a settlement's own says its store and day; another one its line.
        let own = of_statement.and_then(|(store_id, day)| Some((store_id, day?)));
        let named = line.store_id.as_deref().or(of_statement.map(|(store_id, _)| store_id));
        let (store_id, day) = own.or(named.map(|store_id| (store_id, line.date)))?;
        Some((store_id.to_owned(), day))
    }
}

/// How items are paid, by store and id.
type MethodOfItem = BTreeMap<ItemRef, String>;

/// How the items of what was raised were paid.
pub async fn methods(
    connection: &mut AnyConnection,
    all: impl Iterator<Item = &Raised>,
) -> Result<MethodOfItem, sqlx::Error> {
    let ids: BTreeSet<&str> = all.flat_map(|raised| &raised.items).map(|(_, id)| id.as_str()).collect();
    let (mut methods, engine) = (MethodOfItem::new(), Engine::of_connection(connection));
    for chunk in Vec::from_iter(ids).chunks(CHUNK) {
        let among = array::among(engine, "item_id", 1);
        let sql = format!("SELECT store_id, item_id, method FROM settlement_items WHERE {among}");
        let query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        let query = query.bind(array::texts(engine, chunk.iter().copied())?);
        for row in query.fetch_all(&mut *connection).await? {
            let (store_id, item_id, method): (String, String, String) =
                columns!(row => (store_id, item_id, method));
            methods.insert((store_id, item_id), method);
        }
    }
    Ok(methods)
}

/// How all of its items were paid; none: it has none, or they were paid in several ways.
pub fn method(raised: &Raised, methods: &MethodOfItem) -> Option<String> {
    let mut all = raised.items.iter().map(|item| methods.get(item));
    let first = all.next()??;
    all.all(|method| method == Some(first)).then(|| first.clone())
}
