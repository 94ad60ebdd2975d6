//! Codes, names and phone numbers in the forms that scanners, spreadsheets and people write.

use serde_json::json;
use testkit::{Client, Store, process};

/// Scanned text, the SKU that it belongs to, and the number of pieces of one scan.
const SCANS: [(&str, &str, i64); 15] = [
    ("036000291452", "UPC1", 1),
    ("0036000291452", "UPC1", 1),
    ("00036000291452", "UPC1", 1),
    ("012345678905", "EAN1", 1),
    ("0012345678905", "EAN1", 1),
    ("96385074", "EAN8", 1),
    ("0000096385074", "EAN8", 1),
    ("8991234500188", "CAR1", 1),
    ("08991234500188", "CAR1", 1),
    ("18991234500185", "CAR1", 12),
    ("(01)18991234500185(10)LOT7", "CAR1", 12),
    ("]C1011899123450018510LOT7", "CAR1", 12),
    ("]e00118991234500185", "CAR1", 12),
    ("]E08991234500188", "CAR1", 1),
    ("8991234500188\t", "CAR1", 1),
];

fn shop() -> Store {
    let store = Store::open_with("", 1);
    let rows = "sku,name,price,barcode,pack_barcode,pack_qty\nUPC1,Tissues,12000,036000291452,,\n\
                EAN1,Lemonade,9000,0012345678905,,\nEAN8,Chewing gum,5000,96385074,,\n\
                CAR1,Green tea,15000,8991234500188,18991234500185,12\n\
                U1,Caf\u{e9} Latte,20000,,,\nU2,Cre\u{300}me bru\u{302}le\u{301}e,25000,,,\n\
                U3,Levi\u{2019}s 501,500000,'8991234500126,,\n";
    let file = store.write_file("codes.csv", rows);
    process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    store
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn found(client: &mut Client, path: &str, query: &str) -> Vec<String> {
    let page = client.get(&format!("{path}?{query}")).data(200);
    page["items"].as_array().unwrap().iter().map(|item| item["sku"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_scan_finds_its_article_in_every_spelling() {
    let store = shop();
    let mut till = store.login("till-1").at_register("till-1");
    let mut warehouse = store.login("warehouse");
    till.post("/api/shifts/open", &json!({})).data(201);
    let whole = json!({"scope": "all"});
    let count = warehouse.post("/api/opname", &whole);
    let count = count.data(201)["opname_id"].as_str().unwrap().to_owned();
    for (scan, sku, pieces) in SCANS {
        let query = format!("barcode={}", encoded(scan));
        let page = till.get(&format!("/api/pos/products?{query}")).data(200);
        assert_eq!(
            (&page["items"][0]["sku"], &page["items"][0]["pack_qty"]),
            (&json!(sku), &json!(pieces)),
            "{scan}"
        );
        let sale = json!({"items": [{"code": scan, "qty": 2}]});
        let sale = till.post("/api/pos/transactions", &sale).data(201);
        let line = &sale["items"][0];
        assert_eq!((&line["sku"], &line["qty"]), (&json!(sku), &json!(2 * pieces)), "{scan}");
        till.post(
            &format!("/api/pos/transactions/{}/void", sale["transaction_id"].as_str().unwrap()),
            &json!({"reason": "a test"}),
        );
        let line = json!({"lines": [{"code": scan, "qty": 1, "unit_cost": 100}]});
        let received = warehouse.post("/api/receiving", &line).data(201);
        assert_eq!(
            (&received["lines"][0]["sku"], &received["lines"][0]["qty"]),
            (&json!(sku), &json!(pieces)),
            "{scan}"
        );
        let counted =
            warehouse.get(&format!("/api/opname/{count}/lookup?{query}")).data(200)["items"][0].clone();
        assert_eq!((&counted["sku"], &counted["pack_qty"]), (&json!(sku), &json!(pieces)), "{scan}");
        assert_eq!(found(&mut warehouse, "/api/stock", &query), [sku], "{scan}");
    }
}

#[test]
fn names_are_found_without_accents_and_codes_by_a_part() {
    let store = shop();
    let mut till = store.login("till-1");
    let mut manager = store.login("manager");
    for (typed, sku) in [
        ("cafe", "U1"),
        ("CAF\u{c9}", "U1"),
        ("creme", "U2"),
        ("cr\u{e8}me", "U2"),
        ("cre\u{300}me", "U2"),
        ("levis", "U3"),
        ("levi's", "U3"),
        ("00126", "U3"),
        ("385074", "EAN8"),
        ("2345678", "EAN1"),
    ] {
        let query = format!("q={}", encoded(typed));
        assert_eq!(found(&mut till, "/api/pos/products", &query), [sku], "{typed}");
        assert_eq!(found(&mut manager, "/api/stock", &query), [sku], "{typed}");
    }
    let name = till.get("/api/pos/products/U2").data(200)["name"].clone();
    assert_eq!(name, json!("Cr\u{e8}me br\u{fb}l\u{e9}e"), "the name is stored in composed form");
    till.post("/api/members", &json!({"name": "Zoe\u{308} M\u{fc}ller", "email": "zoe@example.com"}))
        .data(201);
    for typed in ["zoe", "muller", "ZO\u{cb}"] {
        let page = till.get(&format!("/api/members/search?q={}", encoded(typed))).data(200);
        assert_eq!(page["items"][0]["name"], json!("Zo\u{eb} M\u{fc}ller"), "{typed}");
    }
}

#[test]
fn a_phone_number_is_one_person_in_every_spelling() {
    let store = Store::open_with("", 1);
    let mut till = store.login("till-1");
    let one = json!({"name": "Ayu", "phone": "+62 (0)812-3456-7891"});
    assert_eq!(till.post("/api/members", &one).data(201)["phone"], json!("+6281234567891"));
    for spelled in [
        "0812-3456-7891",
        "0062 (0) 812 3456 7891",
        "\u{202a}+62 812\u{2011}3456\u{2011}7891\u{202c}",
        "+62\u{a0}812\u{a0}3456\u{a0}7891",
        "\u{ff0b}62 812 3456 7891",
        "81234567891",
    ] {
        till.post("/api/members", &json!({"name": "Again", "phone": spelled})).refused(409, "duplicate");
        let page = till.get(&format!("/api/members/search?q={}", encoded(spelled))).data(200);
        assert_eq!(page["items"][0]["name"], json!("Ayu"), "{spelled}");
    }
    for (wrong, says) in [
        ("021-555-0123 ext. 12", "extension"),
        ("0812 3456 7896 / 0813 3456 7897", "two phone numbers"),
        ("wa.me/6281234567898", "link"),
        ("6281234567810.0", "spreadsheet"),
    ] {
        let refused = till.post("/api/members", &json!({"name": "Wrong", "phone": wrong}));
        assert!(refused.text().contains(says), "{wrong} {}", refused.text());
        refused.refused(422, "validation_failed");
    }
}
