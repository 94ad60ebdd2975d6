//! The running hub: assembly, background work and shutdown.

use crate::config::{Config, Reach};
use crate::db::{self, Db};
use crate::feed::shared::Tails;
use crate::feed::wait::Waits;
use crate::http;
use crate::idempotency::{self, Running};
use crate::identity::Identity;
use crate::ingest;
use crate::marks::{self, Marks};
use crate::member::met;
use crate::secret::Fingerprints;
use crate::store;
use anyhow::{Context, bail};
use domain::hlc::Clock;
use domain::time::UtcMs;
use domain::trusted_time::TrustedTime;
use edge::clock;
use edge::clock::Steady;
use edge::identity::refusals::Refusals;
use edge::limiter::LoginLimiter;
use edge::memory;
use edge::passkeys::Passkeys;
use edge::passwords::{Params, Passwords};
use edge::private;
use edge::server::Entrance;
use edge::tokens::Keys;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

/// How often other processes' changes of the feed are looked for.
const FEED_PERIOD: Duration = Duration::from_millis(500);
/// How often records that wait for others are tried again without being poked.
const RETRY_PERIOD: Duration = Duration::from_secs(60);
/// How often the marks are brought to the disk.
const MARKS_PERIOD: Duration = Duration::from_secs(1);
/// How often it is written down who was heard.
const SEEN_PERIOD: Duration = Duration::from_secs(5);
/// How often stored answers are swept.
const SWEEP_PERIOD: Duration = Duration::from_secs(3600);

/// What handlers share.
pub struct Hub {
    /// The database.
    pub db: Db,
    /// Who this hub is.
    pub identity: Identity,
    /// How far it ever was, outside of the database.
    pub marks: Marks,
    /// Who people are: keys, hashes, ceremonies.
    pub people: edge::identity::Identity,
    /// Where keys and memory lie.
    pub folder: PathBuf,
    /// Ids of sync tokens that were used.
    pub sync_tokens: http::authority::UsedTokens,
    /// Which stores were heard lately.
    pub seen: store::Seen,
    /// Requests with a key that run now.
    pub running: Running,
    /// Under which keys are stored.
    pub fingerprints: Fingerprints,
    /// The hub's hybrid clock.
    pub clock: Mutex<Clock>,
    /// Batches that may be taken in at once.
    pub batches: Semaphore,
    /// Who waits for the feed.
    pub waits: Waits,
    /// What was read of its ends for all who wait.
    pub tails: Tails,
    /// Turns true when the hub stops.
    pub stopping: watch::Sender<bool>,
    /// How long an enrolment token may be used.
    pub enrolment_ttl: Duration,
    /// How long the feed keeps what a later change made void.
    pub feed_retain: Duration,
    /// Which stores are told of a member.
    pub reach: Reach,
    /// Since when this process serves.
    pub started: Instant,
}

/// The folder of the marks, beside the keys.
pub const MARKS: &str = "marks";

/// The file of the key that signs people's tokens.
pub fn token_key(folder: &Path) -> PathBuf {
    folder.join("token.key")
}

/// The file of the key under which idempotency keys are stored.
pub fn fingerprint_key(folder: &Path) -> PathBuf {
    folder.join("idempotency.key")
}

/// Opens the database and brings its tables to this version.
///
/// # Errors
/// It can't be opened, or was never initialised.
pub async fn open_db(config: &Config) -> anyhow::Result<(Db, Identity)> {
    let database = &config.database;
    let hint = "the database can't be opened (has `cloud-hub init` run?)";
    if config.storage.path.exists() {
        private::check_folder(&config.storage.path)?;
    }
    db::files(&database.url).iter().try_for_each(|file| private::check_file(file))?;
    let db = Db::connect(&database.url, database.connections, false).await.context(hint)?;
    db.migrate().await.context("the tables can't be brought to this version")?;
    let Some(identity) = Identity::load(db.pool()).await? else {
        bail!("this hub was never initialised: run `cloud-hub init`");
    };
    if !config.hub.id.is_empty() && config.hub.id != identity.hub_id {
        bail!("hub.id is {}, but the database belongs to {}", config.hub.id, identity.hub_id);
    }
    Ok((db, identity))
}

