//! A store in memory: its disk, the state that is lost with its process, and the actions of people there.

use super::broken::Broken;
use super::feed::{Bookmark, Page};
use domain::model::base::ids::{EventId, MemberId, Sku, TransferId, UserId};
use domain::model::base::patch::Given;
use domain::model::base::settings::Rules;
use domain::model::base::time::UtcMs;
use domain::model::books::ledger::LedgerBook;
use domain::model::hub::hlc::Clock;
use domain::model::hub::stamp::Stamp;
use domain::model::hub::sync::local::{Inbound, OwnWrite};
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::inventory::transfer::Transfer;
use domain::model::people::authorization::Authorization;
use domain::model::people::member::MemberBook;
use domain::model::people::user::User;
use domain::rules::inventory::product_settings;
use domain::rules::inventory::product_settings::ChangeProductSettings;
use domain::rules::people::member;
use domain::rules::people::member::ChangeMember;
use domain::wire::feed::Change;
use domain::wire::record;
use domain::wire::record::{ProductSettingsChanged, Record};
use serde_json::Value;
use std::collections::BTreeMap;
use testkit::shop::{boss, rules};

/// The product whose settings are changed.
pub const SKU: &str = "a";

/// The process died before the commit.
#[derive(Debug)]
pub struct Died;

#[derive(Clone, Default)]
pub struct Disk {
    /// The highest stamp that is stored.
    pub hlc: Option<String>,
    /// The numbered records.
    pub log: Vec<String>,
    pub acked: usize,
    pub generation: String,
    pub cursors: BTreeMap<&'static str, String>,
    pub inbound: BTreeMap<(String, String), Inbound>,
    pub members: MemberBook,
    pub settings: BTreeMap<Sku, ProductSettings>,
    pub own: Vec<OwnWrite>,
    pub users: BTreeMap<UserId, User>,
    pub ledger: LedgerBook,
    /// Every transfer that arrived here, also finished ones.
    pub transfers: BTreeMap<TransferId, Transfer>,
}

/// A lane that is read again, page by page.
pub struct Gathered {
    pub changes: Vec<Change>,
    pub next: Option<Bookmark>,
    pub another_life: bool,
}

pub struct Store {
    pub number: usize,
    pub broken: Broken,
    pub rules: Rules,
    pub disk: Disk,
    pub clock: Clock,
    /// The hub's generation at the last hello.
    pub session: Option<String>,
    /// The pending request of each call.
    pub waits: BTreeMap<&'static str, u64>,
    pub gathered: BTreeMap<&'static str, Gathered>,
    /// Number of commits until the process dies.
    pub left: Option<usize>,
    /// The last stamp, or `None` after the clock was set right.
    last: Option<String>,
    /// Whether a write has an earlier stamp than one before it.
    pub reordered: bool,
    /// Whether the hub's time was received and the wall clock was not changed since.
    pub honest: bool,
}

impl Store {
    pub fn new(number: usize, broken: Broken) -> Self {
        let mut rules = rules();
        rules.store_id = format!("S{number:03}").as_str().into();
        let clock = Clock::after(rules.store_id.as_str(), None);
        let (waits, gathered) = (BTreeMap::new(), BTreeMap::new());
        let disk = Disk::default().stocked();
        Self {
            number,
            broken,
            rules,
            disk,
            clock,
            session: None,
            waits,
            gathered,
            left: None,
            last: None,
            reordered: false,
            honest: false,
        }
    }

    /// Kills the process and starts it again.
    pub fn crash(&mut self) {
        self.clock = Clock::after(self.rules.store_id.as_str(), self.disk.hlc.as_deref());
        self.honest = false;
        self.gives_up();
    }

    /// Loses the connection, so a hello is next.
    pub fn gives_up(&mut self) {
        (self.session, self.left) = (None, None);
        self.waits.clear();
        self.gathered.clear();
    }

