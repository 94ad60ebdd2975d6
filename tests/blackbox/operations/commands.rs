//! Every command works while the daemon runs and in the stopped store, with the same output.

use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use testkit::dice::Random;
use testkit::process;
use testkit::store::{PASSWORD, PRODUCTS, Store};
use testkit::till::Till;

/// Runs a command that must succeed, and returns its output.
#[track_caller]
fn good(store: &Store, arguments: &[&str], input: &str) -> String {
    process::succeed(store.command(arguments), input)
}

/// Runs a command that must fail with 1, and returns its output.
#[track_caller]
fn bad(store: &Store, arguments: &[&str]) -> String {
    let output = store.run(arguments);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    said
}

fn add(username: &str) -> [&str; 9] {
    ["user", "add", "--username", username, "--name", "New", "--role", "cashier", "--password-stdin"]
}

#[test]
fn users_are_added_listed_and_revoked_both_ways() {
    let mut store = Store::open_with("", 1);
    for (round, username) in ["new-1@s001.example", "new-2@s001.example"].into_iter().enumerate() {
        let stopped = round == 1;
        if stopped {
            store.stop();
        }
        good(&store, &add(username), PASSWORD);
        let output = process::run(store.command(&add(username)), PASSWORD);
        assert_eq!(output.status.code(), Some(1), "{}", process::said(&output));
        assert!(process::said(&output).contains("already exists"), "{}", process::said(&output));
        assert!(good(&store, &["user", "list"], "").contains(username));
        assert!(bad(&store, &["user", "revoke", "nobody@s001.example"]).contains("nobody@s001.example"));
        let mut before = (!stopped).then(|| store.login(username.split('@').next().unwrap()));
        let said = good(&store, &["user", "reset-password", username], "");
        let password = said.split_once("password ").and_then(|(_, rest)| rest.split(' ').next()).unwrap();
        if stopped {
            store.start();
        }
        let log_in = |password: &str| {
            let body = json!({"username": username, "password": password});
            store.client().post("/api/auth/login", &body)
        };
        log_in(PASSWORD).refused(401, "invalid_credentials");
        log_in(password).data(200);
        if let Some(before) = &mut before {
            before.get("/api/auth/me").refused(401, "token_revoked");
        }
    }
}

#[test]
fn a_revoked_token_is_dead_at_the_next_request_and_after_a_restart() {
    let mut store = Store::open_with("", 2);
    let mut random = Random::announced("revoke");
    let mut till = Till::open(&store, 1, &mut random);
    till.sell();
    let mut revoked = store.login("till-1").keeping_alive();
    let mut second = store.login("till-1");
    let mut other = store.login("till-2");
    revoked.get("/api/auth/me").data(200);
    good(&store, &["user", "revoke", "till-1@s001.example"], "");
    revoked.get("/api/auth/me").refused(401, "token_revoked");
    second.get("/api/auth/me").refused(401, "token_revoked");
    other.get("/api/auth/me").data(200);
    // The user can log in again, but the old tokens stay invalid.
    let mut anew = store.login("till-1");
    anew.get("/api/auth/me").data(200);
    store.kill9();
    store.start();
    second.get("/api/auth/me").refused(401, "token_revoked");
    anew.get("/api/auth/me").data(200);
    store.stop();
    good(&store, &["user", "revoke", "TILL-1@s001.example"], "");
    store.start();
    anew.get("/api/auth/me").refused(401, "token_revoked");
    other.get("/api/auth/me").data(200);
}

/// Returns the number of records for head office.
fn last_seq(store: &Store) -> u64 {
    let status = store.login("manager").get("/api/sync/status").data(200);
    status["outbox"]["last_seq"].as_u64().unwrap()
}

