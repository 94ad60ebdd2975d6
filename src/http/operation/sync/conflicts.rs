//! Values that lost a conflict, and their restoration.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::stored;
use ::actors::commands;
use ::actors::view::ConflictView;
use edge::identity::EmptyBody;
use edge::page::{List, Page};
use edge::{Code, Doc, Reply};

/// `GET /api/conflicts`
pub const CONFLICTS: Doc =
    Doc::of("Synchronisation", "List field values that lost a conflict, with the values that won")
        .query::<Page>()
        .lists::<ConflictView>(include_str!("../examples/conflict.json"));
pub const RESTORE: Doc = Doc::of("Synchronisation", "Restore a value that lost a conflict, as a new write")
    .optional_body::<EmptyBody>("{}")
    .answers::<ConflictView>(include_str!("../examples/conflict.json"))
    .refuses(&[Code::InvalidState, Code::Duplicate]);

/// `GET /api/conflicts`: in order of their IDs.
pub async fn conflicts(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = page.after::<String>()?;
    let storage = request.state.store.storage();
    let notes = storage.sync().conflicts(after.as_deref(), page.limit.one_more()).map_err(stored)?;
    let views = notes
        .into_iter()
        .map(|note| request.state.store.conflict_view(note))
        .collect::<Result<_, _>>()
        .map_err(stored)?;
    Ok(Reply::ok(&List::cut(views, page.limit, |view: &ConflictView| view.conflict_id().to_owned())))
}

/// `POST /api/conflicts/:id/restore`
pub async fn restore(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    run(&request, commands::RestoreConflict(request.param("id").to_owned())).await
}
