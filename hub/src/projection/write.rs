//! Writes a projection: one statement per table, whatever the size of the batch.

use crate::db::insert::{self, NewRow};
use crate::db::{Engine, array};
use crate::projection::announce::FeedUpdates;
use crate::projection::documents::payments;
use crate::projection::fold::{DaySeal, MovedGoods, Projection, RightTender, Sums, Voided};
use crate::projection::journal::{self, Beside};
use crate::projection::payables::{credit_note, uninvoiced};
use crate::projection::returns::returned_from::AffectedSales;
use crate::projection::settlement::items::{self, DaysOfBatch};
use crate::projection::{points, shared, shifts};
use crate::table::exception::{self, Found};
use crate::table::{event_log, member, notice, product};
use crate::{columns, row};
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use edge::clock;
use jiff::civil::Date;
use serde_json::json;
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, HashMap};

impl Projection<'_> {
    /// Adds everything to the tables.
    ///
    /// # Errors
    /// A database error; figures beyond a table's bounds are data errors.
    pub async fn write(
        mut self,
        connection: &mut AnyConnection,
        now: UtcMs,
    ) -> Result<FeedUpdates, sqlx::Error> {
        self.flag_receipts(connection, now).await?;
        self.watched.in_closed_shifts(connection, self.store_id, now).await?;
        let categories = self.categorise(connection).await?;
        let updated_at = clock::now().0;
        for document in self.sales.iter_mut().chain(&mut self.returns) {
            document.set("updated_at", updated_at);
        }
        // Every field is named, so that the compiler asks where a new one is written.
        let Self {
            store_id,
            zone,
            sales,
            sale_lines,
            payments,
            returns,
            return_lines,
            refunds,
            goods,
            deposits,
            audit,
            journal,
            unposted,
            shifts,
            receipts,
            foreign_receipts: _,
            days: reported_days,
            sums: sums_of_store,
            methods,
            cash,
            stock: moved_goods,
            points,
            points_entries,
            voids: voided,
            taken_back,
            tenders: right_tenders,
            uninvoiced,
            shared,
            watched,
        } = self;
        insert::rows(connection, "sales", "", sales).await?;
        insert::rows(connection, "sale_lines", "", sale_lines).await?;
        insert::rows(connection, "payments", "", payments).await?;
        insert::rows(connection, "returns", "", returns).await?;
        taxed_as_sold(connection, store_id, return_lines).await?;
        insert::rows(connection, "refunds", "", refunds).await?;
        goods.write(connection, store_id, now).await?;
        insert::rows(connection, "deposits", "", deposits).await?;
        insert::rows(connection, "store_audit", "", audit).await?;
        // Before any other statement that locks rows of sales.
        let touched = AffectedSales::lock(connection, taken_back, &receipts).await?;
        tenders(connection, store_id, right_tenders).await?;
        voids(connection, store_id, &voided).await?;
        touched.flag(connection, store_id, now).await?;
        let closed = shifts::closed_days(&shifts);
        let counted = shifts::write(connection, store_id, shifts, now).await?;
        let method = |((shift_id, method), amount): ((String, String), Money)| row! { store_id, shift_id, method, amount };
        let key = ["store_id", "shift_id", "method"];
        let methods = methods.into_iter().map(method).collect();
        insert::sums(connection, "shift_methods", &key, methods).await?;
        let drawer = |(shift_id, [pay_in, pay_out, drops]): (String, [Money; 3])| row! { store_id, shift_id, pay_in, pay_out, drops };
        let cash = cash.into_iter().map(drawer).collect();
        insert::sums(connection, "shift_cash", &["store_id", "shift_id"], cash).await?;
        stock(connection, store_id, moved_goods).await?;
        let sealed =
            reported_days.iter().filter(|(_, day)| day.sealed_at.is_some()).map(|(day, _)| *day).collect();
        let owed = uninvoiced::write(connection, store_id, uninvoiced, now).await?;
        days(connection, store_id, reported_days).await?;
        sums(connection, store_id, sums_of_store).await?;
        let mut later = FeedUpdates::default();
        // Rows that stores share are locked in one order, so that no two batches wait for each other.
        let members = points.keys().cloned().collect();
        points::write(connection, store_id, (points, points_entries), &mut later).await?;
        let changed = shared.members.iter().map(|(_, changed)| changed.id.as_str());
        member::stamp(connection, members, changed).await?;
        watched.overdrawn(connection, store_id, now).await?;
        let foreign = shared::write(connection, store_id, shared, now, &mut later).await?;
        // Books are locked after all slow steps; settling is decided under these locks.
        let beside = Beside { counted, foreign, categories, unposted };
        let expected = journal::write(connection, (store_id, zone), journal, beside, now).await?;
        credit_note::post(connection, store_id, owed, now).await?;
        items::write(connection, store_id, expected, DaysOfBatch { sealed, closed }, now).await?;
        Ok(later)
    }

    /// Gives each line the present category of its product; returns the categories of the products, by sku.
    async fn categorise(
        &mut self,
        connection: &mut AnyConnection,
    ) -> Result<BTreeMap<String, String>, sqlx::Error> {
        let lines = self.sale_lines.iter().chain(&self.return_lines);
        let skus = lines.map(|line| line.text("sku").to_owned()).collect();
        let categories = product::categories(connection, skus).await?;
        for line in self.sale_lines.iter_mut().chain(&mut self.return_lines) {
            if let Some(category) = categories.get(line.text("sku")) {
                line.set("category", category.as_str());
            }
        }
        Ok(categories)
    }

    /// A receipt number that belongs to another store, or was seen twice, holds nothing back: a person is notified.
    async fn flag_receipts(&self, connection: &mut AnyConnection, now: UtcMs) -> Result<(), sqlx::Error> {
        for (event_id, receipt_no) in &self.foreign_receipts {
            let found = Found { store_id: self.store_id, event_id, now };
            let details = json!({"receipt_no": receipt_no});
            exception::note(connection, found, exception::RECEIPT_FOREIGN, &details).await?;
        }
        if self.receipts.is_empty() {
            return Ok(());
        }
        let engine = Engine::of_connection(connection);
        let among = array::among(engine, "receipt_no", 1);
        let sql = format!(
            "SELECT receipt_no, event_id FROM sales WHERE {among} \
             UNION ALL SELECT receipt_no, event_id FROM returns WHERE {among} ORDER BY 2"
        );
        let receipts = array::texts(engine, self.receipts.keys().map(String::as_str))?;
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false).bind(receipts);
        let mut first: HashMap<String, String> = HashMap::new();
        for row in query.fetch_all(&mut *connection).await? {
            first.entry(row.try_get("receipt_no")?).or_insert(row.try_get("event_id")?);
        }
        let mut rows: Vec<NewRow> = Vec::new();
        for (receipt_no, events) in &self.receipts {
            let mut events = events.iter();
            let Some(before) = first.get(receipt_no).or_else(|| events.next()).cloned() else { continue };
            for event_id in events {
                tracing::error!(
                    store_id = self.store_id,
                    receipt_no,
                    event_id,
                    "a receipt number was given twice"
                );
                let details = json!({"receipt_no": receipt_no, "first_event_id": before}).to_string();
                let id = exception::new_id();
                let code = exception::RECEIPT_TWICE;
                event_log::write_exception(connection, self.store_id, &id, now).await?;
                rows.push(row! {
                    store_id: self.store_id, event_id: event_id.as_str(), code, details, found_at: now.0,
                    found_on: exception::day(now), exception_id: id,
                });
            }
        }
        if !rows.is_empty() {
            notice::tell_exception(connection, ("", self.store_id), exception::RECEIPT_TWICE).await?;
        }
        insert::rows(connection, "exceptions", "ON CONFLICT (store_id, event_id, code) DO NOTHING", rows)
            .await
    }
}

