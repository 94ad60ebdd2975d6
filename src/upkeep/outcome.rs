//! Results of long work, as commands and pages show them.

use serde_json::{Value, json};
use std::path::Path;
use storage::{Backup, VerifyReport};

/// Result of a verification.
pub fn of_verification(report: &VerifyReport) -> Value {
    json!({
        "problems": report.problems,
        "segments": report.segments,
        "commits": report.commits,
        "records": report.records,
        "sales": report.sales,
        "rows": report.rows,
        "lsn": report.head_lsn,
    })
}

/// The backup that was made.
pub fn of_backup(folder: &Path, backup: &Backup) -> Value {
    json!({
        "folder": folder,
        "made_at": backup.made_at,
        "lsn": backup.lsn,
        "epoch": backup.epoch,
        "seq": backup.seq,
        "keys": backup.keys,
        "files": backup.files.len(),
        "bytes": backup.files.iter().map(|file| file.bytes).sum::<u64>(),
    })
}
