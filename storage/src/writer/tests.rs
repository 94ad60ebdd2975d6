//! The writer when the disk fails, and when it is closed.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use crate::{Commit, NotWritable, Options, Storage, StorageError};
use domain::model::base::event::fact;
use domain::model::base::time::UtcMs;
use std::sync::atomic::Ordering::Relaxed;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

fn commit(number: u64) -> Commit {
    let session_id = format!("ses_{number}").into();
    let records = vec![format!("{{\"n\":{number}}}")];
    Commit {
        events: vec![fact::SessionClosed { session_id }.into()],
        records,
        keyed: None,
        at: UtcMs(1),
        hlc: None,
    }
}

#[tokio::test]
async fn after_a_failed_sync_nobody_is_answered_and_a_start_decides_from_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_bytes: 64 * 1024, min_free_bytes: 0, ..Options::default() };
    Storage::init(folder.path(), &"S001".into(), "1-0123456789abcdef").unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    for number in 0..10 {
        storage.commit(commit(number)).await.unwrap();
    }
    let acknowledged = storage.head().lsn;
    let open = storage.shared().history.segments().pop().unwrap();
    open.fail_sync.store(true, Relaxed);
    let mut waiting = Vec::new();
    for number in 10..20 {
        let (sender, receiver) = oneshot::channel();
        storage.submit(commit(number), move |durable| sender.send(durable).unwrap()).unwrap();
        waiting.push(receiver);
    }
    let error = storage.failed().await;
    assert!(matches!(error, StorageError::Io { what: "sync", .. }), "{error}");
    assert_eq!(error.exit_code(), 74);
    open.fail_sync.store(false, Relaxed);
    let later = storage.commit(commit(20)).await;
    assert!(later.is_err(), "a later commit is not answered although the disk works again");
    assert!(storage.barrier().await.is_err());
    for receiver in &mut waiting {
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty), "neither answered nor dropped");
    }
    assert_eq!(storage.writable(), Err(NotWritable::Failed));
    assert_eq!(storage.head().lsn, acknowledged, "reads see nothing of it");
    drop(open);
    assert!(storage.close().is_err());
    let storage = Storage::open(folder.path(), &options).unwrap();
    let head = storage.head();
    assert!(head.lsn >= acknowledged && head.lsn <= acknowledged + 10, "{head:?}");
    assert_eq!(head.seq, head.lsn - 1);
    let (_, records) = storage.outbox().records(&head.epoch, 0, 100, 1 << 20).unwrap();
    assert_eq!(records.len() as u64, head.seq);
    assert_eq!(storage.commit(commit(21)).await.unwrap().lsn, head.lsn + 1);
}

#[tokio::test]
async fn a_failure_while_the_storage_is_being_closed_ends_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_bytes: 64 * 1024, min_free_bytes: 0, ..Options::default() };
    Storage::init(folder.path(), &"S001".into(), "1-0123456789abcdef").unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    storage.submit(commit(0), move |_| held.recv().unwrap()).unwrap();
    let open = storage.shared().history.segments().pop().unwrap();
    open.fail_sync.store(true, Relaxed);
    // The writer finds the end of its work behind the commit that fails.
    storage.submit(commit(1), |_| ()).unwrap();
    storage.ask_to_close();
    let_go.send(()).unwrap();
    assert!(matches!(storage.failed().await, StorageError::Io { what: "sync", .. }));
    while storage.submit(commit(2), |_| ()).is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(storage.close().is_err());
}

#[tokio::test]
async fn a_closed_storage_takes_nothing_and_gives_the_reply_back() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_bytes: 64 * 1024, min_free_bytes: u64::MAX, ..Options::default() };
    Storage::init(folder.path(), &"S001".into(), "1-0123456789abcdef").unwrap();
    let storage = Storage::open(folder.path(), &options).unwrap();
    let refused = storage.writable().unwrap_err();
    assert!(matches!(refused, NotWritable::LowSpace { needed: u64::MAX, .. }), "{refused}");
    let clone = storage.clone();
    storage.close().unwrap();
    let (sender, mut receiver) = oneshot::channel();
    assert!(clone.submit(commit(1), move |durable| sender.send(durable).unwrap()).is_err());
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed), "dropped: never submitted");
}
