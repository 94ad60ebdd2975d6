//! The state of the connection to the hub, for open pages.

use super::StoreHandle;
use crate::hub::sync_state::Link;
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

/// Follows the state of the connection.
pub struct LinkWatch {
    link: watch::Receiver<Link>,
    sent: Option<LinkEvent>,
}

/// State of the connection to head office.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkEvent {
    /// State of the connection.
    #[schemars(extend("enum" = ["online", "offline", "backing_off", "rejected", "not_configured"]))]
    state: &'static str,
    /// Only for managers.
    #[serde(flatten)]
    details: Option<LinkDetails>,
}

/// Figures of the connection that only managers see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct LinkDetails {
    /// Error of the last attempt. Null if it succeeded, or if none was made yet. Omitted for other roles than managers.
    last_error: Option<String>,
    /// When the hub last answered. Null if it has not answered since the daemon started. Omitted as `last_error` is.
    last_success_at: Option<UtcMs>,
    /// When the next attempt is made. Null if none is waiting. Omitted as `last_error` is.
    next_attempt_at: Option<UtcMs>,
    /// Whether this copy of the store may not send, because another copy does. Omitted as `last_error` is.
    fenced: bool,
}

impl StoreHandle {
    pub fn watch_link(&self) -> LinkWatch {
        LinkWatch { link: self.context.sync.watch(), sent: None }
    }
}

impl LinkWatch {
    /// Returns the present state at the first call, and then each visible change: another state or problem.
    pub async fn next(&mut self) -> LinkEvent {
        loop {
            let now = LinkEvent::of(&self.link.borrow_and_update());
            if self.sent.as_ref().is_none_or(|sent| sent.shown() != now.shown()) {
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

impl LinkEvent {
    fn of(link: &Link) -> Self {
        let details = LinkDetails {
            last_error: link.last_error.clone(),
            last_success_at: link.last_success_at,
            next_attempt_at: link.next_attempt_at,
            fenced: link.fenced_at.is_some(),
        };
        Self { state: link.state.name(), details: Some(details) }
    }

    /// The event as a till may see it: whether head office can be reached, but not the reason.
    #[must_use]
    pub fn of_till(&self) -> Self {
        Self { state: self.state, details: None }
    }

    /// The fields whose change is an event.
    fn shown(&self) -> (&str, Option<(Option<&str>, bool)>) {
        let details = self.details.as_ref();
        (self.state, details.map(|details| (details.last_error.as_deref(), details.fenced)))
    }
}
