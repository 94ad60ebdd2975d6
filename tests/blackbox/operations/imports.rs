//! The catalogue's file: every bad row is reported, and then nothing is imported.

use serde_json::json;
use testkit::store::{PASSWORD, PRODUCTS, Store, catalogue};
use testkit::{process, wait};

#[test]
fn every_bad_row_is_named_and_nothing_imported() {
    let mut store = Store::prepare("", 0);
    let bad = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n\
               9990001,Good,100,a,1,1,1100,50\n\
               9990002,Negative,-5,a,2,1,1100,50\n\
               ,No sku,100,a,3,1,1100,50\n\
               9990004,,100,a,4,1,1100,50\n\
               9990005,Words,many,a,5,1,1100,50\n\
               9990006,Too few\n\
               9990001,Twice,100,a,7,1,1100,50\n\
               9990008,Rate,100,a,8,1,20000000000,50\n\
               9990009,Huge,99999999999999999999,a,9,1,1100,50\n";
    let file = store.write_file("bad.csv", bad);
    let output = store.run(&["import", "products", file.to_str().unwrap()]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for line in [3, 4, 5, 6, 7, 8, 9, 10] {
        assert!(said.contains(&format!("line {line}")), "line {line} is not named:\n{said}");
    }
    assert!(!said.contains("line 2:"), "line 2 is good:\n{said}");
    store.start();
    let mut manager = store.login("manager");
    manager.get("/api/stock/9990001").refused(404, "not_found");
    assert_eq!(
        manager.get("/api/stock?limit=500").data(200)["items"].as_array().unwrap().len(),
        PRODUCTS.len()
    );
}

#[test]
fn a_repeated_import_changes_what_it_names() {
    let mut store = Store::prepare("", 1);
    let dearer = catalogue().replace("8990001,Product 8990001,2000", "8990001,Product 8990001,2500");
    let file = store.write_file("dearer.csv", &dearer);
    process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    store.start();
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let sale = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    let created = till.post("/api/pos/transactions", &sale).data(201);
    assert_eq!(created["items"][0]["list_price"], json!(2500), "{created}");
    assert_eq!(created["items"][0]["price_override"], json!(true), "{created}");
}

#[test]
fn a_file_that_is_no_table_is_refused() {
    let store = Store::prepare("", 0);
    for (name, text) in [
        ("empty.csv", ""),
        ("header.csv", "sku,name\n1,2\n"),
        ("unknown.csv", "sku,name,price,category,barcode,reorder_level,colour\n1,n,1,a,1,1,red\n"),
        ("quote.csv", "sku,name,price,category,barcode,reorder_level\n1,\"n,1,a,1,1\n"),
    ] {
        let file = store.write_file(name, text);
        let output = store.run(&["import", "products", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", process::said(&output));
    }
    let output = store.run(&["import", "products", "missing.csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", process::said(&output));
    assert!(process::said(&output).contains("missing.csv"), "{}", process::said(&output));
}

#[test]
fn members_of_a_file_come_all_or_not_at_all() {
    let mut store = Store::prepare("", 1);
    let good =
        "name,phone,email,code,birth_date\nSiti,081234567890,siti@a.id,7,1990-04-21\nTini,,tini@a.id,,\n";
    let file = store.write_file("members.csv", good);
    process::succeed(store.command(&["import", "members", file.to_str().unwrap()]), "");
    store.start();
    let bad = "name,phone,email,birth_date\nNew,081300000000,,\nTaken,+62 812 3456 7890,,\n,0814,,\nTwice,081300000000,,\nBorn,081300000001,,21-4-90x\n";
    let file = store.write_file("bad.csv", bad);
    let output = store.run(&["import", "members", file.to_str().unwrap()]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for line in [3, 4, 5, 6] {
        assert!(said.contains(&format!("line {line}: ")), "line {line} is not named:\n{said}");
    }
    assert!(!said.contains("line 2: ") && said.contains("4 bad rows: nothing was imported"), "{said}");
    assert!(said.contains("of line 2"), "the message states which row has it already:\n{said}");
    let mut till = store.login("till-1");
    let mut found = |query: &str| {
        let page = till.get(&format!("/api/members/search?{query}")).data(200);
        page["items"].as_array().unwrap().len()
    };
    assert_eq!((found("q=siti"), found("code=7"), found("q=new")), (1, 1, 0));
    // The same import with the running daemon.
    let file = store.write_file("more.csv", "code,name,email\nA1,Nia,nia@a.id\n");
    process::succeed(store.command(&["import", "members", file.to_str().unwrap()]), "");
    assert_eq!(found("code=A1"), 1);
}

#[test]
fn a_large_file_of_members_is_one_commit() {
    let store = Store::open_with("", 1);
    let rows = |count: usize| {
        let row = |n: usize| format!("Member {n},08{:09},m{n}@a.example\n", 100_000_000 + n);
        format!("name,phone,email\n{}", (0..count).map(row).collect::<String>())
    };
    let many = store.write_file("many.csv", &rows(10_001));
    let output = store.run(&["import", "members", many.to_str().unwrap()]);
    let said = process::said(&output);
    assert!(output.status.code() == Some(1) && said.contains("more than 10000 rows"), "{said}");
    let file = store.write_file("full.csv", &rows(10_000));
    let said = process::succeed(store.command(&["import", "members", file.to_str().unwrap()]), "");
    assert!(said.contains("10000 members imported"), "{said}");
    // Behind ten thousand rows a busy machine may answer 503 to a till, starting with its log-in.
    let login = json!({"username": "till-1@s001.example", "password": PASSWORD});
    let token = wait::until("the till is logged in", || {
        let answer = store.client().post("/api/auth/login", &login);
        (answer.status != 503).then(|| answer.data(200)["token"].as_str().unwrap().to_owned())
    });
    let mut till = store.client().with_token(&token);
    let found = wait::until("the members are found", || {
        let answer = till.get("/api/members/search?phone=08100009999");
        (answer.status != 503).then(|| answer.data(200))
    });
    assert_eq!(found["items"][0]["name"], json!("Member 9999"), "{found}");
}
