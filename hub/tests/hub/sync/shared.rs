//! Data that stores share: transfers between them, members field by field, points with their lots.

use crate::support::server::Server;
use crate::support::shop::{FIRST, Shop};
use crate::sync::kinds::{STAMP, about, raw};
use crate::sync::records::{DAY, NOON, Sale};
use serde_json::{Value, json};

fn transfer(state: &str, received: Option<i64>) -> Value {
    json!({"transfer_id": "trf_1", "state": state, "from_store_id": "S001", "to_store_id": "S002",
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 10, "cost": 100, "received_qty": received,
            "in_cost": received.unwrap_or(0) * 10, "resolved": []}],
        "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "sent_at": NOON,
        "received_by": null, "received_at": null, "cancelled_at": null, "cancel_lost": false})
}

fn reported(kind: &str, event_id: &str, state: &str, received: Option<i64>, moved: i64) -> String {
    let lines =
        json!([{"line_no": 1, "balance_after": 0, "cost": moved * 10, "correction": 0, "qty": moved}]);
    let payload = json!({"business_date": DAY, "transfer": transfer(state, received), "lines": lines});
    raw(kind, event_id, "1700445994739-00000-S001", &payload)
}

async fn hears(shop: &Shop, lane: &str) -> Vec<Value> {
    let answer = shop.speak().get(&format!("/api/sync/pull?lane={lane}&limit=500")).await;
    answer.data()["changes"].as_array().unwrap().clone()
}

pub async fn tells(shop: &mut Shop, record: String) -> Value {
    shop.chain().append(record);
    let at = shop.chain().records.len();
    shop.push(&shop.batch(at, at)).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_goes_down_to_its_receiver_and_back() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    // The receiver's record arrives before the sender's. It waits, and the other store's record triggers it.
    let early = tells(&mut two, reported("transfer.received", "evt_2", "received", Some(8), 8)).await;
    assert_eq!(early["parked"][0]["code"], "waits_for_predecessor");
    assert_eq!(server.figure("SELECT COUNT(*) FROM stock WHERE store_id = 'S002'").await, 0);
    assert_eq!(
        tells(&mut one, reported("transfer.sent", "evt_1", "in_transit", None, -10)).await["parked"],
        json!([])
    );
    assert_eq!(server.figure("SELECT COUNT(*) FROM parked").await, 0);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S001'").await, -10);
    assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S002'").await, 8);
    let down = hears(&two, "rest").await;
    assert_eq!((&down[0]["kind"], &down[0]["payload"]["state"]), (&json!("transfer"), &json!("in_transit")));
    let back = hears(&one, "rest").await;
    assert_eq!(
        (&back[0]["payload"]["state"], &back[0]["payload"]["lines"][0]["received_qty"]),
        (&json!("received"), &json!(8))
    );
    assert!(hears(&Shop::open(&server, "S003").await, "rest").await.is_empty(), "no other store gets it");
}

#[tokio::test(flavor = "multi_thread")]
async fn received_beats_cancelled_whichever_comes_first() {
    for cancelled_first in [true, false] {
        let server = Server::start().await;
        let mut one = Shop::open(&server, "S001").await;
        let mut two = Shop::open(&server, "S002").await;
        tells(&mut one, reported("transfer.sent", "evt_1", "in_transit", None, -10)).await;
        let cancelled = reported("transfer.cancelled", "evt_c", "cancelled", None, 10);
        let received = reported("transfer.received", "evt_r", "received", Some(10), 10);
        if cancelled_first {
            tells(&mut one, cancelled).await;
            tells(&mut two, received).await;
        } else {
            tells(&mut two, received).await;
            tells(&mut one, cancelled).await;
        }
        assert_eq!(server.figure("SELECT COUNT(*) FROM transfers WHERE state = 'received'").await, 1);
        let sql = "SELECT COUNT(*) FROM exceptions WHERE code = 'transfer_cancelled_and_received' AND store_id = 'S001'";
        assert_eq!(server.figure(sql).await, 1, "the sender's manager gets an exception");
        // Movements always count: each store's stock is what it reports.
        assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S001'").await, 0);
        assert_eq!(server.figure("SELECT qty FROM stock WHERE store_id = 'S002'").await, 10);
        for shop in [&one, &two] {
            let last = hears(shop, "rest").await.last().unwrap().clone();
            assert_eq!(last["payload"]["state"], "received", "both stores receive the change");
        }
    }
}

fn changed(event_id: &str, at: &str, field: &str, value: &str, base: &str) -> String {
    let fields = json!({field: {"value": value, "at": at, "base": base}});
    raw("member.changed", event_id, at, &json!({"id": "mbr_1", "fields": fields}))
}

