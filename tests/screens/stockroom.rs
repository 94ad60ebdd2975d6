//! Documents of the stock room in Store Admin: transfers to another store with missing pieces resolved, adjustments up
//! to a limit, returns to the supplier, printed labels.

use crate::furnished::patch;
use crate::looks::look;
use crate::screen::{ENTER, Screen};
use serde_json::{Value, json};
use testkit::goods::{OTHER, SKU, stock, text};
use testkit::hub::Hub;
use testkit::linked::Linked;
use testkit::store::PASSWORD;
use testkit::{Client, Store, audit, ends, wait};

/// The barcode of [`SKU`].
const CODE: &str = "89900010";
/// The barcode of its cartons, which head office sets in [`cartons`].
pub const CARTON: &str = "18990001";
/// Short pauses, so that both ends receive changes at once.
const QUICK: &str = "sync.backoff_min = \"2ms\"\nsync.backoff_max = \"40ms\"\n";

/// Opens a page of Store Admin and waits for it.
#[track_caller]
pub fn go<S>(screen: &mut Screen<S>, address: &str, selector: &str) {
    screen.script(&format!("location.hash = {}", json!(address)));
    let section = address.split(['/', '?']).nth(1).unwrap_or_default();
    wait::until(&format!("the page is {address}"), || {
        (screen.script("return document.querySelector('admin-app').section") == section).then_some(())
    });
    screen.sees(selector);
}

/// Sets a field as a person does.
#[track_caller]
pub fn choose<S>(screen: &mut Screen<S>, selector: &str, value: &str) {
    screen.script(&format!(
        "const field = document.querySelector({}); field.value = {};\
         for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{bubbles: true}}))",
        json!(selector),
        json!(value)
    ));
}

/// Presses the page's main button, confirms, and waits for the message.
#[track_caller]
pub fn step<S>(screen: &mut Screen<S>, label: &str, asks: bool, said: &str) {
    screen.reads(".title .primary", label);
    screen.browser.press(".title .primary");
    if asks {
        screen.sees("dialog footer .btn:last-child");
        screen.browser.press("dialog footer .btn:last-child");
    }
    screen.reads("#banner", said);
}

/// Opens Store Admin of a store, logged in as somebody.
#[track_caller]
pub fn admin(store: &Store, who: &str) -> Option<Screen<()>> {
    let mut screen = Screen::of(store, "/admin")?;
    screen.log_in(who);
    screen.sees("main h1");
    Some(screen)
}

/// Adds a carton of four to [`SKU`], and waits until the store has it.
#[track_caller]
pub fn cartons(office: &mut Client, store: &Store) {
    let codes = json!({"barcodes": [{"code": CODE, "pack_qty": 1}, {"code": CARTON, "pack_qty": 4}]});
    patch(office, &format!("/api/products/{SKU}"), &codes);
    let mut warehouse = store.login("warehouse");
    wait::until("the store knows the carton", || {
        let found = audit::items(&mut warehouse, &format!("/api/stock?barcode={CARTON}"));
        (found.first()?["pack_qty"] == json!(4)).then_some(())
    });
}

/// Opens a store of a company, with ten pieces of everything.
#[track_caller]
fn joined(hub: &Hub, id: &str) -> Store {
    let mut store = Store::prepare_other(id, QUICK, 1);
    hub.enrol(&store);
    store.start();
    store.receive_all(10);
    store
}

/// Waits until the transfer has this state at its end.
#[track_caller]
fn has(store: &Store, id: &str, state: &str) -> Value {
    wait::until(&format!("{} has it as {state}", store.id()), || {
        let reply = store.login("warehouse").get(&format!("/api/transfers/{id}"));
        (reply.status == 200).then(|| reply.data(200)).filter(|one| one["state"] == state)
    })
}

#[test]
fn goods_go_to_another_store_and_what_is_missing_is_settled() {
    let hub = Hub::open();
    let (from, to) = (joined(&hub, "S001"), joined(&hub, "S002"));
    // The sender joined before the receiver existed.
    ends::synced(&mut from.login("manager"));
    let mut office = hub.login();
    cartons(&mut office, &from);
    cartons(&mut office, &to);
    let Some(mut here) = admin(&from, "manager") else { return };
    go(&mut here, "#/transfers", "page-records .empty");
    here.types("n");
    here.sees("#store option[value=S002]");
    choose(&mut here, "#store", "S002");
    // A carton and a piece.
    here.scans(CARTON);
    here.scans(CODE);
    // A part of the name finds the other product; the arrow key and Enter select it.
    here.browser.write("#scan", OTHER);
    here.sees("#scan-found-0");
    here.presses(ENTER);
    here.reads(".sheet .end", "products: 2, pieces: 6");
    look(&mut here, "admin-transfer-new");
    step(&mut here, "Send now", false, "Sent. Stock updated");
    let sent = audit::items(&mut from.login("warehouse"), "/api/transfers");
    let id = text(&sent[0], "transfer_id");
    assert_eq!(stock(&mut from.login("warehouse"), SKU).0, 5);
    has(&to, &id, "in_transit");

    let Some(mut there) = admin(&to, "warehouse") else { return };
    // The start page of the stock room lists incoming transfers.
    there.reads(".alerts", "Incoming transfers: 1");
    there.reads(".figures", "Below zero");
    look(&mut there, "admin-today-warehouse");
    go(&mut there, "#/transfers?direction=in&state=in_transit", "page-records tbody a");
    there.script("document.querySelector('page-records tbody a').click()");
    there.reads(".steps .now", "in transit");
    there.browser.press(".title .primary");
    there.sees(&format!("#qty-{SKU}"));
    there.scans(CARTON);
    there.browser.write(&format!("#qty-{OTHER}"), "1");
    there.browser.write(&format!("#broken-{SKU}"), "1");
    there.reads("tbody", "1 missing");
    look(&mut there, "admin-transfer-take-in");
    step(&mut there, "Receive", true, "Received");
    let arrived = to.login("warehouse").get(&format!("/api/stock/{SKU}")).data(200);
    assert_eq!(
        (&arrived["on_hand"], &arrived["damaged"]),
        (&json!(13), &json!(1)),
        "four arrived, one of them damaged"
    );
    has(&from, &id, "received");

    go(&mut here, "#/transfers", "page-records tbody a");
    go(&mut here, &format!("#/transfers/{id}"), ".alerts .bad");
    here.reads(".alerts", "Sent and not received: 1");
    look(&mut here, "admin-transfer");
    here.browser.press(".title .primary");
    here.sees(&format!("#lost-{SKU}"));
    here.browser.write(&format!("#lost-{SKU}"), "2");
    here.browser.press(".title .primary");
    here.reads(".problem", "at most 1");
    here.browser.write(&format!("#lost-{SKU}"), "1");
    look(&mut here, "admin-transfer-settle");
    step(&mut here, "Save", false, "Saved");
    let settled = from.login("manager").get(&format!("/api/transfers/{id}")).data(200);
    assert_eq!(settled["discrepancies"][0]["resolution"], json!("lost"));
    here.reads("page-record", "History of actions");
    here.is_clean();
    there.is_clean();
}

