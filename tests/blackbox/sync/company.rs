//! Three stores and head office. Each store has its own clock and its own connection.

use super::QUICK;
use super::rows::{Rows, between, comparable, differences, of_office, of_store};
use crate::feed::reach::End;
use edge::clock;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use serde_json::{Value, json};
use testkit::Client;
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::clock::Clock;
use testkit::counter::text;
use testkit::hub::Hub;
use testkit::store::{PASSWORD, Store};
use testkit::wait;

pub(super) const IDS: [&str; 3] = ["S001", "S002", "S003"];
pub(super) struct Company {
    hub: Hub,
    pub(super) office: Client,
    pub(super) ends: Vec<End>,
    admins: Vec<Client>,
    lines: Vec<Proxy>,
    clock: Option<Clock>,
    /// Offset of all clocks from the machine's.
    ahead: Span,
}

impl Company {
    #[track_caller]
    pub(super) fn open() -> Self {
        let clock = Clock::find();
        let mut hub = Hub::open();
        let environment = clock.as_ref().map(Clock::environment).unwrap_or_default();
        hub.restart_with(&environment);
        let (mut ends, mut lines) = (Vec::new(), Vec::new());
        for id in IDS {
            let mut store = Store::prepare_other(id, QUICK, 1);
            let line = Proxy::before(hub.address());
            hub.enrol_at(&store, &line.url());
            store.environment(&environment);
            store.start();
            store.receive_all(400);
            let mut till = store.login("till-1").at_register("till-1");
            let manager = store.login("manager");
            till.post("/api/shifts/open", &json!({})).data(201);
            ends.push(End { store, till, manager });
            lines.push(line);
        }
        let admins = ends.iter().map(|end| end.store.login("admin")).collect();
        let office = hub.login();
        Self { hub, office, ends, admins, lines, clock, ahead: Span::new() }
    }

    fn now(&self) -> Timestamp {
        clock::now().timestamp().to_zoned(TimeZone::UTC).checked_add(self.ahead).unwrap().timestamp()
    }

    /// Returns the stores' date in `later` days.
    pub(super) fn day(&self, later: i64) -> String {
        let today = self.now().to_zoned(TimeZone::get("Asia/Jakarta").unwrap()).date();
        today.saturating_add(later.days()).to_string()
    }

    #[track_caller]
    pub(super) fn made(&mut self, path: &str, body: &Value) -> Value {
        self.office.post(path, body).data(201)
    }

    #[track_caller]
    pub(super) fn patch(&mut self, path: &str, fields: &Value) {
        self.office.send("PATCH", path, &[], fields.to_string().as_bytes()).data(200);
    }

    /// Makes a change as a manager of a store.
    #[track_caller]
    pub(super) fn own(&mut self, store: usize, path: &str, fields: &Value) {
        self.ends[store].manager.send("PATCH", path, &[], fields.to_string().as_bytes()).data(200);
    }

    #[track_caller]
    pub(super) fn said(&mut self, store: usize, path: &str, body: &Value) -> Value {
        let reply = self.ends[store].manager.post(path, body);
        assert!(reply.status < 300, "{path}: {} {}", reply.status, reply.text());
        reply.data(reply.status)
    }

    /// Sends goods from one store to another.
    #[track_caller]
    pub(super) fn sent(&mut self, from: usize, to: usize, qty: i64) -> String {
        let lines = json!([{"sku": "8990007", "qty": qty}, {"sku": "8990008", "qty": 3}]);
        text(
            &self.said(from, "/api/transfers", &json!({"to_store_id": IDS[to], "lines": lines})),
            "transfer_id",
        )
    }

    /// Receives the goods once the transfer has arrived.
    #[track_caller]
    pub(super) fn received(&mut self, at: usize, transfer: &str, qty: i64) {
        let path = format!("/api/transfers/{transfer}");
        self.ends[at].seen("the transfer is here", &path, |found| found["state"] == json!("in_transit"));
        let lines = json!([{"sku": "8990007", "qty": qty}, {"sku": "8990008", "qty": 3}]);
        self.said(at, &format!("{path}/receive"), &json!({"lines": lines}));
    }

    /// Creates an order of head office and sends it to the first store.
    #[track_caller]
    pub(super) fn ordered(&mut self, supplier: &str, qty: i64) -> String {
        let lines = json!([{"sku": "8990002", "qty": qty, "unit_cost": 1_700}]);
        let order = json!({"supplier_id": supplier, "store_id": "S001", "lines": lines});
        let order = text(&self.made("/api/purchase-orders", &order), "po_id");
        for step in ["approve", "send"] {
            self.office.post(&format!("/api/purchase-orders/{order}/{step}"), &json!({})).data(200);
        }
        order
    }

