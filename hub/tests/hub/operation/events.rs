//! `GET /api/events`: pages receive changes of their lists from any process, and are disconnected when the session
//! ends.

use crate::operation::processes::{Process, started};
use crate::support::server::{Api, PASSWORD, Place, Server, stderr};
use crate::support::shop::{Chain, FIRST, Shop};
use crate::sync::records::{DAY, Sale};
use edge::keys::SigningKey;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::client::events::{Reported, Screen};
use testkit::wait;

const OTHER_PASSWORD: &str = "right horse 9";

fn ready(api: &Api, last: Option<&str>) -> (Screen, Value) {
    Screen::ready(&api.client(), last)
}

async fn somebody(admin: &Api, role: &str) {
    let new = json!({"username": role, "name": role, "role": role, "password": OTHER_PASSWORD});
    admin.post("/api/users", &new).await.data();
}

async fn add_store(admin: &Api, id: &str) {
    let new = json!({"store_id": id, "name": id, "timezone": "Asia/Jakarta"});
    admin.post("/api/stores", &new).await.data();
}

fn of_store(id: &str) -> impl Fn(&Reported) -> bool {
    move |reported: &Reported| reported.name == "store" && reported.data["id"] == json!(id)
}

/// Opens a store that connects to this process.
async fn shop(place: &Place, api: &Api) -> Shop {
    let token = place.add_store("S001");
    let shop = Shop {
        id: "S001".to_owned(),
        hub_id: api.get("/health").await.data()["hub_id"].as_str().unwrap().to_owned(),
        key: Arc::new(SigningKey::generate().unwrap()),
        api: api.clone(),
        chains: vec![Chain::new(FIRST)],
    };
    shop.enrol(&token).await.data();
    shop.hello().await.data();
    shop
}

/// Makes an order, an exception and a settlement. Returns the IDs of the first and the last.
async fn happens(admin: &Api, shop: &mut Shop) -> [String; 2] {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    let supplier = admin.post("/api/suppliers", &json!({"code": "T", "name": "T"})).await.data().clone();
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001",
        "lines": [{"sku": "A", "qty": 10, "unit_cost": 9}]});
    let order = text(&admin.post("/api/purchase-orders", &order).await.data()["po_id"]);
    for event_id in ["evt_1", "evt_2"] {
        let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
        shop.chain().append(sale.record(event_id));
    }
    shop.push(&shop.batch(1, 2)).await.data();
    let forced = json!({"store_id": "S001", "business_date": DAY, "force": true, "reason": "a test"});
    let settlement = text(&admin.post("/api/settlements", &forced).await.data()["settlement_id"]);
    [order, settlement]
}

