//! Goods are counted on a phone while the store can't be reached: counts are kept on the phone, shown as waiting, sent
//! when the store is back, and applied once.

use crate::screen::{ENTER, Screen};
use crate::stockroom::{choose, go};
use serde_json::json;
use testkit::{Store, process, wait};

/// The barcodes of `8990001`, `8990003` and `8990007`. The second one is scanned only while the store is offline.
const CODES: [&str; 3] = ["89900010", "89900030", "89900070"];

/// Script that records the key of each count that is sent. While `losing`, the answer is lost.
const WATCH_SENDS: &str = "window.sent = []; window.asked = []; const real = window.fetch; window.fetch = async (url, options) => {\
    asked.push(String(url)); if (!/counts$/.test(url)) return real(url, options); sent.push(options.headers['Idempotency-Key']);\
    const answer = await real(url, options); if (window.losing) { await answer.text(); throw new TypeError('lost'); } return answer; }";

/// Emulates a phone: its size, and touch instead of a mouse.
#[track_caller]
fn phone(screen: &mut Screen) {
    let metrics = json!({"width": 360, "height": 780, "deviceScaleFactor": 2, "mobile": true});
    screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    screen.browser.devtools("Emulation.setTouchEmulationEnabled", &json!({"enabled": true}));
}

/// Taps the first element with this text.
#[track_caller]
fn taps(screen: &mut Screen, selector: &str, words: &str) {
    let place = screen.script(&format!(
        "const one = [...document.querySelectorAll({})].find((one) => one.innerText.includes({})); one.scrollIntoView({{block: 'center'}});\
         const {{left, right, top, bottom}} = one.getBoundingClientRect(); return [(left + right) / 2, (top + bottom) / 2]",
        json!(selector),
        json!(words)
    ));
    let point = json!([{"x": place[0], "y": place[1]}]);
    screen.browser.devtools("Input.dispatchTouchEvent", &json!({"type": "touchStart", "touchPoints": point}));
    screen.browser.devtools("Input.dispatchTouchEvent", &json!({"type": "touchEnd", "touchPoints": []}));
}

/// Scans a product, taps its quantity, and waits for the field of the next one.
#[track_caller]
fn counts(screen: &mut Screen, code: &str, name: &str, digits: &str) {
    screen.scans(code);
    screen.reads(".counting h2", name);
    for digit in digits.chars() {
        taps(screen, ".pad-keys .digit", &digit.to_string());
    }
    wait::until("the quantity is shown", || {
        (screen.script("return document.querySelector('#counted').value") == digits).then_some(())
    });
    taps(screen, ".counting .primary", "Save, next");
    screen.sees("#scan");
}

