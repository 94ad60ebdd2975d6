//! Ed25519 key files: made once, readable by their owner only, refused otherwise.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jsonwebtoken::EncodingKey;
use sha2::{Digest, Sha256};
use std::{
    fs, io,
    io::Write,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

mod rotation;
mod weak;

pub use rotation::{RETIRED_MAX, Retired, adopt, candidate, discard, offered, rotate};

/// Bytes of a raw public key.
pub const PUBLIC_KEY_BYTES: usize = 32;

const KEY_FILE_MODE: u32 = 0o600;
const KEY_FILE_BYTES_MAX: u64 = 4096;
const PEM_BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const PEM_END: &str = "-----END PRIVATE KEY-----";

/// Reason why a key file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file could not be read or written.
    #[error("key file {path}: {source}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file of the key that signs tokens is not there.
    #[error(
        "key file {0} is missing: copy it from the newest backup, or make a new key with `rotate-keys --new`; \
         everybody must log in again then"
    )]
    Missing(PathBuf),
    /// Others may read or write it.
    #[error("key file {path} has mode {mode:o}: only its owner may read it (chmod 600)")]
    Permissions {
        /// Path of the file.
        path: PathBuf,
        /// Permission bits of the file.
        mode: u32,
    },
    /// It belongs to another user.
    #[error("key file {path} belongs to user {uid}: run this as that user")]
    Owner {
        /// Path of the file.
        path: PathBuf,
        /// Owner of the file.
        uid: u32,
    },
    /// It has no Ed25519 key.
    #[error("key file {0} holds no Ed25519 private key in PKCS #8 PEM form")]
    Format(PathBuf),
    /// The system gave no randomness.
    #[error("no key could be generated")]
    Generate,
}

impl KeyError {
    /// The error for the key that signs tokens: if its file is missing, a command can make another one.
    pub(crate) fn of_tokens(self) -> Self {
        match self {
            Self::Io { path, source } if source.kind() == io::ErrorKind::NotFound => Self::Missing(path),
            other => other,
        }
    }
}

/// A private key that signs tokens.
pub struct SigningKey {
    pub(crate) encoding: EncodingKey,
    public: [u8; PUBLIC_KEY_BYTES],
    retired: Vec<Retired>,
}

impl SigningKey {
    /// Makes a key and writes it to a new file of mode 0600, synced before this returns.
    ///
    /// # Errors
    /// A file that exists is never overwritten.
    pub fn create(path: &Path) -> Result<Self, KeyError> {
        let key = Self::generate()?;
        write_private(path, pem(key.encoding.as_bytes()).as_bytes())
            .map_err(|source| io_error(path, source))?;
        Ok(key)
    }

    /// A key that lives in memory only.
    ///
    /// # Errors
    /// The system gave no randomness.
    pub fn generate() -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| KeyError::Generate)?;
        let der = pair.to_pkcs8().map_err(|_| KeyError::Generate)?;
        Self::from_der(der.as_ref()).ok_or(KeyError::Generate)
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// A file that others may read or write is refused, as is one that holds anything else.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let meta = fs::metadata(path).map_err(|source| io_error(path, source))?;
        let mode = meta.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(KeyError::Permissions { path: path.to_owned(), mode });
        }
        if !meta.is_file() || meta.len() > KEY_FILE_BYTES_MAX {
            return Err(KeyError::Format(path.to_owned()));
        }
        let text = fs::read_to_string(path).map_err(|source| io_error(path, source))?;
        Self::parse(&text).ok_or_else(|| KeyError::Format(path.to_owned()))
    }

    /// [`SigningKey::load`], or [`SigningKey::create`] where there is no file yet.
    ///
    /// # Errors
    /// The errors of both.
    pub fn load_or_create(path: &Path) -> Result<Self, KeyError> {
        if path.exists() { Self::load(path) } else { Self::create(path) }
    }

    /// The raw public key.
    pub fn public_key(&self) -> [u8; PUBLIC_KEY_BYTES] {
        self.public
    }

    /// The raw public key in base64url, as it is sent at enrolment.
    pub fn public_key_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.public)
    }

    /// The key's name in token headers.
    pub fn kid(&self) -> String {
        kid(&self.public)
    }

    /// Earlier keys, whose tokens may still be alive.
    pub fn retired(&self) -> &[Retired] {
        &self.retired
    }

    fn parse(text: &str) -> Option<Self> {
        let (private, after) = text.trim().strip_prefix(PEM_BEGIN)?.split_once(PEM_END)?;
        let compact: String = private.split_ascii_whitespace().collect();
        let mut key = Self::from_der(&STANDARD.decode(compact).ok()?)?;
        let lines = after.lines().filter(|line| !line.trim().is_empty());
        key.retired = lines.map(Retired::parse).collect::<Option<_>>()?;
        (key.retired.len() <= RETIRED_MAX).then_some(key)
    }

    fn from_der(der: &[u8]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_pkcs8(der).ok()?;
        let public = pair.public_key().as_ref().try_into().ok()?;
        Some(Self { encoding: EncodingKey::from_ed_der(der), public, retired: Vec::new() })
    }
}

/// The name of a public key: the first 16 characters of the base64url of its SHA-256.
pub fn kid(public_key: &[u8; PUBLIC_KEY_BYTES]) -> String {
    let mut name = URL_SAFE_NO_PAD.encode(Sha256::digest(public_key));
    name.truncate(16);
    name
}

/// The raw public key of a base64url text; `None` if it is invalid, or a key under which anybody can sign.
pub fn parse_public_key(text: &str) -> Option<[u8; PUBLIC_KEY_BYTES]> {
    let key = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    (!weak::is_weak(&key)).then_some(key)
}

fn io_error(path: &Path, source: io::Error) -> KeyError {
    KeyError::Io { path: path.to_owned(), source }
}

/// Writes under another name and links it, so that a crash leaves a whole key or none, and no key is overwritten.
fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    let draft = draft(path, text)?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    linked?;
    sync_folder(path)
}

/// The text in a private file beside its place, on the disk.
fn draft(path: &Path, text: &[u8]) -> io::Result<PathBuf> {
    let draft = path.with_extension("new");
    if let Err(error) = fs::remove_file(&draft)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(KEY_FILE_MODE).open(&draft)?;
    file.write_all(text)?;
    file.sync_all()?;
    Ok(draft)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(folder)?.sync_all()
}

fn pem(der: &[u8]) -> String {
    format!("{PEM_BEGIN}\n{}\n{PEM_END}\n", STANDARD.encode(der))
}
