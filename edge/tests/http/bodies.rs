//! Bodies: media type, size, syntax, shape, in this order, after the token and the role.

use super::desk::Edge;
use domain::model::people::user::Role;
use edge::Limits;
use edge::limits::{BODIES_BYTES_MAX, BODY_FREE_BYTES, PUBLIC_BODY_BYTES_MAX};
use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use std::io::Write;

const JSON: &str = "content-type: application/json";
const THING: &str = r#"{"name":"n","items":[{"qty":1}]}"#;

fn small() -> Limits {
    Limits { max_body_bytes: 1000, max_import_bytes: 64, ..Limits::default() }
}

#[tokio::test]
async fn the_order_of_checks_is_the_contract() {
    let edge = Edge::start(small()).await;
    let huge = "x".repeat(1001);
    edge.ask("POST /nothing", &[], &huge).await.refused(404, "path_not_found");
    edge.ask("DELETE /things", &[], &huge).await.refused(405, "method_not_allowed");
    edge.ask("POST /things", &[], &huge).await.refused(401, "missing_token");
    let cashier = edge.bearer(Role::Cashier);
    edge.ask("POST /things", &[&cashier], &huge).await.refused(403, "insufficient_role");
    let manager = edge.bearer(Role::StoreManager);
    edge.ask("POST /things", &[&manager], &huge).await.refused(415, "unsupported_media_type");
    let details = edge.ask("POST /things", &[&manager, JSON], &huge).await.refused(413, "body_too_large");
    assert_eq!(details["limit_bytes"], 1000);
    edge.ask("POST /things", &[&manager, JSON], "{").await.refused(400, "invalid_json");
    edge.ask("POST /things", &[&manager, JSON], "{}").await.refused(422, "validation_failed");
    assert_eq!(edge.ask("POST /things", &[&manager, JSON], THING).await.status, 201);
}

#[tokio::test]
async fn a_body_needs_its_media_type() {
    let edge = Edge::start(small()).await;
    for wrong in ["text/plain", "application/json-patch+json", "multipart/form-data", ""] {
        let line = format!("content-type: {wrong}");
        edge.ask("POST /open", &[&line], THING).await.refused(415, "unsupported_media_type");
    }
    edge.ask("POST /open", &[], THING).await.refused(415, "unsupported_media_type");
    for right in ["application/json", "Application/JSON", "application/json; charset=utf-8"] {
        let line = format!("content-type: {right}");
        assert_eq!(edge.ask("POST /open", &[&line], THING).await.status, 201);
    }
    let brotli = edge.ask("POST /open", &[JSON, "content-encoding: br"], THING).await;
    brotli.refused(415, "unsupported_media_type");
}

#[tokio::test]
async fn an_empty_body_is_no_json_unless_it_is_optional() {
    let edge = Edge::start(small()).await;
    edge.ask("POST /open", &[], "").await.refused(400, "invalid_json");
    edge.ask("POST /open", &[JSON, "content-length: 0"], "").await.refused(400, "invalid_json");
    assert_eq!(edge.ask("POST /open/optional", &[], "").await.data()["body"], "{}");
    edge.ask("POST /open/optional", &[], "{}").await.refused(415, "unsupported_media_type");
    assert_eq!(edge.ask("POST /open/none", &[], "ignored").await.data()["body"], "ignored");
}

#[tokio::test]
async fn syntax_is_400_wherever_it_breaks() {
    let edge = Edge::start(Limits::default()).await;
    let deep = "[".repeat(4_000);
    let broken = [
        "{",
        "nonsense",
        "{\"name\":1,}",
        r#"{"unknown":1} x"#,
        r#"{"name":1, "items": [}"#,
        r#"{"name":"\ud800","items":[]}"#,
        "{\"name\":\"n\",\"items\":[]}{}",
        "{\"name\":\"n\",\"name\":\"m\",\"items\":[]}",
        "{\"name\":\"n\",\"items\":[{\"qty\":1,\"qty\":2}]}",
        deep.as_str(),
    ];
    for body in broken {
        edge.ask("POST /open", &[JSON], body).await.refused(400, "invalid_json");
    }
    let mut client = edge.client().await;
    client.send(format!("POST /open HTTP/1.1\r\nhost: e\r\n{JSON}\r\ncontent-length: 12\r\n\r\n")).await;
    client.send(b"{\"name\":\"\xff\"}").await;
    client.answer().await.unwrap().refused(400, "invalid_json");
}

