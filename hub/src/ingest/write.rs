//! Writing a projection: one statement per table, whatever the batch.

use super::announce::Later;
use super::projection::documents::payments;
use super::projection::{Projection, Sums, Voided};
use super::taken::Touched;
use super::{points, shared};
use crate::db::insert::{self, Cell};
use crate::exception::{self, Found};
use crate::row;
use domain::time::UtcMs;
use domain::transaction::Payment;
use serde_json::json;
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, HashMap};

const PAYMENTS: &str = "INSERT INTO payments (store_id, event_id, position, payment_id, method, amount, rounding, \
                        reference, paid_at)";

impl Projection<'_> {
    /// Adds everything to the tables.
    ///
    /// # Errors
    /// The database's; figures beyond a table's bounds are data errors.
    pub async fn write(mut self, connection: &mut AnyConnection, now: UtcMs) -> Result<Later, sqlx::Error> {
        self.flag_receipts(connection, now).await?;
        self.watched.in_closed_shifts(connection, self.store_id, now).await?;
        let Self { store_id, sales, sale_lines, payments, returns, receivings, receiving_lines, .. } = self;
        let head = "INSERT INTO sales (store_id, event_id, transaction_id, receipt_no, shift_id, register_id, \
                    cashier_id, member_id, business_date, local_hour, paid_at, items_count, gross, discount, \
                    tax, rounding, total)";
        insert::rows(connection, head, "", sales).await?;
        let head = "INSERT INTO sale_lines (store_id, event_id, position, sku, name, qty, gross, discount, tax, \
                    total, cost)";
        insert::rows(connection, head, "", sale_lines).await?;
        insert::rows(connection, PAYMENTS, "", payments).await?;
        let head = "INSERT INTO returns (store_id, event_id, return_id, receipt_no, transaction_id, shift_id, \
                    cashier_id, member_id, business_date, local_hour, refund_total, tax, rounding, created_at, \
                    origin_receipt_no)";
        insert::rows(connection, head, "", returns).await?;
        let head = "INSERT INTO return_lines (store_id, event_id, position, sku, qty, refund, tax, cost)";
        insert::rows(connection, head, "", self.return_lines).await?;
        let head = "INSERT INTO refunds (store_id, event_id, position, method, amount, rounding)";
        insert::rows(connection, head, "", self.refunds).await?;
        let head = "INSERT INTO receivings (store_id, event_id, receiving_id, business_date, supplier_id, po_id, \
                    delivery_note_no, total_cost, created_at)";
        insert::rows(connection, head, "", receivings).await?;
        let head = "INSERT INTO receiving_lines (store_id, event_id, position, sku, qty, rejected_qty, unit_cost, \
                    cost, correction)";
        insert::rows(connection, head, "", receiving_lines).await?;
        let head = "INSERT INTO store_audit (store_id, event_id, user_id, action, at, day)";
        insert::rows(connection, head, "", self.audit).await?;
        // Before any other statement that takes rows of sales.
        let touched = Touched::lock(connection, self.taken_back, &self.receipts).await?;
        tenders(connection, store_id, self.tenders).await?;
        voids(connection, store_id, &self.voids).await?;
        touched.flag(connection, store_id, now).await?;
        shifts(connection, self.shifts.into_values().collect()).await?;
        let method =
            |((shift_id, method), amount): ((String, String), i64)| row![store_id, shift_id, method, amount];
        let head = "INSERT INTO shift_methods (store_id, shift_id, method, amount)";
        let tail = "ON CONFLICT (store_id, shift_id, method) DO UPDATE SET \
                    amount = shift_methods.amount + excluded.amount";
        insert::rows(connection, head, tail, self.methods.into_iter().map(method).collect()).await?;
        let cash = |(shift_id, [pay_in, pay_out, drops]): (String, [i64; 3])| {
            row![store_id, shift_id, pay_in, pay_out, drops]
        };
        let head = "INSERT INTO shift_cash (store_id, shift_id, pay_in, pay_out, drops)";
        let tail = "ON CONFLICT (store_id, shift_id) DO UPDATE SET pay_in = shift_cash.pay_in + excluded.pay_in, \
                    pay_out = shift_cash.pay_out + excluded.pay_out, drops = shift_cash.drops + excluded.drops";
        insert::rows(connection, head, tail, self.cash.into_iter().map(cash).collect()).await?;
        let stock = |(sku, (qty, value)): (String, (i64, i64))| row![store_id, sku, qty, value];
        let head = "INSERT INTO stock (store_id, sku, qty, value)";
        let tail = "ON CONFLICT (store_id, sku) DO UPDATE SET qty = stock.qty + excluded.qty, \
                    value = stock.value + excluded.value";
        insert::rows(connection, head, tail, self.stock.into_iter().map(stock).collect()).await?;
        days(connection, store_id, self.days).await?;
        sums(connection, store_id, self.sums).await?;
        let mut later = Later::default();
        // What stores share comes last and in one order, so that no two batches wait for one another.
        points::write(connection, store_id, self.points, &mut later).await?;
        self.watched.overdrawn(connection, store_id, now).await?;
        shared::write(connection, store_id, self.shared, now, &mut later).await?;
        Ok(later)
    }

    /// A receipt number that is another store's to give, or seen twice, holds nothing back: a person is told.
    async fn flag_receipts(&self, connection: &mut AnyConnection, now: UtcMs) -> Result<(), sqlx::Error> {
        for (event_id, receipt_no) in &self.foreign_receipts {
            let found = Found { store_id: self.store_id, event_id, now };
            let details = json!({"receipt_no": receipt_no});
            exception::note(connection, found, exception::RECEIPT_FOREIGN, &details).await?;
        }
        if self.receipts.is_empty() {
            return Ok(());
        }
        let list = insert::list(1, self.receipts.len());
        let sql = format!(
            "SELECT receipt_no, event_id FROM sales WHERE receipt_no IN ({list}) \
             UNION ALL SELECT receipt_no, event_id FROM returns WHERE receipt_no IN ({list}) \
             ORDER BY 2"
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
        for receipt_no in self.receipts.keys() {
            query = query.bind(receipt_no.clone());
        }
        let mut first: HashMap<String, String> = HashMap::new();
        for row in query.fetch_all(&mut *connection).await? {
            first.entry(row.try_get(0)?).or_insert(row.try_get(1)?);
        }
        let mut rows: Vec<Vec<Cell>> = Vec::new();
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
                rows.push(row![self.store_id, event_id.as_str(), code, details, now.0, id]);
            }
        }
        let head = "INSERT INTO exceptions (store_id, event_id, code, details, found_at, exception_id)";
        insert::rows(connection, head, "ON CONFLICT (store_id, event_id, code) DO NOTHING", rows).await
    }
}

