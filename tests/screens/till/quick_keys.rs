//! Quick keys: a manager sets the goods that a till sells by `.1`, `.2` and so on.

use crate::looks::look;
use crate::screen::{ENTER, Screen};
use crate::stockroom::{admin, choose, go, step};
use serde_json::{Value, json};
use testkit::Store;
use testkit::store::PRODUCTS;

#[test]
fn a_manager_sets_a_tills_keys_and_the_till_sells_by_them() {
    let Some(mut till) = Screen::selling(Store::open()) else { return };
    let Some(mut office) = admin(&till.store, "manager") else { return };
    go(&mut office, "#/tills", "page-records tbody tr");
    office.browser.press("tbody .acts .btn");
    office.sees("page-quick-keys .empty");
    // One product by its code, one by its SKU.
    office.scans("89900010");
    office.sees("#label-8990001");
    office.browser.write("#scan", "8990010");
    office.sees("#scan-found-0");
    office.presses(ENTER);
    office.sees("#label-8990010");
    choose(&mut office, "#label-8990010", "Loose rice");
    office.reads(".sheet .end", "keys: 2 of 24");
    office.scans("89900010");
    office.reads("#banner", "is already on key .1");
    // A reload keeps the draft.
    office.browser.reload();
    office.reads(".sheet .end", "keys: 2 of 24");
    assert_eq!(office.script("return document.querySelector('#label-8990010').value"), "Loose rice");
    office.browser.press("#up-8990010");
    office.reads("tbody tr:first-child", "Product 8990010");
    // The row is first now, so only the button for moving down is usable.
    assert_eq!(office.focus(), "down-8990010");
    look(&mut office, "admin-quick-keys");
    step(&mut office, "Save", false, "Saved and shown on the till");

    // The till shows them without a reload.
    till.reads(".q .qt", "Loose rice");
    till.types(".1");
    till.presses(ENTER);
    till.reads("#total", "8,325");
    till.types("2*.2");
    till.presses(ENTER);
    till.reads("#total", "12,765");
    till.types(".3");
    till.presses(ENTER);
    till.reads("#banner", "There is no quick key 3");

    // A large number of keys is drawn closer together.
    let register = till.script("return document.querySelector('pos-app').register");
    let keys: Vec<Value> = PRODUCTS.iter().map(|(sku, _)| json!({"sku": sku})).collect();
    let path = format!("/api/pos/quick-keys?register_id={}", register.as_str().unwrap());
    let body = json!({"items": keys}).to_string();
    till.store.login("manager").send("PUT", &path, &[], body.as_bytes()).data(200);
    till.sees(".quick.many .q:nth-child(12)");
    look(&mut till, "quick-keys");
    till.browser.press(".quick .q:nth-child(10)");
    till.reads("#total", "21,090");
    till.is_clean();
    office.is_clean();
}
