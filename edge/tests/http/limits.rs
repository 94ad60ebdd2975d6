//! Slow, silent, greedy and broken clients: each is disconnected in time, and a panic is a JSON 500.

use super::{client::Client, desk::Edge};
use domain::model::people::user::Role;
use edge::Limits;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

const JSON: &str = "content-type: application/json";
const SHORT: Duration = Duration::from_millis(150);

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let edge = Edge::start(Limits { first_byte_timeout: SHORT, ..Limits::default() }).await;
    assert!(edge.client().await.closed().await.is_empty());
}

#[tokio::test]
async fn half_a_header_is_timed_out() {
    let edge = Edge::start(Limits { header_timeout: SHORT, ..Limits::default() }).await;
    let mut client = edge.client().await;
    client.send("GET /things HTTP/1.1\r\nhost: ed").await;
    client.answer().await.unwrap().refused(408, "request_timeout");
    assert!(client.closed().await.is_empty());
}

#[tokio::test]
async fn a_dripping_header_gains_nothing() {
    let edge = Edge::start(Limits { header_timeout: SHORT, ..Limits::default() }).await;
    let mut client = edge.client().await;
    client.send("GET /things HTTP/1.1\r\n").await;
    let mut drip = tokio::time::interval(SHORT / 10);
    let mut drops = 0;
    // Each line comes within the timeout, but the head never ends.
    while client.stream.write_all(b"x-drip: 1\r\n").await.is_ok() {
        drip.tick().await;
        drops += 1;
        assert!(drops < 10_000, "the connection is still open");
    }
    assert!(drops > 2, "closed before its time");
}

#[tokio::test]
async fn an_idle_connection_is_closed_without_a_word() {
    let edge = Edge::start(Limits { header_timeout: SHORT, ..Limits::default() }).await;
    let mut client = edge.client().await;
    assert_eq!(client.ask("GET /things/1", &[], "").await.status, 200);
    assert!(client.closed().await.is_empty());
}