fn stamp(ms: u32, node: &str) -> String {
    format!("17004459{ms:05}-00000-{node}")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hub_alone_decides_field_by_field_and_loses_nothing() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    tells(&mut one, changed("evt_1", &stamp(1, "S001"), "name", "Ani", "")).await;
    // A store that meets the member later receives the current state.
    let sale = Sale { store: "S002", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let mut paid: Value = serde_json::from_str(&sale.record("evt_s")).unwrap();
    paid["payload"]["transaction"]["member_id"] = json!("mbr_1");
    tells(&mut two, paid.to_string()).await;
    let met = hears(&two, "members").await;
    assert_eq!(
        (&met[0]["kind"], &met[0]["payload"]["fields"]["name"]["by"]),
        (&json!("member"), &json!("evt_1"))
    );
    // A write based on the current value wins even with an older stamp, and the version rises.
    let first = met[0]["version"].as_str().unwrap().to_owned();
    let answer = tells(&mut two, changed("evt_2", &stamp(0, "S002"), "name", "Ana", "evt_1")).await;
    assert_eq!(answer["conflicts"], json!([]));
    assert!(answer["versions"][0]["version"].as_str().unwrap() > first.as_str(), "{answer}");
    // A write without knowledge of the current value: an earlier one loses and is kept as a conflict, a later one wins,
    // and the replaced value is kept.
    let answer = tells(&mut one, changed("evt_3", &stamp(0, "S001"), "name", "Old", "evt_1")).await;
    assert_eq!(
        (&answer["conflicts"][0]["winner"], &answer["conflicts"][0]["lost_fields"]),
        (&json!("hub"), &json!({"name": "Old"}))
    );
    let answer = tells(&mut one, changed("evt_4", &stamp(9, "S001"), "name", "New", "evt_1")).await;
    assert_eq!(
        (&answer["conflicts"][0]["winner"], &answer["conflicts"][0]["lost_fields"]),
        (&json!("store"), &json!({"name": "Ana"}))
    );
    // Different fields do not conflict.
    let answer = tells(&mut two, changed("evt_5", &stamp(1, "S002"), "phone", "+62811", "")).await;
    assert_eq!(answer["conflicts"], json!([]));
    let last = hears(&one, "members").await.into_iter().rfind(|change| change["kind"] == "member");
    let fields = last.unwrap()["payload"]["fields"].clone();
    assert_eq!((&fields["name"]["value"], &fields["phone"]["value"]), (&json!("New"), &json!("+62811")));

    let admin = server.admin().await;
    let listed = admin.get("/api/conflicts").await;
    let items = listed.data()["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), 2);
    let old = items.iter().find(|item| item["lost_fields"] == json!({"name": "Old"})).unwrap();
    let path = format!("/api/conflicts/{}/restore", old["conflict_id"].as_str().unwrap());
    let restored = admin.keyed(&path, "k1", &json!({})).await;
    assert!(restored.data()["restored_at"].is_string());
    assert!(admin.keyed(&path, "k1", &json!({})).await.replayed);
    assert_eq!(admin.post(&path, &json!({})).await.refusal(), "409 invalid_state");
    for shop in [&one, &two] {
        let last = hears(shop, "members").await.into_iter().rfind(|change| change["kind"] == "member");
        assert_eq!(
            last.unwrap()["payload"]["fields"]["name"]["value"],
            "Old",
            "every store that knows the member receives the change"
        );
    }
    assert_eq!(admin.post("/api/conflicts/cfl_none/restore", &json!({})).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_member_who_was_erased_no_conflict_keeps_or_brings_back_anything() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    tells(&mut one, changed("evt_1", &stamp(1, "S001"), "name", "Ani", "")).await;
    tells(&mut one, changed("evt_2", &stamp(5, "S001"), "phone", "+62811", "")).await;
    let lost = tells(&mut one, changed("evt_3", &stamp(2, "S001"), "phone", "+62899", "evt_0")).await;
    let path = format!("/api/conflicts/{}/restore", lost["conflicts"][0]["conflict_id"].as_str().unwrap());
    let fields = json!({"name": {"value": "erased", "at": stamp(9, "S001"), "base": "evt_1"},
        "phone": {"value": null, "at": stamp(9, "S001"), "base": "evt_2"},
        "state": {"value": "erased", "at": stamp(9, "S001"), "base": ""}});
    let erased = raw("member.changed", "evt_4", &stamp(9, "S001"), &json!({"id": "mbr_1", "fields": fields}));
    tells(&mut one, erased).await;
    // A late write loses and is not kept either.
    let late = tells(&mut one, changed("evt_5", &stamp(3, "S001"), "phone", "+62855", "evt_2")).await;
    assert_eq!(late["conflicts"][0]["lost_fields"], json!({"phone": null}));
    let other = json!({"name": {"value": "Budi", "at": stamp(9, "S001"), "base": ""},
        "email": {"value": null, "at": stamp(9, "S001"), "base": ""}});
    tells(&mut one, raw("member.changed", "evt_6", STAMP, &json!({"id": "mbr_2", "fields": other}))).await;
    let admin = server.admin().await;
    let listed = admin.get("/api/conflicts").await.data()["items"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 2, "the fact that there were conflicts is kept");
    assert!(!listed.iter().any(|item| item.to_string().contains("+62")), "{listed:?}");
    for part in ["q=628", "q=nu", "q=ani"] {
        assert_eq!(admin.get(&format!("/api/conflicts?{part}")).await.data()["items"], json!([]), "{part}");
    }
    assert_eq!(
        admin.get("/api/members?q=nu").await.data()["items"],
        json!([]),
        "a null is not a typed value"
    );
    assert_eq!(admin.post(&path, &json!({})).await.refusal(), "409 invalid_state");
}

#[tokio::test(flavor = "multi_thread")]
async fn hello_repeats_the_conflicts_of_a_stores_writes() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let two = Shop::open(&server, "S002").await;
    assert_eq!(one.hello().await.data()["conflicts"], json!([]));
    tells(&mut one, changed("evt_1", &stamp(5, "S001"), "name", "Ani", "")).await;
    let first = tells(&mut one, changed("evt_2", &stamp(1, "S001"), "name", "Old", "")).await;
    let second = tells(&mut one, changed("evt_3", &stamp(9, "S001"), "name", "New", "")).await;
    let (first, second) = (&first["conflicts"][0], &second["conflicts"][0]);
    assert!(first.is_object() && second.is_object());
    // `hello` repeats what the answers to the pushes had, because those may have been lost.
    let reported = one.hello().await.data()["conflicts"].as_array().unwrap().clone();
    assert!(reported.len() == 2 && reported.contains(first) && reported.contains(second), "{reported:?}");
    assert_eq!(two.hello().await.data()["conflicts"], json!([]), "no other store gets it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_hears_of_its_value_that_another_stores_later_write_beat() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    tells(&mut one, changed("evt_1", &stamp(1, "S001"), "name", "Ani", "")).await;
    let won = tells(&mut two, changed("evt_2", &stamp(5, "S002"), "name", "Ana", "")).await;
    assert_eq!(won["conflicts"][0]["winner"], "store");
    let heard = one.hello().await.data()["conflicts"].clone();
    let mut expected = won["conflicts"].clone();
    expected[0]["winner"] = json!("hub");
    assert_eq!(heard, expected, "with both values, and it has lost");
    assert_eq!(two.hello().await.data()["conflicts"], won["conflicts"]);
    // Of a write on top of what was seen, and of one that beat the store's own value, no other store hears.
    tells(&mut two, changed("evt_3", &stamp(6, "S002"), "name", "Anna", "evt_2")).await;
    tells(&mut two, changed("evt_4", &stamp(9, "S002"), "name", "Hana", "evt_1")).await;
    assert_eq!(one.hello().await.data()["conflicts"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stamp_ahead_of_the_hub_wins_nothing() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let future = "4102444800000-00000-S001";
    tells(&mut one, changed("evt_1", future, "name", "From 2100", "")).await;
    let down = hears(&one, "members").await;
    let at = down[0]["payload"]["fields"]["name"]["at"].as_str().unwrap().to_owned();
    assert!(at.as_str() < future && at.contains("-hub-"), "{at}");
    assert!(down[0]["version"].as_str().unwrap() < future);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_balance_says_what_of_the_receiver_is_in_it() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let earn = |store: &str, id: &str, points: i64| {
        let entry = json!({"entry_id": format!("{id}:earn"), "member_id": "mbr_1", "points": points, "reason": "adjust",
            "reference_id": id, "balance_after": 0, "lots": [], "business_date": DAY, "user_id": "usr_1", "at": NOON});
        let payload = json!({"business_date": DAY, "entry": entry, "reason": "r"});
        raw("points.adjusted", id, &format!("1700445994739-00000-{store}"), &payload)
    };
    tells(&mut one, earn("S001", "evt_1", 10)).await;
    tells(&mut two, earn("S002", "evt_2", 5)).await;
    // A record that can't be applied counts at its store, but not in the balance.
    let of = json!({"members": ["mbr_1"]});
    tells(&mut one, about("points.adjusted", "evt_bad", STAMP, &of, &json!({}))).await;
    tells(&mut two, earn("S002", "evt_3", -3)).await;
    let covered =
        |shop: &Shop, seq: usize| json!([{"epoch": FIRST, "seq": seq, "hash": shop.chains[0].hash_at(seq)}]);
    // Once a page, also in a snapshot. A page without a balance has no such field.
    for call in ["pull", "snapshot"] {
        for (shop, missing) in [(&one, json!(["evt_bad"])), (&two, Value::Null)] {
            let path = format!("/api/sync/{call}?lane=members&limit=500");
            let page = shop.speak().get(&path).await.data().clone();
            let points: Vec<&Value> = page["changes"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|change| change["kind"] == "points")
                .collect();
            assert_eq!(points.len(), 1, "each page has the balance once: {page}");
            assert_eq!(points[0]["payload"], json!({"member_id": "mbr_1", "balance": 12}));
            assert_eq!((&page["includes"], &page["missing"]), (&covered(shop, 2), &missing), "{page}");
            let page = shop.speak().get(&format!("/api/sync/{call}?lane=rest")).await.data().clone();
            assert_eq!((&page["includes"], &page["missing"]), (&Value::Null, &Value::Null));
        }
    }
}
