//! Registers: the store's tills.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::stored;
use ::actors::commands;
use domain::model::base::ids::RegisterId;
use domain::rules::books::register::{ChangeRegister, NewRegister, RegisterView};
use edge::page::{List, Page};
use edge::{Code, Doc, Reply};

const REGISTER: &str = r#"{"register_id": "till-1", "name": "Front till", "state": "active"}"#;

pub const LIST: Doc = Doc::of("Registers", "List registers, ordered by ID").query::<Page>().answers::<List<
    RegisterView,
>>(
    r#"{"items": [{"register_id": "till-1", "name": "Front till", "state": "active"}], "next_cursor": null}"#,
);
pub const ADD: Doc = Doc::of("Registers", "Create a register")
    .body::<NewRegister>(r#"{"register_id": "till-1", "name": "Front till"}"#)
    .creates::<RegisterView>(REGISTER)
    .refuses(&[Code::Duplicate]);
pub const CHANGE: Doc = Doc::of("Registers", "Rename, enable or disable a register")
    .body::<ChangeRegister>(r#"{"state": "disabled"}"#)
    .answers::<RegisterView>(REGISTER);

/// `GET /api/registers`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = page.after::<RegisterId>()?;
    let registers = request.state.store.storage().shifts().registers().map_err(stored)?;
    let shown = registers
        .iter()
        .filter(|register| after.as_ref().is_none_or(|after| register.register_id > *after))
        .take(page.limit.one_more())
        .map(RegisterView::from);
    let shown = shown.collect();
    Ok(Reply::ok(&List::<RegisterView>::cut(shown, page.limit, |register| register.register_id.clone())))
}

/// `POST /api/registers`
pub async fn add(request: Request) -> Answered {
    let command: NewRegister = request.json()?;
    run(&request, commands::AddRegister(command)).await
}

/// `PATCH /api/registers/:id`
pub async fn change(request: Request) -> Answered {
    let command: ChangeRegister = request.json()?;
    let id = RegisterId::from(request.param("id"));
    run(&request, commands::ChangeRegister(id, command)).await
}
