//! Health: whether the process serves, and whether it can accept writes.

use crate::http::Answered;
use crate::http::AppState;
use crate::http::Request;
use edge::identity::views::Ready;
use edge::{ApiError, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

pub const LIVE: Doc = Doc::of("Operation", "Check whether the process is running").answers::<Health>(
    r#"{"status": "ok", "component": "store-router", "version": "0.1.0", "store_id": "S001",
        "uptime_seconds": 86400, "name": "Menteng", "hub": "online", "actors": {"running": 9, "restarting": 0}}"#,
);
pub const READY: Doc =
    Doc::of("Operation", "Check whether writes are accepted").answers::<Ready>(r#"{"ready": true}"#);

/// Seconds after which readiness is worth another look.
const RETRY_AFTER_S: u64 = 1;
/// Time that a command may take through an owner and the writer before writes count as impossible.
const READY_WITHIN: Duration = Duration::from_secs(5);
/// Time limit for a request that only asks whether the process lives.
const LIVE_WITHIN: Duration = Duration::from_secs(2);

/// State of the running program.
#[derive(Serialize, JsonSchema)]
struct Health<'a> {
    /// Status of the service: `ok` or `degraded`.
    #[schemars(extend("enum" = ["ok", "degraded"]))]
    status: &'static str,
    /// Name of the program.
    component: &'static str,
    /// Version of the program.
    version: &'static str,
    /// ID of the store.
    store_id: &'a str,
    /// Name of the shop, for the log-in page. Empty if it has none.
    name: &'a str,
    /// Seconds since the daemon started.
    uptime_seconds: u64,
    /// State of the link to the hub: `online`, `offline` or `not_configured`.
    #[schemars(extend("enum" = ["online", "offline", "not_configured"]))]
    hub: &'static str,
    /// Number of actors by state.
    actors: ActorCounts,
}

/// Number of actors by state.
#[derive(Serialize, JsonSchema)]
struct ActorCounts {
    /// Number of running actors.
    running: usize,
    /// Number of actors that are being restarted.
    restarting: usize,
}

/// `GET /health`
pub async fn live(request: Request) -> Answered {
    let shop = &request.state;
    let head = shop.receipt_header();
    let (running, restarting) = shop.store.actor_counts();
    let status = if unready(shop, LIVE_WITHIN).await.is_none() { "ok" } else { "degraded" };
    Ok(Reply::ok(&Health {
        status,
        component: "store-router",
        version: edge::VERSION,
        store_id: shop.store.rules().store_id.as_str(),
        name: &head.texts.name,
        uptime_seconds: shop.uptime_s(),
        hub: shop.store.hub_state(),
        actors: ActorCounts { running, restarting },
    }))
}

/// `GET /health/ready`
pub async fn ready(request: Request) -> Answered {
    match unready(&request.state, READY_WITHIN).await {
        None => Ok(Reply::ok(&Ready { ready: true })),
        Some(reason) => Err(ApiError::unavailable(reason, RETRY_AFTER_S)),
    }
}

/// Reason why writes can't be accepted right now: a command goes through every owner and the writer.
async fn unready(shop: &AppState, patience: Duration) -> Option<String> {
    if shop.draining() {
        return Some("the daemon is stopping".to_owned());
    }
    if let Err(why) = shop.store.storage().writable() {
        return Some(why.to_string());
    }
    if let Some(fenced) = shop.store.fenced() {
        return Some(fenced.words());
    }
    let (_, restarting) = shop.store.actor_counts();
    if restarting > 0 {
        return Some(format!("{restarting} actors are restarting"));
    }
    let stuck = shop.store.stuck(patience).await;
    (!stuck.is_empty()).then(|| format!("commands are not processed: {}", stuck.join(", ")))
}
