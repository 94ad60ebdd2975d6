//! A hub that serves in this process, with its own folder and database.

use cloud_hub::app;
use cloud_hub::config::Config;
use cloud_hub::state::hub::{self as state, Hub};
use edge::settings::load;
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::Value;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use testkit::CHEAP_HASHES;
use testkit::hub::database;
use testkit::prepared::{self, Files};
use testkit::process;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub const PASSWORD: &str = "correct-horse-9";

const ANY_PORT: &str = "127.0.0.1:0";

/// The result of `init`, to be copied.
struct Initialised {
    /// The hub's folder.
    files: Files,
    url: String,
}

/// Returns the address of an empty database.
fn fresh(folder: &Path) -> String {
    match database::server() {
        Some(server) => database::fresh_at(&server),
        None => embedded(folder),
    }
}

fn embedded(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("hub.sqlite").display())
}

/// An initialised hub: its settings and its folder.
pub struct Place {
    pub folder: TempDir,
    pub config: PathBuf,
    /// The database, which is removed with the place.
    database: Option<String>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(url) = &self.database {
            database::discard(url);
        }
    }
}

impl Place {
    /// Creates settings without a hub.
    pub async fn empty() -> Self {
        Self::at(ANY_PORT).await
    }

    pub async fn at(listen: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = fresh(folder.path());
        Self::with(folder, url, listen)
    }

    fn with(folder: TempDir, url: String, listen: &str) -> Self {
        let data = folder.path().join("data");
        let connections = std::env::var("HUB_TEST_CONNECTIONS").unwrap_or_else(|_| "16".to_owned());
        let text = format!(
            "[http]\nlisten = \"{listen}\"\n[database]\nconnections = {connections}\nurl = \"{url}\"\n[storage]\npath = \"{}\"\n\
             [jobs]\nat = \"23:59\"\n[auth]\nargon2 = {CHEAP_HASHES}\n",
            data.display()
        );
        let config = folder.path().join("hub.toml");
        std::fs::write(&config, text).unwrap();
        // The address of a database may contain a password.
        std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o600)).unwrap();
        Self { folder, config, database: Some(url) }
    }

    /// Returns a copy of a hub that `init` made.
    pub async fn initialised() -> Self {
        let made = prepared::shared("hub", || {
            let folder = tempfile::tempdir().unwrap();
            let url = fresh(folder.path());
            let mut place = Self::with(folder, url, ANY_PORT);
            place.init();
            // The database is kept.
            Initialised { files: Files::read(place.folder.path()), url: place.database.take().unwrap() }
        });
        let Some(made) = made else {
            let place = Self::empty().await;
            place.init();
            return place;
        };
        let folder = tempfile::tempdir().unwrap();
        made.files.write(folder.path());
        let url = match database::server() {
            Some(_) => database::copy(&made.url, folder.path()),
            None => embedded(folder.path()),
        };
        Self::with(folder, url, ANY_PORT)
    }

    pub fn init(&self) {
        let done = self.run(&["init", "--admin", "Boss", "--password-stdin"], &format!("{PASSWORD}\n"));
        assert!(done.status.success(), "{}", stderr(&done));
        if std::env::var("HUB_TEST_PARTITIONED").is_ok() {
            let done = self.run(&["partition"], "");
            assert!(done.status.success(), "{}", stderr(&done));
        }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cloud-hub"));
        command.arg("--config").arg(&self.config).args(args).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, args: &[&str], input: &str) -> Output {
        process::run(self.command(args), input)
    }

    /// Adds settings.
    pub fn with_settings(self, text: &str) -> Self {
        let file = std::fs::read_to_string(&self.config).unwrap();
        std::fs::write(&self.config, file + text).unwrap();
        self
    }

    /// Returns the settings of another process of the same hub, with that folder for its keys.
    pub fn beside(&self, data: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let own = |line: &str| match line.strip_prefix("path = ") {
            Some(_) => format!("path = \"{}\"\n", data.display()),
            None => format!("{line}\n"),
        };
        let text: String = std::fs::read_to_string(&self.config).unwrap().lines().map(own).collect();
        let config = folder.path().join("hub.toml");
        std::fs::write(&config, text).unwrap();
        std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o600)).unwrap();
        Self { folder, config, database: None }
    }

    /// Returns the token that `store add` prints.
    pub fn add_store(&self, id: &str) -> String {
        let done = self.run(&["store", "add", id, "--timezone", "Asia/Jakarta"], "");
        assert!(done.status.success(), "{}", stderr(&done));
        stdout(&done).split_whitespace().last().unwrap().to_owned()
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running hub.
pub struct Server {
    pub place: Place,
    pub hub: Arc<Hub>,
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start() -> Self {
        Self::on(Place::initialised().await).await
    }

    pub async fn on(place: Place) -> Self {
        let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
        let hub = state::open(&config).await.unwrap();
        let listener = TcpListener::bind(config.http.listen).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let (state, listener_config) = (Arc::clone(&hub), app::listener_config(&config, listener).unwrap());
        let task = tokio::spawn(async move {
            let reported = async move {
                let _ = stopped.await;
            };
            app::serve(state, listener_config, reported).await.unwrap();
        });
        Self { place, hub, address, stop: Some(stop), task }
    }

    pub async fn stop(mut self) -> Place {
        self.stop.take().unwrap().send(()).unwrap();
        self.task.await.unwrap();
        self.place
    }

    /// Waits until the hub ends with an error.
    pub async fn ended(self) -> Place {
        assert!(self.task.await.is_err());
        self.place
    }

    pub fn api(&self) -> Api {
        Api::new(self.address)
    }

    /// Logs in as the first administrator.
    pub async fn admin(&self) -> Api {
        self.api().login("boss", PASSWORD).await
    }

    /// Returns one figure of the database.
    pub async fn figure(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(self.hub.db.pool()).await.unwrap()
    }
}

/// A client with or without a token.
#[derive(Clone)]
pub struct Api {
    client: Client,
    base: String,
    token: Option<String>,
}

/// A status and a body.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub replayed: bool,
    pub retry_after: Option<u64>,
    pub body: Value,
}

