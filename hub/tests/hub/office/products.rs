//! The catalogue: imported completely or not at all.

use crate::support::server::{Place, Server, stderr, stdout};
use serde_json::json;

pub const HEADER: &str = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost";

#[tokio::test(flavor = "multi_thread")]
async fn an_import_with_bad_rows_changes_nothing_and_names_them_all() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let good = format!("{HEADER}\nA,Apple,1000,fruit,111,5,,\nB,Pear,2000,fruit,,,0,900\n");
    for path in ["/api/products/import?dry_run=true", "/api/products/import"] {
        assert_eq!(admin.get("/api/products").await.data()["items"], json!([]), "{path}");
        assert_eq!(admin.csv(path, &good).await.data(), &json!({"rows": 2, "changed": 2}), "{path}");
    }
    let bad = format!("{HEADER}\nA,Apple,9999,fruit,111,5,,\nC,,1000,fruit,,,,\nD,Date,-1,fruit,,,,\n");
    let answer = admin.csv("/api/products/import", &bad).await;
    assert_eq!(answer.refusal(), "422 validation_failed");
    let fields = answer.body["error"]["details"]["fields"].as_array().unwrap();
    let lines: Vec<_> = fields.iter().map(|field| field["path"].as_str().unwrap()).collect();
    assert_eq!(lines, ["line 3", "line 4"]);
    let file = server.place.folder.path().join("bad.csv");
    std::fs::write(&file, &bad).unwrap();
    let done = server.place.run(&["import", "products", file.to_str().unwrap()], "");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("line 3:") && stderr(&done).contains("line 4:"), "{}", stderr(&done));
    let list = admin.get("/api/products").await;
    let prices: Vec<_> =
        list.data()["items"].as_array().unwrap().iter().map(|p| p["price"].clone()).collect();
    assert_eq!(prices, [1000, 2000]);
    assert_eq!(server.figure("SELECT head FROM feed_lanes WHERE lane = 'rest'").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_import_keeps_to_the_limits_of_the_settings() {
    let place = Place::initialised().await;
    let file = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, file + "[limits]\nimport_rows = 2\nimport_bytes = 1024\n").unwrap();
    let server = Server::on(place).await;
    let admin = server.admin().await;
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await;
    let prices =
        format!("/api/suppliers/{}/products/import", supplier.data()["supplier_id"].as_str().unwrap());
    let rows = |head: &str, row: &dyn Fn(i32) -> String, rows: i32| {
        (0..rows).fold(head.to_owned(), |file, number| file + "\n" + &row(number))
    };
    let today = server.hub.today(edge::clock::now());
    let product = |rest: i32| format!("P{rest},Thing,1");
    let price = |rest: i32| format!("P{rest},1");
    let line = |rest: i32| format!("{today},C-100{rest},500");
    for (path, head, row) in [
        ("/api/products/import", "sku,name,price", &product as &dyn Fn(i32) -> String),
        (&prices, "sku,unit_cost", &price),
        ("/api/statements", "date,reference,amount", &line),
    ] {
        let refused = admin.csv(path, &rows(head, row, 3)).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{path}");
        let problem = &refused.body["error"]["details"]["fields"][0]["problem"];
        assert!(
            problem.as_str().unwrap().contains("more than 2 rows")
                || problem.as_str().unwrap().contains("at most 2"),
            "{path} {problem}"
        );
        let large = admin.csv(path, &(rows(head, row, 2) + &"\n".repeat(1024))).await;
        assert_eq!(large.refusal(), "413 body_too_large", "{path}");
        assert_eq!(large.body["error"]["details"]["limit_bytes"], json!(1024), "{path}");
        admin.csv(path, &rows(head, row, 2)).await.data();
    }
    let line = |number: i32| json!({"date": today, "reference": format!("D-100{number}"), "amount": 5});
    let statement = |lines: i32| json!({"lines": (0..lines).map(line).collect::<Vec<_>>()});
    for lines in [0, 3] {
        assert_eq!(admin.post("/api/statements", &statement(lines)).await.refusal(), "422 validation_failed");
    }
    admin.post("/api/statements", &statement(2)).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_different_goes_into_the_feed() {
    let server = Server::start().await;
    let file = server.place.folder.path().join("good.csv");
    let import = |text: &str| {
        std::fs::write(&file, text).unwrap();
        stdout(&server.place.run(&["import", "products", file.to_str().unwrap()], ""))
    };
    let rows: Vec<String> = (0..2500).map(|n| format!("P{n:05},Thing {n},{n},,,,,")).collect();
    let whole = format!("{HEADER}\n{}\n", rows.join("\n"));
    assert_eq!(import(&whole), "2500 products read, 2500 new or changed\n");
    assert_eq!(import(&whole), "2500 products read, 0 new or changed\n");
    assert_eq!(import(&whole.replace("Thing 7,7,", "Thing 7,8,")), "2500 products read, 1 new or changed\n");
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed").await, 2501);
    assert_eq!(server.figure("SELECT COUNT(*) FROM products").await, 2500);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_come_in_pages() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let rows: Vec<String> = (0..7).map(|n| format!("P{n},Thing,1,,,,,")).collect();
    admin.csv("/api/products/import", &format!("{HEADER}\n{}\n", rows.join("\n"))).await.data();
    let (mut skus, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/products?limit=3{cursor}")).await;
        skus.extend(
            page.data()["items"].as_array().unwrap().iter().map(|p| p["sku"].as_str().unwrap().to_owned()),
        );
        let Some(next) = page.data()["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(skus, ["P0", "P1", "P2", "P3", "P4", "P5", "P6"]);
    assert_eq!(admin.get("/api/products?cursor=!").await.refusal(), "400 invalid_cursor");
    let json = admin.post("/api/products/import", &json!({})).await;
    assert_eq!(json.refusal(), "415 unsupported_media_type");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_barcode_names_one_product_that_is_sold() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let code = |code: &str, pack_qty: i64| json!([{"code": code, "pack_qty": pack_qty}]);
    let new = |sku: &str, barcodes| json!({"sku": sku, "name": sku, "price": 1, "barcodes": barcodes});
    admin.post("/api/products", &new("A", code("111", 1))).await.data();
    // Creating, changing and importing: the refusal names the product that has the code, and nothing changes.
    let made = admin.post("/api/products", &new("B", code(" 111 ", 12))).await;
    assert_eq!(made.refusal(), "409 duplicate");
    let details = &made.body["error"]["details"];
    assert_eq!((&details["what"], &details["id"]), (&json!("barcode"), &json!("A")), "{details}");
    assert_eq!(details["barcodes"], json!([{"code": "111", "sku": "B", "taken_by": "A"}]));
    admin.post("/api/products", &new("B", code("222", 1))).await.data();
    let taken = json!({"barcodes": code("111", 1)});
    assert_eq!(admin.patch("/api/products/B", &taken).await.refusal(), "409 duplicate");
    let twice = json!({"barcodes": [{"code": "3", "pack_qty": 1}, {"code": "3", "pack_qty": 6}]});
    assert_eq!(admin.patch("/api/products/B", &twice).await.refusal(), "422 validation_failed");
    let text = format!("{HEADER}\nC,Cherry,1,,333,,,\nD,Date,1,,111,,,\n");
    let imported = admin.csv("/api/products/import", &text).await;
    assert_eq!(imported.refusal(), "409 duplicate");
    let details = &imported.body["error"]["details"];
    assert_eq!((&details["id"], &details["barcodes"][0]["line"]), (&json!("A"), &json!(3)));
    let file = server.place.folder.path().join("taken.csv");
    std::fs::write(&file, &text).unwrap();
    let done = server.place.run(&["import", "products", file.to_str().unwrap()], "");
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("barcode 111 can't be added to D: A has it"), "{}", stderr(&done));
    assert_eq!(server.figure("SELECT COUNT(*) FROM products").await, 2);
    // A file may move a code. An inactive product holds no codes until it is active again.
    let kept = format!("{HEADER}\nA,Apple,1,,,,,\nD,Date,1,,111,,,\n");
    assert_eq!(
        admin.csv("/api/products/import", &kept).await.refusal(),
        "409 duplicate",
        "an empty cell removes no code"
    );
    let moved = format!("{HEADER}\nA,Apple,1,,-,,,\nD,Date,1,,111,,,\n");
    assert_eq!(admin.csv("/api/products/import", &moved).await.data()["changed"], json!(2));
    admin.patch("/api/products/D", &json!({"state": "inactive"})).await.data();
    admin.patch("/api/products/A", &taken).await.data();
    assert_eq!(admin.patch("/api/products/D", &json!({"state": "active"})).await.refusal(), "409 duplicate");
    admin.patch("/api/products/A", &json!({"barcodes": []})).await.data();
    admin.patch("/api/products/D", &json!({"state": "active"})).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_leaves_what_it_has_no_word_for() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let codes = json!([{"code": "111", "pack_qty": 1}, {"code": "1112", "pack_qty": 12}]);
    let new = json!({"sku": "A", "name": "A", "price": 1, "barcodes": codes, "tax_code": "exempt", "track_stock": false});
    admin.post("/api/products", &new).await.data();
    let import = async |row: &str| {
        admin.csv("/api/products/import", &format!("{HEADER}\n{row}\n")).await.data();
        admin.get("/api/products/A").await.data().clone()
    };
    for row in ["A,Apple,2,,,,,", "A,Apple,2,,111,,,", "A,Apple,2,,1112,,,"] {
        let shown = import(row).await;
        assert_eq!((&shown["name"], &shown["barcodes"]), (&json!("Apple"), &codes), "{row}: {shown}");
        assert_eq!((&shown["tax_code"], &shown["track_stock"]), (&json!("exempt"), &json!(false)), "{shown}");
    }
    // Another code is added in front and becomes the one that is shown.
    let added = json!([{"code": "113", "pack_qty": 1}, codes[0], codes[1]]);
    assert_eq!(import("A,Apple,2,,113,,,").await["barcodes"], added);
    assert_eq!(import("A,Apple,2,,-,,,").await["barcodes"], json!([]));
    assert_eq!(import("A,Apple,2,,111,,,").await["barcodes"], json!([codes[0]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn products_and_orders_are_found_by_what_people_ask_for() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = "sku;name;price;category;barcode;reorder_level\nA_1;Green Apple;1.000;fruit;;\nAX1;Red Pear;15.000;fruit;;\n\
               N9;Nail 100%;10;iron;;\n";
    admin.csv("/api/products/import", csv).await.data();
    for (query, expected) in [
        ("q=apple", vec!["A_1"]),
        ("q=a_", vec!["A_1"]),
        ("q=100%25", vec!["N9"]),
        ("q=p&category=fruit", vec!["AX1", "A_1"]),
        ("category=iron", vec!["N9"]),
        ("skus=N9,A_1,gone", vec!["A_1", "N9"]),
        ("skus=N9,A_1&category=iron", vec!["N9"]),
        ("q=ear", vec!["AX1"]),
        ("q=zz", vec![]),
    ] {
        let list = admin.get(&format!("/api/products?{query}")).await;
        let items = list.data()["items"].as_array().unwrap();
        let mut skus: Vec<_> = items.iter().map(|item| item["sku"].as_str().unwrap()).collect();
        skus.sort_unstable();
        assert_eq!(skus, expected, "{query}");
    }
    let many = admin.get(&format!("/api/products?skus={}", vec!["A_1"; 101].join(","))).await;
    assert_eq!(many.refusal(), "422 validation_failed");
    let pear = admin.get("/api/products/AX1").await;
    assert_eq!((&pear.data()["price"], &pear.data()["category"]), (&json!(15_000), &json!("fruit")));
    let emptied = admin.patch("/api/products/AX1", &json!({"category": null, "cost": 7})).await;
    assert_eq!((&emptied.data()["category"], &emptied.data()["cost"]), (&json!(null), &json!(7)));
    let rest = admin.patch("/api/products/AX1", &json!({"cost": null, "price": 15_000})).await;
    assert_eq!((&rest.data()["cost"], &rest.data()["track_stock"]), (&json!(null), &json!(true)));
    let supplier = admin.post("/api/suppliers", &json!({"code": "SUP", "name": "Kebun"})).await;
    let supplier = supplier.data()["supplier_id"].as_str().unwrap().to_owned();
    for store in ["S001", "S002"] {
        server.place.add_store(store);
        let lines = json!([{"sku": "AX1", "qty": 1, "unit_cost": 10}]);
        let order = json!({"supplier_id": supplier, "store_id": store, "lines": lines});
        admin.post("/api/purchase-orders", &order).await.data();
    }
    for (query, expected) in [
        ("store_id=S002".to_owned(), 1),
        (format!("supplier_id={supplier}&state=draft"), 2),
        ("state=sent".to_owned(), 0),
        ("supplier_id=sup_none".to_owned(), 0),
    ] {
        let list = admin.get(&format!("/api/purchase-orders?{query}")).await;
        assert_eq!(list.data()["items"].as_array().unwrap().len(), expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_article_has_one_code_in_any_spelling() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let new = |sku: &str, code: &str| {
        let codes = if code.is_empty() { json!([]) } else { json!([{"code": code, "pack_qty": 1}]) };
        json!({"sku": sku, "name": sku, "price": 1, "barcodes": codes})
    };
    let made = admin.post("/api/products", &new("UPC", "036000291452")).await;
    assert_eq!(made.data()["warnings"], json!(null), "{:?}", made.body);
    for code in ["0036000291452", "00036000291452", "(01)00036000291452", "]E00036000291452"] {
        assert_eq!(admin.post("/api/products", &new("B", code)).await.refusal(), "409 duplicate", "{code}");
        let found = admin.get(&format!("/api/products?barcode={}", code.replace('(', "%28"))).await;
        assert_eq!(found.data()["items"][0]["sku"], json!("UPC"), "{code}");
    }
    // An SKU can't be another product's code, nor the reverse.
    for (sku, code) in [("0036000291452", ""), ("B", "UPC")] {
        assert_eq!(admin.post("/api/products", &new(sku, code)).await.refusal(), "409 duplicate", "{sku}");
    }
    admin.post("/api/products", &new("SHORT", "042100005264")).await.data();
    let carton = admin.post("/api/products", &new("CARTON", "10036000291459")).await;
    assert_eq!(
        carton.data()["sku"],
        json!("CARTON"),
        "the code of the carton differs from that of the piece"
    );
    assert_eq!(admin.post("/api/products", &new("X", "899\u{e9}")).await.refusal(), "422 validation_failed");
    // Changes that a spreadsheet makes to a code are undone or refused, as in a file.
    for (sku, code, stored_sku, stored) in [
        ("R1", "'4006381335034", "R1", "4006381335034"),
        ("R2", "4006381335041.0", "R2", "4006381335041"),
        ("=\"R3\"", "=\"4006381335058\"", "R3", "4006381335058"),
    ] {
        let made = admin.post("/api/products", &new(sku, code)).await;
        let shown = (made.data()["sku"].clone(), made.data()["barcodes"][0]["code"].clone());
        assert_eq!(shown, (json!(stored_sku), json!(stored)), "{:?}", made.body);
    }
    for (sku, code) in [("X", "8.99E+12"), ("8.99E+12", ""), ("\u{200b}", "")] {
        assert_eq!(
            admin.post("/api/products", &new(sku, code)).await.refusal(),
            "422 validation_failed",
            "{code}"
        );
    }
    let codes = json!({"barcodes": [{"code": "'4006381335065", "pack_qty": 1}]});
    let changed = admin.patch("/api/products/R1", &codes).await;
    assert_eq!(changed.data()["barcodes"][0]["code"], json!("4006381335065"), "{:?}", changed.body);
    let nameless = admin.patch("/api/products/R1", &json!({"name": "\u{200b}"})).await;
    assert_eq!(nameless.refusal(), "422 validation_failed");
    let typed = admin.patch("/api/products/R1", &json!({"cost": "1"})).await;
    assert!(typed.body.to_string().contains("\"cost\""), "the problem names its field: {:?}", typed.body);
    let doubtful = admin.post("/api/products", &new("X", " 8991234500165")).await;
    assert_eq!(doubtful.data()["barcodes"][0]["code"], json!("8991234500165"));
    assert!(doubtful.data()["warnings"][0].as_str().unwrap().contains("check digit"), "{:?}", doubtful.body);

    let rows =
        "sku,name,price,barcode\nY,Cafe\u{301} Latte,1,8991234500034\nZ,Levi\u{2019}s,1,8991234500166\n";
    let imported = admin.csv("/api/products/import", rows).await;
    assert_eq!(
        (&imported.data()["changed"], &imported.data()["warnings"][0]["line"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(admin.get("/api/products/Y").await.data()["name"], json!("Caf\u{e9} Latte"));
    for (typed, sku) in [
        ("cafe", "Y"),
        ("CAF%C3%89", "Y"),
        ("cafe%CC%81", "Y"),
        ("levis", "Z"),
        ("00034", "Y"),
        ("00166", "Z"),
        ("04252614", "SHORT"),
        ("]E004252614", "SHORT"),
        ("00042100005264", "SHORT"),
        ("0-42100-00526-4", "SHORT"),
        ("(01)00036000291452", "UPC"),
    ] {
        let items = admin.get(&format!("/api/products?q={typed}")).await.data()["items"].clone();
        assert_eq!(items[0]["sku"], json!(sku), "{typed} {items}");
    }
    // SKUs that differ only by leading zeros are reported, whether both are in the file or one is stored.
    let lost = |sku: &str| format!("sku \"{sku}\" differs from the stored \"00123\" only by zeros in front");
    let zeros = admin.csv("/api/products/import", "sku,name,price\n00123,Gula,1\n").await;
    assert_eq!(zeros.data()["warnings"], json!(null), "{:?}", zeros.body);
    for path in ["/api/products/import?dry_run=true", "/api/products/import"] {
        let warned =
            admin.csv(path, "sku,name,price\nN,Nasi,1\n123,Garam,1\n").await.data()["warnings"].clone();
        assert_eq!(warned[0]["line"], json!(3), "{warned}");
        assert!(warned[0]["problem"].as_str().unwrap().starts_with(&lost("123")), "{warned}");
    }
    let made = admin.post("/api/products", &json!({"sku": "0123", "name": "Gula", "price": 1})).await;
    assert!(
        made.data()["warnings"][0].as_str().unwrap().contains("only by zeros in front"),
        "{:?}",
        made.body
    );
    let long = "\u{e17}".repeat(255);
    let named = json!({"sku": "L", "name": long, "price": 1});
    assert_eq!(admin.post("/api/products", &named).await.data()["name"], json!(long));
    let longer = json!({"sku": "M", "name": long + "x", "price": 1});
    assert_eq!(admin.post("/api/products", &longer).await.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_files_encoding_is_that_of_its_mark_or_as_declared() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let latin: &[u8] = b"sku;name;price\r\nLA1;Caf\xe9 moulu;45.000\r\n";
    let refused = admin.bytes("/api/products/import", latin).await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    admin.bytes("/api/products/import?encoding=windows-1252", latin).await.data();
    let wide: Vec<u8> = "\u{feff}sku\tname\tprice\r\nUT1\tTeh\t15000.0\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    admin.bytes("/api/products/import", &wide).await.data();
    for (sku, name, price) in [("LA1", "Caf\u{e9} moulu", 45_000), ("UT1", "Teh", 15_000)] {
        let product = admin.get(&format!("/api/products/{sku}")).await.data().clone();
        assert_eq!((&product["name"], &product["price"]), (&json!(name), &json!(price)));
    }
    let commas = ",".repeat(4_000_000);
    assert_eq!(admin.csv("/api/products/import", &commas).await.refusal(), "422 validation_failed");
    let unknown = admin.csv("/api/products/import", "id,name,colour,size\n1,a,b,c\n").await;
    let problem = unknown.body["error"]["details"]["fields"][0]["problem"].as_str().unwrap().to_owned();
    assert!(
        ["id", "colour", "size"].iter().all(|name| problem.contains(&format!("\"{name}\""))),
        "{problem}"
    );
}
