//! Data from before this system: opening points of members, and opening stock after sales have begun.

use jiff::civil::Date;
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::process::{self, said};
use testkit::store::PRODUCTS;
use testkit::{Client, Store};

/// Runs the same import twice at the same moment: exactly one succeeds, and the other one reports the reason.
#[track_caller]
fn one_of_two(store: &Store, words: &[&str], reason: &str) {
    let spawn = || {
        let mut command = store.command(words);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let outputs = [spawn(), spawn()].map(|child| child.wait_with_output().unwrap());
    let (done, refused): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.success());
    let words: String = outputs.iter().map(said).collect();
    assert_eq!((done.len(), refused.len()), (1, 1), "{words}");
    assert!(said(refused[0]).contains(reason), "{words}");
}

fn balance(client: &mut Client, member: &Value) -> Value {
    let member = member["member_id"].as_str().unwrap();
    client.get(&format!("/api/members/{member}/points")).data(200)
}

#[test]
fn members_bring_their_points_along_once_and_the_books_know() {
    let mut shop = Linked::open();
    let mut join = |name: &str, phone: &str| {
        shop.manager.post("/api/members", &json!({"name": name, "phone": phone})).data(201)
    };
    let (siti, tini) = (join("Siti", "0812-3456-7890"), join("Tini", "0812-3456-7891"));
    let wrong = "name;phone;points\nSiti;+62 812 3456 7890;1.500\nSiti;081234567890;1\nX;0812999000;5\nTini;081234567891;0\n";
    let wrong = shop.store.write_file("wrong.csv", wrong);
    let refused = shop.store.run(&["import", "points", wrong.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    for part in [
        "line 3: names the same member as line 2",
        "line 4: names no registered member",
        "line 5: points must be 1",
    ] {
        assert!(said(&refused).contains(part), "{part}: {}", said(&refused));
    }
    let file = shop
        .store
        .write_file("points.csv", "name;phone;points\nSiti;+62 812 3456 7890;1.500\nTini;081234567891;20\n");
    one_of_two(&shop.store, &["import", "points", file.to_str().unwrap()], "already has opening points");
    let shown = balance(&mut shop.manager, &siti);
    assert_eq!((&shown["balance"], &shown["lifetime_earned"]), (&json!(1_500), &json!(0)), "{shown}");
    assert_eq!(shown["entries"][0]["reason"], "opening");
    assert_eq!(balance(&mut shop.manager, &tini)["balance"], 20);

    shop.synced();
    let entries = balance(&mut shop.office, &siti)["items"].clone();
    assert_eq!((&entries[0]["reason"], &entries[0]["balance_after"]), (&json!("opening"), &json!(1_500)));
    let date: Date = shown["entries"][0]["at"].as_str().unwrap()[..10].parse().unwrap();
    let date = date.tomorrow().unwrap();
    let trial = shop.office.get(&format!("/api/finance/trial-balance?date={date}")).data(200);
    let rows = trial["items"].as_array().unwrap();
    let of = |account: &str| rows.iter().find(|row| row["account"] == account).cloned();
    let (Some(liability), Some(opening)) = (of("2040"), of("3010")) else { panic!("{trial}") };
    assert_eq!(liability["credit"], 1_520, "{trial}");
    assert_eq!(opening["debit"], 1_520, "{trial}");
    let proofs = shop.office.post("/api/finance/proofs", &json!({})).data(200);
    assert_eq!(proofs["ok"], true, "{proofs}");
}

#[test]
fn opening_stock_is_added_once_by_two_imports_at_the_same_time() {
    let store = Store::open();
    let (sku, _) = PRODUCTS[0];
    let file = store.write_file("late.csv", &format!("sku,qty,unit_cost\n{sku},5,700\n"));
    one_of_two(
        &store,
        &["import", "stock", "--opening", file.to_str().unwrap()],
        "already has an opening stock",
    );
    let moved = store.login("warehouse").get(&format!("/api/stock/{sku}/movements")).data(200);
    let openings = moved["items"].as_array().unwrap().iter().filter(|one| one["reason"] == "opening").count();
    assert_eq!(openings, 1, "{moved}");
    process::succeed(store.command(&["verify"]), "");
}
