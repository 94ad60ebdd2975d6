//! Health and metrics.

use super::{Answered, Request};
use edge::Reply;
use serde_json::json;

/// `GET /health`
pub async fn health(request: Request) -> Answered {
    let hub = &request.state;
    Ok(Reply::ok(&json!({
        "status": "ok",
        "component": "cloud-hub",
        "version": env!("CARGO_PKG_VERSION"),
        "hub_id": hub.identity.hub_id,
        "uptime_seconds": hub.started.elapsed().as_secs(),
    })))
}

/// `GET /health/ready`: a write that changes nothing goes through.
pub async fn ready(request: Request) -> Answered {
    let hub = &request.state;
    let reason = if *hub.stopping.borrow() {
        Some("the hub is stopping".to_owned())
    } else {
        probe(hub).await.err().map(|error| format!("the database does not take writes: {error}"))
    };
    match reason {
        None => Ok(Reply::ok(&json!({"ready": true}))),
        Some(reason) => Err(edge::ApiError::unavailable(reason, 2)),
    }
}

async fn probe(hub: &crate::app::Hub) -> Result<(), sqlx::Error> {
    let mut write = hub.db.write().await?;
    sqlx::query("UPDATE hub SET generation = generation WHERE singleton = 1").execute(&mut **write).await?;
    // Dropped, and so rolled back: locks and disk were there.
    Ok(())
}

/// `GET /metrics`
pub async fn metrics(_request: Request) -> Answered {
    Ok(Reply::Text {
        content_type: "text/plain; version=0.0.4; charset=utf-8",
        body: edge::metrics::render(),
    })
}
