//! Rights of users, stores and keys.

mod identity;

use crate::support::server::{Place, Server, stderr};
use crate::support::shop::Shop;
use edge::clock;
use edge::keys::SigningKey;
use edge::tokens::sync;
use jiff::tz::TimeZone;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn people_log_in_and_roles_are_kept_apart() {
    let server = Server::start().await;
    let done = server.place.run(
        &[
            "user",
            "add",
            "--username",
            "Fin",
            "--name",
            "Fin Ance",
            "--role",
            "ho_finance",
            "--password-stdin",
        ],
        "another-horse-9\n",
    );
    assert!(done.status.success(), "{}", stderr(&done));
    let wrong = server.api().post("/api/auth/login", &json!({"username": "fin", "password": "no"})).await;
    assert_eq!(wrong.refusal(), "401 invalid_credentials");
    let nobody = server.api().post("/auth/login", &json!({"email": "nobody", "password": "no"})).await;
    assert_eq!(nobody.refusal(), "401 invalid_credentials");
    let finance = server.api().login("FIN", "another-horse-9").await;
    let me = finance.get("/api/auth/me").await;
    assert_eq!(me.data()["user"]["role"], "ho_finance");
    assert_eq!(finance.get("/api/users").await.refusal(), "403 insufficient_role");
    // Everybody at head office sees the names of those who made a document.
    let named = finance.get("/api/staff").await.data()["items"].clone();
    let me = &me.data()["user"]["name"];
    assert!(named.as_array().unwrap().iter().any(|one| one["name"] == *me), "{named}");
    finance.get("/api/reports/sales?from=2026-01-01&to=2026-12-31").await.data();
    finance.get("/api/products").await.data();
    assert_eq!(server.api().get("/api/stores").await.refusal(), "401 missing_token");
    // The command revokes the user while the hub runs. The next request is refused.
    assert!(server.place.run(&["user", "revoke", "fin"], "").status.success());
    assert_eq!(finance.get("/api/auth/me").await.refusal(), "401 token_revoked");
    let log_in = async |password: &str| {
        server.api().post("/api/auth/login", &json!({"username": "fin", "password": password})).await
    };
    log_in("another-horse-9").await.data();
    let done = server.place.run(&["user", "reset-password", "fin", "--password-stdin"], "a third horse\n");
    assert!(done.status.success());
    assert_eq!(log_in("another-horse-9").await.refusal(), "401 invalid_credentials");
    log_in("a third horse").await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_people_and_stores_are_not_taken_for_each_other() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    assert_eq!(admin.post("/api/sync/hello", &shop.hello_body()).await.refusal(), "401 invalid_token");
    assert_eq!(admin.get("/api/sync/pull").await.refusal(), "401 invalid_token");
    assert_eq!(shop.speak().get("/api/stores").await.refusal(), "401 invalid_token");
    assert_eq!(shop.speak().get("/api/auth/me").await.refusal(), "401 invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_token_counts_once_and_only_under_the_enrolled_key() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let once = shop.speak();
    once.get("/api/sync/pull").await.data();
    assert_eq!(once.get("/api/sync/pull").await.refusal(), "401 invalid_token");
    let thief = SigningKey::generate().unwrap();
    let stolen = |store: &str, hub: &str| sync::issue(&thief, store, hub, clock::now()).unwrap();
    for token in [stolen("S001", &shop.hub_id), stolen("S404", &shop.hub_id)] {
        assert_eq!(shop.api.with_token(&token).get("/api/sync/pull").await.refusal(), "401 invalid_token");
    }
    let elsewhere = sync::issue(&shop.key, "S001", "another-hub", clock::now()).unwrap();
    assert_eq!(shop.api.with_token(&elsewhere).get("/api/sync/pull").await.refusal(), "401 invalid_token");
    let old = sync::issue(
        &shop.key,
        "S001",
        &shop.hub_id,
        domain::model::base::time::UtcMs(clock::now().0 - 86_400_000),
    )
    .unwrap();
    assert_eq!(shop.api.with_token(&old).get("/api/sync/pull").await.refusal().get(..3), Some("401"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_the_time_that_somebody_named_counts_only_with_the_hubs_own_fresh_challenge() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let refused = shop.api.with_token("x").get("/api/sync/pull").await;
    assert_eq!(refused.refusal(), "401 invalid_token");
    let message = refused.body["error"]["message"].as_str().unwrap();
    assert!(message.contains("enrol the store again") && !message.contains("log in"), "{message}");
    let details = &refused.body["error"]["details"];
    let challenge = details["challenge"].as_str().unwrap().to_owned();
    let (at, mac) = challenge.split_once('.').unwrap();
    let at: i64 = at.parse().unwrap();
    assert_eq!(details["hub_time"], serde_json::json!(domain::model::base::time::UtcMs(at)));
    let pulled = |challenge: String| {
        let token = sync::issue_for(&shop.key, "S001", &shop.hub_id, clock::now(), challenge).unwrap();
        let api = shop.api.with_token(&token);
        async move { api.get("/api/sync/pull").await }
    };
    pulled(challenge.clone()).await.data();
    // Challenges that were forged, for example by another hub years ago for this moment.
    for forged in
        [String::new(), "x".to_owned(), format!("{at}."), format!("{}.{mac}", at + 1), format!(".{mac}")]
    {
        assert_eq!(pulled(forged.clone()).await.refusal(), "401 invalid_token", "{forged}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_has_no_name_yet_brings_its_own() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let shop = Shop::enrolled(&server, "S001").await;
    let name_of = async |id: &'static str| {
        let query = sqlx::query_scalar::<_, String>("SELECT name FROM stores WHERE store_id = $1").bind(id);
        query.fetch_one(server.hub.db.pool()).await.unwrap()
    };
    let enrol = async |id: &'static str, name: &str| {
        let token = server.place.add_store(id);
        let key = SigningKey::generate().unwrap().public_key_text();
        let ask = json!({"enrolment_token": token, "store_id": id, "public_key": key, "version": "0.1.0",
            "currency": "IDR", "name": name});
        shop.api.post("/api/sync/enrol", &ask).await.data();
        name_of(id).await
    };
    assert_eq!(enrol("S002", "Toko Contoh").await, "Toko Contoh");
    assert_eq!(enrol("S003", "").await, "S003");
    assert_eq!(enrol("S004", "two\nlines").await, "S004", "not a valid name of a store");
    let named = admin.post("/api/stores", &json!({"store_id": "S005", "name": "Given"})).await.data().clone();
    let key = SigningKey::generate().unwrap().public_key_text();
    let ask = json!({"enrolment_token": named["enrolment_token"], "store_id": "S005", "public_key": key,
        "version": "0.1.0", "currency": "IDR", "name": "Other"});
    shop.api.post("/api/sync/enrol", &ask).await.data();
    assert_eq!(name_of("S005").await, "Given");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enrolment_token_ties_one_key() {
    let server = Server::start().await;
    let token = server.place.add_store("S007");
    let mut shop = Shop::enrolled(&server, "S001").await;
    shop.id = "S007".to_owned();
    let wrong = shop.enrol("wrong").await;
    assert_eq!(wrong.refusal(), "401 invalid_credentials");
    let message = wrong.body["error"]["message"].as_str().unwrap();
    assert!(message.contains("enrolment token") && !message.contains("password"), "{message}");
    let first = shop.enrol(&token).await;
    assert_eq!(first.data()["n"], 0);
    assert_eq!(
        shop.enrol(&token).await.data(),
        first.data(),
        "the same token with the same key is accepted again"
    );
    let mut other = shop.clone();
    other.key = std::sync::Arc::new(SigningKey::generate().unwrap());
    assert_eq!(other.enrol(&token).await.refusal(), "409 duplicate");
    assert_eq!(other.hello().await.refusal(), "401 invalid_token");
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    // A lost machine: the store gets a new token and a new key, and the old key is replaced.
    let done = server.place.run(&["store", "add", "S007", "--new-token"], "");
    let token = crate::support::server::stdout(&done).split_whitespace().last().unwrap().to_owned();
    // The first machine sent no records, so its epoch was deleted with its key.
    assert_eq!(other.enrol(&token).await.data()["n"], 0);
    let replaced = shop.hello().await;
    assert_eq!(replaced.refusal(), "403 store_replaced");
    let error = &replaced.body["error"];
    assert_eq!(error["details"]["replaced_by"], other.key.kid());
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("enrol it again") && !message.contains("log in"), "{message}");
    // An administrator makes a new token: the old one is invalid, and warehouses and unknown stores get none.
    let admin = server.admin().await;
    let made = admin.post("/api/stores/S007/token", &json!({})).await.data()["enrolment_token"].clone();
    assert_eq!(shop.enrol(&token).await.refusal(), "401 invalid_credentials");
    assert_eq!(other.hello().await.data()["directive"], "ok", "the old key is valid until the token is used");
    shop.enrol(made.as_str().unwrap()).await.data();
    assert_eq!(other.hello().await.refusal(), "403 store_replaced");
    assert_eq!(shop.hello().await.data()["directive"], "ok", "a key that is enrolled again is valid again");
    let problems = async || admin.get("/api/stores/S007/status").await.data()["problems"].clone();
    assert_eq!(problems().await, json!([]), "the caller may be the store's own machine");
    let sql = "UPDATE replaced_keys SET replaced_at = replaced_at - 400000";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(other.hello().await.refusal(), "403 store_replaced");
    assert_eq!(problems().await[0]["code"], "fenced");
    let mut stranger = other.clone();
    stranger.key = std::sync::Arc::new(SigningKey::generate().unwrap());
    assert_eq!(stranger.hello().await.refusal(), "401 invalid_token", "the key never belonged to the store");
    admin.post("/api/stores", &json!({"store_id": "W100", "kind": "warehouse"})).await.data();
    for store in ["W100", "S404"] {
        let path = format!("/api/stores/{store}/token");
        assert_eq!(admin.post(&path, &json!({})).await.refusal(), "404 not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_enrolment_token_is_refused() {
    let place = Place::initialised().await;
    let text = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, text + "[sync]\nenrolment_ttl = \"1s\"\n").unwrap();
    let token = place.add_store("S001");
    let issued = std::time::Instant::now();
    let server = Server::on(place).await;
    let mut shop = Shop::enrolled(&server, "S002").await;
    shop.id = "S001".to_owned();
    while issued.elapsed() < std::time::Duration::from_millis(1100) {
        tokio::task::yield_now().await;
    }
    assert_eq!(shop.enrol(&token).await.refusal(), "401 token_expired");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_store_is_refused_and_comes_back() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 1).await;
    let admin = server.admin().await;
    let answer = admin.post("/api/stores/S001/disable", &json!({})).await;
    assert_eq!(answer.data(), &json!({"store_id": "S001", "state": "disabled"}));
    // Disabling the store again keeps the time at which it was first disabled.
    let since = "SELECT disabled_at FROM stores WHERE store_id = 'S001'";
    let first = server.figure(since).await;
    admin.post("/api/stores/S001/disable", &json!({})).await.data();
    assert_eq!(server.figure(since).await, first);
    shop.sell(1);
    assert_eq!(shop.push(&shop.batch(2, 2)).await.refusal(), "403 store_disabled");
    assert_eq!(shop.hello().await.refusal(), "403 store_disabled");
    assert_eq!(shop.speak().get("/api/sync/pull").await.refusal(), "403 store_disabled");
    admin.post("/api/stores/S001/enable", &json!({})).await.data();
    assert_eq!(shop.push(&shop.batch(2, 2)).await.data()["acked_seq"], 2);
    assert_eq!(admin.post("/api/stores/S404/disable", &json!({})).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retried_request_gets_its_stored_answer() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let product = |sku: &str| json!({"sku": sku, "name": "Thing", "price": 100});
    let body = product("A");
    let first = admin.keyed("/api/products", "k1", &body).await;
    assert_eq!((first.status.as_u16(), first.replayed), (201, false));
    let again = admin.keyed("/api/products", "k1", &body).await;
    assert_eq!((again.status.as_u16(), again.replayed), (201, true));
    assert_eq!(first.body, again.body);
    let other = admin.keyed("/api/products", "k1", &product("B")).await;
    assert_eq!(other.refusal(), "422 idempotency_key_reused");
    assert_eq!(other.body["error"]["details"]["differs"], json!(["body"]));
    // Refusals are not stored, so the key may be used again.
    assert_eq!(admin.keyed("/api/products", "k2", &body).await.refusal(), "409 duplicate");
    admin.keyed("/api/products", "k2", &product("C")).await.data();
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let (admin, body) = (admin.clone(), product("D"));
            tokio::spawn(async move { admin.keyed("/api/products", "k3", &body).await })
        })
        .collect();
    let mut bodies = Vec::new();
    for racer in racers {
        let answer = racer.await.unwrap();
        assert_eq!(answer.status, 201);
        bodies.push(answer.body.to_string());
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "one effect, one answer");
    assert_eq!(admin.get("/api/products?limit=2").await.data()["items"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enrolment_token_is_stored_nowhere_that_it_can_be_read() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let first = admin.keyed("/api/stores", "k1", &json!({"store_id": "S010"})).await;
    let token = first.data()["enrolment_token"].as_str().unwrap().to_owned();
    let again = admin.keyed("/api/stores", "k1", &json!({"store_id": "S010"})).await;
    assert_eq!((again.refusal().as_str(), again.replayed), ("409 duplicate", false), "no answer was stored");
    let bodies: Vec<String> =
        sqlx::query_scalar("SELECT body FROM idempotency").fetch_all(server.hub.db.pool()).await.unwrap();
    assert!(!bodies.iter().any(|body| body.contains(&token)), "{bodies:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_under_which_anybody_can_sign_enrols_no_store() {
    let server = Server::start().await;
    let token = server.place.add_store("S001");
    // The neutral element, a point of order eight, and a point whose encoding is not canonical.
    for weak in [
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
        "7v_______________________________________38",
    ] {
        let ask = json!({"enrolment_token": token, "store_id": "S001", "public_key": weak, "version": "0.1.0",
            "currency": "IDR"});
        let refused = server.api().post("/api/sync/enrol", &ask).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{weak}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_no_part_of_what_a_key_remembers() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let ani = |password: &str, name: &str| json!({"username": "ani@example.com", "name": name, "role": "ho_finance", "password": password});
    let made = admin.keyed("/api/users", "k1", &ani("right horse battery", "Ani")).await;
    assert_eq!((made.status.as_u16(), made.replayed), (201, false));
    let again = admin.keyed("/api/users", "k1", &ani("quite another one", "Ani")).await;
    assert_eq!(
        (again.status.as_u16(), again.replayed),
        (201, true),
        "of the password only its presence counts"
    );
    let other = admin.keyed("/api/users", "k1", &ani("right horse battery", "Budi")).await;
    assert_eq!(other.refusal(), "422 idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_disabled_while_its_poll_waits_receives_nothing_more() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let waiting = shop.clone();
    let poll = tokio::spawn(async move { waiting.speak().get("/api/sync/pull?wait=60").await });
    while server.hub.waits.count("rest") == 0 {
        tokio::task::yield_now().await;
    }
    admin.post("/api/stores/S001/disable", &json!({})).await.data();
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1000})).await.data();
    assert_eq!(poll.await.unwrap().refusal(), "403 store_disabled");
    admin.post("/api/stores/S001/enable", &json!({})).await.data();
    assert_eq!(shop.speak().get("/api/sync/pull").await.data()["changes"][0]["id"], "A");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stands_for_the_query_too() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut ids = Vec::new();
    let columns = json!({"date": "tanggal", "reference": "referensi", "amount": "bruto", "fee": "biaya"});
    let csv = json!({"date_format": "%d/%m/%Y", "decimal": ",", "columns": columns});
    for (name, method) in [("Cards", "card"), ("Codes", "qris")] {
        let new = json!({"name": name, "kind": "provider", "methods": [method], "csv": csv});
        let made = admin.post("/api/statement-sources", &new).await;
        ids.push(made.data()["source_id"].as_str().unwrap().to_owned());
    }
    let today = clock::now().timestamp().to_zoned(TimeZone::UTC).strftime("%d/%m/%Y").to_string();
    let file = format!("tanggal;referensi;bruto;biaya\r\n{today};C-1001;155.400;2.331\r\n");
    let path = |id: &str, more: &str| format!("/api/statements?source_id={id}{more}");
    let send = |path: &str, key: &str| {
        let headers = [("Content-Type", "text/csv"), ("Idempotency-Key", key)];
        tokio::task::block_in_place(|| admin.client().send("POST", path, &headers, file.as_bytes()))
    };
    send(&path(&ids[0], ""), "file-1").data(201);
    let again = send(&path(&ids[0], ""), "file-1");
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
    for (other, differs) in [
        (path(&ids[1], ""), json!(["query.source_id"])),
        (path(&ids[0], "&closing_balance=5000"), json!(["query.closing_balance"])),
    ] {
        let refused = send(&other, "file-1");
        assert_eq!(refused.refused(422, "idempotency_key_reused")["differs"], differs);
    }
    // The statement of the other source can still be imported under its own key.
    send(&path(&ids[1], ""), "file-2").data(201);
    server.stop().await;
}
