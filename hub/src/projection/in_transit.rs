//! Transit stock in a sender's book, transfer by transfer, so that a part of a shortfall is posted once, and the
//! remainder is found when the goods have arrived.

use crate::columns;
use crate::db::column::Columns;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::inventory::transfer::{Resolved, Transfer, TransferLine, TransferState};
use domain::rules::books::posting::{Context, RecordToPost};
use domain::wire::record::{AnyPayload, TransferRecord};
use serde::Serialize;
use sqlx::AnyConnection;
use std::collections::BTreeMap;

/// A part of a line's shortfall.
type Part = (u32, Resolved);
/// Values by the lines of a document.
type ByLine = BTreeMap<u32, Money>;

/// Amount that the sender's book holds for a transfer.
#[derive(Default)]
struct Held {
    lines: ByLine,
    settled: Vec<Part>,
    expected: Option<ByLine>,
    /// Whether the receiver reported the arrival: until then its part is not lost.
    arrived: bool,
}

/// Pieces of a product and their value that are no longer on their way; negative if they set out.
pub(crate) struct TransitMove {
    pub sku: Sku,
    pub qty: Quantity,
    pub value: Money,
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

/// Postings of this record of a transfer beside its figures, and its part of the transit stock. The transfer's row is
/// locked; for a transfer between other stores nothing is held.
pub(crate) async fn context(
    connection: &mut AnyConnection,
    reported: &RecordToPost<'_>,
    record: &TransferRecord,
    context: &mut Context,
) -> Result<Vec<TransitMove>, sqlx::Error> {
    let transfer = &record.transfer;
    let (sender, id) = (transfer.from_store_id.as_str(), transfer.transfer_id.as_str());
    let by_sender = sender == reported.store_id;
    let arrived = matches!(reported.payload, AnyPayload::TransferReceived(_));
    if context.transfer.foreign || !(by_sender || arrived) {
        return Ok(Vec::new());
    }
    let mut left: Vec<_> = record.lines.iter().map(|line| (line.line_no, line.qty, line.cost)).collect();
    let mut held = held(connection, sender, id).await?;
    held.arrived |= !by_sender;
    if by_sender {
        if matches!(reported.payload, AnyPayload::TransferResolved(_)) {
            let parts = new_parts(transfer, &held.settled);
            left = parts.iter().map(|(line_no, part)| (*line_no, part.qty, part.cost)).collect();
            context.transfer.settled = parts.iter().map(|(_, part)| (part.resolution, part.cost)).collect();
            held.settled.extend(parts);
        }
        if transfer.state == TransferState::Received {
            let of_line = |line: &TransferLine| (line.line_no, line.in_transit_value());
            held.expected = Some(transfer.lines.iter().map(of_line).collect());
        }
    }
    for (line_no, _, value) in &left {
        let stands = held.lines.entry(*line_no).or_default();
        *stands = stands.saturating_sub(*value);
    }
    for (line_no, expected) in held.expected.iter().filter(|_| held.arrived).flatten() {
        let stands = held.lines.entry(*line_no).or_default();
        let rest = stands.saturating_sub(*expected);
        *stands = *expected;
        context.transfer.over = context.transfer.over.saturating_add(rest);
        left.push((*line_no, Quantity::ZERO, rest));
    }
    write(connection, sender, id, &held).await?;
    let moved = |(line_no, qty, value)| {
        let line = transfer.lines.iter().find(|line| line.line_no == line_no);
        TransitMove { sku: line.map(|line| line.sku.clone()).unwrap_or_default(), qty, value }
    };
    Ok(left.into_iter().map(moved).collect())
}

/// The parts of a document that were not posted; two equal parts are two.
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
        "SELECT lines, settled, expected, arrived FROM in_transit WHERE store_id = $1 AND transfer_id = $2";
    let row = sqlx::query(sql).bind(sender).bind(id).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(Held::default()) };
    let (lines, settled, expected) = (row.json("lines")?, row.json("settled")?, row.json("expected")?);
    Ok(columns!(row => Held { arrived; lines = lines, settled = settled, expected = expected }))
}

async fn write(
    connection: &mut AnyConnection,
    sender: &str,
    id: &str,
    held: &Held,
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO in_transit (store_id, transfer_id, value, lines, settled, expected, arrived) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (store_id, transfer_id) DO UPDATE SET \
               value = excluded.value, lines = excluded.lines, settled = excluded.settled, \
               expected = excluded.expected, arrived = excluded.arrived";
    let value: Money = held.lines.values().copied().sum();
    let query = sqlx::query(sql).bind(sender).bind(id).bind(value.get()).bind(json(&held.lines)?);
    let query = query.bind(json(&held.settled)?).bind(json(&held.expected)?).bind(i64::from(held.arrived));
    query.execute(connection).await.map(drop)
}

fn json(value: &impl Serialize) -> Result<String, sqlx::Error> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Books whose account 1220 differs from their transfers, or from the products of a day; and products whose present
/// sums differ from those of their days.
pub(crate) async fn problems(connection: &mut AnyConnection) -> Result<Vec<String>, sqlx::Error> {
    let by_day = "SELECT store_id || ' ' || entry_date AS place, CAST(SUM(booked) AS BIGINT) AS booked, \
               CAST(SUM(held) AS BIGINT) AS held FROM (\
               SELECT store_id, entry_date, debit - credit AS booked, 0 AS held FROM ledger_days WHERE account = '1220' \
               UNION ALL SELECT store_id, entry_date, 0, value FROM transit_days) moved GROUP BY store_id, entry_date \
               HAVING SUM(booked) <> SUM(held) ORDER BY place";
    let by_sku = "SELECT store_id || ' ' || sku AS place, CAST(SUM(now) AS BIGINT) AS now, CAST(SUM(moved) AS BIGINT) AS moved, \
                  CAST(SUM(value) AS BIGINT) AS value FROM (\
                  SELECT store_id, sku, qty AS now, 0 AS moved, value FROM transit \
                  UNION ALL SELECT store_id, sku, 0, qty, -value FROM transit_days) held GROUP BY store_id, sku \
                  HAVING SUM(now) <> SUM(moved) OR SUM(value) <> 0 ORDER BY place";
    let mut problems = Vec::new();
    for row in sqlx::query(by_sku).fetch_all(&mut *connection).await? {
        let (place, now, moved, value): (String, Quantity, Quantity, Money) =
            columns!(row => (place, now, moved, value));
        problems.push(format!(
            "{place}: {now} are in transit, but {moved} according to its days; the value differs by {value}"
        ));
    }
    for row in sqlx::query(by_day).fetch_all(&mut *connection).await? {
        let (place, booked, held): (String, Money, Money) = columns!(row => (place, booked, held));
        problems.push(format!("{place}: 1220 moved by {booked}, but its products in transit by {held}"));
    }
    let sql = "SELECT store_id, CAST(SUM(booked) AS BIGINT) AS booked, CAST(SUM(held) AS BIGINT) AS held FROM (\
               SELECT store_id, debit - credit AS booked, 0 AS held FROM ledger_days WHERE account = '1220' \
               UNION ALL SELECT store_id, 0, value FROM in_transit) moved GROUP BY store_id \
               HAVING SUM(booked) <> SUM(held) ORDER BY store_id";
    for row in sqlx::query(sql).fetch_all(connection).await? {
        let (book, booked, held): (String, Money, Money) = columns!(row => (store_id, booked, held));
        problems.push(format!("{book}: 1220 has {booked}, but its transfers have {held} in transit"));
    }
    Ok(problems)
}
