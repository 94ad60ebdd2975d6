//! Sessions are refreshed, ended and revoked, also across kills and restarts. Users are added and changed.

use serde_json::{Value, json};
use testkit::client::{Client, Reply};
use testkit::store::{PASSWORD, Store};
use testkit::wait;

const LOGOUT: &str = "/api/auth/logout";
const REFRESH: &str = "/api/auth/refresh";
const ME: &str = "/api/auth/me";

/// Logs in and returns the access and the refresh token.
fn log_in(store: &Store, who: &str) -> (String, String) {
    let body = json!({"username": format!("{who}@s001.example"), "password": PASSWORD});
    tokens(&store.client().post("/api/auth/login", &body).data(200))
}

fn tokens(data: &Value) -> (String, String) {
    let text = |name: &str| data[name].as_str().expect("a token").to_owned();
    assert_eq!(data["expires_in"], json!(3600), "{data}");
    (text("token"), text("refresh_token"))
}

/// Requests new tokens with a refresh token.
fn refresh_with(store: &Store, token: &str, key: Option<&str>) -> Reply {
    let body = json!({"refresh_token": token});
    match key {
        Some(key) => store.client().post_keyed(REFRESH, key, &body),
        None => store.client().post(REFRESH, &body),
    }
}

fn me(store: &Store, token: &str) -> Reply {
    store.client().with_token(token).get(ME)
}

#[test]
fn a_refresh_token_works_once_and_a_copy_kills_its_family() {
    let store = Store::open_with("", 1);
    let (access, first) = log_in(&store, "till-1");
    let (_, other) = log_in(&store, "till-1");
    let (second_access, second) = tokens(&refresh_with(&store, &first, None).data(200));
    me(&store, &access).data(200);
    me(&store, &second_access).data(200);
    let body = json!({"refresh_token": second});
    let (third_access, third) = tokens(&store.client().post("/auth/refresh", &body).data(200));
    refresh_with(&store, &first, None).refused(401, "token_revoked");
    for token in [&access, &second_access, &third_access] {
        me(&store, token).refused(401, "token_revoked");
    }
    refresh_with(&store, &third, None).refused(401, "token_revoked");
    assert!(store.log().contains("a used refresh token was sent again"));
    refresh_with(&store, &other, None).data(200);
}

#[test]
fn tokens_of_another_kind_or_shape_refresh_nothing() {
    let store = Store::open_with("", 1);
    let (access, refresh) = log_in(&store, "till-1");
    me(&store, &refresh).refused(401, "invalid_token");
    let longest = "x".repeat(4_000);
    for token in [access.as_str(), "nonsense", "a.b.c", &refresh[..refresh.len() - 2], &longest] {
        refresh_with(&store, token, None).refused(401, "invalid_token");
    }
    let mut client = store.client();
    client.post(REFRESH, &json!({})).invalid_field("refresh_token");
    client.post(REFRESH, &json!({"refresh_token": 5})).invalid_field("refresh_token");
    client.post(REFRESH, &json!({"refresh_token": "x", "more": 1})).invalid_field("more");
    client.send("POST", REFRESH, &[("X-Session", "jar")], b"{}").refused(400, "invalid_header");
    client.send("POST", REFRESH, &[("X-Session", "cookie")], b"{}").refused(401, "missing_token");
    // An invalid or missing access token makes no difference here.
    let body = json!({"refresh_token": refresh});
    store.client().with_token("rubbish").post(REFRESH, &body).data(200);
}

#[test]
fn the_same_request_again_gets_the_same_successor_over_a_kill() {
    let mut store = Store::open_with("", 1);
    let (_, first) = log_in(&store, "till-1");
    let (_, second) = tokens(&refresh_with(&store, &first, Some("k1")).data(200));
    // The answer is lost: the store is killed after the commit, before the client reads it.
    store.kill9();
    store.start();
    let (access, again) = tokens(&refresh_with(&store, &first, Some("k1")).data(200));
    assert_eq!(again, second, "one session has one valid refresh token");
    me(&store, &access).data(200);
    let (access, third) = tokens(&refresh_with(&store, &again, Some("k2")).data(200));
    store.stop();
    store.start();
    me(&store, &access).data(200);
    // An older refresh token, even under its own key, means that the token was copied.
    refresh_with(&store, &first, Some("k1")).refused(401, "token_revoked");
    refresh_with(&store, &third, None).refused(401, "token_revoked");
    store.stop();
    store.verify();
}

