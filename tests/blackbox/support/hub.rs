//! One hub on an embedded database in a folder of its own.

use super::http::Client;
use super::process::{self, Daemon};
use super::store::{PASSWORD, STORE_ID, Store, catalogue, free_address};
use super::wait;
use serde_json::json;
use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use tempfile::TempDir;

/// A running hub.
pub struct Hub {
    daemon: Option<Daemon>,
    address: SocketAddr,
    environment: Vec<(String, String)>,
    /// Last: fields are dropped in order, and the daemon goes before its folder.
    folder: TempDir,
}

impl Hub {
    /// A hub that is running, with an administrator and the catalogue.
    #[track_caller]
    pub fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut hub = Self { folder, address: free_address(), environment: Vec::new(), daemon: None };
        let data = hub.folder.path().join("data");
        let settings = format!(
            "[hub]\nid = \"H001\"\n[http]\nlisten = \"{}\"\n[database]\nurl = \"sqlite://{}\"\n[storage]\npath = {:?}\n\
             [auth]\nargon2 = {{ memory_kib = 19456, iterations = 2, parallelism = 1 }}\n",
            hub.address,
            data.join("hub.db").display(),
            data
        );
        fs::write(hub.folder.path().join("hub.toml"), settings).unwrap();
        process::succeed(
            hub.command(&["init", "--admin", "admin@hub.example", "--password-stdin"]),
            PASSWORD,
        );
        let products = hub.folder.path().join("products.csv");
        fs::write(&products, catalogue()).unwrap();
        process::succeed(hub.command(&["import", "products", products.to_str().unwrap()]), "");
        hub.start();
        hub
    }

    /// A command of this hub.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(process::cloud_hub());
        command.arg("--config").arg(self.folder.path().join("hub.toml")).args(arguments);
        command.current_dir(self.folder.path()).env_remove("NOTIFY_SOCKET").env_remove("RUST_LOG");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts the hub and waits until it answers.
    #[track_caller]
    pub fn start(&mut self) {
        self.daemon = Some(Daemon::start(self.command(&["serve"]), &self.folder.path().join("hub.log")));
        let mut client = self.client();
        wait::until("the hub answers", || {
            if let Some(status) = self.daemon.as_mut().and_then(Daemon::ended) {
                panic!("the hub ended with {status} instead of getting ready");
            }
            client.try_send("GET", "/health", &[], b"").ok().filter(|reply| reply.status == 200)
        });
    }

    /// kill -9, and the process is gone.
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

    /// Starts again, from now on with these variables.
    #[track_caller]
    pub fn restart_with(&mut self, environment: &[(&str, &str)]) {
        let own = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        self.environment = environment.iter().map(own).collect();
        self.restart();
    }

    /// Kills it and starts it again.
    #[track_caller]
    pub fn restart(&mut self) {
        self.kill9();
        self.start();
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

    /// Makes the store known; gives its enrolment token.
    #[track_caller]
    pub fn add_store(&self) -> String {
        let body = json!({"store_id": STORE_ID, "name": "Test shop", "timezone": "Asia/Jakarta"});
        let data = self.login().post("/api/stores", &body).data(201);
        data["enrolment_token"].as_str().expect("an enrolment_token").to_owned()
    }

    /// Makes the store known and enrols it; the store is stopped.
    #[track_caller]
    pub fn enrol(&self, store: &Store) {
        let token = self.add_store();
        let url = format!("http://{}", self.address);
        process::succeed(store.command(&["enrol", "--hub", &url, "--token", &token]), "");
    }
}
