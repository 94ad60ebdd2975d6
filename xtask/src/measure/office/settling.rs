//! A provider's statement that is imported and matched, and a settlement that is approved.

use super::{Office, path, timed};
use anyhow::ensure;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Lines of a statement at most, each of one payment.
const LINES: usize = 50_000;
/// Payments of a day that is approved, at most.
const OF_A_DAY: usize = 10_000;
/// Approved days behind one of the stores, and their payments each.
const DAYS_BEHIND: usize = 1_000;
const OF_A_DAY_BEHIND: usize = 100;
/// Number of repetitions, each with payments of its own.
const TIMES: u32 = 3;
/// Age of the first payments.
const FIRST: u32 = 60;
const IMPORT: f64 = 5.0;
const APPROVE: f64 = 5.0;
const BEHIND: f64 = 1.2;

pub async fn measure(office: &mut Office) -> anyhow::Result<()> {
    importing(office).await?;
    approving(office).await
}

/// A statement of payments of several stores and days, beside COPY of its lines and one join.
async fn importing(office: &mut Office) -> anyhow::Result<()> {
    let count = office.at_most(LINES);
    for time in 0..TIMES {
        let day = office.days_ago(FIRST - time).await?;
        let key = format!("PAY{time}");
        for store in 0..super::STORES {
            let of_store = Payments {
                store: &format!("S{store:03}"),
                day: &day,
                key: &key,
                first: store * count / super::STORES,
                count: count / super::STORES,
            };
            office.items("settlement_items", &of_store).await?;
        }
        office.plain("ANALYZE settlement_items").await?;
        let ours = office.import(&day, &key, count).await?;
        let file = office.place.file("lines.csv");
        let mut lines = String::new();
        for number in 0..count {
            writeln!(lines, "{key}X{number},{}", amount(number))?;
        }
        std::fs::write(&file, lines)?;
        let script = format!(
            "CREATE TEMP TABLE lines (reference TEXT, amount BIGINT);\n\\copy lines FROM '{}' CSV\nSELECT COUNT(*) \
             FROM lines l JOIN settlement_items i ON i.reference = l.reference AND i.amount = l.amount;\n",
            path(&file)?
        );
        let statements = office.place.file("lines.sql");
        std::fs::write(&statements, script)?;
        let theirs = timed(office.psql().args(["-o", "/dev/null", "-f"]).arg(&statements)).await?;
        let what = format!("a statement of {count} lines imported and matched / COPY and a join");
        office.measured.add(&what, IMPORT, ours, theirs);
    }
    Ok(())
}

/// A day of many payments, in a store without a past and in one with years of it.
async fn approving(office: &mut Office) -> anyhow::Result<()> {
    let count = office.at_most(OF_A_DAY);
    office.plain("CREATE TABLE plain_items (LIKE settlement_items INCLUDING ALL)").await?;
    for store in ["NEW", "OLD"] {
        office
            .plain(&format!(
                "INSERT INTO stores (store_id, name, timezone, disabled, created_at, current_n) \
             VALUES ('{store}', 'S', 'Asia/Jakarta', 0, 0, 0)"
            ))
            .await?;
    }
    office.past("OLD").await?;
    for time in 0..TIMES {
        let day = office.days_ago(FIRST / 2 - time).await?;
        let [new_key, old_key] = ["NEW", "OLD"].map(|store| format!("{store}{time}"));
        let made = Payments { store: "NEW", day: &day, key: &new_key, first: 0, count };
        let new = office.approve(&made).await?;
        let old = office.approve(&Payments { store: "OLD", key: &old_key, ..made }).await?;
        office.items("plain_items", &made).await?;
        let plain = office
            .plain(&format!(
                "UPDATE plain_items SET state = 'posted' WHERE store_id = 'NEW' AND settlement_date = '{day}'"
            ))
            .await?;
        let what = format!("approving {count} payments / one UPDATE of as many rows");
        office.measured.add(&what, APPROVE, new, plain);
        office.measured.add(&format!("the same behind {DAYS_BEHIND} days / without"), BEHIND, old, new);
    }
    Ok(())
}

