//! Files of marks: lines of one length, each with a checksum, written in place after their commit and before the
//! answer. A file may lag behind the database, and never runs ahead of it.

use crate::secret;
use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Beginning of the first line: these files have version 1.
const HEAD: &str = "marks 1 generation ";
/// Bytes of a line with its end: a divisor of every disk's block, so that none is torn.
const LINE_BYTES: usize = 128;
/// Hexadecimal characters of a line's checksum: a reader may see half of each while another process writes.
const CHECK_CHARS: usize = 8;
/// Hexadecimal characters of a file's name; any other name is not a file of marks.
const NAME_CHARS: usize = 16;

/// Contents of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SavedCursors {
    pub number: u64,
    pub generation: String,
    /// `store epoch` → seq.
    pub seqs: HashMap<String, u64>,
}

fn check(text: &str) -> String {
    secret::digest(text).chars().take(CHECK_CHARS).collect()
}

fn line(key: &str, value: u64) -> Vec<u8> {
    let text = format!("{key} {value}");
    let line = format!("{text} {}", check(&text));
    format!("{line:<width$}\n", width = LINE_BYTES - 1).into_bytes()
}

/// Key and value of a line. `None` if it was not written to its end.
fn parsed(line: &str) -> Option<(&str, u64)> {
    let (text, found) = line.trim_end().rsplit_once(' ')?;
    let (key, value) = text.rsplit_once(' ')?;
    if check(text) == found { Some((key, value.parse().ok()?)) } else { None }
}

/// Contents of a file. `None` if it was not written to its end.
fn read(text: &str) -> io::Result<Option<SavedCursors>> {
    let mut lines = text.lines().map(parsed);
    let Some((head, number)) = lines.next().flatten() else { return Ok(None) };
    let generation = head.strip_prefix(HEAD).ok_or_else(|| {
        io::Error::other(
            "another version of this program wrote it, this one reads version 1, and nothing was changed: start the \
             program that wrote it",
        )
    })?;
    let seqs = lines.flatten().map(|(key, seq)| (key.to_owned(), seq)).collect();
    Ok(Some(SavedCursors { number, generation: generation.to_owned(), seqs }))
}

/// The files of a folder.
#[derive(Default)]
pub(crate) struct Found {
    saved: Vec<SavedCursors>,
    /// Files of ended processes, locked so that no other process removes them before they are taken over.
    ended: Vec<(PathBuf, File)>,
}

impl Found {
    /// Contents of the files.
    pub(crate) fn saved(&self) -> impl Iterator<Item = &SavedCursors> {
        self.saved.iter()
    }

    /// Removes the files of ended processes; their marks are in the caller's own file.
    pub(crate) fn clear(self) -> io::Result<()> {
        for (path, _) in &self.ended {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Reads every file of the folder, which is made if it is not there.
pub(crate) fn gather(folder: &Path) -> io::Result<Found> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut found = Found::default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.len() != NAME_CHARS || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            continue;
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            // Another process has just taken it over.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let ended = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(error)) => return Err(error),
        };
        let mut bytes = Vec::new();
        (&file).read_to_end(&mut bytes)?;
        let named = |error| io::Error::other(format!("{}: {error}", path.display()));
        found.saved.extend(read(&String::from_utf8_lossy(&bytes)).map_err(named)?);
        if ended {
            found.ended.push((path, file));
        }
    }
    Ok(found)
}

/// The file of this process.
pub(crate) struct Own(File);

impl Own {
    /// Makes the file, whole on the disk before it has its name, and locked as long as this process runs.
    pub(crate) fn create(
        folder: &Path,
        generation: &str,
        number: u64,
        seqs: &[(String, u64)],
    ) -> io::Result<Self> {
        let name = secret::mark();
        let (partial, path) = (folder.join(format!("{name}.partial")), folder.join(&name));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial)?;
        file.lock()?;
        let mut text = line(&format!("{HEAD}{generation}"), number);
        text.extend(seqs.iter().flat_map(|(key, seq)| line(key, *seq)));
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&partial, &path)?;
        File::open(folder)?.sync_all()?;
        Ok(Self(file))
    }

    /// Writes one line in its place.
    pub(crate) fn write(&self, index: u64, key: &str, seq: u64) -> io::Result<()> {
        self.0.write_all_at(&line(key, seq), index.saturating_mul(LINE_BYTES as u64))
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn seq(found: &Found, key: &str) -> Option<u64> {
        found.saved().filter_map(|saved| saved.seqs.get(key).copied()).max()
    }

    #[test]
    fn the_marks_of_a_process_outlive_it_and_are_taken_over_once() {
        let folder = tempfile::tempdir().unwrap();
        let own = |seqs: &[(String, u64)]| Own::create(folder.path(), "g", 1, seqs).unwrap();
        let (one, two) = (own(&[]), own(&[]));
        one.write(1, "S001 1-a", 7).unwrap();
        two.write(1, "S002 1-a", 9).unwrap();
        let both = gather(folder.path()).unwrap();
        assert_eq!((seq(&both, "S001 1-a"), seq(&both, "S002 1-a")), (Some(7), Some(9)));
        assert!(both.ended.is_empty(), "both still run");
        drop(two);
        let ended = gather(folder.path()).unwrap();
        assert_eq!(ended.ended.len(), 1);
        assert!(gather(folder.path()).unwrap().ended.is_empty(), "one of two takes it over");
        // Killed before it has taken anything over: the file is still there.
        drop(ended);
        let again = gather(folder.path()).unwrap();
        assert_eq!((again.ended.len(), seq(&again, "S002 1-a")), (1, Some(9)));
        let _three = own(&[("S002 1-a".to_owned(), 9)]);
        again.clear().unwrap();
        assert_eq!(seq(&gather(folder.path()).unwrap(), "S002 1-a"), Some(9));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn half_a_line_proves_nothing() {
        let whole = String::from_utf8(line("S001 1-a", 19)).unwrap();
        assert_eq!((whole.len(), parsed(&whole)), (LINE_BYTES, Some(("S001 1-a", 19))));
        assert_eq!(parsed(&whole.replace("19 ", "99 ")), None);
        assert_eq!(parsed(""), None);
        assert_eq!(read("marks 1 generation g 1\n").unwrap(), None);
    }

    #[test]
    fn marks_have_the_bytes_of_version_1_and_those_of_another_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let own = Own::create(folder.path(), "g", 1, &[("S001 1-a".to_owned(), 7)]).unwrap();
        let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("marks 1 generation g 1 ") && text.len() == 2 * LINE_BYTES, "{text}");
        assert_eq!(read(&text).unwrap().unwrap().seqs["S001 1-a"], 7);
        own.write(0, "marks 2 generation g", 1).unwrap();
        let error = gather(folder.path()).err().unwrap().to_string();
        assert!(error.contains(path.to_str().unwrap()) && error.contains("start the program"), "{error}");
    }
}
