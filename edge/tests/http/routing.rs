//! Which route answers a path, and the answers of other paths.

use super::desk::Edge;
use edge::Limits;

#[tokio::test]
async fn literal_segments_win_over_parameters() {
    let edge = Edge::start(Limits::default()).await;
    assert_eq!(edge.ask("GET /things/current", &[], "").await.data()["current"], true);
    assert_eq!(edge.ask("GET /things/42", &[], "").await.data()["id"], "42");
    let part = edge.ask("GET /things/current/parts/9", &[], "").await.data();
    assert_eq!((part["id"].as_str(), part["part"].as_str()), (Some("current"), Some("9")));
}

#[tokio::test]
async fn parameters_are_percent_decoded() {
    let edge = Edge::start(Limits::default()).await;
    let data = edge.ask("GET /things/a%2Fb%20%C3%A9", &[], "").await.data();
    assert_eq!(data["id"], "a/b é");
    assert_eq!(data["path"], "/things/a%2Fb%20%C3%A9");
}

#[tokio::test]
async fn anything_else_is_not_found() {
    let edge = Edge::start(Limits::default()).await;
    let long = format!("/things/{}", "x".repeat(257));
    let unreadable = ["/things/%zz", "/things/%ff", "/things/%e", "/things/a%00b", "/things//parts/1"];
    let paths = ["/", "/nothing", "/things/", "/things/1/", "/things/1/parts", "//things", long.as_str()];
    for path in paths.into_iter().chain(unreadable) {
        edge.ask(&format!("GET {path}"), &[], "").await.refused(404, "path_not_found");
    }
    edge.ask("OPTIONS *", &[], "").await.refused(404, "path_not_found");
}

#[tokio::test]
async fn another_method_is_refused_with_the_allowed_ones() {
    let edge = Edge::start(Limits::default()).await;
    let answer = edge.ask("DELETE /things/1", &[], "").await;
    let details = answer.refused(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), Some("GET, PATCH, HEAD"));
    assert_eq!(details["allowed"], serde_json::json!(["GET", "PATCH", "HEAD"]));
    let current = edge.ask("PATCH /things/current", &[], "").await;
    current.refused(405, "method_not_allowed");
    assert_eq!(current.header("allow"), Some("GET, HEAD"));
    edge.ask("BREW /things", &[], "").await.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn head_is_a_get_without_its_body() {
    let edge = Edge::start(Limits::default()).await;
    let mut client = edge.client().await;
    let head = client.ask("HEAD /things/current", &[], "").await;
    let get = client.ask("GET /things/current", &[], "").await;
    assert_eq!((head.status, get.status), (200, 200));
    assert_eq!(head.header("content-length"), get.header("content-length"));
    assert!(head.body.is_empty() && !get.body.is_empty());
}

#[tokio::test]
async fn requests_are_counted_by_pattern() {
    let edge = Edge::start(Limits::default()).await;
    edge.ask("GET /things/12/parts/34", &[], "").await.data();
    let metrics = edge.ask("GET /metrics", &[], "").await;
    assert_eq!(metrics.status, 200);
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4"));
    let text = String::from_utf8(metrics.body).unwrap();
    let row = r#"http_requests_total{route="/things/:id/parts/:part",method="GET",status="200"} "#;
    assert!(text.contains(row), "{text}");
    assert!(text.contains(r#"http_request_seconds_bucket{route="/things/:id/parts/:part",method="GET",le="#));
    assert!(!text.contains("/things/12"));
}
