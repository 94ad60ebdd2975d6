//! Calls to the hub: bounded in time and size, and trusted only when they are the hub's own JSON.

use crate::config::{SyncConfig, TimeChallenge};
use domain::model::base::limits::ITEMS_MAX;
use domain::model::base::refusal::ReturnLeft;
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::HubIdentity;
use domain::rules::hub::sync::session::{AfterRefusal, decide_after_refusal};
use domain::wire::feed::PullAnswer;
use domain::wire::feed::check::MOMENTS;
use domain::wire::json::check_keys;
use domain::wire::sync::sound::{CHANGES_MAX, Sound};
use domain::wire::sync::{
    Digest, DigestAnswer, FindMember, FoundMember, Hello, HelloAnswer, OwnAnswer, Push, PushAnswer,
    ReleaseReceipt, ReleasedReceipt, ReserveReceipt, ReservedReceipt, SnapshotAnswer,
};
use reqwest::{Certificate, Client, ClientBuilder, RequestBuilder, Response, StatusCode, header};
use serde::{Deserialize, de::DeserializeOwned};
use std::time::Duration;

mod hub_time;

use hub_time::{Details, HubTime};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Time that a till waits for the check of a receipt that comes back.
const RECEIPT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time that a till waits for a member that is not found here, until it is taken in.
pub(crate) const MEMBER_TIMEOUT: Duration = Duration::from_millis(500);
/// The largest answer that is read: a page of the feed.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Longest part of the hub's error message that is kept and shown.
const MESSAGE_CHARS_MAX: usize = 500;
/// The longest path and sku of a line that is refused, in bytes.
const TEXT_BYTES_MAX: usize = 64;
/// The code of more pieces than a sale has left.
const RETURN_EXCEEDS_SOLD: &str = "return_exceeds_sold";
/// Changes asked for at once.
pub(crate) const PULL_CHANGES_MAX: usize = CHANGES_MAX;

/// Reason why a call failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CallError {
    pub(crate) cause: Cause,
    pub(crate) message: String,
}

/// Kind of failure, which determines the reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Not reachable, too slow, not the hub, or the hub requests a wait: try again.
    Transient { retry_after: Option<Duration> },
    /// The hub does not know this cursor: read the feed from its beginning.
    ResyncRequired,
    /// The hub has not heard of this session: hello again.
    HelloFirst,
    /// Another copy of this store is the shop.
    Fenced,
    /// Another box was enrolled for this store at that time of the hub.
    Replaced { at: UtcMs },
    /// The hub has another history: the next hello finds out.
    Diverged,
    /// Resending can't cure it.
    Rejected,
    /// The hub refused the request with this code.
    Refused(String),
    /// More pieces would come back than other stores have left of the sale: line by line.
    Exceeded(Vec<ReturnLeft>),
}

impl CallError {
    pub(crate) fn transient(message: impl Into<String>) -> Self {
        Self { cause: Cause::Transient { retry_after: None }, message: message.into() }
    }

    pub(crate) fn fenced() -> Self {
        let message = "another copy of this store has taken over, so this one can't sell: run `store-router \
            rejoin` to make this copy the store again";
        Self { cause: Cause::Fenced, message: message.to_owned() }
    }

    pub(crate) fn diverged() -> Self {
        let message = "the hub's records of this store differ from this copy's";
        Self { cause: Cause::Diverged, message: message.to_owned() }
    }

    /// The answer came from another generation than the last hello's.
    pub(crate) fn other_generation() -> Self {
        Self { cause: Cause::HelloFirst, message: "the hub was restored: sending a hello again".to_owned() }
    }

    /// A cursor that is not ours to forget: a failure like any other.
    pub(crate) fn again(self) -> Self {
        match self.cause {
            Cause::ResyncRequired => Self { cause: Cause::Transient { retry_after: None }, ..self },
            _ => self,
        }
    }

    pub(crate) fn rejected(message: impl Into<String>) -> Self {
        Self { cause: Cause::Rejected, message: message.into() }
    }
}

/// The records needed of the journal can't be read: sending again can't cure it, and selling continues.
impl From<storage::StorageError> for CallError {
    fn from(error: storage::StorageError) -> Self {
        Self::rejected(format!("the store's own records can't be read: {error}"))
    }
}

/// The submitted commit is found in the rows by the next attempt.
impl From<storage::Unconfirmed> for CallError {
    fn from(unconfirmed: storage::Unconfirmed) -> Self {
        Self::transient(unconfirmed.to_string())
    }
}

/// A client that trusts certificates of this authority (PEM) only, or those of the system; no plain text if the address
/// has `https`, and TLS 1.2 at least.
///
/// # Errors
/// The authority is no certificate.
pub fn trusting(client: ClientBuilder, authority: Option<&[u8]>) -> reqwest::Result<ClientBuilder> {
    let client = client.tls_version_min(reqwest::tls::Version::TLS_1_2);
    match authority {
        Some(pem) => Ok(client.tls_certs_only(Certificate::from_pem_bundle(pem)?)),
        None => Ok(client),
    }
}

