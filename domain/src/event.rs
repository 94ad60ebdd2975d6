//! Events: the facts that local state folds.
//!
//! Every event carries the rows as they are **afterwards** (absolute values): applying one never
//! reads what was there before, so replaying it twice, or over a newer row that is about to be
//! replayed too, gives the same state.

use crate::ids::{EventId, SessionId};
use crate::product::Product;
use crate::receiving::Receiving;
use crate::register::{Counters, Register};
use crate::shift::Shift;
use crate::stock::{Movement, Stock};
use crate::transaction::Transaction;
use crate::user::{Session, User, rotation::Rotation};
use serde::{Deserialize, Serialize};

/// A stored fact. Stored as JSON inside a frame, so fields may be added with a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A basket was made, or something of it was paid: `open` or `partially_paid`.
    TransactionOpen {
        /// The transaction as it is now.
        transaction: Box<Transaction>,
        /// Its shift as it is now; present when money moved.
        shift: Option<Box<Shift>>,
    },
    /// A sale was completed.
    TransactionPaid {
        /// The sale.
        transaction: Box<Transaction>,
        /// Its goods going out: one per line of a product that stock is kept for.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
        /// Its shift afterwards.
        shift: Box<Shift>,
        /// Its register's counters afterwards.
        counters: Counters,
    },
    /// A shift was opened.
    ShiftOpened {
        /// The shift.
        shift: Box<Shift>,
        /// Its register, perhaps new.
        register: Register,
    },
    /// A shift was closed.
    ShiftClosed {
        /// The shift.
        shift: Box<Shift>,
        /// Its register's counters afterwards.
        counters: Counters,
        /// Open transactions that the close voided (`void_open`).
        voided: Vec<Transaction>,
    },
    /// A supplier's goods were received.
    ReceivingPosted {
        /// The document.
        receiving: Box<Receiving>,
        /// Its movements, one per line with accepted pieces.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// The first stock of skus was taken into the books.
    StockOpened {
        /// One movement per sku.
        movements: Vec<Movement>,
        /// The stock rows afterwards, one per sku.
        stock: Vec<Stock>,
    },
    /// The store was restored from a backup: what was open then is read-only from now on, and receipts
    /// are counted anew in the epoch that begins with it.
    Restored {
        /// The shifts that were open, interrupted.
        shifts: Vec<Shift>,
        /// Every register's counters afterwards.
        counters: Vec<Counters>,
    },
    /// A product was made or changed.
    ProductChanged {
        /// The product as it is now.
        product: Product,
    },
    /// A user was made or changed.
    UserChanged {
        /// The user as it is now.
        user: User,
    },
    /// Somebody logged in.
    SessionOpened {
        /// The session.
        session: Session,
        /// Sessions of anybody that had expired by then: they go.
        #[serde(default)]
        expired: Vec<SessionId>,
    },
    /// A session's refresh token was spent for the next one.
    SessionRefreshed {
        /// The session as it is now.
        session: Session,
        /// Its living token.
        rotation: Rotation,
    },
    /// A session ended.
    SessionClosed {
        /// Which.
        session_id: SessionId,
    },
    /// The store was enrolled at a hub.
    HubEnrolled {
        /// Where and as whom.
        hub: HubIdentity,
    },
    /// A new epoch began: later records have it, with seq from 1.
    EpochOpened {
        /// `<n>-<16 hex>`.
        epoch: String,
    },
    /// The hub acknowledged records.
    RecordsAcknowledged {
        /// The mark as it is now.
        mark: AckMark,
    },
    /// A page of the hub's feed was applied; the changes are events of the same commit.
    FeedApplied {
        /// Where to go on.
        cursor: String,
        /// The hub's time of the page, for "how fresh is this".
        hub_time: crate::time::UtcMs,
    },
}

/// The hub that a store belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubIdentity {
    /// The hub's id: the audience of the store's tokens.
    pub hub_id: String,
    /// Its address.
    pub url: String,
    /// Its generation at the last hello.
    pub generation: String,
}

/// How far the hub has acknowledged an epoch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AckMark {
    /// The epoch.
    pub epoch: String,
    /// The last acknowledged seq; 0: none.
    pub seq: u64,
    /// Its hash; 64 zeros: none.
    pub hash: String,
    /// The hub's stable seq.
    pub stable_seq: u64,
}

/// What tells one fact apart from every other: given at the edge, an argument of every rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Wall-clock time of the fact.
    pub now: crate::time::UtcMs,
    /// The hybrid clock's tick for it.
    pub at: String,
    /// The record's id.
    pub event_id: EventId,
}