/// Card payments of a store and day. Their references begin with a key and are numbered from `first`.
#[derive(Clone, Copy)]
struct Payments<'a> {
    store: &'a str,
    day: &'a str,
    key: &'a str,
    first: usize,
    count: usize,
}

/// Amount of the payment with a number.
const fn amount(number: usize) -> usize {
    10_000 + number % 997
}

impl Office {
    fn at_most(&self, count: usize) -> usize {
        usize::try_from(self.rows).map_or(count, |rows| rows.min(count))
    }

    /// Makes payments that wait for a statement.
    async fn items(
        &self,
        table: &str,
        Payments { store, day, key, first, count }: &Payments<'_>,
    ) -> anyhow::Result<()> {
        let statement = format!(
            "INSERT INTO {table} (store_id, item_id, event_id, kind, method, account, business_date, \
             settlement_date, amount, reference, document_id, occurred_at, state, late) \
             SELECT '{store}', '{key}_' || n, 'evt_{key}_' || n, 'payment', 'card', '1110', '{day}', '{day}', \
             10000 + n % 997, '{key}X' || n, 'txn_{key}_' || n, n, 'open', 0 \
             FROM generate_series({first}, {first} + {count} - 1) n"
        );
        self.plain(&statement).await.map(drop)
    }

    /// Imports the lines that pay all payments of a key; returns the time.
    async fn import(&self, day: &str, key: &str, count: usize) -> anyhow::Result<Duration> {
        let line = |number: usize| json!({"date": day, "reference": format!("{key}X{number}"), "gross": amount(number), "fee": 0});
        let lines: Vec<Value> = (0..count).map(line).collect();
        let body = json!({"source_id": "src_default", "from": day, "to": day, "lines": lines});
        let since = Instant::now();
        let statement = self.reader.post("/api/statements", &format!("import-{key}"), &body).await?;
        let took = since.elapsed();
        ensure!(statement.get("matched") == Some(&json!(count)), "not all is matched: {statement}");
        Ok(took)
    }

    /// Settles a day of many payments; how long approving it took.
    async fn approve(&self, payments: &Payments<'_>) -> anyhow::Result<Duration> {
        let Payments { store, day, key, count, .. } = payments;
        self.items("settlement_items", payments).await?;
        self.import(day, key, *count).await?;
        self.plain("ANALYZE settlement_items").await?;
        let made = json!({"store_id": store, "business_date": day, "force": true, "reason": "made up"});
        let made = self.reader.post("/api/settlements", &format!("make-{key}"), &made).await?;
        let id = crate::rest::text(&made, "settlement_id")?;
        let since = Instant::now();
        let path = format!("/api/settlements/{id}/approve");
        self.reader.post(&path, &format!("approve-{key}"), &json!({})).await?;
        Ok(since.elapsed())
    }

    /// Approved days of a store, long ago.
    async fn past(&self, store: &str) -> anyhow::Result<()> {
        let days = format!("generate_series(1, {DAYS_BEHIND}) d");
        let day = "(DATE '2025-12-31' - d)::TEXT";
        self.plain(&format!(
            "INSERT INTO settlement_items (store_id, item_id, event_id, kind, method, account, business_date, \
             settlement_date, amount, reference, document_id, occurred_at, state, late) \
             SELECT '{store}', 'old_' || d || '_' || n, 'evt_old_' || d || '_' || n, 'payment', 'card', '1110', {day}, \
             {day}, 10000, 'OLDER' || d || 'X' || n, 'txn_old_' || d || '_' || n, n, 'posted', 0 \
             FROM {days}, generate_series(1, {OF_A_DAY_BEHIND}) n"
        )).await?;
        self.plain(&format!(
            "INSERT INTO settlements (store_id, business_date, settlement_id, state, forced, made_at) \
             SELECT '{store}', {day}, 'stl_old_' || d, 'approved', 0, 0 FROM {days}"
        ))
        .await
        .map(drop)
    }
}
