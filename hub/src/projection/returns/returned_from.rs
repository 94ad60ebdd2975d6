//! More pieces came back than were sold: two stores took one while one of them could not ask. All returns stand, and a
//! person is notified.

use crate::columns;
use crate::db::insert;
use crate::projection::fold::ReturnedFrom;
use crate::table::exception::{self, Found};
use domain::model::base::figures::Quantity;
use domain::model::base::time::UtcMs;
use edge::clock;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Sales by their ID, each with the returns that took pieces of it.
#[derive(Default)]
pub struct AffectedSales(BTreeMap<String, Touch>);

/// The records of this batch that took pieces of one sale.
#[derive(Default)]
struct Touch {
    /// The last event that concerned the whole sale: the sale itself, or its void.
    all: Option<String>,
    /// Last event since then that took pieces of each product, by product.
    by_sku: BTreeMap<String, String>,
}

impl Touch {
    fn add(&mut self, event_id: String, skus: Option<BTreeSet<String>>) {
        match skus {
            Some(skus) => self.by_sku.extend(skus.into_iter().map(|sku| (sku, event_id.clone()))),
            None => *self = Self { all: Some(event_id), by_sku: BTreeMap::new() },
        }
    }

    /// Record that took pieces of a product. `None` if this batch did not touch it.
    fn of(&self, sku: &str) -> Option<&String> {
        self.by_sku.get(sku).or(self.all.as_ref())
    }
}

impl AffectedSales {
    /// The sales of which a batch takes pieces or gives some back, and those that arrive after their returns. Each one's
    /// row is locked and marked as changed, in the order of their IDs, so that of two batches the later one sees the
    /// changes of the first.
    pub(crate) async fn lock(
        connection: &mut AnyConnection,
        taken: Vec<ReturnedFrom>,
        receipts: &BTreeMap<String, Vec<String>>,
    ) -> Result<Self, sqlx::Error> {
        let mut touched = Self::default();
        for (receipt_no, event_id) in earlier(connection, receipts).await? {
            if let Some(id) = only_sale(connection, &receipt_no).await? {
                touched.0.entry(id).or_default().add(event_id, None);
            }
        }
        for ReturnedFrom { event_id, transaction_id, receipt_no, skus } in taken {
            let id = match (transaction_id, receipt_no) {
                (Some(id), _) => Some(id),
                (None, Some(number)) => only_sale(connection, &number).await?,
                (None, None) => None,
            };
            if let Some(id) = id {
                touched.0.entry(id).or_default().add(event_id, skus);
            }
        }
        for transaction_id in touched.0.keys() {
            let sql = "UPDATE sales SET updated_at = $2 WHERE transaction_id = $1";
            sqlx::query(sql).bind(transaction_id).bind(clock::now().0).execute(&mut *connection).await?;
        }
        Ok(touched)
    }

    /// Reports each sale with more returned pieces than it has: only for products that this batch touched, so that a
    /// settled report is not repeated by a later return of another product.
    pub async fn flag(
        self,
        connection: &mut AnyConnection,
        store_id: &str,
        now: UtcMs,
    ) -> Result<(), sqlx::Error> {
        for (transaction_id, touch) in self.0 {
            let sql = "SELECT MAX(receipt_no) AS receipt_no FROM sales WHERE transaction_id = $1 HAVING COUNT(*) > 0";
            let row = sqlx::query(sql).bind(&transaction_id).fetch_optional(&mut *connection).await?;
            let Some(row) = row else { continue };
            let receipt_no: Option<String> = row.try_get("receipt_no")?;
            let sold = sold(connection, &transaction_id).await?;
            let returned = returned(connection, &transaction_id, receipt_no.as_deref()).await?;
            let mut over: BTreeMap<&String, Vec<Value>> = BTreeMap::new();
            for (sku, back) in &returned {
                let had = sold.get(sku).copied().unwrap_or_default();
                if let Some(event_id) = touch.of(sku).filter(|_| *back > had) {
                    let item = json!({"sku": sku, "sold": had, "returned": back});
                    over.entry(event_id).or_default().push(item);
                }
            }
            for (event_id, items) in over {
                let details =
                    json!({"transaction_id": transaction_id, "receipt_no": receipt_no, "items": items});
                let found = Found { store_id, event_id, now };
                exception::note(connection, found, exception::RETURN_OVER, &details).await?;
            }
        }
        Ok(())
    }
}

/// The sale of a receipt number. `None` for a number that two stores used.
async fn only_sale(connection: &mut AnyConnection, receipt_no: &str) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT DISTINCT transaction_id FROM sales WHERE receipt_no = $1";
    let mut ids = sqlx::query_scalar(sql).bind(receipt_no).fetch_all(connection).await?;
    Ok(ids.pop().filter(|_| ids.is_empty()))
}

/// Receipts of this batch that another store's return named before they arrived, each with its sale's record.
async fn earlier(
    connection: &mut AnyConnection,
    receipts: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    if receipts.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT DISTINCT origin_receipt_no FROM returns WHERE origin_receipt_no IN ({})",
        insert::list(1, receipts.len())
    );
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
    for receipt_no in receipts.keys() {
        query = query.bind(receipt_no.clone());
    }
    let mut found = Vec::new();
    for row in query.fetch_all(&mut *connection).await? {
        let receipt_no: String = row.try_get("origin_receipt_no")?;
        let event = receipts.get(&receipt_no).and_then(|events| events.first()).cloned();
        found.extend(event.map(|event_id| (receipt_no, event_id)));
    }
    Ok(found)
}

/// Pieces of the sale by product; a voided sale has none.
async fn sold(
    connection: &mut AnyConnection,
    transaction_id: &str,
) -> Result<BTreeMap<String, Quantity>, sqlx::Error> {
    let sql = "SELECT l.sku, CAST(SUM(l.qty) AS BIGINT) AS qty FROM sales s JOIN sale_lines l \
               ON l.store_id = s.store_id AND l.event_id = s.event_id \
               WHERE s.transaction_id = $1 AND s.voided_event IS NULL GROUP BY l.sku";
    let rows = sqlx::query(sql).bind(transaction_id).fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => (sku, qty)))).collect()
}

/// Pieces returned from the sale, by product, including returns for which the hub was not asked.
async fn returned(
    connection: &mut AnyConnection,
    transaction_id: &str,
    receipt_no: Option<&str>,
) -> Result<BTreeMap<String, Quantity>, sqlx::Error> {
    let sql = "SELECT l.sku, CAST(SUM(l.qty) AS BIGINT) AS qty FROM returns r JOIN return_lines l \
               ON l.store_id = r.store_id AND l.event_id = r.event_id WHERE r.voided_event IS NULL \
               AND (r.transaction_id = $1 OR (r.transaction_id IS NULL AND r.origin_receipt_no = $2)) \
               GROUP BY l.sku";
    let query = sqlx::query(sql).bind(transaction_id).bind(receipt_no.unwrap_or_default());
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok(columns!(row => (sku, qty)))).collect()
}
