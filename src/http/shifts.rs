//! Shifts (api.md 5).

use super::ask::{answered, ask};
use super::failure::{failed, stored};
use super::{Answered, Request};
use domain::ids::{RegisterId, ShiftId};
use domain::refusal::Refusal;
use domain::shift;
use edge::{ApiError, Reply, clock};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurrentQuery {
    register_id: Option<RegisterId>,
}

/// `POST /api/shifts/open`
pub async fn open(request: Request) -> Answered {
    let command: shift::OpenShift = request.json()?;
    command.check()?;
    answered(request.state.store.open_shift(&ask(&request)?, command).await)
}

/// `POST /api/shifts/:id/close`
pub async fn close(request: Request) -> Answered {
    let command: shift::CloseShift = request.json()?;
    command.check()?;
    let id = ShiftId::from(request.param("id"));
    answered(request.state.store.close_shift(&ask(&request)?, &id, command).await)
}

/// `GET /api/shifts/current`
pub async fn current(request: Request) -> Answered {
    let query: CurrentQuery = request.query()?;
    let (store, caller) = (&request.state.store, request.caller()?);
    let found = store.current_shift(&caller.user_id, query.register_id.as_ref()).map_err(failed)?;
    shift::may_run(caller, &found)?;
    Ok(Reply::ok(&shift::view(&found, clock::now(), store.rules())))
}

/// `GET /api/shifts/:id/summary`
pub async fn summary(request: Request) -> Answered {
    let shift = readable(&request, &ShiftId::from(request.param("id")))?;
    Ok(Reply::ok(&shift::summary(&shift, clock::now(), request.state.store.rules())))
}

/// A shift that the caller may read: the own one, or any for a manager.
pub(super) fn readable(request: &Request, id: &ShiftId) -> Result<shift::Shift, ApiError> {
    let found = request.state.store.storage().shift(id).map_err(stored)?;
    let shift = found.ok_or(Refusal::NotFound("shift"))?;
    shift::may_run(request.caller()?, &shift)?;
    Ok(shift)
}
