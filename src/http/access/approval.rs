//! Approvals at the till (docs/api.md#approvals): taken out of the body, checked, and good for that one command.

use crate::http::Request;
use crate::http::ask::ask;
use crate::http::failure::failed;
use actors::RequestContext;
use domain::model::base::ids::SessionId;
use domain::model::base::limits::{ID_BYTES_MAX, PASSWORD_CHARS_MAX};
use domain::model::people::user::{NAME_BYTES_MAX, Principal, User};
use edge::ApiError;
use edge::identity::approval::{by_passkey, by_password, by_pin};
use edge::identity::passkey_login::Object;
use edge::identity::pin::PinGiven;
use edge::identity::secrets::context_without;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::marker::PhantomData;

/// The field of a body that holds an approval.
const APPROVAL: &str = "approval";

/// Approval by a manager at the till for this one command, by password, by PIN or by device.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Approval {
    /// Approval with the manager's password.
    Password(ByPassword),
    /// Approval with the manager's PIN.
    Pin(PinGiven),
    /// Approval with the manager's registered device.
    Passkey(ByPasskey),
}

/// Approval with the manager's password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByPassword {
    /// Login name of the manager.
    #[schemars(length(min = 1, max = NAME_BYTES_MAX))]
    username: String,
    /// Password of the manager.
    #[schemars(length(min = 1, max = PASSWORD_CHARS_MAX))]
    password: String,
}

/// Approval with a registered device, in a ceremony that the same session started with `POST
/// /api/auth/webauthn/confirm/start`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByPasskey {
    /// ID of the ceremony.
    #[schemars(length(max = ID_BYTES_MAX))]
    ceremony_id: String,
    /// Answer of the device in WebAuthn's JSON form.
    credential: Object,
}

/// The part of a body that is not the command.
#[derive(Deserialize)]
struct Given<T> {
    approval: T,
}

/// A command with its approval, for the document: the command's own fields and `approval`, no others.
pub struct Approved<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Approved<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Request", T::schema_name()).into()
    }

    // A derived flatten would be closed to `approval`: the command allows no fields but its own.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut approval = generator.subschema_for::<Option<Approval>>();
        approval.insert(
            "description".to_owned(),
            "Approval of a manager, for a command that is refused with `approval_required` without one."
                .into(),
        );
        let mut schema = T::json_schema(generator);
        let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.insert(APPROVAL.to_owned(), approval.to_value());
        }
        schema
    }
}

/// The command in the body, and who asks for it with whose approval.
pub async fn approved<T: DeserializeOwned>(request: &Request) -> Result<(T, RequestContext), ApiError> {
    if !may_name_approval(&request.body) {
        return Ok((request.json().map_err(naming_approval)?, ask(request)?));
    }
    let mut body: Value = request.json()?;
    let approval =
        body.as_object_mut().and_then(|fields| fields.remove(APPROVAL)).filter(|value| !value.is_null());
    let command = edge::parse_json(body.to_string().as_bytes()).map_err(naming_approval)?;
    let mut ask = context_without(request, &[APPROVAL])?;
    if let Some(approval) = approval {
        // Boxed: few requests have an approval, and each would carry the room of its future.
        ask.approver = Box::pin(approver(&ask, approval, request)).await?.map(as_caller);
    }
    Ok((command, ask))
}

/// The refusal of an unknown field, with the approval among the known ones: it is a field of the body, but not of the
/// command.
fn naming_approval(error: ApiError) -> ApiError {
    let field = |name: &str| error.details.pointer(&format!("/fields/0/{name}")).and_then(Value::as_str);
    match (field("path"), field("problem")) {
        (Some(path), Some(problem)) if !path.contains('.') && problem.starts_with("is not a known field") => {
            ApiError::field(path, format!("{problem}, {APPROVAL}"))
        }
        _ => error,
    }
}

/// Whether an approval may be in the body, which is then read three times. An escape may spell its name.
fn may_name_approval(body: &[u8]) -> bool {
    body.contains(&b'\\') || body.windows(APPROVAL.len()).any(|part| part == APPROVAL.as_bytes())
}

/// The approver: guesses count against the requester. `None` if the request was answered before with a device: its
/// ceremony is used up, and the stored answer needs no second approval.
async fn approver(
    ask: &RequestContext,
    approval: Value,
    request: &Request,
) -> Result<Option<User>, ApiError> {
    let (shop, requester, address) = (&*request.state, request.caller()?, request.peer.ip());
    if approval.get("till_token").is_some() {
        return by_pin(shop, requester, given(approval)?, address).await.map(Some);
    }
    if approval.get("ceremony_id").is_none() {
        let ByPassword { username, password } = given(approval)?;
        return by_password(shop, requester, &username, password, address).await.map(Some);
    }
    let ByPasskey { ceremony_id, credential: Object(credential) } = given(approval)?;
    // It is not looked up where a stored answer is sent again.
    if ceremony_id.len() > ID_BYTES_MAX {
        let problem = format!("must be at most {ID_BYTES_MAX} bytes");
        return Err(ApiError::field("approval.ceremony_id", problem));
    }
    if shop.store.replayed(ask).map_err(failed)?.is_some() {
        return Ok(None);
    }
    by_passkey(shop, requester, &ceremony_id, credential, address).await.map(Some)
}

/// The approval, its problems named by their path in the body.
fn given<T: DeserializeOwned>(approval: Value) -> Result<T, ApiError> {
    let text = json!({ APPROVAL: approval }).to_string();
    edge::parse_json::<Given<T>>(text.as_bytes()).map(|given| given.approval)
}

/// An approver has no session: nothing but this command is done in the name.
fn as_caller(user: User) -> Principal {
    let User { user_id, name, role, store_id, .. } = user;
    Principal { user_id, name, role, store_id, session_id: SessionId::default() }
}

#[cfg(test)]
mod tests {
    use super::{may_name_approval, naming_approval};
    use edge::ApiError;

    #[test]
    fn the_fields_of_a_command_are_named_with_its_approval() {
        let known = |path, problem| {
            let error = naming_approval(ApiError::field(path, problem));
            error
                .details
                .pointer("/fields/0/problem")
                .and_then(|text| text.as_str())
                .unwrap_or_default()
                .to_owned()
        };
        let problem = "is not a known field; the fields are: reason";
        assert_eq!(known("aproval", problem), "is not a known field; the fields are: reason, approval");
        assert_eq!(known("items[0].x", problem), problem);
        assert_eq!(known("reason", "is missing"), "is missing");
    }

    #[test]
    fn an_approval_is_looked_for_however_its_name_is_spelt() {
        for body in [r#"{"approval":null}"#, r#"{"\u0061pproval":{}}"#, r#"{"note":"an approval"}"#] {
            assert!(may_name_approval(body.as_bytes()), "{body}");
        }
        assert!(!may_name_approval(br#"{"items":[{"sku":"A","qty":1}]}"#));
        assert!(!may_name_approval(b""));
    }
}
