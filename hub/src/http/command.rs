//! Commands: changes by people, each with its idempotency key, transaction, audit entry and answer.

use crate::db::failure::Failure;
use crate::http::handler::{Answered, Request, answered};
use crate::state::hub::Hub;
use crate::state::idempotency::{self, Begun};
use crate::state::office_settings::OfficeSettings;
use crate::table::audit;
use domain::model::base::answer::Answer;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Principal;
use edge::identity::secrets::without;
use edge::{ApiError, Reply, clock, figures};
use futures_util::future::BoxFuture;
use jiff::civil::Date;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use sqlx::AnyConnection;
use std::collections::BTreeMap;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// A change by a person. Its fields come from the request.
pub trait Command: FromRequest + Send + 'static {
    /// Action in the audit log.
    const ACTION: &'static str;
    /// Secrets in the body: of these fields only the presence is fingerprinted for the idempotency key.
    const SECRETS: &'static [&'static str] = &[];
    /// Data of the answer.
    type Answer;

    /// Checks that need no transaction, before the idempotency key is looked up.
    ///
    /// # Errors
    /// 422.
    fn check(&self) -> Result<(), ApiError> {
        Ok(())
    }

    /// Makes the change in an open transaction. Its caller stores the answer under the idempotency key, appends the
    /// audit entry, commits and wakes the stores that wait for the feed.
    ///
    /// # Errors
    /// The refusal or failure; nothing is changed then.
    fn run(self, tx: &mut Tx<'_>) -> impl Future<Output = Result<Changed<Self::Answer>, Failure>> + Send;
}

/// Reads a command before its idempotency key is looked up: a malformed request is refused without a transaction.
pub trait FromRequest: Sized {
    /// # Errors
    /// 400, 422, or 404 for a path parameter that can't exist.
    fn from_request(request: &Request) -> impl Future<Output = Result<Self, Failure>> + Send;
}

impl<T: DeserializeOwned> FromRequest for T {
    async fn from_request(request: &Request) -> Result<Self, Failure> {
        Ok(request.json()?)
    }
}

/// An open transaction, with the context of its request.
pub struct Tx<'a> {
    /// Connection of the transaction.
    pub connection: &'a mut AnyConnection,
    /// Parameters of the path.
    pub path: PathParams<'a>,
    /// User who makes the request.
    pub caller: &'a Principal,
    /// Time of the change.
    pub now: UtcMs,
    /// Business day at head office.
    pub today: Date,
    /// State of this process, for its clock and limits. A command reads and writes through `connection` alone.
    pub hub: &'a Arc<Hub>,
    request: &'a Request,
}

/// Parameters of a path, percent-decoded.
#[derive(Clone, Copy)]
pub struct PathParams<'a>(&'a Request);

impl<'a> PathParams<'a> {
    /// The parameter of that name; the empty string if the pattern has none.
    pub fn get(self, name: &str) -> &'a str {
        self.0.param(name)
    }
}

impl Tx<'_> {
    /// Settings of the books and of purchasing.
    ///
    /// # Errors
    /// A database error.
    pub async fn settings(&mut self) -> Result<OfficeSettings, sqlx::Error> {
        self.hub.settings(self.connection).await
    }

    /// Names of the fields in the request body, for an audit entry that must not contain personal data.
    pub fn field_names(&self) -> Value {
        let body: BTreeMap<String, IgnoredAny> = self.request.json().unwrap_or_default();
        body.into_keys().collect::<Vec<_>>().into()
    }
}

/// Work after the commit.
type AfterCommit = Box<dyn FnOnce(Arc<Hub>) -> BoxFuture<'static, Result<(), Failure>> + Send>;

