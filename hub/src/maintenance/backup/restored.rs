//! Restoring: a backup is put where there is no hub yet. A marker is in the folder until all of it is there: with it
//! the hub does not start, and the same command begins again.

use super::tool::{self, Login};
use super::{FORMAT, MANIFEST, Manifest, digest, keys_of, name_of};
use crate::config::Config;
use crate::db::{Db, Engine, schema};
use crate::state::hub::{CURSORS, token_key};
use crate::table::hub::Identity;
use anyhow::{Context, bail, ensure};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Marks a restore that did not complete.
const UNFINISHED: &str = "restore.unfinished";
/// Suffix of a file until it is whole.
const PARTIAL: &str = ".restoring";

/// Refuses a hub whose restore did not complete.
///
/// # Errors
/// The restore did not complete.
pub fn check_finished(folder: &Path) -> anyhow::Result<()> {
    ensure!(
        !folder.join(UNFINISHED).exists(),
        "a restore into {} was interrupted: run `cloud-hub restore` again",
        folder.display()
    );
    Ok(())
}

/// A file of a backup: one of its own folder, and no link, device or pipe.
fn plain(from: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = from.join(name);
    let own = Path::new(name).file_name().is_some_and(|last| last == name);
    let found = fs::symlink_metadata(&path).with_context(|| path.display().to_string())?;
    ensure!(own && found.is_file(), "{} is not a plain file of the backup", path.display());
    Ok(path)
}

/// A backup that this program can't read is refused before anything is copied; tables of an older one are brought
/// to this version, as far as there are migrations.
fn readable(manifest: &Manifest) -> anyhow::Result<()> {
    let known = schema::version(&schema::MIGRATIONS);
    ensure!(
        manifest.format_version == FORMAT && manifest.schema_version <= known,
        "the backup has format version {} and schema version {}, this program reads {FORMAT} and up to {known}; nothing \
         was changed: restore it with the program that made it ({})",
        manifest.format_version,
        manifest.schema_version,
        manifest.version
    );
    Ok(())
}

/// Checks that every file of a backup is unchanged.
fn whole(from: &Path, folder: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    let is = |name: &str, sha256: &str| -> anyhow::Result<()> {
        let path = plain(from, name).with_context(|| format!("the backup lacks {name}"))?;
        ensure!(digest(&path)? == sha256, "{name} differs from what was backed up");
        Ok(())
    };
    is(&manifest.file, &manifest.sha256)?;
    for key in keys_of(folder) {
        let name = name_of(&key)?;
        let sha256 = manifest.keys.get(name).with_context(|| format!("the backup lacks {name}"))?;
        is(name, sha256)?;
    }
    Ok(())
}

/// Copies a file under another name, which it loses once it is on the disk.
fn put(from: &Path, to: &Path) -> io::Result<()> {
    let mut partial = to.as_os_str().to_owned();
    partial.push(PARTIAL);
    let partial = PathBuf::from(partial);
    fs::copy(from, &partial)?;
    fs::set_permissions(&partial, fs::Permissions::from_mode(0o600))?;
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, to)?;
    sync_folder_of(to)
}

fn sync_folder_of(file: &Path) -> io::Result<()> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// The file of a SQLite database.
fn sqlite(config: &Config) -> Option<PathBuf> {
    let url = config.database.url.strip_prefix("sqlite://")?;
    Some(PathBuf::from(url.split('?').next().unwrap_or_default()))
}

/// Refuses to touch a hub; removes the remains of an earlier restore.
fn make_way(config: &Config) -> anyhow::Result<bool> {
    let (folder, file) = (&config.storage.path, sqlite(config));
    let again = folder.join(UNFINISHED).exists();
    if !again {
        ensure!(!token_key(folder).exists(), "{} already has a hub; nothing was changed", folder.display());
        if let Some(file) = &file {
            ensure!(!file.exists(), "{} already has a database; nothing was changed", file.display());
        }
        return Ok(false);
    }
    let of_database = file.iter().flat_map(|file| {
        ["", "-wal", "-shm", "-journal"].map(|suffix| {
            let mut name: OsString = file.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        })
    });
    for left in of_database.chain(keys_of(folder)) {
        match fs::remove_file(&left) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| left.display().to_string());
            }
            _ => {}
        }
    }
    Ok(true)
}

/// Puts a backup where there is no hub yet: as a new generation, since stores may know more than it does. One that was
/// interrupted is repeated.
///
/// # Errors
/// There is a hub already, or the backup has changed.
pub async fn restore(config: &Config, from: &Path) -> anyhow::Result<Identity> {
    let text = plain(from, MANIFEST).and_then(|path| Ok(fs::read(path)?));
    let text = text.with_context(|| format!("{} is not a backup", from.display()))?;
    let manifest: Manifest = serde_json::from_slice(&text).context("the manifest")?;
    readable(&manifest)?;
    let folder = &config.storage.path;
    whole(from, folder, &manifest)?;
    let again = make_way(config)?;
    let private = |path: &Path| DirBuilder::new().recursive(true).mode(0o700).create(path);
    private(folder).with_context(|| folder.display().to_string())?;
    let sign = folder.join(UNFINISHED);
    File::create(&sign).and_then(|file| file.sync_all()).with_context(|| sign.display().to_string())?;
    sync_folder_of(&sign)?;
    database(config, &from.join(&manifest.file), again).await?;
    for key in keys_of(folder) {
        put(&plain(from, name_of(&key)?)?, &key).with_context(|| key.display().to_string())?;
    }
    let _ = fs::remove_dir_all(folder.join(CURSORS));
    let db = Db::connect(&config.database.url, config.database.connections, false)
        .await
        .context("the restored database")?;
    db.migrate().await.context("the tables can't be migrated to this version")?;
    let identity = Identity::load(db.pool()).await?.context("the backup contains no hub")?;
    let number = identity.number.saturating_add(1);
    let renewed = crate::state::cursors::renew(&db, &identity, number).await?;
    let identity = renewed.context("another process uses this database: stop it, and restore again")?;
    db.close().await;
    fs::remove_file(&sign)?;
    sync_folder_of(&sign)?;
    Ok(identity)
}

/// Restores the database; `again`: in place of the remains of an interrupted restore.
async fn database(config: &Config, from: &Path, again: bool) -> anyhow::Result<()> {
    match Engine::of(&config.database.url) {
        Some(Engine::Sqlite) => {
            let file = sqlite(config).unwrap_or_default();
            if let Some(parent) = file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
            }
            put(from, &file).with_context(|| file.display().to_string())
        }
        Some(Engine::Postgres) => {
            let login = Login::of(&config.database.url, &config.storage.path)?;
            let restored = tool::run(tool::program("pg_restore"), Some(&login), |command| {
                command.args(["--no-owner", "--exit-on-error", "--single-transaction"]);
                if again {
                    command.args(["--clean", "--if-exists"]);
                }
                command.arg("--dbname").arg(login.url()).arg(from);
            });
            restored.await
        }
        None => bail!("database.url must begin with sqlite:// or postgres://"),
    }
}
