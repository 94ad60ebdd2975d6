//! Members and points of two stores: a member is known at both, changed at both, and has one balance.

use serde_json::{Value, json};
use testkit::counter::{SALES, number, text};
use testkit::linked::Linked;
use testkit::process;
use testkit::simulated::Shop;
use testkit::wait;

fn path(member: &Value) -> String {
    format!("/api/members/{}", text(member, "member_id"))
}

/// Changes a member's fields at the store or at head office.
#[track_caller]
fn patch(client: &mut testkit::Client, member: &Value, fields: &Value) -> Value {
    client.send("PATCH", &path(member), &[], fields.to_string().as_bytes()).data(200)
}

#[test]
fn a_member_is_written_on_both_sides_and_the_hub_decides_field_by_field() {
    let mut shop = Linked::open();
    let member = shop.made("/api/members", &json!({"name": "Ani Wijaya", "phone": "0811222333"}));
    let known =
        shop.seen("the member is known here", &path(&member), |known| known["name"] == json!("Ani Wijaya"));
    assert_eq!((&known["phone"], &known["state"]), (&json!("+62811222333"), &json!("active")), "{known}");
    let found = shop.till.get("/api/members/search?phone=0811222333").data(200);
    assert_eq!(found["items"][0]["member_id"], member["member_id"], "{found}");
    let again = json!({"name": "Somebody", "phone": "+62811222333"});
    shop.till.post("/api/members", &again).refused(409, "duplicate");

    // Each side changes a different field. Both sides end with both changes.
    patch(&mut shop.office, &member, &json!({"tier": "gold"}));
    patch(&mut shop.manager, &member, &json!({"email": "ani@example.com"}));
    let both =
        |known: &Value| (&known["tier"], &known["email"]) == (&json!("gold"), &json!("ani@example.com"));
    shop.seen("the tier is here", &path(&member), both);
    shop.synced();
    assert!(both(&shop.office.get(&path(&member)).data(200)));

    // Without a connection the store's own value is used.
    shop.cut();
    patch(&mut shop.manager, &member, &json!({"name": "Ani Own"}));
    shop.store.kill9();
    shop.hub.start();
    shop.office = shop.hub.login();
    // Head office writes later, without knowing of the store's write: the later write wins, the other is kept as a
    // conflict.
    patch(&mut shop.office, &member, &json!({"name": "Ani Office", "tier": "silver"}));
    shop.store.start();
    shop.manager = shop.store.login("manager");
    let decided =
        |known: &Value| (&known["name"], &known["tier"]) == (&json!("Ani Office"), &json!("silver"));
    shop.seen("what the hub decided is here", &path(&member), decided);
    let conflicts = shop.manager.get("/api/conflicts").data(200);
    assert_eq!(conflicts["items"].as_array().map(Vec::len), Some(1), "{conflicts}");
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn an_own_value_stays_on_top_until_its_outcome_is_here() {
    let mut shop = Linked::open();
    let member = shop.made("/api/members", &json!({"name": "Budi", "phone": "0812000111"}));
    shop.seen("the member is known here", &path(&member), |known| known["name"] == json!("Budi"));
    for n in 0..5 {
        let name = format!("Budi {n}");
        let written = patch(&mut shop.manager, &member, &json!({"name": name}));
        assert_eq!(written["name"], json!(name));
        // The till sees its own write, whatever the feed brings in the meantime.
        patch(&mut shop.office, &member, &json!({"tier": format!("tier-{n}")}));
        let seen = shop
            .seen("the tier is here", &path(&member), |known| known["tier"] == json!(format!("tier-{n}")));
        assert_eq!(seen["name"], json!(name), "{seen}");
    }
    shop.synced();
    assert_eq!(shop.office.get(&path(&member)).data(200)["name"], json!("Budi 4"));
}

/// Sells to the member and returns the points earned.
#[track_caller]
fn sold_to(shop: &mut Linked, member: &Value, qty: i64) -> i64 {
    let basket =
        json!({"member_id": member["member_id"], "items": [{"sku": "8990001", "qty": qty, "price": 2_000}]});
    let made = shop.till.post(SALES, &basket).data(201);
    let pay = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    let paid = json!({"method": "card", "amount": made["total"]});
    number(&shop.till.post(&pay, &paid).data(200), "points_earned")
}

/// Gives the member points at another store.
fn given(far: &mut Shop, member: &Value, event: &str, points: i64) {
    let id = text(member, "member_id");
    let entry = json!({"entry_id": format!("{event}:adjust"), "member_id": id, "points": points, "reason": "adjust",
        "reference_id": event, "balance_after": 0, "lots": [], "business_date": "2026-11-20", "user_id": "usr_far",
        "at": "2026-11-20T03:00:00.000Z"});
    far.tells(
        "points.adjusted",
        event,
        &json!({"business_date": "2026-11-20", "entry": entry, "reason": "r"}),
    );
}

#[test]
fn points_of_all_stores_are_one_balance_and_own_ones_count_at_once() {
    let mut shop = Linked::open();
    let mut far = Shop::open(&shop.hub, "S002");
    let member = shop.made("/api/members", &json!({"name": "Citra", "phone": "0813000222"}));
    shop.seen("the member is known here", &path(&member), |known| known["name"] == json!("Citra"));
    let mut own = sold_to(&mut shop, &member, 5);
    assert_eq!(own, 11);
    let points = format!("{}/points", path(&member));
    let is = |balance: i64, pending: i64| {
        move |seen: &Value| (&seen["balance"], &seen["pending_sync"]) == (&json!(balance), &json!(pending))
    };
    shop.seen("its own points are told", &points, is(own, 0));
    given(&mut far, &member, "evt_far_1", 50);
    shop.seen("those of another store are here", &points, is(own + 50, 0));

    shop.cut();
    let more = sold_to(&mut shop, &member, 5);
    own += more;
    shop.seen("what is not told is named", &points, is(own + 50, more));
    shop.hub.start();
    given(&mut far, &member, "evt_far_2", -20);
    shop.seen("one balance", &points, is(own + 30, 0));
    let there = shop.hub.login().get(&path(&member)).data(200);
    assert_eq!(there["points_balance"], json!(own + 30), "{there}");
    // Points that were earned elsewhere can be redeemed here.
    let basket =
        json!({"member_id": member["member_id"], "items": [{"sku": "8990001", "qty": 5, "price": 2_000}]});
    let made = shop.till.post(SALES, &basket).data(201);
    let pay = format!("{SALES}/{}/pay", text(&made, "transaction_id"));
    let total = number(&made, "total");
    let parts = json!([{"method": "points", "amount": 40}, {"method": "card", "amount": total - 40}]);
    shop.till.post(&pay, &json!({"payments": parts})).data(200);
    shop.store.kill9();
    shop.store.start();
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn members_that_a_restored_hub_lost_come_back_from_the_stores_that_know_them() {
    let mut shop = Linked::open();
    let named = |name: &str| json!({"name": name, "phone": format!("0811{:07}", name.len())});
    let member = shop.made("/api/members", &named("Ani"));
    shop.seen("the member is known here", &path(&member), |known| known["name"] == json!("Ani"));
    shop.synced();
    let backup = shop.hub.backup();
    // Changes by head office after its backup: a field that has an older value in the backup, and a new member.
    patch(&mut shop.office, &member, &json!({"tier": "gold", "name": "Ani Wijaya"}));
    let late = shop.made("/api/members", &named("Budi Hartono"));
    shop.seen("the change is here", &path(&member), |known| known["tier"] == json!("gold"));
    shop.seen("so is the new one", &path(&late), |known| known["name"] == json!("Budi Hartono"));
    shop.hub.restore(&backup);
    shop.office = shop.hub.login();
    shop.synced();
    let back = |office: &mut testkit::Client, member: &Value, name: &str| {
        let reply = office.get(&path(member));
        (reply.status == 200 && reply.data(200)["name"] == json!(name)).then_some(())
    };
    wait::until("the values are back", || back(&mut shop.office, &member, "Ani Wijaya"));
    wait::until("the new member is back", || back(&mut shop.office, &late, "Budi Hartono"));
    assert_eq!(shop.office.get(&path(&member)).data(200)["tier"], json!("gold"));
    shop.synced();
    // The store lost nothing, and head office's next change is applied as usual.
    assert_eq!(shop.manager.get(&path(&member)).data(200)["tier"], json!("gold"));
    patch(&mut shop.office, &member, &json!({"tier": "silver"}));
    shop.seen("the next word is here", &path(&member), |known| known["tier"] == json!("silver"));
    shop.store.stop();
    shop.store.verify();
}

#[test]
fn an_own_value_of_a_backup_gives_way_to_what_head_office_wrote_after_it() {
    let mut shop = Linked::open();
    let member = shop.made("/api/members", &json!({"name": "Eka", "phone": "0815000111"}));
    shop.seen("the member is known here", &path(&member), |known| known["name"] == json!("Eka"));
    shop.synced();
    shop.cut();
    // The backup contains a write that head office had not decided on. Later writes come back from head office.
    patch(&mut shop.manager, &member, &json!({"phone": "0815000222"}));
    let backup = shop.store.folder().join("backup");
    process::succeed(shop.store.command(&["backup", backup.to_str().unwrap()]), "");
    patch(&mut shop.manager, &member, &json!({"email": "eka@example.com"}));
    shop.hub.start();
    shop.office = shop.hub.login();
    shop.synced();
    patch(&mut shop.office, &member, &json!({"phone": "0815000333"}));
    let is = |known: &Value| known["phone"] == json!("+62815000333");
    shop.seen("head office's phone is here", &path(&member), is);

    shop.store.kill9();
    shop.store.move_data(shop.store.folder().join("restored"));
    process::succeed(shop.store.command(&["restore", backup.to_str().unwrap()]), "");
    shop.store.start();
    shop.manager = shop.store.login("manager");
    let back = shop.seen("it is here again", &path(&member), is);
    assert_eq!(back["email"], json!("eka@example.com"));
    shop.store.stop();
    shop.store.verify();
}
