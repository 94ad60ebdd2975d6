//! Store Admin: a delivery is received, counted on a phone's screen, and reviewed by a manager.

use crate::furnished::{as_people, text};
use crate::looks::look;
use crate::office::bought;
use crate::screen::{ENTER, Screen};
use crate::stockroom::{CARTON, admin, cartons, choose};
use serde_json::json;
use testkit::goods::{SKU, stock};
use testkit::linked::Linked;
use testkit::{Store, audit};

/// Waits for the page of an address.
#[track_caller]
fn go<S>(screen: &mut Screen<S>, address: &str, selector: &str) {
    screen.script(&format!("location.hash = '{address}'"));
    screen.sees(selector);
}

#[test]
fn a_delivery_is_received_counted_and_seen() {
    let store = Store::open();
    let Some(mut screen) = Screen::open(store) else { return };
    screen.visit("/admin");
    screen.log_in("warehouse");
    // Warehouse staff see goods. Figures and people are not in their menu.
    screen.sees("nav a[href='#/stock']");
    assert_eq!(screen.script("return document.querySelectorAll('nav a').length"), 9);
    go(&mut screen, "#/receiving/new", "#scan");
    for code in ["89900010", "89900010", "89900070"] {
        screen.scans(code);
    }
    screen.reads(".dock", "2 lines, 3 pieces");
    // A name also finds the product; Enter waits for the list.
    screen.browser.write("#scan", "Product 8990007");
    screen.presses(ENTER);
    screen.reads(".dock", "2 lines, 4 pieces");
    look(&mut screen, "admin-receive");
    // After a reload the draft is restored.
    screen.browser.reload();
    screen.reads(".dock", "2 lines, 4 pieces");
    screen.browser.press(".dock button");
    screen.reads("#banner", "2 lines received");
    let mut warehouse = screen.store.login("warehouse");
    assert_eq!(warehouse.get("/api/stock/8990001").data(200)["on_hand"], json!(2));

    // The filters show their counts, and products that are furthest below their level come first.
    go(&mut screen, "#/stock", "page-stock tbody tr");
    screen.reads(".tools button b", "12");
    screen.browser.press(".tools button");
    screen.reads("#found", "Products: 12");
    let last = "return document.querySelector('page-stock tbody tr:last-child').textContent";
    assert!(
        screen.script(last).as_str().unwrap().contains("8990007"),
        "this one is only two pieces below its level"
    );
    choose(&mut screen, "#sort", "most");
    screen.reads("page-stock tbody tr:first-child", "8990001");

    let count = warehouse.post("/api/opname", &json!({"scope": "all", "blind": true})).data(201);
    go(&mut screen, &format!("#/counts/{}", count["opname_id"].as_str().unwrap()), "#scan");
    screen.scans("89900010");
    screen.sees("#counted");
    screen.types("5");
    screen.presses(ENTER);
    screen.reads("tbody", "Product 8990001");
    screen.scans("89900070");
    screen.sees("#counted");
    screen.types("24");
    look(&mut screen, "admin-count");
    let lines = audit::items(&mut warehouse, "/api/opname");
    assert_eq!(lines.len(), 1);
    screen.is_clean();
}

#[test]
fn a_draft_of_a_delivery_says_what_is_left_of_the_order_now() {
    let mut shop = Linked::open();
    let supplier = bought::supplier(&mut shop, as_people);
    let lines = |qty: i64| json!([{"sku": "8990007", "qty": qty, "unit_cost": 12_000}]);
    let new = json!({"supplier_id": supplier, "store_id": "S001", "lines": lines(12)});
    let id = text(&shop.made("/api/purchase-orders", &new), "po_id");
    for step in ["approve", "send"] {
        shop.office.post(&format!("/api/purchase-orders/{id}/{step}"), &json!({})).data(200);
    }
    shop.seen("the order", "/api/purchase-orders", |list| list["items"][0]["po_id"] == json!(id));
    let Some(mut screen) = admin(&shop.store, "warehouse") else { return };
    go(&mut screen, &format!("#/receiving/{id}"), "#qty-8990007");
    screen.reads("h1", "Sinar Jaya");
    screen.reads("#order", "Order PO-");
    choose(&mut screen, "#qty-8990007", "5");
    screen.reads("tbody", "7 left");
    let came = json!({"po_id": id, "lines": lines(4)});
    shop.store.login("warehouse").post("/api/receiving", &came).data(201);
    screen.browser.reload();
    screen.reads("tbody", "3 left");
    assert_eq!(screen.script("return document.querySelector('#qty-8990007').value"), "5");
    screen.is_clean();
}

