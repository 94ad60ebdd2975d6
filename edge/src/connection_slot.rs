//! The slot of one open connection, shared by the gate of the server and the requests of the connection.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;

/// One of the connections that the server has room for.
#[derive(Default)]
pub struct ConnectionSlot {
    busy: AtomicBool,
    evicted: Notify,
}

/// While it lives, the connection is not idle.
pub struct Busy(Arc<ConnectionSlot>);

impl ConnectionSlot {
    /// A whole request came: until it is answered the connection is not idle.
    pub fn work(self: &Arc<Self>) -> Busy {
        self.busy.store(true, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// Whether no request of the connection is being answered.
    pub fn is_idle(&self) -> bool {
        !self.busy.load(Ordering::Relaxed)
    }

    /// Gives the slot to another connection; [`evicted`](Self::evicted) resolves.
    pub fn evict(&self) {
        self.evicted.notify_one();
    }

    /// Resolves when the slot was given to another connection.
    pub async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Relaxed);
    }
}
