//! A hub in memory, which decides by the rules of `domain` like the real one.

use super::broken::Broken;
use super::depot::Document;
use super::feed::{Entry, Feed};
use super::goods::PIECES;
use domain::model::base::time::UtcMs;
use domain::model::hub::hlc;
use domain::model::hub::hlc::Clock;
use domain::rules::hub::sync::settle;
use domain::rules::hub::sync::settle::{Settled, Writer};
use domain::wire::feed::{FieldDown, Kind, MemberDown, RecordVersion, SettingDown, UserDown};
use domain::wire::record::{
    FieldWrite, MemberChanged, ProductSettingsChanged, Record, TransferRecord, UserChanged,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub const MEMBER: &str = "member";
pub const SETTINGS: &str = "product_settings";

/// A record that both sides write.
#[derive(Clone, Default)]
pub struct Shared {
    pub version: String,
    pub fields: BTreeMap<String, FieldDown>,
}

/// The answer to a push.
#[derive(Clone, Debug)]
pub struct Pushed {
    pub generation: String,
    pub acked: usize,
    pub versions: Vec<RecordVersion>,
    pub hub_time: UtcMs,
}

#[derive(Clone)]
pub struct Hub {
    pub broken: Broken,
    pub generation: u64,
    pub stores: usize,
    pub clock: Clock,
    pub raw: BTreeMap<usize, Vec<String>>,
    pub shared: BTreeMap<(&'static str, String), Shared>,
    /// Values that lost, in the list of conflicts.
    pub lost: Vec<Value>,
    /// Users of the stores.
    pub staff: BTreeMap<String, UserDown>,
    pub transfers: BTreeMap<String, Document>,
    /// Records whose predecessor is missing.
    pub waiting: Vec<(usize, TransferRecord)>,
    /// Stock of each store, by its reports.
    pub stock: BTreeMap<usize, i64>,
    /// Transfers that need a person's attention.
    pub exceptions: BTreeSet<String>,
    pub feed: Feed,
}

/// Changes collected while a batch is applied, and published at its end.
#[derive(Default)]
pub(super) struct Later {
    pub(super) entries: Vec<Entry>,
    members: BTreeSet<String>,
    versions: Vec<RecordVersion>,
}

impl Hub {
    pub fn new(stores: usize, broken: Broken) -> Self {
        Self {
            broken,
            generation: 1,
            stores,
            clock: Clock::after("hub", None),
            raw: BTreeMap::new(),
            shared: BTreeMap::new(),
            lost: Vec::new(),
            staff: BTreeMap::new(),
            transfers: BTreeMap::new(),
            waiting: Vec::new(),
            stock: (0..stores).map(|store| (store, PIECES)).collect(),
            exceptions: BTreeSet::new(),
            feed: Feed::default(),
        }
    }

    pub fn generation(&self) -> String {
        format!("g{}", self.generation)
    }

    pub fn cursor(&self, store: usize) -> usize {
        self.raw.get(&store).map_or(0, Vec::len)
    }

    /// Applies a batch in one transaction. Returns `None` for a gap.
    pub fn push(&mut self, store: usize, after: usize, texts: &[String], now: UtcMs) -> Option<Pushed> {
        let cursor = self.cursor(store);
        let fresh = texts.get(cursor.checked_sub(after)?.min(texts.len())..)?;
        let mut later = Later::default();
        for text in fresh {
            self.apply(store, text, now, &mut later);
        }
        self.raw.entry(store).or_default().extend(fresh.iter().cloned());
        let versions = std::mem::take(&mut later.versions);
        self.announce(later, now);
        Some(Pushed { generation: self.generation(), acked: self.cursor(store), versions, hub_time: now })
    }

    fn apply(&mut self, store: usize, text: &str, now: UtcMs, later: &mut Later) {
        let record: Record<Value> = serde_json::from_str(text).unwrap();
        let stamp = self.stamp(&record.at, now);
        let writer = Writer { by: &record.event_id, stamp: &stamp, now };
        match record.kind.as_str() {
            "member.changed" => {
                let changed: MemberChanged = serde_json::from_value(record.payload).unwrap();
                self.write_member(changed.id.as_str(), changed.fields, &writer, later);
            }
            "product_settings.changed" => {
                let changed: ProductSettingsChanged = serde_json::from_value(record.payload).unwrap();
                self.write_settings(store, changed.id.as_str(), changed.fields, &writer, later);
            }
            "user.changed" => {
                let changed: UserChanged = serde_json::from_value(record.payload).unwrap();
                self.receives_staff(store, &changed, later);
            }
            "transfer.sent" | "transfer.received" | "transfer.cancelled" | "transfer.resolved" => {
                let moved: TransferRecord = serde_json::from_value(record.payload).unwrap();
                self.receives_goods(store, &moved, later);
            }
            kind => panic!("{kind}"),
        }
    }

    /// Returns the effective stamp of a record.
    fn stamp(&mut self, at: &str, now: UtcMs) -> String {
        if self.broken != Broken::AheadCounts && !settle::counts(at, now) {
            return self.clock.now(now);
        }
        self.clock.observe(at);
        at.to_owned()
    }

    fn write(
        &mut self,
        resource: &'static str,
        id: &str,
        mut writes: BTreeMap<String, FieldWrite>,
        writer: &Writer<'_>,
    ) -> (String, bool) {
        let shared = self.shared.entry((resource, id.to_owned())).or_default();
        for (field, write) in &mut writes {
            let by = shared.fields.get(field).map(|now| now.by.clone()).unwrap_or_default();
            match self.broken {
                Broken::NoBase => write.base.clear(),
                Broken::BaseIsVersion if write.base >= shared.version => write.base = by,
                _ => {}
            }
        }
        let far = UtcMs(i64::MAX);
        let writer =
            Writer { now: if self.broken == Broken::AheadCounts { far } else { writer.now }, ..*writer };
        let Settled { fields, lost, version } =
            settle::settle(&shared.version, &shared.fields, &writes, &writer);
        self.lost.extend(lost.into_iter().map(|lost| lost.lost));
        shared.fields.extend(fields);
        let changed = shared.version != version;
        shared.version.clone_from(&version);
        (version, changed)
    }

    fn write_member(
        &mut self,
        id: &str,
        fields: BTreeMap<String, FieldWrite>,
        writer: &Writer<'_>,
        later: &mut Later,
    ) {
        let (version, changed) = self.write(MEMBER, id, fields, writer);
        if changed {
            later.members.insert(id.to_owned());
        }
        let (kind, id) = (Kind::Member.name().to_owned(), id.to_owned());
        later.versions.push(RecordVersion { kind, id, version });
    }

    fn write_settings(
        &mut self,
        store: usize,
        sku: &str,
        fields: BTreeMap<String, FieldWrite>,
        writer: &Writer<'_>,
        later: &mut Later,
    ) {
        let id = format!("{store}:{sku}");
        let written: Vec<String> = fields.keys().cloned().collect();
        let (version, _) = self.write(SETTINGS, &id, fields, writer);
        for (field, now) in self.shared[&(SETTINGS, id)].fields.clone() {
            if written.contains(&field) {
                let name = format!("product:{sku}:{field}");
                let down = SettingDown { name: name.clone(), value: now.value, at: now.at, by: now.by };
                let (kind, version) = (Kind::Settings, Some(version.clone()));
                let payload = json!(down);
                later.entries.push(Entry {
                    kind,
                    id: name,
                    store: Some(store),
                    version,
                    deleted: false,
                    payload,
                });
            }
        }
        let (kind, id) = (Kind::Settings.name().to_owned(), format!("product:{sku}"));
        later.versions.push(RecordVersion { kind, id, version });
    }

    fn announce(&mut self, later: Later, now: UtcMs) {
        for entry in later.entries {
            self.feed.publish(entry, now);
        }
        for id in later.members {
            let Shared { version, fields } = self.shared[&(MEMBER, id.clone())].clone();
            let payload = json!(MemberDown {
                member_id: id.clone(),
                joined_at: None,
                merged_into: None,
                merged: Vec::new(),
                fields
            });
            for store in 0..self.stores {
                let (kind, version, payload) = (Kind::Member, Some(version.clone()), payload.clone());
                let entry =
                    Entry { kind, id: id.clone(), store: Some(store), version, deleted: false, payload };
                self.feed.publish(entry, now);
            }
        }
    }

    /// Writes a field at head office, based on the current value. `of`: the store of the settings.
    pub fn office_writes(
        &mut self,
        of: Option<usize>,
        id: &str,
        fields: &[(&str, Value)],
        by: &str,
        now: UtcMs,
    ) {
        let at = self.clock.now(now);
        let key = of.map_or((MEMBER, id.to_owned()), |store| (SETTINGS, format!("{store}:{id}")));
        let known = self.shared.get(&key).cloned().unwrap_or_default().fields;
        let write = |(field, value): &(&str, Value)| {
            let base = known.get(*field).map(|now| now.by.clone()).unwrap_or_default();
            ((*field).to_owned(), FieldWrite { value: value.clone(), at: at.clone(), base })
        };
        let fields = fields.iter().map(write).collect();
        let (writer, mut later) = (Writer { by, stamp: &at, now }, Later::default());
        match of {
            None => self.write_member(id, fields, &writer, &mut later),
            Some(store) => self.write_settings(store, id, fields, &writer, &mut later),
        }
        self.announce(later, now);
    }

    /// Asserts that no stamp of a store with a wrong clock moves the hub's clock or is ahead of it.
    pub fn sane(&mut self, now: UtcMs) -> Result<(), String> {
        let limit_ms = now.0 + hlc::AHEAD_MS_MAX;
        let ahead = |at: &str| hlc::parts(at).is_some_and(|(ms, _)| ms > limit_ms);
        let of = |shared: &Shared| shared.fields.values().any(|field| ahead(&field.at));
        match self.shared.iter().find(|(_, shared)| of(shared)) {
            Some(((_, id), _)) => Err(format!("a stamp of {id} lies ahead of the hub")),
            None if ahead(&self.clock.clone().now(now)) => Err("the hub's clock runs ahead".to_owned()),
            None => Ok(()),
        }
    }
}
