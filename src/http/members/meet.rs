//! Looks up members at head office who are not known here. If that was not possible, the answer shows it.

use crate::http::Request;
use crate::http::failure::failed;
use actors::{Failure, HeadOffice};
use domain::model::base::ids::MemberId;
use domain::model::base::limits::ID_BYTES_MAX;
use domain::model::base::refusal::Refusal;
use domain::model::people::member::Member;
use edge::ApiError;
use serde_json::json;

/// The member in the path, or the member that it was merged into.
pub async fn member(request: &Request) -> Result<Member, ApiError> {
    let id = MemberId::from(request.param("id"));
    let store = &request.state.store;
    match store.member(&id) {
        Err(Failure::Refused(Refusal::NotFound(_))) => {
            let asked = met(request, Some(&id)).await?;
            store.member(&id).map_err(|failure| with_head_office(failed(failure), asked))
        }
        found => found.map_err(failed),
    }
}

/// Asks for the member of an ID, if the ID is unknown here.
pub async fn met(request: &Request, id: Option<&MemberId>) -> Result<HeadOffice, ApiError> {
    match id.filter(|id| (1..=ID_BYTES_MAX).contains(&id.0.len())) {
        Some(id) => request.state.store.look_up_member(id).await.map_err(failed),
        None => Ok(HeadOffice::NotNeeded),
    }
}

/// Adds to the refusal of an unknown member whether head office could be asked.
pub fn with_head_office(mut error: ApiError, asked: HeadOffice) -> ApiError {
    if asked == HeadOffice::NotAsked
        && matches!(error.code, edge::Code::NotFound | edge::Code::UnknownMember)
        && let Some(details) = error.details.as_object_mut()
    {
        details.insert("head_office".to_owned(), json!(asked));
    }
    error
}
