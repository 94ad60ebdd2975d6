//! A shift is shared by several tills, moved and suspended, over crashes; head office knows where it stands.

use serde_json::{Value, json};
use testkit::counter::text;
use testkit::linked::Linked;
use testkit::{Client, Reply, Store, wait};

const SALES: &str = "/api/pos/transactions";

fn open(till: &mut Client, float: i64) -> String {
    text(&till.post("/api/shifts/open", &json!({"opening_float": float})).data(201), "shift_id")
}

fn tea(shift: Option<&str>) -> Value {
    json!({"shift_id": shift, "items": [{"sku": "8990001", "qty": 1, "price": 2000}],
        "payments": [{"method": "cash", "amount": 2220}]})
}

/// Sells for 2,220; returns the sale's register, its cashier and the last digits of its number.
#[track_caller]
fn sells(till: &mut Client, shift: &str) -> (String, String, u64) {
    let sale = till.post(SALES, &tea(None)).data(201);
    assert_eq!(sale["shift_id"], json!(shift), "{sale}");
    let number = text(&sale, "receipt_no");
    let (till, digits) = number.rsplit_once('-').unwrap();
    assert_eq!(till, format!("S001-{}", text(&sale, "register_id")));
    (text(&sale, "register_id"), text(&sale, "cashier_id"), digits.parse().unwrap())
}

fn moves(till: &mut Client, shift: &str, registers: &[&str]) -> Reply {
    till.post(&format!("/api/shifts/{shift}/registers"), &json!({"register_ids": registers}))
}

fn tills(manager: &mut Client) {
    for id in ["till-2", "till-3"] {
        manager.post("/api/registers", &json!({"register_id": id, "name": format!("The {id}")})).data(201);
    }
}

fn crash(store: &mut Store) {
    store.kill9();
    store.start();
}

#[test]
fn two_tills_share_a_drawer_over_a_crash() {
    let mut store = Store::open();
    let (mut ani, mut budi) = (store.login("till-1").at_register("till-1"), store.login("till-2"));
    let mut manager = store.login("manager");
    let shift = open(&mut ani, 1_000);
    tills(&mut manager);
    let own = sells(&mut ani, &shift);
    assert_eq!((own.0.as_str(), own.2), ("till-1", 1));
    let mut at_two = store.login("till-2").at_register("till-2");
    at_two.post(SALES, &tea(None)).refused(409, "no_open_shift");
    at_two.get("/api/shifts/current").refused(404, "not_found");
    moves(&mut budi, &shift, &["till-2"]).refused(403, "insufficient_role");
    let shared = moves(&mut ani, &shift, &["till-2", "till-1"]).data(200);
    assert_eq!(shared["register_ids"], json!(["till-1", "till-2"]), "{shared}");
    assert_eq!(shared["register_id"], "till-1", "where it was opened");

    // The other till has joined: its cashier sells into the drawer, by a number of that till.
    assert_eq!(at_two.get("/api/shifts/current").data(200), shared);
    assert_eq!(at_two.get("/api/pos/settings").data(200)["shift_id"], json!(shift));
    let first = sells(&mut at_two, &shift);
    assert_eq!((first.0.as_str(), first.2), ("till-2", 1));
    assert_ne!(first.1, own.1, "the sale is the other cashier's");
    crash(&mut store);
    let (mut ani, mut at_two) =
        (store.login("till-1").at_register("till-1"), store.login("till-2").at_register("till-2"));
    let mut manager = store.login("manager");
    assert_eq!(sells(&mut at_two, &shift).2, 2);
    assert_eq!(sells(&mut ani, &shift).2, 2);
    // Without a till it is not known whose number comes next.
    store.login("till-1").post(SALES, &tea(None)).invalid_field("X-Register-Id");
    store.login("till-2").post(SALES, &tea(Some(&shift))).refused(403, "insufficient_role");
    // The drawer and its sums are the owner's.
    let path = |what: &str| format!("/api/shifts/{shift}{what}");
    at_two.get(&path("")).data(200);
    assert_eq!(
        at_two.get(&format!("{SALES}?shift_id={shift}")).data(200)["items"].as_array().unwrap().len(),
        4
    );
    for what in ["/summary", "/report", "/cash-movements"] {
        at_two.get(&path(what)).refused(403, "insufficient_role");
    }
    at_two.post(&path("/close"), &json!({"counted_cash": 0})).refused(403, "insufficient_role");
    let taken = json!({"register_id": "till-2"});
    let refused = manager.post("/api/shifts/open", &taken).refused(409, "shift_already_open");
    assert_eq!(refused["shift_id"], json!(shift));
    let x = manager.get(&path("/report"));
    assert!(x.text().contains("The till-2 (till-2)"), "{}", x.text());

    let closed = ani.post(&path("/close"), &json!({"counted_cash": 1_000 + 4 * 2_220})).data(200);
    let (cash, shown) = (&closed["cash"], &closed["shift"]);
    assert_eq!(
        (&cash["expected"], &shown["variance"], &shown["z_no"]),
        (&json!(9_880), &json!(0), &json!(1))
    );
    at_two.post(SALES, &tea(None)).refused(409, "no_open_shift");
    at_two.get(&path("")).refused(403, "insufficient_role");
    store.stop();
    store.verify();
}

