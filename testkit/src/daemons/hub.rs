//! One hub in its own folder, on an embedded database or on the server that the tests were given.

pub mod database;
pub mod postgres;

use crate::client::Client;
use crate::prepared::{self, Files};
use crate::process::{self, Daemon};
use crate::store::{PASSWORD, STORE_ID, Store, catalogue, free_address};
use crate::{CHEAP_HASHES, wait};
use edge::keys::SigningKey;
use edge::tokens::sync;
use serde_json::json;
use std::fs;
use std::mem;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The name of every hub in these tests.
pub const HUB_ID: &str = "H001";

/// Files that `init` and the import of the catalogue made, to be copied.
struct Initialised {
    /// The hub's folder.
    files: Files,
    url: String,
}

impl Initialised {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = match database::server() {
            Some(server) => database::fresh_at(&server),
            None => embedded(folder.path()),
        };
        let mut hub = Hub::at(folder, &url, "");
        hub.init();
        let files = Files::read(hub.folder.path());
        // The database is kept.
        Self { files, url: mem::take(&mut hub.url) }
    }

    /// Writes a copy into `folder`, and returns the address of its database.
    fn copy(&self, folder: &Path) -> String {
        self.files.write(folder);
        match database::server() {
            Some(_) => database::copy(&self.url, folder),
            None => embedded(folder),
        }
    }
}

fn embedded(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("hub.db").display())
}

pub struct Hub {
    daemon: Option<Daemon>,
    address: SocketAddr,
    /// URL of the database.
    url: String,
    data: PathBuf,
    /// Settings beyond the harness's own, as tables of TOML.
    extra: String,
    environment: Vec<(String, String)>,
    /// Put before the daemon's command line.
    wrapper: Vec<String>,
    /// The last field: fields are dropped in order, and the daemon must end before its folder is removed.
    folder: TempDir,
}

impl Hub {
    /// Starts a hub with an administrator and the catalogue.
    #[track_caller]
    pub fn open() -> Self {
        Self::open_with("")
    }

    /// Starts one with more settings.
    #[track_caller]
    pub fn open_with(extra: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let initialised = if extra.is_empty() { prepared::shared("hub", Initialised::make) } else { None };
        let Some(initialised) = initialised else {
            let url = database::fresh(folder.path());
            return Self::open_at(folder, &url, extra);
        };
        let url = initialised.copy(folder.path());
        let mut hub = Self::at(folder, &url, extra);
        hub.start();
        hub
    }

    /// Starts one with its database at this address.
    #[track_caller]
    pub fn open_at(folder: TempDir, url: &str, extra: &str) -> Self {
        let mut hub = Self::at(folder, url, extra);
        hub.init();
        hub.start();
        hub
    }

    /// Starts one with more settings, all of whose processes have these variables from the start.
    #[track_caller]
    pub fn open_under(environment: Vec<(String, String)>, extra: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = database::fresh(folder.path());
        let mut hub = Self::at(folder, &url, extra);
        hub.environment = environment;
        hub.init();
        hub.start();
        hub
    }

    /// Starts another process of the same hub at its own address.
    #[track_caller]
    pub fn beside(&self) -> Self {
        let mut other = Self::at(tempfile::tempdir().unwrap(), &self.url, &self.extra);
        other.data.clone_from(&self.data);
        other.environment.clone_from(&self.environment);
        other.write_settings();
        other.start();
        other
    }

    fn at(folder: TempDir, url: &str, extra: &str) -> Self {
        let hub = Self {
            daemon: None,
            address: free_address(),
            url: url.to_owned(),
            data: folder.path().join("data"),
            extra: extra.to_owned(),
            environment: Vec::new(),
            wrapper: Vec::new(),
            folder,
        };
        hub.write_settings();
        hub
    }

    #[track_caller]
    fn init(&self) {
        process::succeed(
            self.command(&["init", "--admin", "admin@hub.example", "--password-stdin"]),
            PASSWORD,
        );
        let products = self.folder.path().join("products.csv");
        fs::write(&products, catalogue()).unwrap();
        process::succeed(self.command(&["import", "products", products.to_str().unwrap()]), "");
    }

