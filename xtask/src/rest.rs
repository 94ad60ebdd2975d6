//! The REST interface as a till uses it: one key per request, repeated until there is an answer.

use anyhow::{Context, ensure};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time limit of one request.
const REQUEST: Duration = Duration::from_secs(30);
/// All attempts of one request, and as long again for one that is said to be still running.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two attempts, at most.
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// Pages of one list.
const PAGES_MAX: usize = 10_000;

/// Why there is no answer.
#[derive(Debug)]
pub enum CallError {
    /// The connection was refused or broke, or the answer is not ours.
    Lost(String),
    Refused {
        status: u16,
        code: String,
        message: String,
    },
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lost(why) => write!(f, "no answer: {why}"),
            Self::Refused { status, code, message } => write!(f, "{status} {code}: {message}"),
        }
    }
}

impl std::error::Error for CallError {}

impl CallError {
    /// Whether the same request with the same key may succeed later.
    fn passes(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Refused { status, .. } => *status == 503 || self.in_progress(),
        }
    }

    fn patience(&self) -> Duration {
        PATIENCE * if self.in_progress() { 2 } else { 1 }
    }

    /// Whether an earlier attempt is still running.
    fn in_progress(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "request_in_progress")
    }
}

/// Someone who speaks to a store or a hub.
#[derive(Clone)]
pub struct Api {
    client: Client,
    base: String,
    token: Option<String>,
    register: Option<String>,
    retries: Arc<AtomicU64>,
}

impl Api {
    /// A client without a user; `retries` counts repeated requests.
    pub fn new(base: &str, retries: &Arc<AtomicU64>) -> anyhow::Result<Self> {
        let client = Client::builder().tls_certs_only([]).timeout(REQUEST).build().context("HTTP client")?;
        Ok(Self { client, base: base.to_owned(), token: None, register: None, retries: retries.clone() })
    }

    pub async fn login(mut self, username: &str, password: &str) -> anyhow::Result<Self> {
        let body = json!({"username": username, "password": password});
        let data =
            self.repeat(self.request(Method::POST, "/api/auth/login", None, Some(&body)), of_json).await?;
        self.token = Some(text(&data, "token")?);
        Ok(self)
    }

    /// Speaks for a till.
    pub fn at(mut self, register: &str) -> Self {
        self.register = Some(register.to_owned());
        self
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub async fn get(&self, path: &str) -> Result<Value, CallError> {
        self.repeat(self.request(Method::GET, path, None, None), of_json).await
    }

    /// Downloads a file.
    pub async fn file(&self, path: &str) -> Result<String, CallError> {
        self.repeat(self.request(Method::GET, path, None, None), of_file).await
    }

    /// Changes something, with one effect however often it is sent.
    pub async fn post(&self, path: &str, key: &str, body: &Value) -> Result<Value, CallError> {
        self.repeat(self.request(Method::POST, path, Some(key), Some(body)), of_json).await
    }

    /// Changes an existing thing, with one effect however often it is sent.
    pub async fn patch(&self, path: &str, key: &str, body: &Value) -> Result<Value, CallError> {
        self.repeat(self.request(Method::PATCH, path, Some(key), Some(body)), of_json).await
    }

    /// Sends once, without a key.
    pub async fn post_unkeyed(&self, path: &str, body: &Value) -> Result<Value, CallError> {
        sent(self.request(Method::POST, path, None, Some(body)), of_json).await
    }

    /// Every item of a list, page by page.
    pub async fn list(&self, path: &str) -> anyhow::Result<Vec<Value>> {
        let joiner = if path.contains('?') { '&' } else { '?' };
        let first = format!("{path}{joiner}limit=500");
        let (mut items, mut next) = (Vec::new(), first.clone());
        for _ in 0..PAGES_MAX {
            let mut page = self.get(&next).await?;
            if let Some(Value::Array(more)) = page.get_mut("items").map(Value::take) {
                items.extend(more);
            }
            match page.get("next_cursor").and_then(Value::as_str) {
                Some(cursor) => next = format!("{first}&cursor={cursor}"),
                None => return Ok(items),
            }
        }
        anyhow::bail!("{path}: more than {PAGES_MAX} pages")
    }

    /// Sends a request, and sends it again while its failure may pass.
    async fn repeat<T>(&self, request: RequestBuilder, read: Reader<T>) -> Result<T, CallError> {
        let since = Instant::now();
        let mut pause = Duration::from_millis(20);
        loop {
            let again =
                request.try_clone().ok_or_else(|| CallError::Lost("the request is invalid".to_owned()))?;
            match sent(again, read).await {
                Err(error) if error.passes() && since.elapsed() < error.patience() => {
                    self.retries.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSE_MAX);
                }
                outcome => return outcome,
            }
        }
    }

