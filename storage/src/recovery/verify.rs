//! Verifying a store: the whole journal is walked, and everything made from it is compared.
//!
//! Checksums and chains, records, index against journal, rows against journal, ledger and shift sums,
//! receipt numbers, idempotency keys. Nothing is changed. Beside a running store the rows are read first
//! and the journal is walked up to where they were; a row that changed meanwhile may have any of the
//! values that it had.

mod expected_rows;
mod facts;
mod online;
mod safe_sums;
mod shift_sums;

use crate::error::StorageError;
use crate::folder::high_water::HighWater;
use crate::folder::layout::{Layout, numbered};
use crate::folder::lock::FolderLock;
use crate::folder::manifest::Manifest;
use crate::journal::index::Entries;
use crate::journal::index::index_file::IndexFile;
use crate::journal::segment::Segment;
use crate::journal::tail::judge;
use crate::journal::walk::{Position, Walk};
use crate::recovery::journal_end::open_segments;
use crate::rows::mark::Mark;
use crate::snapshot;
use expected_rows::Expected;
use facts::Facts;
use std::path::Path;
use std::sync::Arc;

/// Bytes between two looks at the time.
const STRIDE_BYTES: u64 = 1024 * 1024;

/// Progress of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The present step.
    pub step: &'static str,
    /// Bytes read so far.
    pub done: u64,
    /// Bytes to read in all.
    pub total: u64,
}

/// Findings of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Problems, each with its place; empty if there are none.
    pub problems: Vec<String>,
    /// Number of segments read.
    pub segments: u64,
    /// Number of commits read.
    pub commits: u64,
    /// Number of numbered records read.
    pub records: u64,
    /// Number of completed sales read.
    pub sales: u64,
    /// Number of current rows compared.
    pub rows: u64,
    /// Last lsn of the journal.
    pub head_lsn: u64,
}

impl VerifyReport {
    /// Whether nothing is wrong.
    pub fn clean(&self) -> bool {
        self.problems.is_empty()
    }

    fn problem(&mut self, what: impl ToString) {
        /// More than a person reads.
        const PROBLEMS_MAX: usize = 1_000;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(what.to_string());
        }
    }
}