    fn write_settings(&self) {
        let settings = format!(
            "[hub]\nid = \"{HUB_ID}\"\n[http]\nlisten = \"{}\"\n[database]\nurl = \"{}\"\n[storage]\npath = {:?}\n\
             [auth]\nargon2 = {CHEAP_HASHES}\n{}",
            self.address, self.url, self.data, self.extra
        );
        let file = self.folder.path().join("hub.toml");
        fs::write(&file, settings).unwrap();
        // The address of a database may contain a password.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// A command of the real binary with this hub's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let settings = self.folder.path().join("hub.toml");
        let mut command = process::command(process::cloud_hub(), &settings, &self.wrapper, arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts the hub without waiting.
    pub fn spawn(&mut self) {
        self.daemon = Some(Daemon::start(self.command(&["serve"]), &self.folder.path().join("hub.log")));
    }

    /// Runs the daemon under another program from now on; empty: alone.
    pub fn wrap(&mut self, wrapper: &[&str]) {
        self.wrapper = wrapper.iter().map(|&word| word.to_owned()).collect();
    }

    #[track_caller]
    pub fn pid(&self) -> u32 {
        self.daemon.as_ref().expect("the hub runs").pid()
    }

    /// Whether it has ended by itself.
    pub fn ended(&mut self) -> bool {
        self.daemon.as_mut().is_none_or(|daemon| daemon.ended().is_some())
    }

    /// Starts the hub and waits until it answers.
    #[track_caller]
    pub fn start(&mut self) {
        self.spawn();
        let mut client = self.client();
        wait::until("the hub answers", || {
            if let Some(status) = self.daemon.as_mut().and_then(Daemon::ended) {
                panic!("the hub ended with {status} instead of getting ready");
            }
            client.try_send("GET", "/health", &[], b"").ok().filter(|reply| reply.status == 200)
        });
    }

    /// Copies the stopped hub's database, and returns the address of the copy.
    #[track_caller]
    pub fn copy_database(&self) -> String {
        assert!(self.daemon.is_none(), "a hub that serves is backed up by its command");
        database::copy(&self.url, self.folder.path())
    }

    /// Replaces the stopped hub's database by a copy, as a person without our command would.
    #[track_caller]
    pub fn put_database(&self, copy: &str) {
        assert!(self.daemon.is_none(), "the database is in use");
        database::copy_to(copy, &self.url);
    }

    /// Runs `cloud-hub backup`, and returns the backup's folder.
    #[track_caller]
    pub fn backup(&self) -> PathBuf {
        let to = self.folder.path().join("backups");
        let said = process::succeed(self.command(&["backup", to.to_str().unwrap()]), "");
        PathBuf::from(said.lines().next().unwrap().rsplit(' ').next().unwrap())
    }

    /// Simulates a lost machine: `cloud-hub restore` on a new one with the old one's address.
    #[track_caller]
    pub fn restore(&mut self, backup: &Path) {
        self.kill9();
        database::discard(&self.url);
        self.url = database::fresh(self.folder.path());
        let mut places = (1..).map(|number| self.folder.path().join(format!("restored-{number}")));
        let place = places.find(|place| !place.exists()).unwrap();
        self.data = place;
        self.write_settings();
        process::succeed(self.command(&["restore", backup.to_str().unwrap()]), "");
        self.start();
    }

    /// Kills it by SIGKILL; the process is gone when this returns.
    pub fn kill9(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill9();
        }
    }

    /// Sends the daemon a signal.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        self.daemon.as_ref().expect("the hub runs").signal(name);
    }

    /// Restarts with these variables from now on.
    #[track_caller]
    pub fn restart_with<N: AsRef<str>, V: AsRef<str>>(&mut self, environment: &[(N, V)]) {
        let own = |(name, value): &(N, V)| (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.environment = environment.iter().map(own).collect();
        self.restart();
    }

    /// Asks it to end, and checks that it ends without an error.
    #[track_caller]
    pub fn stop(&mut self) {
        let mut daemon = self.daemon.take().expect("the hub runs");
        daemon.signal("TERM");
        assert!(daemon.wait().success(), "a clean end: {}", daemon.log());
    }

    /// Kills it and starts it again.
    #[track_caller]
    pub fn restart(&mut self) {
        self.kill9();
        self.start();
    }

    /// Output of the daemon since its folder was made.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("hub.log")).unwrap_or_default()
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// The administrator of head office.
    #[track_caller]
    pub fn login(&self) -> Client {
        let body = json!({"username": "admin@hub.example", "password": PASSWORD});
        let data = self.client().post("/api/auth/login", &body).data(200);
        self.client().with_token(data["token"].as_str().expect("a token"))
    }

    /// Makes tokens like the store's, each for one call at the hub's current time.
    #[track_caller]
    pub fn signer(&self, store: &Store) -> impl Fn() -> String + Send + Sync + 'static {
        let key = SigningKey::load(&store.data().join("keys/sync.pem")).unwrap();
        let (id, address) = (store.id().to_owned(), self.address);
        move || {
            // A caller without a valid token gets the time.
            let mut nobody = Client::new(address).with_token("x");
            let refused = nobody.get("/api/sync/own?epoch=1-0&after=0").refused(401, "invalid_token");
            let now = serde_json::from_value(refused["hub_time"].clone()).expect("the hub's time");
            let challenge = refused["challenge"].as_str().expect("the hub's challenge").to_owned();
            sync::issue_for(&key, &id, HUB_ID, now, challenge).unwrap()
        }
    }

    /// Adds the store of every test, and returns its enrolment token.
    #[track_caller]
    pub fn add_store(&self) -> String {
        self.add(STORE_ID)
    }

    #[track_caller]
    fn add(&self, id: &str) -> String {
        let body = json!({"store_id": id, "name": "Test shop", "timezone": "Asia/Jakarta"});
        let data = self.login().post("/api/stores", &body).data(201);
        data["enrolment_token"].as_str().expect("an enrolment_token").to_owned()
    }

    /// Adds the store and enrols it while it is stopped.
    #[track_caller]
    pub fn enrol(&self, store: &Store) {
        self.enrol_at(store, &format!("http://{}", self.address));
    }

    /// Does the same with another address of this hub.
    #[track_caller]
    pub fn enrol_at(&self, store: &Store, url: &str) {
        let token = self.add(store.id());
        process::succeed(store.command(&["enrol", "--hub", url, "--token", &token]), "");
    }

    /// Enrols another machine under the name of a known store: its key replaces the old one.
    #[track_caller]
    pub fn enrol_again(&self, store: &Store) {
        let said = process::succeed(self.command(&["store", "add", store.id(), "--new-token"]), "");
        let token = said.split_whitespace().last().expect("a token").to_owned();
        let url = format!("http://{}", self.address);
        process::succeed(store.command(&["enrol", "--hub", &url, "--token", &token]), "");
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.kill9();
        database::discard(&self.url);
    }
}
