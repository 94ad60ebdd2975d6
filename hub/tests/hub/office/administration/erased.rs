//! Erasing a member removes all personal data: at head office, in the feed of every store, and from later reports.

use crate::office::head_office::hears;
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::kinds::raw;
use crate::sync::records::NOON;
use serde_json::{Value, json};

/// Returns every text about members in the database, except the stores' records and the answers stored under keys.
async fn texts(server: &Server) -> String {
    let pool = server.hub.db.pool();
    let mut all = String::new();
    for sql in [
        "SELECT value || folded FROM fields",
        "SELECT lost_value || kept_value || folded FROM conflicts",
        "SELECT payload FROM feed",
        "SELECT details FROM exceptions",
        "SELECT record FROM own_audit",
    ] {
        let rows: Vec<String> = sqlx::query_scalar(sql).fetch_all(pool).await.unwrap();
        all.push_str(&rows.concat());
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_erased_for_good_with_all_that_were_merged_into_it() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let new = json!({"name": "Ani Wijaya", "phone": "0811 2345 6789", "email": "ani@x.example",
        "birth_date": "1990-02-03", "code": "CARD-77"});
    let member = admin.post("/api/members", &new).await.data()["member_id"].as_str().unwrap().to_owned();
    let other = json!({"name": "Anni Wijaya", "phone": "0811 9999 0000"});
    let other = admin.post("/api/members", &other).await.data()["member_id"].as_str().unwrap().to_owned();
    admin.post(&format!("/api/members/{other}/merge"), &json!({"into": member})).await.data();
    // A name that lost in a conflict, and points.
    let at = |ms: i64| format!("{:013}-00000-S001", NOON.0 + ms);
    let fields = json!({"name": {"value": "Anie Wijaya", "at": at(1), "base": ""}});
    let reported = raw("member.changed", "evt_1", &at(1), &json!({"id": member, "fields": fields}));
    crate::office::audit::tells(&mut shop, reported).await;
    let secrets = ["Wijaya", "wijaya", "23456789", "99990000", "ani@x", "1990-02", "CARD-77", "card-77"];
    let before = texts(&server).await;
    assert!(secrets.iter().take(6).all(|secret| before.contains(secret)), "{before}");

    // A member can be erased by any of its IDs.
    let erase = format!("/api/members/{other}/erase");
    for wrong in [json!({}), json!({"reason": " "}), json!({"reason": "x".repeat(501)})] {
        assert_eq!(admin.post(&erase, &wrong).await.refusal(), "422 validation_failed");
    }
    let erased = admin.post(&erase, &json!({"reason": "asked for by letter"})).await.data().clone();
    let shown =
        ["name", "phone", "email", "birth_date", "code", "tier", "state"].map(|field| erased[field].clone());
    let nothing = json!(null);
    assert_eq!(
        shown,
        [
            json!("erased"),
            nothing.clone(),
            nothing.clone(),
            nothing.clone(),
            nothing.clone(),
            nothing,
            json!("erased")
        ]
    );
    assert_eq!(erased["member_id"], json!(member));
    let left = texts(&server).await;
    for secret in secrets {
        assert!(!left.contains(secret), "{secret} in {left}");
    }
    for q in ["wijaya", "23456789", "CARD"] {
        assert_eq!(admin.get(&format!("/api/members?q={q}")).await.data()["items"], json!([]), "{q}");
    }
    let down = hears(&shop, "members", "member").await;
    for id in [&member, &other] {
        let last = down.iter().rev().find(|change| change["id"] == json!(id)).unwrap();
        let field = |name: &str| last["payload"]["fields"][name]["value"].clone();
        assert_eq!(
            (field("name"), field("state"), field("phone")),
            (json!("erased"), json!("erased"), Value::Null)
        );
    }
    let again = admin.post(&erase, &json!({"reason": "again"})).await;
    assert_eq!(again.refusal(), "409 invalid_state");
    assert_eq!(
        admin.post("/api/members/none/erase", &json!({"reason": "x"})).await.refusal(),
        "404 not_found"
    );

    // Data that a store wrote in the meantime, and that head office writes later, is erased too.
    let fields = json!({"phone": {"value": "+628112345678", "at": at(9_000_000_000), "base": ""}});
    let late = raw("member.changed", "evt_2", &at(9), &json!({"id": member, "fields": fields}));
    crate::office::audit::tells(&mut shop, late).await;
    let read = admin.get(&format!("/api/members/{other}")).await.data().clone();
    assert_eq!((&read["state"], &read["phone"]), (&json!("erased"), &json!(null)));
    assert!(!texts(&server).await.contains("8112345678"));
    // Another member may use the number.
    admin.post("/api/members", &json!({"name": "Budi", "phone": "0811 2345 6789"})).await.data();
    assert!(server.place.run(&["verify"], "").status.success());
}
