//! Behind a proxy: an address that guesses passwords locks out no other address and can't pretend to be one.

use serde_json::json;
use testkit::Client;
use testkit::hub::Hub;
use testkit::store::PASSWORD;

/// Number of passwords that one address may try.
const TRIES: usize = 50;

/// Logs in from an address, as a proxy forwards it.
fn log_in(hub: &Hub, forwarded_for: &str, username: &str, password: &str) -> (u16, Option<String>) {
    let body = json!({"username": username, "password": password}).to_string();
    let headers = [("X-Forwarded-For", forwarded_for)];
    let reply = hub.client().send("POST", "/api/auth/login", &headers, body.as_bytes());
    let token = (reply.status == 200).then(|| reply.data(200)["token"].as_str().unwrap().to_owned());
    (reply.status, token)
}

#[test]
fn an_attack_on_log_ins_through_the_proxy_leaves_others_alone() {
    let name = "CLOUD_HUB__HTTP__TRUSTED_PROXIES".to_owned();
    let hub = Hub::open_under(vec![(name, "[\"127.0.0.1/32\"]".to_owned())], "");
    for n in 0..TRIES + 10 {
        // An address that the attacker writes into the header precedes the one that the proxy adds.
        let spoofed = format!("10.7.{n}.1, 10.6.6.6");
        let (status, _) = log_in(&hub, &spoofed, &format!("name-{n}@hub.example"), "a wrong horse");
        assert_eq!(status, if n < TRIES { 401 } else { 429 }, "{n}");
    }
    let (status, token) = log_in(&hub, "10.5.5.5", "admin@hub.example", PASSWORD);
    assert_eq!(status, 200, "only the attacker's address is locked");
    assert_eq!(log_in(&hub, "10.6.6.6", "another@hub.example", "a wrong horse").0, 429);
    assert_eq!(log_in(&hub, "198.51.100.7", "admin@hub.example", PASSWORD).0, 403, "http.allowed_networks");
    let mut admin = Client::new(hub.address()).with_token(&token.unwrap());
    let rows = admin.get("/api/audit?action=log_in.refused&limit=100").data(200)["items"].clone();
    assert!(rows.as_array().unwrap().iter().all(|row| row["details"]["address"] == "10.6.6.6"), "{rows}");
    let answer = hub.client().send("GET", "/metrics", &[("X-Forwarded-For", "10.5.5.5")], b"");
    answer.refused(401, "missing_token");
    assert_eq!(hub.client().get("/metrics").status, 200, "this machine is not locked");
}
