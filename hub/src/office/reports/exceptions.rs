//! Exceptions of the days of their events; one without an event counts for the day on which it was found.

use crate::office::reports::figure::{count, sum};
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

static FOUND: Source = Source {
    from: "(SELECT x.store_id, COALESCE(e.business_date, x.found_on) AS business_date, \
           COALESCE(e.business_date, x.found_on) AS entry_date, x.code, \
           CASE WHEN x.settled_at IS NULL THEN 1 ELSE 0 END AS is_open, COALESCE(e.total, 0) AS amount \
           FROM exceptions x LEFT JOIN events e ON e.store_id = x.store_id AND e.event_id = x.event_id) d",
    dated: true,
    late: None,
    figures: &[
        count("open", "SUM(d.is_open)"),
        count("settled", "SUM(1 - d.is_open)"),
        sum("amount", "SUM(d.amount)"),
    ],
};

/// `GET /api/reports/exceptions`
pub static EXCEPTIONS: Report = Report {
    name: "exceptions",
    groups: &[
        group!("code", [text("code", "d.code")], &FOUND, &FOUND),
        group!("store", [STORE], &FOUND, &FOUND),
        group!("day", [DAY], &FOUND, &FOUND),
    ],
    chart: &["open", "settled"],
};
