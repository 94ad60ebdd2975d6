//! Approvals at the till (api.md 3): taken out of the body, checked, and good for that one command.

use super::ask::ask_without;
use super::failure::stored;
use super::{Request, Shop};
use actors::Ask;
use domain::ids::SessionId;
use domain::user::{Caller, User};
use edge::{ApiError, clock};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::marker::PhantomData;

/// The field of a body that holds an approval.
const APPROVAL: &str = "approval";

/// A manager's word, given at the till for this one command.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The manager's login name.
    username: String,
    /// The manager's password.
    password: String,
}

/// The part of a body that is not the command.
#[derive(Deserialize)]
struct Given {
    approval: Approval,
}

/// A command with its approval, for the document: the command's own fields and `approval`, no others.
pub struct Approved<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Approved<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Approved{}", T::schema_name()).into()
    }

    // A derived flatten would be closed to `approval`: the command allows no fields but its own.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let approval = generator.subschema_for::<Option<Approval>>();
        let mut schema = T::json_schema(generator);
        let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert(APPROVAL.to_owned(), approval.to_value());
        }
        schema
    }
}

/// The command in the body, and who asks for it with whose approval.
pub async fn approved<T: DeserializeOwned>(request: &Request) -> Result<(T, Ask), ApiError> {
    let mut body: Value = request.json()?;
    let approval =
        body.as_object_mut().and_then(|fields| fields.remove(APPROVAL)).filter(|value| !value.is_null());
    let command = edge::parse_json(body.to_string().as_bytes())?;
    let mut ask = ask_without(request, &[APPROVAL])?;
    if let Some(approval) = approval {
        let given = json!({ APPROVAL: approval }).to_string();
        let given: Given = edge::parse_json(given.as_bytes())?;
        ask.approver = Some(approver(&request.state, given.approval, request).await?);
    }
    Ok((command, ask))
}

/// The person whose password this is: counted and slowed down like a log-in.
async fn approver(shop: &Shop, approval: Approval, request: &Request) -> Result<Caller, ApiError> {
    let name = approval.username.trim().to_lowercase();
    let address = request.peer.ip();
    let subject = shop.subject(&name);
    shop.limiter.attempt(&subject, address, clock::now())?;
    let user = shop.store.storage().user_by_name(&name).map_err(stored)?;
    let hash = user.as_ref().and_then(|user| user.password_hash.clone());
    let right = match hash {
        Some(hash) => shop.passwords.verify(approval.password, hash).await?,
        None => {
            shop.passwords.verify_dummy(approval.password).await?;
            false
        }
    };
    let user = user.filter(|_| right).ok_or_else(ApiError::invalid_credentials)?;
    if user.disabled {
        return Err(ApiError::account_disabled());
    }
    shop.limiter.succeeded(&subject, address);
    Ok(as_caller(user))
}

/// An approver has no session: nothing but this command is done in the name.
fn as_caller(user: User) -> Caller {
    let User { user_id, name, role, store_id, .. } = user;
    Caller { user_id, name, role, store_id, session_id: SessionId::default() }
}
