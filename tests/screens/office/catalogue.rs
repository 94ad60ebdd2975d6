//! Data that head office maintains: product files, promotions with a preview, lists, settings, merged and erased
//! members, and the user's own devices. Names that contain scripts are shown as text on every page.

use crate::looks::look;
use crate::office::order_to_settlement::choose;
use crate::office::portal::go;
use crate::screen::Screen;
use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::wait;

const ADMIN: &str = "admin@hub.example";

#[track_caller]
fn press(screen: &mut Screen<()>, label: &str) {
    screen.presses_named("main .btn, dialog .btn", label);
}

#[track_caller]
fn file(screen: &mut Screen<()>, text: &str) {
    screen.script(&format!(
        "const files = new DataTransfer(); files.items.add(new File([{}], 'products.csv'));\
         const field = document.querySelector('#file'); field.files = files.files; field.dispatchEvent(new Event('change'))",
        json!(text)
    ));
}

#[test]
fn the_catalogue_and_its_people_are_kept_on_pages() {
    let mut shop = Linked::open();
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    let supplier =
        shop.office.post("/api/suppliers", &json!({"code": "TEH", "name": "PT Teh"})).data(201).clone();
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");

    // A wrong row is reported and shown. Then the whole file is imported.
    go(&mut screen, "#/import", "#file");
    file(&mut screen, "sku,name,price\n990001,Green tea,15000\n990002,Black tea,-1\n");
    screen.reads("page-import", "Rejected: 1");
    screen.reads("page-import", "990002,Black tea,-1");
    look(&mut screen, "portal-import-refused");
    file(&mut screen, "sku,name,price\n990001,Green tea,15000\n990002,Black tea,16000\n");
    screen.reads("page-import", "2 of 2 rows have changes");
    shop.office.get("/api/products/990002").refused(404, "not_found");
    press(&mut screen, "Import 2 rows");
    screen.reads("#banner", "2 rows imported");
    assert_eq!(shop.office.get("/api/products/990002").data(200)["price"], json!(16_000));

    screen.sees("#file:enabled");

    foreign_file(&mut shop, &mut screen);
    price_list(&mut shop, &mut screen, supplier["supplier_id"].as_str().unwrap());

    promoted(&mut screen);
    listed(&mut screen);
    api_key(&mut shop, &mut screen);
    webhook(&mut shop, &mut screen);
    members(&mut shop, &mut screen);

    go(&mut screen, "#/settings?store_id=S001", "page-settings tbody");
    screen.reads("page-settings", "the store's file");
    screen
        .script("document.querySelector('tr:has([title=\"pricing.discount_limit_bp\"]) .acts .btn').click()");
    screen.sees("#f-value");
    choose(&mut screen, "#f-value", "10");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Saved");
    assert_eq!(
        shop.office.get("/api/stores/S001/settings").data(200)["pricing.discount_limit_bp"],
        json!(1_000)
    );
    screen.is_clean();
}

/// Imports a file as spreadsheets on Windows write it: another encoding, semicolons, a title line, other column names,
/// and one column that is not imported. A code with a wrong check digit gets a warning and is imported.
#[track_caller]
fn foreign_file(shop: &mut Linked, screen: &mut Screen<()>) {
    let bytes = b"sep=;\r\nDaftar barang\r\nKode;Nama Barang;Warna;Selling price;EAN\r\n\
        990003;Cr\xe8me br\xfbl\xe9e;kuning;18000;4006381333932\r\n";
    screen.script(&format!(
        "const files = new DataTransfer(); files.items.add(new File([new Uint8Array({})], 'products.csv'));\
         const field = document.querySelector('#file'); field.files = files.files; field.dispatchEvent(new Event('change'))",
        json!(bytes.to_vec())
    ));
    screen.reads("page-import", "Please check: 1");
    screen.reads("page-import", "Crème brûlée");
    let chosen = "return ['encoding', 'header', ...[0, 1, 2, 3, 4].map((at) => `column-${at}`)]\
        .map((id) => document.getElementById(id).value)";
    let columns = json!(["windows-1252", "3", "sku", "name", "", "price", "barcode"]);
    assert_eq!(screen.script(chosen), columns);
    look(screen, "portal-import-doubtful");
    press(screen, "Import 1 row");
    screen.reads("#banner", "1 row imported");
    let product = shop.office.get("/api/products/990003").data(200);
    assert_eq!((&product["name"], &product["price"]), (&json!("Crème brûlée"), &json!(18_000)));
}

