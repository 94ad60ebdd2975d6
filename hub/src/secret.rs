//! The only place of the hub that rolls dice, and the secret under which idempotency keys are stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::model::hub::chain::hex;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

const SECRET_BYTES: usize = 32;
/// Characters that are not confused on paper.
const PASSWORD_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const PASSWORD_CHARS: usize = 20;

/// 16 hexadecimal characters: an ID that can't be guessed and does not repeat.
pub fn mark() -> String {
    hex(&rand::random::<[u8; 8]>())
}

/// A token of 256 random bits in base64url.
pub fn token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; SECRET_BYTES]>())
}

/// A first password, 100 random bits.
pub fn password() -> String {
    let pick = |byte: u8| PASSWORD_ALPHABET.get(usize::from(byte & 31)).copied().map_or('x', char::from);
    rand::random::<[u8; PASSWORD_CHARS]>().into_iter().map(pick).collect()
}

/// A number below `bound`, to spread retries.
pub fn below(bound: u64) -> u64 {
    rand::random_range(0..bound.max(1))
}

/// SHA-256 in hexadecimal: the stored form of tokens of one use.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// The installation's key for [`Fingerprints::of`].
pub struct Fingerprints(Vec<u8>);

impl Fingerprints {
    /// Creates the key file (mode 0600) if there is none.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn create(path: &Path) -> io::Result<()> {
        if path.exists() {
            return Ok(());
        }
        // Under another name first: after an interruption there is a complete key or none.
        let draft = path.with_extension("new");
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(hex(&rand::random::<[u8; SECRET_BYTES]>()).as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, path)?;
        path.parent().map_or(Ok(()), |folder| std::fs::File::open(folder)?.sync_all())
    }

    /// Reads the key file.
    ///
    /// # Errors
    /// No such file, a damaged one, or one that others may read.
    pub fn load(path: &Path) -> io::Result<Self> {
        let mode = std::fs::metadata(path)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(io::Error::other(format!("mode {mode:o}: only its owner may read it (chmod 600)")));
        }
        let key = std::fs::read(path)?;
        if key.len() == SECRET_BYTES * 2 { Ok(Self(key)) } else { Err(io::Error::other("is damaged")) }
    }

    /// HMAC-SHA-256 over the parts, each with its length, in hexadecimal.
    pub fn of(&self, parts: &[&[u8]]) -> String {
        hex(&self.bytes(parts))
    }

    /// HMAC-SHA-256 over the parts, as bytes.
    pub fn bytes(&self, parts: &[&[u8]]) -> [u8; 32] {
        // HMAC takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}
