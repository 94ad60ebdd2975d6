//! A scan is never an amount: wherever the focus is, it is a code or it is refused.

use crate::screen::{ENTER, ESCAPE, F9, Screen};
use serde_json::json;
use testkit::{Store, audit};

#[test]
fn scans_at_machine_speed_all_become_lines() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    let codes: Vec<_> = (0..30).map(|n| if n % 2 == 0 { "89900010" } else { "89900020" }).collect();
    let before = std::time::Instant::now();
    screen.basket(&codes, "83,250");
    println!("30 scans in {} ms", before.elapsed().as_millis());
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    assert_eq!(sales.len(), 1);
    assert_eq!((&sales[0]["items"][0]["qty"], &sales[0]["items"][1]["qty"]), (&json!(15), &json!(15)));
}

#[test]
fn a_scan_into_an_amount_gives_the_field_back() {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    screen.types("150.");
    // Without a person's pause the typed text might belong to the code.
    screen.browser.pauses(600);
    screen.scans("89900010");
    screen.reads("#banner", "89900010 ignored");
    assert_eq!(screen.script("return document.querySelector('#float').value"), "150,000");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.basket(&["89900010"], "2,220");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("5");
    screen.browser.pauses(600);
    screen.scans("89900030");
    // Nothing is paid yet: the code is offered as a product, not as an amount.
    screen.reads("dialog h2", "Product 8990003");
    screen.scans("89900020");
    screen.reads("#banner", "89900020 ignored");
    screen.presses(ESCAPE);
    assert_eq!(screen.script("return document.querySelector('#amount').value"), "5");
    screen.types("000");
    screen.presses(ENTER);
    screen.reads("#change", "2,780");
    // The next customer's goods are already being scanned.
    screen.scans("89900020");
    screen.reads("#total", "3,330");
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    let total =
        |state: &str| sales.iter().find(|sale| sale["state"] == state).map(|sale| sale["total"].clone());
    assert_eq!((total("paid"), total("open")), (Some(json!(2_220)), Some(json!(3_330))));
}

#[test]
fn a_basket_that_another_page_changed_is_shown_anew_and_nothing_of_it_is_lost() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.basket(&["89900010"], "2,220");
    let mut other = screen.store.login("till-1");
    let path = "/api/pos/transactions";
    let id = audit::items(&mut other, path)[0]["transaction_id"].as_str().unwrap().to_owned();
    other.post(&format!("{path}/{id}/lines"), &json!({"sku": "8990007", "qty": 1})).data(200);
    screen.scans("89900030");
    screen.reads("#banner", "This sale was changed on another page");
    screen.reads("#total", "29,970");
    screen.scans("89900030");
    screen.reads("#total", "43,845");
    screen.is_clean();
    let sales = audit::items(&mut other, path);
    assert_eq!(sales[0]["items"].as_array().unwrap().len(), 3, "{}", sales[0]);
}

