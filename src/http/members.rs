//! Members.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::{failed, stored};
use ::actors::commands;
use domain::model::base::ids::MemberId;
use domain::model::people::member::{Member, MemberState};
use domain::rules::people::member::{ChangeMember, MemberView, NewMember, view};
use edge::identity::EmptyBody;
use edge::page::{List, Page};
use edge::{ApiError, Code, Doc, Reply};
use meet::member;

mod meet;
mod points;
mod search;

pub use meet::{met, with_head_office};
pub use points::{ADJUST, POINTS, adjust, points};
pub use search::{SEARCH, search};

pub const LIST: Doc = Doc::of("Members", "List members, ordered by ID; without erased and merged ones")
    .query::<Page>()
    .lists::<MemberView>(MEMBER);

const MEMBER: &str = include_str!("examples/member.json");

pub const CREATE: Doc = Doc::of("Members", "Register a member")
    .body::<NewMember>(
        r#"{"name": "Siti Rahma", "phone": "0812-3456-7890", "email": "siti@example.com", "birth_date": "1990-04-21", "code": "CARD-0042"}"#,
    )
    .creates::<MemberView>(MEMBER)
    .refuses(&[Code::Duplicate]);
pub const READ: Doc = Doc::of(
    "Members",
    "Retrieve a member; the ID of a merged member finds the member that it was merged into",
)
.answers::<MemberView>(MEMBER);
pub const UPDATE: Doc = Doc::of("Members", "Update, block or unblock a member")
    .body::<ChangeMember>(r#"{"name": "Siti R.", "state": "blocked"}"#)
    .answers::<MemberView>(MEMBER)
    .refuses(&[Code::Duplicate, Code::InvalidState]);
pub const ERASE: Doc = Doc::of("Members", "Erase a member's personal data")
    .optional_body::<EmptyBody>("{}")
    .answers::<MemberView>(MEMBER)
    .refuses(&[Code::InvalidState]);

/// `GET /api/members`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let mut after = page.after::<MemberId>()?;
    let (members, mut found) = (request.state.store.storage().members(), Vec::new());
    while found.len() < page.limit.one_more() {
        let chunk = members.members(after.as_ref(), page.limit.one_more()).map_err(stored)?;
        let Some(last) = chunk.last() else { break };
        after = Some(last.member_id.clone());
        let known = |member: &Member| matches!(member.state, MemberState::Active | MemberState::Blocked);
        for member in chunk.iter().filter(|member| known(member)) {
            found.push(shown(&request, member)?);
        }
    }
    found.truncate(page.limit.one_more());
    Ok(Reply::ok(&List::cut(found, page.limit, |member: &MemberView| member.member_id.clone())))
}

/// `POST /api/members`
pub async fn create(request: Request) -> Answered {
    let command: NewMember = request.json()?;
    let store = &request.state.store;
    // A person whom head office knows by one of these is not registered twice.
    store.look_up_members(command.keys(&store.rules().policy.country_code)).await.map_err(failed)?;
    run(&request, commands::RegisterMember(command)).await
}

/// `GET /api/members/:id`
pub async fn read(request: Request) -> Answered {
    Ok(Reply::ok(&shown(&request, &member(&request).await?)?))
}

/// `PATCH /api/members/:id`
pub async fn update(request: Request) -> Answered {
    let command: ChangeMember = request.json()?;
    let id = member(&request).await?.member_id;
    run(&request, commands::ChangeMember(id, command)).await
}

/// `POST /api/members/:id/erase`
pub async fn erase(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let id = member(&request).await?.member_id;
    run(&request, commands::EraseMember(id)).await
}

fn shown(request: &Request, member: &Member) -> Result<MemberView, ApiError> {
    let account = request.state.store.storage().members().points(&member.member_id).map_err(stored)?;
    Ok(view(member, account.map(|account| account.balance()).unwrap_or_default()))
}