#[test]
fn products_and_opening_stock_are_imported_both_ways() {
    let mut store = Store::open_with("", 1);
    let header = "sku,name,price,category,barcode,reorder_level\n";
    let before = last_seq(&store);
    for round in 1..=2 {
        let products = format!("{header}NEW-{round},New,1000,,,\nMORE-{round},More,1000,,,\n");
        let products = store.write_file("new.csv", &products);
        good(&store, &["import", "products", products.to_str().unwrap()], "");
        let wrong =
            format!("sku,qty,unit_cost\nNEW-{round},5,700\nnone,1,1\nMORE-{round},0,1\nNEW-{round},1,1\n");
        let wrong = store.write_file("wrong.csv", &wrong);
        let said = bad(&store, &["import", "stock", wrong.to_str().unwrap()]);
        for line in ["line 3", "line 4", "line 5", "nothing was imported"] {
            assert!(said.contains(line), "{line}: {said}");
        }
        assert!(!said.contains("line 2:"), "{said}");
        let stock = store
            .write_file("stock.csv", &format!("sku,qty,unit_cost\nNEW-{round},5,700\nMORE-{round},2,0\n"));
        good(&store, &["import", "stock", stock.to_str().unwrap()], "");
        let again = bad(&store, &["import", "stock", stock.to_str().unwrap()]);
        assert!(again.contains("already has stock movements"), "the import can't be repeated: {again}");
        if round == 2 {
            store.start();
        }
        let mut warehouse = store.login("warehouse");
        let row = warehouse.get(&format!("/api/stock/NEW-{round}")).data(200);
        assert_eq!(row["on_hand"], json!(5), "{row}");
        let moved = warehouse.get(&format!("/api/stock/NEW-{round}/movements")).data(200);
        assert_eq!(moved["items"].as_array().unwrap().len(), 1, "{moved}");
        assert_eq!(moved["items"][0]["reason"], json!("opening"), "{moved}");
        assert_eq!(moved["items"][0]["balance_after"], json!(5), "{moved}");
        assert_eq!(last_seq(&store), before + 2 * round, "one stock.moved and one audit entry each");
        store.stop();
        store.verify();
    }
}

#[test]
fn opening_stock_is_sold_at_its_cost() {
    let store = Store::open_with("", 1);
    let rows: Vec<_> = PRODUCTS.iter().map(|(sku, price)| format!("{sku},100,{}\n", price / 2)).collect();
    let file = store.write_file("stock.csv", &format!("sku,qty,unit_cost\n{}", rows.concat()));
    good(&store, &["import", "stock", file.to_str().unwrap()], "");
    let mut till = Till::open(&store, 1, &mut Random::announced("opening"));
    till.sell();
    let sold: i64 = till.sold[0].pieces.values().sum();
    let mut warehouse = store.login("warehouse");
    let items = warehouse.get("/api/stock?limit=500").data(200)["items"].clone();
    let on_hand: i64 = items.as_array().unwrap().iter().map(|row| row["on_hand"].as_i64().unwrap()).sum();
    assert_eq!(on_hand, 100 * PRODUCTS.len() as i64 - sold);
}

#[test]
fn status_says_how_the_store_is_serving_and_stopped() {
    let mut store = Store::open_with("", 1);
    let till = Till::open(&store, 1, &mut Random::announced("status"));
    let serving = good(&store, &["status"], "");
    for words in
        ["S001, serving", "actors", "none was restarted", "records wait", "no head office", "MiB free"]
    {
        assert!(serving.contains(words), "{words}:\n{serving}");
    }
    let shift = "open at till-1 by till-1@s001.example since";
    assert!(serving.contains(shift) && serving.contains(&till.shift_id), "{serving}");
    assert!(serving.lines().count() <= 24, "the output must fit on one screen:\n{serving}");
    store.stop();
    let stopped = good(&store, &["status"], "");
    assert!(stopped.contains("S001, stopped") && stopped.contains(shift), "{stopped}");
    assert!(!stopped.contains("actors"), "{stopped}");
}

#[test]
fn rebuild_index_needs_a_stopped_store_and_says_so() {
    let mut store = Store::open_with("", 0);
    let output = store.run(&["rebuild-index"]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(73), "{said}");
    assert!(said.contains("stopped store"), "{said}");
    store.stop();
    good(&store, &["rebuild-index"], "");
    store.start();
    store.login("manager").get("/api/stock").data(200);
}

#[test]
fn the_socket_is_its_owners_and_stands_nonsense() {
    let mut store = Store::open_with("", 0);
    let path = store.data().join("control.sock");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let long = format!("{{\"command\":\"revoke_user\",\"username\":\"{}\"}}\n", "x".repeat(100_000));
    let nonsense: [&[u8]; 6] = [
        b"",
        b"\n",
        b"{\"command\":\"sing\"}\n",
        b"\xff\xfe\n",
        b"{\"command\":\"import_products\",\"rows\":18446744073709551615}\n",
        long.as_bytes(),
    ];
    for bytes in nonsense {
        let mut stream = UnixStream::connect(&path).unwrap();
        // The daemon may have closed the connection before everything was sent.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = String::new();
        let _ = BufReader::new(stream).read_line(&mut answer);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        // If the connection is closed in the middle of a line that is too long, the answer may be lost.
        let reported = !bytes.is_empty() && bytes.len() < 1_000;
        assert!(!reported || answer.contains("failed"), "{shown}: {answer}");
        assert!(!answer.contains("done"), "{shown}: {answer}");
    }
    good(&store, &["user", "list"], "");
    // A killed daemon leaves its socket file. The next daemon replaces it.
    store.kill9();
    assert!(path.exists());
    good(&store, &["user", "list"], "");
    store.start();
    good(&store, &["user", "list"], "");
    store.stop();
    assert!(!path.exists());
}
