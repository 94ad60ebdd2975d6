//! Waits for the feed, and the changes that end them.
//!
//! A change for all stores wakes every wait at its lane; a change for one store wakes that store's wait. Balances
//! change with nearly every sale to a member: they wake the lane together, at intervals. Until then a wait costs
//! nothing, and a wait that begins where the lane's last wake ended reads nothing.

use crate::columns;
use crate::config::Reach;
use crate::feed::LANES;
use domain::wire::feed::lane;
use sqlx::AnyPool;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Balances wake waits no sooner than this after the last time …
const BALANCES_PERIOD_MIN: Duration = Duration::from_secs(1);
/// … and no sooner than this for each wait that they end: with a thousand stores every 25 seconds …
const BALANCES_PERIOD_PER_WAIT: Duration = Duration::from_millis(25);
/// … but after this at the latest.
const BALANCES_PERIOD_MAX: Duration = Duration::from_secs(30);

/// The waits at every lane.
pub struct Waits {
    lanes: [Lane; LANES.len()],
    reach: Reach,
}

struct Lane {
    /// The last change that ends every wait at the lane.
    all: watch::Sender<i64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last change that was read.
    known: i64,
    /// The last balance among them.
    balance: i64,
    /// When balances ended waits. `None` if they have not yet.
    woken: Option<Instant>,
    stores: HashMap<String, Own>,
}

/// Changes that concern one store.
struct Own {
    /// The last change that ends its own waits.
    changed: watch::Sender<i64>,
    /// The last cursor that the store received.
    given: String,
}

impl Default for Own {
    fn default() -> Self {
        Self { changed: watch::Sender::new(0), given: String::new() }
    }
}

pub struct Wait<'a> {
    lane: &'a Lane,
    store_id: &'a str,
    all: watch::Receiver<i64>,
    own: watch::Receiver<i64>,
}

/// Changes since the last look.
struct Look {
    lane: String,
    store_id: String,
    balances: bool,
    number: i64,
}

impl Waits {
    /// Loads the waits at the present end of the feed.
    pub async fn load(pool: &AnyPool, reach: Reach) -> Result<Self, sqlx::Error> {
        let heads = crate::feed::heads(pool).await?;
        let lane = |name: &str| {
            let known = heads.get(name).copied().unwrap_or_default();
            let state = State { known, balance: known, ..State::default() };
            Lane { all: watch::Sender::new(known), state: Mutex::new(state) }
        };
        Ok(Self { lanes: LANES.map(lane), reach })
    }

    /// Reads the changes since the last look, of this process or another one, and wakes the stores concerned.
    ///
    /// # Errors
    /// A database error; the next look finds the changes.
    pub async fn look(&self, pool: &AnyPool) -> Result<(), sqlx::Error> {
        for found in self.since(pool).await? {
            if let Some(lane) = self.lane(&found.lane) {
                lane.came(found);
            }
        }
        let now = Instant::now();
        self.lanes.iter().for_each(|lane| lane.wake_for_balances(now));
        Ok(())
    }

