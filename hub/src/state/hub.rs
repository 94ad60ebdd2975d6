//! State that handlers and background work share: the database, the keys, and what the process remembers.

use crate::config::{Config, Limits, Reach};
use crate::db::{self, Db, Engine};
use crate::feed::shared::Tails;
use crate::feed::wait::Waits;
use crate::maintenance::backup;
use crate::projection::members::member_reach;
use crate::projection::points_pool;
use crate::secret::{self, Fingerprints};
use crate::state::batches::Batches;
use crate::state::cursors::{self, Cursors};
use crate::state::idempotency::Running;
use crate::state::import_turns::ImportTurns;
use crate::state::lookups::Lookups;
use crate::state::office_settings::{self, OfficeSettings};
use crate::state::screens::Screens;
use crate::state::seen::Seen;
use crate::state::used_tokens::UsedTokens;
use crate::table;
use crate::table::hub::Identity;
use crate::webhooks::address::Rule;
use crate::webhooks::client::Client;
use anyhow::{Context, bail};
use domain::model::base::currency::Currency;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc::Clock;
use edge::clock::{self, MonotonicWallClock};
use edge::identity::limiter::LoginLimiter;
use edge::identity::refusals::Refusals;
use edge::identity::saved_state;
use edge::passkeys::Passkeys;
use edge::passwords::Passwords;
use edge::private;
use edge::tokens::Keys;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use sqlx::AnyConnection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Name of the folder of [`Cursors`], beside the keys.
pub const CURSORS: &str = "marks";

/// State that handlers and background work share.
pub struct Hub {
    /// Pool of connections to the database.
    pub db: Db,
    /// Identity of this hub.
    pub identity: Identity,
    /// Highest positions ever reached, kept outside of the database.
    pub cursors: Cursors,
    /// Keys, hashes and ceremonies of the users' authentication.
    pub people: edge::identity::Identity,
    /// Folder of the keys, and of the state that is kept outside of the database.
    pub folder: PathBuf,
    /// IDs of sync tokens that were used.
    pub sync_tokens: UsedTokens,
    /// Time at which each store was last heard.
    pub seen: Seen,
    /// Number of members that each store looked up in the present minute.
    pub lookups: Lookups,
    /// Requests with an idempotency key that are running.
    pub running: Running,
    /// Fingerprints under which idempotency keys are stored.
    pub fingerprints: Fingerprints,
    /// The hub's hybrid logical clock.
    pub clock: Mutex<Clock>,
    /// Batches of records that are processed now.
    pub batches: Batches,
    /// Stores that wait for changes of the feed.
    pub waits: Waits,
    /// Changes of the feed that were read once for all waiting stores.
    pub tails: Tails,
    /// Event streams of open pages.
    pub screens: Screens,
    /// Sends messages to webhooks.
    pub webhooks: Client,
    /// Becomes true when the hub stops.
    pub stopping: watch::Sender<bool>,
    /// Time for which an enrolment token may be used.
    pub enrolment_ttl: Duration,
    /// Time for which the feed keeps a change that a later one made void.
    pub feed_retain: Duration,
    /// Which stores receive a member.
    pub reach: Reach,
    /// Whether products may only be put into listed categories.
    pub closed_categories: bool,
    /// Time of the daily jobs.
    pub jobs_at: Time,
    /// Limits of imports and event streams.
    pub limits: Limits,
    /// Turns of the imports that are read at once.
    pub imports: ImportTurns,
    /// Settings of books and purchases in the file, before the changes of administrators.
    file_settings: OfficeSettings,
    /// Head office's own time zone.
    pub zone: TimeZone,
    /// When this process started to serve.
    pub started: Instant,
}

impl Hub {
    /// The date at head office.
    pub fn today(&self, now: UtcMs) -> Date {
        now.timestamp().to_zoned(self.zone.clone()).date()
    }

    /// Settings of books and purchases: those of the file with the later changes of administrators.
    ///
    /// # Errors
    /// A database error.
    pub async fn settings(&self, connection: &mut AnyConnection) -> Result<OfficeSettings, sqlx::Error> {
        self.file_settings.clone().with_changes(connection).await
    }

    /// Currency of all amounts.
    ///
    /// # Errors
    /// A database error.
    pub async fn currency(&self) -> Result<Currency, sqlx::Error> {
        table::hub::currency(&mut *self.db.pool().acquire().await?).await
    }

    /// Reads the new changes of the feed and wakes the stores concerned. After an error the next regular look finds the
    /// changes.
    pub async fn wake_stores(&self) {
        if let Err(error) = self.waits.look(self.db.pool()).await {
            tracing::debug!(%error, "the feed is looked at a little later");
        }
    }
}

/// The file of the key that signs people's tokens.
pub fn token_key(folder: &Path) -> PathBuf {
    folder.join("token.key")
}

/// The file of the key under which idempotency keys are stored.
pub fn fingerprint_key(folder: &Path) -> PathBuf {
    folder.join("idempotency.key")
}

/// Error if the database exists.
const NOT_OPENED: &str = "the database can't be opened";
/// Error if the file of an embedded database does not exist.
const NO_FILE: &str = "the database can't be opened (has `cloud-hub init` run?)";

