//! Checks of every operation in the store's document: malformed requests are refused, methods and pages are as
//! documented, and nothing changes on a full disk.

use crate::contract::idempotency::{Attempt, store_probes};
use crate::contract::operations::Operation;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use testkit::counter::Counter;
use testkit::{Client, Reply, Store, client, wait};

/// Responses that never end, so this test doesn't read them.
const STREAMS: [&str; 1] = ["/api/events"];

#[test]
fn every_path_says_what_it_can_be_asked() {
    let store = Store::open_with("", 0);
    let admin = store.login("admin");
    let mut methods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for operation in Operation::all() {
        let known = methods.entry(operation.path_to_nothing()).or_default();
        // Every `GET` also answers `HEAD`.
        known.extend((operation.method == "GET").then(|| "HEAD".to_owned()));
        known.insert(operation.method);
    }
    for (path, known) in &methods {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if known.contains(method) {
                continue;
            }
            // The request bypasses the documents, because another program's document may have this path with this
            // method.
            let reply = begin(&admin, method, path, 0);
            reply.refused(405, "method_not_allowed");
            let allow = reply.header("allow").unwrap_or_default();
            let reported: BTreeSet<String> = allow.split(',').map(|name| name.trim().to_owned()).collect();
            assert_eq!(&reported, known, "{method} {path}");
        }
    }
}

#[test]
fn every_list_pages_alike() {
    let mut counter = Counter::open();
    let mut admin = counter.store.login("admin").keeping_alive();
    let joined =
        counter.till.post("/api/members", &json!({"name": "Siti", "phone": "081234567890"})).data(201);
    let counted = json!({"scope": "skus", "skus": ["8990001"]});
    let counted = admin.post("/api/opname", &counted).data(201);
    let me = admin.get("/api/auth/me").data(200)["user"]["id"].clone();
    let there = |template: &str| -> Value {
        match template.split('/').nth(2) {
            Some("members") => joined["member_id"].clone(),
            Some("opname") => counted["opname_id"].clone(),
            Some("shifts") => json!(counter.shift_id),
            Some("stock") => json!("8990001"),
            Some("users") => me.clone(),
            _ => json!("2020-02-02"),
        }
    };
    let mut lists = 0;
    for operation in Operation::all().iter().filter(|operation| operation.pages()) {
        let path = operation.path(|_| there(&operation.template).as_str().unwrap().to_owned());
        let must = if operation.template.ends_with("/search") { "q=ab&" } else { "" };
        for limit in ["0", "501", "-1", "ten", "", "99999999999999999999"] {
            admin.get(&format!("{path}?{must}limit={limit}")).refused(400, "invalid_query");
        }
        for cursor in ["x", "AAAA", "%00", "e30", &"A".repeat(2_000)] {
            admin.get(&format!("{path}?{must}cursor={cursor}")).refused(400, "invalid_cursor");
        }
        let whole = admin.get(&format!("{path}?{must}limit=500")).data(200);
        assert!(whole.get("next_cursor").is_some(), "{path}: {whole}");
        assert!(whole.as_object().unwrap().values().any(Value::is_array), "{path}: {whole}");
        lists += 1;
    }
    assert!(lists >= 15, "{lists} lists");
    let queries = |operation: &&Operation| operation.method == "GET" && !operation.query.is_empty();
    for operation in Operation::all().iter().filter(queries) {
        let path = operation.path(|_| there(&operation.template).as_str().unwrap().to_owned());
        admin.get(&format!("{path}?no_such_parameter=1")).refused(400, "invalid_query");
    }
}

#[test]
fn every_change_refuses_what_is_malformed() {
    let store = Store::open_with("", 0);
    let mut admin = store.login("admin").keeping_alive();
    let before = admin.get("/api/sync/status").data(200)["outbox"].clone();
    let changes: Vec<Operation> = Operation::all().into_iter().filter(|each| each.method != "GET").collect();
    for Operation { method, template, body, guarded, .. } in &changes {
        let path = template.replace("{date}", "2020-02-02").replace(['{', '}'], "");
        println!("{method} {path}");
        if template.ends_with("/import") {
            // The operation takes a file, not JSON.
            admin.send(method, &path, &[], b"{}").refused(415, "unsupported_media_type");
            continue;
        }
        assert!(body, "{method} {path}: a change must document a body, even an empty one");
        let mut send =
            |headers: &[(&str, &str)], body: &str| admin.send(method, &path, headers, body.as_bytes());
        send(&[("Content-Type", "text/plain")], "{}").refused(415, "unsupported_media_type");
        send(&[], "{\"a\": ").refused(400, "invalid_json");
        send(&[], "{} {}").refused(400, "invalid_json");
        send(&[], "[]").refused(422, "validation_failed");
        send(&[], "{\"no_such_field\": 1}").invalid_field("no_such_field");
        for key in ["", "two words", &"k".repeat(256)] {
            send(&[("Idempotency-Key", key)], "{}").refused(400, "invalid_header");
        }
        send(&[("X-Register-Id", "till/1")], "{}").refused(400, "invalid_header");
        if *guarded {
            store.client().send(method, &path, &[], b"{}").refused(401, "missing_token");
            store.client().with_token("x.y.z").send(method, &path, &[], b"{}").refused(401, "invalid_token");
        }
        // A client that announces a body over the limit is refused before it sends the body.
        begin(&admin, method, &path, (1 << 20) + 1).refused(413, "body_too_large");
    }
    assert!(changes.len() >= 50, "{}", changes.len());
    assert_eq!(admin.get("/api/sync/status").data(200)["outbox"], before, "a refusal changed something");
}

