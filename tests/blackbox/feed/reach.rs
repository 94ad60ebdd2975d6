//! A member belongs to the company, not to the store that registered the member: every store finds the same one.

use serde_json::{Value, json};
use testkit::Client;
use testkit::counter::{SALES, number, text};
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::wait;

const QUICK: &str = "sync.backoff_min = \"2ms\"\nsync.backoff_max = \"40ms\"\n";

/// A store with a till whose shift is open.
pub(crate) struct End {
    pub(crate) store: Store,
    pub(crate) till: Client,
    pub(crate) manager: Client,
}

impl End {
    #[track_caller]
    pub(crate) fn open(hub: &Hub, id: &str) -> Self {
        Self::open_at(hub, id, &format!("http://{}", hub.address()))
    }

    /// Opens a store that reaches the hub at another address.
    #[track_caller]
    pub(crate) fn open_at(hub: &Hub, id: &str, url: &str) -> Self {
        let mut store = Store::prepare_other(id, QUICK, 1);
        hub.enrol_at(&store, url);
        store.start();
        store.receive_all(100);
        let mut till = store.login("till-1").at_register("till-1");
        let manager = store.login("manager");
        till.post("/api/shifts/open", &json!({})).data(201);
        Self { store, till, manager }
    }

    /// Returns the store's answer once it is as expected.
    #[track_caller]
    pub(crate) fn seen(&mut self, what: &str, path: &str, expected: impl Fn(&Value) -> bool) -> Value {
        wait::until(what, || {
            let reply = self.manager.get(path);
            (reply.status == 200).then(|| reply.data(200)).filter(&expected)
        })
    }

    /// Returns the member once the store has these points.
    #[track_caller]
    pub(crate) fn member(&mut self, id: &str, points: i64) -> Value {
        let path = format!("/api/members/{id}");
        self.seen("the member is here with its points", &path, |m| m["points_balance"] == json!(points))
    }

    /// Waits until head office has all of the store's records and the store has read the feed to its end.
    #[track_caller]
    pub(crate) fn synced(&mut self) {
        wait::until("store and hub are in sync", || {
            let forced = self.manager.post("/api/sync/force", &json!({})).data(200);
            (forced["completed"] == json!(true)).then_some(())
        });
    }

    /// Sells to a member: a part is paid by points, the rest by card.
    #[track_caller]
    pub(crate) fn sold(&mut self, member: &str, qty: i64, by_points: i64) -> Value {
        let items = json!([{"sku": "8990001", "qty": qty, "price": 2_000}]);
        let made = self.till.post(SALES, &json!({"member_id": member, "items": items})).data(201);
        let card = json!({"method": "card", "amount": number(&made, "total") - by_points});
        let points = json!({"method": "points", "amount": by_points});
        let payments = if by_points > 0 { json!([points, card]) } else { json!([card]) };
        let pay = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
        self.till.post(&pay, &json!({"payments": payments})).data(200)
    }

    /// Returns the members found by a complete phone number.
    #[track_caller]
    pub(crate) fn by_phone(&mut self, phone: &str) -> Vec<String> {
        self.found(&format!("phone={phone}"))
    }

    #[track_caller]
    pub(crate) fn found(&mut self, query: &str) -> Vec<String> {
        let found = self.till.get(&format!("/api/members/search?{query}")).data(200);
        found["items"].as_array().unwrap().iter().map(|item| text(item, "member_id")).collect()
    }
}

/// Registers a member at the till.
#[track_caller]
pub(crate) fn registered(end: &mut End, name: &str, phone: &str) -> Value {
    end.till.post("/api/members", &json!({"name": name, "phone": phone})).data(201)
}

#[test]
fn a_member_of_one_store_is_a_member_of_all() {
    let hub = Hub::open();
    let (mut here, mut there) = (End::open(&hub, "S001"), End::open(&hub, "S002"));
    let body =
        json!({"name": "Ani Wijaya", "phone": "0811222333", "email": "Ani@Example.com", "code": "CARD-7"});
    let id = text(&here.till.post("/api/members", &body).data(201), "member_id");
    let earned = number(&here.sold(&id, 10, 0), "points_earned");
    assert!(earned > 10);
    there.member(&id, earned);
    for query in ["q=wijaya", "q=ani%40exa", "q=0811222", "phone=0811222333", "code=CARD-7"] {
        assert_eq!(there.found(query), [id.as_str()], "{query}");
    }
    let again = json!({"name": "Somebody", "phone": "+62 811-222-333"});
    let refused = there.till.post("/api/members", &again).refused(409, "duplicate");
    assert_eq!(refused["member_id"], json!(id), "{refused}");

    // Points of one store can be redeemed in the other, and the first store learns the remaining balance.
    let left = earned - 10 + number(&there.sold(&id, 1, 10), "points_earned");
    here.member(&id, left);
    there.member(&id, left);
    // A change at one store reaches the other.
    there.manager.send("PATCH", &format!("/api/members/{id}"), &[], br#"{"tier": "gold"}"#).data(200);
    here.seen("the tier is here", &format!("/api/members/{id}"), |m| m["tier"] == json!("gold"));

    // A store that is opened later has all members.
    let mut third = End::open(&hub, "S003");
    third.member(&id, left);
    // All stores have the same fields, including the times of changes.
    [&mut here, &mut there, &mut third].into_iter().for_each(End::synced);
    let path = format!("/api/members/{id}");
    let office = hub.login().get(&path).data(200);
    for end in [&mut here, &mut there, &mut third] {
        end.seen("the member is the same everywhere", &path, |member| *member == office);
    }
}

#[test]
fn one_phone_names_the_same_member_in_every_store() {
    let mut hub = Hub::open();
    let (mut here, mut there) = (End::open(&hub, "S001"), End::open(&hub, "S002"));
    hub.kill9();
    // Two stores that can't learn of each other's members.
    let first = text(&registered(&mut here, "Budi", "0812000111"), "member_id");
    let second = text(&registered(&mut there, "Budi H", "0812000111"), "member_id");
    assert_eq!(
        (here.by_phone("0812000111"), there.by_phone("0812000111")),
        (vec![first.clone()], vec![second.clone()])
    );
    hub.start();
    here.member(&second, 0);
    there.member(&first, 0);
    assert_eq!(
        (here.by_phone("0812000111"), there.by_phone("0812000111")),
        (vec![first.clone()], vec![first.clone()])
    );
    // Each member can be changed at either store, and none takes the other's phone number.
    let path = |id: &str| format!("/api/members/{id}");
    for (end, id) in [(&mut here, &second), (&mut there, &second)] {
        let name = format!("Budi of {}", end.store.id());
        end.manager.send("PATCH", &path(id), &[], json!({"name": name}).to_string().as_bytes()).data(200);
        end.synced();
    }
    here.manager.send("PATCH", &path(&first), &[], br#"{"phone": "0812000999"}"#).data(200);
    there.seen("the other number is known", &path(&first), |m| m["phone"] == json!("+62812000999"));
    assert_eq!(
        (here.by_phone("0812000111"), there.by_phone("0812000111")),
        (vec![second.clone()], vec![second])
    );
    for mut end in [here, there] {
        end.store.stop();
        end.store.verify();
    }
}
