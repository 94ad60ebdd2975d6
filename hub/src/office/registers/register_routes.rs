//! Tills of stores, listed and changed.

use crate::http::bound_page::{after, cut};
use crate::http::change::{self, begun, one_more};
use crate::http::{Answered, Request};
use crate::office::registers::register::{self, RegistersQuery, View};
use domain::model::base::answer::Answer;
use domain::rules::books::register::ChangeRegister;
use edge::{Doc, Reply, clock};
use serde_json::json;

const REGISTER: &str = r#"{"store_id": "S001", "register_id": "till-1", "name": "Front", "state": "active"}"#;

pub const LIST: Doc = Doc::of("Stores", "List registers that have sold, or that head office has named")
    .query::<RegistersQuery>()
    .lists::<View>(REGISTER);
pub const CHANGE: Doc = Doc::of(
    "Stores",
    "Rename, enable or disable a store's register; the store applies the change when it is notified",
)
.body::<ChangeRegister>(r#"{"name": "Front", "state": "disabled"}"#)
.answers::<View>(REGISTER);

/// `GET /api/registers`
pub async fn list(request: Request) -> Answered {
    let ask: RegistersQuery = request.query()?;
    let items = register::list(request.state.db.pool(), &ask, after(&ask)?, one_more(ask.limit)).await?;
    Ok(Reply::ok(&cut(&ask, items, |item| (item.store_id.clone(), item.register_id.clone()))))
}

/// `PATCH /api/registers/:store_id/:register_id`
pub async fn change(request: Request) -> Answered {
    let asked: ChangeRegister = request.json()?;
    let now = clock::now();
    let mut keyed = begun!(request, now);
    let (store_id, register_id) = (request.param("store_id"), request.param("register_id"));
    let changed = register::change(&mut keyed.write, (store_id, register_id), &asked, now).await?;
    let details = json!({"store_id": store_id, "register_id": register_id, "name": changed.name,
        "state": changed.state});
    change::finish_audited(&request, keyed, ("register.changed", details), Answer::ok(&changed)).await
}