/// A change in any process sends its event in every other one. A role receives only events of its own lists.
#[tokio::test(flavor = "multi_thread")]
async fn pages_hear_what_changes_in_their_lists_at_every_process() {
    let place = Place::initialised().await;
    let processes = started(&place).await;
    let (one, other) = (&processes[0], &processes[processes.len() - 1]);
    let admin = Api::new(one.address).login("boss", PASSWORD).await;
    let mut shop = shop(&place, &admin).await;
    let mut people = vec![("admin", ["exception", "order", "settlement"].as_slice(), admin.clone())];
    for (role, hears) in [("ho_finance", ["order", "settlement"].as_slice()), ("ho_purchasing", &["order"])] {
        somebody(&admin, role).await;
        people.push((role, hears, Api::new(one.address).login(role, OTHER_PASSWORD).await));
    }
    let mut screens = Vec::new();
    for (role, hears, api) in &people {
        let (screen, ready) = ready(&api.at(other.address), None);
        assert_eq!((&ready["role"], &ready["resumed"]), (&json!(role), &json!(false)));
        screens.push((screen, hears));
    }
    assert_eq!(Screen::open(&Api::new(other.address).client(), None).status, 401);

    let [order, settlement] = happens(&admin, &mut shop).await;
    add_store(&admin, "S002").await;
    let mut last = None;
    for (screen, hears) in &mut screens {
        let (end, heard) = screen.until(of_store("S002"));
        let names: BTreeSet<&str> = heard.iter().map(|reported| reported.name.as_str()).collect();
        let own: BTreeSet<&str> = hears.iter().copied().chain(["store"]).collect();
        assert_eq!(
            names.union(&BTreeSet::from(["store"])).copied().collect::<BTreeSet<_>>(),
            own,
            "{heard:?}"
        );
        let of_order = heard.iter().find(|reported| reported.name == "order").unwrap();
        assert_eq!(
            of_order.data,
            json!({"id": order, "store_id": "S001"}),
            "the ID of what has changed, and no more"
        );
        let mut settled = heard.iter().filter(|reported| reported.name == "settlement");
        assert!(
            settled.all(|reported| reported.data == json!({"id": settlement, "store_id": "S001"})),
            "{heard:?}"
        );
        last = end.id;
    }
    drop(screens);
    comes_back(&admin, &last.unwrap()).await;
    processes.into_iter().for_each(Process::stop);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_of_one_process_opens_one_stream_at_any_process() {
    let place = Place::initialised().await;
    let processes = started(&place).await;
    let admin = Api::new(processes[0].address).login("boss", PASSWORD).await;
    let made = admin.post("/api/events/ticket", &json!({})).await.data().clone();
    let ticket = made["ticket"].as_str().unwrap();
    let at = |process: &Process| Screen::with_ticket(&Api::new(process.address).client(), ticket).status;
    let last = processes.len() - 1;
    assert_eq!((at(&processes[last]), at(&processes[0]), at(&processes[last])), (200, 401, 401));
    processes.into_iter().for_each(Process::stop);
}

/// Resumes with an ID at another process than the one that sent it.
async fn comes_back(admin: &Api, last: &str) {
    add_store(admin, "S003").await;
    let (mut screen, _) = wait::until("this process has read this far", || {
        Some(ready(admin, Some(last))).filter(|(_, ready)| ready["resumed"] == json!(true))
    });
    screen.until(of_store("S003"));
    for unknown in ["999999999", "none"] {
        let (mut screen, ready) = ready(admin, Some(unknown));
        assert_eq!(ready["resumed"], json!(false));
        assert_eq!(screen.next_event().unwrap().name, "reload", "{unknown}");
    }
}

async fn limited(limits: &str) -> Server {
    let place = Place::initialised().await;
    let text = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, format!("{text}[limits]\n{limits}")).unwrap();
    Server::on(place).await
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_and_what_is_kept_for_them_are_bounded() {
    let server = limited("event_streams = 3\nevent_streams_per_person = 2\nevent_buffer = 1\n").await;
    let admin = server.admin().await;
    somebody(&admin, "ho_finance").await;
    let finance = server.api().login("ho_finance", OTHER_PASSWORD).await;
    let mut own: Vec<Screen> = (0..2).map(|_| ready(&admin, None).0).collect();
    let again = server.admin().await;
    let full = Screen::open(&again.client(), None);
    assert_eq!((full.status, full.head.contains("retry-after: 5")), (503, true), "the limit per person");
    let (_finance, _) = ready(&finance, None);
    assert_eq!(Screen::open(&finance.client(), None).status, 503, "the total limit");
    let metrics = admin.text("/metrics", "*/*").await;
    assert!(metrics.contains("hub_event_streams 3\n"), "{metrics}");
    drop(own.pop());
    wait::until("a slot is free again", || (Screen::open(&admin.client(), None).status == 200).then_some(()));

    let mut ids = Vec::new();
    for id in ["S001", "S002", "S003"] {
        add_store(&admin, id).await;
        ids.push(own[0].until(of_store(id)).0.id.unwrap());
    }
    drop(own);
    let (mut late, reported) = wait::until("a slot is free again", || {
        (Screen::open(&admin.client(), None).status == 200).then(|| ready(&admin, Some(&ids[0])))
    });
    assert_eq!(reported["resumed"], json!(false));
    let reload = late.next_event().unwrap();
    assert_eq!((reload.name.as_str(), reload.id.as_ref()), ("reload", ids.last()));
    add_store(&admin, "S004").await;
    assert!(of_store("S004")(&late.next_event().unwrap()), "the stream continues from here");
}

#[track_caller]
fn ends(screen: &mut Screen, code: &str) {
    let (end, _) = screen.until(|reported| reported.name == "end");
    assert_eq!(end.data["code"], json!(code));
    assert_eq!(screen.next_event(), None);
}

/// The stream must end at once, not with the next heartbeat: the client's timeout is shorter than that.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_taken_back_ends_its_streams() {
    let server = Server::start().await;
    let admin = server.admin().await;
    somebody(&admin, "ho_finance").await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(server.api().login("ho_finance", OTHER_PASSWORD).await);
    }
    let (mut stays, _) = ready(&admin, None);
    let mut own: Vec<Screen> = sessions.iter().map(|api| ready(api, None).0).collect();
    let mut first = own.remove(0);
    sessions[0].post("/api/auth/logout", &json!({})).await.data();
    ends(&mut first, "token_revoked");
    add_store(&admin, "S001").await;
    own.iter_mut().for_each(|screen| drop(screen.until(of_store("S001"))));
    // The command runs in another process.
    let done = server.place.run(&["user", "revoke", "ho_finance"], "");
    assert!(done.status.success(), "{}", stderr(&done));
    own.iter_mut().for_each(|screen| ends(screen, "token_revoked"));
    assert_eq!(Screen::open(&sessions[1].client(), None).status, 401);
    stays.until(of_store("S001"));
    server.stop().await;
    ends(&mut stays, "unavailable");
}
