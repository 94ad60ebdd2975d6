//! Applies records of the feed to the store.
//!
//! Every record except a product is also stored unchanged. A record that this version can't use or does not know is
//! stored and noted; it never stops the feed.

use crate::runtime::context::Context;
use crate::runtime::decide::sync_event;
use domain::model::base::event::Event;
use domain::model::base::ids::{Sku, UserId};
use domain::model::base::refusal::Refusal;
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::{Change as Kept, Inbound, OwnWrite, Unsupported as Note};
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::user::User;
use domain::model::people::user::costs::Costs;
use domain::wire::feed::check::Own;
use domain::wire::feed::{Change, Kind, MemberDown, PointsDown, RegisterDown, STORE_SETTINGS, check};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use storage::{Storage, StorageError};

/// Kinds whose changes are skipped if the version is not newer. Balances, fields of members and settings have their
/// own rules.
const BY_VERSION: [Kind; 8] = [
    Kind::User,
    Kind::TokenRevocation,
    Kind::Price,
    Kind::Promotion,
    Kind::Supplier,
    Kind::PurchaseOrder,
    Kind::Transfer,
    Kind::Register,
];

mod deleted;
mod settings;
mod stock_documents;
mod trade;
mod users_and_members;

pub(crate) use deleted::{DeletedRecords, key};

/// Own writes that are settled in one commit.
pub(crate) const SETTLED_AT_ONCE: usize = 500;

/// Most characters shown of an ID that can't be stored.
const SHOWN_CHARS: usize = check::RECORD_ID_BYTES_MAX;

