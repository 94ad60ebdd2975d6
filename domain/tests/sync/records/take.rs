//! A store applies the hub's answers in the same commits as the daemon.

use super::broken::Broken;
use super::feed::Page;
use super::hub::Pushed;
use super::store::{Died, Store};
use domain::model::base::event::{Event, fact};
use domain::model::base::ids::{MemberId, Sku};
use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::Stamp;
use domain::model::hub::sync::local::{Inbound, OwnWrite};
use domain::model::inventory::product_settings::ProductSettings;
use domain::model::people::member::Member;
use domain::rules::hub::sync::decided;
use domain::rules::inventory::product_settings;
use domain::rules::people::member;
use domain::rules::people::member::Heard;
use domain::wire::feed::lane::{MEMBERS, USERS};
use domain::wire::feed::{Change, Kind, MemberDown, RecordVersion, SettingDown};
use domain::wire::record;
use domain::wire::record::{MemberChanged, ProductSettingsChanged};
use std::collections::{BTreeMap, BTreeSet};

/// Records of a snapshot that are applied in one commit.
const AT_ONCE: usize = 2;

impl Store {
    /// Applies the answer to a hello.
    pub fn greeted(
        &mut self,
        wall: UtcMs,
        generation: &str,
        acked: usize,
        hub_time: UtcMs,
    ) -> Result<(), Died> {
        self.heard(wall, hub_time)?;
        let other = self.disk.generation != generation;
        let named = generation.to_owned();
        self.commit(|disk| disk.generation = named)?;
        let before = if other { self.disk.acked.min(acked) } else { self.disk.acked };
        self.acknowledged(before, acked, &[])?;
        self.session = Some(generation.to_owned());
        self.settle()
    }

    /// Applies the answer to a push.
    pub fn pushed(&mut self, answer: &Pushed) -> Result<(), Died> {
        if self.session.as_ref() != Some(&answer.generation) {
            self.gives_up();
            return Ok(());
        }
        self.acknowledged(self.disk.acked, answer.acked, &answer.versions)?;
        self.settle()
    }

    fn acknowledged(&mut self, before: usize, to: usize, versions: &[RecordVersion]) -> Result<(), Died> {
        let log = &self.disk.log;
        let texts = log.get(before..to.max(before)).unwrap_or_default().iter().map(String::as_str);
        let writes = decided(texts, versions);
        self.commit(|disk| {
            disk.acked = to;
            for write in writes {
                disk.own.retain(|known| known.event_id != write.event_id || known.id != write.id);
                disk.own.push(write);
            }
        })
    }

    /// Applies a page with its cursor; the owners of members get theirs before.
    pub fn page(&mut self, wall: UtcMs, lane: &'static str, page: &Page) -> Result<(), Died> {
        let cursor = page.cursor.clone();
        if self.broken == Broken::CursorFirst {
            let cursor = cursor.clone();
            self.commit(|disk| drop(disk.cursors.insert(lane, cursor)))?;
        }
        let news = !page.changes.is_empty();
        self.take(wall, &page.changes, false, Some((lane, cursor)))?;
        if news { self.settle() } else { Ok(()) }
    }

    /// Applies a whole snapshot, a few records at a time. The cursor comes last.
    pub fn anew(&mut self, wall: UtcMs, lane: &'static str, cursor: &str) -> Result<(), Died> {
        let Some(gathered) = self.gathered.remove(lane) else { return Ok(()) };
        let another_life = gathered.another_life && self.broken != Broken::NothingGoesBack;
        let key = |change: &Change| (change.kind.clone(), change.id.clone());
        let seen: BTreeSet<(String, String)> = gathered.changes.iter().map(key).collect();
        for chunk in gathered.changes.chunks(AT_ONCE) {
            self.take(wall, chunk, another_life, None)?;
        }
        if another_life && lane == USERS {
            self.denials_go_back(wall, &gathered.changes)?;
        }
        let lost = self.disk.inbound.iter().filter(|(key, _)| !seen.contains(*key));
        let (mut members, mut gone) = (Vec::new(), Vec::new());
        for (key, kept) in lost.map(|(key, kept)| (key.clone(), kept.clone())) {
            match Kind::of(&key.0) {
                Some(Kind::Member) if another_life && lane == MEMBERS => members.push(nothing_of(kept)),
                Some(Kind::Member | Kind::User | Kind::TokenRevocation) => {}
                Some(kind) if kind.lane() == lane => gone.push(key),
                _ => {}
            }
        }
        self.members(wall, members, another_life)?;
        let settings = gone.iter().filter(|(kind, _)| another_life && kind == Kind::Settings.name());
        for (_, id) in settings.cloned().collect::<Vec<_>>() {
            self.setting_goes_back(wall, &id, None)?;
        }
        self.commit(|disk| disk.inbound.retain(|key, _| !gone.contains(key)))?;
        let cursor = cursor.to_owned();
        self.commit(|disk| drop(disk.cursors.insert(lane, cursor)))
    }

