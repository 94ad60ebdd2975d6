//! Snapshots of an older program: of no use, so a start has one written that is.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a test may fail loudly")]
#![allow(dead_code, reason = "the shop serves several test files")]

#[path = "support/files.rs"]
mod files;
#[path = "support/shop.rs"]
mod shop;

use files::files;
use shop::{Shop, folder, open};
use std::fs;
use std::path::Path;

/// Where the version of the rows stands in a snapshot of the store `S001`: behind magic, version, store, length.
const ROWS_VERSION_AT: usize = 8 + 4 + (4 + 4) + 4;

fn versions(folder: &Path) -> Vec<u8> {
    let snapshots = files(&folder.join("snapshots"), "snap");
    snapshots.iter().map(|path| fs::read(path).unwrap()[ROWS_VERSION_AT]).collect()
}

#[tokio::test]
async fn after_an_upgrade_a_start_writes_a_snapshot_that_can_be_used() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    for _ in 0..300 {
        storage.submit(till.sale(), |_| ()).unwrap();
    }
    storage.close().unwrap();
    let current = *versions(folder.path()).last().unwrap();
    // The second time the new snapshot has the very place of the old one.
    for _ in 0..2 {
        for path in files(&folder.path().join("snapshots"), "snap") {
            let mut bytes = fs::read(&path).unwrap();
            bytes[ROWS_VERSION_AT] = current - 1;
            fs::write(&path, bytes).unwrap();
        }
        open(folder.path()).close().unwrap();
        assert_eq!(versions(folder.path()).last(), Some(&current));
    }
    // It is asked for once.
    let newest = || files(&folder.path().join("snapshots"), "snap").pop().unwrap();
    let written = fs::metadata(newest()).unwrap().modified().unwrap();
    open(folder.path()).close().unwrap();
    assert_eq!(fs::metadata(newest()).unwrap().modified().unwrap(), written);
}
