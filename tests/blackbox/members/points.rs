//! Points: earned and redeemed in sales, corrected by a manager, and expired.

use crate::returns::points::forget_zone;
use serde_json::{Value, json};
use testkit::hub::Hub;
use testkit::{Client, Store, journal, wait};

const SALES: &str = "/api/pos/transactions";

/// A shop with a till in an open shift and a member.
struct Bench {
    store: Store,
    till: Client,
    manager: Client,
    member: String,
}

impl Bench {
    #[track_caller]
    fn open(store: Store) -> Self {
        let mut till = store.login("till-1").at_register("till-1");
        till.post("/api/shifts/open", &json!({})).data(201);
        let joined = till.post("/api/members", &json!({"name": "Siti", "phone": "081234567890"})).data(201);
        let member = joined["member_id"].as_str().unwrap().to_owned();
        let manager = store.login("manager");
        Self { store, till, manager, member }
    }

    /// Creates a basket of the member: 25,000 plus tax, 27,750 in total.
    #[track_caller]
    fn basket(&mut self) -> Value {
        let body =
            json!({"items": [{"sku": "8990007", "qty": 1, "price": 25_000}], "member_id": self.member});
        self.till.post(SALES, &body).data(201)
    }

    /// Pays a basket: `points` of it by points.
    fn pay(&mut self, basket: &Value, points: i64) -> testkit::Reply {
        let total = basket["total"].as_i64().unwrap();
        let card = json!({"method": "card", "amount": total - points});
        let payments = match points {
            0 => json!([card]),
            _ => json!([{"method": "points", "amount": points}, card]),
        };
        let path = format!("{SALES}/{}/pay", basket["transaction_id"].as_str().unwrap());
        self.till.post(&path, &json!({"payments": payments}))
    }

    #[track_caller]
    fn points(&mut self) -> Value {
        self.till.get(&format!("/api/members/{}/points", self.member)).data(200)
    }

    #[track_caller]
    fn adjust(&mut self, points: i64) -> Value {
        let path = format!("/api/members/{}/points/adjust", self.member);
        self.manager.post(&path, &json!({"points": points, "reason": "sorry"})).data(200)
    }

    #[track_caller]
    fn set_state(&mut self, state: &str) {
        let body = json!({"state": state}).to_string();
        self.manager.send("PATCH", &format!("/api/members/{}", self.member), &[], body.as_bytes()).data(200);
    }
}

