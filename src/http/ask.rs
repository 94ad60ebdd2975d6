//! A request as the actors see it: who, from which till, under which key.

use super::{Answered, Request, failure::failed};
use ::actors::{Ask, Done, Failure, RequestKey};
use edge::{ApiError, Reply};
use serde_json::Value;

/// Who asks. Key and body are fingerprinted: neither is stored in the clear.
pub fn ask(request: &Request) -> Result<Ask, ApiError> {
    ask_for(request, &request.body)
}

/// The same for a body with secrets: of the fields of these names only the presence counts, because a
/// password could be guessed from a fingerprint far faster than from its hash.
pub fn ask_without(request: &Request, secrets: &[&str]) -> Result<Ask, ApiError> {
    let mut body: Value = request.json()?;
    for secret in secrets {
        if let Some(value) = body.get_mut(*secret).filter(|value| !value.is_null()) {
            *value = Value::Bool(true);
        }
    }
    ask_for(request, body.to_string().as_bytes())
}

fn ask_for(request: &Request, body: &[u8]) -> Result<Ask, ApiError> {
    let caller = request.caller()?.clone();
    let storage = request.state.store.storage();
    let key = request.idempotency_key.as_ref().map(|key| RequestKey {
        key: storage.fingerprint(&[
            caller.user_id.as_str().as_bytes(),
            request.method.as_str().as_bytes(),
            request.path.as_bytes(),
            key.as_bytes(),
        ]),
        body: storage.fingerprint(&[body]),
    });
    Ok(Ask { caller, approver: None, register_id: request.register_id.clone(), key })
}

/// A command's end as an answer.
pub fn answered(result: Result<Done, Failure>) -> Answered {
    let Done { answer, replayed } = result.map_err(failed)?;
    Ok(Reply::Answer { answer, replayed })
}
