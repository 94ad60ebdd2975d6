//! Compaction: obsolete changes are removed, no reader misses a change, and a store that was offline for too long reads
//! everything again.

use crate::office::products::HEADER;
use crate::support::server::{Place, Server, stderr};
use crate::support::shop::Shop;
use cloud_hub::feed::compact::Compactor;
use cloud_hub::feed::{self, Entry};
use domain::model::base::time::UtcMs;
use domain::wire::feed::Kind;
use edge::clock;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn catalogue(range: std::ops::Range<u32>, price: u32) -> String {
    let rows: Vec<String> = range.map(|n| format!("P{n:05},Thing {n},{price},,,,,")).collect();
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

const HOUR_MS: i64 = 3_600_000;

/// Runs compaction at these times from now, and returns how many changes were removed.
async fn compacted_at(server: &Server, after_ms: &[i64]) -> u64 {
    // The first note is the one that the hub makes at its start.
    while server.figure("SELECT feed_noted_at FROM hub").await == 0 {
        tokio::task::yield_now().await;
    }
    let compactor = Compactor { db: &server.hub.db, retain: 35 * DAY };
    let (now, mut removed) = (clock::now().0, 0);
    for after in after_ms {
        removed += compactor.run(UtcMs(now + after)).await.unwrap();
    }
    removed
}

/// Runs compaction as if this many days had passed. After a jump of the clock the hub believes the new time an hour
/// later.
async fn compacted(server: &Server, days: u32) -> u64 {
    let later = i64::from(days) * 24 * HOUR_MS;
    compacted_at(server, &[0, HOUR_MS, later, later + HOUR_MS]).await
}

/// Pulls all changes after a cursor into `seen` and returns the last cursor.
async fn pulled(shop: &Shop, lane: &str, from: &str, seen: &mut BTreeMap<String, Value>) -> String {
    let mut cursor = from.to_owned();
    loop {
        let at = if cursor.is_empty() { String::new() } else { format!("&cursor={cursor}") };
        let page = shop.speak().get(&format!("/api/sync/pull?lane={lane}&limit=500{at}")).await;
        fold(&page.data()["changes"], seen);
        cursor = page.data()["next_cursor"].as_str().unwrap().to_owned();
        if page.data()["more"] == false {
            return cursor;
        }
    }
}

fn fold(changes: &Value, seen: &mut BTreeMap<String, Value>) {
    for change in changes.as_array().unwrap() {
        let id = change["id"].as_str().unwrap().to_owned();
        if change["deleted"] == true {
            seen.remove(&id);
        } else {
            seen.insert(id, change["payload"].clone());
        }
    }
}

async fn refusal(shop: &Shop, lane: &str, cursor: &str) -> String {
    shop.speak().get(&format!("/api/sync/pull?lane={lane}&cursor={cursor}")).await.refusal()
}

async fn published(server: &Server, entries: Vec<Entry>) {
    let mut write = server.hub.db.write().await.unwrap();
    feed::publish(&mut write, entries, clock::now()).await.unwrap();
    write.commit().await.unwrap();
}

fn supplier(id: &str, store_id: &str, deleted: bool) -> Entry {
    let payload = format!("{{\"supplier_id\": \"{id}\"}}");
    Entry { deleted, ..Entry::for_store(Kind::Supplier, id, store_id, payload) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_was_away_for_too_long_reads_anew_and_ends_equal() {
    let server = Server::start().await;
    let (here, away) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let admin = server.admin().await;
    admin.csv("/api/products/import", &catalogue(0..1200, 1)).await.data();
    let mut kept = BTreeMap::new();
    let mut cursor = pulled(&here, "rest", "", &mut kept).await;
    // `left` is the cursor of the fifth change, `nearly` that of the last one.
    let first = away.speak().get("/api/sync/pull?lane=rest&limit=5").await.data().clone();
    let left = first["next_cursor"].as_str().unwrap().to_owned();
    let nearly = cursor.clone();
    admin.csv("/api/products/import", &catalogue(0..1100, 2)).await.data();
    cursor = pulled(&here, "rest", &cursor, &mut kept).await;
    assert_eq!(compacted(&server, 34).await, 0, "compaction is not due yet");
    assert_eq!(pulled(&away, "rest", &left, &mut BTreeMap::new()).await, cursor);
    // The reader passes the lane's last change only when another one follows.
    assert_eq!(compacted(&server, 36).await, 1099);
    assert_eq!(compacted(&server, 36).await, 0);
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed WHERE lane = 'rest'").await, 1201);
    assert_eq!(
        pulled(&here, "rest", &cursor, &mut kept).await,
        cursor,
        "a reader that is up to date continues"
    );
    let mut seen = BTreeMap::new();
    assert_eq!(
        pulled(&away, "rest", &nearly, &mut seen).await,
        cursor,
        "a cursor above the removed changes is valid"
    );
    assert_eq!(seen.len(), 1100);
    assert_eq!(refusal(&away, "rest", &left).await, "410 resync_required");
    let mut anew = BTreeMap::new();
    let mut page = String::new();
    let end = loop {
        let path = format!("/api/sync/snapshot?lane=rest&limit=500{page}");
        let answer = away.speak().get(&path).await.data().clone();
        fold(&answer["changes"], &mut anew);
        match answer["next_page"].as_str() {
            Some(next) => page = format!("&page={next}"),
            None => break answer["cursor"].as_str().unwrap().to_owned(),
        }
    };
    assert_eq!(pulled(&away, "rest", &end, &mut anew).await, cursor);
    assert_eq!(anew, kept);
    let mut beginning = BTreeMap::new();
    assert_eq!(
        pulled(&away, "rest", "", &mut beginning).await,
        cursor,
        "a new reader gets everything as well"
    );
    assert_eq!(beginning, kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_goes_only_with_a_mark_for_those_who_may_have_missed_it() {
    let server = Server::start().await;
    let (one, two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    published(&server, vec![supplier("kept", "", false)]).await;
    published(&server, vec![supplier("of_one", "S001", false), supplier("again", "", false)]).await;
    let mut seen = BTreeMap::new();
    let before = pulled(&one, "rest", "", &mut seen).await;
    assert_eq!(pulled(&two, "rest", "", &mut BTreeMap::new()).await, before);
    published(&server, vec![supplier("of_one", "S001", true), supplier("again", "", true)]).await;
    published(&server, vec![supplier("again", "", false), supplier("last", "S003", false)]).await;
    let mut fresh = seen.clone();
    let after = pulled(&one, "rest", &before, &mut fresh).await;
    compacted(&server, 36).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed WHERE deleted = 1").await, 0);
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed_now WHERE id = 'of_one'").await, 0);
    for shop in [&one, &two] {
        assert_eq!(refusal(shop, "rest", &before).await, "410 resync_required");
    }
    assert_eq!(pulled(&one, "rest", &after, &mut BTreeMap::new()).await, after);
    let snapshot = one.speak().get("/api/sync/snapshot?lane=rest").await.data().clone();
    let mut anew = BTreeMap::new();
    fold(&snapshot["changes"], &mut anew);
    assert_eq!(anew, fresh);
    let page = one.speak().get("/api/sync/pull?lane=rest&limit=500").await.data().clone();
    let own = page["changes"].as_array().unwrap().last().unwrap()["cursor"].as_str().unwrap().to_owned();
    assert_ne!(own, after, "the lane ends with a change for another store");
    // The removed deletion was only for another store, so this one can't have missed it.
    published(&server, vec![supplier("last", "S003", true), supplier("more", "S003", false)]).await;
    compacted(&server, 36).await;
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed_dropped WHERE store_id = 'S003'").await, 1);
    let mut seen = BTreeMap::new();
    pulled(&one, "rest", &own, &mut seen).await;
    assert!(seen.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_without_changes_continues() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    // A snapshot's cursor points to the lane's last change, whichever store it is for.
    published(&server, vec![supplier("own", "", false), supplier("other", "S002", false)]).await;
    let snapshot = shop.speak().get("/api/sync/snapshot?lane=rest").await.data().clone();
    let fixed = snapshot["cursor"].as_str().unwrap().to_owned();
    published(&server, vec![supplier("other", "S002", false), supplier("gone", "S002", true)]).await;
    let head = pulled(&shop, "rest", &fixed, &mut BTreeMap::new()).await;
    assert_ne!(head, fixed, "the cursor moves on with the lane");
    published(&server, vec![supplier("more", "S002", false)]).await;
    compacted(&server, 36).await;
    assert_eq!(refusal(&shop, "rest", &fixed).await, "410 resync_required", "a reader that did not pull");
    // The cursor points exactly to a deletion that was removed.
    assert_eq!(server.figure("SELECT COUNT(*) FROM feed WHERE deleted = 1").await, 0);
    let mut seen = BTreeMap::new();
    let last = pulled(&shop, "rest", &head, &mut seen).await;
    assert!(seen.is_empty() && last != head);
    let wrong = format!("{}.0000000000000000", head.rsplit_once('.').unwrap().0);
    assert_eq!(refusal(&shop, "rest", &wrong).await, "410 resync_required");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_was_wrong_once_removes_nothing() {
    let server = Server::start().await;
    published(&server, vec![supplier("a", "", false), supplier("a", "", true), supplier("b", "", false)])
        .await;
    let year = 365 * 24 * HOUR_MS;
    let wrong = [0, HOUR_MS, year, 2 * HOUR_MS, 3 * HOUR_MS, -year, 4 * HOUR_MS, 5 * HOUR_MS, 6 * HOUR_MS];
    assert_eq!(compacted_at(&server, &wrong).await, 0);
    // A second run at once, as by a hub that is started twice, does not confirm the new time.
    assert_eq!(compacted_at(&server, &[year, year + 1000]).await, 0);
    assert_eq!(compacted(&server, 36).await, 2, "old changes are removed nevertheless");
}

#[tokio::test(flavor = "multi_thread")]
async fn revocations_stay_for_ever() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let new = serde_json::json!({"username": "ani", "name": "Ani", "role": "cashier", "store_id": "S001"});
    let id = admin.post("/api/users", &new).await.data()["id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        admin.post(&format!("/api/users/{id}/revoke-tokens"), &serde_json::json!({})).await.data();
    }
    let lane = "/api/sync/pull?lane=users";
    let before = shop.speak().get(lane).await.data()["changes"].clone();
    assert_eq!(compacted(&server, 4000).await, 0);
    assert_eq!(shop.speak().get(lane).await.data()["changes"], before);
    let revocations = before.as_array().unwrap().iter().filter(|one| one["kind"] == "token_revocation");
    assert_eq!(revocations.count(), 1, "the last change of each person");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_keeps_the_marks() {
    let server = Server::start().await;
    published(&server, vec![supplier("a", "", false), supplier("a", "", true), supplier("b", "", false)])
        .await;
    assert_eq!(compacted(&server, 36).await, 2);
    let to = tempfile::tempdir().unwrap();
    let made = crate::operation::backups::backup(&server.place, to.path());
    drop(server.stop().await);
    let place = Place::empty().await;
    let done = place.run(&["restore", made.to_str().unwrap()], "");
    assert!(done.status.success(), "{}", stderr(&done));
    let server = Server::on(place).await;
    assert_eq!(server.figure("SELECT compacted FROM feed_lanes WHERE lane = 'rest'").await, 2);
    assert_eq!(server.figure("SELECT number FROM feed_dropped WHERE lane = 'rest'").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_of_any_length_is_passed_at_once() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    for sku in ["A", "B"] {
        let product = serde_json::json!({"sku": sku, "name": sku, "price": 1_000});
        admin.post("/api/products", &product).await.data();
    }
    // The state that compaction leaves after a large catalogue was imported twice.
    for change in [
        "UPDATE feed SET number = number + CASE WHEN id = 'A' THEN 50000 ELSE 90000 END WHERE kind = 'product'",
        "UPDATE feed_now SET number = number + CASE WHEN id = 'A' THEN 50000 ELSE 90000 END WHERE kind = 'product'",
        "UPDATE feed_lanes SET head = head + 90000 WHERE lane = 'rest'",
    ] {
        sqlx::query(change).execute(server.hub.db.pool()).await.unwrap();
    }
    let mut seen = BTreeMap::new();
    pulled(&shop, "rest", "", &mut seen).await;
    assert!(seen.contains_key("A") && seen.contains_key("B"), "{seen:?}");
}
