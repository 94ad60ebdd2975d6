//! One store with its copies, one hub, and all events.

use super::broken::Broken;
use super::hub::Hub;
use super::keeping::Backup;
use super::post::InFlight;
use super::shop::{DAY_MS, Shop};
use super::till::Act;
use domain::model::base::time::UtcMs;
use domain::wire::feed::{Coverage, PointsDown};
use domain::wire::sync::DigestResult;
use std::collections::{BTreeMap, BTreeSet};

/// Start of every history, in milliseconds.
const BEGIN_MS: i64 = 1_767_225_600_000;
/// Time between two events, in milliseconds.
const STEP_MS: i64 = 60_000;

/// A small generator: the same seed gives the same history.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

/// One store and the hub's view of it.
pub struct World {
    pub dice: Dice,
    pub broken: Broken,
    pub now: UtcMs,
    pub copies: Vec<Shop>,
    pub hub: Hub,
    pub net: Vec<InFlight>,
    pub shop_backups: Vec<Shop>,
    pub hub_backups: Vec<Backup>,
    /// Number of keys issued so far.
    pub keys: u64,
    pub sold: BTreeSet<String>,
    /// Sales that exist nowhere any more.
    pub lost: BTreeSet<String>,
    /// Receipt numbers, each with its first sale.
    pub receipts: BTreeMap<String, String>,
    /// Whether two machines wrote one epoch, or may have.
    pub cloned: bool,
    /// The hub was restored from a backup so old that the stores cannot make it complete again.
    pub hopeless: bool,
    /// A page with the member's points that is delivered later.
    pub read_points: Option<(PointsDown, Coverage)>,
    numbers: u64,
    pub uncommitted: Vec<(u64, u64)>,
    pub wrong: Option<String>,
    pub history: Vec<String>,
}

impl World {
    pub fn new(seed: u64, broken: Broken) -> Self {
        let mut world = Self {
            dice: Dice::new(seed),
            broken,
            now: UtcMs(BEGIN_MS),
            copies: Vec::new(),
            hub: Hub::new(broken),
            net: Vec::new(),
            shop_backups: Vec::new(),
            hub_backups: Vec::new(),
            keys: 1,
            sold: BTreeSet::new(),
            lost: BTreeSet::new(),
            receipts: BTreeMap::new(),
            cloned: false,
            hopeless: false,
            read_points: None,
            numbers: 0,
            uncommitted: Vec::new(),
            wrong: None,
            history: Vec::new(),
        };
        // Some begin where the numbers get another digit.
        let n = if seed.is_multiple_of(8) { 9 } else { 1 };
        let epoch = world.epoch(n);
        world.add(Shop::new(&epoch, 1, broken));
        world
    }

