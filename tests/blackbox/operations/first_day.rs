//! A first day: what a new shop sets up, imports, looks up and prints.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use testkit::counter::{Counter, SALES, approved, basket, number, text};
use testkit::process::{self, said};
use testkit::{Client, Store};

/// Returns the IDs of a list, page by page.
#[track_caller]
fn listed(client: &mut Client, path: &str, id: &str) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let mark = if path.contains('?') { '&' } else { '?' };
        let page = client.get(&format!("{path}{mark}limit=1{cursor}")).data(200);
        found.extend(page["items"].as_array().unwrap().iter().map(|item| text(item, id)));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    found
}

#[test]
fn a_cashiers_till_reads_what_it_needs() {
    let settings = "store.currency = \"EUR\"\ntax.prices_include_tax = true\npayments.cash_rounding = 5\n\
                    payments.denominations = [50, 20, 10]\nreturns.cashier_limit = 700\n";
    let store = Store::open_with(settings, 1);
    let mut manager = store.login("manager");
    manager.post("/api/registers", &json!({"register_id": "till-1", "name": "Front till"})).data(201);
    let mut till = store.login("till-1");
    let before = till.get("/api/pos/settings").data(200);
    assert_eq!((&before["register"]["register_id"], &before["shift_id"]), (&json!("main"), &Value::Null));
    let mut till = till.at_register("till-1");
    let shift = till.post("/api/shifts/open", &json!({})).data(201);
    let seen = till.get("/api/pos/settings").data(200);
    assert_eq!(seen["register"], json!({"register_id": "till-1", "name": "Front till", "state": "active"}));
    assert_eq!(
        (&seen["shift_id"], &seen["currency"], &seen["currency_exponent"]),
        (&shift["shift_id"], &json!("EUR"), &json!(2))
    );
    assert_eq!(seen["tax"], json!({"prices_include_tax": true, "default_rate_bp": 1100}));
    assert_eq!(seen["payments"]["methods"][0], json!("cash"));
    assert_eq!(seen["payments"]["denominations"], json!([50, 20, 10]));
    assert_eq!(
        (&seen["payments"]["cash_rounding"], &seen["returns"]["cashier_limit"]),
        (&json!(5), &json!(700))
    );
    let chosen = store.login("warehouse").get("/api/pos/settings").data(200);
    assert_eq!(chosen["registers"], seen["registers"], "warehouse staff receive the registers as well");
}

/// Runs a command of the real binary in a folder without settings.
fn bare(folder: &Path, words: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(process::store_router());
    command.current_dir(folder).args(words).env_remove("NOTIFY_SOCKET").env_remove("RUST_LOG");
    command.envs(environment.iter().copied());
    process::run(command, "correct horse battery\n")
}

#[test]
fn init_takes_what_is_hard_to_change_later() {
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        "init",
        "--store-id",
        "S042",
        "--prices-include-tax",
        "true",
        "--currency",
        "EUR",
        "--timezone",
        "Europe/Berlin",
        "--refund-limit",
        "500",
        "--password-stdin",
    ];
    for (wrong, why) in [
        (["init", "--timezone", "Mars"], "--timezone is not an IANA time zone"),
        (["init", "--store-id", "S 1"], "--store-id "),
        (["init", "--prices-include-tax", "perhaps"], "--prices-include-tax must be yes or no"),
    ] {
        let output = bare(folder.path(), &wrong, &[]);
        assert!(output.status.code() == Some(2) && said(&output).contains(why), "{}", said(&output));
    }
    let decided = bare(folder.path(), &flags, &[("STORE_ROUTER__STORE__ID", "S1")]);
    assert_eq!(decided.status.code(), Some(2), "{}", said(&decided));
    assert!(!folder.path().join("config.toml").exists(), "no files were made");
    let made = bare(folder.path(), &flags, &[]);
    assert!(made.status.success() && said(&made).contains("store S042 is ready"), "{}", said(&made));
    let shown = said(&bare(folder.path(), &["config", "show"], &[]));
    for line in ["id = \"S042\"", "prices_include_tax = true", "currency = \"EUR\"", "cashier_limit = 50000"]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    // The command changes neither an existing store nor its settings.
    let before = std::fs::read(folder.path().join("config.toml")).unwrap();
    let again = bare(folder.path(), &["init", "--store-id", "S043"], &[]);
    assert_eq!(again.status.code(), Some(1), "{}", said(&again));
    assert_eq!(std::fs::read(folder.path().join("config.toml")).unwrap(), before);
    // Without a terminal and without flags the command asks nothing. A settings file of another name is made there.
    let quiet = tempfile::tempdir().unwrap();
    let made = bare(quiet.path(), &["--config", "shop.toml", "init", "--currency", "USD"], &[]);
    assert!(made.status.success(), "{}", said(&made));
    assert!(std::fs::read_to_string(quiet.path().join("shop.toml")).unwrap().contains("currency = \"USD\""));
    let other = tempfile::tempdir().unwrap();
    let made = bare(other.path(), &["init"], &[]);
    assert!(made.status.success() && !other.path().join("config.toml").exists(), "{}", said(&made));
}

