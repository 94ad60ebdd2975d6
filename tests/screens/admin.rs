//! Store Admin: a delivery is taken in, counted on a phone's screen, and seen by whoever runs the shop.

use crate::looks::look;
use crate::screen::{ENTER, Screen};
use serde_json::json;
use testkit::{Store, audit};

/// Waits for a page of an address.
#[track_caller]
fn go(screen: &mut Screen, address: &str, selector: &str) {
    screen.script(&format!("location.hash = '{address}'"));
    screen.sees(selector);
}

#[test]
fn a_delivery_is_received_counted_and_seen() {
    let store = Store::open();
    let Some(mut screen) = Screen::open(store) else { return };
    screen.visit("/admin");
    screen.log_in("warehouse");
    // Warehouse staff see goods; figures and people are not in their menu.
    screen.sees("nav a[href='#/stock']");
    assert_eq!(screen.script("return document.querySelectorAll('nav a').length"), 7);
    go(&mut screen, "#/receiving/new", "#scan");
    for code in ["89900010", "89900010", "89900070"] {
        screen.scans(code);
    }
    screen.reads(".dock", "2 lines, 3 pieces");
    look(&mut screen, "admin-receive");
    // A reload loses nothing: the draft is there again.
    screen.script("location.reload()");
    screen.reads(".dock", "2 lines, 3 pieces");
    screen.browser.press(".dock button");
    screen.reads("#banner", "Taken in: 2 lines");
    let mut warehouse = screen.store.login("warehouse");
    assert_eq!(warehouse.get("/api/stock/8990001").data(200)["on_hand"], json!(2));

    let count = warehouse.post("/api/opname", &json!({"scope": "all", "blind": true})).data(201);
    go(&mut screen, &format!("#/counts/{}", count["opname_id"].as_str().unwrap()), "#scan");
    screen.scans("89900010");
    screen.sees("#counted");
    screen.types("5");
    look(&mut screen, "admin-count");
    screen.presses(ENTER);
    screen.reads("tbody", "Product 8990001");
    let lines = audit::items(&mut warehouse, "/api/opname");
    assert_eq!(lines.len(), 1);
    screen.is_clean();
}