    #[track_caller]
    pub(super) fn given(&mut self, store: usize, name: &str) -> String {
        let new = json!({"username": format!("{name}@s001.example"), "name": name, "role": "cashier",
            "store_id": IDS[store], "password": PASSWORD});
        text(&self.made("/api/users", &new), "id")
    }

    #[track_caller]
    pub(super) fn synced(&mut self) {
        self.ends.iter_mut().for_each(End::synced);
    }

    /// Returns the rows of every store, and the differences between head office and the stores.
    #[track_caller]
    fn looked_at(&mut self, moments: &[String]) -> (Vec<Rows>, Vec<String>) {
        let offices: Vec<Rows> = IDS.map(|id| of_office(&mut self.office, id, moments)).into();
        let member = |key: &String| key.strip_prefix("member ").map(str::to_owned);
        let members: Vec<String> = offices[0].keys().filter_map(member).collect();
        let ends = self.ends.iter_mut().zip(&mut self.admins);
        let stores: Vec<Rows> = ends.map(|(end, admin)| of_store(end, admin, &members, moments)).collect();
        let mut differ = between(&stores);
        for (id, (office, store)) in IDS.iter().zip(offices.iter().zip(&stores)) {
            differ.extend(differences(("head office", &comparable(office)), (id, &comparable(store))));
        }
        (stores, differ)
    }

    /// Waits until all places agree, and returns the rows of every store.
    #[track_caller]
    pub(super) fn alike(&mut self, when: &str) -> Vec<Rows> {
        let later = |minutes: i64| {
            let at = self.now().checked_add(minutes.minutes()).unwrap();
            format!("{at:.3}")
        };
        let moments = [later(10), later(24 * 60)];
        let mut reported = String::new();
        wait::until(&format!("{when}: what is true at one is true at all"), || {
            self.synced();
            let (stores, differ) = self.looked_at(&moments);
            let differ = differ.join("\n");
            if differ != reported {
                println!("{when}:\n{differ}\n");
            }
            reported = differ;
            reported.is_empty().then_some(stores)
        })
    }

    /// Disconnects these stores in both directions, and ends pending requests with the hub's process.
    #[track_caller]
    pub(super) fn cut(&mut self, stores: &[usize]) {
        for &store in stores {
            self.lines[store].set(Chaos::Down, ALL);
        }
        self.hub.restart();
        self.office = self.hub.login();
        for &store in stores {
            let away = |status: &Value| status["hub"]["state"] != json!("online");
            self.ends[store].seen("the store sees it", "/api/sync/status", away);
        }
    }

    /// Reconnects the stores.
    pub(super) fn reunite(&mut self) {
        self.lines.iter().for_each(|line| line.set(Chaos::Pass, ALL));
    }

    /// Advances every clock by a day if the clock can be changed, and logs everybody in again.
    #[track_caller]
    pub(super) fn next_day(&mut self) {
        if let Some(clock) = &self.clock {
            self.ahead = 26.hours();
            clock.set(self.ahead);
        }
        self.office = self.hub.login();
        for (end, admin) in self.ends.iter_mut().zip(&mut self.admins) {
            end.till = end.store.login("till-1").at_register("till-1");
            (end.manager, *admin) = (end.store.login("manager"), end.store.login("admin"));
        }
    }

    /// Reads the whole feed again at every store, and asserts that no row changes.
    #[track_caller]
    pub(super) fn read_once_more(&mut self) {
        let moments = Vec::new();
        let (before, _) = self.looked_at(&moments);
        for end in &mut self.ends {
            let forced = end.manager.post("/api/sync/force", &json!({"full": true})).data(200);
            assert_eq!(forced["error"], Value::Null, "{forced}");
        }
        self.synced();
        let (after, _) = self.looked_at(&moments);
        for (id, (before, after)) in IDS.iter().zip(before.iter().zip(&after)) {
            let differ = differences(("before", before), ("after", after));
            assert!(differ.is_empty(), "{id}, read again:\n{}", differ.join("\n"));
        }
    }

    /// Stops every store and verifies it.
    #[track_caller]
    pub(super) fn close(mut self) {
        for end in &mut self.ends {
            end.store.stop();
            end.store.verify();
        }
    }
}
