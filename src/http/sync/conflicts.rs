//! Values that lost against others, and how they come back (api.md 8).

use super::super::ask::{answered, ask};
use super::super::auth::Nothing;
use super::super::failure::stored;
use super::super::{Answered, Request};
use ::actors::view::ConflictView;
use edge::page::{Cursor, Limit, List};
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /api/sync/conflicts`
pub const CONFLICTS: Doc =
    Doc::of("Synchronisation", "Values that lost against others, with what counts instead")
        .query::<Query>()
        .answers::<List<ConflictView>>(concat!(
        r#"{"items": ["#,
        include_str!("../examples/conflict.json"),
        r#"], "next_cursor": null}"#
    ));
/// `POST /api/sync/conflicts/:id/restore`
pub const RESTORE: Doc = Doc::of("Synchronisation", "Put a value back that lost, as a new write")
    .optional_body::<Nothing>("{}")
    .answers::<ConflictView>(include_str!("../examples/conflict.json"))
    .refuses(&[Code::InvalidState, Code::Duplicate]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `GET /api/sync/conflicts`: in order of their ids.
pub async fn conflicts(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<String>).transpose()?;
    let storage = request.state.store.storage();
    let notes = storage.conflicts(after.as_deref(), query.limit.0.saturating_add(1)).map_err(stored)?;
    let views = notes.into_iter().map(ConflictView::of).collect();
    Ok(Reply::ok(&List::cut(views, query.limit, |view: &ConflictView| view.conflict_id().to_owned())))
}

/// `POST /api/sync/conflicts/:id/restore`
pub async fn restore(request: Request) -> Answered {
    let Nothing {} = request.json()?;
    let store = &request.state.store;
    answered(store.restore_conflict(&ask(&request)?, request.param("id")).await)
}
