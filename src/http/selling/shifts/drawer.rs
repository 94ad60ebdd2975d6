//! Cash that moves without a sale, the blind end, recounts.

use super::{SHIFT, readable};
use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, run};
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::{CashId, ShiftId};
use domain::model::books::shift::CashMovement;
use domain::rules::books::shift::{MoveCash, RecountShift, ReverseCash, ShiftView};
use edge::identity::EmptyBody;
use edge::page::{List, Page, cursor};
use edge::{Code, Doc, Reply};

const MOVEMENT: &str = include_str!("../examples/cash_movement.json");

pub const MOVE_CASH: Doc =
    Doc::of("Shifts", "Create a cash movement: pay in, pay out, drop, or opening the drawer without a sale")
        .body::<Approved<MoveCash>>(
            r#"{"type": "drop", "amount": 1000000, "reason": "safe", "bag_no": "B-17"}"#,
        )
        .creates::<CashMovement>(MOVEMENT)
        .refuses(&[Code::InvalidState]);
pub const MOVEMENTS: Doc = Doc::of("Shifts", "List a shift's cash movements, newest first")
    .query::<Page>()
    .lists::<CashMovement>(MOVEMENT);
pub const REVERSE_CASH: Doc =
    Doc::of("Shifts", "Reverse a cash movement; the reversal is a movement that names it")
        .body::<Approved<ReverseCash>>(r#"{"reason": "a zero too many"}"#)
        .creates::<CashMovement>(MOVEMENT)
        .refuses(&[Code::InvalidState]);
pub const END: Doc = Doc::of("Shifts", "End a shift without a count: no more sales; it is counted later")
    .optional_body::<EmptyBody>("{}")
    .answers::<ShiftView>(SHIFT)
    .refuses(&[Code::InvalidState, Code::ShiftHasOpenTransactions]);
pub const RECOUNT: Doc = Doc::of("Shifts", "Recount a closed or interrupted shift; the first count is kept")
    .body::<RecountShift>(r#"{"counted_cash": 532190, "reason": "a note stuck in the tray"}"#)
    .creates::<ShiftView>(SHIFT)
    .refuses(&[Code::InvalidState]);

/// `POST /api/shifts/:id/cash-movements`
pub async fn move_cash(request: Request) -> Answered {
    let (command, ask) = approved::<MoveCash>(&request).await?;
    let id = ShiftId::from(request.param("id"));
    let (store, amount) = (&request.state.store, command.amount);
    let done = store.run(ask.clone(), commands::MoveCash(id.clone(), command)).await;
    if let Err(refused) = &done {
        store.note_blind_try(&ask, &id, amount, refused).await;
    }
    request.state.printers.after(answered(done))
}

/// `POST /api/shifts/:id/cash-movements/:cash_id/reverse`
pub async fn reverse_cash(request: Request) -> Answered {
    let (command, ask) = approved::<ReverseCash>(&request).await?;
    let (id, wrong) = (ShiftId::from(request.param("id")), CashId::from(request.param("cash_id")));
    let done = answered(request.state.store.run(ask, commands::ReverseCash(id, wrong, command)).await);
    request.state.printers.after(done)
}

/// `GET /api/shifts/:id/cash-movements`
pub async fn movements(request: Request) -> Answered {
    let page: Page = request.query()?;
    let before = page.after::<u64>()?;
    let shift = readable(&request, &ShiftId::from(request.param("id")))?;
    let (storage, limit) = (request.state.store.storage(), page.limit.0);
    let asked = limit.saturating_add(1);
    let mut found = storage.shifts().cash_movements(&shift.shift_id, before, asked).map_err(stored)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more).map(|(lsn, _)| cursor(lsn));
    let items: Vec<CashMovement> = found.into_iter().map(|(_, movement)| movement).collect();
    Ok(Reply::ok(&List { items, next_cursor: last }))
}

/// `POST /api/shifts/:id/end`
pub async fn end(request: Request) -> Answered {
    request.json::<EmptyBody>()?;
    let id = ShiftId::from(request.param("id"));
    run(&request, commands::EndShift(id)).await
}

/// `POST /api/shifts/:id/recounts`
pub async fn recount(request: Request) -> Answered {
    let command: RecountShift = request.json()?;
    let id = ShiftId::from(request.param("id"));
    run(&request, commands::RecountShift(id, command)).await
}
