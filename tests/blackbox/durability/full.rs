//! Full disks and missing data folders: refusals state the reason, acknowledged data is kept, and the programs start.

use serde_json::json;
use testkit::counter::{SALES, basket};
use testkit::disk::SmallDisk;
use testkit::hub::Hub;
use testkit::store::Store;
use testkit::{process, wait};

/// Space for a new store with a few journal segments.
const STORE_BYTES: u64 = 320 << 20;
/// Space for a hub's SQLite database.
const HUB_BYTES: u64 = 24 << 20;
/// Free space below which a store refuses changes: more than the reserve that it releases on a full disk.
const LITTLE: &str = "storage.min_free_bytes = 33554432\n";

/// Mounts a small disk. Returns `None` if this machine can't mount one.
fn disk(folder: &std::path::Path, bytes: u64) -> Option<SmallDisk> {
    let made = SmallDisk::make(folder, bytes);
    made.map_err(|reason| println!("full: NOT RUN, this machine can't mount a small disk: {reason}")).ok()
}

#[test]
fn a_store_on_a_full_disk_reads_starts_and_sells_again_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = disk(folder.path(), STORE_BYTES) else { return };
    let mut store = Store::prepare_at(tempfile::tempdir().unwrap(), disk.0.join("data"), LITTLE, 1);
    store.start();
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let made = till.post(SALES, &basket(&[("8990001", 1)])).data(201);
    let path = format!("{SALES}/{}", made["transaction_id"].as_str().unwrap());
    disk.fill();
    for round in ["filled-while-it-serves", "started-on-the-full-disk"] {
        // The store looks at the disk once in a while, and sells until then.
        let refused = wait::until("the store notices the full disk", || {
            Some(till.post(SALES, &basket(&[("8990001", 1)]))).filter(|reply| reply.status != 201)
        });
        refused.refused(507, "storage_full");
        assert_eq!(till.get(&path).data(200)["total"], made["total"], "{round}");
        store.stop();
        process::succeed(store.command(&["verify"]), "");
        store.spawn();
        let mut nobody = store.client();
        wait::until("the daemon answers", || nobody.try_send("GET", "/health", &[], b"").ok());
    }
    disk.empty();
    wait::until("there is room", || {
        (till.post_keyed(SALES, "later", &basket(&[("8990001", 1)])).status == 201).then_some(())
    });
    store.stop();
    store.verify();
}

#[test]
fn a_store_whose_folder_is_gone_says_so_and_sells_again_once_it_is_back() {
    let mut store = Store::open_with("", 1);
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let (data, away) = (store.data().to_owned(), store.folder().join("away"));
    std::fs::rename(&data, &away).unwrap();
    // Sales continue in the open files until the store notices that the folder is missing.
    let refused = wait::until("the store notices the missing folder", || {
        Some(till.post(SALES, &basket(&[("8990001", 1)]))).filter(|reply| reply.status != 201)
    });
    assert!(
        refused.text().contains("can't be used") && refused.text().contains("put it back"),
        "{}",
        refused.text()
    );
    refused.refused(507, "storage_full");
    std::fs::rename(&away, &data).unwrap();
    wait::until("the folder is found again", || {
        (till.post(SALES, &basket(&[("8990001", 1)])).status == 201).then_some(())
    });
    store.stop();
    store.verify();
}

#[test]
fn a_hub_on_a_full_disk_reads_starts_and_writes_again_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = disk(folder.path(), HUB_BYTES) else { return };
    let url = format!("sqlite://{}", disk.0.join("hub.db").display());
    let mut hub = Hub::open_at(tempfile::tempdir().unwrap(), &url, "");
    let mut admin = hub.login();
    let product = |sku: &str| json!({"sku": sku, "name": "Tea", "price": 1});
    admin.post("/api/products", &product("A")).data(201);
    disk.fill();
    let mut made = 0;
    // The database files still have free space inside.
    wait::until("nothing can be written", || {
        made += 1;
        let reply = admin.post("/api/products", &product(&format!("N{made}")));
        (reply.status == 507).then(|| reply.refused(507, "storage_full"))
    });
    assert_eq!(admin.get("/api/products/A").data(200)["price"], json!(1));
    hub.stop();
    process::succeed(hub.command(&["verify"]), "");
    hub.start();
    assert_eq!(admin.get("/api/products/A").data(200)["price"], json!(1));
    disk.empty();
    admin.post("/api/products", &product("B")).data(201);
    assert_eq!(admin.get("/api/products/B").data(200)["price"], json!(1));
    hub.stop();
}

#[test]
fn a_hub_whose_database_is_gone_says_so_and_writes_again_once_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (file, away) = (folder.path().join("hub.db"), folder.path().join("away.db"));
    let url = format!("sqlite://{}", file.display());
    let mut hub = Hub::open_at(tempfile::tempdir().unwrap(), &url, "");
    let mut admin = hub.login();
    let product = |sku: &str| json!({"sku": sku, "name": "Tea", "price": 1});
    admin.post("/api/products", &product("A")).data(201);
    std::fs::rename(&file, &away).unwrap();
    let refused = admin.post("/api/products", &product("B"));
    assert!(refused.text().contains("was moved or removed"), "{}", refused.text());
    refused.refused(503, "unavailable");
    // The connections that are open still read; jobs may hold all of them for a moment.
    wait::until("an open connection reads", || (admin.get("/api/products/A").status == 200).then_some(()));
    std::fs::rename(&away, &file).unwrap();
    admin.post("/api/products", &product("B")).data(201);
    hub.stop();
}
