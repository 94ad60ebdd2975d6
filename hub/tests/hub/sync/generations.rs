//! A database that is behind the records that this hub has acknowledged starts a new generation.

use crate::support::server::{Place, Server};
use crate::support::shop::{Shop, sums};
use crate::sync::replay::forget_sales;
use cloud_hub::config::Config;
use cloud_hub::state::hub as state;
use edge::settings::load;
use std::time::{Duration, Instant};

/// Time within which a hub must notice that its database is another one.
const NOTICED_WITHIN: Duration = Duration::from_secs(60);

/// Sets the database back to the first three records, as a manual restore would.
async fn set_back(server: Server, hash: &str) -> Server {
    let place = server.stop().await;
    let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
    let (db, _) = state::open_db(&config).await.unwrap();
    forget_sales(db.pool()).await;
    for sql in [
        "DELETE FROM records WHERE seq > 3",
        "DELETE FROM events WHERE seq > 3",
        "UPDATE store_sums SET sales_count = 3, items_count = 3, gross = 3000, tax = 330, total = 3330",
    ] {
        sqlx::query(sql).execute(db.pool()).await.unwrap();
    }
    let sql = "UPDATE epochs SET seq = 3, hash = $1, stable_seq = 3";
    sqlx::query(sql).bind(hash).execute(db.pool()).await.unwrap();
    db.close().await;
    Server::on(place).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_restored_by_hand_asks_for_what_it_lost() {
    let server = Server::start().await;
    let shop = Shop::sold(&server, "S001", 8).await;
    let cursor = shop.speak().get("/api/sync/pull").await.data()["next_cursor"].as_str().unwrap().to_owned();
    let before = server.hub.identity.clone();
    // A restart alone changes nothing.
    let server = Server::on(server.stop().await).await;
    assert_eq!(server.hub.identity, before);
    let server = set_back(server, shop.chains[0].hash_at(3)).await;
    assert_ne!(server.hub.identity.generation, before.generation);
    assert_eq!(server.hub.identity.number, 2);
    let shop = Shop { api: server.api(), ..shop };
    let answer = shop.hello().await;
    let data = answer.data();
    assert_eq!((&data["directive"], &data["heads"][0]["seq"]), (&"ok".into(), &3.into()));
    assert_eq!(data["heads"][0]["stable_seq"], 0, "backups of another generation do not count");
    assert_eq!(data["hub_generation"], server.hub.identity.generation);
    let old = shop.speak().get(&format!("/api/sync/pull?cursor={cursor}")).await;
    assert_eq!(old.refusal(), "410 resync_required");
    assert_eq!(shop.push(&shop.batch(4, 8)).await.data()["acked_seq"], 8);
    assert_eq!(sums(&server, "S001").await["sales_count"], 8);
    let number = server.hub.identity.number;
    let server = Server::on(server.stop().await).await;
    assert_eq!(server.hub.identity.number, number, "changed only once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_whose_database_is_replaced_under_it_acknowledges_nothing() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 2).await;
    shop.sell(1);
    let sql = "UPDATE hub SET generation = 'another', generation_n = 2";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    // Until the hub notices the change it refuses requests. Then it ends and is started again.
    let body = shop.batch(3, 3);
    let since = Instant::now();
    while let Ok(answer) = shop.speak().try_post("/api/sync/push", &body).await {
        assert!(
            ["503 unavailable", "503 no failure envelope"].contains(&answer.refusal().as_str()),
            "{answer:?}"
        );
        assert!(since.elapsed() < NOTICED_WITHIN, "the hub continues");
        tokio::task::yield_now().await;
    }
    let server = Server::on(server.ended().await).await;
    assert_eq!(server.figure("SELECT CAST(SUM(seq) AS BIGINT) FROM epochs").await, 2);
    assert_eq!((server.hub.identity.number, server.hub.identity.generation.as_str()), (2, "another"));
    let shop = Shop { api: server.api(), ..shop };
    shop.hello().await.data();
    assert_eq!(shop.push(&body).await.data()["acked_seq"], 3);
}

/// Statements that remove the store's records after the third.
const SET_BACK: [&str; 2] = [
    "DELETE FROM records WHERE store_id = 'S001' AND seq > 3",
    "UPDATE epochs SET seq = 3 WHERE store_id = 'S001'",
];

async fn set_back_by_hand(place: &Place) {
    let (db, _) = state::open_db(&settings(place)).await.unwrap();
    for sql in SET_BACK {
        sqlx::query(sql).execute(db.pool()).await.unwrap();
    }
    db.close().await;
}

fn settings(place: &Place) -> Config {
    load::load(Some(&place.config), Vec::new()).unwrap().config
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_of_one_folder_forget_nothing_of_each_other() {
    let one = Server::start().await;
    let two = Server::on(one.place.beside(&settings(&one.place).storage.path)).await;
    Shop::sold(&one, "S001", 5).await;
    Shop::sold(&two, "S002", 5).await;
    let (place, other) = (one.stop().await, two.stop().await);
    // Without a change of the database nothing is new. A start takes over what both processes have seen.
    let one = Server::on(place).await;
    assert_eq!(one.hub.identity.number, 1);
    let place = one.stop().await;
    set_back_by_hand(&place).await;
    let one = Server::on(place).await;
    assert_eq!(one.hub.identity.number, 2);
    let two = Server::on(other).await;
    assert_eq!(two.hub.identity, one.hub.identity);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_processes_that_find_a_restored_database_at_once_one_begins_the_generation() {
    let one = Server::start().await;
    let own = one.place.folder.path().join("data2");
    let from = settings(&one.place).storage.path;
    std::fs::create_dir_all(&own).unwrap();
    for key in ["token.key", "idempotency.key"] {
        std::fs::copy(from.join(key), own.join(key)).unwrap();
    }
    let two = Server::on(one.place.beside(&own)).await;
    let mut shop = Shop::sold(&one, "S001", 5).await;
    shop.sell(2);
    let there = Shop { api: two.api(), ..shop };
    there.push(&there.batch(6, 7)).await.data();
    let (one, two) = (one.stop().await, two.stop().await);
    // The first process has seen less than the second, which is not a restore.
    let one = Server::on(one).await;
    assert_eq!(one.hub.identity.number, 1);
    let one = one.stop().await;
    set_back_by_hand(&one).await;
    let (first, second) = (settings(&one), settings(&two));
    let (first, second) = tokio::join!(state::open(&first), state::open(&second));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!(first.identity, second.identity);
    assert_eq!(first.identity.number, 2);
    assert_eq!(state::open(&settings(&two)).await.unwrap().identity, first.identity, "changed only once");
}
