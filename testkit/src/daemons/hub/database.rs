//! The hub's database: embedded, or on the server that `HUB_TEST_POSTGRES` names.

use crate::process;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names the server: `postgres://user@host:port`. Without it the hub's database is a file.
pub const SERVER: &str = "HUB_TEST_POSTGRES";
/// Folder of Debian's programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The server, if these tests are to use one.
pub fn server() -> Option<String> {
    std::env::var(SERVER).ok()
}

/// The address of an unused database.
#[track_caller]
pub fn fresh(folder: &Path) -> String {
    match server() {
        Some(server) => fresh_at(&server),
        None => format!("sqlite://{}", folder.join(format!("{}.db", name())).display()),
    }
}

/// As [`fresh`], on this server.
#[track_caller]
pub fn fresh_at(server: &str) -> String {
    let name = name();
    sql(server, &format!("CREATE DATABASE {name}"));
    format!("{server}/{name}")
}

/// Removes a database of a server, even if it is still in use: a run of all tests would leave gigabytes. A failure is
/// ignored; the test has been judged by then.
pub fn discard(url: &str) {
    let Some((server, name)) = url.rsplit_once('/').filter(|_| url.starts_with("postgres")) else { return };
    let mut psql = Command::new(program("psql"));
    psql.args(["-q", "-X", "-d", &format!("{server}/postgres"), "-c"]);
    let _ = psql.arg(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).output();
}

fn name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = edge::clock::now().0;
    format!("bb_{}_{now}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// One statement at a server.
#[track_caller]
pub fn sql(server: &str, statement: &str) {
    let mut psql = Command::new(program("psql"));
    psql.args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", &format!("{server}/postgres"), "-c", statement]);
    process::succeed(psql, "");
}

/// A copy of an unused database; returns its address.
#[track_caller]
pub fn copy(url: &str, folder: &Path) -> String {
    let to = match url.strip_prefix("sqlite://") {
        Some(_) => fresh(folder),
        None => format!("{}/{}", url.rsplit_once('/').unwrap().0, name()),
    };
    copy_to(url, &to);
    to
}

/// Replaces a database by a copy of another one; neither is in use.
#[track_caller]
pub fn copy_to(from: &str, to: &str) {
    if let (Some(from), Some(to)) = (from.strip_prefix("sqlite://"), to.strip_prefix("sqlite://")) {
        for end in ["", "-wal", "-shm"] {
            let (from, to) = (format!("{from}{end}"), format!("{to}{end}"));
            let _ = std::fs::remove_file(&to);
            if Path::new(&from).exists() {
                std::fs::copy(from, to).unwrap();
            }
        }
        return;
    }
    let (server, to) = to.rsplit_once('/').unwrap();
    let from = from.rsplit_once('/').unwrap().1;
    sql(server, &format!("DROP DATABASE IF EXISTS {to} WITH (FORCE)"));
    sql(server, &format!("CREATE DATABASE {to} TEMPLATE {from}"));
}

/// A program of PostgreSQL.
fn program(name: &str) -> PathBuf {
    programs().map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
}

/// The folder of PostgreSQL's programs: the newest complete version, else the one on the path.
pub fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let version = |folder: &PathBuf| folder.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let mut folders: Vec<PathBuf> = versions.map(|entry| entry.path()).collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(version(folder)));
    let folders = folders.into_iter().map(|folder| folder.join("bin"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let needed = ["initdb", "postgres", "pg_isready"];
    let complete = |folder: &PathBuf| needed.iter().all(|name| folder.join(name).is_file());
    folders.chain(std::env::split_paths(&paths)).find(complete)
}
