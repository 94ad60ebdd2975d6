//! What is in the folders: how many entries each holds, and names that several files share.

use anyhow::Context;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Names that say what a file is for and not what it holds.
const CONVENTIONAL: [&str; 4] = ["lib.rs", "main.rs", "tests.rs", "mod.rs"];
/// What cargo and the demo write.
const WRITTEN: [&str; 2] = ["target", "demo-data"];

/// What the tree holds.
#[derive(Default)]
pub struct Folders {
    /// How many entries each folder has.
    pub entries: BTreeMap<String, usize>,
    /// The files of each base name.
    pub names: BTreeMap<String, Vec<String>>,
    /// Where a file is included by `#[path]`.
    pub path_includes: Vec<String>,
}

/// One decision a file, by number, for ever: a list to look up in, which no division into folders makes shorter.
const LISTS: [&str; 1] = ["docs/decisions"];

/// Reads the tree but for what is hidden or written by our commands.
pub fn read(root: &Path) -> anyhow::Result<Folders> {
    let mut folders = Folders::default();
    folders.folder(root, root)?;
    Ok(folders)
}

impl Folders {
    fn folder(&mut self, root: &Path, folder: &Path) -> anyhow::Result<()> {
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        let mut count = 0_usize;
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || WRITTEN.contains(&name.as_str()) {
                continue;
            }
            count += 1;
            if path.is_dir() {
                self.folder(root, &path)?;
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let included = text.lines().enumerate().filter(|(_, line)| is_path_include(line));
                self.path_includes.extend(included.map(|(at, _)| format!("{}:{}", shown(&path), at + 1)));
                if !CONVENTIONAL.contains(&name.as_str()) {
                    self.names.entry(name).or_default().push(shown(&path));
                }
            }
        }
        if !LISTS.contains(&shown(folder).as_str()) {
            self.entries.insert(shown(folder), count);
        }
        Ok(())
    }
}

fn is_path_include(line: &str) -> bool {
    line.trim_start().strip_prefix("#[path").is_some_and(|rest| rest.trim_start().starts_with('='))
}
