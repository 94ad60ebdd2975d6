//! The store's days.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::{failed, stored};
use crate::http::selling::shifts;
use ::actors::commands;
use domain::model::base::ids::{RegisterId, ShiftId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::books::day::{Day, ReopenedDay};
use domain::model::books::shift::{Shift, ShiftState};
use domain::rules::books::day;
use domain::rules::books::day::{Figures, MethodFigures, SealDay, UnsealDay};
use domain::rules::books::shift;
use domain::rules::books::shift::ShiftView;
use edge::{Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// `GET /api/days/:date`
pub const READ: Doc = Doc::of("Days", "A day: its shifts, their sums, and what is missing to seal it")
    .answers::<DayView>(include_str!("examples/day.json"));
/// `POST /api/days/:date/seal`
pub const SEAL: Doc = Doc::of("Days", "Seal a day that is over: nothing of it will change")
    .optional_body::<SealDay>(r#"{"force": true, "reason": "closed early: public holiday"}"#)
    .answers::<Day>(
        r#"{"business_date": "2026-11-20", "shift_ids": ["shf_019aa0b1f6e27d1c9f0b1a2b3c4d5e6f"], "sealed_by": null, "sealed_at": "2026-11-20T20:00:00.000Z", "reason": null}"#,
    )
    .refuses(&[Code::InvalidState]);

/// `POST /api/days/:date/unseal`
pub const UNSEAL: Doc = Doc::of("Days", "Open a sealed day again, until it is sealed once more or today is over")
    .body::<UnsealDay>(r#"{"reason": "a drawer was counted wrong"}"#)
    .answers::<ReopenedDay>(
        r#"{"business_date": "2026-11-20", "reopened_by": "usr_019aa0b1f6e27d1c9f0b1a2b3c4d5e6f", "reopened_at": "2026-11-21T02:00:00.000Z", "open_until": "2026-11-21", "reason": "a drawer was counted wrong"}"#,
    )
    .refuses(&[Code::InvalidState]);

/// Where a day is in its life.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DayState {
    Open,
    Sealed,
}

/// A day of the store.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DayDetail")]
struct DayView<'a> {
    business_date: Date,
    state: DayState,
    sealed_by: Option<UserId>,
    sealed_at: Option<UtcMs>,
    #[schemars(with = "Vec<ShiftView<'static>>")]
    shifts: Vec<Value>,
    totals: Figures,
    by_method: Vec<MethodFigures>,
    /// Shifts that have to be closed first.
    missing: Vec<Missing<'a>>,
}

/// A shift that is not closed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MissingShift")]
struct Missing<'a> {
    shift_id: &'a ShiftId,
    register_id: &'a RegisterId,
    state: ShiftState,
}

impl<'a> Missing<'a> {
    fn of(shift: &'a Shift) -> Self {
        Self { shift_id: &shift.shift_id, register_id: &shift.register_id, state: shift.state }
    }
}

/// `GET /api/days/:date`
pub async fn read(request: Request) -> Answered {
    let date = shifts::date(&request)?;
    let store = &request.state.store;
    let sealed = store.storage().days().day(date).map_err(stored)?;
    let shifts = store.storage().shifts().shifts_of_day(date).map_err(stored)?;
    let over = |shift: &&Shift| !matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted);
    let refused = |refusal| failed(actors::Failure::Refused(refusal));
    let now = clock::now();
    Ok(Reply::ok(&DayView {
        business_date: date,
        state: if sealed.is_some() { DayState::Sealed } else { DayState::Open },
        sealed_by: sealed.as_ref().and_then(|day| day.sealed_by.clone()),
        sealed_at: sealed.as_ref().map(|day| day.sealed_at),
        shifts: shifts.iter().map(|shift| shift::view(shift, now, &store.rules())).collect(),
        totals: Figures::of(&shifts).map_err(refused)?,
        by_method: day::by_method(&shifts).map_err(refused)?,
        missing: shifts.iter().filter(over).map(Missing::of).collect(),
    }))
}

/// `POST /api/days/:date/seal`
pub async fn seal(request: Request) -> Answered {
    let command: SealDay = request.json()?;
    let date = shifts::date(&request)?;
    run(&request, commands::SealDay(date, command)).await
}

/// `POST /api/days/:date/unseal`
pub async fn unseal(request: Request) -> Answered {
    let command: UnsealDay = request.json()?;
    let date = shifts::date(&request)?;
    run(&request, commands::UnsealDay(date, command)).await
}
