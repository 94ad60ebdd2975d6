//! The first day of a shop without head office, with only its pages: the steps that *Today* lists, products by a mapped
//! file and by hand, opening stock.

use crate::looks::look;
use crate::screen::Screen;
use serde_json::json;
use testkit::Store;
use testkit::store::PASSWORD;

#[track_caller]
fn go(screen: &mut Screen<()>, page: &str, selector: &str) {
    screen.script(&format!("location.hash = '#/{page}'"));
    screen.sees(selector);
}

/// Script that selects a file.
const FILE: &str = "const file = new File(['Daftar Barang;;;\\nKode;Nama Barang;Rak;Harga Jual [Toko]\\nA1;Teh Botol;3;5.000\\nB2;Kopi;4;12.500\\n'], 'barang.csv');\
    const given = new DataTransfer(); given.items.add(file);\
    const field = document.querySelector('#file'); field.files = given.files; field.dispatchEvent(new Event('change'))";

#[test]
fn a_shop_alone_is_set_up_at_its_screens() {
    let mut store = Store::made_new("", PASSWORD);
    store.start();
    let Some(mut screen) = Screen::of(&store, "/admin") else { return };
    screen.log_in("admin");
    screen.reads("#first-day", "Add products");
    let open = "return document.querySelectorAll('#first-day li a').length";
    let before = screen.script(open).as_i64().unwrap();
    look(&mut screen, "admin-first-day");
    screen.sees("#first-day a[href='#/products']");
    screen.browser.press("#first-day a[href='#/products']");
    screen.reads("page-records .empty", "Add the first one, or import");

    // A file of any spreadsheet: the page guesses the columns, and a person corrects them.
    go(&mut screen, "products/import", "#file");
    screen.script(FILE);
    screen.reads("page-import-goods [role=status]", "2 products, 2 new");
    assert_eq!(screen.script("return document.querySelector('#header').value"), "2");
    assert_eq!(screen.script("return document.querySelector('#column-3').value"), "price");
    look(&mut screen, "admin-import");
    let mean = |meaning: &str| {
        format!(
            "const field = document.querySelector('#column-3'); field.value = '{meaning}'; field.dispatchEvent(new Event('change'))"
        )
    };
    screen.script(&mean(""));
    screen.reads(".notice", "Choose the column for: Price");
    screen.script(&mean("price"));
    screen.reads("page-import-goods [role=status]", "Nothing is saved yet");
    screen.browser.press(".title .primary");
    screen.reads("#banner", "2 products imported");
    screen.reads("page-records tbody", "Kopi");

    // A product by hand, with its stock.
    screen.browser.press(".title .primary");
    screen.browser.write("#f-sku", "C3");
    screen.browser.write("#f-name", "Roti");
    screen.browser.write("#f-price", "8000");
    screen.browser.write("#f-barcodes", "8991234500164");
    screen.browser.press("dialog .primary");
    screen.reads("#sold", "8,000");
    look(&mut screen, "admin-product-own");
    screen.presses_named(".title .btn", "Opening stock");
    screen.browser.write("#f-qty", "12");
    screen.browser.write("#f-unit_cost", "6000");
    screen.browser.press("dialog .primary");
    screen.reads("page-product tbody", "12");
    let mut manager = store.login("admin");
    let bread = manager.get("/api/pos/products?barcode=8991234500164").data(200)["items"][0].clone();
    assert_eq!(
        (&bread["sku"], &bread["price"], &bread["on_hand"]),
        (&json!("C3"), &json!(8_000), &json!(12))
    );

    // The step is marked as done automatically.
    go(&mut screen, "today", "#first-day li.ok");
    assert_eq!(screen.script(open).as_i64().unwrap(), before - 1);

    // The step of the printer links to the settings, which name their file.
    let printer = screen.script("return document.querySelector('#first-day a[href*=settings]').hash");
    go(&mut screen, printer.as_str().unwrap().trim_start_matches("#/"), "[id='set-printing.printers']");
    screen.reads(".notice", "config.toml");
    assert_eq!(
        screen.script("return Boolean(document.querySelector('[id=\"set-tax.default_rate_bp\"]'))"),
        false
    );

    // Limits and payment methods can be changed here, and reset to the file's value.
    go(&mut screen, "settings", "[id='set-returns.window_days'] .btn");
    screen.browser.press("[id='set-returns.window_days'] .btn");
    screen.browser.write("#f-value", "7");
    look(&mut screen, "admin-setting");
    screen.browser.press("dialog .primary");
    screen.reads("[id='set-returns.window_days']", "Store Admin");
    screen.browser.press("[id='set-payments.methods'] .btn");
    screen.browser.write("#f-value", "cash, card , qris");
    screen.browser.press("dialog .primary");
    screen.reads("[id='set-payments.methods']", "Store Admin");
    let settings = manager.get("/api/admin/settings").data(200)["settings"].clone();
    assert_eq!(
        (&settings["returns"]["window_days"], &settings["payments"]["methods"]),
        (&json!(7), &json!(["cash", "card", "qris"]))
    );
    screen.browser.press("[id='set-returns.window_days'] .btn:last-child");
    screen.browser.press("dialog .primary");
    screen.reads("[id='set-returns.window_days']", "Default");

    // A user and a till of the shop. A new device selects the till.
    go(&mut screen, "people", "page-people tbody");
    screen.browser.press(".title .primary");
    screen.browser.write("#person-name", "Sari");
    screen.browser.write("#person-login", "sari");
    screen.browser.write("#person-password", PASSWORD);
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Sari can log in now");
    go(&mut screen, "tills", "page-records .empty");
    screen.browser.press(".title .primary");
    screen.browser.write("#f-register_id", "till-7");
    screen.browser.press("dialog .primary");
    screen.reads("page-records tbody", "till-7");
    screen.is_clean();
    screen.visit("/pos");
    screen.log_in("admin");
    screen.sees("#float");
    assert_eq!(screen.script("return document.querySelector('#register').value"), "till-7");
    screen.is_clean();
}
