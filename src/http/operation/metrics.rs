//! `GET /metrics`: the counters of the HTTP server, and the present state of the journal, the outbox and the actors.

use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use crate::http::failure::stored;
use crate::http::operation::admin::time_of;
use crate::upkeep::drill;
use ::metrics::gauge;
use edge::{ApiError, Doc, Reply, clock};

pub const TEXT: Doc =
    Doc::of("Operation", "Retrieve metrics in Prometheus text format").answers_text("text/plain");

/// `GET /metrics`
pub async fn text(request: Request) -> Answered {
    set_gauges(&request.state)?;
    Ok(Reply::Text {
        content_type: "text/plain; version=0.0.4; charset=utf-8",
        body: edge::metrics::render(),
    })
}

fn seconds(ms: i64) -> u64 {
    u64::try_from(ms / 1000).unwrap_or_default()
}

/// Sets the gauges, whose values are read for each request.
fn set_gauges(state: &AppState) -> Result<(), ApiError> {
    let storage = state.store.storage();
    let (stats, head, backlog) =
        (storage.stats(), storage.head(), storage.outbox().backlog().map_err(stored)?);
    let (running, restarting) = state.store.actor_counts();
    let (drill, scrub) = (drill::last(&state.admin.backups), storage.scrub());
    let succeeded_ms = drill.as_ref().and_then(|drill| drill.succeeded_at).map_or(0, |at| at.0);
    let scrubbed_ms = scrub.finished.map_or(0, |at| time_of(at).0);
    let oldest_ms = backlog.oldest_pending_at.map_or(0, |at| clock::now().0.saturating_sub(at.0).max(0));
    gauge!("sr_build_info", "version" => edge::VERSION).set(1.0);
    for (name, value) in [
        ("sr_uptime_seconds", state.uptime_s()),
        ("sr_journal_head_lsn", head.lsn),
        ("sr_journal_head_seq", head.seq),
        ("sr_journal_commits", stats.commits),
        ("sr_journal_groups", stats.groups),
        ("sr_journal_fdatasyncs", stats.fdatasyncs),
        ("sr_outbox_unacked", backlog.pending),
        ("sr_outbox_oldest_seconds", seconds(oldest_ms)),
        ("sr_hub_up", u64::from(state.store.hub_state() == "online")),
        ("sr_actors_running", running as u64),
        ("sr_actors_restarting", restarting as u64),
        ("sr_event_streams", state.streams.count() as u64),
        ("sr_backup_drill_ok", u64::from(drill.is_some_and(|drill| drill.problem.is_none()))),
        ("sr_backup_drill_success_timestamp_seconds", seconds(succeeded_ms)),
        ("sr_scrub_read_bytes", scrub.read_bytes),
        ("sr_scrub_total_bytes", scrub.total_bytes),
        ("sr_scrub_pass_timestamp_seconds", seconds(scrubbed_ms)),
        ("sr_scrub_damage", scrub.damage.len() as u64),
        ("sr_writable", u64::from(storage.writable().is_ok())),
    ] {
        // Exact up to 2^53.
        gauge!(name).set(value as f64);
    }
    Ok(())
}
