//! `GET /api/event-log`: each change once, with rising numbers, in whatever order transactions commit.

use crate::office::audit::routes::CHANGES;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{raw, return_record};
use crate::sync::records::{DAY, NOON, Sale};
use cloud_hub::office::webhooks::event_types::TYPES;
use cloud_hub::table::event_log::{self, NewEvent, NewEvents, Place};
use domain::model::base::time::UtcMs;
use domain::wire::record::KINDS;
use edge::clock;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

fn sale(number: u64) -> String {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 }
        .record(&format!("evt_{number}"))
}

async fn numbered(server: &Server) {
    event_log::give_numbers(&server.hub.db).await.unwrap();
}

/// Returns the items of the log for a query, read in pages.
async fn logged(api: &Api, query: &str, limit: usize) -> Vec<Value> {
    let (mut all, mut after_no) = (Vec::new(), 0);
    loop {
        let answer = api.get(&format!("/api/event-log?after_no={after_no}&limit={limit}{query}")).await;
        let page = answer.data();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= limit, "{page}");
        all.extend(items.iter().cloned());
        after_no = page["last_no"].as_i64().unwrap();
        if page["has_more"] == false {
            return all;
        }
    }
}

fn kinds(events: &[Value]) -> Vec<(&str, &str)> {
    events
        .iter()
        .map(|one| (one["type"].as_str().unwrap(), one["object_id"].as_str().unwrap_or("")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_is_an_event_with_its_document_once_it_is_applied() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    numbered(&server).await;
    let before = logged(&admin, "", 500).await.last().unwrap()["event_no"].as_i64().unwrap();
    admin.post("/api/tiers", &json!({"tier": "gold", "name": "Gold", "multiplier_bp": 20_000})).await.data();
    shop.chain().append(sale(1));
    // The record has an unknown schema version: it is parked, and so is the void of the same sale.
    let later = sale(2).replace("\"schema\":1", "\"schema\":2");
    shop.chain().append(later);
    shop.chain().append(sale(3));
    shop.chain().append(return_record("return.posted", "evt_4", "posted", 1));
    shop.chain().append(raw(
        "day.sealed",
        "evt_5",
        "1700445994739-00000-S001",
        &json!({"business_date": DAY,
        "shift_ids": [], "sealed_by": null, "sealed_at": NOON, "reason": null}),
    ));
    let answer = shop.push(&shop.batch(1, 5)).await;
    assert_eq!(answer.data()["parked"].as_array().unwrap().len(), 1);
    shop.push(&shop.batch(1, 5)).await.data();
    numbered(&server).await;

    let all = logged(&admin, "", 500).await;
    let new: Vec<Value> = all.iter().filter(|one| one["event_no"].as_i64() > Some(before)).cloned().collect();
    let expected = [
        ("tier.created", ""),
        ("transaction.paid", "trx_S001_1"),
        ("transaction.paid", "trx_S001_3"),
        ("return.posted", "ret_1"),
        ("day.sealed", DAY),
    ];
    assert_eq!(kinds(&new), expected, "each applied record once, in order, and nothing of the parked one");
    assert_eq!(
        (&new[1]["event_id"], &new[1]["store_id"], &new[1]["object_type"], &new[1]["occurred_at"]),
        (&json!("evt_1"), &json!("S001"), &json!("transaction"), &json!(NOON))
    );
    let numbers: Vec<i64> = all.iter().map(|one| one["event_no"].as_i64().unwrap()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{numbers:?}");
    let newest = admin.get("/api/event-log?limit=1").await.data()["highest_no"].as_i64();
    assert_eq!(newest, numbers.last().copied(), "a program that starts now begins with it");
    let of_area = "&type=transaction.*";
    let queries = [("", 1), ("", 3), ("&store_id=S001", 2), ("&type=transaction.paid", 1), (of_area, 2)];
    for (query, limit) in queries {
        let wanted = |one: &&Value| match query {
            "&store_id=S001" => one["store_id"] == "S001",
            "&type=transaction.paid" => one["type"] == "transaction.paid",
            "&type=transaction.*" => one["type"].as_str().unwrap().starts_with("transaction."),
            _ => true,
        };
        let expected: Vec<Value> = all.iter().filter(wanted).cloned().collect();
        assert_eq!(logged(&admin, query, limit).await, expected, "{query} {limit}");
    }
    let beyond = format!("/api/event-log?after_no={}", numbers.last().unwrap() + 1);
    let unknown = ["/api/event-log?type=transaction.payed", "/api/event-log?type=trans*"];
    for path in ["/api/event-log?after_no=-1", beyond.as_str()].into_iter().chain(unknown) {
        assert_eq!(admin.get(path).await.refusal(), "400 invalid_query", "{path}");
    }
}

/// Adds an event in a transaction that is still open.
async fn leave(write: &mut cloud_hub::db::Write, store_id: &str, seq: u64) {
    let mut new = NewEvents::default();
    let place = || Place { store_id: store_id.to_owned(), epoch_no: 1, seq };
    let event = NewEvent {
        event_id: format!("evt_{store_id}_{seq}"),
        kind: "transaction.paid".to_owned(),
        object_type: "transaction".to_owned(),
        object_id: format!("trx_{store_id}_{seq}"),
        occurred_at: UtcMs(0),
    };
    new.add(place, event);
    event_log::write(write, new, clock::now()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_commits_late_gets_a_higher_number_than_those_read_before() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let db = &server.hub.db;
    // The transaction that begins first commits last, if the database allows two writers.
    let slow = if std::env::var("HUB_TEST_POSTGRES").is_ok() && std::env::var("HUB_TEST_CONNECTIONS").is_err()
    {
        let mut write = db.write().await.unwrap();
        leave(&mut write, "S001", 1).await;
        Some(write)
    } else {
        None
    };
    let mut quick = db.write().await.unwrap();
    for seq in [11, 2] {
        leave(&mut quick, "S002", seq).await;
    }
    quick.commit().await.unwrap();
    numbered(&server).await;
    let seen = logged(&admin, "&type=transaction.paid", 500).await;
    let ids = |events: &[Value]| -> Vec<String> {
        events.iter().map(|one| one["event_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        ids(&seen),
        ["evt_S002_2", "evt_S002_11"],
        "a store's transactions are in the order of its records"
    );
    let mut slow = match slow {
        Some(write) => write,
        None => {
            let mut write = db.write().await.unwrap();
            leave(&mut write, "S001", 1).await;
            write
        }
    };
    leave(&mut slow, "S003", 1).await;
    slow.commit().await.unwrap();
    numbered(&server).await;
    let last = seen.last().unwrap()["event_no"].as_i64().unwrap();
    let next = admin.get(&format!("/api/event-log?after_no={last}")).await;
    assert_eq!(ids(next.data()["items"].as_array().unwrap()), ["evt_S001_1", "evt_S003_1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_kept_for_their_time_and_a_reader_that_missed_some_is_refused() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    for number in 1..=3 {
        shop.chain().append(sale(number));
        let seq = shop.chain().records.len();
        shop.push(&shop.batch(seq, seq)).await.data();
    }
    numbered(&server).await;
    let all = logged(&admin, "", 500).await;
    let [second, third] =
        [&all[all.len() - 2], &all[all.len() - 1]].map(|one| one["event_no"].as_i64().unwrap());
    let sql = "UPDATE event_commits SET at = 0 WHERE last_no <= $1";
    sqlx::query(sql).bind(second).execute(server.hub.db.pool()).await.unwrap();
    let kept_ms = i64::try_from(event_log::RETENTION.as_millis()).unwrap();
    event_log::sweep(&server.hub.db, UtcMs(kept_ms)).await.unwrap();
    assert_eq!(logged(&admin, "", 500).await.len(), all.len(), "on its last day");
    event_log::sweep(&server.hub.db, UtcMs(kept_ms + 1)).await.unwrap();
    assert_eq!(logged(&admin, "", 500).await, all[all.len() - 1..]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM event_log").await, 1);
    let missed = admin.get(&format!("/api/event-log?after_no={}", second - 1)).await;
    assert_eq!(missed.refusal(), "400 invalid_query");
    let goes_on = admin.get(&format!("/api/event-log?after_no={second}")).await;
    assert_eq!(goes_on.data()["last_no"], third);
    // The log is empty, and a reader that has everything is still up to date.
    sqlx::query("UPDATE event_commits SET at = 0").execute(server.hub.db.pool()).await.unwrap();
    event_log::sweep(&server.hub.db, clock::now()).await.unwrap();
    let none = json!({"items": [], "last_no": third, "highest_no": third, "has_more": false});
    assert_eq!(*admin.get(&format!("/api/event-log?after_no={third}")).await.data(), none);
}

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join("docs/events.md")).unwrap()
});

/// Returns types and objects of the tables of `docs/events.md`.
fn documented() -> BTreeMap<&'static str, Option<&'static str>> {
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [kind, _, object] = cells[..] else { return None };
        let kind = kind.strip_prefix('`')?.strip_suffix('`').filter(|kind| kind.contains('.'))?;
        Some((kind, object.strip_prefix('`').and_then(|object| object.strip_suffix('`'))))
    };
    let rows: Vec<_> = PAGE.lines().filter_map(row).collect();
    let count = rows.len();
    let rows: BTreeMap<_, _> = rows.into_iter().collect();
    assert_eq!(rows.len(), count, "a type is listed twice");
    rows
}

/// Asserts that the log has each action with the object that `docs/events.md` lists.
pub async fn as_documented(server: &Server, admin: &Api) {
    numbered(server).await;
    let page = admin.get("/api/event-log?limit=500").await.data().clone();
    assert_eq!(page["has_more"], false);
    let mut found = BTreeMap::new();
    for event in page["items"].as_array().unwrap() {
        let kind = event["type"].as_str().unwrap().to_owned();
        assert!(!kind.starts_with("finance.") || event["store_id"].is_null(), "{event}");
        found.entry(kind).or_insert_with(|| event["object_type"].as_str().map(str::to_owned));
    }
    let of_stores = |kind: &str| KINDS.contains(&kind);
    let expected: BTreeMap<String, Option<String>> = documented()
        .into_iter()
        .filter(|(kind, _)| !of_stores(kind) && *kind != "exception.opened")
        .map(|(kind, object)| (kind.to_owned(), object.map(str::to_owned)))
        .collect();
    found.retain(|kind, _| expected.contains_key(kind));
    assert_eq!(found, expected);
}

#[test]
fn the_page_of_events_has_every_type_and_no_other() {
    let records = event_log::logged_kinds();
    let actions = CHANGES.iter().map(|(_, _, action)| *action).filter(|action| event_log::is_logged(action));
    let expected: BTreeSet<&str> = records.chain(actions).chain(["exception.opened"]).collect();
    assert_eq!(documented().into_keys().collect::<BTreeSet<_>>(), expected);
    let of_office: BTreeSet<&str> = expected.into_iter().filter(|kind| !KINDS.contains(kind)).collect();
    assert_eq!(TYPES.into_iter().collect::<BTreeSet<_>>(), of_office);
}