/// The latest report of a day counts, in whatever order reports are applied.
async fn days(
    connection: &mut AnyConnection,
    store_id: &str,
    days: BTreeMap<Date, DaySeal>,
) -> Result<(), sqlx::Error> {
    let tail = "ON CONFLICT (store_id, business_date) DO UPDATE SET sealed = excluded.sealed, \
                sealed_at = excluded.sealed_at, stamp = excluded.stamp \
                WHERE excluded.stamp <> '' AND store_days.stamp <= excluded.stamp";
    let cells = |(date, DaySeal { stamp, sealed_at }): (Date, DaySeal)| {
        let sealed = i64::from(sealed_at.is_some());
        row! { store_id, business_date: date.to_string(), sealed, sealed_at: sealed_at.map(|at| at.0), stamp }
    };
    insert::rows(connection, "store_days", tail, days.into_iter().map(cells).collect()).await
}

async fn sums(connection: &mut AnyConnection, store_id: &str, sums: Option<Sums>) -> Result<(), sqlx::Error> {
    let Some(Sums {
        sales_count,
        items_count,
        gross,
        discount,
        tax,
        rounding,
        total,
        voids_count,
        voids_total,
        returns_count,
        returns_total,
        returns_tax,
    }) = sums
    else {
        return Ok(());
    };
    let cells = row! {
        store_id, sales_count, items_count, gross, discount, tax, rounding, total, voids_count, voids_total,
        returns_count, returns_total, returns_tax,
    };
    insert::sums(connection, "store_sums", &["store_id"], vec![cells]).await
}

