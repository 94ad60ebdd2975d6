//! `GET /api/shifts` and `GET /api/shifts/:id`.

use super::{SHIFT, readable};
use crate::http::failure::stored;
use crate::http::{Answered, Request};
use domain::ids::ShiftId;
use domain::shift::{self, Shift, ShiftState, ShiftView};
use edge::page::{Cursor, Limit, List, cursor};
use edge::{ApiError, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /api/shifts`
pub const LIST: Doc = Doc::of("Shifts", "List shifts in order of opening; a cashier's own, a manager all")
    .query::<Query>()
    .answers::<List<ShiftView>>(concat!(
        r#"{"items": ["#,
        include_str!("../examples/shift.json"),
        r#"], "next_cursor": null}"#
    ));
/// `GET /api/shifts/:id`
pub const READ: Doc = Doc::of("Shifts", "One shift").answers::<ShiftView>(SHIFT);

/// Most shifts that one request looks at; a page may be short, its cursor goes on.
const LOOKED_AT_MAX: usize = 5_000;
/// Shifts that are read at once.
const ROWS: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    state: Option<ShiftState>,
    /// The first business date.
    from: Option<Date>,
    /// The last business date.
    to: Option<Date>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

impl Query {
    fn wants(&self, shift: &Shift) -> bool {
        self.state.is_none_or(|state| shift.state == state)
            && self.from.is_none_or(|from| shift.business_date >= from)
            && self.to.is_none_or(|to| shift.business_date <= to)
    }
}

/// `GET /api/shifts`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let mut after = query.cursor.as_ref().map(Cursor::read::<ShiftId>).transpose()?;
    let (caller, store) = (request.caller()?, &request.state.store);
    let mut items = Vec::new();
    let mut looked_at = 0;
    let more = loop {
        let rows = store.storage().shifts(after.as_ref(), ROWS).map_err(stored)?;
        if rows.is_empty() {
            break false;
        }
        let mut full = false;
        for shift in rows {
            after = Some(shift.shift_id.clone());
            looked_at += 1;
            if query.wants(&shift) && shift::may_run(caller, &shift).is_ok() {
                let shown = shift::view(&shift, clock::now(), store.rules());
                items.push(shift::blind(shown, &shift, caller.role, store.rules()));
            }
            full = items.len() >= query.limit.0 || looked_at >= LOOKED_AT_MAX;
            if full {
                break;
            }
        }
        if full {
            break !store.storage().shifts(after.as_ref(), 1).map_err(stored)?.is_empty();
        }
    };
    let next_cursor = after.filter(|_| more).map(|after| cursor(&after));
    Ok(Reply::ok(&List { items, next_cursor }))
}

/// `GET /api/shifts/:id`
pub async fn read(request: Request) -> Answered {
    let shift = readable(&request, &ShiftId::from(request.param("id")))?;
    let rules = request.state.store.rules();
    let shown = shift::view(&shift, clock::now(), rules);
    Ok(Reply::ok(&shift::blind(shown, &shift, request.caller()?.role, rules)))
}

/// A day of the path.
///
/// # Errors
/// 404 `not_found` for what is no date.
pub fn date(request: &Request) -> Result<Date, ApiError> {
    request.param("date").parse().map_err(|_| ApiError::not_found("day"))
}
