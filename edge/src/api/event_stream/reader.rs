//! One reader of a stream: its next notices, how it learns that it missed some, and why its stream ends.

use super::buffer::{EventBuffer, Missed};
use super::{Disconnected, StreamWriter, event};
use crate::api::error::ApiError;
use crate::clock;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// Reason why a stream ends.
#[derive(Debug)]
pub enum End {
    /// The client has closed the connection.
    Disconnected,
    /// The stream ends with an error that is sent to the reader.
    Reported(ApiError),
}

impl From<Disconnected> for End {
    fn from(_: Disconnected) -> Self {
        Self::Disconnected
    }
}

impl From<ApiError> for End {
    fn from(error: ApiError) -> Self {
        Self::Reported(error)
    }
}

/// Data of `reload`: read all lists again.
#[derive(Debug, JsonSchema)]
pub struct ReloadEvent {}

/// Data of `end`: why the stream ends.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndEvent<'a> {
    /// Code of the error, for example `token_expired`.
    code: &'a str,
    /// Message for people.
    message: &'a str,
}

/// A reader and how far it is.
#[derive(Debug)]
pub struct Reader {
    /// Writer of the stream.
    pub writer: StreamWriter,
    /// The last commit that it was sent; `None` if it missed some and has to load again.
    pub position: Option<u64>,
}

impl Reader {
    /// Position with which the reader comes back. `None` if there is none yet.
    pub fn place(&self) -> Option<String> {
        self.position.map(|position| position.to_string())
    }

    /// The next commits; `None` if there is nothing new. A reader for whom some of them are no longer kept is asked to
    /// load again, and continues from here.
    ///
    /// # Errors
    /// [`Disconnected`].
    pub async fn next<T>(
        &mut self,
        buffer: &EventBuffer<T>,
    ) -> Result<Option<Vec<(u64, Arc<T>)>>, Disconnected> {
        let missed = || Err(Missed(buffer.head()));
        match self.position.map_or_else(missed, |position| buffer.after(position)) {
            Ok(chunk) => Ok(Some(chunk).filter(|chunk| !chunk.is_empty())),
            Err(Missed(head)) => {
                self.position = Some(head);
                self.writer.send(event("reload", &json!({}), Some(&head.to_string()))).await?;
                Ok(Some(Vec::new()))
            }
        }
    }
}

/// Runs `telling` until it ends, the token expires (`expires_at`: seconds since 1970) or `stopping` resolves, and sends
/// the reason in an event `end`.
pub async fn until_end(
    writer: &StreamWriter,
    expires_at: i64,
    stopping: impl Future<Output = ()>,
    telling: impl Future<Output = Result<Infallible, End>>,
) {
    let left_ms = expires_at.saturating_mul(1_000).saturating_sub(clock::now().0);
    let expired = tokio::time::sleep(Duration::from_millis(u64::try_from(left_ms).unwrap_or_default()));
    let end = tokio::select! {
        biased;
        () = stopping => End::Reported(ApiError::unavailable("the daemon is stopping", 1)),
        () = expired => End::Reported(ApiError::token_expired()),
        Err(end) = telling => end,
    };
    if let End::Reported(error) = end {
        let data = EndEvent { code: error.code.name(), message: &error.message };
        let data = serde_json::to_value(&data).unwrap_or_default();
        // A reader too slow for this sees that the stream ended.
        let _ = writer.try_send(event("end", &data, None));
    }
}
