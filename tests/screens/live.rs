//! Changes by other tills and head office appear on the open page, and two tills can't recall the same basket.

use crate::looks::look;
use crate::screen::{ESCAPE, F6, F7, F9, Screen};
use serde_json::json;
use testkit::linked::Linked;
use testkit::{Store, wait};

#[test]
fn two_tills_see_each_other_and_one_takes_the_basket() {
    let Some(mut one) = Screen::selling(Store::open()) else { return };
    let second = json!({"register_id": "till-2", "name": "Till 2"});
    one.store.login("manager").post("/api/registers", &second).data(201);
    let Some(mut two) = Screen::of(&one.store, "/pos") else { return };
    two.log_in("till-2");
    two.open_till("till-2");
    two.presses(F7);
    two.reads(".empty", "No held sales");
    one.basket(&["89900010"], "2,220");
    // A product that is still being looked up belongs to the held basket.
    one.holds_back("barcode=");
    one.scans("89900020");
    one.presses(F6);
    one.script("goes()");
    // The other till shows it without a reload.
    two.reads("tbody", "5,550");
    two.reads("tbody td:nth-child(2)", "main cashier");
    one.reads(".acts em", "1");
    one.presses(F7);
    one.sees("tbody tr");
    // Both cashiers press at the same moment; one recalls the basket, the other gets a message. The script starts both
    // from the basket that each page shows, however fast the other answer comes.
    let seen = "window.seen = document.querySelector('page-holds').items[0]";
    for script in [seen, "void document.querySelector('page-holds').recall(seen)"] {
        one.script(script);
        two.script(script);
    }
    let has = |screen: &mut Screen<()>| screen.text("#total") == "5,550";
    let mut own = || one.text("#total") == "5,550";
    wait::until("one of them has the basket", || (has(&mut two) || own()).then_some(()));
    if own() {
        two.reads("#banner", "main recalled this sale");
        two.reads(".empty", "No held sales");
    } else {
        one.reads("#banner", "Till 2 recalled this sale");
        one.reads(".empty", "No held sales");
    }
    one.is_clean();
    two.is_clean();
}

#[test]
fn a_shift_that_is_closed_elsewhere_shows() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    let mut manager = screen.store.login("manager");
    let shift = manager.get("/api/shifts?state=open").data(200)["items"][0]["shift_id"].clone();
    let path = format!("/api/shifts/{}/close", shift.as_str().unwrap());
    manager.post(&path, &json!({"counted_cash": 200_000})).data(200);
    screen.sees("#float");
    screen.reads("#banner", "closed elsewhere");
    screen.is_clean();
}

#[test]
fn a_price_of_head_office_shows_and_its_absence_does_too() {
    let mut shop = Linked::open();
    let Some(mut screen) = Screen::of(&shop.store, "/pos") else { return };
    // A quick key that was stored with another price shows the current price.
    screen.script("localStorage.setItem('quick', JSON.stringify([{sku: '8990001', name: 'Old', price: 1}]))");
    screen.log_in("till-1");
    screen.sees("#line");
    screen.reads(".q .qp", "2,000");
    screen.basket(&["89900010"], "2,220");
    screen.reads("#office", "Store online");
    shop.made("/api/prices", &json!({"sku": "8990001", "price": 3_000}));
    screen.reads("#banner", "Product 8990001 now costs Rp\u{a0}3,000");
    screen.reads("#total", "3,330");
    screen.reads(".q .qp", "3,000");
    // A basket that is being paid keeps its price. It is updated when it is shown again.
    screen.presses(F9);
    screen.sees("#amount");
    shop.made("/api/prices", &json!({"sku": "8990001", "price": 4_000}));
    let heard = "return document.querySelector('pos-app').basket.late";
    wait::until("the till has the change", || (screen.script(heard) == true).then_some(()));
    screen.reads("#left", "3,330");
    screen.presses(ESCAPE);
    screen.reads("#banner", "Product 8990001 now costs Rp\u{a0}4,000");
    screen.reads("#total", "4,440");
    shop.hub.kill9();
    screen.reads("#office", "Head office offline");
    // Selling continues. The strip shows how many records wait, and when head office is back.
    screen.pays("c");
    let reported = shop.till.get("/api/pos/status").data(200);
    assert!(reported["pending"].as_u64() > Some(0) && reported["hub_state"] != "online", "{reported}");
    assert!(reported["hub_seen_at"].is_string() && reported["as_of"].is_string(), "{reported}");
    is_reported_late(&mut screen);
    shop.hub.start();
    screen.reads("#office", "Store online");
    screen.reads("#waiting", "0 to send");
    screen.sees("#prices.muted");
    screen.is_clean();
}

/// Checks the text of the strip after a long time without head office, which the test simulates in the page.
#[track_caller]
fn is_reported_late(screen: &mut Screen<()>) {
    let says = |screen: &mut Screen<()>, minutes: u32, hours: u32, skew: i64| {
        screen.script(&format!(
            "const app = document.querySelector('pos-app'); const before = (ms) => new Date(Date.now() - ms).toISOString(); window.ask ??= app.askStatus;\
             app.askStatus = () => {{}}; app.status = {{ hub_state: 'offline', pending: 88, hub_seen_at: before({minutes} * 6e4), as_of: before({hours} * 36e5), clock_skew_ms: {skew} }};\
             app.requestUpdate()"
        ));
    };
    says(screen, 12, 0, 0);
    screen.reads("#office.muted", "Head office offline 12m, 88 to send");
    says(screen, 16, 3, 0);
    screen.reads("#office.late", "Head office offline 16m");
    screen.reads("#prices.late", "3h 0m ago");
    assert_eq!(screen.text("#banner"), "");
    says(screen, 16, 25, 0);
    screen.reads("#banner", "Prices were last updated 25h 0m ago");
    says(screen, 16, 25, 180_000);
    screen.reads("#banner", "Clock difference");
    screen.script("const app = document.querySelector('pos-app'); app.askStatus = ask; app.askStatus(true)");
    wait::until("the banner has disappeared", || screen.text("#banner").is_empty().then_some(()));
}

