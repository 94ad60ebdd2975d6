//! Holds: baskets that wait.

use crate::http::Answered;
use crate::http::Request;
use crate::http::access::approval::{Approved, approved};
use crate::http::ask::{answered, run};
use crate::http::failure::{failed, stored};
use ::actors::commands;
use domain::model::base::ids::{HoldId, RegisterId};
use domain::model::selling::hold::Hold;
use domain::rules::selling::hold::{HoldSale, RecallHold, RecalledView};
use edge::page::{Cursor, Limit, List};
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

const HOLD: &str = include_str!("examples/hold.json");

pub const CREATE: Doc = Doc::of("Holds", "Hold a basket: an open transaction, or a new one")
    .body::<Approved<HoldSale>>(
        r#"{"transaction_id": "trx_019aa0c2d0f37c0f8a8a5d3c54a1b2c3", "note": "fetches the wallet"}"#,
    )
    .creates::<Hold>(HOLD)
    .refuses(&[Code::NotFound, Code::InvalidState, Code::NoOpenShift, Code::UnknownSku, Code::UnknownMember]);
pub const LIST: Doc =
    Doc::of("Holds", "List held baskets, oldest first").query::<Query>().lists::<Hold>(HOLD);
pub const READ: Doc =
    Doc::of("Holds", "Retrieve a held basket, also after it was recalled or expired").answers::<Hold>(HOLD);
pub const RECALL: Doc = Doc::of("Holds", "Recall a held basket into your own shift; it is priced again")
    .optional_body::<RecallHold>("{}")
    .answers::<RecalledView>(include_str!("examples/recalled.json"))
    .refuses(&[Code::InvalidState, Code::NoOpenShift]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Only holds of this register.
    register_id: Option<RegisterId>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

/// `POST /api/pos/holds`
pub async fn create(request: Request) -> Answered {
    let (command, ask) = approved::<HoldSale>(&request).await?;
    answered(request.state.store.run(ask, commands::HoldSale(command)).await)
}

/// `GET /api/pos/holds`
pub async fn list(request: Request) -> Answered {
    let query: Query = request.query()?;
    let after = query.cursor.as_ref().map(Cursor::read::<HoldId>).transpose()?;
    let mut holds = request.state.store.storage().sales().holds().map_err(stored)?;
    holds.retain(|hold| {
        query.register_id.as_ref().is_none_or(|register| hold.register_id == *register)
            && after.as_ref().is_none_or(|after| hold.hold_id > *after)
    });
    holds.truncate(query.limit.one_more());
    Ok(Reply::ok(&List::cut(holds, query.limit, |hold| hold.hold_id.clone())))
}

/// `GET /api/pos/holds/:id`
pub async fn read(request: Request) -> Answered {
    let id = HoldId::from(request.param("id"));
    Ok(Reply::ok(&request.state.store.read_hold(&id).map_err(failed)?))
}

/// `POST /api/pos/holds/:id/recall`
pub async fn recall(request: Request) -> Answered {
    let cmd = request.json::<RecallHold>()?;
    let id = HoldId::from(request.param("id"));
    run(&request, commands::Recall(id, cmd)).await
}