#[test]
fn sales_earn_and_redeem() {
    let mut bench = Bench::open(Store::open());
    let basket = bench.basket();
    assert_eq!(basket["points_earned"], json!(27), "the points that the payment will earn: {basket}");
    bench.pay(&basket, 1).refused(409, "insufficient_points");
    let paid = bench.pay(&basket, 0).data(200);
    assert_eq!((&paid["points_earned"], &paid["receipt_no"]), (&json!(27), &json!("S001-till-1-00000001")));
    let basket = bench.basket();
    let details = bench.pay(&basket, 28).refused(409, "insufficient_points");
    let expected = json!({"member_id": bench.member, "balance": 27, "reserved": 0, "available": 27,
        "requested": 28});
    assert_eq!(details, expected);
    let paid = bench.pay(&basket, 20).data(200);
    assert_eq!((&paid["points_redeemed"], &paid["points_earned"]), (&json!(20), &json!(27)), "{paid}");
    let shown = bench.points();
    assert_eq!(shown["balance"], json!(34), "{shown}");
    assert_eq!((&shown["lifetime_earned"], &shown["lifetime_redeemed"]), (&json!(54), &json!(20)), "{shown}");
    assert_eq!(shown["pending_sync"], json!(0), "nothing is pending for head office: {shown}");
    let moved: Vec<_> = shown["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["reason"].clone(), e["points"].clone()))
        .collect();
    assert_eq!(
        moved,
        [(json!("earn"), json!(27)), (json!("redeem"), json!(-20)), (json!("earn"), json!(27))]
    );
    // The pages contain each entry once, also entries of one commit.
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/members/{}/points?limit=1{cursor}", bench.member);
        let page = bench.till.get(&path).data(200);
        walked.extend(page["entries"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(json!(walked), shown["entries"]);
    let path = format!("/api/members/{}", bench.member);
    assert_eq!(bench.till.get(&path).data(200)["points_balance"], json!(34));
    // The balance is stored in a row, so it survives a crash.
    bench.store.kill9();
    bench.store.start();
    assert_eq!(bench.store.login("till-1").get(&path).data(200)["points_balance"], json!(34));
}

#[test]
fn unknown_erased_and_blocked_members() {
    let mut bench = Bench::open(Store::open());
    let body = json!({"items": [{"sku": "8990007", "qty": 1, "price": 25_000}], "member_id": "mbr_none"});
    bench.till.post(SALES, &body).refused(422, "unknown_member");
    bench.adjust(100);
    bench.set_state("blocked");
    let basket = bench.basket();
    assert_eq!(basket["points_earned"], json!(0), "{basket}");
    bench.pay(&basket, 10).refused(422, "validation_failed");
    bench.pay(&basket, 0).data(200);
    assert_eq!(bench.points()["balance"], json!(100));
    bench.set_state("active");
    let basket = bench.basket();
    bench.pay(&basket, 10).data(200);
    let path = format!("/api/members/{}", bench.member);
    bench.manager.post(&format!("{path}/erase"), &json!({})).data(200);
    let mut body = body;
    body["member_id"] = json!(bench.member);
    bench.till.post(SALES, &body).refused(422, "unknown_member");
    let adjust = json!({"points": 1, "reason": "late"});
    bench.manager.post(&format!("{path}/points/adjust"), &adjust).refused(409, "invalid_state");
    bench.till.get(&format!("{path}/points")).data(200);
}

#[test]
fn a_member_blocked_between_basket_and_payment_neither_earns_nor_redeems() {
    let mut bench = Bench::open(Store::open());
    bench.adjust(100);
    let (waits, part) = (bench.basket(), bench.basket());
    assert_eq!(waits["points_earned"], json!(27));
    let path =
        |basket: &Value, what: &str| format!("{SALES}/{}/{what}", basket["transaction_id"].as_str().unwrap());
    let by_points = json!({"method": "points", "amount": 10});
    let begun = bench.till.post(&path(&part, "pay"), &by_points).data(200);
    bench.set_state("blocked");
    bench.pay(&waits, 10).refused(422, "validation_failed");
    let paid = bench.pay(&waits, 0).data(200);
    assert_eq!((&paid["points_earned"], &paid["points_redeemed"]), (&json!(0), &json!(0)), "{paid}");
    let rest = json!({"method": "card", "amount": 27_740});
    bench.till.post(&path(&part, "pay"), &rest).invalid_field("payments");
    assert_eq!(bench.points()["balance"], json!(100), "nothing changed");
    let reverse = format!("payments/{}/reverse", begun["payments"][0]["payment_id"].as_str().unwrap());
    bench.till.post(&path(&part, &reverse), &json!({"reason": "blocked"})).data(200);
    let paid = bench.pay(&part, 0).data(200);
    assert_eq!((&paid["points_earned"], &paid["state"]), (&json!(0), &json!("paid")), "{paid}");
    // Points that were not earned are not deducted.
    let back = json!({"transaction_id": paid["transaction_id"], "items": [{"sku": "8990007", "qty": 1}]});
    let returned = bench.till.post("/api/pos/returns", &back).data(201);
    assert_eq!(returned["points_reversed"], json!(0), "{returned}");
    assert_eq!(bench.points()["balance"], json!(100));
    bench.store.stop();
    bench.store.verify();
}

/// The balance is 74. A payment that exceeds the points is refused at once, not only the one that completes the sale.
#[test]
fn each_payment_by_points_is_checked_as_it_comes() {
    let mut bench = Bench::open(Store::open_with("", 2));
    bench.adjust(74);
    let path =
        |basket: &Value, what: &str| format!("{SALES}/{}/{what}", basket["transaction_id"].as_str().unwrap());
    let by = |method: &str, amount: i64| json!({"method": method, "amount": amount});
    let (first, second) = (bench.basket(), bench.basket());
    let details =
        bench.till.post(&path(&first, "pay"), &by("points", 100)).refused(409, "insufficient_points");
    assert_eq!((&details["available"], &details["requested"]), (&json!(74), &json!(100)), "{details}");
    let begun = bench.till.post(&path(&first, "pay"), &by("points", 50)).data(200);
    let details =
        bench.till.post(&path(&first, "pay"), &by("points", 50)).refused(409, "insufficient_points");
    let expected = json!({"member_id": bench.member, "balance": 74, "reserved": 50, "available": 24,
        "requested": 50});
    assert_eq!(details, expected);
    // Points that one unfinished sale reserves are not available to another sale, however that one is paid.
    let details = bench.pay(&second, 25).refused(409, "insufficient_points");
    assert_eq!(
        details,
        json!({"member_id": bench.member, "balance": 74, "reserved": 50, "available": 24,
        "requested": 25})
    );
    bench.store.kill9();
    bench.store.start();
    bench.till = bench.store.login("till-1").at_register("till-1");
    bench.manager = bench.store.login("manager");
    bench.pay(&second, 25).refused(409, "insufficient_points");
    bench.till.post(&path(&second, "pay"), &by("points", 24)).data(200);
    bench.till.post(&path(&second, "void"), &json!({"reason": "left"})).refused(403, "approval_required");
    bench.manager.post(&path(&second, "void"), &json!({"reason": "left"})).data(200);
    // The cashier removes the payment without an approval. The points are available again.
    let payment = begun["payments"][0]["payment_id"].as_str().unwrap();
    let back = path(&first, &format!("payments/{payment}/reverse"));
    let open = bench.till.post(&back, &json!({"reason": "not enough points"})).data(200);
    assert_eq!((&open["state"], &open["points_redeemed"]), (&json!("open"), &json!(0)), "{open}");
    let third = bench.basket();
    let paid = bench.pay(&third, 74).data(200);
    assert_eq!((&paid["state"], &paid["points_redeemed"]), (&json!("paid"), &json!(74)), "{paid}");
    bench.pay(&first, 0).data(200);
    bench.store.stop();
    bench.store.verify();
}

/// Missing goods are reported before the customer has paid a part.
#[test]
fn a_part_is_not_taken_for_goods_that_are_not_there() {
    let mut bench = Bench::open(Store::open_with("stock.negative = \"reject\"\n", 1));
    let basket = bench.basket();
    let path = format!("{SALES}/{}/pay", basket["transaction_id"].as_str().unwrap());
    let part = json!({"method": "cash", "amount": 1_000});
    bench.till.post(&path, &part).refused(409, "insufficient_stock");
    let shown = bench.till.get(&path.replace("/pay", "")).data(200);
    assert_eq!((&shown["state"], &shown["amount_paid"]), (&json!("open"), &json!(0)));
}

#[test]
fn a_manager_corrects_points_and_it_is_written_down() {
    let mut bench = Bench::open(Store::open());
    let path = format!("/api/members/{}/points/adjust", bench.member);
    bench.till.post(&path, &json!({"points": 1, "reason": "x"})).refused(403, "insufficient_role");
    for (body, field) in [
        (json!({"points": 0, "reason": "x"}), "points"),
        (json!({"points": 1, "reason": ""}), "reason"),
        (json!({"points": i64::MAX, "reason": "x"}), "points"),
        (json!({"points": 1}), "reason"),
    ] {
        bench.manager.post(&path, &body).invalid_field(field);
    }
    let none = json!({"points": 1, "reason": "x"});
    bench.manager.post("/api/members/mbr_none/points/adjust", &none).refused(404, "not_found");
    assert_eq!(bench.adjust(50)["balance"], json!(50));
    // A correction below zero makes a debt, which blocks redeeming and is repaid first.
    let done = bench.adjust(-80);
    assert_eq!((&done["balance"], &done["entry"]["balance_after"]), (&json!(-30), &json!(-30)), "{done}");
    let basket = bench.basket();
    bench.pay(&basket, 1).refused(409, "insufficient_points");
    bench.pay(&basket, 0).data(200);
    assert_eq!(bench.points()["balance"], json!(-3));
    bench.store.stop();
    let records = journal::records(bench.store.data());
    let of = |kind: &str| records.iter().filter(|record| record["type"] == json!(kind)).collect::<Vec<_>>();
    let adjusted = of("points.adjusted");
    assert_eq!(adjusted.len(), 2, "{adjusted:?}");
    assert_eq!(adjusted[0]["payload"]["entry"]["points"], json!(50));
    let audited: Vec<_> =
        records.iter().filter(|record| record["payload"]["action"] == json!("points.adjusted")).collect();
    assert_eq!(audited.len(), 2, "{audited:?}");
    assert_eq!(audited[1]["payload"]["details"]["points"], json!(-80));
    let joined = of("member.changed");
    assert_eq!(joined[0]["payload"]["fields"]["name"]["base"], json!(""), "{joined:?}");
}

#[test]
fn a_changed_member_names_the_store_whose_value_it_replaced() {
    let mut bench = Bench::open(Store::open());
    bench.set_state("blocked");
    bench.set_state("blocked");
    bench.store.stop();
    let records = journal::records(bench.store.data());
    let changed: Vec<_> = records.iter().filter(|record| record["type"] == json!("member.changed")).collect();
    assert_eq!(changed.len(), 2, "a repeated change is not reported: {changed:?}");
    let fields = changed[1]["payload"]["fields"].as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["state"]);
    assert_eq!(fields["state"]["base"], changed[0]["event_id"], "{changed:?}");
    assert_eq!(fields["state"]["at"], changed[1]["at"]);
    let audited: Vec<_> =
        records.iter().filter(|record| record["payload"]["action"] == json!("member.changed")).collect();
    assert_eq!(audited.len(), 1, "{audited:?}");
    assert_eq!(audited[0]["payload"]["details"]["fields"], json!(["state"]));
}

#[test]
fn an_allowance_while_head_office_is_away() {
    let mut hub = Hub::open();
    let settings = "points.offline_limit = 30\nsync.backoff_min = \"50ms\"\nsync.backoff_max = \"100ms\"\n";
    let mut store = Store::prepare(settings, 1);
    hub.enrol(&store);
    hub.kill9();
    store.start();
    let mut bench = Bench::open(store);
    bench.adjust(100);
    assert_eq!(bench.points()["pending_sync"], json!(100));
    let basket = bench.basket();
    let details = bench.pay(&basket, 31).refused(409, "insufficient_points");
    let expected = json!({"member_id": bench.member, "balance": 100, "reserved": 0, "available": 30,
        "requested": 31});
    assert_eq!(details, expected);
    bench.pay(&basket, 20).data(200);
    let basket = bench.basket();
    let details = bench.pay(&basket, 11).refused(409, "insufficient_points");
    assert_eq!(details["available"], json!(10), "the remaining allowance: {details}");
    hub.start();
    let forced = bench.manager.post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], json!(true), "{forced}");
    assert_eq!(bench.points()["pending_sync"], json!(0));
    bench.pay(&basket, 11).data(200);
    // The allowance is for the time without a connection, so the next time it is complete again.
    let forced = bench.manager.post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], json!(true), "{forced}");
    hub.kill9();
    wait::until("the store notices that head office is away", || {
        let state = bench.manager.get("/api/sync/status").data(200)["hub"]["state"].clone();
        (state != json!("online")).then_some(())
    });
    let basket = bench.basket();
    bench.pay(&basket, 30).data(200);
    let basket = bench.basket();
    let details = bench.pay(&basket, 1).refused(409, "insufficient_points");
    assert_eq!(details["available"], json!(0), "{details}");
}

