//! Synchronisation as people see it.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::{answered, ask};
use crate::http::failure::failed;
use ::actors::view::{Forced, SyncStatus};
use domain::model::base::answer::Answer;
use edge::{Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

mod conflicts;
mod digests;
mod parked;

pub use conflicts::{CONFLICTS, RESTORE, conflicts, restore};
pub use digests::{DIGESTS, digests};
pub use parked::{PARKED, parked};

pub const STATUS: Doc = Doc::of("Synchronisation", "Retrieve the state of synchronisation")
    .answers::<SyncStatus>(include_str!("examples/sync_status.json"));
/// `POST /api/sync/force`
pub const FORCE: Doc = Doc::of("Synchronisation", "Synchronise now")
    .optional_body::<Force>(r#"{"full": false}"#)
    .answers::<Forced>(r#"{"pushed": 3, "acked_seq": 1042, "pulled": 0, "completed": true, "error": null}"#);

/// Request body of a requested synchronisation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Force {
    /// Whether to read every inbound record again.
    #[serde(default)]
    full: bool,
}

/// `GET /api/sync/status`
pub async fn status(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.sync_status().map_err(failed)?))
}

/// `POST /api/sync/force`: it may run twice without harm, so its answer is kept after it ran.
pub async fn force(request: Request) -> Answered {
    let Force { full } = request.json()?;
    let store = &request.state.store;
    let force = async { Ok(Answer::ok(&store.force_sync(full).await?)) };
    answered(store.remember(&ask(&request)?, force).await)
}