    pub fn next(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Returns a name for a new epoch.
    pub fn epoch(&mut self, n: u64) -> String {
        let random = self.next().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("{n}-{random:016x}")
    }

    pub fn say(&mut self, what: String) {
        self.history.push(what);
        self.now = UtcMs(self.now.0 + STEP_MS);
    }

    /// Records a problem; the first one is kept.
    pub fn wrong(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    pub fn live(&self) -> Vec<usize> {
        self.copies.iter().filter(|copy| copy.alive).map(|copy| copy.number).collect()
    }

    pub fn act(&mut self, copy: usize, act: Act) {
        if self.copies[copy].fenced {
            return;
        }
        let id = self.next();
        for fact in self.copies[copy].act(act, id, self.now) {
            let receipt = fact.receipt.clone().unwrap_or_default();
            self.say(format!("copy {copy}: {} {} {receipt}", fact.kind, fact.id));
            if let Some(no) = fact.receipt {
                let first = self.receipts.entry(no.clone()).or_insert_with(|| fact.id.clone()).clone();
                if first != fact.id && !self.cloned {
                    self.wrong(format!("{} has the receipt {no} of {first}", fact.id));
                }
            }
            self.sold.insert(fact.id);
        }
    }

    pub fn add(&mut self, mut copy: Shop) -> usize {
        let number = self.copies.len();
        (copy.number, copy.alive) = (number, true);
        self.copies.push(copy);
        number
    }

    pub fn days_pass(&mut self, days: i64) {
        self.now = UtcMs(self.now.0 + days * DAY_MS);
        self.say(format!("{days} days pass"));
    }

    pub fn clock_is(&mut self, copy: usize, days: i64) {
        self.copies[copy].off_days = days;
        self.say(format!("the clock of copy {copy} is {days} days off"));
    }

    /// Begins or commits a transaction of head office; several are open at once.
    pub fn feed(&mut self) {
        if self.uncommitted.len() < 3 && self.dice.below(2) == 0 {
            return self.office_begins();
        }
        if !self.uncommitted.is_empty() {
            let at = self.dice.below(self.uncommitted.len() as u64) as usize;
            self.office_commits(at);
        }
    }

    pub fn office_begins(&mut self) {
        let (number, value) = (self.hub.number(), self.next());
        self.uncommitted.push((number, value));
    }

    pub fn office_commits(&mut self, at: usize) {
        let (begun, value) = self.uncommitted.remove(at);
        // The last statement locks the counter's row, so the commit order is the order of the numbers.
        let number = if self.broken == Broken::BareFeed { begun } else { self.hub.number() };
        self.hub.commit(number, value);
    }

    /// Returns whether the copy has a session with the current hub.
    fn in_session(&mut self, copy: usize) -> bool {
        let (hub, shop) = (&self.hub, &mut self.copies[copy]);
        if shop.session.as_deref() != Some(&hub.generation()) || shop.key != hub.key {
            shop.session = None;
        }
        shop.session.is_some()
    }

    /// Applies a page and its cursor in one commit. With a cursor of another generation everything is read again.
    pub fn pull(&mut self, copy: usize) {
        if !self.in_session(copy) {
            return;
        }
        let (hub, shop) = (&self.hub, &mut self.copies[copy]);
        if shop.feed_of != hub.generation {
            (shop.pulled, shop.cursor, shop.feed_of) = (BTreeMap::new(), 0, hub.generation);
        }
        for (number, value) in hub.feed.range(shop.cursor + 1..).take(2) {
            shop.pulled.insert(*number, *value);
            shop.cursor = *number;
        }
    }

    /// Delivers the member's balance. With the own entries added it has everything that both know.
    pub fn pull_points(&mut self, copy: usize) {
        let page = self.hub.points();
        self.pull_page(copy, &page);
    }

    /// Delivers a page that was read earlier, also to other copies. It must be consistent with its coverage.
    pub fn pull_read_points(&mut self, copy: usize) {
        let Some((balance, read)) = self.read_points.clone() else { return };
        let coverage = if self.broken == Broken::IncludesTorn { self.hub.points().1 } else { read };
        self.pull_page(copy, &(balance, coverage));
    }

    fn pull_page(&mut self, copy: usize, page: &(PointsDown, Coverage)) {
        if !self.in_session(copy) || !self.copies[copy].reported_points(page, self.now) {
            return;
        }
        self.say(format!("copy {copy} pulls points"));
        let shop = &self.copies[copy];
        if shop.fenced || shop.moves() || self.hopeless {
            return;
        }
        let mut all = self.hub.books.clone();
        shop.books.facts().filter(|fact| !self.hub.books.has(&fact.id)).for_each(|fact| all.count(fact));
        let known = all.sums(&BTreeSet::new()).get("points").copied().unwrap_or_default();
        let shown = shop.account.balance();
        if shown != known {
            self.wrong(format!("copy {copy} shows {shown} points, both together know {known}"));
        }
    }

    /// Compares the days. A difference would be an alarm and must not occur.
    pub fn prove(&mut self, copy: usize) {
        if !self.in_session(copy) {
            return;
        }
        self.copies[copy].count();
        let found = |ask: &domain::wire::sync::Digest| self.hub.digest(ask) == DigestResult::Difference;
        let different = self.copies[copy].digests().into_iter().find(found);
        self.say(format!("copy {copy} proves its days"));
        if let Some(day) = different.filter(|_| self.live().len() == 1 && !self.hopeless) {
            self.wrong(format!("the digest of {} is a difference: {:?}", day.business_date, day.types));
        }
    }

    pub fn upgrade_hub(&mut self) {
        self.say("the hub is upgraded".to_owned());
        self.hub.upgrade();
    }
}
