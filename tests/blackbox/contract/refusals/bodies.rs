//! Bodies that are not JSON, have the wrong shape or values, are too large or never end.

use super::{Bench, one_line};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use testkit::client;

const SALES: &str = "/api/pos/transactions";

#[test]
fn a_body_that_is_not_json_is_refused_as_invalid_json() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let bodies: [&[u8]; 8] = [
            b"{\"items\": [",
            b"{items: []}",
            b"\"",
            b"{} {}",
            b"\xff\xfe{}",
            b"{\"items\": [{\"sku\": \"\xc3\x28\", \"qty\": 1, \"price\": 1}]}",
            b"\0",
            b"nul",
        ];
        for path in [SALES, "/api/shifts/open", "/api/auth/login"] {
            for body in bodies {
                bench.till.send("POST", path, &[], body).refused(400, "invalid_json");
            }
        }
        bench
            .till
            .send("POST", SALES, &[("Content-Type", "application/json")], b"")
            .refused(400, "invalid_json");
        let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        let reply = bench.till.send("POST", SALES, &[], deep.as_bytes());
        assert!(reply.status == 400 || reply.status == 422, "{}", reply.text());
    });
}

#[test]
fn a_wrong_shape_names_the_field() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let line = |field: &str, value: serde_json::Value| {
            let mut body = one_line();
            body["items"][0][field] = value;
            body
        };
        let huge: serde_json::Value = serde_json::from_str("99999999999999999999").unwrap();
        for (body, path) in [
            (line("qty", json!("1")), "items[0].qty"),
            (line("qty", json!(1.5)), "items[0].qty"),
            (line("qty", json!(null)), "items[0].qty"),
            (line("qty", json!(0)), "items[0].qty"),
            (line("qty", json!(-1)), "items[0].qty"),
            (line("qty", json!(1_000_001)), "items[0].qty"),
            (line("qty", huge.clone()), "items[0].qty"),
            (line("price", json!(-1)), "items[0].price"),
            (line("price", json!(1_000_000_000_001_i64)), "items[0].price"),
            (line("price", huge), "items[0].price"),
            (line("price", json!(1e300)), "items[0].price"),
            (line("sku", json!(8990001)), "items[0].sku"),
            (line("sku", json!("")), "items[0].sku"),
            (line("sku", json!("x".repeat(65))), "items[0].sku"),
            (line("discount", json!(-1)), "items[0].discount"),
            (line("discount", json!(2_001)), "items[0].discount"),
            (line("tax", json!(0)), "items[0].tax"),
            (json!({"items": []}), "items"),
            (json!({"items": {}}), "items"),
            (json!({"items": [7]}), "items[0]"),
            (json!({"items": vec![one_line()["items"][0].clone(); 501]}), "items"),
            (json!({"items": one_line()["items"], "total": 1}), "total"),
            (json!({"items": one_line()["items"], "discount": 2_001}), "discount"),
            (json!({"items": one_line()["items"], "shift_id": 5}), "shift_id"),
            (json!({}), "items"),
        ] {
            let reply = bench.till.post(SALES, &body);
            println!("{path}: {} {}", reply.status, reply.text());
            reply.invalid_field(path);
        }
        for body in [json!([]), json!("text"), json!(1), json!(null)] {
            bench.till.post(SALES, &body).refused(422, "validation_failed");
        }
    });
}

#[test]
fn a_sum_that_overflows_is_refused() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let most = json!({"sku": "8990001", "qty": 1_000_000, "price": 1_000_000_000_000_i64});
        bench.till.post(SALES, &json!({"items": [most]})).refused(422, "validation_failed");
        bench.till.post(SALES, &json!({"items": vec![most; 500]})).refused(422, "validation_failed");
        let float = json!({"opening_float": i64::MAX});
        let mut other = bench.store.login("till-2").at_register("till-2");
        other.post("/api/shifts/open", &float).refused(422, "validation_failed");
        let received = json!({"lines": [{"sku": "8990001", "qty": i64::MAX, "unit_cost": i64::MAX}]});
        bench.manager.post("/api/receiving", &received).refused(422, "validation_failed");
    });
}

#[test]
fn a_body_that_is_too_large_is_refused_unread() {
    let mut bench = Bench::open();
    bench.unchanged_by(|bench| {
        let large = vec![b' '; (1 << 20) + 1];
        // The daemon may answer and close before it has read everything. The client can still read the answer.
        let mut stream = bench.till.connect().unwrap();
        let head = head(bench, &format!("Content-Length: {}", large.len()));
        stream.write_all(head.as_bytes()).unwrap();
        client::read_reply(&mut stream).unwrap().0.refused(413, "body_too_large");

        let mut stream = bench.till.connect().unwrap();
        stream.write_all(self::head(bench, "Transfer-Encoding: chunked").as_bytes()).unwrap();
        for part in large.chunks(1 << 18) {
            let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
            if stream.write_all(&chunk).is_err() {
                break;
            }
        }
        client::read_reply(&mut stream).unwrap().0.refused(413, "body_too_large");

        let fits = vec![b' '; 1 << 20];
        bench.till.send("POST", SALES, &[], &fits).refused(400, "invalid_json");
    });
}

fn head(bench: &Bench, framing: &str) -> String {
    format!(
        "POST {SALES} HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n{framing}\r\n\r\n",
        bench.till.token().unwrap()
    )
}

#[test]
fn a_dripping_body_ends_in_a_timeout() {
    let mut bench = Bench::open_with("http.request_timeout = \"2s\"\n");
    bench.unchanged_by(|bench| {
        let mut stream = bench.till.connect().unwrap();
        stream.write_all(head(bench, "Content-Length: 1000").as_bytes()).unwrap();
        let begun = Instant::now();
        let mut drip = stream.try_clone().unwrap();
        let dripping = std::thread::spawn(move || {
            while begun.elapsed() < Duration::from_secs(10) && drip.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        client::read_reply(&mut stream).unwrap().0.refused(408, "request_timeout");
        assert!(begun.elapsed() < Duration::from_secs(8), "the limit is 2 s: {:?}", begun.elapsed());
        drop(stream);
        dripping.join().unwrap();
    });
}
