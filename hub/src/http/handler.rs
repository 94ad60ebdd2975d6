//! Parts of every handler: access, the effect of a change, the answer.

use crate::db::again::Again;
use crate::db::failure::Failure;
use crate::state::hub::Hub;
use edge::{ApiError, Reply, figures};
use std::future::Future;

/// Request that a handler receives.
pub type Request = edge::Request<Hub>;
/// Result that a handler returns.
pub type Answered = Result<Reply, Failure>;

/// Answer of a handler. A transaction that the database took back because of others is repeated as a whole.
///
/// # Errors
/// The handler's; 503 where others were in the way each time. A figure above the largest is null.
pub async fn answered<F>(request: Request, handler: impl Fn(Request) -> F + Send) -> Result<Reply, ApiError>
where
    F: Future<Output = Answered> + Send,
{
    let mut again = Again::default();
    loop {
        match handler(request.clone()).await {
            Err(failure) if again.after(&failure).await => {}
            answer => {
                return answer.map_err(ApiError::from).map(|reply| figures::hidden(&request.path, reply));
            }
        }
    }
}
