//! The supervision tree.

use super::ask::{answered, ask};
use super::auth::Nothing;
#[cfg(debug_assertions)]
use super::failure::failed;
use super::{Answered, Request};
use ::actors::view::TreeView;
use domain::answer::Answer;
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

/// `GET /api/admin/actors`
pub const TREE: Doc =
    Doc::of("Operation", "The supervision tree").answers::<TreeView>(include_str!("examples/actors.json"));
/// `POST /api/admin/actors/:name/restart`
pub const RESTART: Doc = Doc::of("Operation", "Kill an actor as a crash would")
    .optional_body::<Nothing>("{}")
    .answers::<Restarted>(r#"{"name": "ledger", "state": "running"}"#)
    .refuses(&[Code::InvalidState]);
/// `POST /api/admin/actors/:name/panic`
#[cfg(debug_assertions)]
pub const PANIC: Doc = Doc::of("Operation", "Make an actor panic")
    .optional_body::<Nothing>("{}")
    .answers::<Restarted>(r#"{"name": "ledger", "state": "running"}"#)
    .unkeyed("a fault for tests")
    .hidden();

/// The actor's successor runs.
#[derive(Serialize, JsonSchema)]
struct Restarted<'a> {
    name: &'a str,
    state: &'static str,
}

/// `GET /api/admin/actors`
pub async fn tree(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.tree()))
}

/// `POST /api/admin/actors/:name/restart`
pub async fn restart(request: Request) -> Answered {
    let Nothing {} = request.json()?;
    let (name, store) = (request.param("name"), &request.state.store);
    let restart = async {
        store.restart_actor(name).await?;
        tracing::warn!(actor = name, request_id = request.request_id, "an actor was restarted on request");
        Ok(Answer::ok(&Restarted { name, state: "running" }))
    };
    answered(store.remember(&ask(&request)?, restart).await)
}

/// `POST /api/admin/actors/:name/panic`: a fault for tests, absent from release builds.
#[cfg(debug_assertions)]
pub async fn panic(request: Request) -> Answered {
    let name = request.param("name");
    request.state.store.panic_actor(name).map_err(failed)?;
    Ok(Reply::ok(&Restarted { name, state: "running" }))
}