#[test]
fn a_price_that_the_page_did_not_hear_of_is_no_override() {
    let mut shop = Linked::open();
    let Some(mut screen) = Screen::of(&shop.store, "/pos") else { return };
    screen.log_in("till-1");
    screen.sees("#line");
    screen.basket(&["89900010"], "2,220");
    screen.script("document.querySelector('pos-app').live.stop()");
    shop.made("/api/prices", &json!({"sku": "8990001", "price": 3_000}));
    wait::until("the store has the price", || {
        (shop.till.get("/api/pos/products/8990001").data(200)["price"] == 3_000).then_some(())
    });
    screen.scans("89900010");
    screen.reads("#total", "6,660");
    screen.reads("#banner", "Product 8990001 now costs Rp\u{a0}3,000");
    let sales = shop.till.get("/api/pos/transactions?state=open").data(200);
    let line = &sales["items"][0]["items"][0];
    assert_eq!((&line["qty"], &line["price_override"]), (&json!(2), &json!(false)), "{line}");
    screen.is_clean();
}

#[test]
fn a_stream_that_falls_silent_is_opened_again_and_a_list_that_may_have_missed_something_is_loaded() {
    let Some(mut screen) = Screen::selling(Store::open_with("", 1)) else { return };
    screen.presses(F7);
    screen.reads(".empty", "No held sales");
    let mut till = screen.store.login("till-1");
    let mut hold = |note: &str| {
        let basket = json!({"note": note, "items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
        till.post("/api/pos/holds", &basket).data(201);
    };
    // The page's clock runs a hundred times as fast: forty seconds without a message pass before the store's next
    // heartbeat.
    screen.script("window.line = document.querySelector('pos-app').live.line; window.pace = 0.01");
    hold("the first");
    screen.reads("tbody", "the first");
    let again = "return line.signal.aborted && document.querySelector('pos-app').live.line !== line";
    wait::until("the page considers the stream broken", || (screen.script(again) == true).then_some(()));
    screen.script("window.pace = 1");
    hold("the second");
    screen.reads("tbody", "the second");
    // The store reports that it can't list the missed events.
    screen.script("const page = document.querySelector('page-holds'); page.items = []; page.requestUpdate()");
    screen.reads(".empty", "No held sales");
    screen.script("document.querySelector('pos-app').live.take({event: 'reload', data: '{}'})");
    screen.reads("tbody", "the first");
    a_list_waits(&mut screen);
    screen.is_clean();
}

/// Script that delays answers about counts until `answered`, and refuses them as `refuses` says.
const HOLDS_BACK: &str = "const real = window.fetch; window.fetch = async (url, options) => {\
    if (!String(url).startsWith('/api/opname')) return real(url, options); await window.answered; if (!window.refuses) return real(url, options);\
    const { status, wait } = window.refuses; const error = { code: 'unavailable', message: 'busy', details: {}, request_id: 'req_1' };\
    return new Response(JSON.stringify({ success: false, error }), { status, headers: { 'Retry-After': wait } }); }";

/// Checks a list of Store Admin with a late answer, a busy store and no stream.
#[track_caller]
fn a_list_waits(screen: &mut Screen) {
    screen.visit("/admin");
    screen.log_in("manager");
    screen.sees("page-today .figures");
    screen.script(HOLDS_BACK);
    screen.script("window.answered = new Promise((come) => { window.come = come; }); window.pace = 0.01");
    screen.script("location.hash = '#/counts'");
    screen.reads("page-counts .bones [role=status]", "Still loading");
    screen.script("window.pace = 1; come()");
    screen.reads("page-counts .empty", "No counts yet");

    screen.script("window.refuses = {status: 503, wait: 60}");
    screen.script("location.hash = '#/members'");
    screen.sees("page-members");
    screen.script("location.hash = '#/counts'");
    screen.reads("page-counts [role=alert]", "request req_1");
    screen.reads("page-counts x-retry", "Retrying in");
    look(screen, "admin-busy");
    // The page's clock runs a hundred times as fast: a minute passes without an action.
    screen.script("window.refuses = null; window.pace = 0.01");
    screen.reads("page-counts .empty", "No counts yet");

    // Without a stream the page polls for changes.
    screen.script("document.querySelector('admin-app').live.stop(); location.hash = '#/members'");
    screen.sees("page-members");
    wait::until("the stream has stopped", || {
        (screen.script("return document.querySelector('admin-app').live.receives") == false).then_some(())
    });
    screen.script("location.hash = '#/counts'");
    screen.reads("page-counts .empty", "No counts yet");
    let count = json!({"scope": "all"});
    screen.store.login("warehouse").post("/api/opname", &count).data(201);
    screen.reads("page-counts tbody", "0 of");
    // A problem is shown above the existing list until it is over.
    screen.script("window.refuses = {status: 503, wait: 60}");
    screen.reads("#banner", "request req_1");
    screen.reads("page-counts tbody", "0 of");
    // Automatic retries are not announced.
    screen.sees("#banner[role=status]");
    screen.script("window.refuses = null");
    wait::until("the banner has disappeared", || screen.text("#banner").is_empty().then_some(()));
    screen.script("window.pace = 1");
}
