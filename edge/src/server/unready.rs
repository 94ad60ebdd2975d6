//! The answers of a program that can't work yet.

use crate::api::error::ApiError;
use crate::api::reply::respond;
use crate::api::router::ConnectionInfo;
use http::{HeaderValue, header};
use tokio::sync::watch;
use warp::{Filter, Rejection, reply::Response};

/// `Retry-After`, in seconds.
const RETRY_S: u64 = 5;

/// The filter: it refuses every request, and below `/health` gives the reason.
pub fn filter(
    reason: watch::Receiver<String>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
    warp::ext::get::<ConnectionInfo>().map(move |info: ConnectionInfo| {
        let message = if info.uri.path().starts_with("/health") {
            reason.borrow().clone()
        } else {
            "the server is not ready yet".to_owned()
        };
        let mut response = respond(Err(ApiError::unavailable(message, RETRY_S)), &info.request_id);
        // A body is not read, so the connection can't carry another request.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    })
}