#[test]
fn a_shift_is_suspended_and_moved_and_no_number_is_lost() {
    let mut store = Store::open();
    let mut manager = store.login("manager");
    let (mut ani, mut budi) =
        (store.login("till-1").at_register("till-1"), store.login("till-2").at_register("till-1"));
    let first = open(&mut ani, 0);
    tills(&mut manager);
    assert_eq!(sells(&mut ani, &first).2, 1);
    // A basket keeps the numbers of its till: it has to be paid, voided or held before the shift leaves.
    let mut unpaid = tea(None);
    unpaid.as_object_mut().unwrap().remove("payments");
    let basket = text(&ani.post(SALES, &unpaid).data(201), "transaction_id");
    let refused = moves(&mut ani, &first, &[]).refused(409, "shift_has_open_transactions");
    assert_eq!(refused["transactions"], json!([basket]));
    let hold = text(&ani.post("/api/pos/holds", &json!({"transaction_id": basket})).data(201), "hold_id");
    assert_eq!(moves(&mut ani, &first, &[]).data(200)["register_ids"], json!([]));

    // Suspended: nothing is sold in it, its till is free, and its cashier opens no second one.
    let suspended = ani.post(SALES, &tea(None)).refused(409, "invalid_state");
    assert_eq!(suspended["state"], "suspended");
    ani.post("/api/shifts/open", &json!({"register_id": "till-3"})).refused(409, "shift_already_open");
    let second = open(&mut budi, 0);
    assert_eq!(sells(&mut budi, &second).2, 2, "the till's numbers continue");
    crash(&mut store);
    let (mut ani, budi) =
        (store.login("till-1").at_register("till-1"), store.login("till-2").at_register("till-1"));
    ani.post(SALES, &tea(None)).refused(409, "invalid_state");
    let there = moves(&mut ani, &first, &["till-1"]).refused(409, "shift_already_open");
    assert_eq!(there["shift_id"], json!(second));
    let key = "the-same-move";
    let path = format!("/api/shifts/{first}/registers");
    let moved = ani.post_keyed(&path, key, &json!({"register_ids": ["till-3"]})).data(200);
    crash(&mut store);
    let (mut ani, mut budi_there) = (store.login("till-1").at_register("till-3"), budi);
    assert_eq!(ani.post_keyed(&path, key, &json!({"register_ids": ["till-3"]})).data(200), moved);
    let sold = sells(&mut ani, &first);
    assert_eq!((sold.0.as_str(), sold.2), ("till-3", 1));
    let recalled = ani.post(&format!("/api/pos/holds/{hold}/recall"), &json!({})).data(200);
    assert_eq!(recalled["register_id"], "till-3", "{recalled}");
    let pay = json!({"method": "cash", "amount": 2220});
    let paid = ani.post(&format!("{SALES}/{basket}/pay"), &pay).data(200);
    assert_eq!(paid["receipt_no"], "S001-till-3-00000002");
    // The till where it stood belongs to another drawer now.
    let left = store.login("till-1").at_register("till-1").post(SALES, &tea(None));
    assert_eq!(left.refused(409, "invalid_state")["state"], "elsewhere");
    budi_there.post(SALES, &tea(Some(&first))).refused(403, "insufficient_role");

    // Both were opened at one till: its Z numbers have no gap.
    for (till, shift, z_no, cash) in [(&mut budi_there, &second, 1, 2_220), (&mut ani, &first, 2, 6_660)] {
        let close = format!("/api/shifts/{shift}/close");
        let closed = till.post(&close, &json!({"counted_cash": cash})).data(200);
        assert_eq!((&closed["shift"]["z_no"], &closed["shift"]["variance"]), (&json!(z_no), &json!(0)));
    }
    let entries = manager.get("/api/audit?action=shift.moved").data(200);
    let moved = |entry: &Value| entry["details"]["register_ids"].clone();
    let moved: Vec<Value> = entries["items"].as_array().unwrap().iter().map(moved).collect();
    assert_eq!(moved, [json!(["till-3"]), json!([])]);
    store.stop();
    store.verify();
}

#[test]
fn head_office_knows_where_a_shift_stands() {
    let mut linked = Linked::open();
    tills(&mut linked.manager);
    let shift = text(&linked.till.get("/api/shifts/current").data(200), "shift_id");
    let path = format!("/api/shifts/{shift}");
    let stands = |linked: &mut Linked, registers: Value| {
        wait::until("head office has it", || {
            let reply = linked.office.get(&path);
            (reply.status == 200 && reply.data(200)["register_ids"] == registers).then_some(())
        });
    };
    stands(&mut linked, json!(["till-1"]));
    moves(&mut linked.till, &shift, &["till-2", "till-1"]).data(200);
    stands(&mut linked, json!(["till-1", "till-2"]));
    let mut other = linked.store.login("manager").at_register("till-2");
    sells(&mut other, &shift);
    moves(&mut linked.manager, &shift, &["till-2"]).data(200);
    stands(&mut linked, json!(["till-2"]));
    moves(&mut linked.manager, &shift, &[]).data(200);
    stands(&mut linked, json!([]));
    // A suspended shift is counted where it is.
    linked.till.post(&format!("{path}/close"), &json!({"counted_cash": 2_220})).data(200);
    linked.synced();
    let closed = linked.office.get(&path).data(200);
    assert_eq!(closed["register_ids"], json!([]));
    assert_eq!((&closed["state"], &closed["cash"]["sales"]), (&json!("closed"), &json!(2_220)));
}
