//! The limits in `xtask/house.toml`: a figure may fall, and not rise.

use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "xtask/house.toml";
const HEAD: &str = "# The limits of `cargo xtask house`: the figure of the day, until the aim is reached, then the aim.\n\
                    # `cargo xtask house --write` writes them anew; a limit that rises wants a reason in the commit.\n\n";

/// A limit for each figure.
pub type Limits = BTreeMap<String, u64>;

fn file(root: &Path) -> PathBuf {
    root.join(FILE)
}

/// The limits as they are committed.
pub fn read(root: &Path) -> anyhow::Result<Limits> {
    let text = fs::read_to_string(file(root)).context(FILE)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| limit(line).with_context(|| format!("{FILE}: {line}"))).collect()
}

fn limit(line: &str) -> anyhow::Result<(String, u64)> {
    let Some((key, number)) = line.split_once('=') else { bail!("not a limit") };
    Ok((key.trim().trim_matches('"').to_owned(), number.trim().parse()?))
}

/// Commits to other limits.
pub fn write(root: &Path, limits: &Limits) -> anyhow::Result<()> {
    let mut text = HEAD.to_owned();
    for (key, number) in limits {
        writeln!(text, "\"{key}\" = {number}")?;
    }
    fs::write(file(root), text).context(FILE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("xtask")).unwrap();
        let limits = Limits::from([("folder: a/b".to_owned(), 26), ("lines".to_owned(), 3)]);
        write(folder.path(), &limits).unwrap();
        assert_eq!(read(folder.path()).unwrap(), limits);
    }
}