#[test]
fn a_delivery_is_found_by_its_note_looked_at_and_taken_back() {
    let mut shop = Linked::open();
    let supplier = bought::supplier(&mut shop, as_people);
    cartons(&mut shop.office, &shop.store);
    let lines = json!([{"sku": SKU, "qty": 12, "unit_cost": 1_000}]);
    let new = json!({"supplier_id": supplier, "store_id": "S001", "lines": lines});
    let id = text(&shop.made("/api/purchase-orders", &new), "po_id");
    for done in ["approve", "send"] {
        shop.office.post(&format!("/api/purchase-orders/{id}/{done}"), &json!({})).data(200);
    }
    let orders =
        shop.seen("the order", "/api/purchase-orders", |list| list["items"][0]["po_id"] == json!(id));
    let no = text(&orders["items"][0], "po_no");
    let Some(mut screen) = admin(&shop.store, "manager") else { return };
    go(&mut screen, &format!("#/receiving/{id}"), &format!("#qty-{SKU}"));
    screen.browser.press("#all");
    screen.reads(".dock", "1 line, 12 pieces");
    // More pieces than the order allows: the page shows the product and the allowed number, and offers to use it.
    choose(&mut screen, &format!("#qty-{SKU}"), "15");
    screen.browser.press(".dock button");
    screen.reads("#over", "the order takes 12 more");
    screen.browser.press("#over .btn");
    screen.reads(".dock", "1 line, 12 pieces");
    choose(&mut screen, &format!("#qty-{SKU}"), "");
    screen.browser.write("#note", "SJ-88213");
    screen.script("document.querySelector('#scan').focus()");
    screen.scans(CARTON);
    screen.reads(".dock", "1 line, 4 pieces");
    screen.browser.press(".dock button");
    screen.reads("#banner", "1 line received");
    screen.reads("page-record", "SJ-88213");
    look(&mut screen, "admin-delivery");

    // People have the paper delivery note and search by the end of its number.
    go(&mut screen, "#/deliveries?delivery_note_no=88213", "page-records tbody a");
    assert_eq!(screen.script("return document.querySelectorAll('tbody tr').length"), 1);
    screen.reads("tbody", &no);
    look(&mut screen, "admin-deliveries");
    screen.script("document.querySelector('page-records tbody a').click()");
    screen.reads(".title .btn", "Reverse");
    screen.browser.press(".title .end .btn");
    screen.reads("dialog", &format!("4 pieces will leave stock at the current average cost, and you will owe the supplier Rp\u{a0}4,000 less. Order {no} is open again. Delivery note SJ-88213 can be received again."));
    screen.browser.press("dialog .danger");
    screen.reads("#banner", "Reversed. Stock updated");
    screen.reads("page-record", "Delivery reversed");
    assert_eq!(stock(&mut shop.manager, SKU).0, 100);
    assert_eq!(
        audit::items(&mut shop.manager, "/api/purchase-orders")[0]["lines"][0]["received_qty"],
        json!(0)
    );
    screen.is_clean();
}

#[test]
fn a_member_is_put_right_and_their_sales_are_found() {
    let mut shop = Linked::open();
    let siti = json!({"name": "Siti Aminah", "phone": "081298765432", "email": "siti@example.com"});
    let id = text(&shop.manager.post("/api/members", &siti).data(201), "member_id");
    for member in [json!(id), json!(null)] {
        let items = json!([{"sku": SKU, "qty": 1, "price": 2_000}]);
        let sale =
            shop.till.post("/api/pos/transactions", &json!({"items": items, "member_id": member})).data(201);
        let paid =
            json!({"payments": [{"method": "qris", "amount": sale["amount_due"], "reference": "Q-1"}]});
        shop.till
            .post(&format!("/api/pos/transactions/{}/pay", text(&sale, "transaction_id")), &paid)
            .data(200);
    }
    let Some(mut screen) = admin(&shop.store, "manager") else { return };
    go(&mut screen, &format!("#/members/{id}"), "page-member .figures");
    screen.types("e");
    screen.sees("#f-name");
    screen.browser.write("#f-name", "Siti Rahma");
    screen.browser.write("#f-phone", "0812");
    look(&mut screen, "admin-member-change");
    screen.presses(ENTER);
    screen.sees("#f-phone[aria-invalid]");
    screen.browser.write("#f-phone", "081211112222");
    screen.browser.write("#f-email", "");
    // The test typed the number as fast as a scanner, so Enter would end a scan. It presses the button instead.
    screen.browser.press("dialog .btn.primary");
    screen.reads("#banner", "Saved");
    screen.reads("h1", "Siti Rahma");
    let now = shop.manager.get(&format!("/api/members/{id}")).data(200);
    assert_eq!((&now["phone"], &now["email"]), (&json!("+6281211112222"), &json!(null)));

    // All members are listed. A part of the number finds the member, as the whole number does.
    go(&mut screen, "#/members", "#search");
    screen.reads("page-members tbody", "Siti Rahma");
    // The test types at a person's speed, because faster digits are a scan.
    screen.script("document.querySelector('#search').focus()");
    screen.types("0812111");
    screen.reads("page-members tbody", "Siti Rahma");

    // All sales, then those of one member, found by what the member says at the counter.
    go(&mut screen, "#/sales", "page-records tbody tr:nth-child(2)");
    choose(&mut screen, "#filter-member_id", "nobody");
    screen.reads("#banner", "No member matches nobody");
    choose(&mut screen, "#filter-member_id", "0812 1111 2222");
    screen.sees("tbody tr:only-child");
    assert_eq!(screen.script("return document.querySelector('#filter-member_id').value"), "Siti Rahma");
    assert!(screen.script("return location.hash").as_str().unwrap().contains(&id));
    screen.is_clean();
}
