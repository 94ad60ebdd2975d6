//! `GET /health` and `GET /health/ready`: whether the process runs, and whether it accepts writes.

use crate::http::{Answered, Request};
use crate::state::hub::Hub;
use edge::identity::views::Ready;
use edge::{Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

pub const HEALTH: Doc = Doc::of("Operation", "Check whether the process is running").answers::<Health>(
    r#"{"status": "ok", "component": "cloud-hub", "version": "0.1.0", "hub_id": "hub_00a1b2c3",
        "uptime_seconds": 86400, "timezone": "Asia/Jakarta"}"#,
);
pub const READY: Doc =
    Doc::of("Operation", "Check whether writes are accepted").answers::<Ready>(r#"{"ready": true}"#);

/// State of the running program.
#[derive(Serialize, JsonSchema)]
struct Health<'a> {
    /// Status of the service: always `ok`.
    status: &'static str,
    /// Name of the program.
    component: &'static str,
    /// Version of the program.
    version: &'static str,
    /// ID of the hub.
    hub_id: &'a str,
    /// Seconds since the hub started.
    uptime_seconds: u64,
    /// Time zone of head office (`hub.timezone`). It is used for data that belongs to no store.
    timezone: &'a str,
}

/// `GET /health`
pub async fn health(request: Request) -> Answered {
    let hub = &request.state;
    Ok(Reply::ok(&Health {
        status: "ok",
        component: "cloud-hub",
        version: edge::VERSION,
        hub_id: &hub.identity.hub_id,
        uptime_seconds: hub.started.elapsed().as_secs(),
        timezone: hub.zone.iana_name().unwrap_or("UTC"),
    }))
}

/// `GET /health/ready`
pub async fn ready(request: Request) -> Answered {
    let hub = &request.state;
    let reason = if *hub.stopping.borrow() {
        Some("the hub is stopping".to_owned())
    } else {
        probe(hub).await.err().map(|error| format!("the database does not take writes: {error}"))
    };
    match reason {
        None => Ok(Reply::ok(&Ready { ready: true })),
        Some(reason) => Err(edge::ApiError::unavailable(reason, 2).into()),
    }
}

/// Checks that the database takes a write. The write sets a column to its own value and is rolled back.
async fn probe(hub: &Hub) -> Result<(), sqlx::Error> {
    let mut write = hub.db.write().await?;
    sqlx::query("UPDATE hub SET generation = generation WHERE singleton = 1").execute(&mut **write).await?;
    Ok(())
}
