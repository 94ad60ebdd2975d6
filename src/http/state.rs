//! State shared by handlers, and the user of a bearer token.

use crate::http::failure::stored;
use crate::http::operation::admin::Admin;
use crate::http::operation::events;
use crate::http::operation::reports::Gate;
use crate::printing::Printers;
use crate::receipt::{Language, ReceiptHeader};
use actors::StoreHandle;
use domain::model::base::currency::Currency;
use domain::model::base::ids::{SessionId, UserId};
use domain::model::base::settings::ReceiptTexts;
use domain::model::people::user::Principal;
use edge::event_stream::{EventBuffer, Streams};
use edge::identity::ticket::SpentTickets;
use edge::identity::{self, Identity};
use edge::rate_limit::RateLimits;
use edge::tokens::Claims;
use edge::{Access, ApiError, Authority};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use storage::Noticed;
use tokio::sync::watch;

/// Most callers that are remembered.
const CALLERS_MAX: usize = 1_000;

/// Callers by the ID of their token, and the version of users and sessions that they were read at.
type Callers = HashMap<String, (u64, Arc<Principal>)>;

/// The running shop, as its HTTP interface sees it.
pub struct AppState {
    /// The one door into the actors, and storage for reads.
    pub store: StoreHandle,
    /// Keys, hashes, ceremonies: identities.
    pub identity: Identity,
    pub admin: Admin,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Language of receipts and shift reports.
    pub language: Language,
    /// The tills' own printers.
    pub printers: Printers,
    /// The places of reports.
    pub reports: Gate,
    /// Latest notices for screens.
    pub buffer: EventBuffer<Noticed>,
    pub streams: Streams,
    /// Tickets of streams that were used.
    pub tickets: SpentTickets,
    callers: Mutex<Callers>,
    started: Instant,
    draining: watch::Sender<bool>,
}

impl AppState {
    /// A shop that starts now.
    pub fn new(
        store: StoreHandle,
        identity: Identity,
        admin: Admin,
        (currency, language): (Currency, Language),
        printers: Printers,
    ) -> Self {
        let tickets = SpentTickets::since(identity.now());
        let buffer = events::buffer(store.storage().head().lsn);
        Self {
            store,
            identity,
            admin,
            currency,
            language,
            printers,
            reports: Gate::default(),
            buffer,
            streams: events::streams(),
            tickets,
            callers: Mutex::default(),
            started: Instant::now(),
            draining: watch::Sender::new(false),
        }
    }

    /// Header of a receipt that is printed now.
    pub fn receipt_header(&self) -> ReceiptHeader {
        let rules = self.store.rules();
        let mut texts = ReceiptTexts::clone(&rules.policy.receipt);
        if texts.name.is_empty() {
            // A customer who comes back must be able to see where the goods were sold.
            texts.name = format!("Store {}", rules.store_id);
        }
        ReceiptHeader { texts, currency: self.currency, language: self.language }
    }

    /// Seconds since the start.
    pub fn uptime_s(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    /// Says that the daemon is stopping: no longer ready.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Whether the daemon is stopping.
    pub fn draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Resolves when the daemon is stopping.
    pub async fn stopping(&self) {
        // The sender is this shop's own.
        let _ = self.draining.subscribe().wait_for(|draining| *draining).await;
    }

    /// The caller behind the claims of a token that we signed and that is alive.
    pub(super) fn holder_of(&self, claims: &Claims) -> Result<Arc<Principal>, ApiError> {
        let storage = self.store.storage();
        // Before the rows are read: later changes are newer.
        let version = storage.users().version();
        if let Some(caller) = self.callers().get(&claims.jti).filter(|known| known.0 == version) {
            return Ok(Arc::clone(&caller.1));
        }
        let session = storage.users().session(&SessionId(claims.sid.clone())).map_err(stored)?;
        let user = storage.users().user(&UserId(claims.sub.clone())).map_err(stored)?;
        let caller = Arc::new(identity::caller(claims, session, user)?);
        let mut callers = self.callers();
        if callers.len() >= CALLERS_MAX {
            callers.clear();
        }
        callers.insert(claims.jti.clone(), (version, Arc::clone(&caller)));
        Ok(caller)
    }

    fn callers(&self) -> MutexGuard<'_, Callers> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Authority for AppState {
    async fn authenticate(&self, bearer: &str, access: &Access) -> Result<Arc<Principal>, ApiError> {
        match access {
            // This store serves no other store; a sync token opens nothing here.
            Access::SyncToken => Err(ApiError::invalid_token()),
            Access::Public | Access::LoopbackOr(_) | Access::Roles(_) | Access::CookieOr(_) => {
                let claims = self.identity.claims(bearer)?;
                self.holder_of(&claims)
            }
        }
    }

    fn usual_addresses(&self) -> Vec<IpAddr> {
        self.identity.limiter.usual_addresses()
    }

    fn rate_limits(&self, address: IpAddr) -> Option<RateLimits> {
        Some(self.identity.rate_limits(address))
    }

    fn denied(&self, caller: &Principal, pattern: &'static str, address: IpAddr) {
        self.identity.denied(caller, pattern, address);
    }
}