/// Result of a command: its answer, and the details of its audit entry.
pub struct Changed<T> {
    answer: Answer,
    details: Option<Value>,
    preview: bool,
    after_commit: Option<AfterCommit>,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize> Changed<T> {
    fn with(answer: Answer, details: Option<Value>) -> Self {
        Self { answer, details, preview: false, after_commit: None, of: PhantomData }
    }

    /// Answers 200.
    pub fn answer(data: &T, details: Value) -> Self {
        Self::with(Answer::ok(data), Some(details))
    }

    /// Answers 201 with the path of the created resource.
    pub fn created(location: String, data: &T, details: Value) -> Self {
        Self::with(Answer::created(location, data), Some(details))
    }

    /// Answers 200 with the document as it is now; the audit entry also has the fields that differ.
    pub fn document([before, after]: [&T; 2], details: Value) -> Self {
        Self::answer(after, audit::with_change(details, [before, after]))
    }

    /// Answers 200 without an audit entry: the command has appended its own, or nothing has changed.
    pub fn without_entry(data: &T) -> Self {
        Self::with(Answer::ok(data), None)
    }

    /// As [`Changed::without_entry`], but 201.
    pub fn created_without_entry(location: String, data: &T) -> Self {
        Self::with(Answer::created(location, data), None)
    }

    /// Answers 200, and nothing is committed.
    pub fn preview(data: &T) -> Self {
        Self { preview: true, ..Self::without_entry(data) }
    }

    /// Hides figures above the largest, which would otherwise refuse the change.
    #[must_use]
    pub fn with_hidden_figures(mut self) -> Self {
        figures::hide(&mut self.answer.body);
        self
    }
}

impl<T> Changed<T> {
    /// The same answer, whose schema is that of a `U`.
    pub fn described_as<U>(self) -> Changed<U> {
        let Self { answer, details, preview, after_commit, .. } = self;
        Changed { answer, details, preview, after_commit, of: PhantomData }
    }

    /// Runs this after the commit. If it fails, the failure is answered.
    #[must_use]
    pub fn then<F>(mut self, work: impl FnOnce(Arc<Hub>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.after_commit = Some(Box::new(move |hub| Box::pin(work(hub))));
        self
    }
}

/// Handler of a command.
pub fn command<C: Command>(request: Request) -> BoxFuture<'static, Result<Reply, ApiError>> {
    Box::pin(answered(request, run::<C>))
}

/// Runs a command for a handler that has checked whether it is one.
///
/// # Errors
/// The command's.
pub async fn run<C: Command>(mut request: Request) -> Answered {
    let command = C::from_request(&request).await?;
    command.check()?;
    if !C::SECRETS.is_empty() {
        request.body = without(&request, C::SECRETS)?.into();
    }
    let (hub, caller) = (&request.state, request.caller()?);
    let begun = idempotency::begin(&hub.db, &hub.running, &hub.fingerprints, &request, clock::now()).await?;
    let mut keyed = match begun {
        Begun::Before(reply) => return Ok(reply),
        Begun::Now(keyed) => keyed,
    };
    // In the transaction, which may have waited: a change must not look older than one that was read meanwhile.
    let now = clock::now();
    let mut tx = Tx {
        connection: &mut keyed.write,
        path: PathParams(&request),
        caller,
        now,
        today: hub.today(now),
        hub,
        request: &request,
    };
    let Changed { answer, details, preview, after_commit, .. } = command.run(&mut tx).await?;
    if preview {
        return Ok(answer.into());
    }
    if let Some(details) = details {
        // The end of the audit chain is locked last, after the rows and lanes of the change.
        audit::append(&mut keyed.write, &caller.user_id, C::ACTION, &details, clock::now()).await?;
    }
    let reply = keyed.finish(answer).await?;
    hub.wake_stores().await;
    if let Some(work) = after_commit {
        work(Arc::clone(hub)).await?;
    }
    Ok(reply)
}

/// Commands of one field, the request body that they share with others. They have no documentation of their own: it
/// would become a part of the body's schema.
macro_rules! with_body {
    ($($command:ident($body:ty)),+ $(,)?) => {$(
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $command($body);
    )+};
}
pub(crate) use with_body;

/// Commands whose request has no body, or `{}`: units.
macro_rules! without_body {
    ($($command:ident),+ $(,)?) => {$(
        pub struct $command;

        impl $crate::http::command::FromRequest for $command {
            async fn from_request(
                request: &$crate::http::Request,
            ) -> Result<Self, $crate::db::failure::Failure> {
                let edge::identity::EmptyBody {} = request.json()?;
                Ok(Self)
            }
        }
    )+};
}
pub(crate) use without_body;