#[test]
fn settings_of_the_environment_count_or_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let show = |name: &str, value: &str| bare(folder.path(), &["config", "show"], &[(name, value)]);
    let listed = show("STORE_ROUTER__PAYMENTS__METHODS", "cash, card");
    assert!(said(&listed).contains("methods = [\"cash\", \"card\"]"), "{}", said(&listed));
    let misnamed = show("STORE_ROUTER_TAX__DEFAULT_RATE_BP", "700");
    assert_eq!(misnamed.status.code(), Some(2), "{}", said(&misnamed));
    assert!(said(&misnamed).contains("STORE_ROUTER__SECTION__KEY"), "{}", said(&misnamed));
    assert!(
        show("STORE_ROUTER_SERVICE_HOST", "10.0.0.1").status.success(),
        "the settings of another program"
    );
}

#[test]
fn x_and_z_have_names_counts_taxes_and_separators() {
    let mut counter = Counter::open_with("payments.cash_rounding = 50");
    let named = json!({"name": "Front till"});
    let patch = counter.manager.send("PATCH", "/api/registers/till-1", &[], named.to_string().as_bytes());
    patch.data(200);
    counter.sale(&[("8990007", 40)], &[], "cash");
    let sold = counter.sale(&[("8990001", 1)], &[], "cash");
    let body = json!({"transaction_id": sold["transaction_id"], "items": [{"sku": "8990001", "qty": 1}]});
    let back = counter.till.post("/api/pos/returns", &body).data(201);
    let path = format!("/api/shifts/{}/report", counter.shift_id);
    let report = |client: &mut Client| client.send("GET", &path, &[("Accept", "text/plain")], b"").text();
    let shown = report(&mut counter.till);
    let has = |label: &str, value: &str| {
        let fits = |line: &str| line.starts_with(label) && line.ends_with(&format!(" {value}"));
        assert!(shown.lines().any(fits), "{label} {value}:\n{shown}");
    };
    has("X REPORT", "open");
    has("Register", "Front till (till-1)");
    has("Cashier", "cashier");
    has("Gross sales", "1,002,000");
    has("Total", "1,112,220");
    has("Rounding of payments", "-20");
    has("cash, payments 2", "1,112,200");
    has("cash, refunds 1", "-2,200");
    has("Rounding of refunds", "-20");
    has("Tax 11 % on", "1,002,000");
    has("  Tax", "110,220");
    has("  Tax returned", "220");
    let summary = counter.summary();
    assert_eq!(summary["by_tax"][0]["returns_base"], json!(2_000));
    assert_eq!(
        (&summary["by_method"][0]["sales_count"], &summary["by_method"][0]["refunds_count"]),
        (&json!(2), &json!(1))
    );
    counter.close();
    let z = report(&mut counter.manager);
    assert!(z.starts_with("Z REPORT") && z.contains("Closed by"), "{z}");
    // The slip of the return states the cash rounding.
    let slip = format!("/api/pos/receipts/{}", text(&back, "receipt_no"));
    let slip = counter.till.send("GET", &slip, &[("Accept", "text/plain")], b"").text();
    assert_eq!(number(&back, "rounding"), -20);
    assert!(slip.lines().any(|line| line.starts_with("Rounding") && line.ends_with("-20")), "{slip}");
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn a_suppliers_file_comes_in_as_it_is() {
    let mut store = Store::prepare("", 1);
    // A file as a spreadsheet saves it: byte-order mark, Windows line endings, separators at the ends of lines, and a
    // line with separators only.
    let file = "\u{feff}sku;name;price;category;barcode;reorder_level;pack_barcode;pack_qty;\r\n\
                P1;Grüner Tee, 100 g;15.000;Getränke;899001;1.000;1899001;12;\r\n\
                P2;\"Kaffee; gemahlen\";1.250.000,00;Getränke;;;;;\r\n;;;;;;;;\r\n";
    let good = store.write_file("supplier.csv", file);
    process::succeed(store.command(&["import", "products", good.to_str().unwrap()]), "");
    let bad = store.write_file("bad.csv", &file.replace("15.000", "15,000").replace(",00;", ",50;"));
    let output = store.run(&["import", "products", bad.to_str().unwrap()]);
    let warned = said(&output);
    assert!(warned.contains("line 2: price \"15,000\" may be 15000 or 15.000: write it without"), "{warned}");
    assert!(warned.contains("line 3: price \"1.250.000,50\"") && output.status.code() == Some(1), "{warned}");
    let twice = store.write_file("twice.csv", &file.replace("Getränke;;;;;", "Getränke;899001;;;;"));
    let warned = said(&store.run(&["import", "products", twice.to_str().unwrap()]));
    assert!(warned.contains("line 3: barcode \"899001\" is already in line 2"), "{warned}");
    let latin: Vec<u8> = file.chars().skip(1).map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let path = store.folder().join("latin.csv");
    std::fs::write(&path, latin).unwrap();
    let warned = said(&store.run(&["import", "products", path.to_str().unwrap()]));
    assert!(warned.contains("line 2: is not UTF-8: save the file as \"CSV UTF-8\""), "{warned}");
    // Columns that a later file does not have stay unchanged.
    let later =
        "sku;name;price;category;barcode;reorder_level\nP1;Grüner Tee, 100 g;16.000;Getränke;899001;1.000\n";
    let later = store.write_file("later.csv", later);
    process::succeed(store.command(&["import", "products", later.to_str().unwrap()]), "");
    // An SKU that lost its leading zeros is reported with the stored SKU.
    for (sku, doubt) in
        [("00123", ""), ("123", "line 2: sku \"123\" differs from the stored \"00123\" only by zeros")]
    {
        let file = store.write_file("zeros.csv", &format!("sku,name,price\n{sku},Gula,1\n"));
        let warned = said(&store.run(&["import", "products", file.to_str().unwrap()]));
        assert!(warned.contains(doubt) && warned.contains("differs") != doubt.is_empty(), "{warned}");
    }
    let stock = store.write_file("stock.csv", "sku;qty;unit_cost;\r\nP1;1.200;9.500,00;\r\n;;;\r\n");
    process::succeed(store.command(&["import", "stock", stock.to_str().unwrap()]), "");
    store.start();
    let mut manager = store.login("manager");
    let product = manager.get("/api/pos/products/P1").data(200);
    assert_eq!(
        (&product["price"], &product["on_hand"], &product["name"]),
        (&json!(16_000), &json!(1_200), &json!("Grüner Tee, 100 g"))
    );
    let other = manager.get("/api/pos/products/P2").data(200);
    assert_eq!((&other["price"], &other["name"]), (&json!(1_250_000), &json!("Kaffee; gemahlen")));
    let carton = manager.get("/api/pos/products?barcode=1899001").data(200)["items"][0].clone();
    assert_eq!((&carton["sku"], &carton["pack_qty"]), (&json!("P1"), &json!(12)));
}

#[test]
fn a_member_is_found_by_the_first_digits() {
    let store = Store::open_with("", 1);
    let mut till = store.login("till-1");
    let mut add = |name: &str, phone: &str| {
        text(&till.post("/api/members", &json!({"name": name, "phone": phone})).data(201), "member_id")
    };
    let (ayu, other) = (add("Ayu", "0812 3456 781"), add("Budi", "0856 7812 344"));
    let mut found = |q: &str| listed(&mut till, &format!("/api/members/search?q={q}"), "member_id");
    assert_eq!(found("081"), vec![ayu.clone()]);
    assert_eq!(
        (found("08"), found("0812")),
        (vec![ayu.clone(), other.clone()], vec![ayu.clone(), other.clone()])
    );
    assert_eq!(found("0856"), [other]);
}

#[test]
fn a_count_says_what_it_still_lacks() {
    let mut store = Store::open_with("", 1);
    store.receive_all(10);
    let (mut staff, mut manager) = (store.login("warehouse"), store.login("manager"));
    let made = staff.post("/api/opname", &json!({"scope": "all", "blind": true})).data(201);
    let path = format!("/api/opname/{}", text(&made, "opname_id"));
    let lacks = |client: &mut Client| listed(client, &format!("{path}/uncounted"), "sku");
    assert_eq!(lacks(&mut staff).len(), 12);
    let mut count = |sku: &str| {
        staff.post(&format!("{path}/counts"), &json!({"counts": [{"sku": sku, "qty": 10}]})).data(200);
    };
    (1..=11).filter(|n| *n != 5).for_each(|n| count(&format!("89900{n:02}")));
    assert_eq!(lacks(&mut staff), ["8990005", "8990012"]);
    manager.post(&format!("{path}/submit"), &json!({})).data(200);
    manager.post(&format!("{path}/recount"), &json!({"skus": ["8990003"]})).data(200);
    assert_eq!(lacks(&mut staff), ["8990003"], "only lines that are to be recounted");
    manager.post(&format!("{path}/cancel"), &json!({})).data(200);
    assert!(lacks(&mut staff).is_empty(), "over");
    staff.get("/api/opname/opn_nope/uncounted").refused(404, "not_found");
    store.login("till-1").get(&format!("{path}/uncounted")).refused(403, "insufficient_role");
    store.stop();
}

#[test]
fn a_refund_is_known_before_it_is_given() {
    let mut counter = Counter::open_with("payments.cash_rounding = 100\nreturns.cashier_limit = 5000");
    let sold = counter.sale(&[("8990001", 3), ("8990003", 1)], &[("card", 10_000)], "cash");
    let ask = |sku: &str, qty: i64| json!({"transaction_id": sold["transaction_id"], "items": [{"sku": sku, "qty": qty}]});
    let (books, stock) = (counter.summary(), counter.on_hand("8990001"));
    let small = counter.till.post("/api/pos/returns/quote", &ask("8990001", 1)).data(200);
    assert_eq!((&small["refund_total"], &small["approval_required"]), (&json!(2_220), &json!(false)));
    let large = counter.till.post("/api/pos/returns/quote", &ask("8990003", 1)).data(200);
    assert_eq!((&large["refund_total"], &large["approval_required"]), (&json!(13_875), &json!(true)));
    counter.till.post("/api/pos/returns/quote", &ask("8990003", 2)).refused(422, "return_exceeds_sold");
    let unreceipted = json!({"items": [{"sku": "8990001", "qty": 1, "price": 1_000}]});
    let quoted = counter.till.post("/api/pos/returns/quote", &unreceipted).data(200);
    assert_eq!((&quoted["refund_total"], &quoted["approval_required"]), (&json!(1_110), &json!(true)));
    assert_eq!(quoted["rounding"], json!(-10));
    assert_eq!((counter.summary(), counter.on_hand("8990001")), (books, stock), "nothing changed");
    // The actual return has the quoted amounts.
    counter.till.post("/api/pos/returns", &ask("8990003", 1)).refused(403, "approval_required");
    let given = counter.till.post("/api/pos/returns", &approved(ask("8990003", 1))).data(201);
    for field in ["refund_total", "rounding", "refunds", "tax", "points_reversed"] {
        assert_eq!(given[field], large[field], "{field}");
    }
    counter.till.post("/api/pos/returns/quote", &ask("8990003", 1)).refused(422, "return_exceeds_sold");
    counter
        .store
        .login("warehouse")
        .post("/api/pos/returns/quote", &unreceipted)
        .refused(403, "insufficient_role");
    counter.store.stop();
    counter.store.verify();
}

#[test]
fn lists_are_narrowed_by_what_people_ask_for() {
    let mut counter = Counter::open();
    let first = counter.sale(&[("8990001", 1)], &[], "card");
    let (mut other, shift) = counter.second();
    let made = other.post(SALES, &basket(&[("8990002", 1)])).data(201);
    let pay = json!({"method": "card", "amount": made["total"]});
    let second = other.post(&format!("{SALES}/{}/pay", text(&made, "transaction_id")), &pay).data(200);
    let body = json!({"transaction_id": second["transaction_id"], "items": [{"sku": "8990002", "qty": 1}]});
    let back = other.post("/api/pos/returns", &body).data(201);
    let day = text(&first, "business_date");
    let me = text(&counter.store.login("till-2").get("/api/auth/me").data(200)["user"], "id");
    let manager = &mut counter.manager;
    let (first, second) = (text(&first, "transaction_id"), text(&second, "transaction_id"));
    let of_day = format!("{SALES}?from={day}&to={day}");
    for (query, expected) in [
        ("&register_id=till-2".to_owned(), &second),
        (format!("&cashier_id={me}"), &second),
        ("&sku=8990001".to_owned(), &first),
    ] {
        assert_eq!(
            listed(manager, &format!("{of_day}{query}"), "transaction_id"),
            vec![expected.clone()],
            "{query}"
        );
    }
    assert_eq!(listed(manager, "/api/shifts?register_id=till-2", "shift_id"), vec![shift.clone()]);
    assert_eq!(listed(manager, &format!("/api/shifts?cashier_id={me}"), "shift_id"), [shift]);
    let returns = "/api/pos/returns";
    for (query, count) in [
        (format!("register_id=till-2&cashier_id={me}&sku=8990002&state=posted&from={day}&to={day}"), 1),
        ("register_id=till-1".to_owned(), 0),
        ("sku=8990001".to_owned(), 0),
        ("state=voided".to_owned(), 0),
        ("to=2001-01-01".to_owned(), 0),
    ] {
        let found = listed(manager, &format!("{returns}?{query}"), "return_id");
        assert_eq!(found, vec![text(&back, "return_id"); count], "{query}");
    }
    let mut staff = counter.store.login("warehouse");
    let lines = json!([{"sku": "8990005", "qty": -1}]);
    staff.post("/api/adjustments", &json!({"reason": "sample", "lines": lines})).data(201);
    staff
        .post("/api/transfers", &json!({"to_store_id": "S002", "lines": [{"sku": "8990006", "qty": 1}]}))
        .data(201);
    for (path, id, sku, other) in [
        ("/api/adjustments", "adjustment_id", "8990005", "8990001"),
        ("/api/transfers", "transfer_id", "8990006", "8990001"),
    ] {
        let mut found = |query: String| listed(&mut staff, &format!("{path}?{query}"), id).len();
        assert_eq!((found(format!("sku={sku}&from={day}")), found(format!("sku={other}"))), (1, 0), "{path}");
        assert_eq!(found("to=2001-01-01".to_owned()), 0, "{path}");
    }
    assert_eq!(listed(&mut staff, "/api/transfers?store_id=S002", "transfer_id").len(), 1);
    assert!(listed(&mut staff, "/api/transfers?store_id=S003", "transfer_id").is_empty());
    assert_eq!(listed(&mut staff, "/api/receiving?sku=8990009", "receiving_id").len(), 1);
    assert!(listed(&mut staff, "/api/receiving?sku=nope", "receiving_id").is_empty());
    assert!(listed(&mut staff, &format!("/api/opname?from={day}"), "opname_id").is_empty());
}
