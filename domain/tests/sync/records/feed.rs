//! The hub's feed in memory: numbers in commit order, a cursor that names its change, snapshots.

use super::broken::Broken;
use domain::model::base::time::UtcMs;
use domain::wire::feed::{Change, Kind};
use serde_json::Value;
use std::collections::BTreeMap;

/// Changes on a page: few, so that other events happen between two pages.
const PAGE: usize = 2;

/// A change that is being published.
#[derive(Clone)]
pub struct Entry {
    pub kind: Kind,
    pub id: String,
    /// The store, or `None` for all.
    pub store: Option<usize>,
    /// The version, for records that have one.
    pub version: Option<String>,
    pub deleted: bool,
    pub payload: Value,
}

#[derive(Clone)]
struct Row {
    mark: String,
    version: String,
    entry: Entry,
}

/// Position in a snapshot.
#[derive(Clone, Debug)]
pub struct Bookmark {
    pub cursor: String,
    after: (String, String),
}

/// A page of a lane or of its snapshot.
#[derive(Clone, Debug)]
pub struct Page {
    pub changes: Vec<Change>,
    /// Cursor of the next pull.
    pub cursor: String,
    /// Position of the next page of the snapshot.
    pub next: Option<Bookmark>,
}

#[derive(Clone, Default)]
pub struct Feed {
    rows: BTreeMap<(&'static str, u64), Row>,
    heads: BTreeMap<&'static str, (u64, i64)>,
    marks: u64,
}

impl Feed {
    /// Takes the next number of a lane.
    pub fn number(&mut self, lane: &'static str) -> u64 {
        let (head, _) = self.heads.entry(lane).or_default();
        *head += 1;
        *head
    }

    /// Publishes a change as the last statement of a transaction.
    pub fn publish(&mut self, entry: Entry, now: UtcMs) {
        let number = self.number(entry.kind.lane());
        self.put(number, entry, now);
    }

    /// Writes a change with a number.
    pub fn put(&mut self, number: u64, entry: Entry, now: UtcMs) {
        let lane = entry.kind.lane();
        let (_, stamp_ms) = self.heads.entry(lane).or_default();
        *stamp_ms = if *stamp_ms < now.0 { now.0 } else { *stamp_ms + 1 };
        self.marks += 1;
        let version = entry.version.clone().unwrap_or_else(|| format!("{stamp_ms:013}-00000-hub"));
        self.rows.insert((lane, number), Row { mark: format!("m{}", self.marks), version, entry });
    }

    /// Gives a restored hub other random IDs than before.
    pub fn reborn(&mut self, marks: u64) {
        self.marks = marks;
    }

    pub fn marks(&self) -> u64 {
        self.marks
    }

    /// Returns a page, or `None` (410) if the cursor is not of this feed.
    pub fn page(
        &self,
        generation: &str,
        store: usize,
        lane: &'static str,
        cursor: &str,
        broken: Broken,
    ) -> Option<Page> {
        let after = self.checked(generation, lane, cursor, broken)?;
        let mine = self.of(store, lane).filter(|(number, _)| *number > after).take(PAGE);
        let changes: Vec<Change> = mine.map(|(number, row)| change(generation, number, row)).collect();
        let cursor = changes.last().map_or_else(|| cursor.to_owned(), |change| change.cursor.clone());
        let cursor = if cursor.is_empty() { format!("{generation}.0.") } else { cursor };
        Some(Page { changes, cursor, next: None })
    }

    /// Returns a page of the current records. The cursor is fixed before the first page.
    pub fn snapshot(
        &self,
        generation: &str,
        store: usize,
        lane: &'static str,
        at: Option<&Bookmark>,
        broken: Broken,
    ) -> Option<Page> {
        let first = Bookmark { cursor: self.head(generation, lane), after: Default::default() };
        let at = at.cloned().unwrap_or(first);
        self.checked(generation, lane, &at.cursor, broken)?;
        let mut now: BTreeMap<(String, String), (u64, &Row)> = BTreeMap::new();
        for (number, row) in self.of(store, lane) {
            now.insert((row.entry.kind.name().to_owned(), row.entry.id.clone()), (number, row));
        }
        let mut rest = now.into_iter().filter(|(key, (_, row))| *key > at.after && !row.entry.deleted);
        let page: Vec<_> = rest.by_ref().take(PAGE).collect();
        let after = page.last().map(|(key, _)| key.clone());
        let changes = page.into_iter().map(|(_, (number, row))| change(generation, number, row)).collect();
        let more = rest.next().is_some();
        let mut cursor = at.cursor;
        let next = after.filter(|_| more).map(|after| Bookmark { cursor: cursor.clone(), after });
        if broken == Broken::LateCursor {
            cursor = self.head(generation, lane);
        }
        Some(Page { changes, cursor, next })
    }

    fn of(&self, store: usize, lane: &'static str) -> impl Iterator<Item = (u64, &Row)> {
        let of_lane = self.rows.range((lane, 0)..=(lane, u64::MAX));
        of_lane
            .filter(move |(_, row)| row.entry.store.is_none_or(|of| of == store))
            .map(|((_, number), row)| (*number, row))
    }

    fn head(&self, generation: &str, lane: &'static str) -> String {
        let last = self.rows.range((lane, 0)..=(lane, u64::MAX)).next_back();
        last.map_or_else(
            || format!("{generation}.0."),
            |((_, number), row)| format!("{generation}.{number}.{}", row.mark),
        )
    }

    fn checked(&self, generation: &str, lane: &'static str, cursor: &str, broken: Broken) -> Option<u64> {
        if cursor.is_empty() {
            return Some(0);
        }
        let mut parts = cursor.splitn(3, '.');
        let of = parts.next().filter(|of| *of == generation);
        let number: u64 = of.and(parts.next())?.parse().ok()?;
        let mark = parts.next()?;
        let there = self.rows.get(&(lane, number)).is_some_and(|row| row.mark == mark);
        (number == 0 || there || broken == Broken::BareCursor).then_some(number)
    }

    /// Returns the records of a kind that an up-to-date store has.
    pub fn live(&self, store: usize, kind: Kind) -> BTreeMap<String, Value> {
        let mut live = BTreeMap::new();
        for (_, row) in self.of(store, kind.lane()).filter(|(_, row)| row.entry.kind == kind) {
            match row.entry.deleted {
                true => live.remove(&row.entry.id),
                false => live.insert(row.entry.id.clone(), row.entry.payload.clone()),
            };
        }
        live
    }
}

fn change(generation: &str, number: u64, row: &Row) -> Change {
    Change {
        cursor: format!("{generation}.{number}.{}", row.mark),
        kind: row.entry.kind.name().to_owned(),
        id: row.entry.id.clone(),
        version: row.version.clone(),
        deleted: row.entry.deleted,
        effective_at: None,
        payload: row.entry.payload.clone(),
    }
}
