//! Assembly: starts storage, actors and HTTP, and stops them in order.
//!
//! Shutdown: stop accepting → finish running requests → stop the actors → write the submissions and close.

use crate::config::Config;
use crate::config::load::Loaded;
use crate::control::{self, ControlService, socket};
use crate::exit::{BUDGET, DISK, Exit, FAILED, USAGE};
use crate::http::AppState;
use crate::http::ROUTES;
use crate::http::operation::admin::Admin;
use crate::http::operation::events;
use crate::printing::Printers;
use crate::upkeep::{Upkeep, drill};
use crate::{confirmed_time, folder, start};
use actors::Supervision;
use anyhow::Context;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use edge::Limits;
use edge::clock::MonotonicWallClock;
use edge::identity::Identity;
use edge::identity::limiter::LoginLimiter;
use edge::identity::refusals::Refusals;
use edge::identity::saved_state;
use edge::passwords::Passwords;
use edge::server::sighup::reload_on_sighup;
use edge::server::tls::Tls;
use edge::server::{Drained, ListenerConfig, RouteError};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use storage::{Storage, StorageError};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub mod notify;
pub mod signals;

/// Time that the shutdown may wait for the disk: less than a service manager waits for it.
const CLOSE_DEADLINE: Duration = Duration::from_secs(20);
/// Time that the files of [`saved_state`] and [`confirmed_time`] may take.
const SAVE_DEADLINE: Duration = Duration::from_secs(5);

/// A store that was opened and does not serve yet.
pub struct App {
    storage: Storage,
    supervision: Supervision,
    shop: Arc<AppState>,
    service: Arc<ControlService>,
    folder: PathBuf,
    limits: Limits,
    tls: Option<Arc<Tls>>,
}

/// Reason why serving ends.
enum End {
    /// The program was asked to stop.
    Requested,
    /// An actor failed more often than its restart budget allows.
    BudgetSpent,
    /// The disk failed.
    StorageFailed(StorageError),
    /// The HTTP server ended by itself.
    ServerEnded,
}

impl App {
    /// Opens the data folder, checks its contents and starts the actors.
    ///
    /// # Errors
    /// Exit codes 2 (settings), 73 (folder in use), 74 (disk or damage), else 1.
    pub async fn open(loaded: &Loaded) -> anyhow::Result<Self> {
        let config = &loaded.config;
        let tls = config.http.tls().map_err(|error| Exit::new(USAGE, error.to_string()))?;
        let storage = notify::while_opening(open_storage(config)).await?;
        start::check(config, &start::Standing::of(&storage)?)?;
        let identity = identity(config, &storage)?;
        let (store, supervision) = start::serving(config, storage.clone()).await?;
        start::keep_terms(config, &store).await;
        let upkeep = Upkeep::new(storage.clone());
        let service = Arc::new(ControlService::beside(store.clone(), upkeep.clone()));
        let admin = Admin::new(loaded, upkeep);
        let run = u64::try_from(edge::clock::now().0).unwrap_or_default();
        let printers = Printers::begin(&config.printing, run).context("printers")?;
        let paper = (config.store.money(), config.printing.language);
        let shop = Arc::new(AppState::new(store, identity, admin, paper, printers));
        let folder = config.storage.path.clone();
        Ok(Self { storage, supervision, shop, service, folder, limits: config.http.limits(), tls })
    }

    /// The store's storage, for metrics.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Serves until `shutdown` resolves, then drains; or until it can't continue.
    ///
    /// # Errors
    /// Exit codes 70 (restart budget spent), 74 (storage failed: no request was answered), else 1.
    pub async fn run(self, listener: TcpListener, shutdown: impl Future<Output = ()>) -> anyhow::Result<()> {
        let (stop, stopped) = watch::channel(false);
        let address = listener.local_addr()?;
        let listener_config = ListenerConfig { listener, tls: self.tls.clone(), limits: self.limits.clone() };
        let control = socket::bind(&self.folder).and_then(UnixListener::from_std);
        let control = control.with_context(|| format!("{}", self.folder.join(socket::NAME).display()))?;
        let control =
            tokio::spawn(control::server::run(control, Arc::clone(&self.service), stop.subscribe()));
        // A client that gets an answer over HTTP finds the control socket there.
        let mut server = tokio::spawn(serve(listener_config, Arc::clone(&self.shop), stopped));
        let hangups = tokio::spawn(reload_on_sighup(self.tls.clone(), Arc::clone(&self.shop)));
        let keeping = tokio::spawn(saved_state::keep(Arc::clone(&self.shop), self.folder.clone()));
        let timing = tokio::spawn(confirmed_time::keep(self.shop.store.clone(), self.folder.clone()));
        let condition = drill::report(self.shop.store.clone(), self.shop.admin.backups.clone());
        let condition = tokio::spawn(condition);
        let notices = tokio::spawn(events::tell(Arc::clone(&self.shop)));
        let pings = tokio::spawn(notify::watchdog(self.shop.store.clone()));
        tracing::info!(%address, store_id = %self.storage.store_id(), "serving");
        notify::ready(&format!("serving on {address}"));
        let end = tokio::select! {
            // A failed disk stops actors too: the cause is reported.
            biased;
            error = self.storage.failed() => End::StorageFailed(error),
            () = self.supervision.failed() => End::BudgetSpent,
            () = shutdown => End::Requested,
            _ = &mut server => End::ServerEnded,
        };
        self.shop.drain();
        notify::stopping();
        stop.send_replace(true);
        let shop = Arc::clone(&self.shop);
        let folder = self.folder.clone();
        stop_commands(&end, control).await;
        let done = self.stop(end, server).await;
        if let Err(error) = socket::remove(&folder) {
            tracing::warn!(%error, "the control socket could not be removed");
        }
        condition.abort();
        keeping.abort();
        timing.abort();
        let saving = async {
            saved_state::save(&*shop, &folder).await;
            confirmed_time::save(&shop.store, &folder).await;
        };
        if timeout(SAVE_DEADLINE, saving).await.is_err() {
            tracing::warn!(
                "the disk does not answer: recent failed log-ins and the latest known time are lost"
            );
        }
        pings.abort();
        notices.abort();
        hangups.abort();
        done
    }