#[test]
fn twenty_at_once_leave_one_family_or_none() {
    let store = Store::open_with("", 1);
    for (key, alive) in [(Some("same"), true), (None, false)] {
        let (_, first) = log_in(&store, "till-1");
        let replies: Vec<Reply> = std::thread::scope(|scope| {
            let refresh = || refresh_with(&store, &first, key);
            let threads: Vec<_> = (0..20).map(|_| scope.spawn(refresh)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let good: Vec<_> = replies
            .iter()
            .filter(|reply| reply.status == 200)
            .map(|reply| tokens(&reply.data(200)))
            .collect();
        assert_eq!(good.len(), if alive { 20 } else { 1 });
        assert!(good.iter().all(|(_, next)| *next == good[0].1), "every answer has the same successor");
        for reply in replies.iter().filter(|reply| reply.status != 200) {
            reply.refused(401, "token_revoked");
        }
        let next = refresh_with(&store, &good[0].1, None);
        if alive {
            next.data(200);
        } else {
            next.refused(401, "token_revoked");
        }
    }
}

#[test]
fn a_page_keeps_its_refresh_token_in_a_cookie() {
    let store = Store::open_with("", 1);
    let page = [("X-Session", "cookie")];
    let body = json!({"username": "till-1@s001.example", "password": PASSWORD}).to_string();
    let login = store.client().send("POST", "/api/auth/login", &page, body.as_bytes());
    assert_eq!(login.data(200)["refresh_token"], json!(""));
    let cookie = login.header("set-cookie").expect("a cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/api/auth", "Max-Age=604800"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    let pair = cookie.split(';').next().unwrap().to_owned();
    // Without the header the cookie is ignored. Pages of other sites can't send this header.
    store.client().send("POST", REFRESH, &[("Cookie", &pair)], b"{}").invalid_field("refresh_token");
    // Each app has its own cookie: Store Admin does not accept the till's cookie in the same browser.
    for (app, status, code) in
        [("cookie; app=pos", 401, "missing_token"), ("cookie; app=none", 400, "invalid_header")]
    {
        let headers = [("X-Session", app), ("Cookie", pair.as_str())];
        store.client().send("POST", REFRESH, &headers, b"{}").refused(status, code);
    }
    let pos =
        store.client().send("POST", "/api/auth/login", &[("X-Session", "cookie; app=pos")], body.as_bytes());
    assert!(
        pos.header("set-cookie").is_some_and(|cookie| cookie.starts_with("refresh_token_pos=")),
        "{:?}",
        pos.headers
    );
    let headers = [("X-Session", "cookie"), ("Cookie", pair.as_str())];
    let next = store.client().send("POST", REFRESH, &headers, b"{}");
    let data = next.data(200);
    assert_eq!(data["refresh_token"], json!(""));
    assert_ne!(
        next.header("set-cookie").map(|cookie| cookie.split(';').next().unwrap()),
        Some(pair.as_str())
    );
    let mut client = store.client().with_token(data["token"].as_str().unwrap());
    let out = client.send("POST", "/api/auth/logout", &page, b"{}");
    out.data(200);
    assert!(out.header("set-cookie").is_some_and(|cookie| cookie.contains("Max-Age=0")), "{:?}", out.headers);
    client.get(ME).refused(401, "token_revoked");
}

#[test]
fn a_page_logs_out_by_its_cookie_whatever_became_of_its_token() {
    let store = Store::open_with("", 1);
    let body = json!({"username": "till-1@s001.example", "password": PASSWORD}).to_string();
    let page = ("X-Session", "cookie; app=pos");
    let login = store.client().send("POST", "/api/auth/login", &[page], body.as_bytes());
    let pair = login.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let headers = [page, ("Cookie", pair.as_str())];
    let cleared = |reply: &Reply| {
        let cookie = reply.header("set-cookie").unwrap_or_default();
        assert!(cookie.starts_with("refresh_token_pos=;") && cookie.contains("Max-Age=0"), "{cookie}");
    };
    // Another site can't send the header, and without the header a token is required.
    store.client().send("POST", LOGOUT, &[("Cookie", &pair)], b"{}").refused(401, "missing_token");
    let out = store.client().with_token("no.such.token").send("POST", LOGOUT, &headers, b"{}");
    out.data(200);
    cleared(&out);
    me(&store, login.data(200)["token"].as_str().unwrap()).refused(401, "token_revoked");
    store.client().send("POST", REFRESH, &headers, b"{}").refused(401, "token_revoked");
    // An expired session and an unreadable cookie also clear the cookie.
    let again = store.client().send("POST", LOGOUT, &headers, b"{}");
    again.data(200);
    cleared(&again);
    let wrong = store.client().send("POST", LOGOUT, &headers, b"{");
    wrong.refused(400, "invalid_json");
    cleared(&wrong);
}

#[test]
fn a_logout_ends_one_session_for_good() {
    let mut store = Store::open_with("", 1);
    let (access, refresh) = log_in(&store, "till-1");
    let (other, _) = log_in(&store, "till-1");
    store.client().with_token(&access).post("/api/auth/logout", &json!({})).data(200);
    for round in ["running", "killed"] {
        if round == "killed" {
            store.kill9();
            store.start();
        }
        me(&store, &access).refused(401, "token_revoked");
        refresh_with(&store, &refresh, None).refused(401, "token_revoked");
        me(&store, &other).data(200);
    }
}

#[test]
fn a_new_password_ends_every_other_session() {
    let mut store = Store::open_with("", 1);
    let (other, other_refresh) = log_in(&store, "till-1");
    let (access, refresh) = log_in(&store, "till-1");
    let mut till = store.client().with_token(&access);
    let change = |current: &str, new: &str| json!({"current_password": current, "new_password": new});
    let path = "/api/auth/password";
    for bad in ["short", "TILL-1@s001.example", "password123", &"x".repeat(129)] {
        till.post(path, &change(PASSWORD, bad)).invalid_field("new_password");
    }
    till.post(path, &change("wrong horse", "a better horse")).refused(401, "invalid_credentials");
    till.post_keyed(path, "k", &change(PASSWORD, "a better horse")).data(200);
    let again = till.post_keyed(path, "k", &change(PASSWORD, "a better horse"));
    again.data(200);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    store.kill9();
    store.start();
    me(&store, &other).refused(401, "token_revoked");
    refresh_with(&store, &other_refresh, None).refused(401, "token_revoked");
    me(&store, &access).data(200);
    refresh_with(&store, &refresh, None).data(200);
    let login = |password: &str| {
        store.client().post("/auth/login", &json!({"email": "till-1@s001.example", "password": password}))
    };
    login(PASSWORD).refused(401, "invalid_credentials");
    login("a better horse").data(200);
}

#[test]
fn wrong_guesses_are_remembered_over_a_restart() {
    let mut store = Store::open_with("", 1);
    let body = json!({"username": "till-1@s001.example", "password": "wrong horse"});
    for _ in 0..5 {
        store.client().post("/api/auth/login", &body).refused(401, "invalid_credentials");
    }
    let file = store.data().join("guesses.json");
    wait::until("the failed attempts are on the disk", || {
        std::fs::read_to_string(&file).ok().filter(|text| text.contains("[5,"))
    });
    let right = json!({"username": "till-1@s001.example", "password": PASSWORD});
    store.kill9();
    store.start();
    store.client().post("/api/auth/login", &right).refused(429, "rate_limited");
    assert!(
        !std::fs::read_to_string(&file).unwrap().contains("till-1"),
        "names must not be stored in plain text"
    );
    store.login("manager");
}

/// Changes a user.
fn patch(client: &mut Client, id: &str, body: &Value) -> Reply {
    client.send("PATCH", &format!("/api/users/{id}"), &[], body.to_string().as_bytes())
}

fn id_of(client: &mut Client, name: &str) -> String {
    let list = client.get("/api/users").data(200);
    let users = list["items"].as_array().unwrap();
    let user = users.iter().find(|user| user["username"] == json!(format!("{name}@s001.example")));
    user.unwrap_or_else(|| panic!("{name} in {list}"))["id"].as_str().unwrap().to_owned()
}

#[test]
fn users_are_added_and_changed_by_permitted_roles() {
    let store = Store::open_with("", 1);
    let (mut admin, mut manager) = (store.login("admin"), store.login("manager"));
    let new =
        |name: &str, role: &str| json!({"username": name, "name": "N", "role": role, "password": PASSWORD});
    let made = manager.post_keyed("/api/users", "k", &new("Siti@S001.example", "cashier"));
    let user = made.data(201);
    assert_eq!((&user["username"], &user["store_id"]), (&json!("siti@s001.example"), &json!("S001")));
    assert!(user.get("password_hash").is_none() && user.get("password").is_none(), "{user}");
    let again = manager.post_keyed("/api/users", "k", &new("Siti@S001.example", "cashier"));
    assert_eq!((again.status, again.text()), (201, made.text()));
    manager.post("/api/users", &new("SITI@s001.example", "cashier")).refused(409, "duplicate");
    for role in ["store_manager", "admin"] {
        manager.post("/api/users", &new("boss", role)).refused(403, "insufficient_role");
    }
    admin.post("/api/users", &new("fin", "ho_finance")).invalid_field("role");
    admin.post("/api/users", &new("x", "king")).invalid_field("role");
    admin
        .post("/api/users", &json!({"username": "x", "name": "N", "role": "cashier", "password": "kurz"}))
        .invalid_field("password");
    let (boss, head) = (id_of(&mut admin, "admin"), id_of(&mut admin, "manager"));
    for id in [&boss, &head] {
        manager.get(&format!("/api/users/{id}")).refused(403, "insufficient_role");
        patch(&mut manager, id, &json!({"name": "Me"})).refused(403, "insufficient_role");
        manager.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).refused(403, "insufficient_role");
    }
    let shown = manager.get("/api/users").data(200);
    assert!(
        shown["items"]
            .as_array()
            .unwrap()
            .iter()
            .all(|user| { [json!("cashier"), json!("warehouse_staff")].contains(&user["role"]) }),
        "{shown}"
    );
    patch(&mut admin, &boss, &json!({"disabled": true})).refused(409, "invalid_state");
    patch(&mut admin, &boss, &json!({"role": "cashier"})).refused(409, "invalid_state");
    patch(&mut admin, "usr_none", &json!({"name": "X"})).refused(404, "not_found");
    store.login("siti").get(ME).data(200);
}

#[test]
fn a_change_of_rights_revokes_the_tokens_at_once_and_for_good() {
    let mut store = Store::open_with("", 4);
    let mut admin = store.login("admin");
    let before = admin.get("/api/sync/status").data(200)["outbox"]["last_seq"].as_u64().unwrap();
    let cases = [
        ("till-1", json!({"role": "warehouse_staff"}), 401, "token_revoked"),
        ("till-2", json!({"disabled": true}), 403, "account_disabled"),
        ("till-3", json!({"password": "another horse"}), 401, "token_revoked"),
    ];
    let mut dead = Vec::new();
    for (who, change, status, code) in cases {
        let tokens = log_in(&store, who);
        me(&store, &tokens.0).data(200);
        let id = id_of(&mut admin, who);
        patch(&mut admin, &id, &change).data(200);
        dead.push((tokens, status, code));
    }
    let tokens = log_in(&store, "till-4");
    let id = id_of(&mut admin, "till-4");
    let revoked = admin.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).data(200);
    assert!(revoked["revoked_at"].is_string(), "{revoked}");
    dead.push((tokens, 401, "token_revoked"));
    for round in ["running", "killed"] {
        if round == "killed" {
            store.kill9();
            store.start();
        }
        for ((access, refresh), status, code) in &dead {
            me(&store, access).refused(*status, code);
            refresh_with(&store, refresh, None).refused(*status, code);
        }
    }
    let disabled = json!({"username": "till-2@s001.example", "password": PASSWORD});
    store.client().post("/api/auth/login", &disabled).refused(403, "account_disabled");
    let after = admin.get("/api/sync/status").data(200)["outbox"]["last_seq"].as_u64().unwrap();
    assert_eq!(after - before, 8, "user.changed and audit.recorded for each of the four changes");
    store.stop();
    store.verify();
}
