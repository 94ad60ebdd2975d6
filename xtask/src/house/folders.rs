//! Number of entries of each folder, and `#[path]` includes.

use anyhow::Context;
use std::fs;
use std::path::Path;

/// Folders that cargo and the demo write.
const WRITTEN: [&str; 3] = ["target", "demo-data", "node_modules"];
/// Lists that are searched by a number: folders would make them no shorter.
const LISTS: [&str; 1] = ["docs/decisions"];

#[derive(Default)]
pub struct Folders {
    pub entries: Vec<Folder>,
    /// Where a file is included by `#[path]`.
    pub path_includes: Vec<String>,
}

pub struct Folder {
    pub path: String,
    pub entries: usize,
}

/// Reads the tree, except hidden files and files that our commands write.
pub fn read(root: &Path) -> anyhow::Result<Folders> {
    let mut folders = Folders::default();
    folders.folder(root, root)?;
    Ok(folders)
}

impl Folders {
    fn folder(&mut self, root: &Path, folder: &Path) -> anyhow::Result<()> {
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        let mut entries = 0_usize;
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || WRITTEN.contains(&name.as_str()) {
                continue;
            }
            entries += 1;
            if path.is_dir() {
                self.folder(root, &path)?;
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let included = text.lines().enumerate().filter(|(_, line)| is_path_include(line));
                self.path_includes.extend(included.map(|(at, _)| format!("{}:{}", shown(&path), at + 1)));
            }
        }
        if !LISTS.contains(&shown(folder).as_str()) {
            self.entries.push(Folder { path: shown(folder), entries });
        }
        Ok(())
    }
}

fn is_path_include(line: &str) -> bool {
    line.trim_start().strip_prefix("#[path").is_some_and(|rest| rest.trim_start().starts_with('='))
}