#[tokio::test]
async fn shape_is_422_with_the_path() {
    let edge = Edge::start(small()).await;
    for (body, path, problem) in [
        (r#"{"name":"n","items":[{"qty":"1"}]}"#, "items[0].qty", "must be a whole number"),
        (r#"{"name":"n","items":[{"qty":1.5}]}"#, "items[0].qty", "must be a whole number"),
        (r#"{"name":"n","items":[{"qty":9223372036854775808}]}"#, "items[0].qty", "must be a whole number"),
        (r#"{"name":"n","items":[],"extra":1}"#, "extra", "is not a known field; the fields are: "),
        (
            r#"{"name":"n","items":[{"qty":1,"x":{}}]}"#,
            "items[0].x",
            "is not a known field; the fields are: ",
        ),
        (r#"{"name":"n"}"#, "items", "is missing"),
        (r#"{"name":"n","items":[{"qty":1},{}]}"#, "items[1].qty", "is missing"),
        ("{\"name\":\"n\\u0000\",\"items\":[]}", "name", "U+0000"),
        (r#"{"name":null,"items":[]}"#, "name", "must be a string"),
        (r#"["n",[]]"#, ".", "must be an object"),
        (r#"{"name":"n","items":[[1]]}"#, "items[0]", "must be an object"),
        ("null", ".", "must be an object"),
    ] {
        let details = edge.ask("POST /open", &[JSON], body).await.refused(422, "validation_failed");
        let field = &details["fields"][0];
        assert_eq!(field["path"], path, "{body}");
        assert!(field["problem"].as_str().unwrap().contains(problem), "{body}: {field}");
        assert!(!field["problem"].as_str().unwrap().contains("line"), "{field}");
    }
}

#[tokio::test]
async fn chunked_bodies_are_taken_and_counted() {
    let edge = Edge::start(small()).await;
    let mut client = edge.client().await;
    let head = format!("POST /open HTTP/1.1\r\nhost: edge\r\n{JSON}\r\ntransfer-encoding: chunked\r\n\r\n");
    let (one, two) = THING.split_at(10);
    client.send(&head).await;
    client.send(format!("{:x}\r\n{one}\r\n", one.len())).await;
    client.send(format!("{:x}\r\n{two}\r\n0\r\n\r\n", two.len())).await;
    assert_eq!(client.answer().await.unwrap().status, 201);
    client.send(&head).await;
    for _ in 0..3 {
        client.send(format!("{:x}\r\n{}\r\n", 400, " ".repeat(400))).await;
    }
    let refused = client.answer().await.unwrap();
    refused.refused(413, "body_too_large");
    assert_eq!(refused.header("connection"), Some("close"));
    client.closed().await;
}

#[tokio::test]
async fn the_limit_is_exact_and_the_route_may_have_its_own() {
    let edge = Edge::start(small()).await;
    let mut client = edge.client().await;
    let fits = client.ask("POST /open/tiny", &[JSON], &" ".repeat(64)).await;
    assert_eq!(fits.data()["bytes"], 64);
    client.ask("POST /open/tiny", &[JSON], &" ".repeat(65)).await.refused(413, "body_too_large");
}

#[tokio::test]
async fn a_table_has_its_own_media_type() {
    let edge = Edge::start(small()).await;
    let csv = "content-type: text/csv; charset=utf-8";
    assert_eq!(edge.ask("POST /open/csv", &[csv], "sku,name\n").await.data()["bytes"], 9);
    edge.ask("POST /open/csv", &[JSON], "{}").await.refused(415, "unsupported_media_type");
    edge.ask("POST /open", &[csv], THING).await.refused(415, "unsupported_media_type");
    edge.ask("POST /open/csv", &[csv], &"x".repeat(65)).await.refused(413, "body_too_large");
}

#[tokio::test]
async fn an_announced_giant_is_refused_before_it_is_sent() {
    let edge = Edge::start(small()).await;
    let mut client = edge.client().await;
    let head = format!("POST /open HTTP/1.1\r\nhost: edge\r\n{JSON}\r\ncontent-length: 999999999999\r\n\r\n");
    client.send(head).await;
    client.answer().await.unwrap().refused(413, "body_too_large");
    client.closed().await;
}

#[tokio::test]
async fn a_giant_that_is_sent_still_reads_its_refusal() {
    let edge = Edge::start(Limits::default()).await;
    let body = "x".repeat(4 << 20);
    edge.ask("POST /open", &[JSON], &body).await.refused(413, "body_too_large");
}

#[tokio::test]
async fn gzip_is_unpacked_up_to_the_limit() {
    let edge = Edge::start(small()).await;
    let gzip = |plain: &[u8]| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(plain).unwrap();
        packer.finish().unwrap()
    };
    let whole = gzip(json!({"name": "n", "items": []}).to_string().as_bytes());
    let bomb = gzip(&vec![b' '; 1 << 20]);
    assert!(bomb.len() > 1000 && bomb.len() < 2000);
    let cut = whole[..whole.len() - 9].to_vec();
    let tight = gzip(&[b' '; 1001]);
    answers(&edge, "X-GZIP", vec![(whole.clone(), 201)]).await;
    answers(&edge, "gzip", vec![(whole, 201), (cut, 400), (tight, 413), (bomb, 413)]).await;
}

#[tokio::test]
async fn zstd_is_unpacked_up_to_the_limit() {
    let edge = Edge::start(small()).await;
    let pack = |plain: &[u8]| zstd::encode_all(plain, 3).unwrap();
    let whole = pack(json!({"name": "n", "items": []}).to_string().as_bytes());
    let bomb = pack(&vec![b' '; 1 << 20]);
    let cut = whole[..whole.len() - 3].to_vec();
    let tight = pack(&[b' '; 1001]);
    // A window of 1 GiB is requested, and refused before memory is allocated for it.
    let mut greedy = zstd::Encoder::new(Vec::new(), 1).unwrap();
    greedy.window_log(30).unwrap();
    std::io::copy(&mut &vec![b' '; 2 << 20][..], &mut greedy).unwrap();
    let greedy = greedy.finish().unwrap();
    let table = vec![(whole, 201), (cut, 400), (tight, 413), (bomb, 413), (greedy, 400)];
    answers(&edge, "zstd", table).await;
}

#[tokio::test]
async fn without_a_token_little_is_taken_and_all_bodies_share_a_budget() {
    let edge = Edge::start(Limits::default()).await;
    let mut client = edge.client().await;
    let space = |bytes: usize| " ".repeat(bytes);
    for path in ["POST /open", "POST /open/optional", "POST /open/none"] {
        let details = client.ask(path, &[JSON], &space(PUBLIC_BODY_BYTES_MAX + 1)).await;
        assert_eq!(details.refused(413, "body_too_large")["limit_bytes"], PUBLIC_BODY_BYTES_MAX);
        client = edge.client().await;
        assert_ne!(client.ask(path, &[JSON], &space(PUBLIC_BODY_BYTES_MAX)).await.status, 413);
    }
    // Bodies that lack their last byte are held until the budget is spent.
    let manager = edge.bearer(Role::StoreManager);
    let head = |bytes| {
        format!("POST /things HTTP/1.1\r\nhost: e\r\n{manager}\r\n{JSON}\r\ncontent-length: {bytes}\r\n\r\n")
    };
    let mut held = Vec::new();
    let whole = 1 << 20;
    for _ in 0..=BODIES_BYTES_MAX / (whole - BODY_FREE_BYTES) {
        let mut client = edge.client().await;
        client.send(head(whole)).await;
        client.send(space(whole - 1)).await;
        held.push(client);
    }
    // Which of them is last is not known.
    let answers = held.iter_mut().map(|client| Box::pin(client.answer()));
    let (refused, ..) = futures_util::future::select_all(answers).await;
    let refused = refused.unwrap();
    refused.refused(503, "unavailable");
    assert_eq!((refused.header("retry-after"), refused.header("connection")), (Some("1"), Some("close")));
    // A till's own body is small and accepted.
    assert_eq!(edge.ask("POST /things", &[&manager, JSON], THING).await.status, 201);
    drop(held);
}

async fn answers(edge: &Edge, packing: &str, table: Vec<(Vec<u8>, u16)>) {
    for (index, (packed, status)) in table.into_iter().enumerate() {
        let mut client = edge.client().await;
        let lines = format!("{JSON}\r\ncontent-encoding: {packing}\r\ncontent-length: {}", packed.len());
        client.send(format!("POST /open HTTP/1.1\r\nhost: edge\r\n{lines}\r\n\r\n")).await;
        client.send(&packed).await;
        assert_eq!(client.answer().await.unwrap().status, status, "{packing} {index}");
    }
}
