//! The state of the connection to the hub, for open pages.

use super::StoreHandle;
use crate::hub::sync_state::Link;
use serde_json::{Value, json};
use tokio::sync::watch;

/// Follows the state of the connection.
pub struct LinkWatch {
    link: watch::Receiver<Link>,
    sent: Option<Value>,
}

impl StoreHandle {
    pub fn watch_link(&self) -> LinkWatch {
        LinkWatch { link: self.context.sync.watch(), sent: None }
    }
}

impl LinkWatch {
    /// Returns the present state at the first call, and then each visible change: another state or problem.
    pub async fn next(&mut self) -> Value {
        loop {
            let now = view(&self.link.borrow_and_update());
            let news = self.sent.as_ref().is_none_or(|sent| {
                ["state", "last_error", "fenced"].iter().any(|name| sent.get(name) != now.get(name))
            });
            if news {
                self.sent = Some(now.clone());
                return now;
            }
            if self.link.changed().await.is_err() {
                // The actors have ended: nothing changes any more.
                std::future::pending::<()>().await;
            }
        }
    }
}

fn view(link: &Link) -> Value {
    json!({
        "state": link.state.name(),
        "last_error": link.last_error,
        "last_success_at": link.last_success_at,
        "next_attempt_at": link.next_attempt_at,
        "fenced": link.fenced_at.is_some(),
    })
}
