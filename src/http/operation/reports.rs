//! Reports of the store: its own figures, while the hub is away too.

use crate::http::AppState;
use crate::http::failure::failed;
use actors::Failure;
use domain::model::base::refusal::Refusal;
use edge::ApiError;
use jiff::civil::Date;
use std::sync::Arc;
use tokio::sync::Semaphore;

mod daily;
mod sales;
mod scan;
mod stock;

pub use daily::{DAILY, daily};
pub use sales::{SALES, sales};
pub use stock::{STOCK, stock};

/// Reports that are made at once; they read, and tills come first.
const REPORTS_AT_ONCE_MAX: usize = 2;
/// Seconds after which a report that found no place may be asked for again.
const RETRY_AFTER_S: u64 = 2;
/// Most business days of a report.
pub const DAYS_MAX: i64 = 366;
/// Most sales and returns that a report looks at one by one.
pub const DOCUMENTS_MAX: i64 = 100_000;

/// The places of reports.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Semaphore>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(REPORTS_AT_ONCE_MAX)))
    }
}

/// Makes a report off the async threads, when there is a place.
pub(crate) async fn made<T: Send + 'static>(
    state: &Arc<AppState>,
    make: impl FnOnce(&AppState) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let busy = |_| ApiError::unavailable("another report is being created", RETRY_AFTER_S);
    let permit = Arc::clone(&state.reports.0).try_acquire_owned().map_err(busy)?;
    let shop = Arc::clone(state);
    let work = move || {
        let _permit = permit;
        make(&shop)
    };
    tokio::task::spawn_blocking(work).await.map_err(ApiError::internal)?
}

/// The business days from one to the other, both included.
fn days(from: Date, to: Date) -> Result<Vec<Date>, ApiError> {
    if from > to {
        return Err(ApiError::invalid_query("from", "must not be after to"));
    }
    let count = i64::from((to - from).get_days()).saturating_add(1);
    if count > DAYS_MAX {
        return Err(ApiError::invalid_query(
            "to",
            format!("makes a range of {count} days: at most {DAYS_MAX} days are allowed"),
        ));
    }
    let next = |day: &Date| day.tomorrow().ok().filter(|day| *day <= to);
    Ok(std::iter::successors(Some(from), next).collect())
}

fn refused(refusal: Refusal) -> ApiError {
    failed(Failure::Refused(refusal))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_range_holds_both_its_ends_and_at_most_a_year() {
        assert_eq!(days(date(2024, 2, 28), date(2024, 3, 1)).unwrap().len(), 3);
        assert_eq!(days(date(2024, 1, 1), date(2024, 12, 31)).unwrap().len(), 366);
        assert_eq!(days(Date::MAX, Date::MAX).unwrap(), [Date::MAX]);
        for (from, to) in [
            (date(2024, 1, 2), date(2024, 1, 1)),
            (date(2024, 1, 1), date(2025, 1, 1)),
            (Date::MIN, Date::MAX),
        ] {
            assert_eq!(days(from, to).unwrap_err().code, edge::Code::InvalidQuery);
        }
    }
}