    fn take(
        &mut self,
        wall: UtcMs,
        changes: &[Change],
        another_life: bool,
        cursor: Option<(&'static str, String)>,
    ) -> Result<(), Died> {
        let mut next = self.disk.clone();
        let mut members = Vec::new();
        for change in changes {
            if self.broken != Broken::NothingMerged && ["member", "settings"].contains(&change.kind.as_str())
            {
                self.clock.observe(&change.version);
            }
            match Kind::of(&change.kind).unwrap() {
                Kind::Member => {
                    let down: MemberDown = serde_json::from_value(change.payload.clone()).unwrap();
                    members.push((change.clone(), down));
                }
                Kind::Settings
                    if another_life && self.setting_goes_back(wall, &change.id, Some(change))? =>
                {
                    continue;
                }
                Kind::Settings => self.setting(wall, change, &mut next.settings, &mut next.own),
                Kind::Supplier | Kind::Transfer => {}
                Kind::User | Kind::TokenRevocation => next.recorded_person(wall, change),
                kind => panic!("{kind:?}"),
            }
            let key = (change.kind.clone(), change.id.clone());
            match change.deleted {
                true => next.inbound.remove(&key),
                false => next.inbound.insert(key, kept(change)),
            };
        }
        self.members(wall, members, another_life)?;
        for change in changes.iter().filter(|change| change.kind == Kind::Transfer.name()) {
            self.recorded_goods(wall, change)?;
        }
        let (settings, inbound, users) = (next.settings, next.inbound, next.users);
        let reached: Vec<OwnWrite> =
            self.disk.own.iter().filter(|write| !next.own.contains(write)).cloned().collect();
        self.commit(|disk| {
            (disk.settings, disk.inbound, disk.users) = (settings, inbound, users);
            disk.own.retain(|write| write.kind == "member" || !reached.contains(write));
            disk.cursors.extend(cursor);
        })
    }

    /// Restores a setting that a hub of another generation lost. Returns false if the hub has it.
    fn setting_goes_back(&mut self, wall: UtcMs, id: &str, has: Option<&Change>) -> Result<bool, Died> {
        let has = has.map(|change| serde_json::from_value::<SettingDown>(change.payload.clone()).unwrap());
        let (sku, field) = product_settings::named(id).unwrap();
        let known = self.settled(&sku);
        let write = product_settings::newer_field(has.as_ref(), field, &known, &self.rules.store_id);
        let Some(write) = write else { return Ok(false) };
        let changed = ProductSettingsChanged { id: sku, fields: BTreeMap::from([(field.to_owned(), write)]) };
        let stamp = self.back(wall);
        let text = record::product_settings_changed(&stamp, &changed);
        self.append(&stamp, text, |_| {})?;
        Ok(true)
    }

    fn setting(
        &self,
        wall: UtcMs,
        change: &Change,
        settings: &mut BTreeMap<Sku, ProductSettings>,
        own: &mut Vec<OwnWrite>,
    ) {
        let (sku, field) = product_settings::named(&change.id).unwrap();
        let down: SettingDown = serde_json::from_value(change.payload.clone()).unwrap();
        let known = settings.get(&sku).cloned().unwrap_or_else(|| self.settled(&sku));
        let after = self.with_heard("settings", &change.id, &change.version, wall, |heard| {
            product_settings::apply_feed(&down, field, known, heard).unwrap()
        });
        settings.insert(sku, after);
        own.retain(|write| {
            write.kind != "settings"
                || write.id != change.id
                || write.version.as_str() > change.version.as_str()
        });
    }

    fn with_heard<T>(
        &self,
        kind: &str,
        id: &str,
        version: &str,
        wall: UtcMs,
        then: impl FnOnce(&Heard<'_>) -> T,
    ) -> T {
        let own = self.disk.own.iter().filter(|write| write.kind == kind && write.id == id);
        let decided = own.map(|write| (write.event_id.clone(), write.version.clone())).collect();
        let heard = Heard { version, decided: &decided, now: wall };
        then(&heard)
    }

    fn members(
        &mut self,
        wall: UtcMs,
        members: Vec<(Change, MemberDown)>,
        another_life: bool,
    ) -> Result<(), Died> {
        let last: BTreeMap<String, (Change, MemberDown)> =
            members.into_iter().map(|(change, down)| (down.member_id.clone(), (change, down))).collect();
        let (mut reported, mut lost) = (Vec::new(), Vec::new());
        for (change, mut down) in last.into_values() {
            let known = self.disk.members.members.get(&MemberId(down.member_id.clone()));
            if let Some(known) = known.filter(|_| another_life) {
                let fields = member::newer_fields(&down, known, &self.rules.store_id);
                down.fields.retain(|field, _| !fields.contains_key(field));
                lost.push(MemberChanged { id: known.member_id.clone(), fields });
            }
            reported.push(self.member(wall, &down, &change.version));
        }
        self.commit(|disk| {
            for (event, reached) in reported {
                event.iter().for_each(|event| disk.members.evolve(&event.fact));
                disk.own.retain(|write| !reached.contains(write));
            }
        })?;
        for changed in lost.into_iter().filter(|changed| !changed.fields.is_empty()) {
            let stamp = self.back(wall);
            let text = record::member_written(&stamp, &changed);
            self.append(&stamp, text, |_| {})?;
        }
        Ok(())
    }

    /// Returns the stamp of a record that sends something back.
    pub fn back(&mut self, wall: UtcMs) -> Stamp {
        let id = format!("evt_{}_back_{}", self.rules.store_id, self.disk.log.len());
        self.stamp(wall, &id)
    }

    /// Returns a record's meaning here, and the own writes that it decides.
    fn member(
        &self,
        wall: UtcMs,
        down: &MemberDown,
        version: &str,
    ) -> (Option<Event<fact::MemberChanged>>, Vec<OwnWrite>) {
        let known = self.disk.members.members.get(&MemberId(down.member_id.clone()));
        let event = self.with_heard("member", &down.member_id, version, wall, |heard| {
            if self.broken == Broken::StoresCompare || self.broken == Broken::NothingOnTop {
                let down = self.compared(down, known);
                let never = BTreeMap::new();
                let heard = Heard { decided: &never, version: "9", ..*heard };
                return member::apply_feed(&down, known, &heard).unwrap();
            }
            member::apply_feed(down, known, heard).unwrap()
        });
        let own = self.disk.own.iter().filter(|write| write.kind == "member" && write.id == down.member_id);
        (event, own.filter(|write| write.version.as_str() <= version).cloned().collect())
    }

    /// Keeps values with a later stamp, if stores compare stamps.
    fn compared(&self, down: &MemberDown, known: Option<&Member>) -> MemberDown {
        let mut down = down.clone();
        if let Some(known) = known.filter(|_| self.broken == Broken::StoresCompare) {
            down.fields.retain(|field, now| known.marks.get(field).is_none_or(|mark| mark.at < now.at));
        }
        down
    }

    /// Applies outcomes of own writes that the feed had already delivered.
    fn settle(&mut self) -> Result<(), Died> {
        let wall = UtcMs(0);
        let ids: BTreeSet<String> = self.disk.own.iter().map(|write| write.id.clone()).collect();
        let mine = |kept: &&Inbound| ids.contains(&kept.id);
        let again: Vec<Change> = self.disk.inbound.values().filter(mine).map(change).collect();
        self.take(wall, &again, false, None)
    }
}

fn kept(change: &Change) -> Inbound {
    let Change { kind, id, version, effective_at, payload, .. } = change.clone();
    Inbound { kind, id, version, effective_at, payload }
}

fn change(kept: &Inbound) -> Change {
    let Inbound { kind, id, version, effective_at, payload } = kept.clone();
    Change { cursor: String::new(), kind, id, version, deleted: false, effective_at, payload }
}

/// A member that a hub of another generation does not have.
fn nothing_of(kept: Inbound) -> (Change, MemberDown) {
    let down = MemberDown {
        member_id: kept.id.clone(),
        joined_at: None,
        merged_into: None,
        merged: Vec::new(),
        fields: BTreeMap::new(),
    };
    (change(&kept), down)
}
