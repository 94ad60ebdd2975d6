//! Files of a store's folder, for tests that damage them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    copy_into(from, to.path());
    to
}

pub fn copy_into(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_into(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            // A checkout does not preserve the mode of a key.
            fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
        }
    }
}

/// Returns the numbered files with an extension, in order.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let numbered = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().is_ok();
    let mut found: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == extension)).filter(numbered).collect();
    found.sort();
    found
}

pub fn flip(path: &Path, at: u64) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at as usize] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

/// Returns the offsets of a segment's frames, and the end of the last one.
pub fn frames(path: &Path) -> (Vec<u64>, u64) {
    let bytes = fs::read(path).unwrap();
    let (mut at, mut starts) = (4096, Vec::new());
    while bytes.get(at..at + 4) == Some(b"SRF1") {
        starts.push(at as u64);
        let len = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        at += (64 + len).next_multiple_of(8);
    }
    (starts, at as u64)
}