    /// Ends the server, the actors and the storage in the order that the reason requires.
    async fn stop(self, end: End, server: Server) -> anyhow::Result<()> {
        match end {
            End::Requested => {
                tracing::info!("stopping: requests in progress are finished first");
                let drained = server.await.context("the HTTP server panicked")??;
                if drained.cut > 0 {
                    tracing::warn!(
                        connections = drained.cut,
                        "connections were closed at the end of the drain time"
                    );
                }
                saved_state::write_pending_refusals(&*self.shop).await;
                self.supervision.stop().await;
                close(self.storage).await
            }
            End::BudgetSpent => {
                // No actor is left to answer requests in flight; submissions are still written.
                server.abort();
                self.supervision.stop().await;
                close(self.storage).await?;
                Err(Exit::new(BUDGET, "the restart budget is spent").into())
            }
            End::StorageFailed(error) => {
                // No request may be answered any more: a restart reads the true state from the disk.
                server.abort();
                Err(Exit::new(DISK, error.to_string()).into())
            }
            End::ServerEnded => {
                self.supervision.stop().await;
                close(self.storage).await?;
                Err(Exit::new(FAILED, "the HTTP server ended by itself").into())
            }
        }
    }
}

type Server = JoinHandle<Result<Drained, RouteError>>;

/// Stops the control socket, before the actors that its commands need. Waits for running commands if they can still be
/// answered.
async fn stop_commands(end: &End, control: JoinHandle<()>) {
    match end {
        End::StorageFailed(_) | End::BudgetSpent => control.abort(),
        End::Requested | End::ServerEnded => {
            // It has a deadline of its own.
            if control.await.is_err() {
                tracing::error!("the control socket's server panicked");
            }
        }
    }
}

async fn serve(
    listener_config: ListenerConfig,
    shop: Arc<AppState>,
    mut stopped: watch::Receiver<bool>,
) -> Result<Drained, RouteError> {
    let until = async move {
        // A closed channel means the same: the sender of the stop signal is gone.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    edge::server::run(listener_config, ROUTES, shop, until).await
}

/// Opens the storage on a thread of its own, because checking the journal reads files.
async fn open_storage(config: &Config) -> anyhow::Result<Storage> {
    let config = config.clone();
    tokio::task::spawn_blocking(move || folder::open(&config)).await.context("opening storage panicked")?
}

async fn close(storage: Storage) -> anyhow::Result<()> {
    let closing = tokio::task::spawn_blocking(move || folder::close(storage));
    let late = |_| Exit::new(DISK, "the disk does not answer: the last writes may be lost");
    timeout(CLOSE_DEADLINE, closing).await.map_err(late)?.context("closing storage panicked")?
}

/// Keys, hashes and ceremonies, with the saved counts of failed log-ins and the latest time of the clock.
fn identity(config: &Config, storage: &Storage) -> anyhow::Result<Identity> {
    let (keys, passkeys) = start::signing(config)?;
    let session_lifetime = config.auth.refresh_ttl.duration();
    let limiter = LoginLimiter::default();
    saved_state::load(&limiter, &config.storage.path);
    let journal = storage.sync().last_hlc().as_deref().and_then(hlc::parts).map(|(ms, _)| UtcMs(ms));
    let clock = MonotonicWallClock::after(saved_state::latest(&config.storage.path).max(journal));
    let passwords = Passwords::new(config.auth.argon2.params()?);
    let refusals = Refusals::default();
    Ok(Identity { keys, passwords, limiter, refusals, passkeys, session_lifetime, clock })
}

#[cfg(test)]
mod tests;
