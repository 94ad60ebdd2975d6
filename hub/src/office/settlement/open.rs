//! Input of matching: the open lines of a source, the open items that it settles, and known facts beside them.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::db::{Engine, array};
use crate::office::settlement::source::{self, DEFAULT, View as Source};
use domain::model::base::refusal::Refusal;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::settlement::{
    Again, BankText, Before, ItemKind, Known, LineKind, OpenItem, OpenLine, Payout, SourceKind,
    may_tell_again, reference_key,
};
use edge::ApiError;
use futures_util::TryStreamExt as _;
use jiff::Span;
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use statements::line::ROUNDING;
use std::collections::{BTreeMap, BTreeSet};

/// Keys that are looked up at once.
const CHUNK: usize = 5_000;
/// Days for which a matched line may be reported again.
const AGAIN_DAYS: i32 = 90;

/// Payment methods that a source settles.
pub struct Methods {
    /// Those, or all but those.
    names: Vec<String>,
    all_but: bool,
    /// Account of a bank, which also settles bags and payments to suppliers. `None` for other sources.
    bank: Option<String>,
}

impl Methods {
    /// Methods of a source.
    pub async fn of(connection: &mut AnyConnection, source: &Source) -> Result<Self, sqlx::Error> {
        let bank = Some(source.account.clone()).filter(|_| source.kind == SourceKind::Bank);
        if source.source_id != DEFAULT {
            return Ok(Self { names: source.methods.clone(), all_but: false, bank });
        }
        let others = source::all(connection).await?.into_iter();
        let active = others.filter(|other| other.state == source::State::Active);
        Ok(Self { names: active.flat_map(|other| other.methods).collect(), all_but: true, bank })
    }
}

