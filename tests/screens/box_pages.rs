//! Store Admin's pages about the store's machine: actors that are killed and restarted, verification and backups,
//! settings with their sources, the audit log, values that lost and are restored, people and members.

use crate::looks::look;
use crate::screen::{ENTER, Screen};
use serde_json::{Value, json};
use testkit::journal::{self, HEADER_BYTES};
use testkit::linked::Linked;
use testkit::store::Store;
use testkit::{Client, audit, process, wait};

/// Opens Store Admin at a page, logged in as somebody.
#[track_caller]
fn admin(store: &Store, who: &str, page: &str) -> Option<Screen<()>> {
    let mut screen = Screen::of(store, "/admin")?;
    screen.log_in(who);
    screen.sees("nav");
    go(&mut screen, page, "main h1");
    Some(screen)
}

#[track_caller]
fn go(screen: &mut Screen<()>, page: &str, selector: &str) {
    screen.script(&format!("location.hash = '#/{page}'"));
    screen.sees(selector);
}

/// Returns the number of restarts of a part from its row.
fn restarts(screen: &mut Screen<()>, name: &str) -> String {
    screen.text(&format!("[id='part-{name}'] td:nth-child(4)"))
}

#[test]
fn a_part_that_is_killed_is_seen_to_come_back() {
    let store = Store::open();
    let Some(mut screen) = admin(&store, "admin", "machine") else { return };
    screen.reads(".calm", "components running");
    screen.browser.press(".technical summary");
    assert_eq!(restarts(&mut screen, "catalogue"), "0");
    screen.browser.press("#part-catalogue button");
    screen.reads("dialog h2", "Restart Catalogue?");
    // An accidental Enter restarts nothing: the focus is on the button that changes nothing.
    screen.reads("dialog :focus", "Keep");
    look(&mut screen, "admin-machine-question");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Catalogue is running again");
    wait::until("the row shows the restart", || (restarts(&mut screen, "catalogue") == "1").then_some(()));
    screen.reads("#part-catalogue .why", "kill");

    // Changes by others appear without an action on this page: an actor dies, a till opens its shift.
    let mut other = store.login("admin");
    wait::until("the actor is killed", || {
        let killed = other.post("/api/admin/actors/members/restart", &json!({}));
        (killed.status != 503).then(|| killed.data(200))
    });
    wait::until("the row shows the restart", || (restarts(&mut screen, "members") == "1").then_some(()));
    let mut till = store.login("till-1").at_register("till-1");
    let shift = till.post("/api/shifts/open", &json!({})).data(201);
    let part = format!("[id='part-shift:{}']", shift["shift_id"].as_str().unwrap());
    screen.sees(&part);
    screen.reads(&part, "Shift at till-1");
    look(&mut screen, "admin-machine");
    screen.is_clean();

    // A manager can only view; an administrator can restart.
    let Some(mut manager) = admin(&store, "manager", "machine") else { return };
    manager.reads(".calm", "components running");
    manager.browser.press(".technical summary");
    assert_eq!(manager.script("return document.querySelectorAll('.tree button').length"), 0);
    manager.reads("page-machine", "Only an administrator can restart a component");
    manager.is_clean();
}

