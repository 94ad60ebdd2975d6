//! One store: a folder with settings and data, and at most one daemon on it.

use crate::client::{Client, Reply};
use crate::prepared::{self, Files};
use crate::process::{self, Daemon};
use crate::wait;
use serde_json::json;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

mod settings;

pub use settings::AS_SHIPPED;
use settings::{hashes, loose, matters_to_init};

/// The shop of every test.
pub const STORE_ID: &str = "S001";
/// One password for all users: log-ins are not the subject of these tests.
pub const PASSWORD: &str = "correct horse battery";
/// Number of tills for which `Store::open_with` prepares cashiers.
pub const TILLS_MAX: usize = 8;
/// The catalogue: sku, price.
pub const PRODUCTS: [(&str, i64); 12] = [
    ("8990001", 2_000),
    ("8990002", 3_000),
    ("8990003", 12_500),
    ("8990004", 999),
    ("8990005", 5),
    ("8990006", 150),
    ("8990007", 25_000),
    ("8990008", 10_001),
    ("8990009", 3_333),
    ("8990010", 7_500),
    ("8990011", 1),
    ("8990012", 49_900),
];

/// A store on a folder of its own.
pub struct Store {
    id: String,
    daemon: Option<Daemon>,
    /// Target of `storage.path`: a power cut moves it.
    data: PathBuf,
    address: SocketAddr,
    /// Settings beyond the harness's own, as lines of TOML with dotted keys.
    extra: String,
    /// Put before the daemon's command line, for example `strace …`.
    wrapper: Vec<String>,
    /// Variables of the daemon, beside the test's own.
    environment: Vec<(String, String)>,
    /// The last field: fields are dropped in order, and the daemon must end before its folder is removed.
    folder: TempDir,
}

impl Store {
    /// Starts a store with users and the catalogue.
    #[track_caller]
    pub fn open() -> Self {
        Self::open_with("", 2)
    }

    /// Starts one with more settings and `tills` cashiers (`till-1@s001.example` …).
    #[track_caller]
    pub fn open_with(extra: &str, tills: usize) -> Self {
        let mut store = Self::prepare(extra, tills);
        store.start();
        store
    }

    /// Prepares a store without starting it.
    #[track_caller]
    pub fn prepare(extra: &str, tills: usize) -> Self {
        Self::prepare_other(STORE_ID, extra, tills)
    }

    /// Prepares one with its data in another place than its settings.
    #[track_caller]
    pub fn prepare_at(folder: TempDir, data: PathBuf, extra: &str, tills: usize) -> Self {
        Self::prepare_as(STORE_ID, folder, data, extra, tills)
    }

    /// Prepares another store than the one of every test.
    #[track_caller]
    pub fn prepare_other(id: &str, extra: &str, tills: usize) -> Self {
        let make = || {
            let folder = tempfile::tempdir().unwrap();
            let data = folder.path().join("data");
            Self::prepare_as(id, folder, data, extra, tills)
        };
        let sort = format!("store {id} {tills} {}", matters_to_init(extra));
        match prepared::shared(&sort, || Files::read(make().folder())) {
            Some(files) => Self::copied(id, &files, extra),
            None => make(),
        }
    }

    #[track_caller]
    fn copied(id: &str, files: &Files, extra: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        files.write(folder.path());
        // A store that was off for more than a minute does not trust its clock, and ends no hold and no day.
        let confirmed = data.join("confirmed_time.json");
        fs::write(&confirmed, serde_json::to_vec(&edge::clock::now()).unwrap()).unwrap();
        fs::set_permissions(confirmed, fs::Permissions::from_mode(0o600)).unwrap();
        let mut store = Self::without_data(id, folder, data, extra);
        store.write_settings();
        store
    }

    /// Prepares a machine on which only `init` was run.
    #[track_caller]
    pub fn made_new(extra: &str, password: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self::init(STORE_ID, folder, data, extra, password)
    }

    #[track_caller]
    fn without_data(id: &str, folder: TempDir, data: PathBuf, extra: &str) -> Self {
        Self {
            id: id.to_owned(),
            folder,
            data,
            address: free_address(),
            extra: extra.to_owned(),
            daemon: None,
            wrapper: Vec::new(),
            environment: Vec::new(),
        }
    }

    #[track_caller]
    fn init(id: &str, folder: TempDir, data: PathBuf, extra: &str, password: &str) -> Self {
        let mut store = Self::without_data(id, folder, data, extra);
        store.write_settings();
        process::succeed(
            store.command(&["init", "--admin", "admin@s001.example", "--password-stdin"]),
            password,
        );
        store
    }

    #[track_caller]
    fn prepare_as(id: &str, folder: TempDir, data: PathBuf, extra: &str, tills: usize) -> Self {
        assert!(tills <= TILLS_MAX);
        let store = Self::init(id, folder, data, extra, PASSWORD);
        store.add_user("manager@s001.example", "store_manager");
        store.add_user("warehouse@s001.example", "warehouse_staff");
        for till in 1..=tills {
            store.add_user(&format!("till-{till}@s001.example"), "cashier");
        }
        let file = store.write_file("products.csv", &catalogue());
        process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
        store
    }

    fn add_user(&self, username: &str, role: &str) {
        let arguments =
            ["user", "add", "--username", username, "--name", role, "--role", role, "--password-stdin"];
        process::succeed(self.command(&arguments), PASSWORD);
    }

