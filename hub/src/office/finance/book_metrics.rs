//! State of books and settlement, as Prometheus text: read on request, beside the counters of the process.

use crate::columns;
use crate::http::{Answered, Request};
use crate::office::finance::proof;
use crate::office::overview::fleet_metrics;
use crate::office::webhooks::webhook_metrics;
use crate::table::journal_counts;
use edge::{Doc, Reply, clock};
use sqlx::AnyConnection;
use std::fmt::Write;

/// Open items by index; matched ones by their matches, which are few until they are posted.
const ITEMS: &str = "SELECT method AS label, CAST(SUM(items) AS BIGINT) AS figure FROM (\
    SELECT method, COUNT(*) AS items FROM settlement_items WHERE state = 'open' AND kind <> 'supplier_payment' \
    GROUP BY method UNION ALL SELECT i.method, COUNT(*) FROM settlement_matches m \
    JOIN match_items p ON p.match_id = m.match_id JOIN settlement_items i ON i.store_id = p.store_id \
    AND i.item_id = p.item_id WHERE m.state = 'matched' AND i.state = 'matched' \
    AND i.kind <> 'supplier_payment' GROUP BY i.method) unposted GROUP BY method ORDER BY method";

/// A figure with its label, and the rows that give it.
const BY_LABEL: [(&str, &str, &str); 3] = [
    (
        "hub_settlements",
        "state",
        "SELECT state AS label, COUNT(*) AS figure FROM settlements GROUP BY state ORDER BY state",
    ),
    (
        "hub_settlement_exceptions",
        "type",
        "SELECT kind AS label, COUNT(*) AS figure FROM settlement_exceptions WHERE state = 'open' \
         GROUP BY kind ORDER BY kind",
    ),
    ("hub_items_unposted", "method", ITEMS),
];

/// Descriptions of the families.
const HELP: [(&str, &str); 5] = [
    ("hub_entries_total", "Entries posted since the start, by kind"),
    ("hub_proof_failed", "1 if the proof failed in its last run"),
    ("hub_settlements", "Settlements of stores' days, by state"),
    ("hub_settlement_exceptions", "Open exceptions of settlement, by type"),
    ("hub_items_unposted", "Items of settlement that are not posted, by method"),
];

pub const METRICS: Doc =
    Doc::of("Operation", "Retrieve metrics in Prometheus text format").answers_text("text/plain");

/// `GET /metrics`
pub async fn metrics(request: Request) -> Answered {
    let mut connection = request.state.db.pool().acquire().await?;
    let of_books = text(&mut connection).await?;
    let of_webhooks = webhook_metrics::text(&mut connection, clock::now()).await?;
    drop(connection);
    let of_fleet = fleet_metrics::text(&request.state.db, clock::now()).await?;
    Ok(Reply::Text {
        content_type: "text/plain; version=0.0.4; charset=utf-8",
        body: edge::metrics::render()
            + &of_books
            + &of_fleet
            + &of_webhooks
            + &of_streams(request.state.screens.streams.count()),
    })
}

/// Metric of the open event streams.
fn of_streams(count: usize) -> String {
    let help = "# HELP hub_event_streams Open event streams of this process";
    format!("{help}\n# TYPE hub_event_streams gauge\nhub_event_streams {count}\n")
}

/// Metrics of the books.
async fn text(connection: &mut AnyConnection) -> Result<String, sqlx::Error> {
    let mut text = String::new();
    let made = journal_counts::read();
    let entries = made.entries.into_iter().map(|(kind, count)| (kind.to_owned(), count.to_string()));
    family(&mut text, ("hub_entries_total", "counter", "kind"), entries);
    // Writing to a String can't fail.
    let help = "# HELP hub_late_entries_total Entries of a locked day that were posted on a later one, since the start";
    let _ =
        write!(text, "{help}\n# TYPE hub_late_entries_total counter\nhub_late_entries_total {}\n", made.late);
    let failed = proof::failed(&mut *connection).await?;
    let proofs = proof::NAMES.iter().map(|name| {
        let is_wrong = failed.iter().any(|failed| failed == name);
        ((*name).to_owned(), u8::from(is_wrong).to_string())
    });
    family(&mut text, ("hub_proof_failed", "gauge", "proof"), proofs);
    for (name, label, sql) in BY_LABEL {
        let mut figures = Vec::new();
        for row in sqlx::query(sql).fetch_all(&mut *connection).await? {
            let (label, figure): (String, i64) = columns!(row => (label, figure));
            figures.push((label, figure.to_string()));
        }
        family(&mut text, (name, "gauge", label), figures.into_iter());
    }
    Ok(text)
}

/// A figure by its label.
fn family(
    text: &mut String,
    (name, kind, label): (&str, &str, &str),
    figures: impl Iterator<Item = (String, String)>,
) {
    let help = HELP.iter().find(|(known, _)| *known == name).map_or("", |(_, help)| help);
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (of, figure) in figures {
        let of = of.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = writeln!(text, "{name}{{{label}=\"{of}\"}} {figure}");
    }
}