    /// Reads in one statement, for all waiting stores, the changes of every lane after its last known number.
    async fn since(&self, pool: &AnyPool) -> Result<Vec<Look>, sqlx::Error> {
        let part = |(index, lane): (usize, &str)| {
            if lane == lane::MEMBERS && self.reach == Reach::Met {
                return met(index.saturating_add(1));
            }
            format!(
                "SELECT '{lane}' AS lane, store_id, CASE WHEN kind = 'points' THEN 1 ELSE 0 END AS balances, \
                 number FROM feed WHERE lane = '{lane}' AND number > ${}",
                index.saturating_add(1)
            )
        };
        let parts: Vec<String> = LANES.into_iter().enumerate().map(part).collect();
        let sql = format!(
            "SELECT lane, store_id, CAST(balances AS BIGINT) AS balances, CAST(MAX(number) AS BIGINT) AS number FROM ({}) changes \
             GROUP BY lane, store_id, balances",
            parts.join(" UNION ALL ")
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for lane in &self.lanes {
            query = query.bind(lane.state().known);
        }
        let found = |row: &sqlx::any::AnyRow| Ok(columns!(row => Look { lane, store_id, balances, number }));
        query.fetch_all(pool).await?.iter().map(found).collect()
    }

    fn lane(&self, name: &str) -> Option<&Lane> {
        LANES.iter().zip(&self.lanes).find(|(lane, _)| **lane == name).map(|(_, lane)| lane)
    }

    /// Registers a store's wait at a lane of [`LANES`]. `None` if there is no such lane.
    pub fn enter<'a>(&'a self, lane: &str, store_id: &'a str) -> Option<Wait<'a>> {
        let lane = self.lane(lane)?;
        let own = lane.state().stores.entry(store_id.to_owned()).or_default().changed.subscribe();
        Some(Wait { lane, store_id, all: lane.all.subscribe(), own })
    }

    /// Waits under way at a lane, for tests and figures.
    pub fn count(&self, lane: &str) -> usize {
        self.lane(lane).map_or(0, |lane| lane.all.receiver_count())
    }
}

impl Lane {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn came(&self, found: Look) {
        let mut state = self.state();
        state.known = state.known.max(found.number);
        if found.balances && found.store_id.is_empty() {
            state.balance = state.balance.max(found.number);
        } else if found.store_id.is_empty() {
            rise(&self.all, found.number);
        } else {
            rise(&state.stores.entry(found.store_id).or_default().changed, found.number);
        }
    }

    /// Wakes for balances as often as the number of waits allows.
    fn wake_for_balances(&self, now: Instant) {
        let waits = u32::try_from(self.all.receiver_count()).unwrap_or(u32::MAX);
        let period =
            BALANCES_PERIOD_PER_WAIT.saturating_mul(waits).clamp(BALANCES_PERIOD_MIN, BALANCES_PERIOD_MAX);
        let mut state = self.state();
        let due = state.woken.is_none_or(|woken| now.saturating_duration_since(woken) >= period);
        if due && state.balance > *self.all.borrow() {
            state.woken = Some(now);
            rise(&self.all, state.balance);
        }
    }
}

/// Changes of members, for each store that receives them; changes of no store are for a store ID that does not exist.
fn met(place: usize) -> String {
    let what = "CASE WHEN f.kind = 'points' THEN 1 ELSE 0 END AS balances, f.number AS number FROM feed f";
    let since = format!("WHERE f.lane = 'members' AND f.number > ${place}");
    format!(
        "SELECT 'members' AS lane, COALESCE(m.store_id, '-') AS store_id, {what} LEFT JOIN member_stores m \
         ON m.member_id = f.id {since} UNION ALL SELECT 'members' AS lane, s.store_id AS store_id, {what} \
         JOIN stores s ON s.members_reach = 'all' {since}"
    )
}

fn rise(number: &watch::Sender<i64>, to: i64) {
    number.send_if_modified(|now| {
        let higher = to > *now;
        *now = to.max(*now);
        higher
    });
}

impl Wait<'_> {
    /// The last change that ends a wait of this store.
    pub fn due(&self) -> i64 {
        self.for_all().max(*self.own.borrow())
    }

    /// The last change that ends every wait at the lane.
    pub fn for_all(&self) -> i64 {
        *self.all.borrow()
    }

    /// Whether the lane has passed a change, whichever stores the later changes are for.
    pub fn is_behind(&self, number: i64) -> bool {
        self.lane.state().known > number
    }

    /// Waits until a change after this one concerns the store.
    pub async fn past(&mut self, number: i64) {
        // Senders live as long as the hub.
        tokio::select! {
            _ = self.all.wait_for(|last| *last > number) => {}
            _ = self.own.wait_for(|last| *last > number) => {}
        }
    }

    /// Whether this is the last cursor that the store received: then it is valid.
    pub fn gave(&self, cursor: &str) -> bool {
        self.lane.state().stores.get(self.store_id).is_some_and(|own| own.given == cursor)
    }

    /// Remembers the cursor that the store receives.
    pub fn gives(&self, cursor: &str) {
        if let Some(own) = self.lane.state().stores.get_mut(self.store_id) {
            cursor.clone_into(&mut own.given);
        }
    }
}
