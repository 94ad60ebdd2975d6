//! Path and creation of the socket: `control.sock` in the data folder, for its owner only.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

pub const NAME: &str = "control.sock";
/// Only its owner may command the daemon.
const MODE: u32 = 0o600;

/// Creates the socket. The caller holds the folder's lock: an existing one belongs to a daemon that has ended.
pub fn bind(folder: &Path) -> io::Result<UnixListener> {
    remove(folder)?;
    let listener = short(folder, |path| UnixListener::bind(path))?;
    fs::set_permissions(folder.join(NAME), Permissions::from_mode(MODE))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Connects to the daemon of this folder; `None` if there is none.
pub fn connect(folder: &Path) -> io::Result<Option<UnixStream>> {
    match short(folder, |path| UnixStream::connect(path)) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Takes the socket away.
pub fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A socket's path has at most 107 bytes, a folder's has not: it is named by its open handle.
fn short<T>(folder: &Path, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let handle = File::open(folder)?;
    with(&PathBuf::from(format!("/proc/self/fd/{}/{NAME}", handle.as_raw_fd())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_long_folder_and_a_socket_left_behind_are_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("d".repeat(120)).join("e".repeat(120));
        assert!(connect(&deep).unwrap().is_none(), "no folder, no daemon");
        fs::create_dir_all(&deep).unwrap();
        assert!(connect(&deep).unwrap().is_none());
        let listener = bind(&deep).unwrap();
        assert_eq!(fs::metadata(deep.join(NAME)).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(connect(&deep).unwrap().is_some());
        drop(listener);
        assert!(connect(&deep).unwrap().is_none(), "left behind by a crash");
        bind(&deep).unwrap();
        remove(&deep).unwrap();
        remove(&deep).unwrap();
    }
}
