//! A little room on the disk of an embedded database, kept so that the program starts, reads and verifies when the
//! disk is full.

use super::Engine;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// What is kept, in bytes: the index of the log, its first pages, and what a start writes.
const RESERVE_BYTES: usize = 4 * 1024 * 1024;
/// Written at a time, in bytes.
const STEP_BYTES: usize = 64 * 1024;

/// The file that keeps the room.
pub struct Reserve(PathBuf);

impl Reserve {
    /// Beside the database's file; none for a server.
    pub fn beside(url: &str) -> Option<Self> {
        let mut name = Engine::file(url)?.into_os_string();
        name.push("-reserve");
        Some(Self(name.into()))
    }

    /// Gives the room back to the disk. False: it was given up before.
    pub fn give_up(&self) -> bool {
        let given = fs::remove_file(&self.0).is_ok();
        if given {
            tracing::warn!(
                "the disk of the database is full: the room that is kept for a start was given up"
            );
        }
        given
    }

    /// Keeps the room from now on, if there is any. Without it the program works all the same.
    pub fn keep(&self) {
        if let Err(error) = self.written() {
            tracing::warn!(%error, "no room is kept for a start on a full disk");
            // What was written of it is worth more to whoever makes room.
            let _ = fs::remove_file(&self.0);
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
        for _ in 0..RESERVE_BYTES / STEP_BYTES {
            file.write_all(&step)?;
        }
        File::sync_all(&file)
    }
}
