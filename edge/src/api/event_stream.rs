//! Answers without an end: the producer sends them part by part, and is notified when the client is gone.

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde_json::Value;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::mpsc;

mod buffer;
mod places;
mod reader;

pub use buffer::{EventBuffer, Missed};
pub use places::{StreamPermit, Streams};
pub use reader::{End, EndEvent, Reader, ReloadEvent, until_end};

/// Content type of an event stream.
pub const EVENTS: &str = "text/event-stream";
/// A stream on which nothing happens shows that it is alive this often; rights are looked at again too.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// Parts that wait for a slow reader; then it falls behind, and further behind than the buffer it reloads.
pub const PARTS_MAX: usize = 16;

/// The writing end of a streamed answer. Dropped, with its copies, the answer ends.
#[derive(Debug, Clone)]
pub struct StreamWriter(mpsc::Sender<Bytes>);

/// Receiving end of the channel.
#[derive(Debug)]
pub struct Parts(mpsc::Receiver<Bytes>);

/// The client is gone, or did not read for `write_timeout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nobody reads the stream any more")]
pub struct Disconnected;

/// A writing end and its reading end. At most `parts_max` parts wait for a slow reader; then writing waits, and the
/// writer has to report what the reader missed.
pub fn channel(parts_max: usize) -> (StreamWriter, Parts) {
    let (sender, receiver) = mpsc::channel(parts_max.max(1));
    (StreamWriter(sender), Parts(receiver))
}

impl StreamWriter {
    /// Sends a part, as soon as there is room for it.
    ///
    /// # Errors
    /// [`Disconnected`].
    pub async fn send(&self, part: impl Into<Bytes>) -> Result<(), Disconnected> {
        self.0.send(part.into()).await.map_err(|_| Disconnected)
    }

    /// Sends a part if there is room for it now.
    ///
    /// # Errors
    /// [`Disconnected`]: also when there is no room.
    pub fn try_send(&self, part: impl Into<Bytes>) -> Result<(), Disconnected> {
        self.0.try_send(part.into()).map_err(|_| Disconnected)
    }

    /// Resolves when there is no reader any more.
    pub async fn gone(&self) {
        self.0.closed().await;
    }
}

impl Parts {
    pub(crate) fn stream(mut self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + Sync + 'static {
        stream::poll_fn(move |cx| self.0.poll_recv(cx).map(|part| part.map(Ok)))
    }
}

/// A server-sent event: a name, the JSON of its data, and the ID that a reader comes back with.
pub fn event(name: &str, data: &Value, id: Option<&str>) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    // JSON text is one line: line breaks are escaped in it.
    format!("{id}event: {name}\ndata: {data}\n\n")
}

/// A comment, which keeps the connection alive; with an ID, the reader's place moves on.
pub fn heartbeat(id: Option<&str>) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!(": heartbeat\n{id}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_one_line_of_data_each() {
        let text = event("stock", &json!({"name": "a\nb"}), Some("17"));
        assert_eq!(text, "id: 17\nevent: stock\ndata: {\"name\":\"a\\nb\"}\n\n");
        assert_eq!(heartbeat(None), ": heartbeat\n\n");
    }

    #[tokio::test]
    async fn a_writer_learns_that_nobody_reads() {
        let (writer, parts) = channel(1);
        assert_eq!(writer.send("a").await, Ok(()));
        drop(parts);
        writer.gone().await;
        assert_eq!(writer.send("b").await, Err(Disconnected));
    }
}