/// The last word on a day counts, whichever is applied last.
async fn days(
    connection: &mut AnyConnection,
    store_id: &str,
    days: BTreeMap<String, (String, bool)>,
) -> Result<(), sqlx::Error> {
    let head = "INSERT INTO store_days (store_id, business_date, sealed, stamp)";
    let tail = "ON CONFLICT (store_id, business_date) DO UPDATE SET sealed = excluded.sealed, \
                stamp = excluded.stamp WHERE store_days.stamp <= excluded.stamp";
    let cells =
        |(date, (stamp, sealed)): (String, (String, bool))| row![store_id, date, i64::from(sealed), stamp];
    insert::rows(connection, head, tail, days.into_iter().map(cells).collect()).await
}

/// A closed shift stays closed: its opening may be tried again after it.
async fn shifts(connection: &mut AnyConnection, rows: Vec<Vec<Cell>>) -> Result<(), sqlx::Error> {
    let head = "INSERT INTO shifts (store_id, shift_id, register_id, business_date, state, opened_by, opened_at, \
                opening_float, closed_by, closed_at, counted_cash, expected_cash, variance, z_no)";
    let tail = "ON CONFLICT (store_id, shift_id) DO UPDATE SET state = excluded.state, \
                closed_by = excluded.closed_by, closed_at = excluded.closed_at, \
                counted_cash = excluded.counted_cash, expected_cash = excluded.expected_cash, \
                variance = excluded.variance, z_no = excluded.z_no \
                WHERE shifts.state <> 'closed' OR excluded.state = 'closed'";
    insert::rows(connection, head, tail, rows).await
}