/// Writes the moved goods, and the time of each product's last movement.
async fn stock(
    connection: &mut AnyConnection,
    store_id: &str,
    moved: BTreeMap<String, MovedGoods>,
) -> Result<(), sqlx::Error> {
    let tail = "ON CONFLICT (store_id, sku) DO UPDATE SET qty = stock.qty + excluded.qty, \
                value = stock.value + excluded.value, moved_at = CASE WHEN excluded.moved_at > stock.moved_at \
                THEN excluded.moved_at ELSE stock.moved_at END";
    let cells = |(sku, MovedGoods { qty, value, moved_at }): (String, MovedGoods)| row! { store_id, sku, qty, value, moved_at };
    insert::rows(connection, "stock", tail, moved.into_iter().map(cells).collect()).await
}

/// Adds the returned lines, each with the tax code of the sold line, as far as it is known.
async fn taxed_as_sold(
    connection: &mut AnyConnection,
    store_id: &str,
    lines: Vec<NewRow>,
) -> Result<(), sqlx::Error> {
    if lines.is_empty() {
        return Ok(());
    }
    let engine = Engine::of_connection(connection);
    let reported = array::texts(engine, lines.iter().map(|line| line.text("event_id")))?;
    insert::rows(&mut *connection, "return_lines", "", lines).await?;
    let sql = format!(
        "UPDATE return_lines SET tax_code = (SELECT MIN(o.tax_code) FROM returns r \
         JOIN sales s ON s.transaction_id = r.transaction_id \
         JOIN sale_lines o ON o.store_id = s.store_id AND o.event_id = s.event_id \
         AND o.position = return_lines.sold_line_no - 1 \
         WHERE r.store_id = return_lines.store_id AND r.event_id = return_lines.event_id) \
         WHERE store_id = $1 AND {}",
        array::among(engine, "event_id", 2)
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false).bind(store_id.to_owned());
    query.bind(reported).execute(connection).await.map(drop)
}

/// Replaces the payments that a sale was reported with by the corrected ones.
async fn tenders(
    connection: &mut AnyConnection,
    store_id: &str,
    tenders: Vec<RightTender>,
) -> Result<(), sqlx::Error> {
    for RightTender { event_id: reported, transaction_id, payments: right, .. } in tenders {
        let sql = "SELECT event_id, business_date FROM sales WHERE store_id = $1 AND transaction_id = $2 \
                   ORDER BY event_id LIMIT 1";
        let query = sqlx::query(sql).bind(store_id).bind(transaction_id);
        let Some(row) = query.fetch_optional(&mut *connection).await? else { continue };
        let (event_id, day): (String, String) = columns!(row => (event_id, business_date));
        let sql = "DELETE FROM payments WHERE store_id = $1 AND event_id = $2";
        sqlx::query(sql).bind(store_id).bind(event_id.clone()).execute(&mut *connection).await?;
        let rounding = right.iter().map(|payment| payment.rounding).sum::<Money>();
        let sql = "UPDATE sales SET rounding = $3, corrected_event = $4, updated_at = $5 WHERE store_id = $1 AND event_id = $2";
        let query =
            sqlx::query(sql).bind(store_id).bind(event_id.clone()).bind(rounding.get()).bind(reported);
        let query = query.bind(clock::now().0);
        query.execute(&mut *connection).await?;
        let rows = payments(store_id, &event_id, &day, right.iter()).collect();
        insert::rows(connection, "payments", "", rows).await?;
    }
    Ok(())
}

/// Takes documents back; of two with one ID, the first.
async fn voids(
    connection: &mut AnyConnection,
    store_id: &str,
    voids: &[(Voided, String, String)],
) -> Result<(), sqlx::Error> {
    for (what, id, event_id) in voids {
        let sql = match what {
            Voided::Sale => {
                "UPDATE sales SET voided_event = $3, updated_at = $4 WHERE store_id = $1 AND event_id = (SELECT MIN(event_id) \
                 FROM sales WHERE store_id = $1 AND transaction_id = $2 AND voided_event IS NULL)"
            }
            Voided::Return => {
                "UPDATE returns SET voided_event = $3, updated_at = $4 WHERE store_id = $1 AND event_id = (SELECT MIN(event_id) \
                 FROM returns WHERE store_id = $1 AND return_id = $2 AND voided_event IS NULL)"
            }
        };
        let query = sqlx::query(sql).bind(store_id).bind(id).bind(event_id).bind(clock::now().0);
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
