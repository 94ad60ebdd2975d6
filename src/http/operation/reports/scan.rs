//! Sales and returns of business days, page by page: memory does not grow with their number.

use super::{DOCUMENTS_MAX, refused};
use crate::http::failure::stored;
use domain::model::base::ids::Sku;
use domain::model::books::shift::Shift;
use domain::rules::books::report::SalesReport;
use edge::ApiError;
use jiff::civil::Date;
use std::collections::{BTreeSet, HashMap};
use storage::{Storage, StorageError};

/// Documents read at once.
const CHUNK: usize = 200;

/// The shifts of these days, one day after the other.
pub fn shifts<'a>(
    storage: &'a Storage,
    days: &'a [Date],
) -> impl Iterator<Item = Result<Shift, StorageError>> + 'a {
    days.iter().flat_map(|day| match storage.shifts().shifts_of_day(*day) {
        Ok(shifts) => shifts.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    })
}

/// Refuses days on which more was sold than a report looks at; gives those on which anything was. `parameter` is the one
/// of the query that names the first day.
pub fn worth_reading(
    storage: &Storage,
    days: &[Date],
    parameter: &'static str,
) -> Result<Vec<Date>, ApiError> {
    let (mut documents, mut worth) = (0_i64, Vec::new());
    for shift in shifts(storage, days) {
        let shift = shift.map_err(stored)?;
        let of = &shift.totals;
        let voids = of.voids_count;
        documents = documents.saturating_add(of.sales_count).saturating_add(of.returns_count);
        // A voided sale is read before it is left out, and one that was never paid is not there.
        documents = documents.saturating_add(voids);
        if worth.last() != Some(&shift.business_date) {
            worth.push(shift.business_date);
        }
    }
    if documents > DOCUMENTS_MAX {
        let problem = format!(
            "begins a report with {documents} sales and returns, but at most {DOCUMENTS_MAX} are allowed: choose fewer days"
        );
        return Err(ApiError::invalid_query(parameter, problem));
    }
    Ok(worth)
}

/// Adds a day's sales and returns to all of these reports. Damaged ones are left out; `damaged` is called with the
/// problem of each.
pub fn day(
    storage: &Storage,
    day: Date,
    reports: &mut [&mut SalesReport],
    damaged: &mut BTreeSet<String>,
) -> Result<(), ApiError> {
    let mut categories = Categories { storage, known: HashMap::new(), failure: None };
    let mut before = None;
    loop {
        let sales = storage.sales().readable_transactions_of_day(day, before, CHUNK, damaged);
        let sales = sales.map_err(stored)?;
        let Some((last, _)) = sales.last() else { break };
        before = Some(*last);
        for report in &mut *reports {
            for (_, sale) in &sales {
                report.sale(sale, &mut |sku| categories.of(sku)).map_err(refused)?;
            }
        }
    }
    before = None;
    loop {
        let returns = storage.sales().readable_returns_of_day(day, before, CHUNK, damaged);
        let returns = returns.map_err(stored)?;
        let Some((last, _)) = returns.last() else { break };
        before = Some(*last);
        for report in &mut *reports {
            for (_, back) in &returns {
                report.returned(back, &mut |sku| categories.of(sku)).map_err(refused)?;
            }
        }
    }
    categories.failure.map_or(Ok(()), |error| Err(stored(error)))
}

/// Current categories of products; at most the catalogue is remembered.
struct Categories<'a> {
    storage: &'a Storage,
    known: HashMap<Sku, String>,
    failure: Option<StorageError>,
}

impl Categories<'_> {
    fn of(&mut self, sku: &Sku) -> String {
        if let Some(category) = self.known.get(sku) {
            return category.clone();
        }
        let category = match self.storage.products().product(sku) {
            Ok(product) => product.and_then(|product| product.category).unwrap_or_default(),
            Err(error) => {
                self.failure = Some(error);
                String::new()
            }
        };
        self.known.insert(sku.clone(), category.clone());
        category
    }
}

/// Number of places that were left out, for the reader of the report; the log has all of it.
pub fn unreadable(damaged: &BTreeSet<String>) -> usize {
    for what in damaged {
        tracing::error!(what, "a report omits records that can't be read");
    }
    damaged.len()
}
