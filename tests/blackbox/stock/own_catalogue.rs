//! The catalogue of a shop without head office: products, files with columns of any name, opening stock.

use serde_json::{Value, json};
use testkit::audit::items;
use testkit::linked::Linked;
use testkit::store::PASSWORD;
use testkit::{Client, Reply, Store};

fn send(client: &mut Client, path: &str, file: &str) -> Reply {
    client.send("POST", path, &[("Content-Type", "text/csv")], file.as_bytes())
}

/// Opens a store without products, with only its administrator.
fn empty() -> Store {
    let mut store = Store::made_new("", PASSWORD);
    store.start();
    store
}

fn steps(client: &mut Client) -> Value {
    client.get("/api/admin/setup").data(200)
}

#[test]
fn a_shop_alone_makes_changes_and_sells_its_products() {
    let store = empty();
    let mut manager = store.login("admin");
    assert_eq!(steps(&mut manager)["has_products"], json!(false));
    let tea = json!({"sku": "TEA", "name": " Green Tea ", "price": 15_000, "category": "Drinks", "tax_rate_bp": 0,
        "barcodes": [{"code": "8991234500164", "pack_qty": 1}]});
    let made = manager.post("/api/products", &tea).data(201);
    assert_eq!((&made["name"], &made["price"]), (&json!("Green Tea"), &json!(15_000)));
    manager.post("/api/products", &tea).refused(409, "duplicate");
    let thief = json!({"sku": "COFFEE", "name": "Coffee", "price": 1, "barcodes": tea["barcodes"]});
    let refusal = manager.post("/api/products", &thief).refused(409, "duplicate");
    assert_eq!(refusal["barcodes"][0]["taken_by"], json!("TEA"));
    let wrong = json!({"sku": "COFFEE", "name": " ", "price": -1});
    let refusal = manager.post("/api/products", &wrong).refused(422, "validation_failed");
    let paths: Vec<&Value> =
        refusal["fields"].as_array().unwrap().iter().map(|field| &field["path"]).collect();
    assert_eq!(paths, [&json!("name"), &json!("price")]);
    // A scan finds the product at its current price.
    let patch = |client: &mut Client, body: Value| {
        let body = body.to_string();
        client.send("PATCH", "/api/products/TEA", &[("Content-Type", "application/json")], body.as_bytes())
    };
    patch(&mut manager, json!({"price": 16_000})).data(200);
    let entry = items(&mut manager, "/api/audit?action=product.changed")[0]["details"].clone();
    assert_eq!(entry, json!({"sku": "TEA", "before": {"price": 15_000}, "after": {"price": 16_000}}));
    let found = manager.get("/api/pos/products?barcode=8991234500164").data(200);
    assert_eq!((&found["items"][0]["sku"], &found["items"][0]["price"]), (&json!("TEA"), &json!(16_000)));
    // The words of the former name no longer find the product.
    patch(&mut manager, json!({"name": "Sencha"})).data(200);
    let listed = |client: &mut Client, q: &str| {
        client.get(&format!("/api/products?q={q}")).data(200)["items"].as_array().unwrap().len()
    };
    assert_eq!((listed(&mut manager, "green"), listed(&mut manager, "sencha")), (0, 1));
    patch(&mut manager, json!({"state": "inactive"})).data(200);
    manager.get("/api/pos/products/TEA").refused(404, "not_found");
    assert_eq!(manager.get("/api/products").data(200)["items"][0]["state"], json!("inactive"));
    patch(&mut manager, json!({"state": "active"})).data(200);
    let opening = json!({"lines": [{"sku": "TEA", "qty": 24, "unit_cost": 10_000}]});
    assert_eq!(manager.post("/api/stock/opening", &opening).data(200)["products_count"], json!(1));
    manager.post("/api/stock/opening", &opening).refused(422, "validation_failed");
    assert_eq!(manager.get("/api/pos/products/TEA").data(200)["on_hand"], json!(24));
    assert_eq!(steps(&mut manager)["has_products"], json!(true));
    for (action, count) in [("product.created", 1), ("product.changed", 4), ("stock.opened", 1)] {
        let entries = items(&mut manager, &format!("/api/audit?action={action}"));
        assert_eq!(entries.len(), count, "{action}");
    }
    // A code that lost its leading zeros is reported.
    let jam = |sku: &str| json!({"sku": sku, "name": "Jam", "price": 9_000});
    assert_eq!(manager.post("/api/products", &jam("0042")).data(201)["warnings"], json!(null));
    let doubted = manager.post("/api/products", &jam("42")).data(201);
    assert!(doubted["warnings"][0].as_str().unwrap().contains("differs from the stored"), "{doubted}");
    let doubted = send(&mut manager, "/api/products/import", "sku,name,price\n042,Jam,9000\n").data(200);
    assert_eq!(doubted["warnings"][0]["line"], json!(2), "{doubted}");
}

#[test]
fn a_file_comes_in_by_the_meaning_that_a_person_gives_its_columns() {
    let store = empty();
    let mut manager = store.login("admin");
    let file = "Daftar Barang;;;\nKode;Nama Barang;Rak;Harga Jual\nA1;Teh Botol;3;5.000\nB2;Kopi;4;12.500\n";
    send(&mut manager, "/api/products/import", file).refused(422, "validation_failed");
    let path = "/api/products/import?column_names=sku,name,,price&header_line=2";
    let tried = send(&mut manager, &format!("{path}&dry_run=true"), file).data(200);
    assert_eq!(tried, json!({"rows": 2, "changed": 2}));
    assert_eq!(manager.get("/api/products").data(200)["items"], json!([]));
    send(&mut manager, path, file).data(200);
    assert_eq!(manager.get("/api/products/B2").data(200)["price"], json!(12_500));
    assert_eq!(send(&mut manager, path, file).data(200)["changed"], json!(0));
    let bad = send(&mut manager, path, &file.replace("12.500", "much")).refused(422, "validation_failed");
    assert_eq!(bad["fields"][0]["path"], json!("line 4"));
    for columns in ["sku,name,,", "sku,name,price,price", "sku,name,,colour"] {
        let path = format!("/api/products/import?column_names={columns}&header_line=2");
        send(&mut manager, &path, file).refused(422, "validation_failed");
    }
    let stock = "Kode,Jumlah,Modal\nA1,10,4000\n";
    let path = "/api/stock/opening/import?column_names=sku,qty,unit_cost";
    let preview = format!("{path}&dry_run=true");
    assert_eq!(send(&mut manager, &preview, stock).data(200), json!({"products_count": 1}));
    assert_eq!(manager.get("/api/pos/products/A1").data(200)["on_hand"], json!(0));
    assert_eq!(send(&mut manager, path, stock).data(200)["products_count"], json!(1));
    assert_eq!(manager.get("/api/pos/products/A1").data(200)["on_hand"], json!(10));
    // The preview refuses the same rows as the import.
    send(&mut manager, &preview, stock).refused(422, "validation_failed");
}

#[test]
fn head_office_owns_the_catalogue_of_its_stores() {
    let mut shop = Linked::open();
    let manager = &mut shop.manager;
    assert_eq!(steps(manager)["has_head_office"], json!(true));
    let new = json!({"sku": "TEA", "name": "Tea", "price": 1});
    let refusal = manager.post("/api/products", &new).refused(409, "invalid_state");
    assert_eq!(refusal["state"], json!("owned_by_head_office"));
    let refusal = send(manager, "/api/products/import", "sku,name,price\nTEA,Tea,1\n");
    refusal.refused(409, "invalid_state");
}
