//! Items that a provider or bank has to settle, written with the events that reported them, and the settlements of
//! sealed days.

use crate::db::column::Columns;
use crate::db::insert;
use crate::db::{Engine, array};
use crate::projection::envelope::ToPost;
use crate::projection::settlement::shift_difference;
use crate::row;
use crate::table::journal;
use crate::table::settlement::{self, Late};
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::settlement::{NewItem, items_of};
use jiff::civil::Date;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeSet;

/// An item on its way into its store's list.
pub(crate) struct ExpectedItem {
    /// ID of the store's event.
    pub event_id: String,
    /// Account that its event posts it to.
    pub account: Account,
    pub item: NewItem,
}

/// Days for which a batch reported more than items.
pub(crate) struct DaysOfBatch {
    /// Days that were sealed.
    pub sealed: Vec<Date>,
    /// Days with a shift that reported its sums.
    pub closed: BTreeSet<Date>,
}

/// Items of these events that are in the store's list. The store's book is locked: no other transaction adds to the
/// list.
pub(crate) async fn listed(
    connection: &mut AnyConnection,
    store_id: &str,
    reported: &[ToPost<'_>],
) -> Result<BTreeSet<String>, sqlx::Error> {
    let items = reported.iter().flat_map(|(_, event)| items_of(&event.payload));
    let ids: Vec<String> = items.map(|item| item.item_id).collect();
    if ids.is_empty() {
        return Ok(BTreeSet::new());
    }
    let engine = Engine::of_connection(connection);
    let among = array::among(engine, "item_id", 2);
    let sql = format!("SELECT item_id FROM settlement_items WHERE store_id = $1 AND {among}");
    let query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(store_id.to_owned());
    let query = query.bind(array::texts(engine, ids.iter().map(String::as_str))?);
    query.fetch_all(connection).await?.iter().map(|row| row.cell("item_id")).collect()
}

/// Adds items to a store's list, and creates the settlements of days that it sealed. The store's book is locked first:
/// an approval has all items of a day, or none of the later ones.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    expected: Vec<ExpectedItem>,
    DaysOfBatch { sealed, closed }: DaysOfBatch,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let of_items = expected.iter().map(|expected| expected.item.business_date);
    let days: BTreeSet<Date> = of_items.chain(sealed.iter().copied()).chain(closed).collect();
    let Some(earliest) = days.first().copied() else { return Ok(()) };
    journal::numbers(connection, store_id, 0).await?;
    let approved = settlement::approved(connection, store_id, earliest).await?;
    let mut touched: BTreeSet<Date> = BTreeSet::new();
    let (mut rows, mut late) = (Vec::new(), Vec::new());
    for ExpectedItem { event_id, account, item } in expected {
        let settlement_date = settlement::first_waiting(&approved, item.business_date);
        touched.insert(settlement_date);
        let is_late = settlement_date != item.business_date;
        if is_late {
            let (item_id, method) = (item.item_id.clone(), item.method.clone());
            late.push(Late { item_id, method, day: settlement_date, amount: item.amount });
        }
        rows.push(row! {
            store_id, item_id: item.item_id, event_id, kind: item.kind.name(), method: item.method,
            account: String::from(account), business_date: item.business_date.to_string(),
            settlement_date: settlement_date.to_string(), amount: item.amount, reference: item.reference,
            document_id: item.document_id, receipt_no: item.receipt_no, register_id: item.register_id,
            occurred_at: item.occurred_at.0, contra_of: item.contra_of, state: "open",
            late: i64::from(is_late),
        });
    }
    insert::rows(connection, "settlement_items", "", rows).await?;
    settlement::note_late(connection, store_id, late, now).await?;
    for day in sealed {
        settlement::make(connection, (store_id, day), false, now).await?;
        touched.remove(&day);
    }
    for day in days {
        if shift_difference::note(connection, store_id, day, now).await? {
            touched.insert(day);
        }
    }
    for day in touched {
        settlement::evaluate(connection, store_id, day).await?;
    }
    Ok(())
}
