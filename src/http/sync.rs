//! Synchronisation as people see it (api.md 8).

use super::failure::failed;
use super::{Answered, Request};
use edge::Reply;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Force {
    #[serde(default)]
    full: bool,
}

/// `GET /api/sync/status`
pub async fn status(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.sync_status().map_err(failed)?))
}

/// `POST /api/sync/force`: changes nothing that a key could protect, so it runs every time.
pub async fn force(request: Request) -> Answered {
    let Force { full } = request.json()?;
    Ok(Reply::ok(&request.state.store.force_sync(full).await.map_err(failed)?))
}