#[test]
fn an_adjustment_above_the_limit_needs_a_manager_now_or_later() {
    let store = Store::open_with("approval.adjustment_value = 2000\n", 1);
    store.receive_all(10);
    let Some(mut screen) = admin(&store, "warehouse") else { return };
    go(&mut screen, "#/adjustments/new", "#scan");
    choose(&mut screen, "#reason", "theft");
    screen.scans(CODE);
    screen.sees(&format!("#qty-{SKU}"));
    screen.browser.write(&format!("#qty-{SKU}"), "3");
    // A reload keeps the draft.
    screen.browser.reload();
    screen.reads(".sheet .end", "products: 1, pieces: 3");
    look(&mut screen, "admin-adjust");
    screen.browser.press(".title .primary");
    screen.sees("#approver");
    screen.browser.write("#approver", "manager@s001.example");
    screen.browser.write("#approval-password", PASSWORD);
    screen.presses(ENTER);
    screen.reads("#banner", "Posted. Stock updated");
    assert_eq!(stock(&mut store.login("warehouse"), SKU).0, 7);
    // Without a manager the adjustment waits for approval, and no stock moves.
    go(&mut screen, "#/adjustments/new", "#scan");
    choose(&mut screen, "#reason", "found");
    screen.scans(CODE);
    screen.sees(&format!("#qty-{SKU}"));
    screen.browser.press(".title .btn:not(.primary):not(.find)");
    screen.reads("#banner", "Waiting for a manager's approval");
    assert_eq!(stock(&mut store.login("warehouse"), SKU).0, 7);
    screen.script("document.querySelector('admin-app').logOut()");
    screen.log_in("manager");
    screen.reads(".alerts", "Adjustments to approve: 1");
    screen.browser.press(".alerts .warn a");
    screen.sees("page-records tbody a");
    look(&mut screen, "admin-adjustments");
    screen.script("document.querySelector('page-records tbody a').click()");
    screen.sees("page-record .figures");
    look(&mut screen, "admin-adjustment");
    step(&mut screen, "Approve", true, "Posted. Stock updated");
    assert_eq!(stock(&mut store.login("warehouse"), SKU).0, 8);
    screen.browser.press(".title .end .btn");
    screen.sees("dialog .danger");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Reversed");
    assert_eq!(stock(&mut store.login("warehouse"), SKU).0, 7);
    screen.is_clean();
}

#[test]
fn goods_go_back_to_their_supplier_and_labels_are_printed() {
    let mut shop = Linked::open();
    shop.made("/api/suppliers", &json!({"name": "PT Sinar Jaya", "code": "SJ"}));
    shop.synced();
    let Some(mut screen) = admin(&shop.store, "manager") else { return };
    go(&mut screen, "#/supplier-returns/new", "#supplier");
    choose(&mut screen, "#supplier", "PT Sinar Jaya");
    screen.scans(CODE);
    screen.sees(&format!("#claim-{SKU}"));
    screen.browser.write(&format!("#claim-{SKU}"), "1500");
    look(&mut screen, "admin-send-back");
    step(&mut screen, "Return to supplier", false, "Posted. Stock updated");
    screen.reads(".figures", "1,500");
    screen.reads("page-record", "History of actions");
    look(&mut screen, "admin-supplier-return");
    go(&mut screen, "#/supplier-returns", "page-records tbody a");
    let back = audit::items(&mut shop.manager, "/api/supplier-returns");
    assert_eq!((&back[0]["claim"], back.len()), (&json!(1_500), 1));

    go(&mut screen, &format!("#/stock/{SKU}"), "page-product tbody tr");
    screen.browser.press(".title a[href*=labels]");
    screen.sees(".label");
    screen.browser.write(&format!("#qty-{SKU}"), "3");
    screen.reads(".title .primary", "Print labels: 3");
    look(&mut screen, "admin-labels");
    // Only the labels are printed.
    screen.script("window.print = () => { window.printed = document.body.dataset.print; }");
    screen.browser.press(".title .primary");
    assert_eq!(screen.script("return printed"), "labels");
    screen.browser.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    let shown = "return [...document.querySelectorAll('h1, nav, input, .label')].filter((one) => one.checkVisibility()).map((one) => one.className)";
    assert_eq!(screen.script(shown), json!(["label", "label", "label"]));
    screen.is_clean();
}