/// One hub, one connection pool.
#[derive(Clone)]
pub(crate) struct HubClient {
    http: Client,
    hub: HubIdentity,
    config: SyncConfig,
    time: HubTime,
}

#[derive(Deserialize)]
struct Envelope<T> {
    success: bool,
    data: T,
}

#[derive(Deserialize)]
struct FailureEnvelope {
    error: FailureBody,
}

#[derive(Deserialize)]
struct FailureBody {
    code: String,
    message: String,
    #[serde(default)]
    details: Details,
}

impl HubClient {
    pub(crate) fn new(hub: HubIdentity, config: SyncConfig) -> Result<Self, CallError> {
        let http = trusting(Client::builder(), config.authority.as_deref())
            .map_err(|error| CallError::rejected(format!("hub.ca_cert can't be used: {error}")))?
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            // A redirect is a captive portal, never the hub.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| CallError::rejected(format!("the HTTP client could not be made: {error}")))?;
        Ok(Self { http, hub, config, time: HubTime::default() })
    }

    pub(crate) async fn hello(&self, hello: &Hello) -> Result<HelloAnswer, CallError> {
        self.call(self.http.post(self.url("/api/sync/hello")).json(hello)).await
    }

    /// Packed: a batch is mostly the same words again and again.
    pub(crate) async fn push(&self, push: Push) -> Result<PushAnswer, CallError> {
        let pack = move || -> std::io::Result<Vec<u8>> {
            let text = serde_json::to_vec(&push)?;
            zstd::encode_all(text.as_slice(), zstd::DEFAULT_COMPRESSION_LEVEL)
        };
        let packed = tokio::task::spawn_blocking(pack).await.map_err(std::io::Error::other);
        let packed = packed
            .and_then(|packed| packed)
            .map_err(|error| CallError::transient(format!("the batch could not be packed: {error}")))?;
        let request = self.http.post(self.url("/api/sync/push")).body(packed);
        let json = request.header(header::CONTENT_TYPE, "application/json");
        self.call(json.header(header::CONTENT_ENCODING, "zstd")).await
    }

    /// Records of an epoch after a seq, back from the hub.
    pub(crate) async fn download_history(&self, epoch: &str, after: u64) -> Result<OwnAnswer, CallError> {
        let query = format!("?epoch={}&after={after}", safe(epoch));
        self.call(self.http.get(self.url("/api/sync/own") + &query)).await
    }

    /// A page of a lane as it is now.
    pub(crate) async fn snapshot(&self, lane: &str, page: Option<&str>) -> Result<SnapshotAnswer, CallError> {
        let mut query = format!("?lane={lane}&limit={PULL_CHANGES_MAX}");
        if let Some(page) = page {
            query.push_str("&page=");
            query.push_str(&safe(page));
        }
        self.call(self.http.get(self.url("/api/sync/snapshot") + &query)).await
    }

    /// Whether the hub counts the same of a business day.
    pub(crate) async fn digest(&self, digest: &Digest) -> Result<DigestAnswer, CallError> {
        self.call(self.http.post(self.url("/api/sync/digest")).json(digest)).await
    }

    /// Changes of a lane after a cursor; the hub waits up to `wait` for one.
    pub(crate) async fn pull(
        &self,
        lane: &str,
        cursor: Option<&str>,
        wait: Duration,
    ) -> Result<PullAnswer, CallError> {
        let mut query = format!("?lane={lane}&limit={PULL_CHANGES_MAX}&wait={}", wait.as_secs());
        if let Some(cursor) = cursor {
            query.push_str("&cursor=");
            query.push_str(&safe(cursor));
        }
        let request = self.http.get(self.url("/api/sync/pull") + &query);
        self.call(request.timeout(REQUEST_TIMEOUT.saturating_add(wait))).await
    }

    /// Reserves pieces of a sale, be it another store's or an own one: a till waits for it, so it is given
    /// little time.
    pub(crate) async fn reserve(&self, ask: &ReserveReceipt) -> Result<ReservedReceipt, CallError> {
        let request = self.http.post(self.url("/api/sync/receipts/reserve")).json(ask);
        self.call(request.timeout(RECEIPT_TIMEOUT)).await
    }

    /// A member that is not found here: a till waits for it.
    pub(crate) async fn find_member(&self, ask: &FindMember) -> Result<FoundMember, CallError> {
        let request = self.http.post(self.url("/api/sync/members")).json(ask);
        self.call(request.timeout(MEMBER_TIMEOUT)).await
    }

