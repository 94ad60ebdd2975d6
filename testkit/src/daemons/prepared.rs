//! Folders that the real commands make once and many tests start from: making one costs a process for
//! each person.
//!
//! A copy has the keys and the identity of its original, so that a test gets one copy of each sort; commands make
//! everything else that it requests.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An older value is made again: the day may have changed.
const AGE_MAX: Duration = Duration::from_secs(600);

/// Zeros at the end of a file are left out in blocks of this size, in bytes.
const BLOCK: usize = 4096;

/// A file or folder, with who may open it.
struct Entry {
    path: PathBuf,
    permissions: fs::Permissions,
    file: Option<Content>,
}

/// Content of a file, without the zeros at its end: most of a journal is unused space.
struct Content {
    bytes: Vec<u8>,
    length: u64,
}

/// The files and folders of a folder.
pub struct Files(Vec<Entry>);

impl Files {
    /// Everything below `folder`, each folder before its contents.
    #[track_caller]
    pub fn read(folder: &Path) -> Self {
        let mut files = Self(Vec::new());
        files.add(folder, Path::new(""));
        files
    }

    fn add(&mut self, folder: &Path, below: &Path) {
        for entry in fs::read_dir(folder.join(below)).unwrap() {
            let path = below.join(entry.unwrap().file_name());
            let whole = folder.join(&path);
            let about = whole.metadata().unwrap();
            let file = about.is_file().then(|| {
                let mut bytes = fs::read(&whole).unwrap();
                while bytes.ends_with(&[0; BLOCK]) {
                    bytes.truncate(bytes.len() - BLOCK);
                }
                bytes.shrink_to_fit();
                Content { bytes, length: about.len() }
            });
            self.0.push(Entry { path: path.clone(), permissions: about.permissions(), file });
            if about.is_dir() {
                self.add(folder, &path);
            }
        }
    }

    /// Writes everything into `folder`.
    #[track_caller]
    pub fn write(&self, folder: &Path) {
        for Entry { path, permissions, file } in &self.0 {
            let path = folder.join(path);
            match file {
                Some(Content { bytes, length }) => {
                    fs::write(&path, bytes).unwrap();
                    fs::File::options().write(true).open(&path).unwrap().set_len(*length).unwrap();
                }
                None => fs::create_dir(&path).unwrap(),
            }
            // The owner's own rights let the files below be written.
            assert_eq!(permissions.mode() & 0o600, 0o600);
            fs::set_permissions(&path, permissions.clone()).unwrap();
        }
    }
}

/// A value that is made once and copied by many tests.
struct Made {
    value: Arc<dyn Any + Send + Sync>,
    at: Instant,
    /// Tests that have a copy.
    given: BTreeSet<String>,
}

/// The result of `make` for all tests of this process, made again when it is old; `None` if this test has had it, or if
/// the test has no name.
#[track_caller]
pub fn shared<T: Send + Sync + 'static>(sort: &str, make: impl FnOnce() -> T) -> Option<Arc<T>> {
    static MADE: Mutex<BTreeMap<String, Made>> = Mutex::new(BTreeMap::new());
    let thread = std::thread::current();
    // The harness names a test's thread after it, if each has a thread.
    let test = thread.name().filter(|name| *name != "main")?.to_owned();
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.get(sort).is_some_and(|made| made.given.contains(&test)) {
        return None;
    }
    if made.get(sort).is_none_or(|made| made.at.elapsed() >= AGE_MAX) {
        let given = made.remove(sort).map(|made| made.given).unwrap_or_default();
        made.insert(sort.to_owned(), Made { value: Arc::new(make()), at: Instant::now(), given });
    }
    let made = made.get_mut(sort).expect("it was made");
    made.given.insert(test);
    Arc::clone(&made.value).downcast().ok()
}
