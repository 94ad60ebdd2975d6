//! Members.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::run;
use crate::http::failure::{failed, stored};
use ::actors::commands;
use domain::model::people::member::Member;
use domain::rules::people::member::{ChangeMember, MemberView, NewMember, view};
use edge::identity::EmptyBody;
use edge::{ApiError, Code, Doc, Reply};
use meet::member;

mod meet;
mod points;
mod search;

pub use meet::{met, with_head_office};
pub use points::{ADJUST, POINTS, adjust, points};
pub use search::{SEARCH, search};

const MEMBER: &str = include_str!("examples/member.json");

pub const CREATE: Doc = Doc::of("Members", "Register a member")
    .body::<NewMember>(
        r#"{"name": "Siti Rahma", "phone": "0812-3456-7890", "email": "siti@example.com", "birth_date": "1990-04-21", "code": "CARD-0042"}"#,
    )
    .creates::<MemberView>(MEMBER)
    .refuses(&[Code::Duplicate]);
pub const READ: Doc = Doc::of("Members", "Retrieve a member; the id of a merged member still resolves")
    .answers::<MemberView>(MEMBER);
pub const UPDATE: Doc = Doc::of("Members", "Update, block or unblock a member")
    .body::<ChangeMember>(r#"{"name": "Siti R.", "state": "blocked"}"#)
    .answers::<MemberView>(MEMBER)
    .refuses(&[Code::Duplicate, Code::InvalidState]);
pub const ERASE: Doc = Doc::of("Members", "Erase a member's personal data")
    .optional_body::<EmptyBody>("{}")
    .answers::<MemberView>(MEMBER)
    .refuses(&[Code::InvalidState]);

/// `POST /api/members`
pub async fn create(request: Request) -> Answered {
    let command: NewMember = request.json()?;
    let store = &request.state.store;
    // Somebody whom head office knows by one of these is not registered twice.
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
    Ok(view(member, account.map_or(0, |account| account.balance())))
}