/// Reason why a record can't be taken.
#[derive(Debug, thiserror::Error)]
enum Untaken {
    #[error("it can't be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("{0}")]
    Unusable(&'static str),
    #[error("{}", .0.words())]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Name(String),
    /// The rest of the record counts.
    #[error("{}", .0.words())]
    InPart(Refusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// The changes of one commit. Later changes see the effects of earlier ones.
pub(crate) struct Page<'a> {
    storage: &'a Storage,
    rules: Arc<Rules>,
    now: UtcMs,
    events: Vec<Event>,
    /// Transfers for the ledger, each with the record that it came in.
    transfers: Vec<(Change, Transfer)>,
    registers: Vec<(Change, RegisterDown)>,
    points: Vec<PointsDown>,
    /// Members for the members' owner.
    members: Vec<(Change, MemberDown)>,
    settings: BTreeMap<Sku, ProductSettings>,
    users: BTreeMap<UserId, User>,
    /// Newly found users with a login name that head office gives to another user.
    holders: Vec<User>,
    /// The most that a password hash may cost.
    costs_max: Costs,
    revoked: BTreeMap<UserId, u64>,
    /// Records of this page that can't be used.
    untaken: HashSet<(String, String)>,
    /// Records after this page; `None` if the record is deleted.
    kept: BTreeMap<(String, String), Option<Inbound>>,
    /// Whether the page comes from a restored hub. Earlier versions count then, too.
    new_generation: bool,
}

/// The parts of a page by the owner that writes them. `events` go into one commit with the page's cursor, after the
/// owners of the other parts have committed theirs. If it is interrupted in between, the page is read again and
/// changes nothing for those owners.
pub(crate) struct Parts {
    pub(crate) events: Vec<Event>,
    pub(crate) transfers: Vec<(Change, Transfer)>,
    pub(crate) registers: Vec<(Change, RegisterDown)>,
    pub(crate) points: Vec<PointsDown>,
    pub(crate) members: Vec<(Change, MemberDown)>,
    pub(crate) holders: Vec<User>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(context: &'a Context) -> Self {
        Self {
            storage: &context.storage,
            rules: context.rules.now(),
            now: context.stamps.now(),
            events: Vec::new(),
            transfers: Vec::new(),
            registers: Vec::new(),
            points: Vec::new(),
            members: Vec::new(),
            settings: BTreeMap::new(),
            users: BTreeMap::new(),
            holders: Vec::new(),
            costs_max: context.config.sync.costs_max,
            revoked: BTreeMap::new(),
            untaken: HashSet::new(),
            kept: BTreeMap::new(),
            new_generation: false,
        }
    }

    /// The same from a restored hub, if it is one.
    pub(crate) fn of(context: &'a Context, new_generation: bool) -> Self {
        Self { new_generation, ..Self::new(context) }
    }

    pub(crate) fn end(self) -> Parts {
        let Self { events, transfers, registers, points, members, holders, .. } = self;
        Parts { events, transfers, registers, points, members, holders }
    }

    /// Applies a change, or notes that it can't be used.
    ///
    /// # Errors
    /// The rows can't be read.
    pub(crate) fn take(&mut self, change: &Change) -> Result<(), StorageError> {
        if let Err(problem) = check::envelope(change) {
            // Too large, or with an ID that can't be stored: only a note is kept.
            self.events.push(noted(&shortened(change), problem.words(), self.now));
            return Ok(());
        }
        if self.is_no_news(change)? {
            return Ok(());
        }
        match self.apply(change) {
            Ok(()) => self.forget_note(change)?,
            Err(Untaken::Storage(error)) => return Err(error),
            Err(problem) => {
                let counts = matches!(problem, Untaken::Name(_) | Untaken::InPart(_));
                self.note(change, problem.to_string());
                // An unusable record does not replace an earlier record of head office about a user or the store's
                // settings, which stays in force.
                let stays = is_of_people(change) || is_of_store(&change.kind, &change.id);
                if !counts && stays && self.inbound(&change.kind, &change.id)?.is_some() {
                    return Ok(());
                }
            }
        }
        if change.kind != Kind::Product.name() {
            self.keep(change);
        }
        Ok(())
    }

    fn own(&self) -> Own<'_> {
        Own { store_id: &self.rules.store_id, costs_max: self.costs_max }
    }

    fn apply(&mut self, change: &Change) -> Result<(), Untaken> {
        let Some(kind) = Kind::of(&change.kind) else {
            return Err(Untaken::Unusable("this version does not know the kind"));
        };
        match kind {
            Kind::Product => self.product(change),
            Kind::Store => self.store(change),
            Kind::Price => self.price(change),
            Kind::Promotion => self.promotion(change),
            Kind::User => self.user(change),
            Kind::TokenRevocation => self.revocation(change),
            Kind::Supplier => self.supplier(change),
            Kind::PurchaseOrder => self.order(change),
            Kind::Transfer => self.transfer(change),
            Kind::Member => self.member(change),
            Kind::Points => self.points(change),
            Kind::Settings if change.id == STORE_SETTINGS => self.store_settings(change),
            Kind::Settings => self.setting(change),
            Kind::Register => self.register(change),
        }
    }

    fn push(&mut self, kept: Kept) {
        self.events.push(sync_event(kept));
    }

    /// A record of the feed as it was kept, here or by an earlier page.
    fn inbound(&self, kind: &str, id: &str) -> Result<Option<Inbound>, StorageError> {
        match self.kept.get(&(kind.to_owned(), id.to_owned())) {
            Some(kept) => Ok(kept.clone()),
            None => self.storage.sync().inbound(kind, id),
        }
    }

    /// Whether this version or a later one was applied, so that reading the feed again changes nothing. A record that
    /// could not be used is tried again, whatever its version.
    fn is_no_news(&self, change: &Change) -> Result<bool, StorageError> {
        if !BY_VERSION.iter().any(|kind| kind.name() == change.kind) {
            return Ok(false);
        }
        let Some(kept) = self.inbound(&change.kind, &change.id)? else { return Ok(false) };
        let same = !change.deleted && kept == inbound_of(change);
        let old = !self.new_generation && kept.version > change.version;
        Ok((same || old) && !self.is_noted(&change.kind, &change.id)?)
    }

    /// Whether it is noted as one that can't be used.
    fn is_noted(&self, kind: &str, id: &str) -> Result<bool, StorageError> {
        let here = self.untaken.contains(&(kind.to_owned(), id.to_owned()));
        Ok(here || self.storage.sync().is_untaken(kind, id)?)
    }

    fn keep(&mut self, change: &Change) {
        let (kind, id) = (change.kind.clone(), change.id.clone());
        let kept = (!change.deleted).then(|| inbound_of(change));
        self.kept.insert((kind.clone(), id.clone()), kept);
        match change.deleted {
            true => self.push(Kept::Gone { kind, id }),
            false => self.events.push(pulled(change)),
        }
    }

    fn note(&mut self, change: &Change, problem: String) {
        self.untaken.insert((change.kind.clone(), change.id.clone()));
        self.events.push(noted(change, problem, self.now));
        if change.kind == Kind::Product.name() {
            self.keep(change);
        }
    }

    /// Removes the note of a record that is usable now, by a newer version of the record or of the program.
    fn forget_note(&mut self, change: &Change) -> Result<(), StorageError> {
        let (kind, id) = (change.kind.clone(), change.id.clone());
        let noted = self.untaken.remove(&(kind.clone(), id.clone()));
        if noted || self.storage.sync().is_untaken(&kind, &id)? {
            if kind == Kind::Product.name() {
                self.push(Kept::Gone { kind: kind.clone(), id: id.clone() });
            }
            self.push(Kept::Taken { kind, id });
        }
        Ok(())
    }

    /// The payload of a change. For a deletion without a payload, the payload as it was stored.
    fn payload<T: DeserializeOwned>(&self, change: &Change) -> Result<T, Untaken> {
        if change.deleted && change.payload.is_null() {
            let kept = self.inbound(&change.kind, &change.id)?;
            let kept = kept.ok_or(Untaken::Unusable("it was deleted and was never here"))?;
            return Ok(serde_json::from_value(kept.payload)?);
        }
        Ok(serde_json::from_value(change.payload.clone())?)
    }
}

/// A record as it came.
pub(crate) fn pulled(change: &Change) -> Event {
    sync_event(Kept::Pulled { record: inbound_of(change) })
}

fn inbound_of(change: &Change) -> Inbound {
    let Change { kind, id, version, effective_at, payload, .. } = change.clone();
    Inbound { kind, id, version, effective_at, payload }
}

/// Whether a record is about the rights of a user.
pub(crate) fn is_of_people(change: &Change) -> bool {
    [Kind::User, Kind::TokenRevocation].map(Kind::name).contains(&change.kind.as_str())
}

/// Whether a record has the settings that head office sets for the store.
pub(crate) fn is_of_store(kind: &str, id: &str) -> bool {
    kind == Kind::Settings.name() && id == STORE_SETTINGS
}

/// A record that can't be stored, with its ID shortened for display.
fn shortened(change: &Change) -> Change {
    let short = |text: &str| text.chars().filter(|c| !c.is_control()).take(SHOWN_CHARS).collect::<String>();
    Change {
        kind: short(&change.kind),
        id: short(&change.id),
        version: short(&change.version),
        cursor: String::new(),
        deleted: change.deleted,
        payload: serde_json::Value::Null,
        effective_at: None,
    }
}

/// Note of the reason why a record can't be used, for people.
pub(crate) fn noted(change: &Change, problem: String, at: UtcMs) -> Event {
    let Change { kind, id, version, .. } = change.clone();
    tracing::warn!(kind, id, problem, "a record of the feed can't be used");
    sync_event(Kept::Untaken { note: Note { kind, id, version, problem, at } })
}

/// A record as the feed sent it.
pub(crate) fn as_change(kept: Inbound) -> Change {
    let Inbound { kind, id, version, effective_at, payload } = kept;
    Change { cursor: String::new(), kind, id, version, deleted: false, effective_at, payload }
}

/// The stored record with the result of a write; `None` if the feed has not brought it, and the stored one is older
/// than the write.
pub(crate) fn kept_outcome(storage: &Storage, write: &OwnWrite) -> Result<Option<Inbound>, StorageError> {
    let kept = storage.sync().inbound(&write.kind, &write.id)?;
    Ok(kept.filter(|kept| kept.version >= write.version))
}
