//! The supervision tree.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::{answered, ask};
use ::actors::view::TreeView;
use domain::model::base::answer::Answer;
use edge::identity::EmptyBody;
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

pub const TREE: Doc = Doc::of("Operation", "Retrieve the supervision tree")
    .answers::<TreeView>(include_str!("examples/actors.json"));
pub const RESTART: Doc = Doc::of("Operation", "Kill an actor as a crash would; its supervisor restarts it")
    .optional_body::<EmptyBody>("{}")
    .answers::<Restarted>(r#"{"name": "ledger", "state": "running"}"#)
    .refuses(&[Code::InvalidState]);

/// Actor after its restart.
#[derive(Serialize, JsonSchema)]
struct Restarted<'a> {
    /// Name of the actor.
    name: &'a str,
    /// State of the actor.
    state: &'static str,
}

/// `GET /api/admin/actors`
pub async fn tree(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.tree()))
}

/// `POST /api/admin/actors/:name/restart`
pub async fn restart(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (name, store) = (request.param("name"), &request.state.store);
    let restart = async {
        store.restart_actor(name).await?;
        tracing::warn!(actor = name, request_id = request.request_id, "an actor was restarted on request");
        Ok(Answer::ok(&Restarted { name, state: "running" }))
    };
    answered(store.remember(&ask(&request)?, restart).await)
}