#[test]
fn an_unknown_code_is_shown_and_nothing_is_sold() {
    let Some(mut screen) = Screen::selling(Store::open()) else { return };
    screen.scans("4006381333931");
    screen.reads("#banner", "4006381333931: unknown barcode");
    assert_eq!(screen.focus(), "line");
    assert_eq!(audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions").len(), 0);
    screen.presses(ESCAPE);
    screen.basket(&["89900070"], "27,750");
    screen.types("0*89900070");
    screen.presses(ENTER);
    screen.reads("#banner", "Enter at least 1 piece");
    // An unknown code stays in the line, and the next key is an action all the same.
    screen.types("4006381333931");
    screen.presses(ENTER);
    screen.reads("#banner", "4006381333931: unknown barcode");
    screen.presses('+');
    screen.reads("#total", "55,500");
    assert_eq!(screen.script("return document.querySelector('#line').value"), "");
}

/// Script that returns the fields in which a person types: each visible field, of the dialog if one is open. The line
/// accepts scans directly.
const FIELDS: &str = "window.fields = () => [...(document.querySelector('dialog') ?? document.querySelector('main'))\
    .querySelectorAll('input:not([type=password]):not([type=checkbox]):not([data-scan=line]), textarea, select')]\
    .filter((field) => field.checkVisibility() && !/^note-(?!100000$)/.test(field.id));\
    window.stands = () => { const at = document.activeElement; return [at.id, at.selectionStart, at.value]; };";
/// Script that keeps the page busy for 60 % of the time, longer than a scanner's key takes.
const BUSY: &str =
    "setInterval(() => { const until = performance.now() + 60; while (performance.now() < until); }, 100)";
const PERSONS: [u32; 2] = [45, 90];
const SCANNERS: [u32; 3] = [2, 10, 30];
/// Digits, and letters that are keys of pages, but no product. Codes with letters are not shown.
const CODE: &str = "47K11";
const SAID: &str = "his code";

/// Asserts that a person's digits stay in each field, and that a scanner's are removed and reported.
#[track_caller]
fn tells_them_apart(screen: &mut Screen, at: &str, busy: bool) {
    screen.script(FIELDS);
    let count = usize::try_from(screen.script("return fields().length").as_u64().unwrap()).unwrap();
    assert!(count > 0, "{at} has no field");
    for n in 0..count {
        // On a busy page each key takes long, so the speeds are distributed over the fields.
        let some = |all: &[u32]| if busy { vec![all[n % all.len()]] } else { all.to_vec() };
        screen.script(&format!("document.querySelector('pos-app').say(null); fields()[{n}].focus()"));
        for gap in some(&PERSONS) {
            if screen.script(&format!("fields()[{n}].select?.(); return fields()[{n}].tagName")) != "SELECT" {
                screen.browser.types_at("2345\t", gap);
                let after = format!(
                    "return [fields()[{n}].value !== '', document.querySelector('#banner').innerText]"
                );
                assert_eq!(
                    screen.script(&after),
                    json!([true, ""]),
                    "{at}, field {n}: a person {gap} ms apart"
                );
            }
        }
        let before = screen.script(&format!(
            "fields()[{n}].focus(); fields()[{n}].setSelectionRange?.(1, 1); return stands()"
        ));
        for gap in some(&SCANNERS) {
            screen.browser.scan(CODE, gap);
            screen.reads("#banner", SAID);
            let after = screen.script("document.querySelector('pos-app').say(null); return stands()");
            assert_eq!(after, before, "{at}, field {n}: a scanner {gap} ms apart");
        }
    }
}

/// Opens something with fields by a call of the page, and tests each field.
#[track_caller]
fn asks(screen: &mut Screen, (call, seen): (&str, &str), busy: bool) {
    screen.script(&format!("const app = document.querySelector('pos-app'); const page = app.current.firstElementChild; void {call}"));
    screen.sees(seen);
    tells_them_apart(screen, seen, busy);
}

/// Does the same with a dialog, which is then cancelled.
#[track_caller]
fn asks_in_a_dialog(screen: &mut Screen, what: (&str, &str), busy: bool) {
    asks(screen, what, busy);
    screen.script("document.querySelector('x-dialog').close(null)");
}

#[track_caller]
fn each_field_of_the_till(busy: bool) {
    let Some(mut screen) = Screen::open(Store::open()) else { return };
    screen.sees("#username");
    if busy {
        screen.script(BUSY);
    }
    screen.log_in("till-1");
    screen.sees("#float");
    asks(&mut screen, ("page.byNotes()", "#note-100000"), busy);
    screen.browser.write("#float", "200000");
    screen.presses(F9);
    screen.sees("#line");
    for what in [
        ("page.keys().F2()", "#member-search"),
        ("document.querySelector('dialog .rowx .btn').click()", "#member-name"),
    ] {
        asks(&mut screen, what, busy);
    }
    screen.script("document.querySelector('x-dialog').close(null)");
    screen.basket(&["89900030"], "13,875");
    screen.pays("k");
    screen.basket(&["89900030"], "13,875");
    for what in [
        ("page.keys().F3()", "#off"),
        ("page.keys()['Shift+F3']()", "#reason"),
        ("page.keys().F4()", "#line-qty"),
        ("page.setQty(0)", "dialog #why"),
        (
            "app.show('receipts').then(() => app.current.firstElementChild.load()).then(() => app.current.firstElementChild.correct())",
            "#right",
        ),
        ("page.void()", "dialog #why"),
        ("app.show('cash').then(() => app.current.firstElementChild.move('drop'))", "#bag"),
    ] {
        asks_in_a_dialog(&mut screen, what, busy);
    }
    for what in [
        ("app.show('pay')", "#amount"),
        ("page.choose('card')", "#reference"),
        ("app.show('close')", "#counted-card"),
        ("app.show('return', { no: '1' })", "#back-1"),
        (
            "page.begin(() => { page.draft.withoutReceipt(); page.draft.put({ sku: 'a', name: 'a', price: 5 }); })",
            "#worth-a",
        ),
    ] {
        asks(&mut screen, what, busy);
    }
    screen.is_clean();
    let sales = audit::items(&mut screen.store.login("till-1"), "/api/pos/transactions");
    let totals: Vec<_> = sales.iter().map(|sale| (&sale["state"], &sale["total"])).collect();
    assert_eq!(totals, [(&json!("open"), &json!(13_875)), (&json!("paid"), &json!(13_875))]);
}

#[test]
fn in_each_field_typing_is_distinguished_from_a_scanner() {
    each_field_of_the_till(false);
}

#[test]
fn on_a_busy_page_too_typing_is_distinguished_from_a_scanner() {
    each_field_of_the_till(true);
}