    /// Commits once; the process may die before.
    pub fn commit(&mut self, change: impl FnOnce(&mut Disk)) -> Result<(), Died> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1).ok_or(Died)?;
        }
        change(&mut self.disk);
        Ok(())
    }

    pub fn stamp(&mut self, wall: UtcMs, id: &str) -> Stamp {
        let mut at = self.clock.now(wall);
        if self.broken == Broken::WallClock {
            at = format!("{:013}-00000-{}", wall.0, self.rules.store_id);
        }
        Stamp { now: wall, at, event_id: EventId(id.to_owned()) }
    }

    /// Commits a record, its stamp and its effects together.
    pub fn append(
        &mut self,
        stamp: &Stamp,
        text: String,
        change: impl FnOnce(&mut Disk),
    ) -> Result<(), Died> {
        let at = stamp.at.clone();
        self.reordered |= self.last.as_ref().is_some_and(|last| *last >= at);
        self.last = Some(at.clone());
        self.commit(|disk| {
            disk.hlc = disk.hlc.take().max(Some(at));
            disk.log.push(text);
            change(disk);
        })
    }

    /// Writes a field of a member. Returns false if the member is not known yet.
    pub fn writes_member(&mut self, wall: UtcMs, id: &str, field: &str, value: &str, event: &str) -> bool {
        let id = MemberId(id.to_owned());
        let Some(before) = self.disk.members.members.get(&id).cloned() else { return false };
        let stamp = self.stamp(wall, event);
        let value = Some(value.to_owned());
        let cmd = match field {
            "tier" => ChangeMember { tier: value, ..ChangeMember::default() },
            _ => ChangeMember { name: value, ..ChangeMember::default() },
        };
        let who = boss();
        let authorization = Authorization::unapproved(&who);
        let changed =
            member::change(&cmd, &id, &stamp, &authorization, &self.rules, &self.disk.members).unwrap();
        let mut text = record::member_changed(&stamp, Some(&before), &changed.fact.member);
        if self.broken == Broken::BaseIsVersion {
            let kept = self.disk.inbound.get(&("member".to_owned(), id.0.clone()));
            text = seen(&text, kept.map_or("", |kept| kept.version.as_str()));
        }
        self.append(&stamp, text, |disk| disk.members.evolve(&changed.fact)).unwrap();
        true
    }

    /// Writes the shelf place of the product.
    pub fn writes_settings(&mut self, wall: UtcMs, field: &str, number: i64, event: &str) {
        let stamp = self.stamp(wall, event);
        let cmd = match field {
            "reorder_level" => {
                ChangeProductSettings { reorder_level: Given::Value(number.into()), shelf_place: None }
            }
            _ => ChangeProductSettings {
                reorder_level: Given::Nothing,
                shelf_place: Some(format!("p{number}")),
            },
        };
        let sku = Sku(SKU.to_owned());
        let before = self.settled(&sku);
        let who = boss();
        let (after, fields) =
            product_settings::change(&cmd, &before, &stamp, &Authorization::unapproved(&who)).unwrap();
        let changed = ProductSettingsChanged { id: sku.clone(), fields };
        let text = record::product_settings_changed(&stamp, &changed);
        self.append(&stamp, text, |disk| drop(disk.settings.insert(sku, after))).unwrap();
    }

    pub fn settled(&self, sku: &Sku) -> ProductSettings {
        self.disk.settings.get(sku).cloned().unwrap_or_else(|| ProductSettings::of(sku.clone()))
    }

    /// Receives the hub's time.
    pub fn heard(&mut self, wall: UtcMs, hub_time: UtcMs) -> Result<(), Died> {
        self.honest = true;
        let before = self.clock.clone();
        match self.clock.merge(wall, hub_time) {
            Some(_) if self.broken == Broken::NoReset => self.clock = before,
            Some(reset) => {
                self.last = None;
                self.commit(|disk| disk.hlc = Some(reset))?;
            }
            None => {}
        }
        Ok(())
    }

    /// Continues the snapshot of a lane. Returns true for the last page.
    pub fn gather(&mut self, lane: &'static str, page: &Page) -> bool {
        let Some(gathered) = self.gathered.get_mut(lane) else { return false };
        gathered.changes.extend(page.changes.iter().cloned());
        gathered.next = page.next.clone();
        gathered.next.is_none()
    }
}

/// Adds to a record which version it is based on.
fn seen(text: &str, version: &str) -> String {
    let mut record: Record<Value> = serde_json::from_str(text).unwrap();
    for write in record.payload["fields"].as_object_mut().unwrap().values_mut() {
        write["base"] = version.into();
    }
    serde_json::to_string(&record).unwrap()
}
