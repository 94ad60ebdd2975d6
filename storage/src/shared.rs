//! What the writer, the background threads and readers share.

use crate::commit::Noticed;
use crate::error::StorageError;
use crate::history::History;
use crate::layout::Layout;
use crate::lock::FolderLock;
use crate::manifest::InstallKey;
use crate::options::Options;
use crate::outbox::Head;
use crate::rows::Rows;
use crate::rows::mark::Mark;
use crate::scrub::Scrub;
use crate::segment::{self, Segment};
use crate::supply::Supply;
use domain::ids::StoreId;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{broadcast, watch};

/// Commits with something for screens that wait for whoever tells them; more, and it hears that it missed some.
pub const NOTICED_COMMITS_MAX: usize = 1_024;

/// Running counts.
#[derive(Debug, Default)]
pub struct Counters {
    /// Durable commits.
    pub commits: AtomicU64,
    /// Groups.
    pub groups: AtomicU64,
    /// fdatasync calls on the journal.
    pub fdatasyncs: AtomicU64,
    /// Bytes of frames.
    pub journal_bytes: AtomicU64,
}

/// What writer, background threads and readers share.
#[derive(Debug)]
pub struct Shared {
    /// The folder.
    pub layout: Layout,
    /// How it is run.
    pub options: Options,
    /// The store.
    pub store_id: StoreId,
    /// Current rows.
    pub rows: Rows,
    /// History.
    pub history: History,
    /// Running counts.
    pub counters: Counters,
    /// Most bytes that a group gathers.
    pub group_bytes_max: usize,
    /// Segments one ahead.
    pub supply: Arc<Supply>,
    /// Reads old segments again.
    pub scrub: Scrub,
    /// Set when background work is to end.
    pub stopping: AtomicBool,
    /// Under which fingerprints are made.
    pub key: InstallKey,
    head: Mutex<Head>,
    /// The last seq.
    pub seq: watch::Sender<u64>,
    /// What screens are told.
    pub notices: broadcast::Sender<Arc<Noticed>>,
    /// Why the storage stopped.
    pub failure: watch::Sender<Option<StorageError>>,
    _lock: FolderLock,
}

impl Shared {
    pub(crate) fn new(
        layout: Layout,
        options: Options,
        identity: (StoreId, InstallKey, FolderLock),
        (rows, history): (Rows, History),
        supply: Arc<Supply>,
    ) -> Self {
        let head = Mutex::new(head_of(&rows.mark()));
        let seq = watch::Sender::new(rows.mark().records.seq);
        let (store_id, key, lock) = identity;
        let quarter = usize::try_from(options.segment_bytes / 4).unwrap_or(usize::MAX);
        Self {
            layout,
            group_bytes_max: quarter.min(crate::writer::group::GROUP_BYTES_MAX),
            options,
            store_id,
            rows,
            history,
            counters: Counters::default(),
            supply,
            scrub: Scrub::default(),
            stopping: AtomicBool::new(false),
            key,
            head,
            seq,
            notices: broadcast::Sender::new(NOTICED_COMMITS_MAX),
            failure: watch::Sender::new(None),
            _lock: lock,
        }
    }

    /// Shows readers how far the journal is.
    pub fn publish(&self, mark: &Mark) {
        *self.head.lock().unwrap_or_else(PoisonError::into_inner) = head_of(mark);
        self.seq.send_if_modified(|seq| std::mem::replace(seq, mark.records.seq) != mark.records.seq);
    }

    /// Notes the first failure.
    pub fn fail(&self, error: StorageError) {
        self.failure.send_if_modified(|failure| {
            let first = failure.is_none();
            if first {
                *failure = Some(error);
            }
            first
        });
    }

    /// The segment to go on in.
    pub fn next_segment(&self, head: segment::Head, room: u64) -> Result<Segment, StorageError> {
        self.supply.take()?;
        let path = self.layout.segment(head.first_lsn);
        let segment = Segment::begin(&self.layout.next_segment(), &path, head, room)?;
        self.supply.taken();
        Ok(segment)
    }

    /// The first failure.
    pub fn failure(&self) -> Option<StorageError> {
        self.failure.borrow().clone()
    }

    /// The end of the journal, as readers may see it.
    pub fn head(&self) -> Head {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Free bytes on the disk; 0 where it does not say.
    pub fn free_bytes(&self) -> u64 {
        fs2::available_space(&self.layout.0).unwrap_or(0)
    }
}

fn head_of(mark: &Mark) -> Head {
    Head {
        lsn: mark.lsn,
        epoch: mark.records.epoch.clone(),
        seq: mark.records.seq,
        hash: domain::chain::hex(&mark.records.hash),
    }
}