/// Items that a source may settle, and nothing is matched to.
pub async fn open_items(
    connection: &mut AnyConnection,
    methods: &Methods,
) -> Result<Vec<OpenItem>, sqlx::Error> {
    let listed = match methods.names.len() {
        0 if methods.all_but => "1 = 1".to_owned(),
        0 => "1 = 0".to_owned(),
        count => {
            let not = if methods.all_but { "NOT " } else { "" };
            format!("method {not}IN ({})", insert::list(1, count))
        }
    };
    let account = methods.bank.as_ref().map_or(String::new(), |_| {
        let place = methods.names.len().saturating_add(1);
        format!("OR kind = 'deposit' OR (kind = 'supplier_payment' AND account = ${place})")
    });
    let sql = format!(
        "SELECT item_id, store_id, kind, method, account, business_date, settlement_date, occurred_at, amount, reference, \
         contra_of FROM settlement_items WHERE state = 'open' \
         AND ((kind IN ('payment', 'refund') AND {listed}) {account})"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for bound in methods.names.iter().chain(&methods.bank) {
        query = query.bind(bound.clone());
    }
    // Row by row: a row is several times as large as the part that is kept.
    let (mut rows, mut items) = (query.fetch(connection), Vec::new());
    while let Some(row) = rows.try_next().await? {
        items.push(item(&row)?);
    }
    Ok(items)
}

fn item(row: &AnyRow) -> Result<OpenItem, sqlx::Error> {
    let kind = row.word("kind", |word| ItemKind::ALL.into_iter().find(|known| known.name() == word))?;
    Ok(columns!(row => OpenItem {
        item_id, store_id, method, business_date, settlement_date, occurred_at, amount, reference, contra_of, account;
        kind = kind,
    }))
}

/// Lines without a match and without a person's resolution, or that wait.
pub async fn open_lines(
    connection: &mut AnyConnection,
    source: &Source,
) -> Result<Vec<OpenLine>, sqlx::Error> {
    let sql = "SELECT line_id, line_date, line_no, kind, reference, description, store_ref, gross, fee, net, batch \
               FROM statement_lines l WHERE l.source_id = $1 AND (l.state IN ('unmatched', 'carried') \
               OR (l.state = 'excepted' AND EXISTS (SELECT 1 FROM settlement_exceptions e \
               WHERE e.line_id = l.line_id AND e.state = 'open')))";
    let (mut rows, mut lines) = (sqlx::query(sql).bind(&source.source_id).fetch(connection), Vec::new());
    while let Some(row) = rows.try_next().await? {
        lines.push(line(&row, source)?);
    }
    Ok(lines)
}

fn line(row: &AnyRow, source: &Source) -> Result<OpenLine, sqlx::Error> {
    let store_ref: Option<String> = columns!(row => (store_ref));
    let store_id = store_ref.as_deref().and_then(|name| source.store(name)).map(str::to_owned);
    let unknown = store_ref.is_some() && store_id.is_none();
    Ok(columns!(row => OpenLine {
        line_id, date: "line_date", line_no, reference, description, gross, fee, net, batch;
        kind = row.word("kind", LineKind::parse)?, store_id = store_id, unknown_store = unknown,
    }))
}

/// A line of a source, with any resolution.
///
/// # Errors
/// 422 if the source has no line with that ID; 409 `invalid_state` if it is matched, or a person has settled it.
pub async fn named_line(
    connection: &mut AnyConnection,
    source: &Source,
    line_id: &str,
) -> Result<OpenLine, Failure> {
    let sql = "SELECT line_id, line_date, line_no, kind, reference, description, store_ref, gross, fee, net, batch, \
               state FROM statement_lines WHERE line_id = $1 AND source_id = $2";
    let query = sqlx::query(sql).bind(line_id).bind(&source.source_id);
    let row = query.fetch_optional(connection).await?;
    let row =
        row.ok_or_else(|| ApiError::field("line_ids", format!("{line_id} is not a line of this source")))?;
    check_open(row.cell("state")?, &["unmatched", "excepted", "carried"])?;
    Ok(line(&row, source)?)
}

/// An item of any store.
///
/// # Errors
/// 422 if no item or several have that ID; 409 `invalid_state` if it is matched, posted or written off.
pub async fn named_item(connection: &mut AnyConnection, item_id: &str) -> Result<OpenItem, Failure> {
    let sql = "SELECT item_id, store_id, kind, method, account, business_date, settlement_date, occurred_at, amount, reference, \
               contra_of, state FROM settlement_items WHERE item_id = $1 ORDER BY store_id LIMIT 2";
    let rows = sqlx::query(sql).bind(item_id).fetch_all(connection).await?;
    let [row] = rows.as_slice() else {
        let problem = if rows.is_empty() { "is not an item" } else { "is an item of several stores" };
        return Err(ApiError::field("item_ids", format!("{item_id} {problem}")).into());
    };
    check_open(row.cell("state")?, &["open"])?;
    Ok(item(row)?)
}

fn check_open(state: String, open: &[&str]) -> Result<(), ApiError> {
    if open.contains(&state.as_str()) {
        return Ok(());
    }
    let allowed = if state == "matched" { vec!["undo".to_owned()] } else { Vec::new() };
    Err(ApiError::from(Refusal::InvalidState { state, allowed }))
}

/// Last day that a source has reported.
pub async fn reported_to(
    connection: &mut AnyConnection,
    source_id: &str,
) -> Result<Option<Date>, sqlx::Error> {
    let sql = "SELECT MAX(to_date) AS reported_to FROM statements WHERE source_id = $1";
    sqlx::query(sql).bind(source_id).fetch_one(connection).await?.cell("reported_to")
}

/// Settlements that a source has reported for by statements of their own: whatever these lack is missing.
pub async fn own_statements(
    connection: &mut AnyConnection,
    source_id: &str,
) -> Result<BTreeSet<(String, Date)>, sqlx::Error> {
    let sql = "SELECT DISTINCT s.store_id, s.settlement_date FROM statements s JOIN settlements t \
               ON t.store_id = s.store_id AND t.business_date = s.settlement_date AND t.state <> 'approved' \
               WHERE s.source_id = $1 AND s.settlement_date IS NOT NULL";
    let rows = sqlx::query(sql).bind(source_id).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => (store_id, settlement_date)))).collect()
}

/// A statement, and the store and the day that it was imported for.
pub type OfStatement = (String, Option<String>, Option<Date>);

/// One statement. `None` if there is none with that ID.
pub async fn of_statement(
    connection: &mut AnyConnection,
    statement_id: &str,
) -> Result<Option<OfStatement>, sqlx::Error> {
    let sql = "SELECT store_id, settlement_date FROM statements WHERE statement_id = $1";
    let row = sqlx::query(sql).bind(statement_id).fetch_optional(connection).await?;
    row.map(|row| Ok((statement_id.to_owned(), row.cell("store_id")?, row.cell("settlement_date")?)))
        .transpose()
}

/// Lines that were open before, with their statements.
pub type Statements = BTreeMap<String, OfStatement>;

/// The statements of open lines.
pub async fn statements(connection: &mut AnyConnection, source: &Source) -> Result<Statements, sqlx::Error> {
    let sql = "SELECT l.line_id, s.statement_id, s.store_id, s.settlement_date FROM statement_lines l \
               JOIN statements s ON s.statement_id = l.statement_id \
               WHERE l.source_id = $1 AND l.state IN ('unmatched', 'excepted', 'carried')";
    let mut statements = Statements::new();
    let mut rows = sqlx::query(sql).bind(&source.source_id).fetch(connection);
    while let Some(row) = rows.try_next().await? {
        let (line_id, statement_id): (String, String) = columns!(row => (line_id, statement_id));
        let (store_id, day): (Option<String>, Option<Date>) = columns!(row => (store_id, settlement_date));
        statements.insert(line_id, (statement_id, store_id, day));
    }
    Ok(statements)
}