    /// Gives reserved pieces free.
    pub(crate) async fn release(&self, ask: &ReleaseReceipt) -> Result<ReleasedReceipt, CallError> {
        self.call(self.http.post(self.url("/api/sync/receipts/release")).json(ask)).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.hub.url.trim_end_matches('/'))
    }

    async fn call<T: DeserializeOwned + Sound>(&self, request: RequestBuilder) -> Result<T, CallError> {
        let again = request.try_clone();
        let response = self.send(request).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return self.answer(response).await;
        }
        let (error, hub_challenge) = self.refusal(response).await;
        match (error.cause == Cause::Rejected, again, hub_challenge) {
            // The hub itself, not a proxy: the cause may be our clock, so try once more with the hub's.
            (true, Some(again), Some(hub_challenge)) => {
                self.time.set(hub_challenge);
                self.answer(self.send(again).await?).await
            }
            _ => Err(error),
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, CallError> {
        let token = (self.config.token)(&self.hub.hub_id, self.time.now().as_ref())
            .ok_or_else(|| CallError::rejected("the sync key could not sign"))?;
        request.bearer_auth(token).send().await.map_err(|error| CallError::transient(chain(&error)))
    }

    async fn answer<T: DeserializeOwned + Sound>(&self, response: Response) -> Result<T, CallError> {
        if response.status().is_success() {
            data(response).await
        } else {
            Err(self.refusal(response).await.0)
        }
    }

    /// Error of a refused call, with the challenge that tokens are to be signed with if the hub gives one.
    async fn refusal(&self, response: Response) -> (CallError, Option<TimeChallenge>) {
        let status = response.status();
        let retry_after = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(Duration::from_secs);
        let parsed = match body(response).await {
            Ok(body) => serde_json::from_slice::<FailureEnvelope>(&body).ok(),
            Err(error) => {
                return (CallError { message: format!("{status}: {}", error.message), ..error }, None);
            }
        };
        let Some(FailureEnvelope { error }) = parsed else {
            return (CallError::transient(format!("{status} from a server that is not the hub")), None);
        };
        let message = format!("{}: {}", error.code, error.message);
        let message: String = message.chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS_MAX).collect();
        let error_of = match cause(status, &error.code, retry_after) {
            Cause::Refused(code) if code == RETURN_EXCEEDS_SOLD => {
                let items = error.details.items.iter().take(ITEMS_MAX);
                let short = |item: &ReturnLeft| item.path.len().max(item.sku.len()) <= TEXT_BYTES_MAX;
                let items =
                    items.filter_map(|item| ReturnLeft::deserialize(item).ok()).filter(short).collect();
                CallError { cause: Cause::Exceeded(items), message }
            }
            Cause::Fenced => CallError::fenced(),
            // The answer passed the enrolment of this very box: the next call is signed with the new key.
            Cause::Replaced { .. }
                if error.details.replaced_by.as_deref().is_some_and(&*self.config.own_key) =>
            {
                CallError::transient(message)
            }
            Cause::Replaced { .. } => {
                let at = error.details.replaced_at.filter(|at| MOMENTS.contains(&at.0)).unwrap_or_default();
                CallError { cause: Cause::Replaced { at }, message }
            }
            cause => CallError { cause, message },
        };
        (error_of, error.details.challenge())
    }
}

/// Cursors and epochs are URL-safe by contract; anything else is kept out of the query.
fn safe(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.~".contains(*c)).collect()
}

/// An error with its causes, since reqwest's own text names only the URL.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

async fn data<T: DeserializeOwned + Sound>(response: Response) -> Result<T, CallError> {
    let body = body(response).await?;
    check_keys(&body)
        .map_err(|error| CallError::transient(format!("the answer is not from the hub: {error}")))?;
    let envelope: Envelope<T> = serde_json::from_slice(&body)
        .map_err(|error| CallError::transient(format!("the answer is not from the hub: {error}")))?;
    if !envelope.success {
        return Err(CallError::transient("the answer is not from the hub"));
    }
    let beyond = |problem| CallError::transient(format!("the hub's answer can't be used: {problem}"));
    envelope.data.sound().map_err(beyond).map(|()| envelope.data)
}

async fn body(mut response: Response) -> Result<Vec<u8>, CallError> {
    let json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !json {
        return Err(CallError::transient("the answer is not JSON: is a captive portal or proxy in between?"));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| CallError::transient(chain(&error)))? {
        if body.len().saturating_add(chunk.len()) > ANSWER_BYTES_MAX {
            return Err(CallError::transient("the answer is too large"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn cause(status: StatusCode, code: &str, retry_after: Option<Duration>) -> Cause {
    match (status, code) {
        (_, "resync_required") => Cause::ResyncRequired,
        (_, code) if decide_after_refusal(code) != AfterRefusal::Rejected => match decide_after_refusal(code)
        {
            AfterRefusal::Fence => Cause::Fenced,
            AfterRefusal::Replaced => Cause::Replaced { at: UtcMs::default() },
            AfterRefusal::ReportDivergence => Cause::Diverged,
            AfterRefusal::SayHello | AfterRefusal::Rejected => Cause::HelloFirst,
        },
        (StatusCode::UNPROCESSABLE_ENTITY, "validation_failed" | RETURN_EXCEEDS_SOLD) => {
            Cause::Refused(code.to_owned())
        }
        // Three of them halve the batch.
        (StatusCode::PAYLOAD_TOO_LARGE, _) => Cause::Transient { retry_after },
        (status, _) if status.is_server_error() => Cause::Transient { retry_after },
        (StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT, _) => Cause::Transient { retry_after },
        _ => Cause::Rejected,
    }
}
