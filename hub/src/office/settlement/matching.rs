//! Matching the open lines of a source with the open items that it settles, and keeping what that comes to.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::office::settlement::raised::{self, Belongs, Index};
use crate::office::settlement::source::{self, DEFAULT, View as Source};
use crate::office::settlement::statement;
use crate::row;
use crate::table::settlement;
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::{Account, BANK_TRANSFER};
use domain::rules::books::settlement::exception::ExceptionKind;
use domain::rules::books::settlement::{
    BankText, Before, Found, ItemKind, Known, LineKind, OpenItem, OpenLine, Payout, Raised, SourceKind,
    match_lines, reference_key,
};
use edge::ids;
use jiff::Span;
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};

/// How far back what was matched may be told again, in days.
const AGAIN_DAYS: i32 = 90;

/// Matches again. The source is locked.
///
/// # Errors
/// The database's.
pub async fn run(
    connection: &mut AnyConnection,
    source: &Source,
    (now, today): (UtcMs, Date),
) -> Result<(), Failure> {
    come_up_again(connection, today, now).await?;
    let methods = Methods::of(connection, source).await?;
    let lines = open_lines(connection, source).await?;
    let items = open_items(connection, &methods).await?;
    let known = known(connection, source, today).await?;
    let terms = source.terms();
    let found = match_lines(&terms, &lines, &items, &known);
    let matched: BTreeSet<&(String, String)> = found.matches.iter().flat_map(|made| &made.items).collect();
    let reported_to = reported_to(connection, &source.source_id).await?;
    let is_missing = |item: &&OpenItem| {
        let reported_to = reported_to.filter(|_| item.kind.is_of_customers());
        !matched.contains(&(item.store_id.clone(), item.item_id.clone()))
            && item.kind != ItemKind::SupplierPayment
            && terms.is_overdue(item.business_date, reported_to, today)
    };
    let missing: Vec<Raised> = items.iter().filter(is_missing).map(missing).collect();
    let statements = statements(connection, source).await?;
    write(connection, source, &found, &lines, now).await?;
    let index = Index::of(&items, &lines);
    let mut rows = Vec::new();
    for raised in found.raised.iter().chain(&missing) {
        let line = raised.line_ids.first().and_then(|line_id| statements.get(line_id));
        let (statement_id, of_store) =
            line.map_or((None, None), |(id, store)| (Some(id.clone()), store.as_deref()));
        let belongs =
            Belongs { statement_id, settlement: index.settlement(raised, of_store), ..Belongs::default() };
        rows.push(raised::row_of(raised, &source.source_id, belongs, now)?);
    }
    raised::note(connection, rows).await?;
    settle_exceptions(connection, &source.source_id, now).await?;
    statement::evaluate(connection, &source.source_id).await?;
    let slices = found.matches.iter().flat_map(|made| &made.slices);
    let mut touched: BTreeSet<(String, Date)> =
        slices.map(|slice| (slice.store_id.clone(), slice.settlement_date)).collect();
    touched.extend(found.raised.iter().chain(&missing).filter_map(|raised| index.settlement(raised, None)));
    touched.extend(items.iter().map(|item| (item.store_id.clone(), item.settlement_date)));
    for (store_id, day) in touched {
        settlement::evaluate(connection, &store_id, day).await?;
    }
    Ok(())
}

/// What was carried for long enough is a person's to look at again.
async fn come_up_again(connection: &mut AnyConnection, today: Date, now: UtcMs) -> Result<(), sqlx::Error> {
    let sql = "UPDATE settlement_exceptions SET state = 'open', resolution = NULL, found_at = $2 \
               WHERE state = 'resolved' AND resolution = 'carry' AND EXISTS (SELECT 1 FROM settlement_items i \
               WHERE i.store_id = settlement_exceptions.store_id AND i.item_id = settlement_exceptions.item_id \
               AND i.state = 'open' AND i.carried_until < $1)";
    sqlx::query(sql).bind(today.to_string()).bind(now.0).execute(&mut *connection).await?;
    let sql = "UPDATE settlement_items SET carried_until = NULL WHERE state = 'open' AND carried_until < $1";
    sqlx::query(sql).bind(today.to_string()).execute(connection).await?;
    Ok(())
}