    fn request(&self, method: Method, path: &str, key: Option<&str>, body: Option<&Value>) -> RequestBuilder {
        let mut request = self.client.request(method, format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(register) = &self.register {
            request = request.header("X-Register-Id", register);
        }
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        request
    }
}

/// Reads an answer from its status and its body.
type Reader<T> = fn(StatusCode, &[u8]) -> Result<T, CallError>;

async fn sent<T>(request: RequestBuilder, read: Reader<T>) -> Result<T, CallError> {
    let lost = |error: reqwest::Error| CallError::Lost(error.to_string());
    let answer = request.send().await.map_err(lost)?;
    let status = answer.status();
    read(status, &answer.bytes().await.map_err(lost)?)
}

fn of_file(status: StatusCode, body: &[u8]) -> Result<String, CallError> {
    if status != StatusCode::OK {
        return Err(of_json(status, body)
            .err()
            .unwrap_or_else(|| CallError::Lost(format!("status {status}"))));
    }
    String::from_utf8(body.to_vec()).map_err(|error| CallError::Lost(error.to_string()))
}

fn of_json(status: StatusCode, body: &[u8]) -> Result<Value, CallError> {
    let whole = serde_json::from_slice(body)
        .map_err(|error| CallError::Lost(format!("status {status}, body not JSON: {error}")))?;
    unwrap(status, whole)
}

/// `data` of a success, or the envelope's error.
fn unwrap(status: StatusCode, mut whole: Value) -> Result<Value, CallError> {
    let succeeded = whole.get("success").and_then(Value::as_bool) == Some(true);
    if status.is_success() && succeeded {
        return Ok(whole.get_mut("data").map(Value::take).unwrap_or_default());
    }
    let error = whole.get("error").cloned().unwrap_or_default();
    let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or("?").to_owned();
    let details = error.get("details").filter(|details| details.as_object().is_some_and(|d| !d.is_empty()));
    let message = match details {
        Some(details) => format!("{} {details}", field("message")),
        None => field("message"),
    };
    Err(CallError::Refused { status: status.as_u16(), code: field("code"), message })
}

/// Polls until there is an answer, with this pause between two requests.
pub async fn until<T>(
    what: &str,
    patience: Duration,
    pause: Duration,
    mut look: impl AsyncFnMut() -> anyhow::Result<Option<T>>,
) -> anyhow::Result<T> {
    let since = Instant::now();
    loop {
        if let Some(seen) = look().await? {
            return Ok(seen);
        }
        ensure!(since.elapsed() < patience, "gave up after {} s waiting until {what}", patience.as_secs());
        tokio::time::sleep(pause).await;
    }
}

/// A text field that has to be there.
pub fn text(value: &Value, name: &str) -> anyhow::Result<String> {
    let found = value.get(name).and_then(Value::as_str);
    Ok(found.with_context(|| format!("the answer has no text `{name}`"))?.to_owned())
}

/// A figure that has to be there; `/` reaches into objects.
pub fn figure(value: &Value, pointer: &str) -> anyhow::Result<i64> {
    let found = value.pointer(pointer).and_then(Value::as_i64);
    found.with_context(|| format!("the answer has no figure `{pointer}`"))
}
