//! A shift is shared with another till, brought here again, and suspended, by keyboard.

use crate::screen::{ENTER, ESCAPE, F10, Screen};
use serde_json::json;
use testkit::{Store, wait};

/// The till's page ticks or unticks a till.
fn ticks(screen: &mut Screen, till: &str) {
    screen.browser.press(&format!("#tills input[name='{till}']"));
}

#[test]
fn a_shift_is_shared_brought_here_and_suspended() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    let mut manager = screen.store.login("manager");
    manager.post("/api/registers", &json!({"register_id": "door", "name": "Door"})).data(201);
    let shift = screen.store.login("till-1").get("/api/shifts/current").data(200);
    let own = shift["register_id"].as_str().unwrap().to_owned();
    let path = format!("/api/shifts/{}", shift["shift_id"].as_str().unwrap());
    screen.presses(F10);
    screen.sees("page-cash .facts");
    screen.types("t");
    screen.sees("#tills");
    ticks(&mut screen, "door");
    screen.presses(ENTER);
    screen.reads("page-cash .notice", "This drawer is shared by");
    let mut other = screen.store.login("till-2").at_register("door");
    let tea =
        json!({"items": [{"sku": "8990001", "qty": 1}], "payments": [{"method": "card", "amount": 2220}]});
    assert_eq!(other.post("/api/pos/transactions", &tea).data(201)["shift_id"], shift["shift_id"]);

    // It is moved away by somebody else: the page says where it is, and it is brought back.
    manager.post(&format!("{path}/registers"), &json!({"register_ids": ["door"]})).data(200);
    screen.reads("page-cash .notice", "This shift is at Door. Choose this till");
    screen.types("t");
    screen.sees("#tills");
    ticks(&mut screen, "door");
    ticks(&mut screen, &own);
    screen.presses(ENTER);
    wait::until("the shift is here", || {
        (!screen.text("page-cash").contains("This shift is at")).then_some(())
    });
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.basket(&["89900010"], "2,220");
    screen.pays("k");

    // Suspended: a reload does not sell in it, and it is continued at this till.
    screen.presses(F10);
    screen.sees("page-cash .facts");
    screen.types("t");
    screen.sees("#tills");
    ticks(&mut screen, &own);
    screen.presses(ENTER);
    screen.reads("page-cash .notice", "This shift is suspended");
    screen.visit("/pos");
    screen.reads("page-cash .notice", "This shift is suspended");
    assert_eq!(manager.get(&path).data(200)["register_ids"], json!([]));
    screen.types("t");
    screen.sees("#tills");
    ticks(&mut screen, &own);
    screen.presses(ENTER);
    wait::until("the shift stands here", || {
        (manager.get(&path).data(200)["register_ids"] == json!([own])).then_some(())
    });
    screen.presses(ESCAPE);
    screen.basket(&["89900010"], "2,220");
    screen.is_clean();
}
