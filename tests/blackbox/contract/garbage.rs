//! Random bytes on the socket: the daemon closes the connection, answers with an error, and continues selling.

use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;
use testkit::dice::Random;
use testkit::store::Store;

/// Number of connections with each kind of garbage.
const ROUNDS: usize = 150;

#[test]
fn garbage_on_the_socket_kills_nothing() {
    let mut random = Random::announced("garbage");
    let mut store = Store::open_with("http.request_timeout = \"2s\"\n", 1);
    let pid = store.daemon().pid();
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let token = till.token().unwrap().to_owned();
    let hasty = store.client().patient_for(Duration::from_millis(50));
    for round in 0..ROUNDS {
        for bytes in [noise(&mut random), mangled(&mut random, &token), bad_framing(&mut random)] {
            let Ok(mut stream) = hasty.connect() else { panic!("round {round}: refused") };
            // Either side may close first. The next till must still be able to connect.
            let _ = stream.write_all(&bytes);
            if random.below(2) == 0 {
                let _ = stream.shutdown(std::net::Shutdown::Write);
            }
            let _ = stream.read(&mut [0; 512]);
        }
        if round % 25 == 0 {
            store.client().get("/health").data(200);
        }
    }
    let health = store.client().get("/health").data(200);
    assert_eq!(health["actors"]["restarting"], json!(0), "{health}");
    let sale = json!({"items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    till.post("/api/pos/transactions", &sale).data(201);
    assert_eq!(store.daemon().pid(), pid);
    assert!(store.daemon().ended().is_none());
    let log = store.daemon().log();
    assert!(!log.contains("panicked"), "input from outside caused a panic:\n{log}");
    store.stop();
    store.verify();
}

fn noise(random: &mut Random) -> Vec<u8> {
    let length = random.below(4_096) as usize;
    random.bytes(length)
}

/// Returns a valid request with some bytes changed, removed or duplicated.
fn mangled(random: &mut Random, token: &str) -> Vec<u8> {
    let body = r#"{"items": [{"sku": "8990001", "qty": 1, "price": 2000}], "note": "x"}"#;
    let mut bytes = format!(
        "POST /api/pos/transactions?limit=5 HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(3) {
            0 => bytes[at] = random.bytes(1)[0],
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, bytes[at]),
        }
    }
    bytes
}

/// Returns heads with contradictory framing.
fn bad_framing(random: &mut Random) -> Vec<u8> {
    let frames = [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n",
        "Transfer-Encoding: gzip\r\n\r\n{}",
        "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n",
        "Upgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    ];
    let frame = frames[random.below(frames.len() as u64) as usize];
    let path = ["/api/auth/login", "/api/pos/transactions", "*", "http://store/health", "/%", "/\u{0}"];
    let path = path[random.below(path.len() as u64) as usize];
    format!("POST {path} HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n{frame}").into_bytes()
}
