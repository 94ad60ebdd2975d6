//! Refusals of callers that are not authenticated, and of those that lack a right.

use super::{Bench, one_line};
use serde_json::json;
use testkit::store::PASSWORD;
use testkit::{Reply, Store, wait};

const SALES: &str = "/api/pos/transactions";

#[test]
fn a_bad_token_opens_nothing() {
    let mut bench = Bench::open();
    let elsewhere = Store::open_with("", 0).login("manager").token().unwrap().to_owned();
    bench.unchanged_by(|bench| {
        let good = bench.till.token().unwrap().to_owned();
        let body = json!({"username": "till-2@s001.example", "password": PASSWORD});
        let login = bench.store.client().post("/api/auth/login", &body).data(200);
        let refresh = login["refresh_token"].as_str().unwrap().to_owned();
        let parts: Vec<&str> = good.split('.').collect();
        let none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
        let other = login["token"].as_str().unwrap().split('.').nth(1).unwrap().to_owned();
        let invalid = [
            "x".to_owned(),
            "..".to_owned(),
            "x".repeat(7_000),
            format!("{none}.{}.", parts[1]),
            format!("{none}.{}.{}", parts[1], parts[2]),
            format!("{}.{}.", parts[0], parts[1]),
            format!("{}.{}.{}", parts[0], other, parts[2]),
            format!("{good}A"),
            refresh,
            elsewhere,
        ];
        let ask = |header: Option<&str>, path: &str| -> Reply {
            let mut client = bench.store.client();
            let headers: Vec<_> = header.into_iter().map(|value| ("Authorization", value)).collect();
            client.send("GET", path, &headers, b"")
        };
        for path in ["/api/auth/me", "/api/stock", "/api/sync/status", "/api/admin/actors"] {
            ask(None, path).refused(401, "missing_token");
            for token in &invalid {
                ask(Some(&format!("Bearer {token}")), path).refused(401, "invalid_token");
            }
        }
        for header in ["Basic dGlsbDp0aWxs", "Bearer", "Bearer ", "bear", &good] {
            let reply = ask(Some(header), "/api/stock");
            assert_eq!(reply.status, 401, "{header}: {}", reply.text());
        }
        let sale = one_line().to_string().into_bytes();
        bench.store.client().send("POST", SALES, &[], &sale).refused(401, "missing_token");
        // An idempotency key does not change who may see an answer.
        bench.store.client().post_keyed(SALES, "stolen", &one_line()).refused(401, "missing_token");
    });
}

#[test]
fn an_old_token_has_expired() {
    let store = Store::open_with("auth.access_ttl = \"1s\"\n", 0);
    let mut manager = store.login("manager");
    manager.get("/api/auth/me").data(200);
    let reply = wait::until("the token has expired", || {
        Some(manager.get("/api/auth/me")).filter(|reply| reply.status != 200)
    });
    reply.refused(401, "token_expired");
}

#[test]
fn a_failed_log_in_reveals_nothing() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let mut nobody = bench.store.client();
        let path = "/api/auth/login";
        let mut answers = Vec::new();
        for body in [
            json!({"username": "till-2@s001.example", "password": "wrong"}),
            json!({"username": "nobody@s001.example", "password": "wrong"}),
            json!({"email": "nobody@s001.example", "password": PASSWORD}),
            json!({"email": "' or 1=1 --", "password": PASSWORD}),
        ] {
            let reply = nobody.send("POST", path, &[("X-Request-Id", "same")], body.to_string().as_bytes());
            reply.refused(401, "invalid_credentials");
            answers.push(reply.body);
        }
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "the answer reveals which names exist");
        for body in [
            json!({"username": "a", "email": "a", "password": "b"}),
            json!({"password": "b"}),
            json!({"username": "a"}),
            json!({"username": "a", "password": "b", "extra": 1}),
            json!({"username": 1, "password": "b"}),
        ] {
            nobody.post(path, &body).refused(422, "validation_failed");
        }
    });
}

#[test]
fn guessing_is_slowed_down() {
    let store = Store::open_with("", 2);
    let mut nobody = store.client();
    let mut guess = |name: &str| {
        nobody.post(
            "/api/auth/login",
            &json!({"username": format!("{name}@s001.example"), "password": "wrong"}),
        )
    };
    for name in ["till-1", "nobody"] {
        for _ in 0..5 {
            guess(name).refused(401, "invalid_credentials");
        }
        let slowed = guess(name);
        slowed.refused(429, "rate_limited");
        let seconds = slowed.header("retry-after").and_then(|text| text.parse::<u64>().ok());
        assert!(seconds.is_some_and(|seconds| (1..=300).contains(&seconds)), "{:?}", slowed.headers);
    }
    // The right password is refused as well at the guesser's limit, and others can log in.
    let right = json!({"username": "till-1@s001.example", "password": PASSWORD});
    store.client().post("/api/auth/login", &right).refused(429, "rate_limited");
    store.login("till-2");
}

#[test]
fn a_role_does_what_it_may() {
    let mut bench = Bench::open();
    let open = bench.open_transaction();
    bench.unchanged_by(|bench| {
        let mut warehouse = bench.store.login("warehouse");
        let mut cashier = bench.store.login("till-2").at_register("till-2");
        let receiving = json!({"lines": [{"sku": "8990001", "qty": 1}]});
        let details = warehouse.post(SALES, &one_line()).refused(403, "insufficient_role");
        assert_eq!(details["roles"], json!(["cashier", "store_manager", "admin"]));
        warehouse
            .post(&format!("{SALES}/{open}/pay"), &json!({"method": "cash", "amount": 1}))
            .refused(403, "insufficient_role");
        warehouse.post("/api/shifts/open", &json!({})).refused(403, "insufficient_role");
        warehouse.get("/api/sync/status").refused(403, "insufficient_role");
        cashier.post("/api/receiving", &receiving).refused(403, "insufficient_role");
        cashier.get("/api/stock").refused(403, "insufficient_role");
        cashier.get("/api/sync/status").refused(403, "insufficient_role");
        cashier.post("/api/sync/force", &json!({})).refused(403, "insufficient_role");
        cashier.get("/api/admin/actors").refused(403, "insufficient_role");
        bench.manager.post("/api/admin/actors/ledger/restart", &json!({})).refused(403, "insufficient_role");
        // A cashier may not close another cashier's shift.
        let close = format!("/api/shifts/{}/close", bench.shift_id);
        let reply = cashier.post(&close, &json!({"counted_cash": 0}));
        assert!(reply.status == 403 || reply.status == 404, "{}", reply.text());
        let reply = cashier.post(&format!("{SALES}/{open}/pay"), &json!({"method": "cash", "amount": 2_220}));
        assert!(reply.status == 403 || reply.status == 404, "{}", reply.text());
        let summary = cashier.get(&format!("/api/shifts/{}/summary", bench.shift_id));
        assert!(summary.status == 403 || summary.status == 404, "{}", summary.text());
    });
}
