//! A till whose currency has decimals: figures are typed and shown as cents.

use crate::screen::{ENTER, F9, F10, Screen};
use serde_json::json;
use testkit::Store;

#[test]
fn a_till_in_euros_sells_counts_and_reports_in_cents() {
    let settings = "store.currency = \"EUR\"\ntax.prices_include_tax = true\n\
                    payments.denominations = [5000, 2000, 1000, 500, 50]\nshifts.variance_tolerance = 1000\n";
    let store = Store::open_with(settings, 1);
    let barcodes = json!([{"code": "8991234500164", "pack_qty": 1}]);
    let product = json!({"sku": "T1", "name": "Tea", "price": 1_250, "barcodes": barcodes});
    store.login("manager").post("/api/products", &product).data(201);
    let Some(mut screen) = Screen::open(store) else { return };
    screen.log_in("till-1");
    screen.sees("#float");
    // The decimal separator moves with each digit, as on a cash register; a typed separator changes nothing.
    screen.types("1");
    assert_eq!(screen.script("return document.querySelector('#float').value"), "0.01");
    screen.types("00.00");
    assert_eq!(screen.script("return document.querySelector('#float').value"), "100.00");
    screen.presses(ENTER);
    screen.sees("#line");
    screen.basket(&["8991234500164"], "12.50");
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("2000");
    screen.reads("#changing", "7.50");
    screen.presses(ENTER);
    screen.sees("#receipt-no");
    screen.reads("#change", "7.50");
    screen.presses(ENTER);
    screen.sees("#line");
    let mut till = screen.store.login("till-1");
    let shift = till.get("/api/shifts/current").data(200);
    assert_eq!(shift["opening_float"], json!(10_000));

    // The drawer has 112.50; two notes of 50 and one of 5 are counted, 7.50 less.
    screen.presses(F10);
    screen.reads("page-cash .facts", "12.50");
    screen.presses(F9);
    screen.sees("#note-5000");
    screen.types("2");
    screen.browser.write("#note-500", "1");
    screen.reads("#counted", "\u{20ac}\u{a0}105.00");
    screen.presses(F9);
    screen.reads("#variance", "\u{2212}7.50");
    screen.is_clean();
    let z = format!("/api/shifts/{}/report", shift["shift_id"].as_str().unwrap());
    let z = screen.store.login("manager").send("GET", &z, &[("Accept", "text/plain")], b"").text();
    let has =
        |label: &str, figure: &str| z.lines().any(|line| line.starts_with(label) && line.ends_with(figure));
    assert!(has("Total", " 12.50") && has("Expected", " 112.50") && has("Variance", " -7.50"), "{z}");
}
