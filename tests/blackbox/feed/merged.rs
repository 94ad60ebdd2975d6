//! One person is registered at two disconnected stores: head office gets an exception and merges the two members.

use super::reach::{End, registered};
use serde_json::{Value, json};
use testkit::Client;
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::counter::{SALES, number, text};
use testkit::hub::Hub;
use testkit::wait;

const PHONE: &str = "0812000111";

fn path(id: &str) -> String {
    format!("/api/members/{id}")
}

/// Returns the exceptions about members who were registered twice.
fn twice(office: &mut Client, state: &str) -> Vec<Value> {
    let list = office.get(&format!("/api/exceptions?state={state}")).data(200);
    let items = list["items"].as_array().unwrap().iter();
    items.filter(|one| one["code"] == json!("member_registered_twice")).cloned().collect()
}

#[test]
fn a_person_registered_twice_is_one_member_at_every_store() {
    let hub = Hub::open();
    let mut office = hub.login();
    let line = Proxy::before(hub.address());
    let (mut here, mut there) = (End::open(&hub, "S001"), End::open_at(&hub, "S002", &line.url()));
    there.synced();
    line.set(Chaos::Down, ALL);
    let first = text(&registered(&mut here, "Budi", PHONE), "member_id");
    let second = text(&registered(&mut there, "Boediman", PHONE), "member_id");
    let mut points = number(&here.sold(&first, 10, 0), "points_earned");
    let sale = there.sold(&second, 5, 0);
    points += number(&sale, "points_earned");
    here.synced();
    line.set(Chaos::Pass, ALL);
    let found = wait::until("head office has an exception about the two members", || {
        twice(&mut office, "open").pop()
    });
    let message = text(&found, "message");
    assert!(message.contains(&first) && message.contains(&second) && message.contains("phone"), "{found}");
    assert!(
        !found.to_string().contains("+62812"),
        "the exception must not contain the phone number: {found}"
    );
    there.member(&first, points - number(&sale, "points_earned"));

    // Disconnected again, the store continues to sell to the ID that it knows, with a held basket.
    let open = json!({"member_id": second, "items": [{"sku": "8990001", "qty": 5, "price": 2_000}]});
    let basket = there.till.post(SALES, &open).data(201);
    there.synced();
    line.set(Chaos::Down, ALL);
    let merge = |office: &mut Client, id: &str, into: &str| {
        office.post(&format!("{}/merge", path(id)), &json!({"into": into}))
    };
    let merged = merge(&mut office, &second, &first).data(200);
    assert_eq!(
        (&merged["member_id"], &merged["points_balance"]),
        (&json!(first), &json!(points)),
        "{merged}"
    );
    assert_eq!(
        merge(&mut office, &second, &first).data(200),
        merged,
        "a repeated merge gives the same result"
    );
    merge(&mut office, &first, &first).refused(422, "validation_failed");
    merge(&mut office, &first, &second).refused(422, "validation_failed");
    merge(&mut office, "mbr_nobody", &first).refused(404, "not_found");
    assert!(twice(&mut office, "open").is_empty(), "the exception is resolved");
    points += number(&there.sold(&second, 5, 0), "points_earned");
    line.set(Chaos::Pass, ALL);

    // At both stores, and at one that is opened later, the old ID leads to the remaining member, who has all points.
    let mut third = End::open(&hub, "S003");
    for end in [&mut here, &mut there, &mut third] {
        let member = end.member(&second, points);
        assert_eq!(member["member_id"], json!(first), "{}", end.store.id());
        assert_eq!(end.by_phone(PHONE), [first.as_str()]);
        assert_eq!(end.found("q=boediman"), [first.as_str()], "the member is found by the old name");
        let again = json!({"name": "Somebody", "phone": PHONE});
        let refused = end.till.post("/api/members", &again).refused(409, "duplicate");
        assert_eq!(refused["member_id"], json!(first), "{refused}");
    }
    // A waiting basket is paid and earns points for the remaining member; a return deducts them from that member.
    let pay = format!("{SALES}/{}/pay", text(&basket, "transaction_id"));
    let parts = json!([{"method": "points", "amount": 10}, {"method": "card", "amount": number(&basket, "total") - 10}]);
    let paid = there.till.post(&pay, &json!({"payments": parts})).data(200);
    points += number(&paid, "points_earned") - 10;
    there.member(&first, points);
    let back =
        json!({"receipt_no": sale["receipt_no"], "items": [{"sku": "8990001", "qty": 5, "reason": "torn"}]});
    there.till.post("/api/pos/returns", &back).data(201);
    points -= number(&sale, "points_earned");
    for end in [&mut here, &mut there, &mut third] {
        end.member(&first, points);
    }
    assert_eq!(office.get(&path(&second)).data(200)["points_balance"], json!(points));
    for id in [&first, &second] {
        let sales = there.manager.get(&format!("{SALES}?member_id={id}")).data(200);
        assert_eq!(sales["items"].as_array().map(Vec::len), Some(3), "{sales}");
        let entries = there.manager.get(&format!("{}/points", path(id))).data(200);
        assert_eq!(
            (&entries["member_id"], &entries["balance"]),
            (&json!(first), &json!(points)),
            "{entries}"
        );
        assert_eq!(entries["entries"].as_array().map(Vec::len), Some(5), "{entries}");
    }
    for mut end in [here, there, third] {
        end.store.stop();
        end.store.verify();
    }
}