async fn sums(connection: &mut AnyConnection, store_id: &str, sums: Option<Sums>) -> Result<(), sqlx::Error> {
    let Some(s) = sums else { return Ok(()) };
    let cells = row![
        store_id,
        s.sales_count,
        s.items_count,
        s.gross,
        s.discount,
        s.tax,
        s.rounding,
        s.total,
        s.voids_count,
        s.voids_total,
        s.returns_count,
        s.returns_total,
        s.returns_tax
    ];
    let head = "INSERT INTO store_sums (store_id, sales_count, items_count, gross, discount, tax, rounding, total, \
                voids_count, voids_total, returns_count, returns_total, returns_tax)";
    let tail = "ON CONFLICT (store_id) DO UPDATE SET sales_count = store_sums.sales_count + excluded.sales_count, \
                items_count = store_sums.items_count + excluded.items_count, \
                gross = store_sums.gross + excluded.gross, discount = store_sums.discount + excluded.discount, \
                tax = store_sums.tax + excluded.tax, rounding = store_sums.rounding + excluded.rounding, \
                total = store_sums.total + excluded.total, \
                voids_count = store_sums.voids_count + excluded.voids_count, \
                voids_total = store_sums.voids_total + excluded.voids_total, \
                returns_count = store_sums.returns_count + excluded.returns_count, \
                returns_total = store_sums.returns_total + excluded.returns_total, \
                returns_tax = store_sums.returns_tax + excluded.returns_tax";
    insert::rows(connection, head, tail, vec![cells]).await
}

/// Payments that were put right take the place of those that their sale was told with.
async fn tenders(
    connection: &mut AnyConnection,
    store_id: &str,
    tenders: Vec<(String, Vec<Payment>)>,
) -> Result<(), sqlx::Error> {
    for (transaction_id, right) in tenders {
        let sql = "SELECT MIN(event_id) FROM sales WHERE store_id = $1 AND transaction_id = $2";
        let found = sqlx::query(sql).bind(store_id).bind(transaction_id).fetch_one(&mut *connection).await?;
        let Some(event_id) = found.try_get::<Option<String>, _>(0)? else { continue };
        let sql = "DELETE FROM payments WHERE store_id = $1 AND event_id = $2";
        sqlx::query(sql).bind(store_id).bind(event_id.clone()).execute(&mut *connection).await?;
        let rounding = right.iter().fold(0_i64, |sum, payment| sum.saturating_add(payment.rounding));
        let sql = "UPDATE sales SET rounding = $3 WHERE store_id = $1 AND event_id = $2";
        let query = sqlx::query(sql).bind(store_id).bind(event_id.clone()).bind(rounding);
        query.execute(&mut *connection).await?;
        let rows = payments(store_id, &event_id, right.iter()).collect();
        insert::rows(connection, PAYMENTS, "", rows).await?;
    }
    Ok(())
}

/// Documents that count no longer; of two with one id it is the first that is taken back.
async fn voids(
    connection: &mut AnyConnection,
    store_id: &str,
    voids: &[(Voided, String, String)],
) -> Result<(), sqlx::Error> {
    for (what, id, event_id) in voids {
        let sql = match what {
            Voided::Sale => {
                "UPDATE sales SET voided_event = $3 WHERE store_id = $1 AND event_id = (SELECT MIN(event_id) \
                 FROM sales WHERE store_id = $1 AND transaction_id = $2 AND voided_event IS NULL)"
            }
            Voided::Return => {
                "UPDATE returns SET voided_event = $3 WHERE store_id = $1 AND event_id = (SELECT MIN(event_id) \
                 FROM returns WHERE store_id = $1 AND return_id = $2 AND voided_event IS NULL)"
            }
        };
        sqlx::query(sql).bind(store_id).bind(id).bind(event_id).execute(&mut *connection).await?;
    }
    Ok(())
}
