//! Receiving (api.md 6).

use super::ask::{answered, ask};
use super::failure::stored;
use super::{Answered, Request};
use domain::ids::ReceivingId;
use domain::receiving::NewReceiving;
use edge::{ApiError, Reply};

/// `POST /api/receiving`
pub async fn create(request: Request) -> Answered {
    let command: NewReceiving = request.json()?;
    answered(request.state.store.receive(&ask(&request)?, command).await)
}

/// `GET /api/receiving/:id`
pub async fn read(request: Request) -> Answered {
    let id = ReceivingId::from(request.param("id"));
    let found = request.state.store.storage().receiving(&id).map_err(stored)?;
    Ok(Reply::ok(&found.ok_or_else(|| ApiError::not_found("receiving document"))?))
}
