//! A chain in which a store receives only the members that it has met (`members.reach = "met"`): a store asks head
//! office for unknown members, stores them with their points, and keeps them.

use super::reach::End;
use serde_json::{Value, json};
use testkit::chaos::{ALL, Chaos, Proxy};
use testkit::counter::{SALES, number, text};
use testkit::hub::Hub;
use testkit::wait;

fn path(id: &str) -> String {
    format!("/api/members/{id}")
}

fn basket(id: &str) -> Value {
    json!({"member_id": id, "items": [{"sku": "8990001", "qty": 1, "price": 2_000}]})
}

/// Returns the number of members stored here, by a word that all of them have. The search does not ask head office.
fn here(end: &mut End) -> usize {
    let found = end.till.get("/api/members/search?q=member&limit=100").data(200);
    assert_eq!(found["head_office"], json!("not_needed"), "{found}");
    found["items"].as_array().unwrap().len()
}

#[test]
fn a_store_asks_for_whom_it_has_not_met_takes_them_in_and_keeps_them() {
    let mut hub = Hub::open_with("[members]\nreach = \"met\"\n");
    let line = Proxy::before(hub.address());
    let (mut first, mut there) = (End::open(&hub, "S001"), End::open_at(&hub, "S002", &line.url()));
    let body = |number: usize, name: &str| {
        json!({"name": format!("{name} {number}"), "phone": format!("081100000{number}"),
            "email": format!("member{number}@example.com"), "code": format!("CARD-{number}")})
    };
    let mut made =
        |number| text(&first.till.post("/api/members", &body(number, "Member")).data(201), "member_id");
    let ids: Vec<String> = (0..9).map(&mut made).collect();
    let earned = number(&first.sold(&ids[0], 10, 0), "points_earned");
    first.synced();
    there.synced();

    // The store has only members that it has met. If head office can't be reached, the answer states this.
    assert_eq!((here(&mut first), here(&mut there)), (9, 0));
    line.set(Chaos::Down, ALL);
    let refused = there.till.get(&path(&ids[0])).refused(404, "not_found");
    assert_eq!(refused["head_office"], json!("not_asked"), "{refused}");
    let refused = there.till.post(SALES, &basket(&ids[0])).refused(422, "unknown_member");
    assert_eq!(refused["head_office"], json!("not_asked"), "{refused}");
    let found = there.till.get("/api/members/search?phone=0811000000").data(200);
    assert_eq!((&found["items"], &found["head_office"]), (&json!([]), &json!("not_asked")));

    line.set(Chaos::Pass, ALL);
    there.synced();
    // Members are found by phone, with points at once; by code, e-mail and ID; and at the till. Half a second may be
    // too little here.
    there.seen("whom one asks for is found", "/api/members/search?phone=0811000000", |found| {
        let asked = found["head_office"] == json!("asked");
        assert!(!asked || found["items"][0]["points_balance"] == json!(earned), "{found}");
        asked || !found["items"].as_array().unwrap().is_empty()
    });
    there.seen("by code", "/api/members/search?code=CARD-1", |found| {
        found["items"][0]["member_id"] == json!(ids[1])
    });
    there.seen("by e-mail", "/api/members/search?q=member2%40example.com", |found| {
        found["items"][0]["member_id"] == json!(ids[2])
    });
    there.seen("by id", &path(&ids[3]), |member| member["name"] == json!("Member 3"));
    let open = wait::until("the till sells to an unknown member", || {
        let reply = there.till.post(SALES, &basket(&ids[4]));
        (reply.status == 201).then(|| reply.data(201))
    });
    assert_eq!(open["member_id"], json!(ids[4]));
    wait::until("head office does not know the member", || {
        let refused = there.till.get("/api/members/mbr_nobody").refused(404, "not_found");
        (refused == json!({"what": "member"})).then_some(())
    });

    // The members are stored, receive updates from now on, and have the points of both stores.
    assert_eq!(here(&mut there), 5);
    let more = earned - 10 + number(&there.sold(&ids[0], 1, 10), "points_earned");
    first.member(&ids[0], more);
    there.member(&ids[0], more);
    first.manager.send("PATCH", &path(&ids[1]), &[], br#"{"tier": "gold"}"#).data(200);
    there.seen("a change is told", &path(&ids[1]), |member| member["tier"] == json!("gold"));
    // A member who is known at head office is not registered twice if head office answers in time.
    let known = (5..8).find_map(|number| {
        let reply = there.till.post("/api/members", &body(number, "Again"));
        (reply.status == 409).then(|| (number, reply.refused(409, "duplicate")))
    });
    let (number, refused) = known.expect("one answer in time");
    assert_eq!(refused["member_id"], json!(ids[number]), "{refused}");

    // When every store receives every member again, none is missing.
    hub.restart_with(&[("CLOUD_HUB__MEMBERS__REACH", "all")]);
    wait::until("the store has every member", || (here(&mut there) >= 9).then_some(()));
    line.set(Chaos::Down, ALL);
    there.member(&ids[8], 0);
    for mut end in [first, there] {
        end.store.stop();
        end.store.verify();
    }
}
