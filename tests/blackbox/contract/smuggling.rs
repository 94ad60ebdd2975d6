//! Requests that two servers could parse differently, sent to both real binaries: each gets one answer and its
//! connection is closed, so bytes hidden behind it are never taken for a request.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use testkit::hub::Hub;
use testkit::store::Store;

/// Request hidden in the body of each request, or behind it. If it was parsed, it would be answered with 404.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: store\r\n\r\n";
const POST: &str = "POST /api/auth/login HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n";
/// Time for which both programs wait for the next request on an open connection.
const IDLE: &str = "1s";
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns requests, each with the only status that may answer it.
fn corpus() -> Vec<(u16, String)> {
    let mut cases = Vec::new();
    // Two lengths, or an invalid one. RFC 9112 6.3: `Transfer-Encoding` overrides `Content-Length`, and the connection
    // is closed afterwards.
    for lines in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 5",
        "Content-Length: +5",
        "Content-Length: -1",
        "Content-Length: 0x5",
        "Content-Length: 5 5",
        "Content-Length: 1e1",
        "Content-Length: 18446744073709551616",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding: \u{b}chunked",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding\t: chunked",
        "Transfer-Encoding",
        " Transfer-Encoding: chunked",
        "X: y\r\n Transfer-Encoding: chunked",
        "X: y\r\n\tfolded",
        "X: a\rContent-Length: 5",
        "X: a\u{0}b",
        "X\u{0}: a",
        "X y: a",
        ": a",
    ] {
        cases.push((400, format!("{POST}{lines}\r\n\r\n0\r\n\r\n{HIDDEN}")));
    }
    // Invalid chunks.
    for chunks in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "+2\r\n{}\r\n0\r\n\r\n",
        " \r\n{}\r\n0\r\n\r\n",
        "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "2\r\n{}XX0\r\n\r\n",
        "2\n{}\r\n0\r\n\r\n",
        "2;a\rb\r\n{}\r\n0\r\n\r\n",
        "\r\n2\r\n{}\r\n0\r\n\r\n",
    ] {
        cases.push((400, format!("{POST}Transfer-Encoding: chunked\r\n\r\n{chunks}{HIDDEN}")));
    }
    // Request lines and hosts.
    for head in [
        "GET  /health HTTP/1.1\r\nHost: store",
        "GET\t/health\tHTTP/1.1\r\nHost: store",
        " GET /health HTTP/1.1\r\nHost: store",
        "GET /health http/1.1\r\nHost: store",
        "GET /health HTTP/1.1 \r\nHost: store",
        "GET /health HTTP/1.2\r\nHost: store",
        "GET /health\r\nHost: store",
        "GET /health HTTP/1.1\r\nX: y",
        "GET /health HTTP/1.1\r\nHost: store\r\nHost: store",
        "GET /health HTTP/1.1\r\nHost: store, evil.example",
        "GET /health HTTP/1.1\r\nHost: user@store",
        "GET /health HTTP/1.1\r\nHost:",
        "POST /api/auth/login HTTP/1.0\r\nHost: store\r\nTransfer-Encoding: chunked",
        "PRI * HTTP/2.0\r\nHost: store",
    ] {
        cases.push((400, format!("{head}\r\n\r\n{HIDDEN}")));
    }
    for head in [
        "GET /health HTTP/1.1\r\nHost: evil.example",
        "GET /health HTTP/1.1\r\nHost: evil.example:8081",
        "GET /health HTTP/1.1\r\nHost: localhost.evil.example",
        "GET /health HTTP/1.1\r\nHost: 203.0.113.5",
        "GET http://evil.example/health HTTP/1.1\r\nHost: store",
        "GET http://store/health HTTP/1.1\r\nHost: evil.example",
    ] {
        cases.push((421, format!("{head}\r\n\r\n{HIDDEN}")));
    }
    // An unexpected body is still read as a body. The server switches to no other protocol.
    let length = HIDDEN.len();
    cases.push((
        200,
        format!("GET /health HTTP/1.1\r\nHost: store\r\nContent-Length: {length}\r\n\r\n{HIDDEN}"),
    ));
    cases.push((
        404,
        format!("CONNECT store:80 HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n{HIDDEN}"),
    ));
    cases.push((
        200,
        "GET /health HTTP/1.1\r\nHost: store\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\
         HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
            .to_owned(),
    ));
    cases
}

/// Returns everything that the server sends until it closes the connection.
fn said(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).unwrap_or_else(|error| panic!("{request:?} was left open: {error}"));
    String::from_utf8(said).unwrap()
}

fn statuses(said: &str) -> Vec<u16> {
    said.match_indices("HTTP/1.1 ").map(|(at, name)| said[at + name.len()..][..3].parse().unwrap()).collect()
}

fn try_all(address: SocketAddr) {
    let mut wrong = Vec::new();
    for (status, request) in corpus() {
        let said = said(address, &request);
        if statuses(&said) != [status] {
            wrong.push(format!("{request:?}\n  is answered {:?} instead of {status}", statuses(&said)));
        } else if status >= 400 {
            assert!(said.contains("\"success\":false"), "{request:?}: {said}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_store_answers_once_what_could_be_read_twice() {
    let mut store = Store::open_with(&format!("http.header_timeout = \"{IDLE}\"\n"), 1);
    try_all(store.address());
    store.client().get("/health").data(200);
    store.stop();
}

#[test]
fn so_does_a_hub() {
    let mut hub = Hub::open();
    hub.restart_with(&[("CLOUD_HUB__HTTP__HEADER_TIMEOUT", IDLE)]);
    try_all(hub.address());
    hub.client().get("/health").data(200);
}