#[test]
fn data_is_copied_and_checked_and_damage_shows() {
    let store = Store::open();
    store.receive_all(10);
    let Some(mut screen) = admin(&store, "manager", "machine") else { return };
    screen.reads("store-work", "No backups yet");
    screen.reads("#drill", "No backup has been restored");
    screen.browser.press("#backup");
    screen.reads("dialog", "Include the store's keys");
    screen.browser.press("dialog .btn.primary");
    screen.reads("#backed-up", "created and checked");
    screen.reads("store-work tbody", "/backups/");
    process::succeed(store.command(&["drill"]), "");
    screen.browser.press("#verify");
    screen.reads("#verified", "No problems found");
    screen.reads("#drill", "Backup restored and checked");

    let segment = journal::files(store.data(), "seg").remove(0);
    let frame = &journal::frames(&segment)[1];
    journal::flip(&segment, frame.offset + HEADER_BYTES + frame.body_bytes / 2);
    screen.browser.press("#verify");
    screen.reads("store-work .notice.bad", "problem");
    // The journal is the source of truth and can't be rebuilt, so the page says to copy it before a restart.
    screen.reads("store-work .steps-to-do", "Don't restart the store before you copy the folder");
    assert!(!screen.text("store-work .steps-to-do").contains("rebuild-index"));
    let file = segment.file_name().unwrap().to_str().unwrap().to_owned();
    screen.reads("store-work .wrong", &file);
    look(&mut screen, "admin-damage");
    // The result is the store's last one, and every later visitor sees it.
    screen.browser.reload();
    screen.reads("store-work .notice.bad", "What to do");
    screen.is_clean();
}

/// Both sides set a product's shelf place without knowing of the other's change. Head office's value wins.
#[track_caller]
fn lost_place(shop: &mut Linked) {
    let settle = |shop: &Linked, place: &str| {
        let body = json!({"shelf_place": place}).to_string();
        shop.store.login("warehouse").send("PATCH", "/api/stock/8990001", &[], body.as_bytes()).data(200);
    };
    shop.priced("8990001", 2_000);
    settle(shop, "A-1");
    shop.synced();
    shop.cut();
    settle(shop, "S-2");
    shop.store.kill9();
    shop.hub.start();
    shop.office = shop.hub.login();
    let path = "/api/stores/S001/products/8990001/settings";
    shop.office.send("PATCH", path, &[], json!({"shelf_place": "H-3"}).to_string().as_bytes()).data(200);
    shop.store.start();
    shop.manager = shop.store.login("manager");
    shop.synced();
    shop.seen("it is listed", "/api/conflicts", |list| list["items"][0].is_object());
}

#[track_caller]
fn place(client: &mut Client) -> Value {
    client.get("/api/stock/8990001").data(200)["shelf_place"].clone()
}

#[test]
fn a_value_that_lost_is_put_back_and_settings_name_head_office() {
    let mut shop = Linked::open();
    lost_place(&mut shop);
    let body = json!({"returns.window_days": 21}).to_string();
    shop.office.send("PATCH", "/api/stores/S001/settings", &[], body.as_bytes()).data(200);
    shop.seen("the store hears of it", "/api/pos/settings", |seen| {
        seen["returns"]["window_days"] == json!(21)
    });
    let Some(mut screen) = admin(&shop.store, "manager", "sync") else { return };
    screen.reads("page-sync tbody", "H-3");
    screen.reads("page-sync tbody", "S-2");
    screen.reads("page-sync tbody", "head office's value applies");
    screen.browser.press("#force");
    screen.reads("#banner", "records sent");
    look(&mut screen, "admin-sync");
    screen.browser.press("page-sync tbody button");
    screen.reads("dialog", "S-2");
    screen.browser.press("dialog .btn.primary");
    screen.reads("#banner", "Restored");
    screen.reads("page-sync tbody .badge", "restored");
    let mut warehouse = shop.store.login("warehouse");
    wait::until("the value that lost is restored", || (place(&mut warehouse) == json!("S-2")).then_some(()));

    go(&mut screen, "settings", "#search");
    screen.types("window_days");
    screen.reads("[id='set-returns.window_days']", "Head office");
    screen.reads("[id='set-returns.window_days']", "21");
    assert_eq!(screen.script("return document.querySelectorAll('tbody tr').length"), 1);
    look(&mut screen, "admin-settings-found");
    screen.script("const box = document.querySelector('#search'); box.value = ''; box.dispatchEvent(new Event('input'))");
    screen.reads("[id='set-store.id']", "config.toml:");
    look(&mut screen, "admin-settings");
    screen.is_clean();
}