/// Imports prices of a supplier, also with unknown column names, whose meaning a person selects.
#[track_caller]
fn price_list(shop: &mut Linked, screen: &mut Screen<()>, supplier_id: &str) {
    choose(screen, "#kind", "prices");
    choose(screen, "#supplier", supplier_id);
    file(screen, "Item code,Amount,MOQ\n990003,12000,24\n");
    screen.reads(".notice", "Choose the column for: Cost each");
    choose(screen, "#column-1", "unit_cost");
    screen.reads("page-import [role=status]", "1 of 1 row");
    press(screen, "Import 1 row");
    let path = format!("/api/suppliers/{supplier_id}/products");
    let price = wait::until("the price is stored", || {
        let prices = shop.office.get(&path).data(200).clone();
        prices["items"].get(0).cloned()
    });
    assert_eq!(
        (&price["sku"], &price["unit_cost"], &price["min_qty"]),
        (&json!("990003"), &json!(12_000), &json!(24))
    );
}

/// Previews a draft on a basket, then saves it.
fn promoted(screen: &mut Screen<()>) {
    go(screen, "#/promotions/new", "#value");
    choose(screen, "#label", "Tea week");
    choose(screen, "#value", "10");
    choose(screen, "#skus", "990001");
    screen.reads(".picked", "Green tea");
    choose(screen, "#put", "990001");
    screen.sees("#put-0");
    press(screen, "Test");
    screen.reads("page-promotion-form .figures", "13,500");
    look(screen, "portal-promotion-form");
    screen.browser.press(".title .primary");
    screen.reads("page-record .title", "Tea week");
}

/// Adds one entry to each list in its dialog.
fn listed(screen: &mut Screen<()>) {
    for (list, fields) in [
        ("categories", &[("code", "tea"), ("name", "Tea")][..]),
        ("tax-codes", &[("tax_code", "ppn"), ("name", "PPN")]),
        ("tiers", &[("tier", "gold"), ("name", "Gold")]),
        ("reasons", &[("code", "torn"), ("name", "Torn")]),
        ("methods", &[("method", "wallet"), ("name", "Wallet")]),
    ] {
        go(screen, &format!("#/{list}"), "page-records .panel:not(.bones)");
        press(screen, "New");
        screen.sees("dialog .input");
        for (field, value) in fields {
            choose(screen, &format!("#f-{field}"), value);
        }
        screen.browser.press("dialog .primary");
        screen.reads("page-records tbody", fields[1].1);
    }
}

/// The secret of an API key is shown once, and works until the key is revoked.
fn api_key(shop: &mut Linked, screen: &mut Screen<()>) {
    go(screen, "#/api-keys", "page-records .empty");
    press(screen, "New API key");
    screen.sees("#f-scopes");
    choose(screen, "#f-name", "Connector");
    choose(screen, "#f-scopes", "finance:read");
    screen.reads("dialog .picked", "Books: read");
    screen.browser.press("dialog .primary");
    screen.sees("dialog .token");
    look(screen, "portal-api-key");
    let mut program = shop.hub.client().with_token(&screen.text("dialog .token"));
    program.get("/api/finance/journal?include=lines").data(200);
    program.get("/api/suppliers").refused(403, "insufficient_role");
    press(screen, "Done");
    screen.reads("page-records tbody", "Connector");
    press(screen, "Revoke");
    screen.sees("dialog .danger");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Revoked");
    program.get("/api/finance/journal").refused(401, "token_revoked");
}

/// A webhook to an address that can't be reached: the page shows this.
fn webhook(shop: &mut Linked, screen: &mut Screen<()>) {
    go(screen, "#/webhooks", "page-records .empty");
    press(screen, "New webhook");
    screen.sees("#f-url");
    for (field, typed) in
        [("name", "Ledger"), ("url", "https://localhost/hooks"), ("event_types", "product.*, day.sealed")]
    {
        choose(screen, &format!("#f-{field}"), typed);
    }
    screen.browser.press("dialog .primary");
    screen.sees("dialog .token");
    assert!(screen.text("dialog .token").starts_with("whsec_"));
    press(screen, "Done");
    screen.reads("page-records tbody", "localhost");
    let made = shop.office.get("/api/webhooks").data(200)["items"][0].clone();
    assert_eq!((&made["event_types"], &made["store_ids"]), (&json!(["day.sealed", "product.*"]), &json!([])));
    shop.made("/api/products", &json!({"sku": "990009", "name": "White tea", "price": 17_000}));
    let deliveries = format!("/api/webhooks/{}/deliveries", made["webhook_id"].as_str().unwrap());
    wait::until("the event was attempted", || {
        let first = shop.office.get(&deliveries).data(200)["items"][0].clone();
        (first["attempts"].as_u64() > Some(0)).then_some(())
    });
    go(screen, &format!("#/webhooks/{}", made["webhook_id"].as_str().unwrap()), "page-record .part");
    screen.reads("page-record tbody", "product.created");
    screen.reads("page-record tbody", "may not be reached");
    look(screen, "portal-webhook");
    press(screen, "Test");
    screen.reads("#banner", "The test event was not accepted");
    press(screen, "Pause");
    screen.reads("page-record .title", "paused");
    press(screen, "Resume");
    screen.reads("page-record .title", "active");
    press(screen, "Send now");
    press(screen, "New secret");
    screen.sees("dialog .primary");
    screen.browser.press("dialog .primary");
    screen.sees("dialog .token");
    press(screen, "Done");
    press(screen, "Edit");
    choose(screen, "#f-name", "Books");
    screen.browser.press("dialog .primary");
    screen.reads("page-record .title", "Books");
    press(screen, "Delete");
    screen.sees("dialog .danger");
    screen.browser.press("dialog .danger");
    screen.sees("page-records .empty");
}

