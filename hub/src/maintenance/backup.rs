//! Backups beside a running hub: one consistent copy, verified before it gets its name, and the records that stores may
//! forget because of it (docs/protocol.md#generations-and-recovery).

pub mod drill;
mod kept;
mod restored;
mod tool;

use crate::config::Config;
use crate::db::{Db, Engine, schema, signed};
use crate::maintenance::verify;
use crate::state::hub::{fingerprint_key, token_key};
use crate::table::audit;
use crate::table::hub::Identity;
use crate::{columns, secret};
use anyhow::{Context, bail, ensure};
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::retention::BACKUPS_MIN;
use edge::clock;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub use restored::{check_finished, restore};
use tool::Login;

/// Version of a backup's folder.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const SQLITE: &str = "hub.sqlite";
const POSTGRES: &str = "hub.dump";

/// Position of a store's epoch in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Inside {
    store_id: String,
    epoch: String,
    seq: u64,
}

/// Description of a backup, stored with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format_version: u32,
    /// Schema version of the tables inside.
    schema_version: i64,
    backup_id: String,
    hub_id: String,
    hub_generation: String,
    made_at: UtcMs,
    version: String,
    file: String,
    sha256: String,
    /// SHA-256 of each key, by its file's name.
    keys: BTreeMap<String, String>,
    heads: Vec<Inside>,
}

/// Makes a backup in a folder of its own below `to`; returns its path and the number of kept ones.
///
/// # Errors
/// The copy can't be made, or fails its verification: then there is no backup.
pub async fn make(
    config: &Config,
    db: &Db,
    identity: &Identity,
    to: &Path,
) -> anyhow::Result<(PathBuf, usize)> {
    let now = clock::now();
    let backup_id = format!("hub-{}-{}", now.0, secret::mark());
    let (partial, folder) = (to.join(format!(".{backup_id}.partial")), to.join(&backup_id));
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    kept::check_free_space(db, &config.database.url, to).await?;
    DirBuilder::new().mode(0o700).create(&partial).with_context(|| partial.display().to_string())?;
    let made = copy(config, db, &partial).await;
    let Copied { file, keys, heads } = match made {
        Ok(made) => made,
        Err(error) => {
            let _ = fs::remove_dir_all(&partial);
            return Err(error);
        }
    };
    let manifest = Manifest {
        format_version: FORMAT,
        schema_version: schema::version(&schema::MIGRATIONS),
        backup_id,
        hub_id: identity.hub_id.clone(),
        hub_generation: identity.generation.clone(),
        made_at: now,
        version: edge::VERSION.to_owned(),
        sha256: digest(&partial.join(&file))?,
        file,
        keys,
        heads,
    };
    fs::write(partial.join(MANIFEST), serde_json::to_vec_pretty(&manifest)?)?;
    for entry in fs::read_dir(&partial)? {
        let path = entry?.path();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        File::open(&path)?.sync_all()?;
    }
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, &folder)?;
    File::open(to)?.sync_all()?;
    let kept = register(db, identity, &manifest, &folder, config.backup.keep).await?;
    Ok((folder, kept))
}

/// Contents of a copy.
struct Copied {
    file: String,
    /// Checksums of the keys, by name.
    keys: BTreeMap<String, String>,
    heads: Vec<Inside>,
}

/// The keys that a hub can't serve without.
fn keys_of(folder: &Path) -> [PathBuf; 2] {
    [fingerprint_key(folder), token_key(folder)]
}

fn name_of(key: &Path) -> anyhow::Result<&str> {
    key.file_name().and_then(|name| name.to_str()).context("a key has no name")
}

/// Copies database and keys.
async fn copy(config: &Config, db: &Db, folder: &Path) -> anyhow::Result<Copied> {
    let mut keys = BTreeMap::new();
    for key in keys_of(&config.storage.path) {
        let (name, of) = (name_of(&key)?, || key.display().to_string());
        fs::copy(&key, folder.join(name)).with_context(of)?;
        keys.insert(name.to_owned(), digest(&folder.join(name)).with_context(of)?);
    }
    let (file, heads) = copy_database(config, db, folder).await?;
    Ok(Copied { file, keys, heads })
}

/// Copies the database; returns the file and its contents.
async fn copy_database(config: &Config, db: &Db, folder: &Path) -> anyhow::Result<(String, Vec<Inside>)> {
    match Engine::of(&config.database.url) {
        Some(Engine::Sqlite) => {
            let file = folder.join(SQLITE);
            let sql = "VACUUM INTO $1";
            sqlx::query(sql).bind(file.display().to_string()).execute(db.pool()).await.context("the copy")?;
            Ok((SQLITE.to_owned(), verified(&file).await?))
        }
        Some(Engine::Postgres) => {
            // Before the dump begins: whatever is committed now is inside.
            let heads = heads(db.pool()).await?;
            let file = folder.join(POSTGRES);
            let login = Login::of(&config.database.url, &config.storage.path)?;
            let dump = tool::run(tool::program("pg_dump"), Some(&login), |command| {
                command.args(["--format=custom", "--file"]).arg(&file).arg(login.url());
            });
            dump.await?;
            // Reads and unpacks the whole file.
            let read = tool::run(tool::program("pg_restore"), None, |command| {
                command.arg("--file=/dev/null").arg(&file);
            });
            read.await?;
            Ok((POSTGRES.to_owned(), heads))
        }
        None => bail!("database.url must begin with sqlite:// or postgres://"),
    }
}

