//! State shared by the writer, the background threads and readers.

use crate::error::StorageError;
use crate::folder::layout::Layout;
use crate::folder::lock::FolderLock;
use crate::folder::manifest::InstallKey;
use crate::journal::history::History;
use crate::journal::record_head::RecordHead;
use crate::journal::scrub::Scrub;
use crate::journal::segment::{self, Segment};
use crate::journal::supply::Supply;
use crate::options::Options;
use crate::rows::Rows;
use crate::rows::mark::Mark;
use crate::writer::commit::Noticed;
use domain::model::base::ids::StoreId;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

/// Commits with notices that a slow subscriber may leave unread; beyond that it is notified that it missed some.
pub const NOTICED_COMMITS_MAX: usize = 1_024;

/// Time that the disk's free bytes are cached: every command needs them.
const FREE_BYTES_KEPT: Duration = Duration::from_millis(100);

/// The end of the journal and of the current epoch's records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalHead {
    /// Lsn of the last commit.
    pub lsn: u64,
    /// The epoch that is written.
    pub epoch: String,
    /// Its last record; 0 if there is none.
    pub seq: u64,
    /// The hash there; 64 zeros if there is none.
    pub hash: String,
}

/// Counters since the start.
#[derive(Debug, Default)]
pub struct Counters {
    /// Number of durable commits.
    pub commits: AtomicU64,
    /// Number of groups written.
    pub groups: AtomicU64,
    /// fdatasync calls on the journal.
    pub fdatasyncs: AtomicU64,
    /// Bytes of frames written.
    pub journal_bytes: AtomicU64,
    /// Bytes of frames and records hashed into their chains.
    pub chained_bytes: AtomicU64,
}

/// State shared by writer, background threads and readers.
#[derive(Debug)]
pub struct Shared {
    /// Paths in the data folder.
    pub layout: Layout,
    /// How it is run.
    pub options: Options,
    /// Store that owns the folder.
    pub store_id: StoreId,
    /// Current rows.
    pub rows: Rows,
    /// Index of the journal's documents and steps.
    pub history: History,
    /// Counters since the start.
    pub counters: Counters,
    /// Most bytes that a group gathers.
    pub group_bytes_max: usize,
    /// Prepares the next segment.
    pub supply: Arc<Supply>,
    /// Reads old segments again.
    pub scrub: Scrub,
    /// Set when background work is to end.
    pub stopping: AtomicBool,
    /// Under which fingerprints are made.
    pub key: InstallKey,
    head: Mutex<(u64, RecordHead)>,
    /// Time of the last query of the disk, and its result.
    free: Mutex<Option<(Instant, u64)>>,
    /// Last seq of the records.
    pub seq: watch::Sender<u64>,
    /// Notices to screens.
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
        let Mark { lsn, records, .. } = rows.mark();
        let seq = watch::Sender::new(records.seq);
        let head = Mutex::new((lsn, records));
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
            free: Mutex::default(),
            seq,
            notices: broadcast::Sender::new(NOTICED_COMMITS_MAX),
            failure: watch::Sender::new(None),
            _lock: lock,
        }
    }

    /// Shows readers how far the journal is.
    pub fn publish(&self, mark: &Mark) {
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let RecordHead { epoch, seq, hash } = &mark.records;
        (head.0, head.1.seq, head.1.hash) = (mark.lsn, *seq, *hash);
        // An epoch lasts for years: its name is not copied for every group.
        head.1.epoch.clone_from(epoch);
        drop(head);
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

    /// The segment to continue in.
    pub fn next_segment(&self, head: segment::SegmentHeader, room: u64) -> Result<Segment, StorageError> {
        self.supply.take()?;
        let path = self.layout.segment(head.first_lsn);
        let segment = Segment::begin(&self.layout.next_segment(), &path, head, room)?;
        self.supply.taken();
        Ok(segment)
    }

    /// The first failure, if there was one.
    pub fn failure(&self) -> Option<StorageError> {
        self.failure.borrow().clone()
    }

    /// The end of the journal, as readers may see it.
    pub fn head(&self) -> JournalHead {
        let head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        let (lsn, RecordHead { epoch, seq, hash }) = &*head;
        let (epoch, hash) = (epoch.clone(), domain::model::hub::chain::hex(hash));
        JournalHead { lsn: *lsn, epoch, seq: *seq, hash }
    }

    /// Free bytes on the disk, a moment ago; 0 if the disk does not report it.
    pub fn free_bytes(&self) -> u64 {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        match *free {
            Some((asked, bytes)) if asked.elapsed() < FREE_BYTES_KEPT => bytes,
            _ => {
                let bytes = fs2::available_space(&self.layout.0).unwrap_or(0);
                *free = Some((Instant::now(), bytes));
                bytes
            }
        }
    }
}