/// Opens the database and brings its tables to this version.
///
/// # Errors
/// The database can't be opened, or was never initialised.
pub async fn open_db(config: &Config) -> anyhow::Result<(Db, Identity)> {
    let database = &config.database;
    backup::check_finished(&config.storage.path)?;
    let is_missing = Engine::file(&database.url).is_some_and(|file| !file.exists());
    let hint = if is_missing { NO_FILE } else { NOT_OPENED };
    if config.storage.path.exists() {
        private::check_folder(&config.storage.path)?;
    }
    db::files(&database.url).iter().try_for_each(|file| private::check_file(file))?;
    let db = Db::connect(&database.url, database.connections, false).await.context(hint)?;
    db.migrate().await.context("the tables can't be migrated to this version")?;
    let Some(identity) = Identity::load(db.pool()).await? else {
        bail!("this hub was never initialised: run `cloud-hub init`");
    };
    if !config.hub.id.is_empty() && config.hub.id != identity.hub_id {
        bail!("hub.id is {}, but the database belongs to {}", config.hub.id, identity.hub_id);
    }
    Ok((db, identity))
}

/// Opens the hub of these settings: its database, its keys and its saved state.
///
/// # Errors
/// The errors of [`open_db`], and missing keys or keys that others may read.
pub async fn open(config: &Config) -> anyhow::Result<Arc<Hub>> {
    let (db, _) = open_db(config).await?;
    let folder = &config.storage.path;
    let path = folder.join(CURSORS);
    let (cursors, identity) = cursors::guard(&path, &db).await.with_context(|| path.display().to_string())?;
    let people = people(config, &identity)?;
    let path = fingerprint_key(folder);
    let fingerprints = Fingerprints::load(&path).with_context(|| path.display().to_string())?;
    let reach = config.members.reach;
    member_reach::widen(&db, reach, clock::now()).await?;
    let file_settings = OfficeSettings::of(config);
    adopt_points(&db, &file_settings).await?;
    adopt_currency(&db, &file_settings).await?;
    let mut write = db.write().await?;
    table::hub::set_zone(&mut write, &config.hub.timezone).await?;
    write.commit().await?;
    let waits = Waits::load(db.pool(), reach).await?;
    let screens = Screens::load(db.pool(), &config.limits).await?;
    Ok(Arc::new(Hub {
        db,
        identity,
        cursors,
        people,
        folder: folder.clone(),
        sync_tokens: UsedTokens::default(),
        seen: Seen::default(),
        lookups: Lookups::default(),
        running: Running::default(),
        fingerprints,
        // Each process is a node of its own, so that no two processes give the same stamp, even after a clock was set
        // back.
        clock: Mutex::new(Clock::after(&format!("hub-{}", secret::mark()), None)),
        batches: Batches::at_most(config.sync.batches_at_once),
        waits,
        tails: Tails::default(),
        screens,
        webhooks: Client::new(Rule { allowed: config.webhooks.allowed_networks.clone() }),
        stopping: watch::Sender::new(false),
        enrolment_ttl: config.sync.enrolment_ttl.duration(),
        feed_retain: config.sync.feed_retain.duration(),
        reach,
        closed_categories: config.catalogue.closed_categories,
        jobs_at: config.jobs.time().context("jobs.at")?,
        limits: config.limits,
        imports: ImportTurns::default(),
        file_settings,
        zone: TimeZone::get(&config.hub.timezone).context("hub.timezone")?,
        started: Instant::now(),
    }))
}

/// Applies the settings of the valuation of points. The lock of the pool comes first: a change by another process
/// either waits for it or is read here.
async fn adopt_points(db: &Db, file_settings: &OfficeSettings) -> anyhow::Result<()> {
    let mut write = db.write().await?;
    points_pool::lock(&mut write).await?;
    let finance = file_settings.clone().with_changes(&mut write).await?.finance;
    if !points_pool::adopt(&mut write, finance.points_policy, finance.points_redemption_bp).await? {
        bail!(
            "finance.points_policy differs from the policy of the existing points: it can change only while there are no points"
        );
    }
    Ok(write.commit().await?)
}

/// Makes the currency of the settings the currency of all amounts.
///
/// # Errors
/// There are amounts in another currency, or a database error.
pub async fn adopt_currency(db: &Db, file_settings: &OfficeSettings) -> anyhow::Result<()> {
    let mut write = db.write().await?;
    let code = file_settings.clone().with_changes(&mut write).await?.company.currency;
    if let Some(kept) = table::hub::adopt_currency(&mut write, &code).await? {
        bail!("company.currency is {code}, but {}", office_settings::currency_stays(kept));
    }
    Ok(write.commit().await?)
}

/// Keys, hashes and ceremonies, with the saved counts of failed log-ins and the latest time of the clock.
fn people(config: &Config, identity: &Identity) -> anyhow::Result<edge::identity::Identity> {
    let (auth, folder) = (&config.auth, &config.storage.path);
    let (access, refresh) = (auth.access_ttl.duration(), auth.refresh_ttl.duration());
    let issuer = format!("cloud-hub:{}", identity.hub_id);
    let keys = Keys::load(&token_key(folder), issuer)?.with_lifetimes(access, refresh);
    let passkeys = Passkeys::new(&config.http.origin, config.http.listen.port()).context("http.origin")?;
    let limiter = LoginLimiter::default();
    saved_state::load(&limiter, folder);
    let clock = MonotonicWallClock::after(saved_state::latest(folder));
    let passwords = Passwords::new(auth.argon2.params()?);
    let (refusals, session_lifetime) = (Refusals::default(), refresh);
    Ok(edge::identity::Identity { keys, passwords, limiter, refusals, passkeys, session_lifetime, clock })
}