#[tokio::test]
async fn a_dripping_body_is_timed_out() {
    let edge = Edge::start(Limits { request_timeout: SHORT, ..Limits::default() }).await;
    let mut client = edge.client().await;
    client.send(format!("POST /open HTTP/1.1\r\nhost: e\r\n{JSON}\r\ncontent-length: 100\r\n\r\n{{")).await;
    let answer = client.answer().await.unwrap();
    answer.refused(408, "request_timeout");
    assert_eq!(answer.header("connection"), Some("close"));
    client.closed().await;
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_given_up() {
    let edge = Edge::start(Limits { write_timeout: SHORT, max_connections: 1, ..Limits::default() }).await;
    let mut greedy = edge.client().await;
    greedy.send("GET /big HTTP/1.1\r\nhost: edge\r\n\r\n").await;
    // The only slot is free again once the server has given up on the first connection.
    loop {
        let answer = edge.ask("GET /things/1", &[], "").await;
        if answer.status == 200 {
            break;
        }
        answer.refused(503, "unavailable");
    }
    drop(greedy);
}

#[tokio::test]
async fn a_header_beyond_the_limit_is_refused() {
    let edge = Edge::start(Limits::default()).await;
    let mut client = edge.client().await;
    let long = "x".repeat(64 * 1024);
    client.send(format!("GET /things HTTP/1.1\r\nx-long: {long}\r\n")).await;
    client.answer().await.unwrap().refused(400, "invalid_header");
    assert!(client.closed().await.is_empty());
}

#[tokio::test]
async fn a_request_that_is_not_http_is_refused_in_the_same_shape() {
    let edge = Edge::start(Limits::default()).await;
    let many = "x-many: 1\r\n".repeat(101);
    for wrong in [
        "nonsense\r\n\r\n",
        "GET /things\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /things HTTP/1.1\r\nno colon\r\n\r\n",
        "POST /open HTTP/1.1\r\nhost: e\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        "POST /open HTTP/1.1\r\nhost: e\r\ncontent-length: -1\r\n\r\n",
        &format!("GET /things HTTP/1.1\r\n{many}\r\n"),
    ] {
        let mut client = edge.client().await;
        client.send(wrong).await;
        let answer = client.answer().await.unwrap();
        answer.refused(400, "invalid_header");
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(client.closed().await.is_empty());
    }
}

#[tokio::test]
async fn absurd_settings_do_not_break_the_machinery() {
    let forever = Duration::MAX;
    let limits = Limits {
        max_header_bytes: 0,
        max_connections: usize::MAX,
        request_timeout: forever,
        first_byte_timeout: forever,
        header_timeout: forever,
        write_timeout: forever,
        drain_timeout: forever,
        ..Limits::default()
    };
    let mut edge = Edge::start(limits).await;
    assert_eq!(edge.ask("POST /open/tiny", &[JSON], "{}").await.status, 200);
    edge.stop();
    assert_eq!(edge.drained().await.cut, 0);
}

#[tokio::test]
async fn one_connection_too_many_is_refused() {
    let edge = Edge::start(Limits { max_connections: 2, ..Limits::default() }).await;
    let (mut one, mut two) = (edge.client().await, edge.client().await);
    assert_eq!(one.ask("GET /things/1", &[], "").await.status, 200);
    assert_eq!(two.ask("GET /things/1", &[], "").await.status, 200);
    let mut three = edge.client().await;
    let answer = three.answer().await.unwrap();
    answer.refused(503, "unavailable");
    assert_eq!((answer.header("retry-after"), answer.header("connection")), (Some("1"), Some("close")));
    assert!(three.closed().await.is_empty());
    assert_eq!(one.ask("GET /things/1", &[], "").await.status, 200);
    drop(two);
    // A slot is free as soon as the server has noticed the end of the second connection.
    while edge.ask("GET /things/1", &[], "").await.status != 200 {}
}

#[tokio::test]
async fn one_address_can_not_take_every_place() {
    let edge = Edge::start(Limits { max_connections_per_address: 20, ..Limits::default() }).await;
    let mut attackers = Vec::new();
    for _ in 0..20 {
        let mut attacker = edge.client().await;
        attacker.send("GET /things HTTP/1.1\r\nx-slow: ").await;
        attackers.push(attacker);
    }
    edge.client().await.answer().await.unwrap().refused(503, "unavailable");
    let mut till = Client::connect_from([127, 0, 0, 2], edge.address).await;
    assert_eq!(till.ask("GET /things/1", &[], "").await.data()["peer"], "127.0.0.2");
}

#[tokio::test]
async fn a_panic_in_a_handler_is_an_internal_error() {
    let edge = Edge::start(Limits::default()).await;
    let mut client = edge.client().await;
    let answer = client.ask("POST /panic", &[JSON, "x-request-id: p-1"], "{}").await;
    answer.refused(500, "internal");
    assert_eq!(answer.header("x-request-id"), Some("p-1"));
    assert!(!String::from_utf8_lossy(&answer.body).contains("purpose"));
    assert_eq!(client.ask("GET /things/1", &[], "").await.status, 200);
}

#[tokio::test]
async fn a_handler_runs_to_its_end_when_its_peer_hangs_up() {
    let edge = Edge::start(Limits { max_connections: 1, ..Limits::default() }).await;
    let mut gone = edge.client().await;
    gone.send("GET /slow HTTP/1.1\r\nhost: edge\r\n\r\n").await;
    edge.desk.entered.notified().await;
    drop(gone);
    // The client has gone, but its slot is still taken: disconnected clients cause no more handlers than slots.
    edge.client().await.answer().await.unwrap().refused(503, "unavailable");
    edge.desk.released.notify_one();
    edge.desk.left.notified().await;
    while edge.ask("GET /things/1", &[], "").await.status != 200 {}
}

#[tokio::test]
async fn strangers_who_only_open_connections_keep_nobody_out_who_works_here() {
    let limits = Limits { max_connections: 40, max_connections_per_address: 20, ..Limits::default() };
    let edge = Edge::start(limits).await;
    let manager = edge.bearer(Role::StoreManager);
    let make = |till: u8| {
        let (address, manager) = (edge.address, manager.clone());
        async move {
            let mut till = Client::connect_from([127, 0, 1, till], address).await;
            till.ask("POST /things", &[&manager, JSON], r#"{"name":"n","items":[]}"#).await.status
        }
    };
    for till in 1..=3 {
        assert_eq!(make(till).await, 201, "{till}");
    }
    let mut strangers = Vec::new();
    for stranger in 0..60 {
        let mut client = Client::connect_from([127, 0, 2, stranger % 3], edge.address).await;
        // A refused connection is closed.
        let _ = client.stream.write_all(b"G").await;
        strangers.push(client);
        assert_eq!(make(stranger % 3 + 1).await, 201, "{stranger}");
    }
    // New clients are also accepted: the address with the most connections gives up a slot.
    assert_eq!(make(9).await, 201);
}
