//! Starts on folders that only a bad moment leaves.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use crate::index::Entries;
use crate::index::file;
use crate::journal::Place;
use crate::segment::Segment;
use crate::{Commit, Options, Storage};
use domain::event::Event;
use domain::time::UtcMs;

#[tokio::test]
async fn an_index_of_an_earlier_time_is_remade_and_refuses_no_start() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_bytes: 8 * 1024, min_free_bytes: 0, ..Options::default() };
    Storage::init(folder.path(), &"S001".into(), "1-0123456789abcdef").unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    for number in 0..60 {
        let events = vec![Event::SessionClosed { session_id: "ses_1".into() }];
        let records = vec![format!("{{\"n\":{number}}}")];
        storage.commit(Commit { events, records, keyed: None, at: UtcMs(1), hlc: None }).await.unwrap();
    }
    let (head, segments) = (storage.head(), storage.history().segments());
    storage.close().unwrap();
    assert!(segments.len() > 2);
    let sealed = Segment::open(&segments.first().unwrap().path).unwrap();
    drop(segments);
    let index = sealed.path.with_extension("idx");
    let good = std::fs::read(&index).unwrap();
    file::write(&index, &sealed, &Place::start(&sealed), &Entries::default()).unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    assert_eq!(storage.head(), head);
    let (_, records) = storage.records(&head.epoch, 0, 100, 1 << 20).unwrap();
    assert_eq!(records.len(), 60);
    assert_eq!(std::fs::read(&index).unwrap(), good);
}
