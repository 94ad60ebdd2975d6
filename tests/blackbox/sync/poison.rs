//! A record that can't be applied, between others that can.

use super::trade::sell;
use super::{QUICK, status};
use serde_json::{Value, json};
use testkit::counter::text;
use testkit::dice::Random;
use testkit::ends::{same, same_but};
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::till::Till;

const SALES: &str = "/api/pos/transactions";

/// One sale is within the range. The sum of two exceeds it, which only the hub's table refuses.
#[track_caller]
fn huge(store: &Store, n: usize) -> Value {
    let register = format!("till-{n}");
    let mut till = store.login(&register).at_register(&register);
    let items = json!({"items": [{"sku": "8990001", "qty": 1_000_000, "price": 6_000_000_000_i64}]});
    let made = till.post(SALES, &items).data(201);
    let pay = json!({"method": "card", "amount": made["total"]});
    till.post(&format!("{SALES}/{}/pay", text(&made, "transaction_id")), &pay).data(200)
}

#[track_caller]
fn replay(hub: &Hub) -> Value {
    let mut admin = hub.login();
    let parked = admin.get("/api/parked").data(200)["items"].clone();
    let path = format!("/api/parked/{}/replay", text(&parked[0], "parked_id"));
    admin.post(&path, &json!({})).data(200)
}

#[test]
fn poison_in_the_middle_and_its_replay_after_a_restore() {
    let mut hub = Hub::open();
    let mut store = Store::prepare(QUICK, 3);
    hub.enrol(&store);
    store.start();
    let mut random = Random::announced("poison");
    let mut tills: Vec<Till> = (1..=3).map(|n| Till::open(&store, n, &mut random)).collect();
    sell(&mut tills[2], 2);
    let first = huge(&store, 1);
    same(&hub, &store);
    let backup = hub.backup();
    huge(&store, 2);
    sell(&mut tills[2], 3);
    same_but(&hub, &store, 1);
    assert_eq!(status(&hub)["parked"][0]["code"], json!("effects_failed"));
    assert_eq!(replay(&hub)["parked"], json!(1), "the sum still exceeds the range");

    // The restored hub receives the record again, and parks it again.
    hub.restore(&backup);
    sell(&mut tills[2], 1);
    same_but(&hub, &store, 1);
    // After a void of the first sale, the second one can be applied.
    let path = format!("{SALES}/{}/void", text(&first, "transaction_id"));
    store.login("manager").post(&path, &json!({"reason": "a joke"})).data(200);
    same_but(&hub, &store, 1);
    let replayed = replay(&hub);
    let left = hub.login().get("/api/parked").data(200);
    assert_eq!(replayed, json!({"applied": 1, "duplicates": 0, "parked": 0}), "{left}");
    let books = same(&hub, &store);
    assert_eq!(books.sales["sales_count"], 7, "{books:?}");
    hub.restart();
    assert_eq!(same(&hub, &store), books);
}
