//! Compares both ends of synchronisation: the records in the store's journal, the ones that the hub returns, their
//! chains, and every sum of both.

use crate::Client;
use crate::books::Books;
use crate::hub::Hub;
use crate::journal;
use crate::store::Store;
use crate::wait;
use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The hash before the first record of an epoch.
const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Waits until head office has everything of the store and the feed is read to its end.
#[track_caller]
pub fn synced(manager: &mut Client) {
    wait::until("store and hub are in sync", || {
        let forced = manager.post("/api/sync/force", &json!({})).data(200);
        (forced["completed"] == json!(true)).then_some(())
    });
}

/// Waits until the store has nothing left to send, then compares everything.
#[track_caller]
pub fn same(hub: &Hub, store: &Store) -> Books {
    same_but(hub, store, 0)
}

/// Compares only heads and sums, if there are too many texts.
#[track_caller]
pub fn same_sums(hub: &Hub, store: &Store) -> Books {
    settled(hub, store);
    let folded = Books::of_hub(hub, store.id());
    let own = Books::of_rows(store, &folded);
    assert_eq!(own, folded.of_the_shop(), "the store's sums, and the hub's");
    folded
}

/// Does the same with `parked` records that the hub stores but can't apply: their sums are not expected of it.
#[track_caller]
pub fn same_but(hub: &Hub, store: &Store, parked: usize) -> Books {
    let reported = same_records(hub, store, parked);
    let texts = journal::record_texts(store.data());
    let all = Books::of_records(distinct(texts.into_iter()).values().map(String::as_str));
    assert_eq!(Books::of_rows(store, &all), all.of_the_shop(), "the store's sums, and those of its records");
    reported
}

/// Does the same without the store's own rows, if records were written without them.
#[track_caller]
pub fn same_records(hub: &Hub, store: &Store, parked: usize) -> Books {
    let (status, here, there) = still(hub, store);
    let listed: Vec<&str> =
        status["parked"].as_array().unwrap().iter().filter_map(|row| row["event_id"].as_str()).collect();
    assert_eq!((&status["parked_count"], listed.len()), (&json!(parked), parked), "{status}");
    let lost: Vec<_> = here.keys().filter(|id| !there.contains_key(*id)).collect();
    assert!(lost.is_empty(), "the hub lacks {lost:?}");
    assert!(here == there, "one event has two texts");
    let replaced = hub.login().get(&format!("/api/parked?replaced=true&store_id={}", store.id())).data(200);
    let replaced: Vec<&str> =
        replaced["items"].as_array().unwrap().iter().filter_map(|row| row["event_id"].as_str()).collect();
    let unapplied = |id: &str| listed.contains(&id) || replaced.contains(&id);
    let applied = here.iter().filter(|(id, _)| !unapplied(id));
    let reported = Books::of_records(applied.map(|(_, text)| text.as_str()));
    let folded = Books::of_hub(hub, store.id());
    assert_eq!(folded, reported, "the hub's sums, and those of the records");
    reported
}

/// Returns the records of both ends, read while nothing is written or sent. A store also writes by itself, for example
/// when it seals a day.
#[track_caller]
fn still(hub: &Hub, store: &Store) -> (Value, BTreeMap<String, String>, BTreeMap<String, String>) {
    wait::until("nothing is written, and the store has what the hub has", || {
        let status = settled(hub, store);
        let here = distinct(journal::record_texts(store.data()).into_iter());
        let there = distinct(history(hub, store, &status).into_iter());
        let after = settled(hub, store);
        let complete = there.keys().all(|id| here.contains_key(id));
        (complete && after["heads"] == status["heads"]).then_some((status, here, there))
    })
}

/// Waits until head and acknowledgement of the current epoch are the same at both ends and no earlier epoch is being
/// downloaded. Returns the hub's status.
#[track_caller]
pub fn settled(hub: &Hub, store: &Store) -> Value {
    let (mut manager, mut admin) = (store.login("manager"), hub.login());
    let path = format!("/api/stores/{}/status", store.id());
    let (outbox, status) = wait::until("store and hub are at the same head", || {
        let own = manager.get("/api/sync/status").data(200);
        let outbox = own["outbox"].clone();
        // The current epoch may be the same while earlier ones are still downloaded.
        let mut problems = own["problems"].as_array().into_iter().flatten();
        let refills = problems.any(|problem| problem["code"] == "refilling");
        let status =
            admin.try_send("GET", &path, &[], b"").ok().filter(|reply| reply.status == 200)?.data(200);
        let heads = status["heads"].as_array().unwrap();
        let head = heads.iter().find(|head| head["epoch"] == outbox["epoch"])?;
        let same = head["seq"] == outbox["last_seq"] && head["hash"] == outbox["head_hash"];
        let here = own["hub"]["state"] == "online" && !refills;
        (same && here && outbox["pending"] == 0).then_some((outbox, status))
    });
    assert_eq!((&outbox["fenced"], &outbox["acked_seq"]), (&json!(false), &outbox["last_seq"]), "{outbox}");
    status
}

/// Returns every record of every epoch from the hub; each chain is recomputed and must end at its head.
#[track_caller]
fn history(hub: &Hub, store: &Store, status: &Value) -> Vec<String> {
    let token = hub.signer(store);
    let mut texts = Vec::new();
    for head in status["heads"].as_array().unwrap() {
        let (epoch, mut hash, mut after) = (head["epoch"].as_str().unwrap(), GENESIS.to_owned(), 0);
        while after < head["seq"].as_u64().unwrap() {
            // A token is valid once.
            let mut client = hub.client().with_token(&token());
            let page = client.get(&format!("/api/sync/own?epoch={epoch}&after={after}")).data(200);
            let events = page["events"].as_array().unwrap();
            assert!(!events.is_empty(), "epoch {epoch} ends at {after}: {head}");
            // Records after the head that was read are not requested.
            let wanted = usize::try_from(head["seq"].as_u64().unwrap() - after).unwrap();
            for event in events.iter().take(wanted) {
                let record = event["record"].as_str().unwrap();
                after += 1;
                hash = next(&hash, record);
                assert_eq!((&event["seq"], &event["hash"]), (&json!(after), &json!(hash)), "{epoch}");
                texts.push(record.to_owned());
            }
        }
        assert_eq!(head["hash"], json!(hash), "the head of {epoch}");
    }
    texts
}

fn next(hash: &str, record: &str) -> String {
    let bytes = digest(&SHA256, format!("{hash}{record}").as_bytes());
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns texts by the ID of their event.
#[track_caller]
fn distinct(texts: impl Iterator<Item = String>) -> BTreeMap<String, String> {
    let mut events = BTreeMap::new();
    for text in texts {
        let record: Value = serde_json::from_str(&text).unwrap();
        let id = record["event_id"].as_str().unwrap().to_owned();
        let before = events.insert(id, text.clone());
        assert!(before.is_none_or(|before| before == text), "one event has two texts: {text}");
    }
    events
}