/// Facts that matching knows beside lines and items, as far as lines may report it again.
pub async fn known(
    connection: &mut AnyConnection,
    source: &Source,
    (lines, items): (&[OpenLine], &[OpenItem]),
    today: Date,
) -> Result<Known, sqlx::Error> {
    let again = may_tell_again(lines, items);
    let from = today.checked_sub(Span::new().days(AGAIN_DAYS)).unwrap_or(today).to_string();
    let before = before(connection, &source.source_id, &again, &from).await?;
    if source.kind == SourceKind::Provider {
        return Ok(Known { before, ..Known::default() });
    }
    let payouts = payouts(&mut *connection, &source.source_id, &from).await?;
    let sql = "SELECT mapped_key, account, from_date FROM mappings WHERE kind = 'bank_text'";
    let mut texts = Vec::new();
    for row in sqlx::query(sql).fetch_all(connection).await? {
        let (key, account, from) = columns!(row => (mapped_key, account, from_date));
        texts.push(BankText { key, account, from });
    }
    let rounding = Account::parse(&source.csv.rounding_account);
    texts.extend(rounding.map(|account| BankText { key: ROUNDING.to_lowercase(), account, from: Date::MIN }));
    Ok(Known { before, payouts, texts })
}

/// Recent matches under the keys that are asked for.
async fn before(
    connection: &mut AnyConnection,
    source_id: &str,
    again: &Again,
    from: &str,
) -> Result<Before, sqlx::Error> {
    let (mut before, engine) = (Before::default(), Engine::of_connection(connection));
    for chunk in Vec::from_iter(&again.lines).chunks(CHUNK) {
        let sql = format!(
            "SELECT reference_key, gross FROM statement_lines WHERE source_id = $1 AND {} \
             AND reference_key IS NOT NULL AND gross IS NOT NULL AND state = 'matched' AND line_date >= $3",
            array::among(engine, "reference_key", 2)
        );
        let query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(source_id.to_owned());
        let query = query.bind(array::texts(engine, chunk.iter().map(|key| key.as_str()))?);
        let mut rows = query.bind(from.to_owned()).fetch(&mut *connection);
        while let Some(row) = rows.try_next().await? {
            before.lines.insert(columns!(row => (reference_key, gross)));
        }
    }
    if again.items.is_empty() {
        return Ok(before);
    }
    let sql = "SELECT i.reference FROM settlement_items i JOIN settlement_matches m ON m.match_id = i.match_id \
               WHERE m.source_id = $1 AND i.reference IS NOT NULL AND i.business_date >= $2";
    let mut rows = sqlx::query(sql).bind(source_id).bind(from).fetch(connection);
    while let Some(row) = rows.try_next().await? {
        let reference: String = row.cell("reference")?;
        before.items.extend(reference_key(&reference).filter(|key| again.items.contains(key)));
    }
    Ok(before)
}

/// Payouts of providers without a line of the bank: batches, which are the sum of their lines without the payout's, and
/// payouts without a batch, identified by their reference.
async fn payouts(
    connection: &mut AnyConnection,
    bank_id: &str,
    from: &str,
) -> Result<Vec<Payout>, sqlx::Error> {
    let batches = "SELECT l.source_id, l.batch, MAX(l.line_date) AS paid_on, \
               CAST(CASE WHEN MAX(CASE WHEN l.kind = 'payout' THEN 0 ELSE 1 END) = 1 \
               THEN SUM(CASE WHEN l.kind = 'payout' THEN 0 ELSE COALESCE(l.net, l.gross, 0) END) \
               ELSE -SUM(COALESCE(l.net, l.gross, 0)) END AS BIGINT) AS net FROM statement_lines l \
               WHERE l.batch IS NOT NULL AND l.source_id <> $1 AND l.line_date >= $2 \
               AND NOT EXISTS (SELECT 1 FROM paid_batches p WHERE p.source_id = l.source_id AND p.batch = l.batch) \
               GROUP BY l.source_id, l.batch";
    let alone = "SELECT l.source_id, CASE WHEN l.reference = '' THEN l.line_id ELSE l.reference END AS batch, \
               l.line_date AS paid_on, -COALESCE(l.net, l.gross, 0) AS net FROM statement_lines l \
               JOIN statement_sources s ON s.source_id = l.source_id AND s.kind = 'provider' \
               WHERE l.kind = 'payout' AND l.batch IS NULL AND l.source_id <> $1 AND l.line_date >= $2 \
               AND NOT EXISTS (SELECT 1 FROM paid_batches p WHERE p.source_id = l.source_id \
               AND p.batch IN (l.reference, l.line_id))";
    let mut all = Vec::new();
    for sql in [batches, alone] {
        for row in sqlx::query(sql).bind(bank_id).bind(from).fetch_all(&mut *connection).await? {
            all.push(columns!(row => Payout { date: "paid_on", source_id, batch, net }));
        }
    }
    Ok(all)
}
