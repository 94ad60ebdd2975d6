//! A little room on the disk of an embedded database, kept so that the program starts, reads and verifies when the
//! disk is full.

use super::Engine;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// Bytes that are reserved: the index of the log, its first pages, and the writes of a start.
const RESERVE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that are left free if the whole reserve does not fit.
const LEFT_BYTES: u64 = 1024 * 1024;
/// Written at a time, in bytes.
const STEP_BYTES: usize = 64 * 1024;

/// The file that keeps the room.
pub struct Reserve(PathBuf);

impl Reserve {
    /// A reserve beside the database's file; `None` for a server.
    pub fn beside(url: &str) -> Option<Self> {
        let mut name = Engine::file(url)?.into_os_string();
        name.push("-reserve");
        Some(Self(name.into()))
    }

    /// Gives the room back to the disk. Returns false if it was given up before.
    pub fn give_up(&self) -> bool {
        let given = fs::remove_file(&self.0).is_ok();
        if given {
            tracing::warn!("the disk of the database is full: the space reserved for a start was released");
        }
        given
    }

    /// Reserves the space from now on, as much as there is. Without it the program works all the same.
    pub fn keep(&self) {
        if let Err(error) = self.written() {
            tracing::warn!(%error, "less space than usual is reserved for a start on a full disk");
        }
    }

    fn written(&self) -> io::Result<()> {
        if self.0.metadata().is_ok_and(|meta| meta.len() >= RESERVE_BYTES as u64) {
            return Ok(());
        }
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&self.0)?;
        // Zeros would be no room on a file system that keeps holes or packs files.
        let step: Vec<u8> = (0..STEP_BYTES)
            .map(|at| at.wrapping_mul(167).to_le_bytes().iter().fold(0, |all, byte| all ^ byte))
            .collect();
        let mut kept = 0_u64;
        for _ in 0..RESERVE_BYTES / STEP_BYTES {
            if let Err(error) = file.write_all(&step) {
                // The next write needs a little as well.
                file.set_len(kept.saturating_sub(LEFT_BYTES))?;
                return Err(error);
            }
            kept = kept.saturating_add(STEP_BYTES as u64);
        }
        File::sync_all(&file)
    }
}