impl Answer {
    pub fn data(&self) -> &Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.body);
        &self.body["data"]
    }

    /// Returns status and code of a refusal, such as `409 stale_epoch`.
    pub fn refusal(&self) -> String {
        let code = self.body["error"]["code"].as_str().unwrap_or("no failure envelope");
        format!("{} {code}", self.status.as_u16())
    }
}

impl Api {
    pub fn new(address: SocketAddr) -> Self {
        // Loading the system's certificates costs more than a test's requests, none of which uses TLS.
        let client = Client::builder().tls_certs_only([]).build().unwrap();
        Self { client, base: format!("http://{address}"), token: None }
    }

    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// Returns the same client for another process.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self { base: format!("http://{address}"), ..self.clone() }
    }

    /// Returns the same client for reading streams. Its timeout is shorter than the interval of heartbeats.
    pub fn client(&self) -> testkit::Client {
        let address = self.base.trim_start_matches("http://").parse().unwrap();
        let client = testkit::Client::new(address).patient_for(Duration::from_secs(10));
        client.with_token(self.token.as_deref().unwrap_or_default())
    }

    pub async fn login(&self, username: &str, password: &str) -> Self {
        let body = serde_json::json!({"username": username, "password": password});
        let answer = self.post("/api/auth/login", &body).await;
        self.with_token(answer.data()["token"].as_str().unwrap())
    }

    pub async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path).send().await.unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.try_post(path, body).await.unwrap()
    }

    pub async fn try_post(&self, path: &str, body: &Value) -> Result<Answer, reqwest::Error> {
        Ok(answer(self.request(Method::POST, path).json(body).send().await?).await)
    }

    pub async fn keyed(&self, path: &str, key: &str, body: &Value) -> Answer {
        let request = self.request(Method::POST, path).header("Idempotency-Key", key).json(body);
        answer(request.send().await.unwrap()).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        answer(self.request(Method::PATCH, path).json(body).send().await.unwrap()).await
    }

    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        answer(self.request(method, path).json(body).send().await.unwrap()).await
    }

    /// Sends a body as text, valid or not.
    pub async fn raw(&self, method: Method, path: &str, body: &str) -> Answer {
        let request = self.request(method, path).header("Content-Type", "application/json");
        answer(request.body(body.to_owned()).send().await.unwrap()).await
    }

    pub async fn csv(&self, path: &str, body: &str) -> Answer {
        self.file(path, "text/csv", body).await
    }

    /// Sends a file of this media type.
    pub async fn file(&self, path: &str, media_type: &str, body: &str) -> Answer {
        let request =
            self.request(Method::POST, path).header("Content-Type", media_type).body(body.to_owned());
        answer(request.send().await.unwrap()).await
    }

    /// Sends a CSV file in any encoding.
    pub async fn bytes(&self, path: &str, body: &[u8]) -> Answer {
        let request = self.request(Method::POST, path).header("Content-Type", "text/csv").body(body.to_vec());
        answer(request.send().await.unwrap()).await
    }

    /// Makes a call as a document describes it, and returns the status.
    pub async fn call(&self, method: &str, path: &str, media: &str, example: &Value) -> u16 {
        let method = method.to_uppercase().parse().unwrap();
        let request = self.request(method, path).header("Content-Type", media);
        let body = match example {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        request.body(body).send().await.unwrap().status().as_u16()
    }

    /// Sends a compressed body.
    pub async fn packed(&self, path: &str, encoding: &str, body: Vec<u8>) -> Answer {
        let request = self.request(Method::POST, path).header("Content-Type", "application/json");
        answer(request.header("Content-Encoding", encoding).body(body).send().await.unwrap()).await
    }

    /// Returns a header of an answer, and its body.
    pub async fn headed(&self, path: &str, accept: &str, header: &str) -> (Option<String>, String) {
        let response = self.request(Method::GET, path).header("Accept", accept).send().await.unwrap();
        let value = response.headers().get(header).map(|value| value.to_str().unwrap().to_owned());
        (value, response.text().await.unwrap())
    }

    pub async fn text(&self, path: &str, accept: &str) -> String {
        let request = self.request(Method::GET, path).header("Accept", accept);
        request.send().await.unwrap().text().await.unwrap()
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}

async fn answer(response: Response) -> Answer {
    let status = response.status();
    let replayed = response.headers().get("Idempotency-Replayed").is_some();
    let retry_after =
        response.headers().get("Retry-After").map(|value| value.to_str().unwrap().parse().unwrap());
    // A stream never ends, so it needs another client.
    let ends = response.headers().get("Content-Type").is_none_or(|kind| kind != "text/event-stream");
    let text = if ends { response.text().await.unwrap_or_default() } else { String::new() };
    Answer { status, replayed, retry_after, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
}
