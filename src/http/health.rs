//! Health: whether the process serves, and whether it can accept writes (api.md 1).

use super::{Answered, Request, Shop};
use edge::{ApiError, Reply};
use serde_json::json;

/// Seconds after which readiness is worth another look.
const RETRY_AFTER_S: u64 = 1;

/// `GET /health`
pub async fn live(request: Request) -> Answered {
    let shop = &request.state;
    let (running, restarting) = shop.store.actor_counts();
    let status = if unready(shop).is_none() { "ok" } else { "degraded" };
    Ok(Reply::ok(&json!({
        "status": status,
        "component": "store-router",
        "version": env!("CARGO_PKG_VERSION"),
        "store_id": shop.store.rules().store_id,
        "uptime_seconds": shop.uptime_s(),
        "hub": shop.store.hub_state(),
        "actors": {"running": running, "restarting": restarting},
    })))
}

/// `GET /health/ready`
pub async fn ready(request: Request) -> Answered {
    match unready(&request.state) {
        None => Ok(Reply::ok(&json!({"ready": true}))),
        Some(reason) => Err(ApiError::unavailable(reason, RETRY_AFTER_S)),
    }
}

/// Why writes can't be accepted right now.
fn unready(shop: &Shop) -> Option<String> {
    if shop.draining() {
        return Some("the daemon is stopping".to_owned());
    }
    if let Err(why) = shop.store.storage().writable() {
        return Some(why.to_string());
    }
    let (_, restarting) = shop.store.actor_counts();
    (restarting > 0).then(|| format!("{restarting} actors are restarting"))
}