/// Merges two members, shown side by side, and erases a member.
fn members(shop: &mut Linked, screen: &mut Screen<()>) {
    let ani =
        shop.made("/api/members", &json!({"name": "Ani", "phone": "081234567890", "email": "ani@kopi.id"}));
    let twin = shop.made("/api/members", &json!({"name": "Ani W.", "phone": "081234567899"}));
    let (ani, twin) = (ani["member_id"].as_str().unwrap(), twin["member_id"].as_str().unwrap());
    // Sales of one member, found by what the member says on the telephone.
    go(screen, "#/sales", "page-records #filter-member_id");
    choose(screen, "#filter-member_id", "nobody");
    screen.reads("#banner", "No matching member");
    choose(screen, "#filter-member_id", "0812 3456 7899");
    screen.reads("page-records .empty", "Member: Ani W.");
    assert!(screen.script("return location.hash").as_str().unwrap().contains(twin));
    go(screen, &format!("#/members/{twin}"), "page-record .part");
    press(screen, "Merge");
    screen.sees("#f-who");
    choose(screen, "#f-who", "081234567890");
    screen.browser.press("dialog .primary");
    screen.reads("dialog", "Merge these two?");
    look(screen, "portal-merge");
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Merged");
    go(screen, &format!("#/members/{ani}"), "page-record .part");
    press(screen, "Edit");
    choose(screen, "#f-email", "");
    screen.browser.press("dialog .primary");
    screen.reads("#banner", "Saved");
    assert_eq!(
        shop.office.get(&format!("/api/members/{ani}")).data(200)["email"],
        Value::Null,
        "the list was emptied"
    );
    press(screen, "Delete data");
    screen.sees("#f-reason");
    choose(screen, "#f-reason", "She asked");
    screen.browser.press("dialog .danger");
    screen.reads("page-record .title", "erased");
    assert_eq!(shop.office.get(&format!("/api/members/{ani}")).data(200)["state"], "erased");
}

#[test]
fn a_device_logs_somebody_in_and_letters_go_to_pages() {
    let shop = Linked::open();
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as(ADMIN);
    screen.sees("page-overview h1");
    go(&mut screen, "#/devices", "page-devices .part");
    press(&mut screen, "Add a passkey");
    screen.sees("#f-password");
    choose(&mut screen, "#f-name", "Office laptop");
    choose(&mut screen, "#f-password", testkit::store::PASSWORD);
    screen.browser.press("dialog .primary");
    screen.reads("page-devices tbody", "Office laptop");

    // `g` and a letter work outside of fields, unless shortcuts are off.
    screen.script("document.activeElement.blur()");
    screen.types("go");
    screen.sees("page-records .filters");
    assert_eq!(screen.script("return location.hash"), "#/orders");
    screen.script("document.activeElement.blur()");
    screen.types("?");
    screen.sees("dialog .keys");
    look(&mut screen, "portal-keys");
    screen.script("document.querySelector('dialog input[type=checkbox]').click()");
    press(&mut screen, "Close");
    screen.types("gs");
    assert_eq!(screen.script("return location.hash"), "#/orders");

    screen.script("document.querySelector('portal-app').logOut()");
    screen.sees("button[name=by]");
    screen.browser.write("#username", ADMIN);
    screen.browser.press("button[name=by]");
    screen.sees("page-overview h1");
    // A passkey of another user is refused with a message.
    screen.script("document.querySelector('portal-app').logOut()");
    screen.sees("button[name=by]");
    screen.browser.verifies_its_user(false);
    screen.browser.press("button[name=by]");
    screen.reads("page-login .problem", "No passkey was used");
    screen.is_clean();
}
