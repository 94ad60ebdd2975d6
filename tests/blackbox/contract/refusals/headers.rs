//! Invalid paths, methods, headers and queries.

use super::{Bench, one_line};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use testkit::wait;

const SALES: &str = "/api/pos/transactions";

#[test]
fn a_wrong_path_or_method_says_so() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let mut nobody = bench.store.client();
        for path in [
            "/",
            "/api",
            "/api/",
            "/api/nothing",
            "/api/pos/transactions/x/y/z",
            "/API/stock",
            "/api/%2e%2e/health",
        ] {
            nobody.get(path).refused(404, "path_not_found");
            bench.till.post(path, &json!({})).refused(404, "path_not_found");
        }
        for (method, path, allowed) in [
            ("DELETE", SALES, &["GET", "POST"][..]),
            ("PUT", "/api/stock/8990001", &["GET"]),
            ("GET", "/api/shifts/open", &["POST"]),
            ("POST", "/health", &["GET"]),
            ("PATCH", "/api/receiving", &["POST"]),
        ] {
            let reply = bench.till.send(method, path, &[], b"");
            reply.refused(405, "method_not_allowed");
            let allow = reply.header("allow").expect("405 without Allow");
            let named: Vec<&str> = allow.split(',').map(str::trim).collect();
            assert!(allowed.iter().all(|method| named.contains(method)), "{path}: {allow}");
            assert!(!named.contains(&method), "{path}: {allow}");
        }
        let text = bench.till.send(
            "POST",
            SALES,
            &[("Content-Type", "text/plain")],
            one_line().to_string().as_bytes(),
        );
        text.refused(415, "unsupported_media_type");
    });
}

#[test]
fn bad_headers_and_queries_say_so() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let body = one_line().to_string().into_bytes();
        let long = "k".repeat(256);
        for key in ["", &long, "two words", "caf\u{e9}"] {
            bench.till.send("POST", SALES, &[("Idempotency-Key", key)], &body).refused(400, "invalid_header");
        }
        for register in ["", &"r".repeat(33), "till 1", "till/1", "k\u{e9}"] {
            bench
                .till
                .send("POST", SALES, &[("X-Register-Id", register)], &body)
                .refused(400, "invalid_header");
        }
        for query in ["limit=0", "limit=501", "limit=-1", "limit=abc", "limit=", "limit=99999999999999999999"]
        {
            bench.manager.get(&format!("/api/stock?{query}")).refused(400, "invalid_query");
            bench
                .manager
                .get(&format!("{SALES}?shift_id={}&{query}", bench.shift_id))
                .refused(400, "invalid_query");
        }
        bench.manager.get(&format!("{SALES}?state=sleeping")).refused(400, "invalid_query");
        for cursor in ["x", "%00", "AAAA", "-1", &"A".repeat(2_000), "99999999999999999999"] {
            bench
                .manager
                .get(&format!("/api/stock/8990001/movements?cursor={cursor}"))
                .refused(400, "invalid_cursor");
        }
    });
}

#[test]
fn request_ids_are_echoed_or_made() {
    let bench = Bench::open();
    let mut client = bench.store.client();
    let echoed = client.send("GET", "/health", &[("X-Request-Id", "till-7/42")], b"");
    assert_eq!(echoed.header("x-request-id"), Some("till-7/42"));
    let refused = client.send("GET", "/nothing", &[("X-Request-Id", "till-7/43")], b"");
    refused.refused(404, "path_not_found");
    assert_eq!(refused.header("x-request-id"), Some("till-7/43"));
    for bad in ["", &"x".repeat(129), "two words", "caf\u{e9}"] {
        let made = client.send("GET", "/health", &[("X-Request-Id", bad)], b"");
        assert!(
            made.header("x-request-id").is_some_and(|id| !id.is_empty() && id != bad),
            "{:?}",
            made.headers
        );
    }
}

#[test]
fn half_a_header_does_not_hold_a_connection() {
    let mut bench = Bench::open_with("http.request_timeout = \"2s\"\n");
    bench.unchanged_by(|bench| {
        let starts =
            [&b""[..], b"P", b"POST /api/pos/transactions HTTP/1.1\r\nHost: st", b"GET /health HTTP/1.1\r\n"];
        let begun = Instant::now();
        let mut held: Vec<_> = starts
            .into_iter()
            .map(|start| {
                let mut stream = bench.till.connect().unwrap();
                stream.write_all(start).unwrap();
                stream.set_nonblocking(true).unwrap();
                stream
            })
            .collect();
        wait::until("the daemon closes silent connections", || {
            held.retain_mut(|stream| !closed(stream));
            held.is_empty().then_some(())
        });
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    });
}

/// Returns whether the other side has closed the connection. Discards what it sent before.
fn closed(stream: &mut std::net::TcpStream) -> bool {
    let mut said = [0; 1024];
    loop {
        match std::io::Read::read(stream, &mut said) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn a_peer_outside_the_allowed_networks_gets_nothing_else() {
    let mut store = testkit::Store::prepare("http.allowed_networks = [\"10.0.0.0/8\"]\n", 0);
    store.spawn();
    let mut client = store.client();
    let reply = wait::until("the daemon answers", || client.try_send("GET", "/health", &[], b"").ok());
    reply.refused(403, "network_not_allowed");
    assert_eq!(reply.header("connection"), Some("close"), "the daemon answers and closes");
    store.stop();
}
