//! The place of an embedded database's file. A connection also writes into a file that was moved or removed, and the
//! next start would not find the commits acknowledged since.

use super::Engine;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The file is not at the place where the program found it at its start.
#[derive(Debug, thiserror::Error)]
#[error("{} is not the database that was opened", .0.display())]
pub struct Gone(PathBuf);

/// The path of the file, and its identity.
#[derive(Debug)]
pub struct Place {
    file: PathBuf,
    id: (u64, u64),
}

impl Place {
    /// The place of an open database; `None` for a server.
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
