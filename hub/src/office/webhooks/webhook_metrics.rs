//! State of webhooks, as Prometheus text. No label names a webhook: there is one row for each state.

use crate::columns;
use crate::webhooks::round;
use domain::model::base::time::UtcMs;
use sqlx::{AnyConnection, Error};
use std::fmt::Write;

/// By state: webhooks, their waiting events with the oldest time, and the position of the one furthest behind in the
/// log.
const BY_STATE: &str = "SELECT s.state, COUNT(w.webhook_id) AS webhooks, \
    CAST(COALESCE(SUM(q.waiting), 0) AS BIGINT) AS waiting, MIN(q.oldest) AS oldest, \
    COALESCE(MAX(CASE WHEN t.turn > w.after_no THEN t.turn - w.after_no ELSE 0 END), 0) AS behind \
    FROM (SELECT 'active' AS state UNION ALL SELECT 'paused') s \
    JOIN turns t ON t.name = 'event_log' LEFT JOIN webhooks w ON w.state = s.state \
    LEFT JOIN (SELECT webhook_id, COUNT(*) AS waiting, MIN(logged_at) AS oldest FROM webhook_deliveries \
    WHERE state = 'waiting' GROUP BY webhook_id) q ON q.webhook_id = w.webhook_id GROUP BY s.state ORDER BY s.state";

/// Metrics of webhooks.
pub async fn text(connection: &mut AnyConnection, now: UtcMs) -> Result<String, Error> {
    let [mut webhooks, mut waiting, mut oldest, mut behind] = [(); 4].map(|()| Vec::new());
    for row in sqlx::query(BY_STATE).fetch_all(connection).await? {
        let state: String = columns!(row => (state));
        let (count, events, since, unread): (i64, i64, Option<i64>, i64) =
            columns!(row => (webhooks, waiting, oldest, behind));
        let age_ms = since.map_or(0, |since| now.0.saturating_sub(since).max(0));
        webhooks.push((state.clone(), count));
        waiting.push((state.clone(), events));
        oldest.push((state.clone(), age_ms / 1_000));
        behind.push((state, unread));
    }
    let (sent, failed) = round::counts();
    let mut text = String::new();
    for (name, help, figures) in [
        ("hub_webhooks", "Webhooks", webhooks),
        ("hub_webhook_events_waiting", "Events that were read for webhooks and not delivered yet", waiting),
        (
            "hub_webhook_oldest_waiting_seconds",
            "Age of the oldest event that was read for webhooks and not delivered yet",
            oldest,
        ),
        (
            "hub_webhook_events_behind",
            "Number of events in the log that the slowest webhook has not read yet",
            behind,
        ),
    ] {
        // Writing to a String can't fail.
        let _ = write!(text, "# HELP {name} {help}, by state of the webhook\n# TYPE {name} gauge\n");
        for (state, figure) in figures {
            let _ = writeln!(text, "{name}{{state=\"{state}\"}} {figure}");
        }
    }
    for (name, help, figure) in [
        ("hub_webhook_sent_total", "Events that receivers accepted, since the start", sent),
        ("hub_webhook_failed_total", "Attempts that failed, since the start", failed),
    ] {
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {figure}\n");
    }
    Ok(text)
}
