//! `GET /api/shifts` and `GET /api/shifts/:id`.

use super::{SHIFT, seen};
use crate::http::Answered;
use crate::http::Request;
use crate::http::documents::fits;
use crate::http::failure::stored;
use domain::model::base::ids::{RegisterId, ShiftId, UserId};
use domain::model::books::shift::{Shift, ShiftState};
use domain::rules::books::shift;
use domain::rules::books::shift::ShiftView;
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /api/shifts`
pub const LIST: Doc = Doc::of("Shifts", "List shifts, newest first: your own, or all for managers")
    .query::<Query>()
    .lists::<ShiftView>(include_str!("../examples/shift.json"));
pub const READ: Doc = Doc::of("Shifts", "Retrieve a shift").answers::<ShiftView>(SHIFT);

/// Most shifts that one request looks at; a page may be short, its cursor continues.
const LOOKED_AT_MAX: usize = 5_000;
/// Shifts that are read at once.
const ROWS: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    state: Option<ShiftState>,
    /// First business date.
    from: Option<Date>,
    /// Last business date.
    to: Option<Date>,
    /// Only shifts that were opened at this register, or stand there.
    register_id: Option<RegisterId>,
    /// Only shifts that this user opened.
    cashier_id: Option<UserId>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

impl Query {
    fn wants(&self, shift: &Shift) -> bool {
        fits(self.state.as_ref(), &shift.state)
            && self.register_id.as_ref().is_none_or(|id| shift.register_id == *id || shift.stands_at(id))
            && fits(self.cashier_id.as_ref(), &shift.opened_by)
    }
}

/// `GET /api/shifts`: date by date from the newest, so that nothing outside of the dates is read.
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let start = query.cursor.as_ref().map(Cursor::read::<(Date, ShiftId)>).transpose()?;
    let (caller, store) = (request.caller()?, &request.state.store);
    let (dates, mut before, mut looked_at) = ((query.from, query.to), start, 0);
    let mut items = Vec::new();
    let more = 'page: loop {
        let rows = store.storage().shifts().shifts_back(dates, before.as_ref(), ROWS).map_err(stored)?;
        let complete = rows.len() < ROWS;
        for shift in rows {
            // An item beyond a full page shows that there are more.
            if items.len() >= query.limit.0 || looked_at >= LOOKED_AT_MAX {
                break 'page true;
            }
            before = Some((shift.business_date, shift.shift_id.clone()));
            looked_at += 1;
            if query.wants(&shift) && shift::may_run(caller, &shift).is_ok() {
                let shown = shift::view(&shift, clock::now(), &store.rules());
                items.push(shift::blind(shown, &shift, caller.role, &store.rules()));
            }
        }
        if complete {
            break false;
        }
    };
    let next_cursor = before.filter(|_| more).map(|before| cursor(&before));
    Ok(Reply::ok(&List { items, next_cursor }))
}

/// `GET /api/shifts/:id`
pub async fn read(request: Request) -> Answered {
    let shift = seen(&request, &ShiftId::from(request.param("id")))?;
    let rules = &request.state.store.rules();
    let shown = shift::view(&shift, clock::now(), rules);
    Ok(Reply::ok(&shift::blind(shown, &shift, request.caller()?.role, rules)))
}

/// A day of the path.
///
/// # Errors
/// 404 `not_found` for a text that is not a date.
pub fn date(request: &Request) -> Result<Date, ApiError> {
    request.param("date").parse().map_err(|_| ApiError::not_found("day"))
}
