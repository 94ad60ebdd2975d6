//! Registers (api.md 4): the store's tills.

use super::ask::{answered, ask};
use super::failure::stored;
use super::{Answered, Request};
use domain::ids::RegisterId;
use domain::register::{ChangeRegister, NewRegister, RegisterView};
use edge::page::{Cursor, Limit, List};
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

const REGISTER: &str = r#"{"register_id": "till-1", "name": "Front till", "state": "active"}"#;

/// `GET /api/registers`
pub const LIST: Doc = Doc::of("Registers", "List the tills in order of id").query::<Query>().answers::<List<
    RegisterView,
>>(
    r#"{"items": [{"register_id": "till-1", "name": "Front till", "state": "active"}], "next_cursor": null}"#,
);
/// `POST /api/registers`
pub const ADD: Doc = Doc::of("Registers", "Add a till")
    .body::<NewRegister>(r#"{"register_id": "till-1", "name": "Front till"}"#)
    .creates::<RegisterView>(REGISTER)
    .refuses(&[Code::Duplicate]);
/// `PATCH /api/registers/:id`
pub const CHANGE: Doc = Doc::of("Registers", "Rename a till, or let it sell or not")
    .body::<ChangeRegister>(r#"{"state": "disabled"}"#)
    .answers::<RegisterView>(REGISTER);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/registers`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<RegisterId>).transpose()?;
    let registers = request.state.store.storage().registers().map_err(stored)?;
    let shown = registers
        .iter()
        .filter(|register| after.as_ref().is_none_or(|after| register.register_id > *after))
        .take(query.limit.0.saturating_add(1))
        .map(RegisterView::from);
    let shown = shown.collect();
    Ok(Reply::ok(&List::<RegisterView>::cut(shown, query.limit, |register| register.register_id.clone())))
}

/// `POST /api/registers`
pub async fn add(request: Request) -> Answered {
    let command: NewRegister = request.json()?;
    answered(request.state.store.add_register(&ask(&request)?, command).await)
}

/// `PATCH /api/registers/:id`
pub async fn change(request: Request) -> Answered {
    let command: ChangeRegister = request.json()?;
    let id = RegisterId::from(request.param("id"));
    answered(request.state.store.change_register(&ask(&request)?, &id, command).await)
}