/// Verifies the copy and returns its contents. One read-only connection, so that no file is left beside it.
async fn verified(file: &Path) -> anyhow::Result<Vec<Inside>> {
    let url = format!("sqlite://{}?mode=ro", file.display());
    let copy = AnyPoolOptions::new().max_connections(1).connect(&url).await.context("the copy")?;
    let report = verify::verify(&copy, &mut |_| {}).await?;
    ensure!(report.problems.is_empty(), "the backup failed verification: {}", report.problems.join("; "));
    let heads = heads(&copy).await?;
    copy.close().await;
    Ok(heads)
}

async fn heads(pool: &AnyPool) -> Result<Vec<Inside>, sqlx::Error> {
    let rows = sqlx::query("SELECT store_id, epoch, seq FROM epochs ORDER BY store_id, epoch")
        .fetch_all(pool)
        .await?;
    let one = |row: &sqlx::any::AnyRow| Ok(columns!(row => Inside { store_id, epoch, seq }));
    rows.iter().map(one).collect()
}

fn digest(file: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut chunk) = (File::open(file)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(domain::model::hub::chain::hex(&hash.finalize())),
            read => hash.update(chunk.get(..read).unwrap_or_default()),
        }
    }
}

/// Keeps the backup's cursors, removes the oldest backups above `keep`, forgets those that no longer exist, and moves
/// the stable positions.
async fn register(
    db: &Db,
    identity: &Identity,
    manifest: &Manifest,
    folder: &Path,
    keep: usize,
) -> anyhow::Result<usize> {
    let folder = fs::canonicalize(folder)?;
    let gone = kept::gone(db).await?;
    let mut write = db.write().await?;
    // The hub's row is the lock: of two backups at the same time the second counts the first.
    let sql = "UPDATE hub SET hub_id = hub_id WHERE singleton = 1 RETURNING generation";
    let generation: String = sqlx::query_scalar(sql).fetch_one(&mut **write).await?;
    ensure!(generation == identity.generation, "the database was replaced during the backup: start again");
    let sql = "INSERT INTO backups (backup_id, folder, made_at) VALUES ($1, $2, $3)";
    let query = sqlx::query(sql).bind(&manifest.backup_id).bind(folder.display().to_string());
    query.bind(manifest.made_at.0).execute(&mut **write).await?;
    for head in &manifest.heads {
        let sql = "INSERT INTO backup_heads (backup_id, store_id, epoch, seq) VALUES ($1, $2, $3, $4)";
        let query = sqlx::query(sql).bind(&manifest.backup_id).bind(&head.store_id).bind(&head.epoch);
        query.bind(signed(head.seq)).execute(&mut **write).await?;
    }
    kept::prune(&mut write, &manifest.backup_id, &folder, keep, &gone).await?;
    let known = sqlx::query("SELECT backup_id, folder FROM backups").fetch_all(&mut **write).await?;
    let mut kept = 0_usize;
    for row in known {
        let (id, folder): (String, String) = columns!(row => (backup_id, folder));
        if !gone.contains(&id) && Path::new(&folder).exists() {
            kept = kept.saturating_add(1);
            continue;
        }
        tracing::warn!(folder, "a backup was changed or removed: it no longer counts");
        for sql in
            ["DELETE FROM backup_heads WHERE backup_id = $1", "DELETE FROM backups WHERE backup_id = $1"]
        {
            sqlx::query(sql).bind(&id).execute(&mut **write).await?;
        }
    }
    // `kept::stable_seq` of every epoch, in one statement: what every kept backup holds; an epoch that one of
    // them does not know counts as 0 there.
    let sql = "UPDATE epochs SET stable_seq = CASE WHEN $1 < $2 THEN 0 ELSE COALESCE((SELECT CASE \
               WHEN COUNT(*) < $1 THEN 0 ELSE MIN(h.seq) END FROM backup_heads h \
               WHERE h.store_id = epochs.store_id AND h.epoch = epochs.epoch), 0) END";
    let (have, need) = (i64::try_from(kept)?, i64::try_from(BACKUPS_MIN)?);
    sqlx::query(sql).bind(have).bind(need).execute(&mut **write).await?;
    let details = json!({"backup_id": manifest.backup_id, "kept_count": kept});
    audit::append(&mut write, &UserId::default(), "backup.made", &details, manifest.made_at).await?;
    write.commit().await?;
    Ok(kept)
}

/// Whether a backup is unchanged since its verification.
fn intact(folder: &Path, backup_id: &str) -> bool {
    let read = || -> anyhow::Result<bool> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST))?)?;
        let whole = |(name, sha256): (&String, &String)| Ok(digest(&folder.join(name))? == *sha256);
        let keys = manifest.keys.iter().map(whole).collect::<io::Result<Vec<bool>>>()?;
        let database = digest(&folder.join(&manifest.file))? == manifest.sha256;
        Ok(manifest.backup_id == backup_id && database && keys.into_iter().all(|whole| whole))
    };
    read().unwrap_or(false)
}
