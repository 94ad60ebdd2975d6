//! Replaces a key by another one; tokens of the previous key stay valid until the last of them expires.
//!
//! One file has all keys, so that a change is one rename and a backup has both: the private key, and below it a line
//! for each retired public key. The private half of a retired key is gone.

use super::{KeyError, PUBLIC_KEY_BYTES, SigningKey, draft, io_error, parse_public_key, pem, sync_folder};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::model::base::time::UtcMs;
use std::{fmt::Write, fs, os::unix::fs::MetadataExt, path::Path, time::Duration};

/// Most retired keys that are kept; beyond it the oldest is removed.
pub const RETIRED_MAX: usize = 16;

/// A key that no longer signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retired {
    /// Its raw public half.
    pub public_key: [u8; PUBLIC_KEY_BYTES],
    /// Time from which it verifies nothing.
    pub until: UtcMs,
}

impl Retired {
    /// A line of a key file: `retired <public key in base64url> until <milliseconds since 1970>`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (Some("retired"), Some(key), Some("until"), Some(until), None) =
            (words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            return None;
        };
        Some(Self { public_key: parse_public_key(key)?, until: UtcMs(until.parse().ok()?) })
    }
}

/// Puts a new key into the file. Signatures of the old one stay valid for `overlap`; without it they are invalid as
/// soon as the program has read the file again.
///
/// # Errors
/// [`KeyError`]; the file is as it was. One that belongs to another user is not replaced: its owner could not
/// read the new one.
pub fn rotate(path: &Path, overlap: Option<Duration>, now: UtcMs) -> Result<SigningKey, KeyError> {
    let old = SigningKey::load(path).map_err(KeyError::of_tokens)?;
    let failed = |source| io_error(path, source);
    let owner = fs::metadata(path).map_err(failed)?.uid();
    if owner != fs::metadata("/proc/self").map_err(failed)?.uid() {
        return Err(KeyError::Owner { path: path.to_owned(), uid: owner });
    }
    let mut new = SigningKey::generate()?;
    if let Some(overlap) = overlap {
        let overlap_ms = i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX);
        let until = UtcMs(now.0.saturating_add(overlap_ms));
        let alive = old.retired.iter().copied().filter(|retired| retired.until > now);
        let last = Retired { public_key: old.public, until };
        new.retired = std::iter::once(last).chain(alive).take(RETIRED_MAX).collect();
    }
    let mut text = pem(new.encoding.as_bytes());
    for Retired { public_key, until } in &new.retired {
        let key = URL_SAFE_NO_PAD.encode(public_key);
        // Writing into a string can't fail.
        let _ = writeln!(text, "retired {key} until {}", until.0);
    }
    let draft = draft(path, text.as_bytes()).map_err(failed)?;
    fs::rename(&draft, path).map_err(failed)?;
    sync_folder(path).map_err(failed)?;
    Ok(new)
}

/// The key that an enrolment offers to the hub: in a file beside `path` until [`adopt`] puts it there, so that an
/// enrolment whose answer was lost is repeated with the same key.
///
/// # Errors
/// The errors of [`SigningKey::load_or_create`].
pub fn candidate(path: &Path) -> Result<SigningKey, KeyError> {
    SigningKey::load_or_create(&beside(path))
}

/// The candidate of `path`. `None` if there is none, or it can't be read.
pub fn offered(path: &Path) -> Option<SigningKey> {
    SigningKey::load(&beside(path)).ok()
}

/// Replaces the key of `path` by its candidate.
///
/// # Errors
/// [`KeyError::Io`]; the file is as it was.
pub fn adopt(path: &Path) -> Result<(), KeyError> {
    let failed = |source| io_error(path, source);
    fs::rename(beside(path), path).map_err(failed)?;
    sync_folder(path).map_err(failed)
}

/// Removes the candidate of `path`, which the hub refused.
///
/// # Errors
/// [`KeyError::Io`].
pub fn discard(path: &Path) -> Result<(), KeyError> {
    fs::remove_file(beside(path)).map_err(|source| io_error(path, source))
}

fn beside(path: &Path) -> std::path::PathBuf {
    path.with_extension("next")
}
