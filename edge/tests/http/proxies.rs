//! Behind a proxy: limits apply to the caller's address, which nobody else can choose.

use super::{client::Client, desk::Edge};
use domain::model::people::user::Role;
use edge::Limits;
use edge::forwarded::Proxies;

const PROXY: [u8; 4] = [127, 0, 0, 9];
const JSON: &str = "content-type: application/json";

fn proxies(protocol: bool) -> Proxies {
    Proxies { trusted: vec!["127.0.0.9/32".parse().unwrap()], protocol, ..Proxies::default() }
}

/// Starts a server with a limit of two connections per address.
async fn behind_a_proxy() -> Edge {
    let limits = Limits { proxies: proxies(false), max_connections_per_address: 2, ..Limits::default() };
    Edge::start(limits).await
}

async fn from_proxy(edge: &Edge) -> Client {
    Client::connect_from(PROXY, edge.address).await
}

fn from(address: &str) -> String {
    format!("x-forwarded-for: {address}")
}

#[tokio::test]
async fn each_request_has_the_address_of_its_caller() {
    let edge = behind_a_proxy().await;
    let mut proxy = from_proxy(&edge).await;
    for (line, address) in [
        (from("10.1.1.1"), "10.1.1.1"),
        (from("10.1.1.1, 10.1.1.2"), "10.1.1.2"),
        (from("nonsense"), "127.0.0.9"),
        ("x-something: 1".to_owned(), "127.0.0.9"),
    ] {
        assert_eq!(proxy.ask("GET /things/1", &[&line], "").await.data()["peer"], address, "{line}");
    }
    let stranger = edge.ask("GET /things/1", &[&from("10.1.1.1")], "").await;
    assert_eq!(stranger.data()["peer"], "127.0.0.1", "a header of an unknown proxy is ignored");
}

#[tokio::test]
async fn the_networks_are_those_of_the_callers() {
    let allowed_networks = vec!["10.0.0.0/8".parse().unwrap()];
    let edge = Edge::start(Limits { proxies: proxies(false), allowed_networks, ..Limits::default() }).await;
    let ask = async |lines: &[&str]| from_proxy(&edge).await.ask("GET /things/1", lines, "").await;
    assert_eq!(ask(&[&from("10.1.1.1")]).await.status, 200);
    let refused = ask(&[&from("10.1.1.1, 198.51.100.7")]).await;
    refused.refused(403, "network_not_allowed");
    assert_eq!(refused.header("connection"), Some("close"));
    ask(&[]).await.refused(403, "network_not_allowed");
}

#[tokio::test]
async fn a_forwarded_request_is_never_from_this_machine() {
    let edge = behind_a_proxy().await;
    assert_eq!(edge.ask("GET /metrics", &[], "").await.status, 200);
    for line in [from("10.5.5.5"), from("127.0.0.1"), from("nonsense"), "forwarded: for=x".to_owned()] {
        let answer = from_proxy(&edge).await.ask("GET /metrics", &[&line], "").await;
        answer.refused(401, "missing_token");
        // The same with a proxy that is not configured.
        edge.ask("GET /metrics", &[&line], "").await.refused(401, "missing_token");
    }
}

#[tokio::test]
async fn a_proxy_has_as_many_connections_as_its_callers_need() {
    let edge = behind_a_proxy().await;
    let mut waiting = Vec::new();
    for caller in 0..12 {
        let mut client = from_proxy(&edge).await;
        client
            .send(format!(
                "GET /slow HTTP/1.1\r\nhost: edge\r\n{}\r\n\r\n",
                from(&format!("10.1.1.{}", caller / 2))
            ))
            .await;
        edge.desk.entered.notified().await;
        waiting.push(client);
    }
    // Connections that wait for a request belong to no caller.
    let mut idle = Vec::new();
    for _ in 0..12 {
        idle.push(from_proxy(&edge).await);
    }
    let mut proxy = from_proxy(&edge).await;
    let third = proxy.ask("GET /things/1", &[&from("10.1.1.1")], "").await;
    third.refused(503, "unavailable");
    assert_eq!((third.header("retry-after"), third.header("connection")), (Some("1"), Some("close")));
    let mut proxy = idle.pop().unwrap();
    assert_eq!(proxy.ask("GET /things/1", &[&from("10.1.2.1")], "").await.status, 200);
    for client in waiting {
        edge.desk.released.notify_one();
        edge.desk.left.notified().await;
        drop(client);
    }
    // A slot is free as soon as the answer of its request was made.
    while from_proxy(&edge).await.ask("GET /things/1", &[&from("10.1.1.1")], "").await.status != 200 {}
}

