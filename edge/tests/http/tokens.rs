//! Tokens over HTTP: which ones are accepted, and how the others are refused.

use super::desk::{Edge, user_of};
use domain::model::base::ids::SessionId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::Role;
use edge::{Limits, clock, tokens::sync};

const JSON: &str = "content-type: application/json";
const THING: &str = r#"{"name":"n","items":[]}"#;

#[tokio::test]
async fn only_the_roles_of_the_route_are_let_in() {
    let edge = Edge::start(Limits::default()).await;
    for role in Role::ALL {
        let answer = edge.ask("POST /things", &[&edge.bearer(role), JSON], THING).await;
        if matches!(role, Role::Admin | Role::StoreManager) {
            assert_eq!(answer.status, 201, "{role:?}");
        } else {
            answer.refused(403, "insufficient_role");
        }
    }
}

#[tokio::test]
async fn a_refused_token_says_why() {
    let edge = Edge::start(Limits::default()).await;
    let now = clock::now();
    let expired = edge.bearer_of("usr_1", Role::Admin, UtcMs(now.0 - 3_700_000));
    let gone = edge.bearer_of("usr_gone", Role::Admin, now);
    let disabled = edge.bearer_of("usr_disabled", Role::Admin, now);
    let refresh = edge.desk.keys.issue_refresh(&user_of("usr_1", Role::Admin), &SessionId("s".into()), now);
    let refresh = format!("authorization: Bearer {}", refresh.unwrap().token);
    for (line, status, code) in [
        ("x-none: 1", 401, "missing_token"),
        ("authorization: Basic YTpi", 401, "missing_token"),
        ("authorization: Bearer", 401, "missing_token"),
        ("authorization: Bearer nonsense", 401, "invalid_token"),
        ("authorization: Bearer a.b.c", 401, "invalid_token"),
        (refresh.as_str(), 401, "invalid_token"),
        (expired.as_str(), 401, "token_expired"),
        (gone.as_str(), 401, "token_revoked"),
        (disabled.as_str(), 403, "account_disabled"),
    ] {
        let answer = edge.ask("POST /things", &[line, JSON], THING).await;
        answer.refused(status, code);
        assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
    }
}

#[tokio::test]
async fn a_public_route_does_not_look_at_tokens() {
    let edge = Edge::start(Limits::default()).await;
    let answer = edge.ask("POST /open", &["authorization: Bearer nonsense", JSON], THING).await;
    assert_eq!(answer.status, 201);
}

#[tokio::test]
async fn sync_and_user_tokens_never_mix() {
    let edge = Edge::start(Limits::default()).await;
    let token = sync::issue(&edge.desk.store_key, "S001", "H1", clock::now()).unwrap();
    let sync = format!("authorization: Bearer {token}");
    let user = edge.bearer(Role::Admin);
    assert_eq!(edge.ask("POST /sync", &[&sync, JSON], "{}").await.data()["store"], "S001");
    edge.ask("POST /sync", &[&user, JSON], "{}").await.refused(401, "invalid_token");
    edge.ask("POST /things", &[&sync, JSON], THING).await.refused(401, "invalid_token");
}
