//! A store and a hub on loopback, with a database each, made fresh in one folder.

use crate::daemon::{Daemon, Launch};
use crate::rest::Api;
use crate::workspace::{Binaries, one_shot};
use anyhow::{Context, bail};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tempfile::TempDir;
use testkit::store::free_address;

/// The shop that is made.
pub const STORE_ID: &str = "S001";

/// The folder of the work: a temporary one, or one that stays.
pub struct WorkFolder {
    path: PathBuf,
    /// Removed when dropped, after the daemons have ended.
    _temporary: Option<TempDir>,
}

impl WorkFolder {
    /// A folder that is kept has to be empty or absent.
    pub fn new(keep: Option<PathBuf>) -> anyhow::Result<Self> {
        let Some(path) = keep else {
            let temporary = TempDir::with_prefix("store-router-")?;
            return Ok(Self { path: temporary.path().to_owned(), _temporary: Some(temporary) });
        };
        std::fs::create_dir_all(&path).with_context(|| format!("{}", path.display()))?;
        if std::fs::read_dir(&path)?.next().is_some() {
            bail!("{} is not empty", path.display());
        }
        Ok(Self { path: path.canonicalize()?, _temporary: None })
    }

    /// A temporary folder inside `parent`: on the disk that is to be measured.
    pub fn within(parent: Option<&Path>) -> anyhow::Result<Self> {
        let Some(parent) = parent else { return Self::new(None) };
        let temporary = TempDir::with_prefix_in("store-router-", parent)?;
        Ok(Self { path: temporary.path().to_owned(), _temporary: Some(temporary) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Someone who works here.
#[derive(Clone)]
pub struct Person {
    pub username: String,
    pub password: String,
    pub role: &'static str,
}

impl Person {
    /// The password is made from the name: these installations live on loopback, for minutes.
    pub fn new(username: &str, role: &'static str) -> Self {
        Self { username: username.to_owned(), password: format!("{username}-demo-2026"), role }
    }
}

/// A program that was set up in a folder: how to run its commands, how to serve.
pub struct Installation {
    binary: PathBuf,
    config: String,
    launch: Launch,
}

/// Weakest password hashing that the programs accept: people are made by the dozen here.
const AUTH: &str = "argon2 = { memory_kib = 19456, iterations = 2, parallelism = 1 }";

/// Of a hub that takes as many connections of one address as of a thousand stores.
const CROWDED: &str = "max_connections = 16384\nmax_connections_per_address = 16384\n";

fn hub_settings(place: &WorkFolder, http: &str, database: &str, address: SocketAddr) -> String {
    format!(
        "[hub]\nid = \"HQ\"\n\n[http]\nlisten = \"{address}\"\n{http}\n[database]\nurl = {}\n\n\
         [storage]\npath = {}\n\n[auth]\n{AUTH}\n",
        quoted(Path::new(database)),
        quoted(&place.file("hub")),
    )
}

fn quoted(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}

impl Installation {
    /// Writes a hub's settings.
    pub fn hub(binaries: &Binaries, place: &WorkFolder) -> anyhow::Result<Self> {
        Self::hub_with(binaries, place, "", None)
    }

    /// As `hub`, on an existing database.
    pub fn hub_on(binaries: &Binaries, place: &WorkFolder, database: &str) -> anyhow::Result<Self> {
        Self::hub_with(binaries, place, "", Some(database))
    }

    /// The settings of a hub that takes as many connections of one address as of a thousand stores.
    pub fn crowded_hub(
        binaries: &Binaries,
        place: &WorkFolder,
        database: Option<&str>,
    ) -> anyhow::Result<Self> {
        Self::hub_with(binaries, place, CROWDED, database)
    }

    /// As `crowded_hub`, with webhooks to receivers on this machine.
    pub fn hub_with_receivers(
        binaries: &Binaries,
        place: &WorkFolder,
        database: &str,
    ) -> anyhow::Result<Self> {
        let http = format!("{CROWDED}\n[webhooks]\nallowed_networks = [\"127.0.0.0/8\"]\n");
        Self::hub_with(binaries, place, &http, Some(database))
    }

    /// Another process of such a hub: on the same database and with the same keys, at another address.
    pub fn beside(binaries: &Binaries, place: &WorkFolder, database: &str) -> anyhow::Result<Self> {
        let address = free_address();
        let settings = hub_settings(place, CROWDED, database, address);
        Self::write("cloud-hub", &binaries.hub, place, "hub-2.toml", &settings, address, "/health")
    }

    fn hub_with(
        binaries: &Binaries,
        place: &WorkFolder,
        http: &str,
        database: Option<&str>,
    ) -> anyhow::Result<Self> {
        let address = free_address();
        let embedded = format!("sqlite://{}", place.file("hub.sqlite").display());
        let settings = hub_settings(place, http, database.unwrap_or(&embedded), address);
        Self::write("cloud-hub", &binaries.hub, place, "hub.toml", &settings, address, "/health")
    }

    /// Writes a store's settings; without a hub it works alone.
    pub fn store(binaries: &Binaries, place: &WorkFolder, hub: Option<&str>) -> anyhow::Result<Self> {
        Self::store_at(binaries, place, hub, &place.file("store"), "")
    }

    /// As `store`, with the data in another folder, and more settings as lines with dotted keys.
    pub fn store_at(
        binaries: &Binaries,
        place: &WorkFolder,
        hub: Option<&str>,
        data: &Path,
        more: &str,
    ) -> anyhow::Result<Self> {
        let address = free_address();
        // Made-up tills sell, pay out and take back at any price, and no manager is next to them.
        let loose = "pricing.discount_limit_bp = 0\nreturns.cashier_limit = 0\n\
                     returns.unreceipted_any_price = true\napproval.adjustment_value = 0\n\
                     approval.pay_out_value = 0\n";
        let settings = format!(
            "{more}{loose}store.id = \"{STORE_ID}\"\nstore.name = \"Demo store\"\nhttp.listen = \"{address}\"\n\
             storage.path = {}\nauth.{AUTH}\nhub.url = \"{}\"\n",
            quoted(data),
            hub.unwrap_or_default(),
        );
        let ready = "/health/ready";
        Self::write("store-router", &binaries.store, place, "config.toml", &settings, address, ready)
    }

    fn write(
        name: &'static str,
        binary: &Path,
        place: &WorkFolder,
        file: &str,
        settings: &str,
        address: SocketAddr,
        ready_path: &'static str,
    ) -> anyhow::Result<Self> {
        let config = place.file(file);
        std::fs::write(&config, settings)?;
        let config = config.display().to_string();
        let args = vec!["--config".to_owned(), config.clone(), "serve".to_owned()];
        let log = place.file(&format!("{name}.log"));
        let launch = Launch { name, binary: binary.to_owned(), args, log, address, ready_path };
        Ok(Self { binary: binary.to_owned(), config, launch })
    }

    /// Runs a command on the stopped program; returns its output.
    pub async fn command(&self, args: &[&str], input: Option<&str>) -> anyhow::Result<String> {
        let all: Vec<&str> = ["--config", &self.config].into_iter().chain(args.iter().copied()).collect();
        one_shot(&self.binary, &all, input).await
    }

    /// `init` with the first admin.
    pub async fn init(&self, admin: &Person) -> anyhow::Result<()> {
        let args = ["init", "--admin", &admin.username, "--password-stdin"];
        self.command(&args, Some(&format!("{}\n", admin.password))).await?;
        Ok(())
    }

    pub async fn add_user(&self, person: &Person) -> anyhow::Result<()> {
        let Person { username, password, role } = person;
        let args = ["user", "add", "--username", username, "--name", username, "--role", role];
        let args: Vec<&str> = args.into_iter().chain(["--password-stdin"]).collect();
        self.command(&args, Some(&format!("{password}\n"))).await?;
        Ok(())
    }

    /// `serve`, until it is ready.
    pub async fn serve(&self) -> anyhow::Result<Daemon> {
        Ok(self.launch.start().await?.0)
    }

    /// Start parameters, for a measurement or a restart.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// The address where it will serve.
    pub fn base(&self) -> String {
        format!("http://{}", self.launch.address)
    }

    /// A person of this installation, logged in.
    pub async fn login(&self, person: &Person, retries: &Arc<AtomicU64>) -> anyhow::Result<Api> {
        Api::new(&self.base(), retries)?.login(&person.username, &person.password).await
    }
}

/// A hub and an enrolled store, both serving.
pub struct Stage {
    pub store: Daemon,
    pub hub: Daemon,
    pub store_setup: Installation,
    pub hub_setup: Installation,
    /// Last: a temporary folder is removed after the daemons have ended.
    _place: WorkFolder,
}

/// The first admin of both.
pub fn admin() -> Person {
    Person::new("admin", "admin")
}

/// The user who reads reports at head office.
pub fn finance() -> Person {
    Person::new("finance", "ho_finance")
}

impl Stage {
    /// Sets both up: catalogue at the hub, people at the store, enrolment, both serving.
    pub async fn open(
        binaries: &Binaries,
        place: WorkFolder,
        catalogue: &Path,
        people: &[&Person],
    ) -> anyhow::Result<Self> {
        let hub_setup = Installation::hub(binaries, &place)?;
        hub_setup.init(&admin()).await?;
        hub_setup.add_user(&finance()).await?;
        let added = hub_setup.command(&["store", "add", STORE_ID], None).await?;
        let token = enrolment_token(&added)?;
        hub_setup.command(&["import", "products", &catalogue.display().to_string()], None).await?;
        let hub = hub_setup.serve().await?;

        let store_setup = Installation::store(binaries, &place, Some(&hub.base()))?;
        store_setup.init(&admin()).await?;
        for person in people {
            store_setup.add_user(person).await?;
        }
        store_setup.command(&["enrol", "--hub", &hub.base(), "--token", &token], None).await?;
        let store = store_setup.serve().await?;
        Ok(Self { store, hub, store_setup, hub_setup, _place: place })
    }
}

/// The token among what `store add` prints: its last word.
pub fn enrolment_token(printed: &str) -> anyhow::Result<String> {
    let last = printed.split_whitespace().last();
    Ok(last.context("`store add` printed no enrolment token")?.to_owned())
}
