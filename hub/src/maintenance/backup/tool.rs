//! Runs programs of PostgreSQL. Other users of the machine may see their arguments, so a password is passed in a file
//! that only its owner may read. The file is removed after the program has ended.

use crate::secret;
use anyhow::{Context, ensure};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Folder of the programs of each version in Debian and its derivatives.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Connection of an external program to the database.
pub(crate) struct Login {
    url: String,
    password: Option<PathBuf>,
}

impl Login {
    /// Takes the password out of an address, and writes it into a file in `folder`.
    pub(crate) fn of(url: &str, folder: &Path) -> anyhow::Result<Self> {
        let (url, password) = split_password(url);
        // The hub's own connection uses the variable too.
        let password = password.or_else(|| std::env::var("PGPASSWORD").ok()).filter(|word| !word.is_empty());
        let Some(password) = password else { return Ok(Self { url, password: None }) };
        ensure!(!password.contains(['\n', '\r', '\0']), "the password in database.url must be on one line");
        let path = folder.join(format!(".pgpass-{}", secret::mark()));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = made.with_context(|| path.display().to_string())?;
        // From here on the file is removed when `login` is dropped.
        let login = Self { url, password: Some(path) };
        let escaped = password.replace('\\', "\\\\").replace(':', "\\:");
        writeln!(file, "*:*:*:*:{escaped}")?;
        Ok(login)
    }

    /// The address without a password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        if let Some(path) = &self.password
            && let Err(error) = fs::remove_file(path)
        {
            tracing::error!(%error, path = %path.display(), "the file of the database's password can't be removed");
        }
    }
}

/// Splits an address into itself without the password, and the password, which is before the host or a parameter.
fn split_password(url: &str) -> (String, Option<String>) {
    let Some((scheme, rest)) = url.split_once("://") else { return (url.to_owned(), None) };
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let (authority, path) = place.find('/').map_or((place, ""), |slash| place.split_at(slash));
    let (user, host) = authority.rsplit_once('@').map_or(("", authority), |(user, host)| (user, host));
    let (user, mut password) = match user.split_once(':') {
        Some((user, password)) => (user, Some(decoded(password))),
        None => (user, None),
    };
    let at = if user.is_empty() { "" } else { "@" };
    let mut bare = format!("{scheme}://{user}{at}{host}{path}");
    let mut kept = Vec::new();
    for parameter in query.into_iter().flat_map(|query| query.split('&')) {
        match parameter.split_once('=') {
            Some(("password", word)) => password = Some(decoded(&word.replace('+', " "))),
            _ => kept.push(parameter),
        }
    }
    if !kept.is_empty() {
        bare = format!("{bare}?{}", kept.join("&"));
    }
    (bare, password)
}

/// Text with `%XX` decoded.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs a program to its end.
pub(crate) async fn run(
    program: PathBuf,
    login: Option<&Login>,
    arguments: impl FnOnce(&mut tokio::process::Command),
) -> anyhow::Result<()> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = tokio::process::Command::new(&program);
    arguments(&mut command);
    command.env_remove("PGPASSWORD");
    if let Some(password) = login.and_then(|login| login.password.as_ref()) {
        command.env("PGPASSFILE", fs::canonicalize(password)?);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let done = command.output().await.with_context(|| format!("{name} does not start"))?;
    let reported = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{name}: {}", reported.trim());
    Ok(())
}

/// The newest version of a program of PostgreSQL, else the one on the path.
pub(crate) fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let version = |folder: &PathBuf| folder.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let newest = versions.map(|entry| entry.path()).max_by_key(version);
    let found = newest.map(|folder| folder.join("bin").join(name)).filter(|path| path.is_file());
    found.unwrap_or_else(|| PathBuf::from(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Used in place of `pg_dump`: records what every user of the machine can see of it, and its input.
    const SPY: &str = "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/cmdline >\"$3\"\ntr '\\0' '\\n' </proc/$$/environ >>\"$3\"\n\
                       stat -c %a \"$PGPASSFILE\" >\"$3.file\"\ncat \"$PGPASSFILE\" >>\"$3.file\"\n";

    #[tokio::test]
    async fn a_program_gets_the_password_where_no_other_user_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let (spy, seen) = (folder.path().join("pg_dump"), folder.path().join("seen"));
        fs::write(&spy, SPY).unwrap();
        fs::set_permissions(&spy, fs::Permissions::from_mode(0o700)).unwrap();
        for url in [
            "postgres://hub:s%3Acret%5C9@db.example:5433/hub?sslmode=require",
            "postgres://hub@db.example:5433/hub?password=s%3Acret%5C9&sslmode=require",
        ] {
            let login = Login::of(url, folder.path()).unwrap();
            let arguments = |command: &mut tokio::process::Command| {
                command.arg("--file").arg("x").arg(&seen).arg(login.url());
            };
            run(spy.clone(), Some(&login), arguments).await.unwrap();
            let public = fs::read_to_string(&seen).unwrap();
            assert!(public.contains("postgres://hub@db.example:5433/hub?sslmode=require\n"), "{public}");
            assert!(!public.contains("cret"), "{public}");
            let given = fs::read_to_string(folder.path().join("seen.file")).unwrap();
            assert_eq!(given, "600\n*:*:*:*:s\\:cret\\\\9\n");
            drop(login);
            let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            assert!(!left.into_iter().any(|name| name.to_string_lossy().starts_with(".pgpass")));
        }
    }

    #[test]
    fn an_address_without_a_password_stays_as_it_is() {
        for url in ["postgres://postgres@127.0.0.1:5499/hub", "postgres:///hub?host=/run/postgresql", "other"]
        {
            assert_eq!(split_password(url), (url.to_owned(), None));
        }
        assert_eq!(
            split_password("postgres://a@b:c@h/d"),
            ("postgres://a@b@h/d".to_owned(), Some("c".to_owned()))
        );
    }
}