/// The hub of these settings.
///
/// # Errors
/// As [`open_db`], and keys that are not there or that others may read.
pub async fn open(config: &Config) -> anyhow::Result<Arc<Hub>> {
    let (db, _) = open_db(config).await?;
    let folder = &config.storage.path;
    let path = folder.join(MARKS);
    let (marks, identity) = marks::guard(&path, &db).await.with_context(|| path.display().to_string())?;
    let people = people(config, &identity)?;
    let path = fingerprint_key(folder);
    let fingerprints = Fingerprints::load(&path).with_context(|| path.display().to_string())?;
    let reach = config.members.reach;
    met::widen(&db, reach, clock::now()).await?;
    let waits = Waits::load(db.pool(), reach).await?;
    Ok(Arc::new(Hub {
        db,
        identity,
        marks,
        people,
        folder: folder.clone(),
        sync_tokens: http::authority::UsedTokens::default(),
        seen: store::Seen::default(),
        running: Running::default(),
        fingerprints,
        // A node of its own for each process: no two give one stamp, not even one that starts with its clock set back.
        clock: Mutex::new(Clock::after(&format!("hub-{}", crate::secret::mark()), None)),
        batches: Semaphore::new(config.sync.batches_at_once),
        waits,
        tails: Tails::default(),
        stopping: watch::Sender::new(false),
        enrolment_ttl: config.sync.enrolment_ttl.duration(),
        feed_retain: config.sync.feed_retain.duration(),
        reach,
        started: Instant::now(),
    }))
}

/// Keys, hashes and ceremonies, with what is remembered of wrong log-ins and of how late it has been.
fn people(config: &Config, identity: &Identity) -> anyhow::Result<edge::identity::Identity> {
    let (auth, folder) = (&config.auth, &config.storage.path);
    let (access, refresh) = (auth.access_ttl.duration(), auth.refresh_ttl.duration());
    let issuer = format!("cloud-hub:{}", identity.hub_id);
    let keys = Keys::load(&token_key(folder), issuer)?.with_lifetimes(access, refresh);
    let params = Params::new(auth.argon2.memory_kib, auth.argon2.iterations, auth.argon2.parallelism)?;
    let passkeys = Passkeys::new(&config.http.origin, config.http.listen.port()).context("http.origin")?;
    let limiter = LoginLimiter::default();
    memory::load(&limiter, folder);
    let clock = Steady::after(memory::latest(folder));
    let passwords = Passwords::new(params);
    let (refusals, session_lifetime) = (Refusals::default(), refresh);
    Ok(edge::identity::Identity { keys, passwords, limiter, refusals, passkeys, session_lifetime, clock })
}

/// Where requests come in, as the settings say.
///
/// # Errors
/// A certificate or key that can't be used.
pub fn entrance(config: &Config, listener: TcpListener) -> anyhow::Result<Entrance> {
    Ok(Entrance { listener, tls: config.http.tls()?, limits: config.http.limits() })
}

