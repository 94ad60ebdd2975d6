//! Files of another version, newer or older, are refused and not changed, with an explanation.

use crate::files::{copy, files, frames};
use crate::shop::{Shop, folder, open, options};
use domain::model::base::time::UtcMs;
use std::fs;
use std::path::{Path, PathBuf};
use storage::{Backup, Storage, StorageError, verify};

/// Writes a version at a position and corrects the checksum of what is before `sealed`.
fn stamp(path: &Path, at: usize, version: u8, sealed: Option<usize>) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] = version;
    if let Some(end) = sealed {
        let checksum = crc32c::crc32c(&bytes[..end]);
        bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
    }
    fs::write(path, bytes).unwrap();
}

fn stamp_json(path: &Path, version: u8) {
    let text = fs::read_to_string(path).unwrap();
    let other = text.replace("\"format_version\": 1", &format!("\"format_version\": {version}"));
    assert_ne!(text, other);
    fs::write(path, other).unwrap();
}

fn last(folder: &Path, part: &str, extension: &str) -> PathBuf {
    files(&folder.join(part), extension).pop().unwrap()
}

/// Writes another version into the last frame's body, with a correct checksum.
fn stamp_body(folder: &Path, version: u8) {
    let path = last(folder, "journal", "seg");
    let (starts, end) = frames(&path);
    let at = *starts.last().unwrap() as usize;
    let mut bytes = fs::read(&path).unwrap();
    let frame = &mut bytes[at..end as usize];
    let body = u32::from_le_bytes(frame[4..8].try_into().unwrap()) as usize;
    frame[64] = version;
    let before =
        fs::read(&path).unwrap()[*starts.iter().rev().nth(1).unwrap() as usize + 24..][..32].to_vec();
    let chain = sha256(&[&before, &frame[4..24], &frame[64..64 + body]]);
    frame[24..56].copy_from_slice(&chain);
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&frame[..60]), &frame[64..64 + body]);
    frame[60..64].copy_from_slice(&checksum.to_le_bytes());
    fs::write(path, bytes).unwrap();
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(parts.concat()).into()
}

fn stamp_high_water(folder: &Path, version: u8) {
    let path = folder.join("highwater");
    for slot in [0, 4096] {
        if fs::read(&path).unwrap()[slot..].starts_with(b"SRHIGHWM") {
            let mut bytes = fs::read(&path).unwrap();
            bytes[slot + 8] = version;
            let checksum = crc32c::crc32c(&bytes[slot..slot + 28]);
            bytes[slot + 28..slot + 32].copy_from_slice(&checksum.to_le_bytes());
            fs::write(&path, bytes).unwrap();
        }
    }
}

type Stamp = fn(&Path, u8);

/// Every file with its own version.
const FILES: [(&str, Stamp); 6] = [
    ("manifest", |folder, version| stamp_json(&folder.join("store.json"), version)),
    ("segment", |folder, version| stamp(&last(folder, "journal", "seg"), 8, version, Some(4092))),
    ("body", stamp_body),
    ("index", |folder, version| stamp(&last(folder, "journal", "idx"), 8, version, Some(4092))),
    ("high-water mark", stamp_high_water),
    ("snapshot", |folder, version| {
        fs::remove_dir_all(folder.join("rows")).unwrap();
        stamp(&last(folder, "snapshots", "snap"), 8, version, None);
    }),
];

#[tokio::test]
async fn a_file_of_another_version_is_refused_and_says_what_to_do() {
    let folder = folder();
    let storage = open(folder.path());
    let mut till = Shop::new("till-1");
    storage.commit(till.open_shift()).await.unwrap();
    for _ in 0..190 {
        storage.submit(till.sale(), |_| ()).unwrap();
    }
    // The number of commits in a group depends on timing, so the newest segment gets a second group in any case.
    loop {
        storage.commit(till.sale()).await.unwrap();
        if frames(&last(folder.path(), "journal", "seg")).0.len() > 1 {
            break;
        }
    }
    storage.close().unwrap();
    for (what, stamp) in FILES {
        for (version, to_do) in [(0, "An older version wrote it"), (2, "A newer version wrote it")] {
            let copy = copy(folder.path());
            stamp(copy.path(), version);
            let error = Storage::open(copy.path(), &options()).unwrap_err();
            let refused = matches!(
                &error,
                StorageError::Format { found, known: 1, .. } if *found == u32::from(version)
            );
            assert!(refused && error.exit_code() == 74, "{what} {version}: {error}");
            assert!(error.to_string().contains(to_do), "{what} {version}: {error}");
            let named = match verify(copy.path(), &mut |_| ()) {
                Err(error) => error.to_string(),
                Ok(report) => report.problems.join("\n"),
            };
            assert!(named.contains(to_do), "{what} {version}: {named}");
        }
    }
    let target = folder.path().join("copy");
    let storage = open(folder.path());
    storage.backup(&target, None, UtcMs(5), &mut |_| ()).unwrap();
    for version in [0, 2] {
        let copy = copy(&target);
        stamp_json(&copy.path().join("backup.json"), version);
        let error = Backup::load(copy.path()).unwrap_err();
        assert!(matches!(error, StorageError::Format { known: 1, .. }), "{error}");
    }
}
