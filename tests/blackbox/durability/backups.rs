//! Backups taken while tills sell: each is complete and can be restored to a store with correct sums.

use serde_json::json;
use std::fs;
use std::path::Path;
use testkit::dice::Random;
use testkit::store::{STORE_ID, Store};
use testkit::till::{Load, Till};
use testkit::{audit, process};

/// Pieces of every product.
const RECEIVED: i64 = 100_000;

#[track_caller]
fn take(store: &Store, folder: &Path, more: &[&str]) -> String {
    let mut arguments = vec!["backup", folder.to_str().unwrap()];
    arguments.extend(more);
    process::succeed(store.command(&arguments), "")
}

#[test]
fn a_backup_under_load_becomes_a_store_whose_sums_are_right() {
    let mut random = Random::announced("backups");
    let mut store = Store::open_with("", 3);
    store.receive_all(RECEIVED);
    let load = Load::start((1..=3).map(|n| Till::open(&store, n, &mut random)).collect());
    load.wait_for(60);
    let folder = store.folder().join("backup");
    take(&store, &folder, &[]);
    let acknowledged = load.acknowledged();
    // A verification while tills sell finds no problem either.
    process::succeed(store.command(&["verify"]), "");
    load.wait_for(30);
    let mut tills = load.finish();
    audit::audit(&store, &mut tills, RECEIVED);
    let mut old = store.login("manager");
    store.stop();

    store.move_data(store.folder().join("restored"));
    let said = process::succeed(store.command(&["restore", folder.to_str().unwrap()]), "");
    assert!(said.contains("epoch 2-") && said.contains("3 shifts were open"), "{said}");
    store.verify();
    let refused = store.run(&["restore", folder.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1), "{}", process::said(&refused));
    store.start();
    old.get("/api/auth/me").refused(401, "token_revoked");

    // Each till sold one sale after the other, so the backup contains its first sales.
    let mut manager = store.login("manager");
    for till in &mut tills {
        let shift = till.shift(&mut manager);
        assert_eq!(shift["state"], json!("interrupted"), "{shift}");
        let path = format!("/api/shifts/{}/summary", till.shift_id);
        let kept = manager.get(&path).data(200)["sales_count"].as_u64().unwrap() as usize;
        assert!(kept > 0 && kept <= till.sold.len(), "{kept} of {}", till.sold.len());
        till.sold.truncate(kept);
        till.log_in_again(&store);
    }
    let kept: usize = tills.iter().map(|till| till.sold.len()).sum();
    assert!(kept >= 60 && kept <= acknowledged + 3, "{kept} of {acknowledged}");
    audit::audit(&store, &mut tills, RECEIVED);

    // The interrupted shift sells no more. A new shift has its own series of numbers.
    let shift_id = tills[0].shift_id.clone();
    let mut cashier = store.login("till-1").at_register("till-1");
    let basket = json!({"shift_id": shift_id, "items": [{"sku": "8990001", "qty": 1, "price": 2000}]});
    let refused = cashier.post("/api/pos/transactions", &basket).refused(409, "invalid_state");
    assert_eq!(refused["state"], json!("interrupted"), "{refused}");
    let mut till = Till::open(&store, 1, &mut random);
    till.sell();
    till.sell();
    let (first, second) = (&till.sold[0].receipt_no, &till.sold[1].receipt_no);
    assert!(first.starts_with(&format!("{STORE_ID}-till-1.2")) && first.ends_with("-00000001"), "{first}");
    assert!(second.ends_with("-00000002"), "{second}");
    store.stop();
    store.verify();
}

#[test]
fn an_incomplete_backup_is_not_restored() {
    let mut store = Store::open_with("", 1);
    store.receive_all(10);
    let folder = store.folder().join("backup");
    take(&store, &folder, &[]);
    let again = store.run(&["backup", folder.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(1), "{}", process::said(&again));
    store.stop();
    let segment = folder.join("journal/0000000000000001.seg");
    let good = fs::read(&segment).unwrap();
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 0x10;
    fs::write(&segment, bad).unwrap();
    store.move_data(store.folder().join("restored"));
    let output = store.run(&["restore", folder.to_str().unwrap()]);
    let said = process::said(&output);
    assert_eq!(output.status.code(), Some(74), "{said}");
    assert!(said.contains("0000000000000001.seg"), "{said}");
    let (code, said) = store.refuses_to_start();
    assert!(code == 1 && said.contains("restore"), "{code}: {said}");
    assert!(!store.data().exists(), "no restored files are left");
    fs::write(&segment, good).unwrap();
    process::succeed(store.command(&["restore", folder.to_str().unwrap()]), "");
    store.start();
    store.login("warehouse").get("/api/stock/8990001").data(200);
    store.stop();
    let output = store.run(&["restore", store.folder().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", process::said(&output));
}

#[test]
fn of_backups_without_a_folder_of_their_own_the_newest_are_kept() {
    let mut store = Store::open_with("backup.keep = 2\n", 1);
    for round in 0..4 {
        if round == 3 {
            store.stop();
        }
        process::succeed(store.command(&["backup"]), "");
    }
    let kept: Vec<_> = fs::read_dir(store.data().join("backups")).unwrap().collect();
    assert_eq!(kept.len(), 2, "{kept:?}");
    store.start();
    let work = store.login("manager").get("/api/admin/work").data(200);
    let newest = Path::new(work["backups"][0]["folder"].as_str().unwrap()).to_owned();
    store.stop();
    store.move_data(store.folder().join("restored"));
    process::succeed(store.command(&["restore", newest.to_str().unwrap()]), "");
    store.verify();
}

#[test]
fn a_backup_of_a_stopped_store_without_keys_makes_new_ones() {
    let mut store = Store::prepare("", 1);
    let folder = store.folder().join("backup");
    take(&store, &folder, &["--without-keys"]);
    assert!(!folder.join("keys").exists() && !folder.join("install.key").exists());
    let old = fs::read(store.data().join("keys/tokens.pem")).unwrap();
    store.move_data(store.folder().join("restored"));
    let said = process::succeed(store.command(&["restore", folder.to_str().unwrap()]), "");
    assert!(said.contains("no keys"), "{said}");
    assert_ne!(fs::read(store.data().join("keys/tokens.pem")).unwrap(), old);
    store.start();
    store.login("till-1").get("/api/auth/me").data(200);
}