/// Serves until `shutdown` resolves: no new connections, long polls end, what runs may finish.
///
/// # Errors
/// A table of routes that can't be served; a database that was replaced, so that this process has to start again.
pub async fn serve(
    hub: Arc<Hub>,
    entrance: Entrance,
    shutdown: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let mut background = tokio::spawn(background(Arc::clone(&hub)));
    let looking = background.abort_handle();
    let compacting = tokio::spawn(crate::feed::compact::forever(Arc::clone(&hub)));
    let remembering = tokio::spawn(memory::keep(Arc::clone(&hub), hub.folder.clone()));
    let hangups = tokio::spawn(edge::hangup::follow(entrance.tls.clone(), Arc::clone(&hub)));
    let stopping = hub.stopping.clone();
    let told = async move {
        tokio::select! {
            () = shutdown => {}
            _ = &mut background => {}
        }
        stopping.send_replace(true);
    };
    let drained = edge::server::run(entrance, http::ROUTES, Arc::clone(&hub), told).await?;
    if drained.cut > 0 {
        tracing::warn!(cut = drained.cut, "connections were cut at the end of the drain");
    }
    let replaced = looking.is_finished();
    looking.abort();
    compacting.abort();
    remembering.abort();
    memory::write_down_the_rest(&*hub).await;
    memory::save(&*hub, &hub.folder).await;
    hangups.abort();
    hub.db.close().await;
    if replaced {
        bail!("the database was replaced: this hub has to start again");
    }
    Ok(())
}

/// Whether the database is of another generation than this process: it was restored, and another process has
/// found out.
async fn replaced(hub: &Hub) -> bool {
    match Identity::load(hub.db.pool()).await {
        Ok(found) => found.is_some_and(|found| found.generation != hub.identity.generation),
        Err(_) => false,
    }
}

/// Looks for other processes' changes, and sweeps; ends only when the database was replaced.
async fn background(hub: Arc<Hub>) {
    let mut upgraded = false;
    let mut look = tokio::time::interval(FEED_PERIOD);
    let mut sweep = tokio::time::interval(SWEEP_PERIOD);
    let mut seen = tokio::time::interval(SEEN_PERIOD);
    let mut retry = tokio::time::interval(RETRY_PERIOD);
    let mut sync = tokio::time::interval(MARKS_PERIOD);
    // What is swept can't be brought back: a clock that jumps ahead sweeps nothing.
    let mut trusted = TrustedTime::starting_at(UtcMs(0), 0);
    let mut certain = || {
        let passed_ms = i64::try_from(hub.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        trusted.now(clock::now(), passed_ms)
    };
    loop {
        tokio::select! {
            _ = look.tick() => {
                if let Err(error) = hub.waits.look(hub.db.pool()).await {
                    tracing::warn!(%error, "the feed could not be looked at");
                }
                if replaced(&hub).await {
                    tracing::error!("the database was replaced: this process ends, to start again with it");
                    return;
                }
            },
            _ = seen.tick() => if let Err(error) = hub.seen.write(&hub.db).await {
                tracing::warn!(%error, "who was heard could not be written down");
            },
            _ = sync.tick() => if let Err(error) = hub.marks.sync() {
                tracing::error!(%error, "the marks can't be brought to the disk");
            },
            _ = retry.tick() => upgraded = try_again(&hub, upgraded).await,
            _ = sweep.tick() => match idempotency::sweep(&hub.db, certain()).await {
                Ok(0) => {}
                Ok(swept) => tracing::info!(swept, "stored answers were swept"),
                Err(error) => tracing::warn!(%error, "stored answers could not be swept"),
            },
        }
    }
}

/// Parked records once more; all of them until that has succeeded once, as after an upgrade. The first tick is at
/// the start.
async fn try_again(hub: &Hub, upgraded: bool) -> bool {
    let all = if upgraded { Ok(()) } else { ingest::replay::after_upgrade(hub).await };
    if let Err(error) = &all {
        tracing::error!(%error, "not all parked records could be tried again after an upgrade");
    }
    if let Err(error) = ingest::replay::overdue(hub).await {
        tracing::warn!(%error, "waiting records could not be tried again");
    }
    all.is_ok()
}

impl Hub {
    /// Looks how far the feed is, and wakes whom that concerns. If it fails the next look does.
    pub async fn raise_now(&self) {
        if let Err(error) = self.waits.look(self.db.pool()).await {
            tracing::debug!(%error, "the feed is looked at a little later");
        }
    }
}
