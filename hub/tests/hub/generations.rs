//! A database that is behind what this hub has acknowledged is a new generation.

use crate::server::Server;
use crate::shop::{Shop, sums};
use cloud_hub::app;
use cloud_hub::config::Config;
use edge::settings::load;

/// Takes the database back to the first three records, as a restore by hand would.
async fn set_back(server: Server, hash: &str) -> Server {
    let place = server.stop().await;
    let config: Config = load::load(Some(&place.config), Vec::new()).unwrap().config;
    let (db, _) = app::open_db(&config).await.unwrap();
    for sql in [
        "DELETE FROM records WHERE seq > 3",
        "DELETE FROM events WHERE seq > 3",
        "DELETE FROM sales",
        "DELETE FROM sale_lines",
        "DELETE FROM payments",
        "DELETE FROM shift_methods",
        "DELETE FROM stock",
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
    // Stopped and started, nothing is new.
    let server = Server::on(server.stop().await).await;
    assert_eq!(server.hub.identity, before);
    let server = set_back(server, shop.chains[0].hash_at(3)).await;
    assert_ne!(server.hub.identity.generation, before.generation);
    assert_eq!(server.hub.identity.number, 2);
    let shop = Shop { api: server.api(), ..shop };
    let answer = shop.hello().await;
    let data = answer.data();
    assert_eq!((&data["directive"], &data["heads"][0]["seq"]), (&"ok".into(), &3.into()));
    assert_eq!(data["heads"][0]["stable_seq"], 0, "what backups of another generation hold is void");
    assert_eq!(data["hub_generation"], server.hub.identity.generation);
    let old = shop.speak().get(&format!("/api/sync/pull?cursor={cursor}")).await;
    assert_eq!(old.refusal(), "410 resync_required");
    assert_eq!(shop.push(&shop.batch(4, 8)).await.data()["acked_seq"], 8);
    assert_eq!(sums(&server, "S001").await["sales_count"], 8);
    let number = server.hub.identity.number;
    let server = Server::on(server.stop().await).await;
    assert_eq!(server.hub.identity.number, number, "once is enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_whose_database_is_replaced_under_it_acknowledges_nothing() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 2).await;
    shop.sell(1);
    let sql = "UPDATE hub SET generation = 'another', generation_n = 2";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(shop.push(&shop.batch(3, 3)).await.refusal(), "503 unavailable");
    assert_eq!(shop.hello().await.refusal(), "503 unavailable");
    assert_eq!(server.figure("SELECT CAST(SUM(seq) AS BIGINT) FROM epochs").await, 2);
}