#[test]
fn counts_wait_on_the_phone_while_the_store_is_away_and_count_once() {
    let store = Store::open();
    store.receive_all(10);
    let mut staff = store.login("warehouse");
    let count = staff.post("/api/opname", &json!({"scope": "all", "blind": true})).data(201);
    let path = format!("/api/opname/{}", count["opname_id"].as_str().unwrap());
    let Some(mut screen) = Screen::open(store) else { return };
    phone(&mut screen);
    screen.visit("/admin");
    screen.log_in("warehouse");
    let page = path.replace("/api/opname", "#/counts");
    go(&mut screen, &page, "#scan");
    counts(&mut screen, CODES[0], "Product 8990001", "12");
    screen.reads("tbody", "Product 8990001");

    screen.store.kill9();
    // Products that this phone has seen are shown with their name, others with their code. A first count can be
    // corrected.
    counts(&mut screen, CODES[0], "Product 8990001", "9");
    counts(&mut screen, CODES[1], CODES[1], "7");
    counts(&mut screen, CODES[0], "Product 8990001", "8");
    counts(&mut screen, "12345678", "12345678", "3");
    screen.reads("#waits h2", "Waiting to be sent: 4");
    assert_eq!(screen.script("return document.querySelector('.title .primary').disabled"), true);
    assert_eq!(screen.script("return examine.fits()"), json!([]));
    // A reloaded page has none of this in memory.
    screen.browser.open("about:blank");
    screen.store.start();
    screen.visit("/admin");
    screen.reads("#banner", "Count: done");
    screen.reads("#banner", "failed");
    go(&mut screen, &page, "#scan");
    screen.reads("tbody tr:nth-child(1) .num", "8");

    // The answer is lost. The count is sent again with the same key.
    screen.script(WATCH_SENDS);
    screen.script("window.losing = true");
    counts(&mut screen, CODES[2], "Product 8990007", "10");
    screen.reads("#waits h2", "Waiting to be sent: 1");
    screen.script("window.losing = false");
    wait::until("no count waits", || screen.text("#waits").is_empty().then_some(()));
    screen.reads("tbody tr:nth-child(3) .num", "10");
    let sent = screen.script("return sent");
    let keys = sent.as_array().unwrap();
    assert!(keys.len() > 1 && keys.iter().all(|key| *key == keys[0]), "{sent}");

    // A count by mistake is withdrawn. A product with an earlier count must be counted again; without one it is not
    // counted.
    counts(&mut screen, CODES[2], "Product 8990007", "99");
    screen.reads(".last li", "99");
    screen.reads("tbody tr:nth-child(3) .num", "99");
    taps(&mut screen, "#undo", "Undo");
    screen.reads("#banner", "Previous count here: 10");
    screen.reads("#progress", "2 of 12");
    counts(&mut screen, CODES[2], "Product 8990007", "10");
    screen.reads("tbody tr:nth-child(3) .num", "10");
    counts(&mut screen, "89900020", "Product 8990002", "5");
    screen.reads("#progress", "4 of 12");
    taps(&mut screen, "#undo", "Undo");
    screen.reads("#progress", "3 of 12");
    screen.reads(".left", "Product 8990002");
    assert_eq!(screen.script("return examine.fits()"), json!([]));
    // In a blind count the page never shows or requests expected quantities.
    let asked = screen.script("return asked.filter((url) => !url.startsWith('/api/opname/'))");
    assert_eq!(asked, json!([]));
    screen.is_clean();

    let mut staff = screen.store.login("warehouse");
    taps(&mut screen, ".title .primary", "Submit");
    screen.sees("dialog footer .btn:last-child");
    taps(&mut screen, "dialog footer .btn:last-child", "Submit");
    screen.reads(".title .badge", "in review");
    let mut manager = screen.store.login("manager");
    manager.post(&format!("{path}/post"), &json!({"accept": true})).data(200);
    let on_hand = ["8990001", "8990003", "8990007", "8990004"]
        .map(|sku| staff.get(&format!("/api/stock/{sku}")).data(200)["on_hand"].clone());
    assert_eq!(on_hand, [json!(8), json!(7), json!(10), json!(10)]);
}

/// Presses a button and confirms.
#[track_caller]
fn agrees(screen: &mut Screen, selector: &str) {
    screen.browser.press(selector);
    screen.sees("dialog footer .btn:last-child");
    screen.browser.press("dialog footer .btn:last-child");
}

/// Products are counted and skipped in the order of the list, which keeps its length.
#[track_caller]
fn goes_down_the_list(screen: &mut Screen) {
    let rows = |screen: &mut Screen| screen.script("return document.querySelectorAll('.left li').length");
    assert_eq!(rows(screen), 50);
    taps(screen, "count-left .btn", "Load more");
    screen.reads(".left", "Goods 69");
    assert_eq!(rows(screen), 69);
    taps(screen, ".left .btn", "Goods 60");
    screen.reads(".counting h2", "Goods 60");
    taps(screen, ".pad-keys .btn", "+24");
    taps(screen, ".pad-keys .btn", "+12");
    taps(screen, ".counting .primary", "Save, next");
    screen.reads(".counting h2", "Goods 61");
    screen.reads(".last", "36");
    taps(screen, "#skip", "Skip");
    screen.reads(".counting h2", "Goods 62");
    screen.reads(".left li:last-child", "Goods 61");
    taps(screen, ".pad-keys .digit", "7");
    taps(screen, ".counting .primary", "Save, next");
    screen.reads("#progress", "5 of 72");
    wait::until("two products are gone", || (rows(screen) == 67).then_some(()));
    taps(screen, ".counting .rowx .btn", "Cancel");
    screen.sees("#scan");
}