/// Requests whose bodies never come count for their callers like connections, and give up slots like them.
#[tokio::test]
async fn callers_who_send_half_a_request_keep_nobody_out_who_works_here() {
    let limits = Limits { proxies: proxies(false), max_connections: 16, ..Limits::default() };
    let edge = Edge::start(limits).await;
    let manager = edge.bearer(Role::StoreManager);
    let make = async || {
        let lines = [manager.as_str(), JSON, "x-forwarded-for: 10.0.0.1"];
        from_proxy(&edge).await.ask("POST /things", &lines, r#"{"name":"n","items":[]}"#).await.status
    };
    assert_eq!(make().await, 201);
    let mut attackers = Vec::new();
    for n in 0..14 {
        let mut attacker = from_proxy(&edge).await;
        let caller = from(&format!("10.1.1.{}", n % 2));
        let head = format!(
            "POST /open HTTP/1.1\r\nhost: edge\r\n{caller}\r\n{JSON}\r\ncontent-length: 50\r\n\r\n{{"
        );
        attacker.send(head).await;
        attackers.push(attacker);
    }
    assert_eq!(make().await, 201);
    let newcomer = from_proxy(&edge).await.ask("GET /things/1", &[&from("10.1.3.1")], "").await;
    assert_eq!(newcomer.status, 200, "the caller with the most requests gives up a slot");
    // The oldest of the incomplete requests were answered instead of the newest ones.
    attackers.remove(0).answer().await.unwrap().refused(503, "unavailable");
}

#[tokio::test]
async fn the_proxy_protocol_names_the_caller_of_a_connection() {
    let limits = Limits { proxies: proxies(true), max_connections_per_address: 2, ..Limits::default() };
    let edge = Edge::start(limits).await;
    let connect = async |source: &str| {
        let mut client = from_proxy(&edge).await;
        client.send(format!("PROXY TCP4 {source} 127.0.0.1 4711 80\r\n")).await;
        client
    };
    let mut callers = Vec::new();
    for n in 0..6 {
        let mut client = connect(&format!("10.1.1.{}", n / 2)).await;
        let spoofed = [from("10.9.9.9")];
        let answer = client.ask("GET /things/1", &[&spoofed[0]], "").await;
        assert_eq!(answer.data()["peer"], format!("10.1.1.{}", n / 2), "a caller is not a proxy");
        callers.push(client);
    }
    connect("10.1.1.0").await.answer().await.unwrap().refused(503, "unavailable");
    connect("198.51.100.7").await.answer().await.unwrap().refused(403, "network_not_allowed");
    connect("127.0.0.1").await.ask("GET /metrics", &[], "").await.refused(401, "missing_token");
    let mut second = from_proxy(&edge).await;
    let head =
        [&b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c"[..], &[10, 2, 2, 2, 127, 0, 0, 1, 1, 1, 0, 80]].concat();
    second.send(head).await;
    assert_eq!(second.ask("GET /things/1", &[], "").await.data()["peer"], "10.2.2.2");
    let mut check = from_proxy(&edge).await;
    check.send("PROXY UNKNOWN\r\n").await;
    assert_eq!(check.ask("GET /things/1", &[], "").await.data()["peer"], "127.0.0.9");
    let mut without = from_proxy(&edge).await;
    without.send("GET /things/1 HTTP/1.1\r\nhost: edge\r\n\r\n").await;
    assert!(without.closed().await.is_empty(), "the caller's address is ambiguous");
    let mut stranger = edge.client().await;
    stranger
        .send("PROXY TCP4 10.1.1.9 127.0.0.1 4711 80\r\nGET /things/1 HTTP/1.1\r\nhost: edge\r\n\r\n")
        .await;
    stranger.answer().await.unwrap().refused(400, "invalid_header");
    assert_eq!(edge.ask("GET /things/1", &[], "").await.data()["peer"], "127.0.0.1");
}

#[tokio::test]
async fn a_proxy_that_says_nothing_is_let_go() {
    let first_byte_timeout = std::time::Duration::from_millis(150);
    let edge = Edge::start(Limits { proxies: proxies(true), first_byte_timeout, ..Limits::default() }).await;
    let mut proxy = from_proxy(&edge).await;
    proxy.send("PROXY TCP4 10.").await;
    assert!(proxy.closed().await.is_empty());
}
