//! Hello: which store may push, and which is a copy.

use crate::support::server::Server;
use crate::support::shop::{Chain, FIRST, Shop};
use domain::model::base::time::UtcMs;
use domain::model::hub::chain::GENESIS;
use edge::clock;
use edge::keys::SigningKey;
use serde_json::json;
use std::sync::Arc;

const SECOND: &str = "2-00000000000000bb";

#[tokio::test(flavor = "multi_thread")]
async fn a_first_epoch_takes_over_and_receives_everything() {
    let server = Server::start().await;
    let shop = Shop::enrolled(&server, "S001").await;
    let answer = shop.hello().await;
    let data = answer.data();
    assert_eq!((&data["directive"], &data["n"]), (&json!("ok"), &json!(1)));
    let head = json!({"epoch": FIRST, "seq": 0, "hash": GENESIS, "stable_seq": 0});
    assert_eq!(data["heads"], json!([head]));
    assert_eq!(
        data["limits"],
        json!({"batch_events": 500, "batch_bytes": 1_048_576, "event_bytes": 262_144})
    );
    assert_eq!(data["hub_generation"], server.hub.identity.generation);
    assert_eq!(shop.hello().await.data()["directive"], "ok", "a repeated hello is not a takeover");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hello_that_a_push_overtakes_leaves_nothing_pending() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 1).await;
    shop.sell(1);
    let mut late = shop.hello_body();
    late["lineage"][0]["acked_seq"] = json!(1);
    late["backlog"] = json!({"pending": 1, "oldest_pending_at": "2023-11-20T01:00:00Z"});
    shop.push(&shop.batch(2, 2)).await.data();
    shop.say_hello(&late).await.data();
    let sql = "SELECT pending, oldest_pending_at FROM stores WHERE store_id = 'S001'";
    let row: (i64, Option<i64>) = sqlx::query_as(sql).fetch_one(server.hub.db.pool()).await.unwrap();
    assert_eq!(row, (0, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_not_above_opens_another() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 1).await;
    shop.chains = vec![Chain::new("1-00000000000000cc")];
    let answer = shop.hello().await;
    assert_eq!((&answer.data()["directive"], &answer.data()["n"]), (&json!("new_epoch"), &json!(2)));
    shop.chains.push(Chain::new(SECOND));
    assert_eq!(shop.hello().await.data()["directive"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_epoch_that_was_known_and_is_not_current_is_fenced() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 1).await;
    let old = shop.clone();
    // Epochs that were only named in a lineage count as known.
    shop.chains.push(Chain::new(SECOND));
    shop.chains.push(Chain::new("3-00000000000000cc"));
    let answer = shop.hello().await;
    let epochs: Vec<_> =
        answer.data()["heads"].as_array().unwrap().iter().map(|head| head["epoch"].clone()).collect();
    assert_eq!(epochs, [FIRST, SECOND, "3-00000000000000cc"], "oldest first");
    assert_eq!(old.hello().await.data()["directive"], "fenced");
    let mut named = shop.clone();
    named.chains.pop();
    assert_eq!(named.hello().await.data()["directive"], "fenced");
    assert_eq!(shop.hello().await.data()["directive"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_the_current_epoch_behind_or_apart_is_fenced() {
    let server = Server::start().await;
    let shop = Shop::sold(&server, "S001", 5).await;
    let with = |change: fn(&mut serde_json::Value)| {
        let mut body = shop.hello_body();
        change(&mut body);
        body
    };
    let table = [
        ("ok", with(|_| {})),
        ("fenced", with(|body| body["lineage"][0]["head_seq"] = json!(4))),
        ("fenced", with(|body| body["lineage"][0]["head_hash"] = json!("aa".repeat(32)))),
        ("fenced", with(|body| body["lineage"][0]["acked_hash"] = json!("aa".repeat(32)))),
        ("fenced", with(|body| body["apart"] = json!(true))),
        ("fenced", with(|body| body["lineage"] = json!([]))),
        ("upgrade_required", with(|body| body["schema_max"] = json!(0))),
        ("resync", with(|body| body["lineage"][0]["min_kept_seq"] = json!(7))),
        ("ok", with(|body| body["lineage"][0]["min_kept_seq"] = json!(6))),
    ];
    for (expected, body) in table {
        assert_eq!(shop.say_hello(&body).await.data()["directive"], expected, "{}", body["lineage"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_copies_of_one_epoch_can_not_both_take_over() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 2).await;
    let mut clone = shop.clone();
    shop.chains.push(Chain::new(SECOND));
    clone.chains.push(Chain::new("2-00000000000000dd"));
    let (first, second) = tokio::join!(shop.hello(), clone.hello());
    let mut directives = [first.data()["directive"].clone(), second.data()["directive"].clone()];
    directives.sort_by_key(ToString::to_string);
    assert_eq!(directives, [json!("new_epoch"), json!("ok")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_hello_is_refused() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let table: [fn(&mut serde_json::Value); 4] = [
        |body| body["store_id"] = json!("S002"),
        |body| body["epoch"] = json!("first"),
        |body| body["lineage"][0]["epoch"] = json!("0-00000000000000aa"),
        |body| body["extra"] = json!(1),
    ];
    for change in table {
        let mut body = shop.hello_body();
        change(&mut body);
        assert_eq!(shop.say_hello(&body).await.refusal(), "422 validation_failed", "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn status_shows_the_stores_report() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let mut body = shop.hello_body();
    body["backlog"] = json!({"pending": 7, "oldest_pending_at": "2026-11-20T02:06:34.739Z"});
    body["version"] = json!("9.9.9");
    shop.say_hello(&body).await.data();
    let status = server.admin().await.get("/api/stores/S001/status").await;
    let data = status.data();
    assert_eq!((&data["pending"], &data["version"]), (&json!(7), &json!("9.9.9")));
    assert_eq!(data["oldest_pending_at"], "2026-11-20T02:06:34.739Z");
    assert_eq!(data["epoch"], FIRST);
    assert!(data["clock_skew_ms"].as_i64().unwrap().abs() < 60_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_whose_backups_were_not_restored_for_two_days_has_a_problem() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let problems = async || admin.get("/api/stores/S001/status").await.data()["problems"].clone();
    assert_eq!(problems().await, json!([]));
    let sql = "UPDATE stores SET enrolled_at = enrolled_at - 180000001";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(problems().await[0]["code"], "backup_unchecked");
    let mut body = shop.hello_body();
    let drill = |finished: i64, problem: Option<&str>| {
        let at = UtcMs(clock::now().0 - finished);
        json!({"finished_at": at, "duration_ms": 5, "backup_made_at": at, "records_count": 7, "problem": problem,
            "succeeded_at": at})
    };
    body["drill"] = drill(1000, None);
    shop.say_hello(&body).await.data();
    assert_eq!(problems().await, json!([]));
    assert_eq!(admin.get("/api/stores/S001/status").await.data()["drill"], body["drill"]);
    body["drill"] = drill(180_000_001, None);
    shop.say_hello(&body).await.data();
    assert_eq!(problems().await[0]["code"], "backup_unchecked");
    body["drill"] = drill(1000, Some("a file is damaged"));
    body["damage"] = json!("journal/1.seg, offset 7");
    shop.say_hello(&body).await.data();
    let reported = problems().await.to_string();
    assert!(
        reported.contains("can't be restored: a file is damaged") && reported.contains("1.seg, offset 7"),
        "{reported}"
    );
    body["drill"] = drill(1000, None);
    body["damage"] = json!(null);
    shop.say_hello(&body).await.data();
    assert_eq!(problems().await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_far_above_the_current_one_is_refused_and_used_up_is_none() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 1).await;
    let far = "999999999-00000000000000ee";
    let mut named = shop.hello_body();
    named["lineage"].as_array_mut().unwrap().push(Chain::new(far).state());
    assert_eq!(
        shop.say_hello(&named).await.refusal(),
        "422 validation_failed",
        "naming the epoch does not help"
    );
    let mut thief = shop.clone();
    thief.chains.push(Chain::new(far));
    assert_eq!(thief.hello().await.refusal(), "422 validation_failed");
    thief.chains.pop();
    thief.chains.push(Chain::new("1002-00000000000000ee"));
    assert_eq!(thief.hello().await.refusal(), "422 validation_failed");
    assert_eq!(server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'epoch_ahead'").await, 1);
    // The attempts had no effect: the store continues, and a copy may still open the next number.
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    shop.chains.push(Chain::new("1001-00000000000000bb"));
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    assert_eq!(server.figure("SELECT current_n FROM stores WHERE store_id = 'S001'").await, 1_001);
}

fn invented(count: usize, from: usize) -> impl Iterator<Item = Chain> {
    (from..from + count).map(|n| Chain::new(&format!("1-{:016x}", n + 0x1000)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lineage_that_no_store_has_is_refused_with_an_alarm() {
    let server = Server::start().await;
    let shop = Shop::sold(&server, "S001", 3).await;
    let named = |count: usize, from: usize| {
        let mut body = shop.hello_body();
        body["lineage"].as_array_mut().unwrap().extend(invented(count, from).map(|chain| chain.state()));
        body
    };
    for at in 0..12 {
        assert_eq!(shop.say_hello(&named(900, at * 900)).await.refusal(), "422 validation_failed");
    }
    assert_eq!(shop.say_hello(&named(17, 0)).await.refusal(), "422 validation_failed");
    assert_eq!(server.figure("SELECT COUNT(*) FROM epochs").await, 1);
    assert_eq!(server.figure("SELECT count FROM alarms WHERE code = 'lineage_too_long'").await, 13);
    // Named epochs are stored a few at a time, up to a thousand. The store gets no notice.
    for at in 0..63 {
        let answer = shop.say_hello(&named(16, at * 16)).await;
        if at < 62 {
            assert_eq!(answer.data()["heads"].as_array().unwrap().len(), 17);
        } else {
            assert_eq!(answer.refusal(), "422 validation_failed");
        }
    }
    let heads = shop.hello().await.data()["heads"].clone();
    assert_eq!(heads.as_array().unwrap().len(), 1, "{heads}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_whose_key_was_stolen_continues_with_a_new_token() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let mut thief = shop.clone();
    for n in 1..=20 {
        thief.chains.push(Chain::new(&format!("{}-00000000000000ee", n * 1_000)));
        assert_eq!(thief.hello().await.data()["directive"], "ok");
    }
    thief.chains.push(Chain::new("20001-00000000000000ee"));
    assert_eq!(thief.hello().await.refusal(), "422 validation_failed", "the 21st within a day");
    assert_eq!(server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'too_many_take_overs'").await, 1);
    assert_eq!(shop.hello().await.data()["directive"], "fenced");
    let token = admin.post("/api/stores/S001/token", &json!({})).await.data()["enrolment_token"].clone();
    shop.key = Arc::new(SigningKey::generate().unwrap());
    assert_eq!(shop.enrol(token.as_str().unwrap()).await.data()["n"], 1);
    let answer = shop.hello().await;
    assert_eq!((&answer.data()["directive"], &answer.data()["n"]), (&json!("ok"), &json!(1)));
    assert_eq!(answer.data()["heads"].as_array().unwrap().len(), 1);
    shop.sell(1);
    assert_eq!(shop.push(&shop.batch(4, 4)).await.data()["acked_seq"], 4);
    assert_eq!(thief.hello().await.refusal(), "403 store_replaced");
    assert_eq!(server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'too_many_take_overs'").await, 0);
    // A copy with records stays the active one until a person decides otherwise.
    shop.chains.push(Chain::new(SECOND));
    assert_eq!(shop.hello().await.data()["directive"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_zone_does_not_change_after_the_first_record() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let say = async |shop: &Shop, zone: &str| {
        let mut body = shop.hello_body();
        body["timezone"] = json!(zone);
        assert_eq!(shop.say_hello(&body).await.data()["directive"], "ok");
        admin.get("/api/stores/S001/status").await.data().clone()
    };
    assert_eq!(say(&shop, "Asia/Makassar").await["timezone"], "Asia/Makassar", "no record was pushed yet");
    shop.sell(1);
    shop.push(&shop.batch(1, 1)).await.data();
    let status = say(&shop, "America/Santiago").await;
    assert_eq!(status["timezone"], "Asia/Makassar");
    assert_eq!(status["problems"][0]["code"], "timezone_changed");
    assert_eq!(say(&shop, "Asia/Makassar").await["problems"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_overtook_a_hello_raises_no_alarm_and_a_copy_that_stays_behind_does() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let before = shop.clone();
    shop.sell(2);
    shop.push(&shop.batch(4, 5)).await.data();
    let alarms = async || server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'fenced'").await;
    assert_eq!(before.hello().await.data()["directive"], "fenced");
    assert_eq!(alarms().await, 0, "the store has reported it again");
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    assert_eq!(before.hello().await.data()["directive"], "fenced");
    assert_eq!(alarms().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_looked_up_so_often_a_minute_and_no_more() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let mut refused = None;
    for n in 0..400 {
        let ask = json!({"phone": format!("+62812000{n:05}")});
        let answer = shop.speak().post("/api/sync/members", &ask).await;
        if answer.status == 429 {
            refused = Some((n, answer.retry_after));
            break;
        }
    }
    let (after, retry_after) = refused.unwrap();
    assert!(after >= 60 && retry_after == Some(60), "{after}");
    assert_eq!(server.figure("SELECT COUNT(*) FROM alarms WHERE code = 'too_many_lookups'").await, 1);
}
