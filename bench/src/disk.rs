//! The disk's own limit: 4 KiB records on a zero-filled file, made durable alone and 64 at a time.

use crate::latency::{Latencies, per_second};
use anyhow::Context;
use serde_json::{Value, json};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

const RECORD_BYTES: usize = 4096;
const GROUP: usize = 64;
const FILE_BYTES: usize = 64 * 1024 * 1024;

/// A file that is removed on every way out.
struct Scratch<'a>(&'a Path);

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.0);
    }
}

fn zero_filled(path: &Path) -> std::io::Result<File> {
    let file = File::options().create_new(true).write(true).open(path)?;
    let zeros = vec![0_u8; 1024 * 1024];
    for place in (0..FILE_BYTES).step_by(zeros.len()) {
        file.write_all_at(&zeros, place as u64)?;
    }
    file.sync_all()?;
    Ok(file)
}

fn run(file: &File, records: usize, time: Duration) -> std::io::Result<Value> {
    let bytes = vec![0x5a_u8; RECORD_BYTES * records];
    let mut latencies = Latencies::default();
    let (started, mut place) = (Instant::now(), 0);
    while started.elapsed() < time {
        let begun = Instant::now();
        file.write_all_at(&bytes, place as u64)?;
        file.sync_data()?;
        latencies.add(begun.elapsed());
        place = (place + bytes.len()) % FILE_BYTES;
    }
    let written = latencies.count() * records;
    let rate = per_second(written as u64, started.elapsed());
    Ok(json!({"records_per_s": rate, "sync": latencies.summary()}))
}

/// `{alone, grouped}`, each `{records_per_s, sync}`.
pub fn measure(dir: &Path, seconds: u64) -> anyhow::Result<Value> {
    let path = dir.join("fdatasync.bin");
    let file = zero_filled(&path).with_context(|| format!("{}", path.display()))?;
    let _scratch = Scratch(&path);
    let time = Duration::from_secs(seconds);
    Ok(json!({"alone": run(&file, 1, time)?, "grouped": run(&file, GROUP, time)?}))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn the_scratch_file_is_zero_filled_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let file = zero_filled(&path).unwrap();
        assert_eq!(file.metadata().unwrap().len(), FILE_BYTES as u64);
        assert!(std::fs::read(&path).unwrap().iter().all(|byte| *byte == 0));
        drop(Scratch(&path));
        assert!(!path.exists());
    }
}