/// Verifies a stopped store.
///
/// # Errors
/// The folder is in use, holds no store or can't be read at all; problems inside are in the report.
pub fn verify(path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport, StorageError> {
    let mut report = verify_copy(path, progress)?;
    if Layout(path.to_owned()).restoring().exists() {
        report.problem("a restore was interrupted here: empty the folder and restore again");
    }
    Ok(report)
}

/// Verifies a folder that is being filled: a restore continues after it.
///
/// # Errors
/// The errors of [`verify`].
pub(crate) fn verify_copy(
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<VerifyReport, StorageError> {
    let layout = Layout(path.to_owned());
    let manifest = Manifest::load(&layout)?;
    let _lock = FolderLock::take(&layout)?;
    let mut report = VerifyReport::default();
    if !layout.journal().exists() {
        return Ok(report);
    }
    let segments = match open_segments(&layout, &manifest) {
        Ok(segments) => segments,
        Err(error) => {
            report.problem(error);
            return Ok(report);
        }
    };
    let mut work = Work {
        facts: Facts::default(),
        expected: Expected::open(&layout, &manifest.store_id.0, &mut report),
        mark: Mark::default(),
        until: u64::MAX,
        report,
    };
    work.walk(&segments, &mut |_, step| {
        progress(step);
        Ok(())
    })?;
    let (mark, mut report) = work.finish();
    check_high_water(&layout, mark.lsn, &mut report)?;
    check_snapshots(&layout, &manifest, &mut report)?;
    Ok(report)
}

/// Called between two strides, with whether the journal is read to its end here and with the progress.
type Stride<'a> = &'a mut dyn FnMut(bool, Progress) -> Result<(), StorageError>;

struct Work {
    facts: Facts,
    expected: Expected,
    mark: Mark,
    /// The last lsn that counts.
    until: u64,
    report: VerifyReport,
}

impl Work {
    fn walk(&mut self, segments: &[Arc<Segment>], stride: Stride<'_>) -> Result<(), StorageError> {
        let total: u64 = segments.iter().map(|segment| segment.len).sum();
        let mut done = 0;
        for (index, segment) in segments.iter().enumerate() {
            let open = index + 1 == segments.len();
            let mut within = |at: u64| stride(false, Progress { step: "journal", done: done + at, total });
            self.segment(segment, open, &mut within)?;
            done += segment.len;
        }
        stride(true, Progress { step: "journal", done: total, total })
    }

    fn finish(self) -> (Mark, VerifyReport) {
        let Self { facts, expected, mark, mut report, .. } = self;
        facts.finish(&mut report);
        expected.finish(mark.lsn, &mut report);
        report.head_lsn = mark.lsn;
        (mark, report)
    }

    /// Walks a segment; its problems are noted, the next one starts from its own header.
    fn segment(
        &mut self,
        segment: &Arc<Segment>,
        open: bool,
        within: &mut dyn FnMut(u64) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let start = Position::start(segment);
        let continues = (start.lsn, start.chain) == (self.mark.lsn, self.mark.chain);
        if !continues {
            let ends = self.mark.lsn;
            self.report.problem(format!(
                "{} continues lsn {}, but the journal before it ends at lsn {ends} or differs",
                segment.path.display(),
                start.lsn
            ));
        }
        (self.mark.lsn, self.mark.chain) = (start.lsn, start.chain);
        self.mark.records = start.records.clone();
        self.report.segments += 1;
        let mut walk = Walk::new(segment, start);
        let mut entries = Entries::default();
        let mut stride_end = 0;
        while walk.place().lsn < self.until {
            match walk.step() {
                Ok(Some(step)) => {
                    if step.offset >= stride_end {
                        stride_end = step.offset + STRIDE_BYTES;
                        within(step.offset)?;
                    }
                    entries.add_body(&step.body, step.offset as u32);
                    self.frame(segment, step);
                }
                Ok(None) => break,
                Err(error) => {
                    self.report.problem(error);
                    return Ok(());
                }
            }
        }
        if walk.place().lsn >= self.until {
            // Later data follows, and its index may still be made.
        } else if open {
            if let Err(error) = judge(segment, walk.place().offset, walk.place().lsn) {
                self.report.problem(error);
            }
        } else {
            self.sealed(segment, &entries, walk.place());
        }
        Ok(())
    }

    fn frame(&mut self, segment: &Segment, step: crate::journal::walk::Step) {
        let place = (segment.path.as_path(), step.offset);
        self.report.commits += 1;
        if let Err(what) = self.facts.frame(&step.body, &self.mark.records, &mut self.report) {
            self.report.problem(StorageError::damaged(place.0, place.1, what));
        }
        match crate::recovery::bring_up::replay(&step, &self.mark, segment.head.first_lsn) {
            Ok((ops, mark)) => {
                self.expected.apply(ops, mark.lsn, &mut self.report);
                self.mark = mark;
            }
            Err(what) => self.report.problem(StorageError::damaged(place.0, place.1, what)),
        }
    }

    fn sealed(&mut self, segment: &Segment, entries: &Entries, end: &Position) {
        let path = segment.path.with_extension("idx");
        let stored = IndexFile::open(&path, segment).and_then(|file| {
            file.tags()?;
            Ok((file.entries()?, file.seal))
        });
        match stored {
            Err(error) => self.report.problem(format!("{error} (a start remakes it)")),
            Ok((stored, seal)) => {
                if seal.end() != *end {
                    self.report.problem(StorageError::damaged(
                        &segment.path,
                        end.offset,
                        format!("it ends at lsn {}, its index says {}", end.lsn, seal.last_lsn),
                    ));
                } else if entries.sorted() != stored {
                    self.report.problem(format!("{} differs from its segment", path.display()));
                }
            }
        }
    }
}

fn check_high_water(layout: &Layout, head: u64, report: &mut VerifyReport) -> Result<(), StorageError> {
    if !layout.high_water().exists() {
        return Ok(());
    }
    let known = HighWater::open(&layout.high_water())?.lsn();
    if head < known {
        let witness = "the high-water mark".to_owned();
        report.problem(StorageError::Lost { path: layout.journal(), head, known, witness });
    }
    Ok(())
}

fn check_snapshots(
    layout: &Layout,
    manifest: &Manifest,
    report: &mut VerifyReport,
) -> Result<(), StorageError> {
    if !layout.snapshots().exists() {
        return Ok(());
    }
    for lsn in numbered(&layout.snapshots(), "snap")? {
        let read =
            snapshot::read_snapshot::read(&layout.snapshot(lsn), &manifest.store_id.0, &mut |_, _| Ok(()));
        if let Err(error) = read {
            report.problem(error);
        }
    }
    Ok(())
}
