//! People who have worked here: names for documents, also for callers who may not change these people.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::stored;
use domain::model::base::ids::UserId;
use domain::model::people::user::{Role, User};
use edge::page::{List, Page};
use edge::{Doc, Reply};
use schemars::JsonSchema;
use serde::Serialize;

/// `GET /api/staff`
pub const LIST: Doc = Doc::of("Users", "List names of all current and former users")
    .query::<Page>()
    .answers::<List<StaffName>>(
        r#"{"items": [{"user_id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "name": "Ani", "role": "cashier"}], "next_cursor": null}"#,
    );

/// ID and name of a user.
#[derive(Serialize, JsonSchema)]
struct StaffName {
    user_id: UserId,
    /// Display name.
    name: String,
    /// Role of the user.
    role: Role,
}

impl From<User> for StaffName {
    fn from(user: User) -> Self {
        Self { user_id: user.user_id, name: user.name, role: user.role }
    }
}

/// `GET /api/staff`: in order of ID.
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after = page.after::<UserId>()?;
    let mut users = request.state.store.storage().users().users().map_err(stored)?;
    users.sort_by(|one, other| one.user_id.cmp(&other.user_id));
    let later = users.into_iter().filter(|user| after.as_ref().is_none_or(|after| user.user_id > *after));
    let shown: Vec<StaffName> = later.take(page.limit.one_more()).map(StaffName::from).collect();
    Ok(Reply::ok(&List::cut(shown, page.limit, |one: &StaffName| one.user_id.clone())))
}
