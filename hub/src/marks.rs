//! How far this hub ever was, kept outside of its database: a database that is behind was restored,
//! by command or by hand, and is a new generation (sync.md, *Keeping and restoring*).
//!
//! A file of lines of one length, each written in place after the commit that it speaks of and before the
//! answer: it may lag behind the database, never run ahead of it.

use crate::db::Db;
use crate::identity::Identity;
use crate::ingest::signed;
use crate::secret;
use sqlx::Row;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Bytes of a line with its end: a divisor of every disk's block, so that none is torn.
const LINE_BYTES: usize = 128;

/// The marks and where each stands in the file.
pub struct Marks {
    file: File,
    lines: Mutex<HashMap<String, (u64, u64)>>,
}

/// What the file says.
struct Told {
    number: u64,
    generation: String,
    /// `store epoch` → seq.
    seqs: HashMap<String, u64>,
}

fn line(key: &str, value: u64) -> Vec<u8> {
    let mut line = format!("{key} {value}");
    line.truncate(LINE_BYTES - 1);
    format!("{line:<width$}\n", width = LINE_BYTES - 1).into_bytes()
}

fn read(text: &str) -> Option<Told> {
    let mut lines = text.lines().map(str::trim_end);
    let (head, number) = lines.next()?.rsplit_once(' ')?;
    let generation = head.strip_prefix("generation ")?.to_owned();
    let number = number.parse().ok()?;
    let seq = |line: &str| {
        let (key, value) = line.rsplit_once(' ')?;
        Some((key.to_owned(), value.parse().ok()?))
    };
    Some(Told { number, generation, seqs: lines.filter_map(seq).collect() })
}

/// Opens the marks and holds them against the database; one that is behind becomes a new generation
/// before anybody is answered from it.
///
/// # Errors
/// The file or the database.
pub async fn guard(path: &Path, db: &Db, identity: Identity) -> anyhow::Result<(Marks, Identity)> {
    let told = match std::fs::read_to_string(path) {
        Ok(text) => read(&text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let identity = match told {
        Some(told) if behind(db, &identity, &told).await? => {
            let number = identity.number.max(told.number).saturating_add(1);
            let next = renew(db, identity, number).await?;
            tracing::error!(
                generation = next.generation,
                "the database is behind its marks: a new generation"
            );
            next
        }
        _ => identity,
    };
    Ok((Marks::create(path, &identity)?, identity))
}

/// Whether the database lacks what this hub has acknowledged.
async fn behind(db: &Db, identity: &Identity, told: &Told) -> Result<bool, sqlx::Error> {
    if identity.number != told.number {
        // A higher number was given by another process on the same database.
        return Ok(identity.number < told.number);
    }
    if identity.generation != told.generation {
        return Ok(true);
    }
    let rows = sqlx::query("SELECT store_id, epoch, seq FROM epochs").fetch_all(db.pool()).await?;
    let mut known: HashMap<String, u64> = HashMap::new();
    for row in rows {
        let key = key(row.try_get(0)?, row.try_get(1)?);
        known.insert(key, row.try_get::<i64, _>(2)?.unsigned_abs());
    }
    Ok(told.seqs.iter().any(|(key, seq)| known.get(key).copied().unwrap_or_default() < *seq))
}

/// Begins a generation: no mark of an older one counts any more.
///
/// # Errors
/// The database's.
pub async fn renew(db: &Db, identity: Identity, number: u64) -> Result<Identity, sqlx::Error> {
    let generation = secret::mark();
    let mut write = db.write().await?;
    let sql = "UPDATE hub SET generation = $1, generation_n = $2 WHERE singleton = 1";
    sqlx::query(sql).bind(&generation).bind(signed(number)).execute(&mut **write).await?;
    for sql in ["UPDATE epochs SET stable_seq = 0", "DELETE FROM backup_heads", "DELETE FROM backups"] {
        sqlx::query(sql).execute(&mut **write).await?;
    }
    write.commit().await?;
    Ok(Identity { generation, number, ..identity })
}

fn key(store_id: &str, epoch: &str) -> String {
    format!("{store_id} {epoch}")
}

impl Marks {
    /// An empty file for a generation: what was marked before is in the database, or gave it up.
    fn create(path: &Path, identity: &Identity) -> io::Result<Self> {
        let old = std::fs::read_to_string(path).ok().and_then(|text| read(&text));
        let same =
            old.filter(|told| told.generation == identity.generation && told.number == identity.number);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(path)?;
        let marks = Self { file, lines: Mutex::new(HashMap::new()) };
        if same.is_none() {
            marks.file.set_len(0)?;
        }
        marks.file.write_all_at(&line(&format!("generation {}", identity.generation), identity.number), 0)?;
        {
            let mut lines = marks.lines.lock().unwrap_or_else(PoisonError::into_inner);
            let text = std::fs::read_to_string(path)?;
            for (index, found) in (0_u64..).zip(text.lines()).skip(1) {
                if let Some((key, value)) = found.trim_end().rsplit_once(' ') {
                    lines.insert(key.to_owned(), (index, value.parse().unwrap_or_default()));
                }
            }
            // What was read may have been in the page cache alone.
            marks.file.write_all_at(text.as_bytes(), 0)?;
        }
        marks.file.sync_all()?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())?;
        Ok(marks)
    }

    /// Notes what is committed, before it is answered; only upwards.
    ///
    /// # Errors
    /// The file can't be written: then nothing may be acknowledged.
    pub fn note(&self, store_id: &str, epoch: &str, seq: u64) -> io::Result<()> {
        let key = key(store_id, epoch);
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lines.len() as u64 + 1;
        let (index, known) = lines.get(&key).copied().unwrap_or((next, 0));
        if seq <= known {
            return Ok(());
        }
        self.file.write_all_at(&line(&key, seq), index.saturating_mul(LINE_BYTES as u64))?;
        lines.insert(key, (index, seq));
        Ok(())
    }

    /// Brings the file to the disk.
    ///
    /// # Errors
    /// The disk's.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
