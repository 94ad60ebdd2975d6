//! What somebody else has to settle, written with the events that told of it, and the settlements of sealed days.

use crate::db::insert;
use crate::projection::envelope::ToPost;
use crate::row;
use crate::table::mapping::Mappings;
use crate::table::{day_lock, journal, settlement};
use domain::model::base::time::UtcMs;
use domain::rules::books::posting::MappingOf;
use domain::rules::books::posting::plan::ON_THE_WAY;
use domain::rules::books::settlement::{ItemKind, NewItem, items_of};
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Items with the events that told of them.
pub(crate) fn expected(told: &[ToPost<'_>]) -> Vec<(String, NewItem)> {
    let of = |(event_id, event): &ToPost<'_>| {
        let event_id = (*event_id).to_owned();
        items_of(&event.payload).into_iter().map(move |item| (event_id.clone(), item))
    };
    told.iter().flat_map(of).collect()
}

/// Adds items to a store's list, and makes the settlements of days that it sealed. The store's book is taken first: an
/// approval has all of a day, or none of what comes later.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    expected: Vec<(String, NewItem)>,
    sealed: Vec<Date>,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let days = expected.iter().map(|(_, item)| item.business_date).chain(sealed.iter().copied());
    let Some(earliest) = days.min() else { return Ok(()) };
    journal::numbers(connection, store_id, 0).await?;
    let locked = day_lock::of_book(connection, store_id, earliest).await?;
    let approved = settlement::approved(connection, store_id, earliest).await?;
    let mappings = Mappings::load(connection).await?;
    let mut touched: BTreeSet<Date> = BTreeSet::new();
    let mut rows = Vec::new();
    for (event_id, item) in expected {
        let settlement_date = settlement::first_waiting(&approved, item.business_date);
        touched.insert(settlement_date);
        let account = match item.kind {
            ItemKind::Deposit => ON_THE_WAY,
            _ => {
                let day = locked.first_open(item.business_date);
                let (mapped, _) = mappings.on(day, [(MappingOf::Method, item.method.as_str())]);
                mapped.method(&item.method)
            }
        };
        rows.push(row! {
            store_id, item_id: item.item_id, event_id, kind: item.kind.name(), method: item.method,
            account: String::from(account), business_date: item.business_date.to_string(),
            settlement_date: settlement_date.to_string(), amount: item.amount, reference: item.reference,
            document_id: item.document_id, receipt_no: item.receipt_no, register_id: item.register_id,
            occurred_at: item.occurred_at.0, contra_of: item.contra_of, state: "open",
            late: i64::from(settlement_date != item.business_date),
        });
    }
    let tail = "ON CONFLICT (store_id, item_id) DO NOTHING";
    insert::rows(connection, "settlement_items", tail, rows).await?;
    for day in sealed {
        settlement::make(connection, (store_id, day), false, now).await?;
        touched.remove(&day);
    }
    for day in touched {
        settlement::evaluate(connection, store_id, day).await?;
    }
    Ok(())
}
