//! Request IDs, idempotency keys, tills, queries, pages.

use super::desk::Edge;
use domain::model::people::user::Role;
use edge::Limits;
use serde_json::json;

const JSON: &str = "content-type: application/json";
const THING: &str = r#"{"name":"n","items":[{"qty":1}]}"#;

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let edge = Edge::start(Limits::default()).await;
    let mut client = edge.client().await;
    let own = client.ask("GET /things/1", &["x-request-id: till-1/42"], "").await;
    assert_eq!(own.header("x-request-id"), Some("till-1/42"));
    let failed = client.ask("GET /nothing", &["x-request-id: till-1/43"], "").await;
    failed.refused(404, "path_not_found");
    assert_eq!(failed.header("x-request-id"), Some("till-1/43"));
    let longest = format!("x-request-id: {}", "x".repeat(128));
    let answer = client.ask("GET /things/1", &[&longest], "").await;
    assert_eq!(answer.header("x-request-id").map(str::len), Some(128));
    for unfit in [format!("x-request-id: {}", "x".repeat(129)), "x-request-id: two words".to_owned()] {
        let made = client.ask("GET /things/1", &[&unfit], "").await;
        assert!(made.header("x-request-id").unwrap().starts_with("req_"));
    }
}

#[tokio::test]
async fn every_answer_names_the_version_of_the_api() {
    let edge = Edge::start(Limits::default()).await;
    for request in ["GET /things/1", "GET /nothing", "DELETE /things/1", "GET /page", "POST /panic"] {
        let answer = edge.ask(request, &[JSON], "{}").await;
        assert_eq!(answer.header("api-version"), Some(edge::reply::API_VERSION), "{request}");
    }
}

#[tokio::test]
async fn retry_keys_are_visible_ascii() {
    let edge = Edge::start(Limits::default()).await;
    let bearer = edge.bearer(Role::StoreManager);
    let longest = format!("idempotency-key: {}", "k".repeat(255));
    let made = edge.ask("POST /things", &[&bearer, JSON, &longest], THING).await;
    assert_eq!((made.status, made.header("idempotency-replayed")), (201, None));
    assert_eq!(made.header("location"), Some("/things/7"));
    let again = edge.ask("POST /things", &[&bearer, JSON, "idempotency-key: again"], THING).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
    assert_eq!(again.body, made.body);
    let too_long = format!("idempotency-key: {}", "k".repeat(256));
    for unfit in [too_long.as_str(), "idempotency-key: a b", "idempotency-key:", "idempotency-key: é"] {
        let answer = edge.ask("POST /things", &[&bearer, JSON, unfit], THING).await;
        assert_eq!(answer.refused(400, "invalid_header")["header"], "Idempotency-Key", "{unfit}");
    }
    let twice = ["idempotency-key: a", "idempotency-key: b", &bearer, JSON];
    edge.ask("POST /things", &twice, THING).await.refused(400, "invalid_header");
}

#[tokio::test]
async fn a_till_says_its_name() {
    let edge = Edge::start(Limits::default()).await;
    let longest = format!("x-register-id: {}", "a".repeat(32));
    let fit = edge.ask("POST /open/none", &[&longest, "idempotency-key: k1"], "").await.data();
    assert_eq!((fit["register"].as_str().map(str::len), fit["key"].as_str()), (Some(32), Some("k1")));
    let too_long = format!("x-register-id: {}", "a".repeat(33));
    for unfit in [too_long.as_str(), "x-register-id: till 1", "x-register-id: till/1", "x-register-id:"] {
        let answer = edge.ask("POST /open/none", &[unfit], "").await;
        assert_eq!(answer.refused(400, "invalid_header")["header"], "X-Register-Id", "{unfit}");
    }
}

#[tokio::test]
async fn lists_continue_where_they_stopped() {
    let edge = Edge::start(Limits::default()).await;
    let first = edge.ask("GET /things", &[], "").await.data();
    assert_eq!(first["items"].as_array().map(Vec::len), Some(50));
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = edge.ask(&format!("GET /things?limit=500&cursor={cursor}"), &[], "").await.data();
    assert_eq!((rest["items"][0].as_u64(), rest["items"].as_array().map(Vec::len)), (Some(51), Some(70)));
    assert!(rest["next_cursor"].is_null());
}

#[tokio::test]
async fn queries_are_exact() {
    let edge = Edge::start(Limits::default()).await;
    let data = edge.ask("GET /things?limit=1&state=a%20b+c%26", &[], "").await.data();
    assert_eq!(data["state"], "a b c&");
    for query in [
        "limit=0",
        "limit=501",
        "limit=-1",
        "limit=x",
        "limit=",
        "unknown=1",
        "state=a&state=b",
        "state=%zz",
        "state=%ff",
        "state=a%00b",
        "%=1",
        "limit=1&limit=1",
        "=",
    ] {
        edge.ask(&format!("GET /things?{query}"), &[], "").await.refused(400, "invalid_query");
    }
    let long = format!("cursor={}", "A".repeat(2000));
    for query in ["cursor=x", "cursor=", "cursor=!!!", "cursor=IngiCg", long.as_str()] {
        edge.ask(&format!("GET /things?{query}"), &[], "").await.refused(400, "invalid_cursor");
    }
}

#[tokio::test]
async fn a_refused_parameter_is_named_as_a_field_of_a_body_is() {
    let edge = Edge::start(Limits::default()).await;
    for (query, code, name, problem) in [
        ("limit=0", "invalid_query", "limit", "must be 1 to 500"),
        ("limit=ten", "invalid_query", "limit", "must be a whole number of at least 0, within its range"),
        ("limt=1", "invalid_query", "limt", "is not a known field; the fields are: limit, cursor, state"),
        ("state=a&state=b", "invalid_query", "state", "is repeated: send it once"),
        ("state=%zz", "invalid_query", "state", "is badly encoded"),
        ("%zz=1", "invalid_query", "%zz", "is the badly encoded name of a parameter"),
        ("cursor=x", "invalid_cursor", "cursor", "does not belong to this list: start again without it"),
    ] {
        let answer = edge.ask(&format!("GET /things?{query}"), &[], "").await;
        let details = answer.refused(400, code);
        assert_eq!(details, json!({"fields": [{"path": name, "problem": problem}]}), "{query}");
        let text = String::from_utf8(answer.body).unwrap();
        assert!(text.contains(&format!("\"message\":\"{name} {problem}\"")), "{text}");
    }
    let many: String = (0..65).map(|number| format!("p{number}=1&")).collect();
    let details = edge.ask(&format!("GET /things?{many}"), &[], "").await.refused(400, "invalid_query");
    assert_eq!(details["fields"][0]["path"], "p64");
}
