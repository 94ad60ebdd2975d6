//! Shifts.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, run};
use crate::http::failure::{failed, stored};
use ::actors::commands;
use domain::model::base::ids::{RegisterId, ShiftId};
use domain::model::base::refusal::Refusal;
use domain::model::books::shift::Shift;
use domain::model::people::authorization::Authorization;
use domain::rules::books::shift;
use domain::rules::books::shift::{ShiftSummary, ShiftView};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;

mod drawer;
mod list;
pub(super) mod report;

pub use drawer::reverse_cash;
pub use drawer::{END, MOVE_CASH, MOVEMENTS, RECOUNT, REVERSE_CASH, end, move_cash, movements, recount};
pub use list::{LIST, READ, date, list, read};
pub use report::{REPORT, report};

const SHIFT: &str = include_str!("examples/shift.json");
const SUMMARY_EXAMPLE: &str = include_str!("examples/summary.json");

pub const OPEN: Doc = Doc::of("Shifts", "Open a shift")
    .optional_body::<Approved<shift::OpenShift>>(r#"{"register_id": "till-1", "opening_float": 500000}"#)
    .creates::<ShiftView>(SHIFT)
    .refuses(&[Code::InvalidState, Code::ShiftAlreadyOpen]);
pub const MOVE: Doc =
    Doc::of("Shifts", "Move a shift to other registers: none suspends it, several share its drawer")
        .body::<shift::MoveShift>(r#"{"register_ids": ["till-2"]}"#)
        .answers::<ShiftView>(SHIFT)
        .refuses(&[Code::InvalidState, Code::ShiftAlreadyOpen, Code::ShiftHasOpenTransactions]);
pub const CLOSE: Doc = Doc::of("Shifts", "Close a shift with the counted cash")
    .body::<Approved<shift::CloseShift>>(
        r#"{"counted_cash": 532000, "denominations": [{"value": 100000, "count": 5}, {"value": 2000, "count": 16}]}"#,
    )
    .answers::<ShiftSummary>(SUMMARY_EXAMPLE)
    .refuses(&[Code::InvalidState, Code::ShiftHasOpenTransactions]);
pub const CURRENT: Doc = Doc::of("Shifts", "Retrieve your open shift")
    .query::<CurrentQuery>()
    .answers::<ShiftView>(SHIFT)
    .refuses(&[Code::NotFound]);
pub const SUMMARY: Doc =
    Doc::of("Shifts", "Retrieve a shift's sums").answers::<ShiftSummary>(SUMMARY_EXAMPLE);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CurrentQuery {
    /// Register where the shift stands. Defaults to the shift in which the caller works.
    register_id: Option<RegisterId>,
}

/// `POST /api/shifts/open`
pub async fn open(request: Request) -> Answered {
    let (command, ask) = approved::<shift::OpenShift>(&request).await?;
    command.check()?;
    answered(request.state.store.open_shift(ask, command).await)
}

/// `POST /api/shifts/:id/registers`
pub async fn relocate(request: Request) -> Answered {
    let command: shift::MoveShift = request.json()?;
    run(&request, commands::MoveShift(ShiftId::from(request.param("id")), command)).await
}

/// `POST /api/shifts/:id/close`
pub async fn close(request: Request) -> Answered {
    let (command, ask) = approved::<shift::CloseShift>(&request).await?;
    command.check()?;
    let id = ShiftId::from(request.param("id"));
    let (store, counted) = (&request.state.store, command.counted_cash);
    let done = store.run(ask.clone(), commands::CloseShift(id.clone(), command)).await;
    if let Err(refused) = &done {
        store.note_blind_try(&ask, &id, counted, refused).await;
    }
    answered(done)
}

/// `GET /api/shifts/current`
pub async fn current(request: Request) -> Answered {
    let query: CurrentQuery = request.query()?;
    let (store, caller) = (&request.state.store, request.caller()?);
    let found = match &query.register_id {
        Some(register) => store.shift_at(register),
        None => store.current_shift(&caller.user_id, request.register_id.as_ref()),
    };
    let found = found.map_err(failed)?;
    may_see(&request, &found)?;
    let shown = shift::view(&found, clock::now(), &store.rules());
    Ok(Reply::ok(&shift::blind(shown, &found, caller.role, &store.rules())))
}

/// `GET /api/shifts/:id/summary`
pub async fn summary(request: Request) -> Answered {
    let shift = readable(&request, &ShiftId::from(request.param("id")))?;
    let rules = &request.state.store.rules();
    let shown = shift::summary(&shift, clock::now(), rules);
    Ok(Reply::ok(&shift::blind(shown, &shift, request.caller()?.role, rules)))
}

/// Checks that the caller may see a shift without its sums: the own one, one that the caller's register shares, or any
/// for a manager.
fn may_see(request: &Request, shift: &Shift) -> Result<(), ApiError> {
    let register_id = request.register_id.as_ref();
    let authorization = Authorization { register_id, ..Authorization::unapproved(request.caller()?) };
    Ok(shift::may_work(&authorization, shift)?)
}

/// A shift that the caller may read: the own one, or any for a manager.
pub(super) fn readable(request: &Request, id: &ShiftId) -> Result<Shift, ApiError> {
    let shift = known(request, id)?;
    shift::may_run(request.caller()?, &shift)?;
    Ok(shift)
}

/// A shift that the caller may see, without its sums.
pub(super) fn seen(request: &Request, id: &ShiftId) -> Result<Shift, ApiError> {
    let shift = known(request, id)?;
    may_see(request, &shift)?;
    Ok(shift)
}

fn known(request: &Request, id: &ShiftId) -> Result<Shift, ApiError> {
    let found = request.state.store.storage().shifts().shift(id).map_err(stored)?;
    Ok(found.ok_or(Refusal::NotFound("shift"))?)
}
