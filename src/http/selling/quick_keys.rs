//! Quick keys of a till: each sells one product, usually one without a barcode.

use crate::http::Answered;
use crate::http::Request;
use crate::http::ask::{answered, ask};
use crate::http::failure::failed;
use ::actors::commands;
use domain::model::base::ids::RegisterId;
use domain::rules::books::register::{QuickKeysView, SetQuickKeys};
use edge::{Code, Doc, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

const KEYS: &str = r#"{"register_id": "till-1", "limit": 24, "items": [{"sku": "8990006", "label": "Bag", "name": "Paper bag, small", "price": 500, "state": "active"}]}"#;

pub const READ: Doc = Doc::of(
    "Point of sale",
    "Retrieve a register's quick keys with current prices; empty if the register has none and each device uses its own",
)
.query::<RegisterQuery>()
.answers::<QuickKeysView>(KEYS)
.refuses(&[Code::NotFound]);
pub const SET: Doc = Doc::of("Point of sale", "Replace a register's quick keys, in display order")
    .query::<RegisterQuery>()
    .body::<SetQuickKeys>(r#"{"items": [{"sku": "8990006", "label": "Bag"}, {"sku": "8990011"}]}"#)
    .answers::<QuickKeysView>(KEYS)
    .refuses(&[Code::NotFound, Code::UnknownSku]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RegisterQuery {
    /// Register of the keys.
    register_id: RegisterId,
}

/// `GET /api/pos/quick-keys`
pub async fn read(request: Request) -> Answered {
    let RegisterQuery { register_id } = request.query()?;
    Ok(Reply::ok(&request.state.store.quick_keys(&register_id).map_err(failed)?))
}

/// `PUT /api/pos/quick-keys`
pub async fn set(request: Request) -> Answered {
    let command: SetQuickKeys = request.json()?;
    let RegisterQuery { register_id } = request.query()?;
    let context = ask(&request)?;
    answered(request.state.store.run(context, commands::SetQuickKeys(register_id, command)).await)
}
