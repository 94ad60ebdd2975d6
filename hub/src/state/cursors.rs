//! The highest position that this hub reached, kept outside of its database: a database that is behind was restored, by
//! command or by hand, and is a new generation (docs/protocol.md#generations-and-recovery).
//!
//! Each process has a file of its own in the folder, locked while it runs. A file states one fact only: the database
//! once had this. So files of several processes, in one folder or in many, never contradict each other: the database is
//! behind if it lacks anything that one of them has.

mod file;

use crate::db::{Db, signed};
use crate::table::hub::Identity;
use crate::table::{audit, event_log};
use crate::{columns, secret};
use domain::model::base::ids::UserId;
use edge::clock;
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use file::{Own, SavedCursors};

/// The marks of this process.
pub struct Cursors {
    file: Own,
    /// `store epoch` → its line in the file, and the seq there.
    lines: Mutex<HashMap<String, (u64, u64)>>,
}

/// Opens the marks, locks them, and compares them and those of other processes with the database; a database that is
/// behind becomes a new generation before any answer.
///
/// # Errors
/// The files or the database.
pub async fn guard(folder: &Path, db: &Db) -> anyhow::Result<(Cursors, Identity)> {
    let found = file::gather(folder)?;
    // The database is read after the files: whatever they contain was committed before it was written.
    let mut identity = current(db).await?;
    while let Some(number) = behind(db, &identity, found.saved()).await? {
        identity = match renew(db, &identity, number).await? {
            Some(next) => {
                let generation = &next.generation;
                tracing::error!(
                    generation,
                    "the database is behind the marks file: starting a new generation"
                );
                next
            }
            // Another process has just begun one.
            None => current(db).await?,
        };
    }
    Ok((Cursors::create(folder, &identity, found)?, identity))
}

async fn current(db: &Db) -> anyhow::Result<Identity> {
    Identity::load(db.pool()).await?.ok_or_else(|| anyhow::anyhow!("the database contains no hub"))
}

/// Number of the generation that has to begin because the database lacks acknowledged records. `None` if it
/// lacks nothing.
async fn behind(
    db: &Db,
    identity: &Identity,
    saved: impl Iterator<Item = &SavedCursors>,
) -> Result<Option<u64>, sqlx::Error> {
    let rows = sqlx::query("SELECT store_id, epoch, seq FROM epochs").fetch_all(db.pool()).await?;
    let mut known: HashMap<String, u64> = HashMap::new();
    for row in rows {
        let (store_id, epoch, seq): (String, String, u64) = columns!(row => (store_id, epoch, seq));
        known.insert(key(&store_id, &epoch), seq);
    }
    let lacks = |saved: &SavedCursors| {
        saved.seqs.iter().any(|(key, seq)| known.get(key).copied().unwrap_or_default() < *seq)
    };
    let highest = saved
        // A higher number in the database was given by the process that found it restored: earlier marks are void.
        .filter(|saved| {
            saved.number > identity.number
                || (saved.number == identity.number
                    && (saved.generation != identity.generation || lacks(saved)))
        })
        .map(|saved| saved.number)
        .max();
    Ok(highest.map(|number| number.max(identity.number).saturating_add(1)))
}

/// Begins a generation in place of `identity`: no mark of an older one counts any more. `None` if another
/// process was faster.
pub async fn renew(db: &Db, identity: &Identity, number: u64) -> Result<Option<Identity>, sqlx::Error> {
    let generation = secret::mark();
    let mut write = db.write().await?;
    let sql = "UPDATE hub SET generation = $1, generation_n = $2 WHERE singleton = 1 \
               AND generation = $3 AND generation_n = $4";
    let query = sqlx::query(sql).bind(&generation).bind(signed(number));
    let query = query.bind(&identity.generation).bind(signed(identity.number));
    if query.execute(&mut **write).await?.rows_affected() == 0 {
        return Ok(None);
    }
    for sql in ["UPDATE epochs SET stable_seq = 0", "DELETE FROM backup_heads", "DELETE FROM backups"] {
        sqlx::query(sql).execute(&mut **write).await?;
    }
    // Writes of head office since then are lost; stores send their records again.
    let written_until = audit::last_at(&mut write).await?;
    let details = json!({"hub_generation": generation, "n": number, "before": identity.generation,
        "written_until": written_until});
    event_log::begin_generation(&mut write).await?;
    audit::append(&mut write, &UserId::default(), "generation.begun", &details, clock::now()).await?;
    write.commit().await?;
    Ok(Some(Identity { generation, number, ..identity.clone() }))
}

fn key(store_id: &str, epoch: &str) -> String {
    format!("{store_id} {epoch}")
}

impl Cursors {
    /// Creates a file for this process, with the marks of ended processes for this generation.
    fn create(folder: &Path, identity: &Identity, found: file::Found) -> io::Result<Self> {
        let mut seqs: HashMap<String, u64> = HashMap::new();
        let same = |saved: &&SavedCursors| {
            saved.number == identity.number && saved.generation == identity.generation
        };
        for (key, seq) in found.saved().filter(same).flat_map(|saved| &saved.seqs) {
            let highest = seqs.entry(key.clone()).or_default();
            *highest = (*highest).max(*seq);
        }
        let seqs: Vec<(String, u64)> = seqs.into_iter().collect();
        let file = Own::create(folder, &identity.generation, identity.number, &seqs)?;
        found.clear()?;
        let lines = (1_u64..).zip(seqs).map(|(line, (key, seq))| (key, (line, seq))).collect();
        Ok(Self { file, lines: Mutex::new(lines) })
    }

    /// Notes a commit before it is answered; marks only rise.
    ///
    /// # Errors
    /// The file can't be written: then nothing may be acknowledged.
    pub fn note(&self, store_id: &str, epoch: &str, seq: u64) -> io::Result<()> {
        let key = key(store_id, epoch);
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lines.len() as u64 + 1;
        let (line, known) = lines.get(&key).copied().unwrap_or((next, 0));
        if seq <= known {
            return Ok(());
        }
        self.file.write(line, &key, seq)?;
        lines.insert(key, (line, seq));
        Ok(())
    }

    /// Brings the file to the disk.
    ///
    /// # Errors
    /// The disk's.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
}