    /// Rewrites the settings file from the harness's values.
    pub fn write_settings(&mut self) -> PathBuf {
        let settings = format!(
            "store.id = \"{}\"\nstore.name = \"Test shop\"\n\
             http.listen = \"{}\"\nstorage.path = {:?}\n\
             {}{}{}",
            self.id,
            self.address,
            self.data,
            hashes(&self.extra),
            loose(&self.extra),
            self.extra
        );
        let file = self.write_file("config.toml", &settings);
        // An address in it may contain a password.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        file
    }

    /// Changes the settings beyond the harness's own.
    pub fn set(&mut self, extra: &str) {
        self.extra = extra.to_owned();
        self.write_settings();
    }

    /// Points the store at another data folder.
    pub fn move_data(&mut self, data: PathBuf) {
        self.data = data;
        self.write_settings();
    }

    /// Runs the daemon under another program from now on.
    pub fn wrap(&mut self, wrapper: &[&str]) {
        self.wrapper = wrapper.iter().map(|&word| word.to_owned()).collect();
    }

    /// Gives the daemon these variables from now on.
    pub fn environment(&mut self, environment: &[(String, String)]) {
        self.environment = environment.to_vec();
    }

    /// A file in the store's folder, outside its data.
    pub fn write_file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// A command of the real binary with this store's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let settings = self.folder.path().join("config.toml");
        process::command(process::store_router(), &settings, &self.wrapper, arguments)
    }

    /// Runs a command of the stopped store to its end.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Output {
        process::run(self.command(arguments), "")
    }

    /// Starts the daemon and waits until it is ready, or knows that another copy is the store. Returns the time taken.
    #[track_caller]
    pub fn start(&mut self) -> Duration {
        let begun = Instant::now();
        self.spawn();
        let mut client = self.client();
        wait::until("the store is ready", || {
            if let Some(status) = self.daemon.as_mut().and_then(Daemon::ended) {
                panic!("the daemon ended with {status} instead of getting ready");
            }
            let reply = client.try_send("GET", "/health/ready", &[], b"").ok()?;
            (reply.status == 200 || is_fenced(&reply)).then_some(())
        });
        begun.elapsed()
    }

    /// Starts the daemon without waiting.
    pub fn spawn(&mut self) {
        assert!(self.daemon.is_none(), "one daemon at a time");
        let mut command = self.command(&["serve"]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        self.daemon = Some(Daemon::start(command, &self.log_file()));
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("daemon.log")
    }

    /// Output of the daemon so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    pub fn daemon(&mut self) -> &mut Daemon {
        self.daemon.as_mut().expect("the daemon runs")
    }

    /// Kills it by SIGKILL; the process is gone when this returns.
    pub fn kill9(&mut self) {
        self.daemon().kill9();
        self.daemon = None;
    }

    /// Clears the daemon, which has ended by itself.
    pub fn forget(&mut self) {
        self.daemon = None;
    }

    /// Sends SIGTERM. The daemon must drain and end with 0.
    #[track_caller]
    pub fn stop(&mut self) {
        let daemon = self.daemon();
        daemon.signal("TERM");
        let status = daemon.wait();
        assert_eq!(status.code(), Some(0), "SIGTERM ends with 0");
        self.daemon = None;
    }

    /// The exit code of a daemon that must not start, and its output.
    #[track_caller]
    pub fn refuses_to_start(&mut self) -> (i32, String) {
        let before = self.log().len();
        self.spawn();
        let status = self.daemon().wait();
        let log = self.daemon().log();
        self.daemon = None;
        (status.code().unwrap_or(-1), log[before..].to_owned())
    }

    /// `store-router verify --deep` on the stopped store must find nothing.
    #[track_caller]
    pub fn verify(&self) {
        process::succeed(self.command(&["verify", "--deep"]), "");
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A client that is not signed in.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// A client with a fresh token for `who` (`admin`, `manager`, `warehouse`, `till-1` …).
    #[track_caller]
    pub fn login(&self, who: &str) -> Client {
        let body = json!({"username": format!("{who}@s001.example"), "password": PASSWORD});
        let data = self.client().post("/api/auth/login", &body).data(200);
        self.client().with_token(data["token"].as_str().expect("a token"))
    }

    /// Goods for everybody: `qty` of every product at 60 % of its price.
    #[track_caller]
    pub fn receive_all(&self, qty: i64) {
        let lines: Vec<_> = PRODUCTS
            .iter()
            .map(|(sku, price)| json!({"sku": sku, "qty": qty, "unit_cost": price * 6 / 10}))
            .collect();
        self.login("warehouse").post("/api/receiving", &json!({"lines": lines})).data(201);
    }
}

/// The catalogue as a file for `import products`.
pub fn catalogue() -> String {
    let mut text = String::from("sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n");
    for (sku, price) in PRODUCTS {
        text.push_str(&format!("{sku},Product {sku},{price},grocery,{sku}0,5,1100,{}\n", price / 2));
    }
    text
}

/// Returns an address that the store keeps across restarts. It is below the range of outgoing connections, so no client
/// can take it while the daemon is down.
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 1_000).unwrap() * 11;
    for _ in 0..1_000 {
        let port = 20_000 + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
    panic!("no free port");
}

/// Returns whether another copy of the store has taken over: nothing can be written here until a person decides.
fn is_fenced(ready: &Reply) -> bool {
    ready.status == 503 && ready.text().contains("this one can't sell")
}
