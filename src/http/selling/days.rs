//! The store's days.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::stored;
use crate::http::selling::shifts;
use ::actors::{StoreHandle, commands};
use domain::model::base::ids::{RegisterId, ShiftId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::books::day::{Day, ReopenedDay};
use domain::model::books::shift::{Shift, ShiftState};
use domain::rules::books::day;
use domain::rules::books::day::{Figures, MethodFigures, SealDay, UnsealDay};
use domain::rules::books::shift;
use domain::rules::books::shift::ShiftView;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const LIST: Doc = Doc::of("Days", "List days that have a shift or are sealed, newest first")
    .query::<Query>()
    .lists::<DayView>(include_str!("examples/day.json"));
pub const READ: Doc = Doc::of("Days", "Retrieve a day: its shifts, their sums, and what prevents sealing it")
    .answers::<DayView>(include_str!("examples/day.json"));
pub const SEAL: Doc = Doc::of("Days", "Seal a day that is over: its documents can no longer change")
    .optional_body::<SealDay>(r#"{"force": true, "reason": "closed early: public holiday"}"#)
    .answers::<Day>(
        r#"{"business_date": "2026-11-20", "shift_ids": ["shf_019aa0b1f6e27d1c9f0b1a2b3c4d5e6f"], "sealed_by": null, "sealed_at": "2026-11-20T20:00:00.000Z", "reason": null}"#,
    )
    .refuses(&[Code::InvalidState]);

pub const UNSEAL: Doc = Doc::of("Days", "Unseal a day; it stays open until it is sealed again or the current day ends")
    .body::<UnsealDay>(r#"{"reason": "a drawer was counted wrong"}"#)
    .answers::<ReopenedDay>(
        r#"{"business_date": "2026-11-20", "reopened_by": "usr_019aa0b1f6e27d1c9f0b1a2b3c4d5e6f", "reopened_at": "2026-11-21T02:00:00.000Z", "open_until": "2026-11-21", "reason": "a drawer was counted wrong"}"#,
    )
    .refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// State of a business day.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DayState {
    Open,
    Sealed,
}

/// A day of the store.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DayDetail")]
struct DayView {
    /// The business date.
    business_date: Date,
    /// State of the day.
    state: DayState,
    /// User who sealed the day. Null if it is not sealed or was sealed automatically.
    sealed_by: Option<UserId>,
    /// When the day was sealed. Null if it is not.
    sealed_at: Option<UtcMs>,
    /// Shifts of the day.
    #[schemars(with = "Vec<ShiftView<'static>>")]
    shifts: Vec<Value>,
    /// Figures of the whole day.
    totals: Figures,
    /// Payments and refunds by payment method.
    by_method: Vec<MethodFigures>,
    /// Shifts that must be closed before the day can be sealed.
    missing: Vec<Missing>,
}

/// A shift that is not closed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MissingShift")]
struct Missing {
    /// ID of the shift.
    shift_id: ShiftId,
    /// Register of the shift.
    register_id: RegisterId,
    /// State of the shift.
    state: ShiftState,
}

impl Missing {
    fn of(shift: &Shift) -> Self {
        Self { shift_id: shift.shift_id.clone(), register_id: shift.register_id.clone(), state: shift.state }
    }
}

/// `GET /api/days`
pub async fn list(request: Request) -> Answered {
    let Query { from, to, limit, cursor } = request.query()?;
    // The next page begins on the day before the last one shown.
    let shown = cursor.map(|cursor| cursor.read::<Date>()).transpose()?;
    let before = shown.map(Date::yesterday).transpose().map_err(|_| ApiError::invalid_cursor())?;
    let to = before.into_iter().chain(to).min();
    let state = request.state;
    let read = move || {
        let dates = state.store.storage().days().known_days(from, to, limit.one_more()).map_err(stored)?;
        let List { items, next_cursor } = List::cut(dates, limit, |date| *date);
        let items = items.into_iter().map(|date| day(&state.store, date)).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, ApiError>(List { items, next_cursor })
    };
    Ok(Reply::ok(&tokio::task::spawn_blocking(read).await.map_err(ApiError::internal)??))
}

/// `GET /api/days/:date`
pub async fn read(request: Request) -> Answered {
    let date = shifts::date(&request)?;
    Ok(Reply::ok(&day(&request.state.store, date)?))
}

fn day(store: &StoreHandle, date: Date) -> Result<DayView, ApiError> {
    let sealed = store.storage().days().day(date).map_err(stored)?;
    let shifts = store.storage().shifts().shifts_of_day(date).map_err(stored)?;
    let over = |shift: &&Shift| !matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted);
    let now = clock::now();
    Ok(DayView {
        business_date: date,
        state: if sealed.is_some() { DayState::Sealed } else { DayState::Open },
        sealed_by: sealed.as_ref().and_then(|day| day.sealed_by.clone()),
        sealed_at: sealed.as_ref().map(|day| day.sealed_at),
        shifts: shifts.iter().map(|shift| shift::view(shift, now, &store.rules())).collect(),
        totals: Figures::of(&shifts),
        by_method: day::by_method(&shifts),
        missing: shifts.iter().filter(over).map(Missing::of).collect(),
    })
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
