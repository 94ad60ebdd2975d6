//! A request as the actors see it: who, from which till, under which key.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::failed;
use ::actors::{Dispatch, Done, Failure, RequestContext, RequestKey};
use domain::model::base::command_print::CommandPrint;
use edge::{ApiError, Reply};

/// Context of the request. Key, body and query are fingerprinted: none is stored in plain text.
pub fn ask(request: &Request) -> Result<RequestContext, ApiError> {
    ask_for(request, &request.body)
}

/// As [`ask`], with `body` in place of the request's whole body.
pub fn ask_for(request: &Request, body: &[u8]) -> Result<RequestContext, ApiError> {
    let caller = request.shared_caller()?;
    // A cashier's till is the one of the open shift; a manager without a till may enable it again.
    let user = (!caller.role.manages()).then_some(&caller.user_id);
    request.state.store.check_register(request.register_id.as_ref(), user).map_err(failed)?;
    let storage = request.state.store.storage();
    let key = request.idempotency_key.as_ref().map(|key| RequestKey {
        key: storage.fingerprint(&[
            caller.user_id.as_str().as_bytes(),
            request.method.as_str().as_bytes(),
            request.path.as_bytes(),
            key.as_bytes(),
        ]),
        command: CommandPrint::of(body, &request.query, |parts| storage.fingerprint(parts)),
    });
    Ok(RequestContext { caller, approver: None, register_id: request.register_id.clone(), key })
}

/// Runs a command for the caller.
pub async fn run<C: Dispatch>(request: &Request, command: C) -> Answered {
    answered(request.state.store.run(ask(request)?, command).await)
}

/// A command's end as an answer.
pub fn answered(result: Result<Done, Failure>) -> Answered {
    let Done { answer, replayed } = result.map_err(failed)?;
    Ok(Reply::Answer { answer, replayed })
}
