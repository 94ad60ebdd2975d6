//! Whether the peer of a request is still there. A handler runs to its end all the same; one that only waits may
//! stop waiting.

use tokio::sync::watch;

/// Resolves when the peer has hung up.
#[derive(Debug, Clone)]
pub struct HungUp(watch::Receiver<()>);

impl HungUp {
    /// The signal, and the end that the connection holds as long as its peer is there.
    pub(crate) fn new() -> (watch::Sender<()>, Self) {
        let (listens, hung_up) = watch::channel(());
        (listens, Self(hung_up))
    }

    /// Waits until the peer has hung up.
    pub async fn wait(&self) {
        let mut hung_up = self.0.clone();
        // No value is ever sent: it ends when the sender is dropped.
        while hung_up.changed().await.is_ok() {}
    }
}
