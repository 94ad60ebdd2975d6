//! The place of an embedded database's file. A connection also writes into a file that was moved or removed, and the next
//! start would not find what was acknowledged since.

use super::Engine;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The file is not where it was when the program started.
#[derive(Debug, thiserror::Error)]
#[error("{} is not the database that was opened", .0.display())]
pub struct Gone(PathBuf);

/// Where the file is, and which one it is.
#[derive(Debug)]
pub struct Place {
    file: PathBuf,
    id: (u64, u64),
}

impl Place {
    /// Of a database that is open; none for a server.
    pub fn of(url: &str) -> Option<Self> {
        let file = Engine::file(url)?;
        let id = id(&file).ok()?;
        Some(Self { file, id })
    }

    /// Passes while the file is there.
    ///
    /// # Errors
    /// [`Gone`].
    pub fn check(&self) -> Result<(), sqlx::Error> {
        match id(&self.file) {
            Ok(id) if id == self.id => Ok(()),
            _ => Err(sqlx::Error::Io(io::Error::other(Gone(self.file.clone())))),
        }
    }
}

fn id(file: &PathBuf) -> io::Result<(u64, u64)> {
    let meta = fs::metadata(file)?;
    Ok((meta.dev(), meta.ino()))
}