#[test]
fn points_die_after_their_date_where_there_is_no_head_office() {
    // The two business dates of one moment are nearly two days apart.
    let yesterday = "store.timezone = \"Pacific/Pago_Pago\"\nstore.day_start = \"23:59\"\n";
    let lives = "points.expire_after = \"24h\"\n";
    let mut bench = Bench::open(Store::open_with(&format!("{yesterday}{lives}"), 1));
    bench.adjust(40);
    bench.store.stop();
    forget_zone(&bench.store);
    bench.store.set(&format!("store.timezone = \"Pacific/Kiritimati\"\n{lives}"));
    bench.store.start();
    bench.till = bench.store.login("till-1");
    let shown = wait::until("the points have expired", || {
        let shown = bench.points();
        (shown["balance"] == json!(0)).then_some(shown)
    });
    assert_eq!(shown["entries"][0]["reason"], json!("expire"), "{shown}");
    assert_eq!(shown["entries"][0]["points"], json!(-40), "{shown}");
    bench.store.stop();
    let records = journal::records(bench.store.data());
    let mut reported = records.iter().filter(|record| record["type"] == json!("points.adjusted"));
    assert_eq!(reported.next_back().unwrap()["payload"]["entry"]["reason"], json!("expire"));
    // No points expire twice.
    bench.store.start();
    bench.till = bench.store.login("till-1");
    assert_eq!(bench.points()["entries"].as_array().unwrap().len(), 2);
}
