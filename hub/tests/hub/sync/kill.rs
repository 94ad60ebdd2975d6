//! The real binary is killed at any moment: no acknowledged record is lost, and none counts twice.

use crate::support::server::{Api, PASSWORD, Place};
use crate::support::shop::{Chain, FIRST, Shop};
use cloud_hub::config::Config;
use edge::keys::SigningKey;
use edge::settings::load;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const KILLS: usize = 12;
const BATCH: usize = 5;

fn spawn(place: &Place) -> Child {
    place
        .command(&["serve"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub async fn ready(address: SocketAddr) {
    let since = Instant::now();
    let client = reqwest::Client::new();
    let url = format!("http://{address}/health/ready");
    while !client.get(&url).send().await.is_ok_and(|answer| answer.status().is_success()) {
        assert!(since.elapsed() < Duration::from_secs(60), "the hub does not start");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_loses_nothing_and_doubles_nothing() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = Place::at(&address.to_string()).await;
    place.init();
    let token = place.add_store("S001");
    let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
    let mut hub = spawn(&place);
    ready(address).await;
    let (db, identity) = cloud_hub::state::hub::open_db(&config).await.unwrap();
    db.close().await;
    let shop = Shop {
        id: "S001".to_owned(),
        hub_id: identity.hub_id,
        key: Arc::new(SigningKey::generate().unwrap()),
        api: Api::new(address),
        chains: vec![Chain::new(FIRST)],
    };
    shop.enrol(&token).await.data();
    shop.hello().await.data();

    let (acked, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let pusher = tokio::spawn(push_until(shop.clone(), Arc::clone(&acked), Arc::clone(&done)));
    for round in 0..KILLS {
        // The kill comes some batches later, at any statement.
        let target = acked.load(Ordering::SeqCst) + BATCH * (1 + round % 4);
        while acked.load(Ordering::SeqCst) < target {
            assert!(!pusher.is_finished(), "the store gave up");
            tokio::task::yield_now().await;
        }
        let pause = Instant::now();
        while pause.elapsed() < Duration::from_micros(700 * round as u64) {
            tokio::task::yield_now().await;
        }
        hub.kill().unwrap();
        hub.wait().unwrap();
        hub = spawn(&place);
        ready(address).await;
    }
    done.store(true, Ordering::SeqCst);
    let sold = pusher.await.unwrap();
    let admin = Api::new(address).login("boss", PASSWORD).await;
    let status = admin.get("/api/stores/S001/status").await;
    let data = status.data();
    assert_eq!(data["sums"]["sales_count"], sold);
    assert_eq!(data["sums"]["total"], sold * 1110);
    assert_eq!(data["heads"][0]["seq"], sold);
    assert_eq!(data["parked_count"], 0);
    let pid = hub.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(hub.wait().unwrap().code(), Some(0), "a clean end");
}

/// Longest time for a batch between two kills.
const BATCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Sells and pushes, repeating each batch until it is acknowledged. Returns the number of sales.
async fn push_until(mut shop: Shop, acked: Arc<AtomicUsize>, done: Arc<AtomicBool>) -> usize {
    while !done.load(Ordering::SeqCst) {
        let from = shop.chain().records.len() + 1;
        shop.sell(BATCH);
        let to = from + BATCH - 1;
        let body = shop.batch(from, to);
        let since = Instant::now();
        loop {
            assert!(since.elapsed() < BATCH_TIMEOUT, "batch {from}..={to} is not acknowledged");
            match shop.speak().try_post("/api/sync/push", &body).await {
                Ok(answer) if answer.status.is_success() && answer.body["data"].is_object() => {
                    assert_eq!(answer.body["data"]["acked_seq"], to);
                    break;
                }
                Ok(answer) => assert!(answer.status.is_server_error() || answer.body == "", "{answer:?}"),
                Err(_) => tokio::task::yield_now().await,
            }
        }
        acked.store(to, Ordering::SeqCst);
    }
    shop.chain().records.len()
}
