//! A store whose machine was lost gets everything back: the records and their effects.

use super::QUICK;
use super::trade::everything;
use serde_json::{Value, json};
use testkit::audit::items;
use testkit::counter::text;
use testkit::dice::Random;
use testkit::ends::same;
use testkit::hub::Hub;
use testkit::process;
use testkit::store::Store;
use testkit::till::Till;
use testkit::{Client, wait};

const SALES: &str = "/api/pos/transactions";

/// Returns what a person sees of the shop: each product's stock, its movements without their IDs, and its documents.
fn seen(store: &Store, members: &[String], receipts: &[String]) -> Vec<(String, Value)> {
    let mut manager = store.login("manager");
    let mut seen = Vec::new();
    let mut note = |what: String, value: Value| seen.push((what, value));
    for row in items(&mut manager, "/api/stock") {
        let sku = text(&row, "sku");
        let mut moved = items(&mut manager, &format!("/api/stock/{sku}/movements"));
        for movement in &mut moved {
            // The ID belongs to this machine, the time is the record's, and some records do not have the user.
            for own in ["movement_id", "at", "user_id"] {
                movement.as_object_mut().unwrap().remove(own);
            }
        }
        let figures = ["on_hand", "value", "average_cost", "damaged"].map(|field| row[field].clone());
        note(format!("stock {sku}"), json!({"figures": figures, "movements": moved}));
    }
    for path in ["/api/receiving", "/api/adjustments", "/api/opname", "/api/pos/returns", "/api/shifts"] {
        let listed = items(&mut manager, path);
        // Shifts and counts that were open on the lost machine have ended.
        let listed = listed
            .into_iter()
            .filter(|document| document["state"] != "open" && document["state"] != "interrupted");
        let mut listed: Vec<Value> = listed.collect();
        listed.sort_by_key(Value::to_string);
        note(path.to_owned(), json!(listed));
    }
    // Floats also include those of shifts opened since.
    let safe = manager.get("/api/safe").data(200);
    note("safe".to_owned(), json!(["opening", "drops", "counted", "deposited"].map(|sum| safe[sum].clone())));
    for id in members {
        let mut member = manager.get(&format!("/api/members/{id}")).data(200);
        // The time and version of the last feed record belong to the machine, so they are not compared.
        for own in ["updated_at", "version"] {
            member.as_object_mut().unwrap().remove(own);
        }
        note(format!("member {id}"), member);
        note(format!("points {id}"), manager.get(&format!("/api/members/{id}/points")).data(200));
    }
    for receipt in receipts {
        note(receipt.clone(), manager.get(&format!("/api/pos/receipts/{receipt}")).data(200));
    }
    seen
}

#[track_caller]
fn sold(till: &mut Client, member: &str, items: Value) -> Value {
    let made = till.post(SALES, &json!({"member_id": member, "items": items})).data(201);
    let pay = json!({"method": "cash", "amount": made["total"]});
    till.post(&format!("{SALES}/{}/pay", text(&made, "transaction_id")), &pay).data(200)
}

#[track_caller]
fn brings_back(till: &mut Client, sale: &Value, qty: i64) -> testkit::Reply {
    let back = json!({"transaction_id": sale["transaction_id"],
        "items": [{"sku": "8990003", "qty": qty, "reason": "torn"}]});
    till.post("/api/pos/returns", &back)
}

#[test]
fn a_burnt_box_has_its_stock_points_and_receipts_again_and_sells_on() {
    let mut hub = Hub::open();
    let mut store = Store::prepare(QUICK, 2);
    hub.enrol(&store);
    store.start();
    let mut random = Random::announced("refill");
    let mut first = Till::open(&store, 1, &mut random);
    everything(&store, 1);
    first.sell();
    let mut till = store.login("till-2").at_register("till-2");
    let shift = till.post("/api/shifts/open", &json!({"opening_float": 5_000})).data(201);
    let member = json!({"name": "Siti", "phone": "0811-2233-4455"});
    let member = text(&till.post("/api/members", &member).data(201), "member_id");
    let sale = sold(&mut till, &member, json!([{"sku": "8990003", "qty": 5, "price": 20_000}]));
    brings_back(&mut till, &sale, 2).data(201);
    let close = format!("/api/shifts/{}/close", text(&shift, "shift_id"));
    store
        .login("manager")
        .post("/api/registers", &json!({"register_id": "till-9", "name": "Door"}))
        .data(201);
    let stands = json!({"register_ids": ["till-2", "till-9"]});
    till.post(&format!("/api/shifts/{}/registers", text(&shift, "shift_id")), &stands).data(200);
    till.post(&close, &json!({"counted_cash": 1})).data(200);
    let receipts = vec![text(&sale, "receipt_no")];
    let members = vec![member.clone()];
    let before = same(&hub, &store);
    let looks = seen(&store, &members, &receipts);
    assert!(before.points[&member] > 0, "{before:?}");

    // The machine is lost and head office is away. Nothing is sold before everything has been restored.
    store.kill9();
    let mut store = Store::prepare(QUICK, 2);
    hub.enrol_again(&store);
    process::succeed(store.command(&["rejoin"]), "");
    hub.kill9();
    store.start();
    let mut till = store.login("till-2").at_register("till-2");
    let open = json!({"opening_float": 100_000});
    let refused = till.post("/api/shifts/open", &open);
    refused.refused(503, "unavailable");
    let problem = store.login("manager").get("/api/sync/status").data(200)["problems"][0].clone();
    assert_eq!(problem["code"], "refilling", "{problem}");
    hub.start();
    wait::until("the store sells again", || {
        let reply = till.try_send(
            "POST",
            "/api/shifts/open",
            &[("Content-Type", "application/json")],
            open.to_string().as_bytes(),
        );
        reply.ok().filter(|reply| reply.status == 201)
    });
    for ((what, now), (_, then)) in seen(&store, &members, &receipts).iter().zip(&looks) {
        assert_eq!(now, then, "{what}");
    }
    assert_eq!(seen(&store, &members, &receipts).len(), looks.len());
    assert_eq!(same(&hub, &store).points, before.points);

    // A receipt from before: its returns are known, so only the rest can be returned.
    brings_back(&mut till, &sale, 4).refused(422, "return_exceeds_sold");
    brings_back(&mut till, &sale, 3).data(201);
    sold(&mut till, &member, json!([{"sku": "8990003", "qty": 1, "price": 20_000}]));
    let mut first = Till::open(&store, 1, &mut random);
    everything(&store, 1);
    first.sell();
    same(&hub, &store);
    store.stop();
    store.verify();
}
