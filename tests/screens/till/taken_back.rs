//! Returns as exchanges, without a receipt and of another store, and a corrected payment.

use crate::looks::look;
use crate::screen::{ENTER, ESCAPE, F6, F7, F8, F9, Screen};
use serde_json::{Value, json};
use testkit::store::PASSWORD;
use testkit::{Store, audit};

#[track_caller]
fn returns(screen: &Screen) -> Vec<Value> {
    audit::items(&mut screen.store.login("till-1"), "/api/pos/returns")
}

/// Approves as a manager.
#[track_caller]
pub fn approve(screen: &mut Screen) {
    screen.sees("#approver");
    screen.browser.write("#approver", "manager@s001.example");
    screen.browser.write("#approval-password", PASSWORD);
    screen.presses(ENTER);
}

/// Looks up the last sale and returns one piece of its only line.
#[track_caller]
fn take_back(screen: &mut Screen, receipt_no: &str) {
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types(receipt_no);
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
}

#[test]
fn an_exchange_is_settled_in_one_go() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900030"], "13,875");
    screen.pays("k");
    // The returned goods are worth more than the new ones: the rest is refunded by the original method.
    take_back(&mut screen, "S001-main-00000001");
    screen.reads("#refund", "13,875");
    screen.presses(F7);
    screen.sees("#line");
    screen.sees("#exchange");
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.reads(".swap", "2,220");
    screen.reads("#refund", "11,655");
    look(&mut screen, "exchange");
    // The answer about the new sale is lost: the page shows the refund and asks again.
    screen.script(
        "const real = window.fetch; let lost = 2; window.fetch = (url, options) => \
        (/transactions\\/trx_[^/]*$/.test(url) && options.method === 'GET' && lost-- > 0 \
            ? Promise.reject(new TypeError('lost')) : real(url, options))",
    );
    screen.presses(F9);
    screen.reads("#given", "11,655");
    screen.reads("#sold-no", "00000003");
    screen.presses(ENTER);
    screen.sees("#line");
    assert_eq!(screen.script("return document.querySelectorAll('.row').length"), 0);

    // The returned goods are worth less: the customer pays the difference.
    screen.basket(&["89900070"], "27,750");
    take_back(&mut screen, "S001-main-00000003");
    screen.presses(F7);
    screen.reads("#refund", "0");
    screen.sees(".pay:enabled");
    // The page must not show a refund even for a moment, because the customer pays.
    screen.script("window.given = []; new MutationObserver(() => { const one = document.querySelector('#given'); if (one) given.push(one.innerText); }).observe(document.body, {subtree: true, childList: true})");
    screen.presses(F9);
    screen.reads("#left", "25,530");
    screen.reads("#banner", "2,220 applied");
    assert_eq!(screen.script("return given"), json!([]));
    screen.types("e");
    screen.presses(ENTER);
    screen.reads("#receipt-no", "00000005");
    screen.is_clean();
    // The receipt of the new sale lists the exchange.
    let mut till = screen.store.login("till-1");
    let paper = till.send("GET", "/api/pos/receipts/S001-main-00000005", &[("Accept", "text/plain")], b"");
    assert!(paper.text().contains("Returned, receipt S001-main-00000004"), "{}", paper.text());
    let methods: Vec<Vec<(Value, Value)>> = returns(&screen)
        .iter()
        .map(|back| {
            let refunds = back["refunds"].as_array().unwrap().iter();
            refunds.map(|part| (part["method"].clone(), part["amount"].clone())).collect()
        })
        .collect();
    let exchange = |amount: i64| (json!("exchange"), json!(amount));
    assert_eq!(methods, [vec![exchange(2_220)], vec![(json!("card"), json!(11_655)), exchange(2_220)]]);
}

#[test]
fn goods_come_back_without_a_receipt_and_from_another_store() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.pays("c");
    screen.presses(F8);
    screen.sees("#receipt");
    screen.presses(F6);
    screen.reads("label[for=receipt]", "Scan a returned item");
    // A scan waits while the one before is looked up.
    screen.holds_back("barcode=");
    screen.scans("89900010");
    screen.scans("89900010");
    screen.script("goes()");
    // The refund is limited to the current price.
    screen.reads("#refund", "4,440");
    assert_eq!(screen.script("return document.querySelector('#worth-8990001').value"), "2,000");
    screen.reads(".notice.warn", "Manager approval required");
    look(&mut screen, "return-free");
    screen.presses(F9);
    approve(&mut screen);
    screen.reads("#given", "4,440");
    // The next customer's goods are already being scanned.
    screen.scans("89900020");
    screen.reads("#total", "3,330");

    // The other store's receipt can't be looked up now: the till enters the value of a piece, and a manager approves
    // it.
    screen.presses(F8);
    screen.sees("#receipt");
    screen.types("S002-till-1-00000007");
    screen.presses(ENTER);
    screen.reads("h2", "another store");
    screen.scans("89900010");
    screen.reads(".notice.warn", "It will check this receipt later");
    screen.reads("#refund", "2,220");
    screen.presses(F9);
    approve(&mut screen);
    screen.reads("#given", "2,220");
    screen.is_clean();
    let found = returns(&screen);
    let shown = |one: &Value| {
        (one["origin_receipt_no"].clone(), one["verification"].clone(), one["refund_total"].clone())
    };
    assert_eq!(shown(&found[0]), (json!("S002-till-1-00000007"), json!("pending"), json!(2_220)));
    assert_eq!(shown(&found[1]), (Value::Null, Value::Null, json!(4_440)));
}

#[test]
fn a_payment_by_the_wrong_method_is_corrected() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900070"], "27,750");
    screen.pays("c");
    screen.browser.run("document.querySelector('pos-app').show('receipts')");
    screen.sees("tbody tr");
    screen.types("t");
    screen.sees("#right");
    screen.script("document.querySelector('#right').value = 'card'");
    screen.script("document.querySelector('#why').focus()");
    screen.types("it was a card");
    screen.presses(ENTER);
    approve(&mut screen);
    screen.reads("#banner", "Corrected: Rp\u{a0}27,750 by Card");
    screen.is_clean();
    screen.presses(ESCAPE);
    screen.sees("#line");
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    let counts: Vec<_> = sales[0]["payments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["method"].clone(), one["state"].clone()))
        .collect();
    assert_eq!(counts, [(json!("cash"), json!("reversed")), (json!("card"), json!("accepted"))]);
}
