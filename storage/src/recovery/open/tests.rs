//! Starts on folders that only a bad moment leaves.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use crate::error::StorageError;
use crate::folder::format::{FOLDER, Migration};
use crate::folder::layout::Layout;
use crate::journal::index::Entries;
use crate::journal::index::index_file;
use crate::journal::segment::Segment;
use crate::journal::walk::Position;
use crate::{Commit, Options, Storage};
use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use std::fs;
use std::path::Path;

/// A store with records in several segments.
async fn written(folder: &Path) -> Options {
    let options = Options { segment_bytes: 8 * 1024, min_free_bytes: 0, ..Options::default() };
    Storage::init(folder, &"S001".into(), "1-0123456789abcdef").unwrap();
    let storage = Storage::open(folder, &options).unwrap();
    for number in 0..60 {
        let events = vec![fact::SessionClosed { session_id: "ses_1".into() }.into()];
        let records = vec![format!("{{\"n\":{number}}}")];
        storage.commit(Commit { events, records, keyed: None, at: UtcMs(1), hlc: None }).await.unwrap();
    }
    storage.close().unwrap();
    options
}

#[tokio::test]
async fn an_index_of_an_earlier_time_is_remade_and_refuses_no_start() {
    let folder = tempfile::tempdir().unwrap();
    let options = written(folder.path()).await;
    let storage = Storage::open(folder.path(), &options).unwrap();
    let (head, segments) = (storage.head(), storage.shared().history.segments());
    storage.close().unwrap();
    assert!(segments.len() > 2);
    let sealed = Segment::open(&segments.first().unwrap().path).unwrap();
    drop(segments);
    let index = sealed.path.with_extension("idx");
    let good = fs::read(&index).unwrap();
    index_file::write(&index, &sealed, &Position::start(&sealed), &Entries::default()).unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    assert_eq!(storage.head(), head);
    let (_, records) = storage.outbox().records(&head.epoch, 0, 100, 1 << 20).unwrap();
    assert_eq!(records.len(), 60);
    assert_eq!(fs::read(&index).unwrap(), good);
}

/// Does what a release with another format of rows and indexes would do: all of them are made from the journal.
fn made_anew(layout: &Layout) -> Result<(), StorageError> {
    for folder in [layout.rows(), layout.snapshots()] {
        fs::remove_dir_all(&folder).map_err(StorageError::io("remove", &folder))?;
    }
    Ok(())
}

fn nothing(_: &Layout) -> Result<(), StorageError> {
    Ok(())
}

fn fails(layout: &Layout) -> Result<(), StorageError> {
    Err(StorageError::Refused { path: layout.0.clone(), what: "the disk is full".to_owned() })
}

#[tokio::test]
async fn a_folder_goes_through_the_migrations_that_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let options = written(folder.path()).await;
    let open = |migrations: &[Migration]| Storage::open_any(folder.path(), &options, migrations);
    let version =
        || crate::folder::manifest::Manifest::read(&Layout(folder.path().to_owned())).unwrap().format_version;
    assert_eq!((version(), FOLDER), (1, 1));
    // The first is done for good, the second is tried again.
    open(&[made_anew, fails]).unwrap_err();
    assert_eq!(version(), 2);
    assert!(!folder.path().join("rows").exists());
    let storage = open(&[fails, nothing]).unwrap();
    assert_eq!(version(), 3);
    assert_eq!(storage.outbox().records("1-0123456789abcdef", 0, 100, 1 << 20).unwrap().1.len(), 60);
    storage.close().unwrap();
    open(&[fails, fails]).unwrap().close().unwrap();
}