fn missing(item: &OpenItem) -> Raised {
    let kind = match item.kind {
        ItemKind::Deposit => ExceptionKind::DepositMissing,
        _ => ExceptionKind::MissingAtProvider,
    };
    let items = vec![(item.store_id.clone(), item.item_id.clone())];
    Raised { kind, line_ids: Vec::new(), items, candidates: Vec::new(), amount: item.amount }
}

/// Whose payments a source settles.
struct Methods {
    /// Those, or all but those.
    names: Vec<String>,
    all_but: bool,
    /// Also bags and suppliers' payments.
    bank: bool,
}

impl Methods {
    async fn of(connection: &mut AnyConnection, source: &Source) -> Result<Self, sqlx::Error> {
        let bank = source.kind == SourceKind::Bank;
        if source.source_id != DEFAULT {
            return Ok(Self { names: source.methods.clone(), all_but: false, bank });
        }
        let others = source::all(connection).await?.into_iter();
        let active = others.filter(|other| other.state == source::State::Active);
        Ok(Self { names: active.flat_map(|other| other.methods).collect(), all_but: true, bank })
    }
}

async fn open_items(connection: &mut AnyConnection, methods: &Methods) -> Result<Vec<OpenItem>, sqlx::Error> {
    let listed = match methods.names.len() {
        0 if methods.all_but => "1 = 1".to_owned(),
        0 => "1 = 0".to_owned(),
        count => {
            let not = if methods.all_but { "NOT " } else { "" };
            format!("method {not}IN ({})", insert::list(1, count))
        }
    };
    let bank = if methods.bank { "OR kind IN ('deposit', 'supplier_payment')" } else { "" };
    let sql = format!(
        "SELECT item_id, store_id, kind, account, business_date, settlement_date, occurred_at, amount, reference, \
         contra_of FROM settlement_items WHERE state = 'open' \
         AND ((kind IN ('payment', 'refund') AND {listed}) {bank})"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for method in &methods.names {
        query = query.bind(method.clone());
    }
    query.fetch_all(connection).await?.iter().map(item).collect()
}

fn item(row: &AnyRow) -> Result<OpenItem, sqlx::Error> {
    let (kind, account): (String, String) = columns!(row => (kind, account));
    let kind = ItemKind::ALL.into_iter().find(|known| known.name() == kind).unwrap_or(ItemKind::Payment);
    let account = Account::parse(&account).unwrap_or(BANK_TRANSFER);
    Ok(columns!(row => OpenItem {
        item_id, store_id, business_date, settlement_date, occurred_at, amount, reference, contra_of;
        kind = kind, account = account,
    }))
}

/// Lines that nothing is matched to, and that a person has said nothing to.
async fn open_lines(connection: &mut AnyConnection, source: &Source) -> Result<Vec<OpenLine>, sqlx::Error> {
    let sql = "SELECT line_id, line_date, line_no, kind, reference, description, store_ref, gross, fee, net, batch \
               FROM statement_lines l WHERE l.source_id = $1 AND (l.state = 'unmatched' OR (l.state = 'excepted' \
               AND EXISTS (SELECT 1 FROM settlement_exceptions e WHERE e.line_id = l.line_id AND e.state = 'open')))";
    let rows = sqlx::query(sql).bind(&source.source_id).fetch_all(connection).await?;
    let line = |row: &AnyRow| -> Result<OpenLine, sqlx::Error> {
        let (kind, store_ref): (String, Option<String>) = columns!(row => (kind, store_ref));
        let store_id = store_ref.as_deref().and_then(|name| source.store(name)).map(str::to_owned);
        let unknown = store_ref.is_some() && store_id.is_none();
        Ok(columns!(row => OpenLine {
            line_id, date: "line_date", line_no, reference, description, gross, fee, net, batch;
            kind = LineKind::parse(&kind).unwrap_or(LineKind::Other), store_id = store_id, unknown_store = unknown,
        }))
    };
    rows.iter().map(line).collect()
}

/// What a source has reported until now.
async fn reported_to(connection: &mut AnyConnection, source_id: &str) -> Result<Option<Date>, sqlx::Error> {
    let sql = "SELECT MAX(to_date) AS reported_to FROM statements WHERE source_id = $1";
    sqlx::query(sql).bind(source_id).fetch_one(connection).await?.cell("reported_to")
}

/// The statements of open lines, each with the store that it was imported for.
async fn statements(
    connection: &mut AnyConnection,
    source: &Source,
) -> Result<BTreeMap<String, (String, Option<String>)>, sqlx::Error> {
    let sql = "SELECT l.line_id, s.statement_id, s.store_id FROM statement_lines l \
               JOIN statements s ON s.statement_id = l.statement_id \
               WHERE l.source_id = $1 AND l.state IN ('unmatched', 'excepted')";
    let mut statements = BTreeMap::new();
    for row in sqlx::query(sql).bind(&source.source_id).fetch_all(connection).await? {
        let (line_id, statement_id, store_id) = columns!(row => (line_id, statement_id, store_id));
        statements.insert(line_id, (statement_id, store_id));
    }
    Ok(statements)
}

async fn known(connection: &mut AnyConnection, source: &Source, today: Date) -> Result<Known, sqlx::Error> {
    let from = today.checked_sub(Span::new().days(AGAIN_DAYS)).unwrap_or(today).to_string();
    let sql = "SELECT reference_key, gross FROM statement_lines WHERE source_id = $1 AND reference_key IS NOT NULL \
               AND gross IS NOT NULL AND state = 'matched' AND line_date >= $2";
    let mut before = Before::default();
    for row in sqlx::query(sql).bind(&source.source_id).bind(&from).fetch_all(&mut *connection).await? {
        before.lines.insert(columns!(row => (reference_key, gross)));
    }
    let sql = "SELECT i.reference FROM settlement_items i JOIN settlement_matches m ON m.match_id = i.match_id \
               WHERE m.source_id = $1 AND i.reference IS NOT NULL AND i.business_date >= $2";
    for row in sqlx::query(sql).bind(&source.source_id).bind(&from).fetch_all(&mut *connection).await? {
        let reference: String = row.cell("reference")?;
        before.items.extend(reference_key(&reference));
    }
    if source.kind == SourceKind::Provider {
        return Ok(Known { before, ..Known::default() });
    }
    let payouts = payouts(&mut *connection, &source.source_id, &from).await?;
    let sql = "SELECT mapped_key, account FROM mappings m WHERE kind = 'bank_text' AND from_date <= $1 \
               AND NOT EXISTS (SELECT 1 FROM mappings n WHERE n.kind = m.kind AND n.mapped_key = m.mapped_key \
               AND n.from_date <= $1 AND n.from_date > m.from_date)";
    let mut texts = Vec::new();
    for row in sqlx::query(sql).bind(today.to_string()).fetch_all(connection).await? {
        let (key, account): (String, String) = columns!(row => (mapped_key, account));
        texts.extend(Account::parse(&account).map(|account| BankText { key, account }));
    }
    Ok(Known { before, payouts, texts })
}

/// Batches of providers that no line of the bank has.
async fn payouts(
    connection: &mut AnyConnection,
    bank_id: &str,
    from: &str,
) -> Result<Vec<Payout>, sqlx::Error> {
    let sql = "SELECT l.source_id, l.batch, MAX(l.line_date) AS paid_on, \
               CAST(COALESCE(SUM(COALESCE(l.net, l.gross)), 0) AS BIGINT) AS net FROM statement_lines l \
               WHERE l.batch IS NOT NULL AND l.source_id <> $1 AND l.line_date >= $2 \
               AND NOT EXISTS (SELECT 1 FROM paid_batches p WHERE p.source_id = l.source_id AND p.batch = l.batch) \
               GROUP BY l.source_id, l.batch";
    let rows = sqlx::query(sql).bind(bank_id).bind(from).fetch_all(connection).await?;
    let payout = |row: &AnyRow| Ok(columns!(row => Payout { date: "paid_on", source_id, batch, net }));
    rows.iter().map(payout).collect()
}

/// Keeps matches; lines and items that are in one are no longer open.
async fn write(
    connection: &mut AnyConnection,
    source: &Source,
    found: &Found,
    lines: &[OpenLine],
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let dates: BTreeMap<&str, Date> = lines.iter().map(|line| (line.line_id.as_str(), line.date)).collect();
    let (mut matches, mut of_lines, mut of_items, mut slices, mut batches) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for made in &found.matches {
        let match_id = ids::new("mch_");
        let told = made.line_ids.iter().filter_map(|line_id| dates.get(line_id.as_str()));
        let line_date =
            told.max().copied().or_else(|| made.slices.iter().map(|slice| slice.settlement_date).max());
        matches.push(row! {
            match_id: match_id.as_str(), source_id: source.source_id.as_str(), rule: made.rule.name(),
            line_date: line_date.unwrap_or_default().to_string(), gross: made.gross, fee: made.fee, net: made.net,
            difference: made.difference, account: made.account.map(String::from), state: "matched", made_at: now.0,
        });
        for line_id in &made.line_ids {
            of_lines.push(row! { line_id: line_id.as_str(), match_id: match_id.as_str() });
            if let Some((source_id, batch)) = found.paid_out.get(line_id) {
                batches.push(
                    row! { source_id: source_id.as_str(), batch: batch.as_str(), line_id: line_id.as_str() },
                );
            }
        }
        for (store_id, item_id) in &made.items {
            of_items.push(
                row! { store_id: store_id.as_str(), item_id: item_id.as_str(), match_id: match_id.as_str() },
            );
        }
        for slice in &made.slices {
            let cleared = serde_json::to_string(&slice.cleared);
            slices.push(row! {
                store_id: slice.store_id.as_str(), settlement_date: slice.settlement_date.to_string(),
                match_id: match_id.as_str(), gross: slice.gross, fee: slice.fee, difference: slice.difference,
                net: slice.net, cleared: cleared.map_err(|error| sqlx::Error::Encode(error.into()))?, posted: 0_i64,
            });
        }
    }
    insert::rows(connection, "settlement_matches", "", matches).await?;
    insert::rows(connection, "match_lines", "", of_lines).await?;
    insert::rows(connection, "match_items", "", of_items).await?;
    insert::rows(connection, "match_slices", "", slices).await?;
    insert::rows(connection, "paid_batches", "", batches).await?;
    let sql = "UPDATE statement_lines SET state = 'matched', match_id = (SELECT m.match_id FROM match_lines m \
               WHERE m.line_id = statement_lines.line_id) WHERE source_id = $1 \
               AND state IN ('unmatched', 'excepted') \
               AND EXISTS (SELECT 1 FROM match_lines m WHERE m.line_id = statement_lines.line_id)";
    sqlx::query(sql).bind(&source.source_id).execute(&mut *connection).await?;
    let sql = "UPDATE settlement_items SET state = 'matched', match_id = (SELECT m.match_id FROM match_items m \
               WHERE m.store_id = settlement_items.store_id AND m.item_id = settlement_items.item_id) \
               WHERE state = 'open' AND EXISTS (SELECT 1 FROM match_items m \
               WHERE m.store_id = settlement_items.store_id AND m.item_id = settlement_items.item_id)";
    sqlx::query(sql).execute(&mut *connection).await?;
    // A fee of its own is told by nobody else: it waits for the statement's approval.
    let raised: BTreeSet<&String> = found.raised.iter().flat_map(|raised| &raised.line_ids).collect();
    for line_id in raised {
        let sql = "UPDATE statement_lines SET state = 'excepted' WHERE line_id = $1 AND state = 'unmatched'";
        sqlx::query(sql).bind(line_id).execute(&mut *connection).await?;
    }
    for line_id in &found.fees {
        let sql = "UPDATE statement_lines SET state = 'resolved' WHERE line_id = $1 AND state = 'unmatched'";
        sqlx::query(sql).bind(line_id).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Resolves what waited for something that is matched now.
async fn settle_exceptions(
    connection: &mut AnyConnection,
    source_id: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE settlement_exceptions SET state = 'resolved', resolution = 'match', resolved_at = $2 \
               WHERE source_id = $1 AND state = 'open' AND ( \
               EXISTS (SELECT 1 FROM settlement_items i WHERE i.store_id = settlement_exceptions.store_id \
                   AND i.item_id = settlement_exceptions.item_id AND i.state <> 'open') \
               OR EXISTS (SELECT 1 FROM statement_lines l WHERE l.line_id = settlement_exceptions.line_id \
                   AND l.state = 'matched'))";
    sqlx::query(sql).bind(source_id).bind(now.0).execute(connection).await?;
    Ok(())
}