#[test]
fn actions_are_found_by_user_document_and_day() {
    let store = Store::open();
    store.receive_all(10);
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let sold = [1, 2].map(|qty| {
        let basket = json!({"items": [{"sku": "8990001", "qty": qty, "price": 2_000}]});
        let made = till.post("/api/pos/transactions", &basket).data(201);
        let id = made["transaction_id"].as_str().unwrap().to_owned();
        let pay = json!({"payments": [{"method": "cash", "amount": made["total"]}]});
        till.post(&format!("/api/pos/transactions/{id}/pay"), &pay).data(200)
    });
    let mut manager = store.login("manager").at_register("till-1");
    for sale in &sold {
        let path = format!("/api/pos/transactions/{}/void", sale["transaction_id"].as_str().unwrap());
        manager.post(&path, &json!({"reason": "test"})).data(200);
    }
    let Some(mut screen) = admin(&store, "manager", "audit") else { return };
    screen.reads("page-audit tbody", "Sale voided");
    look(&mut screen, "admin-audit");
    let receipt = sold[1]["receipt_no"].as_str().unwrap();
    screen.browser.write("#object_id", receipt);
    wait::until("one entry is left", || {
        let rows = screen.script("return document.querySelectorAll('page-audit tbody tr').length");
        (rows == 1).then_some(())
    });
    screen.browser.press("page-audit tbody .link");
    screen.reads("dialog", receipt);
    look(&mut screen, "admin-audit-entry");
    screen.browser.press("dialog footer button");
    // The address contains the filter, so it shows the same to everybody.
    screen.browser.reload();
    screen.reads("page-audit tbody", "Sale voided");
    assert_eq!(screen.script("return document.querySelectorAll('page-audit tbody tr').length"), 1);
    screen.browser.press("page-audit .asking .btn");
    screen.reads("page-audit tbody", "Logged in");

    // By keyboard: Ctrl K finds actions, `g` and a letter open a page, `?` lists the keys.
    screen.script("document.activeElement.blur()");
    screen.types("?");
    screen.reads("dialog .keys", "g b");
    look(&mut screen, "admin-keys");
    screen.browser.press("dialog footer button");
    screen.script("document.activeElement.blur()");
    screen.types("gb");
    screen.sees("page-machine");
    screen.script("document.querySelector('admin-app').goTo()");
    screen.sees("#palette");
    screen.types("overwritten value");
    screen.presses(ENTER);
    screen.sees("page-sync");
    screen.is_clean();
}

#[test]
fn a_password_is_set_anew_and_a_member_is_erased() {
    let store = Store::open();
    let mut manager = store.login("manager");
    let member = json!({"name": "Ratna Kusuma", "phone": "081234567890"});
    let member = manager.post("/api/members", &member).data(201)["member_id"].as_str().unwrap().to_owned();
    let people = audit::items(&mut manager, "/api/users");
    let ani = people.iter().find(|one| one["role"] == json!("cashier")).unwrap();
    let (id, username) = (ani["id"].as_str().unwrap(), ani["username"].as_str().unwrap());
    let Some(mut screen) = admin(&store, "manager", &format!("people/{id}")) else { return };
    screen.sees("page-person .figures");
    screen.presses_named("page-person .btn", "New password");
    screen.reads("dialog h2", "New password for");
    screen.browser.write("#f-password", "a new horse that runs");
    screen.browser.press("dialog .btn.primary");
    screen.reads("#banner", "Password changed");
    let body = json!({"username": username, "password": "a new horse that runs"});
    store.client().post("/api/auth/login", &body).data(200);

    go(&mut screen, &format!("members/{member}"), "page-member .figures");
    screen.presses_named("page-member .btn", "Delete data");
    screen.reads("dialog h2", "Delete data of Ratna Kusuma?");
    look(&mut screen, "admin-erase");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Data deleted");
    assert_eq!(manager.get(&format!("/api/members/{member}")).data(200)["phone"], Value::Null);
    screen.is_clean();
}
