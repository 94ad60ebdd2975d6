//! The supervision tree (api.md 8).

use super::failure::failed;
use super::{Answered, Request};
use edge::Reply;
use serde_json::json;

/// `GET /api/admin/actors`
pub async fn tree(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.tree()))
}

/// `POST /api/admin/actors/:name/restart`
pub async fn restart(request: Request) -> Answered {
    let name = request.param("name");
    request.state.store.restart_actor(name).await.map_err(failed)?;
    tracing::warn!(actor = name, request_id = request.request_id, "an actor was restarted on request");
    Ok(Reply::ok(&json!({"name": name, "state": "running"})))
}

/// `POST /api/admin/actors/:name/panic`: a fault for tests, absent from release builds.
#[cfg(debug_assertions)]
pub async fn panic(request: Request) -> Answered {
    let name = request.param("name");
    request.state.store.panic_actor(name).map_err(failed)?;
    Ok(Reply::ok(&json!({"name": name})))
}
