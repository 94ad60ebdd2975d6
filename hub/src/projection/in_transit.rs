//! What a sender's book holds in transit, transfer by transfer: so that a part of a shortfall is posted once, and what
//! is left when the goods have arrived is found.

use crate::columns;
use crate::db::column::Columns;
use domain::model::base::ids::Sku;
use domain::model::inventory::transfer::{Resolved, Transfer, TransferState};
use domain::rules::books::posting::plan::IN_TRANSIT;
use domain::rules::books::posting::{Context, RecordEntries, RecordToPost, Row, of_record};
use domain::wire::record::{AnyPayload, TransferRecord};
use sqlx::AnyConnection;

/// A part of a shortfall, of a line.
type Part = (u32, Resolved);

/// What the sender's book holds for a transfer.
#[derive(Default)]
struct Held {
    value: i64,
    settled: Vec<Part>,
    expected: Option<i64>,
    /// The receiver told of what arrived: until then its part is not lost.
    arrived: bool,
}

/// The record of a transfer, if it is one.
pub(crate) fn transfer(payload: &AnyPayload) -> Option<&TransferRecord> {
    match payload {
        AnyPayload::TransferSent(it)
        | AnyPayload::TransferReceived(it)
        | AnyPayload::TransferCancelled(it)
        | AnyPayload::TransferResolved(it) => Some(it),
        _ => None,
    }
}

/// What this record of a transfer posts beside its figures, and what it takes off what is on its way: products, pieces
/// and their value. The transfer's row is locked; of a transfer between other stores nothing is held.
pub(crate) async fn context(
    connection: &mut AnyConnection,
    told: &RecordToPost<'_>,
    record: &TransferRecord,
    context: &mut Context,
) -> Result<Vec<(Sku, i64, i64)>, sqlx::Error> {
    let transfer = &record.transfer;
    let (sender, id) = (transfer.from_store_id.as_str(), transfer.transfer_id.as_str());
    let by_sender = sender == told.store_id;
    let arrived = matches!(told.payload, AnyPayload::TransferReceived(_));
    if context.transfer.foreign || !(by_sender || arrived) {
        return Ok(Vec::new());
    }
    let mut left: Vec<_> = record.lines.iter().map(|line| (line.line_no, line.qty, line.cost)).collect();
    let mut held = held(connection, sender, id).await?;
    held.arrived |= !by_sender;
    if by_sender {
        if matches!(told.payload, AnyPayload::TransferResolved(_)) {
            let parts = new_parts(transfer, &held.settled);
            left = parts.iter().map(|(line_no, part)| (*line_no, part.qty, part.cost)).collect();
            context.transfer.settled = parts.iter().map(|(_, part)| (part.resolution, part.cost)).collect();
            held.settled.extend(parts);
        }
        if transfer.state == TransferState::Received {
            held.expected = Some(transfer.in_transit_value());
        }
    }
    let entries = of_record(&RecordToPost { context, ..*told });
    held.value = held.value.saturating_add(entries.map_or(0, |entries| moved(&entries, by_sender)));
    if let Some(expected) = held.expected.filter(|_| held.arrived) {
        context.transfer.over = held.value.saturating_sub(expected);
        held.value = expected;
        // A rest is of the whole document.
        left.extend(transfer.lines.first().map(|line| (line.line_no, 0, context.transfer.over)));
    }
    write(connection, sender, id, &held).await?;
    let sku =
        |line_no| transfer.lines.iter().find(|line| line.line_no == line_no).map(|line| line.sku.clone());
    Ok(left.into_iter().map(|(line_no, qty, value)| (sku(line_no).unwrap_or_default(), qty, value)).collect())
}

/// By how much the sender's book holds more.
fn moved(entries: &RecordEntries, by_sender: bool) -> i64 {
    let made = if by_sender { Some(&entries.own) } else { entries.sender.as_ref().map(|(_, made)| made) };
    let rows = made.into_iter().flat_map(|made| &made.rows).filter(|row| row.account == IN_TRANSIT);
    rows.map(|Row { debit, credit, .. }| debit.saturating_sub(*credit)).fold(0, i64::saturating_add)
}

/// The parts of a document that were not posted; two that are alike are two.
fn new_parts(transfer: &Transfer, posted: &[Part]) -> Vec<Part> {
    let mut posted = posted.to_vec();
    let parts = transfer
        .lines
        .iter()
        .flat_map(|line| line.resolved.iter().map(move |part| (line.line_no, part.clone())));
    let new = |part: &Part| match posted.iter().position(|known| known == part) {
        Some(place) => {
            posted.swap_remove(place);
            false
        }
        None => true,
    };
    parts.filter(new).collect()
}

async fn held(connection: &mut AnyConnection, sender: &str, id: &str) -> Result<Held, sqlx::Error> {
    let sql =
        "SELECT value, settled, expected, arrived FROM in_transit WHERE store_id = $1 AND transfer_id = $2";
    let row = sqlx::query(sql).bind(sender).bind(id).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(Held::default()) };
    let settled = row.json("settled")?;
    Ok(columns!(row => Held { value, expected, arrived; settled = settled }))
}

async fn write(
    connection: &mut AnyConnection,
    sender: &str,
    id: &str,
    held: &Held,
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO in_transit (store_id, transfer_id, value, settled, expected, arrived) \
               VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (store_id, transfer_id) DO UPDATE SET \
               value = excluded.value, settled = excluded.settled, expected = excluded.expected, \
               arrived = excluded.arrived";
    let settled = serde_json::to_string(&held.settled).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let query = sqlx::query(sql).bind(sender).bind(id).bind(held.value).bind(settled);
    query.bind(held.expected).bind(i64::from(held.arrived)).execute(connection).await.map(drop)
}

/// Books of which account 1220 is not what they hold for their transfers, or for the products of a day.
pub(crate) async fn problems(connection: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    let by_day = "SELECT store_id || ' ' || entry_date AS place, CAST(SUM(booked) AS BIGINT) AS booked, \
               CAST(SUM(held) AS BIGINT) AS held FROM (\
               SELECT store_id, entry_date, debit - credit AS booked, 0 AS held FROM ledger_days WHERE account = '1220' \
               UNION ALL SELECT store_id, entry_date, 0, value FROM transit_days) moved GROUP BY store_id, entry_date \
               HAVING SUM(booked) <> SUM(held) ORDER BY place";
    let mut problems = Vec::new();
    for row in sqlx::query(by_day).fetch_all(&mut *connection).await? {
        let (place, booked, held): (String, i64, i64) = columns!(row => (place, booked, held));
        problems.push(format!("{place}: 1220 moved by {booked}, its products in transit by {held}"));
    }
    let sql = "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(held) AS BIGINT) AS held FROM (\
               SELECT store_id, debit - credit AS booked, 0 AS held FROM ledger_days WHERE account = '1220' \
               UNION ALL SELECT store_id, 0, value FROM in_transit) moved GROUP BY store_id \
               HAVING SUM(booked) <> SUM(held) ORDER BY store_id";
    for row in sqlx::query(sql).fetch_all(connection).await? {
        let (book, booked, held): (String, i64, i64) = columns!(row => (store_id, booked, held));
        problems.push(format!("{book}: 1220 has {booked}, its transfers have {held} in transit"));
    }
    Ok(problems)
}