#[test]
fn a_carton_counts_its_pieces_and_differences_are_decided_by_value() {
    let store = Store::open();
    store.receive_all(10);
    // Enough products for more than one page of the list.
    let more = (10..70).map(|no| format!("99000{no},Goods {no},1000,grocery,,,\n")).collect::<String>();
    let carton = "sku,name,price,category,barcode,pack_barcode,pack_qty\n\
                  8990001,Product 8990001,2000,grocery,89900010,18990001,12\n";
    let carton = store.write_file("carton.csv", &format!("{carton}{more}"));
    process::succeed(store.command(&["import", "products", carton.to_str().unwrap()]), "");
    let mut manager = store.login("manager");
    let Some(mut screen) = Screen::open(store) else { return };
    phone(&mut screen);
    screen.visit("/admin");
    screen.log_in("manager");
    go(&mut screen, "#/counts", ".empty");
    // The list shows a count that somebody else has begun, without a reload.
    let count = manager.post("/api/opname", &json!({"scope": "all"})).data(201);
    screen.reads("tbody", "0 of 72");
    go(&mut screen, &format!("#/counts/{}", count["opname_id"].as_str().unwrap()), "#scan");
    screen.reads("#progress", "0 of 72");
    let counted = |screen: &mut Screen, number: &str| {
        wait::until(&format!("{number} stands there"), || {
            (screen.script("return document.querySelector('#counted')?.value") == number).then_some(())
        });
    };
    screen.scans("18990001");
    counted(&mut screen, "12");
    screen.scans(CODES[0]);
    counted(&mut screen, "13");
    // The scan of the next product saves the count.
    counts(&mut screen, "89900020", "Product 8990002", "14");
    counts(&mut screen, "89900040", "Product 8990004", "7");
    screen.reads("#progress", "3 of 72");
    goes_down_the_list(&mut screen);
    choose(&mut screen, "#left", "8990005");
    let left = |screen: &mut Screen| {
        wait::until("one product is left", || {
            (screen.script("return document.querySelectorAll('.left li').length") == 1).then_some(())
        });
    };
    left(&mut screen);
    screen.reads(".left", "Product 8990005");
    agrees(&mut screen, ".title .primary");
    screen.reads(".title .badge", "in review");
    for (row, name, value) in
        [(1, "8990002", "+7,200"), (2, "8990001", "+3,600"), (3, "8990004", "\u{2212}1,797")]
    {
        let row = format!("count-review tbody tr:nth-child({row})");
        screen.reads(&row, name);
        screen.reads(&format!("{row} td:last-child"), value);
    }
    screen.reads("#sums", "9,003");
    assert_eq!(screen.script("return examine.fits()"), json!([]));
    screen.browser.press("count-review tbody tr:nth-child(1) input");
    agrees(&mut screen, "count-review .tools .btn");
    screen.reads("#progress", "4 of 72");
    left(&mut screen);
    screen.reads(".left", "Product 8990002");
    agrees(&mut screen, ".title .end .btn:not(.primary)");
    screen.reads(".title .badge", "cancelled");
    // Starts a count of products that are found by name.
    go(&mut screen, "#/counts", ".title .primary");
    screen.browser.press(".title .primary");
    screen.sees("#f-skus");
    screen.script("document.querySelector('#f-skus').focus()");
    screen.types("Product 8990002");
    screen.reads("[role=option][aria-selected=true]", "8990002");
    screen.presses(ENTER);
    screen.reads("dialog x-combo", "Product 8990002");
    screen.browser.press("dialog .btn.primary");
    screen.reads(".title h1", "Chosen products");
    screen.reads("#progress", "0 of 1");
    agrees(&mut screen, ".title .end .btn:not(.primary)");
    screen.reads(".title .badge", "cancelled");
    // Starts a count of a category of the catalogue.
    go(&mut screen, "#/counts", ".title .primary");
    screen.reads("tbody", "Chosen products");
    screen.browser.press(".title .primary");
    screen.sees("#f-category option[value=grocery]");
    choose(&mut screen, "#f-category", "grocery");
    screen.browser.press("dialog .btn.primary");
    screen.reads(".title h1", "grocery");
    screen.is_clean();
    assert_eq!(manager.get("/api/stock/8990002").data(200)["on_hand"], json!(10), "no stock moves");
}
