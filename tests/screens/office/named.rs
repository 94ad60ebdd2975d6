//! Fields that select something by name: search, selection by keyboard, and no selection by a typing mistake.

use crate::office::portal::go;
use crate::screen::{ENTER, ESCAPE, Screen};
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::wait;

const DOWN: char = '\u{E015}';
const TAB: char = '\u{E004}';
/// Script that returns role, name and state of the focused field as assistive technology gets them.
const TOLD: &str = "const one = document.activeElement; return [one.role ?? one.getAttribute('role'), one.getAttribute('aria-expanded'),\
    document.getElementById(one.getAttribute('aria-activedescendant'))?.innerText ?? null,\
    document.getElementById(one.getAttribute('aria-controls'))?.getAttribute('role')]";

#[track_caller]
fn writes(screen: &mut Screen<()>, id: &str, text: &str) {
    screen.script(&format!("document.querySelector('{id}').focus()"));
    screen.types(text);
}

#[track_caller]
fn until(screen: &mut Screen<()>, what: &str, script: &str, expected: &Value) {
    wait::until(what, || (screen.script(script) == *expected).then_some(()));
}

#[test]
fn fields_of_names_search_and_a_typing_mistake_selects_nothing() {
    let mut shop = Linked::open();
    shop.made("/api/categories", &json!({"code": "snacks", "name": "Snacks"}));
    let supplier = shop.made("/api/suppliers", &json!({"name": "PT Sinar Jaya", "code": "SJ"}));
    let row = json!({"sku": "8990007", "unit_cost": 12_000});
    let supplier = supplier["supplier_id"].as_str().unwrap();
    shop.made(&format!("/api/suppliers/{supplier}/products"), &row);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");

    // A misspelt category is not accepted; a new one has to be selected as new.
    go(&mut screen, "#/products", "page-records tbody tr");
    screen.browser.press(".title .primary");
    screen.sees("#f-category");
    for (field, text) in [("sku", "990009"), ("name", "Krupuk"), ("price", "9000")] {
        writes(&mut screen, &format!("#f-{field}"), text);
    }
    writes(&mut screen, "#f-category", "snaks");
    screen.presses(ENTER);
    screen.reads("#f-category-problem", "Nothing found for snaks");
    screen.browser.press("dialog footer .primary");
    screen.reads("dialog footer ~ *, dialog", "Nothing found for snaks");
    screen.script("document.querySelector('#f-category').select()");
    screen.types("snac");
    until(&mut screen, "the category is found", TOLD, &json!(["combobox", "true", "Snacks", "listbox"]));
    screen.presses(ENTER);
    until(
        &mut screen,
        "the name is shown",
        "return document.querySelector('#f-category').value",
        &json!("Snacks"),
    );
    screen.script("document.querySelector('#f-category').select()");
    screen.types("Drinks");
    // The new entry is first when the search has ended; until then the earlier names are shown.
    screen.sees(".options .adds:first-child");
    screen.presses(DOWN);
    screen.presses(ENTER);
    until(
        &mut screen,
        "the category is new",
        "return document.querySelector('[name=category]').value",
        &json!("Drinks"),
    );
    screen.browser.press("dialog footer .primary");
    screen.sees("page-record .figures");
    assert_eq!(shop.office.get("/api/products/990009").data(200)["category"], "Drinks");

    // Several values are chips; Backspace removes the last one. Escape closes the list and keeps the selection.
    go(&mut screen, "#/promotions/new", "#skus");
    for (typed, name) in [("8990001", "8990001"), ("krup", "Krupuk")] {
        writes(&mut screen, "#skus", typed);
        screen.sees(".options[id=skus-options] li[aria-selected=true]");
        screen.presses(ENTER);
        screen.reads(".picked", name);
    }
    screen.presses('\u{E003}');
    until(
        &mut screen,
        "one chip is left",
        "return document.querySelectorAll('.picked li').length",
        &json!(1),
    );
    screen.types("x");
    screen.presses(ESCAPE);
    until(&mut screen, "the list is closed", TOLD, &json!(["combobox", "false", null, "listbox"]));

    // An unknown product is refused before the order is saved. Amounts are shown next to the ordered goods.
    go(&mut screen, "#/orders/new", "#sku");
    writes(&mut screen, "#supplier", "sinar");
    screen.presses(TAB);
    until(
        &mut screen,
        "the only match is selected",
        "return document.querySelector('#supplier').value",
        &json!("PT Sinar Jaya"),
    );
    writes(&mut screen, "#sku", "nonsense");
    screen.presses(ENTER);
    screen.reads("#sku-problem", "Nothing found for nonsense");
    assert_eq!(screen.script("return document.querySelectorAll('.lines tbody tr').length"), 0);
    screen.script("document.querySelector('#sku').select()");
    screen.types("8990007");
    screen.presses(ENTER);
    screen.sees("#qty-0");
    screen.script("document.querySelector('#qty-0').select()");
    screen.types("12");
    screen.reads("#order-total", "144,000");
    screen.is_clean();
}
