//! Members: registered at any till, found by any detail, changed by managers.

use serde_json::{Value, json};
use testkit::{Client, Store};

const MEMBERS: &str = "/api/members";

/// Registers a member and returns its ID.
fn join(till: &mut Client, body: &Value) -> String {
    till.post(MEMBERS, body).data(201)["member_id"].as_str().unwrap().to_owned()
}

/// Returns the IDs that a search finds.
fn found(client: &mut Client, query: &str) -> Vec<String> {
    let page = client.get(&format!("{MEMBERS}/search?{query}")).data(200);
    let items = page["items"].as_array().unwrap();
    items.iter().map(|item| item["member_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_member_is_found_by_whatever_somebody_remembers() {
    let store = Store::open();
    let mut till = store.login("till-1");
    let siti = join(
        &mut till,
        &json!({"name": "Siti Rahma", "phone": "0812-3456-7890", "email": "Siti@Example.com", "code": "CARD-7",
                "birth_date": "1990-04-21"}),
    );
    let tini = join(&mut till, &json!({"name": "Tini", "phone": "+62 813 1111 222"}));
    let shown = till.get(&format!("{MEMBERS}/{siti}")).data(200);
    assert_eq!(shown["phone"], json!("+6281234567890"), "{shown}");
    assert_eq!(shown["email"], json!("siti@example.com"), "{shown}");
    assert_eq!((&shown["state"], &shown["points_balance"]), (&json!("active"), &json!(0)), "{shown}");
    for query in [
        "q=rah",
        "q=siti%20rahma",
        "q=card-7",
        "q=card",
        "q=siti@ex",
        "q=0812",
        "q=08123456",
        "q=7890",
        "q=%2B62%20812",
        "q=34567",
        "phone=081234567890",
        "phone=%2B6281234567890",
        "code=CARD-7",
    ] {
        assert_eq!(found(&mut till, query), std::slice::from_ref(&siti), "{query}");
    }
    for query in ["q=ahma", "q=nobody", "q=--", "phone=0899999999", "code=CARD", "code=card-7"] {
        assert!(found(&mut till, query).is_empty(), "{query}");
    }
    // The pages contain each member once.
    let first = till.get(&format!("{MEMBERS}/search?q=62&limit=1")).data(200);
    assert_eq!(first["items"][0]["member_id"], json!(siti), "{first}");
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = till.get(&format!("{MEMBERS}/search?q=62&limit=1&cursor={cursor}")).data(200);
    assert_eq!(second["items"][0]["member_id"], json!(tini), "{second}");
    assert_eq!(second["next_cursor"], json!(null), "{second}");
    // Members are kept in the store's own rows, also after a crash.
    let mut store = store;
    store.kill9();
    store.start();
    assert_eq!(found(&mut store.login("till-2"), "q=rah"), [siti]);
}

#[test]
fn a_key_names_one_member() {
    let store = Store::open();
    let mut till = store.login("till-1");
    let mut manager = store.login("manager");
    let siti =
        join(&mut till, &json!({"name": "Siti", "phone": "081234567890", "email": "s@a.id", "code": "1"}));
    for body in [
        json!({"name": "B", "phone": "+62 812 3456 7890"}),
        json!({"name": "B", "email": "S@A.ID"}),
        json!({"name": "B", "email": "b@a.id", "code": "1"}),
    ] {
        let details = till.post(MEMBERS, &body).refused(409, "duplicate");
        assert_eq!(details["member_id"], json!(siti), "{body}");
    }
    let tini = join(&mut till, &json!({"name": "Tini", "email": "t@a.id"}));
    let path = format!("{MEMBERS}/{tini}");
    let taken = json!({"phone": "0812 3456 7890"}).to_string();
    let details = manager.send("PATCH", &path, &[], taken.as_bytes()).refused(409, "duplicate");
    assert_eq!(details["member_id"], json!(siti));
    // A phone number that a member gives up can be used again.
    let other = json!({"phone": "081300000000"}).to_string();
    manager.send("PATCH", &format!("{MEMBERS}/{siti}"), &[], other.as_bytes()).data(200);
    let changed = manager.send("PATCH", &path, &[], taken.as_bytes()).data(200);
    assert_eq!(changed["phone"], json!("+6281234567890"), "{changed}");
    assert_eq!(found(&mut till, "phone=081234567890"), [tini]);
    // Two tills register the same number at the same moment: one of them is refused with the other's member.
    let body = json!({"name": "Race", "phone": "081999999999"}).to_string();
    let replies: Vec<u16> = std::thread::scope(|scope| {
        let send = |who: &str| {
            let mut client = store.login(who);
            let body = body.as_bytes();
            scope.spawn(move || client.send("POST", MEMBERS, &[], body).status)
        };
        let both = [send("till-1"), send("till-2")];
        both.map(|thread| thread.join().unwrap()).into()
    });
    assert!(replies.contains(&201) && replies.contains(&409), "{replies:?}");
}

#[test]
fn members_that_can_not_be_registered_or_searched_for() {
    let store = Store::open();
    let mut till = store.login("till-1");
    for (body, path) in [
        (json!({"name": "A"}), "phone"),
        (json!({"name": " ", "phone": "081234567890"}), "name"),
        (json!({"name": "A", "phone": "12"}), "phone"),
        (json!({"name": "A", "email": "nowhere"}), "email"),
        (json!({"name": "A", "email": "a@b.id", "code": "c".repeat(65)}), "code"),
        (json!({"name": "A", "email": "a@b.id", "birth_date": "21.4.1990"}), "birth_date"),
        (json!({"name": "A", "email": "a@b.id", "tier": "gold"}), "tier"),
    ] {
        till.post(MEMBERS, &body).invalid_field(path);
    }
    for query in ["", "q=a", "q=%20a%20", "phone=abc", "q=ab&code=1", "colour=red", "q=ab&limit=0"] {
        till.get(&format!("{MEMBERS}/search?{query}")).refused(400, "invalid_query");
    }
    till.get(&format!("{MEMBERS}/search?q=ab&cursor=x")).refused(400, "invalid_cursor");
    for path in ["", "/points"] {
        till.get(&format!("{MEMBERS}/mbr_none{path}")).refused(404, "not_found");
    }
    let mut stock_room = store.login("warehouse");
    stock_room.get(&format!("{MEMBERS}/search?q=ab")).refused(403, "insufficient_role");
}

#[test]
fn a_manager_changes_blocks_and_erases() {
    let store = Store::open();
    let (mut till, mut manager) = (store.login("till-1"), store.login("manager"));
    let id = join(&mut till, &json!({"name": "Siti", "phone": "081234567890", "code": "7"}));
    let path = format!("{MEMBERS}/{id}");
    let patch =
        |client: &mut Client, body: Value| client.send("PATCH", &path, &[], body.to_string().as_bytes());
    patch(&mut till, json!({"name": "X"})).refused(403, "insufficient_role");
    till.post(&format!("{path}/erase"), &json!({})).refused(403, "insufficient_role");
    let before = till.get(&path).data(200);
    let changed = patch(&mut manager, json!({"name": "Siti R.", "tier": "gold", "code": ""})).data(200);
    assert_eq!((&changed["name"], &changed["tier"]), (&json!("Siti R."), &json!("gold")), "{changed}");
    assert_eq!(changed["code"], json!(null), "{changed}");
    assert!(changed["version"].as_str() > before["version"].as_str(), "{changed}");
    // The same change again has no effect.
    assert_eq!(patch(&mut manager, json!({"name": "Siti R."})).data(200), changed);
    for (body, field) in [(json!({"state": "merged"}), "state"), (json!({"phone": ""}), "phone")] {
        patch(&mut manager, body).invalid_field(field);
    }
    let blocked = patch(&mut manager, json!({"state": "blocked"})).data(200);
    assert_eq!(blocked["state"], json!("blocked"));
    let erased = manager.post(&format!("{path}/erase"), &json!({})).data(200);
    assert_eq!((&erased["state"], &erased["phone"]), (&json!("erased"), &json!(null)), "{erased}");
    assert!(!till.get(&path).text().contains("Siti"));
    patch(&mut manager, json!({"name": "back"})).refused(409, "invalid_state");
    manager.post(&format!("{path}/erase"), &json!({})).refused(409, "invalid_state");
    assert!(found(&mut till, "q=siti").is_empty() && found(&mut till, "q=erased").is_empty());
    join(&mut till, &json!({"name": "Next", "phone": "081234567890"}));
    for method in ["GET", "PATCH"] {
        let body = if method == "GET" { "" } else { "{}" };
        manager.send(method, "/api/members/mbr_none", &[], body.as_bytes()).refused(404, "not_found");
    }
}

/// A member whose name changes every day makes more words than one search reads. This must hide no other member.
#[test]
fn names_of_long_ago_hide_nobody() {
    const RENAMES: usize = 1_000;
    let store = Store::open();
    let (mut till, mut manager) = (store.login("till-1"), store.login("manager").keeping_alive());
    let restless = join(&mut till, &json!({"name": "Restless", "phone": "081234567890"}));
    let patch = |client: &mut Client, name: String| {
        let body = json!({"name": name}).to_string();
        client.send("PATCH", &format!("{MEMBERS}/{restless}"), &[], body.as_bytes()).data(200)
    };
    for n in 0..RENAMES {
        patch(&mut manager, format!("Aab{n} Aac{n} Aad{n} Aae{n} Aaf{n} Aag{n}"));
    }
    let quiet = join(&mut till, &json!({"name": "Aaz", "phone": "081234567891"}));
    patch(&mut manager, "Aay".to_owned());
    assert_eq!(found(&mut till, "q=aa"), [restless.clone(), quiet.clone()]);
    assert!(found(&mut till, "q=aab0").is_empty() && found(&mut till, "q=restless").is_empty());
    manager.post(&format!("{MEMBERS}/{restless}/erase"), &json!({})).data(200);
    assert_eq!(found(&mut till, "q=aa"), [quiet]);
}