/// Sends only the head of a request, announces a body of `bytes` bytes, and returns the reply.
#[track_caller]
fn begin(admin: &Client, method: &str, path: &str, bytes: usize) -> Reply {
    let mut stream = admin.connect().unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {bytes}\r\n\r\n",
        admin.token().unwrap(),
    );
    stream.write_all(head.as_bytes()).unwrap();
    client::read_reply(&mut stream).unwrap().0
}

/// Changes that write nothing, or depend on state that a restart discards or on another probe.
const NOT_KEPT: [&str; 5] = [
    "POST /api/auth/webauthn/register/finish",
    "DELETE /api/auth/webauthn/credentials/{id}",
    "POST /api/admin/actors/{name}/restart",
    "POST /api/admin/verify",
    "POST /api/sync/force",
];

/// Changes that invalidate a token of the probes.
const ENDS_LOG_INS: [&str; 2] = ["POST /api/users/{id}/revoke-tokens", "POST /api/auth/password"];

#[track_caller]
fn send(operation: &str, attempt: &mut Attempt, key: &str) -> Reply {
    let method = operation.split(' ').next().unwrap();
    let headers = [("Idempotency-Key", key), ("Content-Type", attempt.media_type)];
    attempt.client.send(method, &attempt.path, &headers, attempt.body.as_bytes())
}

#[test]
fn no_change_goes_through_on_a_full_disk() {
    let mut store = Store::open();
    let mut manager = store.login("manager");
    // The probes together need more pieces than the initial stock.
    store.receive_all(50);
    let mut attempts = Vec::new();
    for probe in store_probes().filter(|probe| !NOT_KEPT.contains(&probe.operation)) {
        let mut attempt = (probe.prepare)(&mut store);
        // Later probes need the effects of earlier ones. Changes that end log-ins are skipped.
        if !ENDS_LOG_INS.contains(&probe.operation) {
            let reply = send(probe.operation, &mut attempt, "first");
            assert!(reply.status < 300, "{}: {}", probe.operation, reply.text());
        }
        attempts.push((probe.operation, attempt));
    }
    let before = manager.get("/api/sync/status").data(200)["outbox"].clone();
    store.stop();
    store.set("storage.min_free_bytes = 9000000000000000000\n");
    store.spawn();
    let mut nobody = store.client();
    wait::until("the daemon answers", || nobody.try_send("GET", "/health", &[], b"").ok());
    for (operation, mut attempt) in attempts {
        println!("{operation}");
        send(operation, &mut attempt, "second").refused(507, "storage_full");
        // A repeated request gets its stored answer, because it changes nothing.
        if !ENDS_LOG_INS.contains(&operation) {
            let again = send(operation, &mut attempt, "first");
            assert_eq!(again.header("idempotency-replayed"), Some("true"), "{operation}: {}", again.text());
        }
    }
    let after = manager.get("/api/sync/status").data(200)["outbox"].clone();
    assert_eq!((&after["last_seq"], &after["head_hash"]), (&before["last_seq"], &before["head_hash"]));
    // Reading still works.
    let reads = Operation::all();
    let reads = reads.iter().filter(|each| each.method == "GET" && !each.template.contains('{'));
    for path in reads.map(|each| each.template.as_str()).filter(|path| !STREAMS.contains(path)) {
        let query = match path {
            "/api/members/search" => "?q=ab",
            "/api/pos/quick-keys" => "?register_id=probed",
            "/api/pos/labels" => "?skus=8990001",
            "/api/prices/effective" => "?sku=8990001",
            "/api/reports/sales" => "?from=2026-11-20&to=2026-11-20",
            _ => "",
        };
        let reply = manager.get(&format!("{path}{query}"));
        let ready = path == "/health/ready";
        let none = path == "/api/shifts/current";
        assert!(
            reply.status == 200 || (ready && reply.status == 503) || (none && reply.status == 404),
            "{path}"
        );
    }
}

#[test]
fn an_unknown_id_is_404_on_every_route() {
    let counter = Counter::open();
    let mut admin = counter.store.login("admin").keeping_alive();
    admin.post("/api/shifts/open", &json!({"register_id": "till-2"})).data(201);
    let mut asked = 0;
    for operation in Operation::all().iter().filter(|operation| operation.template.contains('{')) {
        if operation.template.starts_with("/api/days/") {
            continue;
        }
        let body = if operation.body { operation.example.to_string() } else { String::new() };
        let headers: &[(&str, &str)] =
            if operation.body { &[("Content-Type", "application/json")] } else { &[] };
        let reply = admin.send(&operation.method, &operation.path_to_nothing(), headers, body.as_bytes());
        assert_eq!(reply.status, 404, "{} {}: {}", operation.method, operation.template, reply.text());
        asked += 1;
    }
    assert!(asked > 40, "{asked}");
}
