//! `house`: checks the structure of the sources: import cycles, folders with too many entries, `#[path]` includes.

mod cycles;
mod folders;
pub mod sources;

#[cfg(test)]
mod tests;

use crate::workspace::root;
use std::path::Path;

/// Most entries of a folder.
const ENTRIES_MAX: usize = 30;

/// What `house` may be asked for.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Also list where each figure comes from: the imports of a cycle, the places of an include
    #[arg(long)]
    list: bool,
}

/// A figure with a limit.
pub struct Figure {
    pub measured: String,
    pub value: usize,
    /// The largest value that passes.
    pub limit: usize,
    /// Advice for lowering it.
    pub advice: &'static str,
    /// Its places.
    pub places: Vec<String>,
}

/// Prints the figures; true if none is above its limit.
pub fn run(options: &Options) -> anyhow::Result<bool> {
    let figures = measure(&root())?;
    for Figure { measured, value, limit, places, .. } in &figures {
        println!("{measured}: {value} (at most {limit})");
        if options.list {
            places.iter().for_each(|place| println!("  {place}"));
        }
    }
    let above: Vec<_> = figures.iter().filter(|figure| figure.value > figure.limit).collect();
    for Figure { measured, value, limit, advice, .. } in &above {
        println!(
            "\n{measured}: {value} is above {limit}. {advice}. `cargo xtask house --list` lists the places"
        );
    }
    Ok(above.is_empty())
}

/// Measures the tree at `root`.
fn measure(root: &Path) -> anyhow::Result<Vec<Figure>> {
    let crates = sources::crates(root)?;
    let with_modules = crates.iter().filter(|krate| krate.files.iter().any(|file| !file.module.is_empty()));
    let mut figures: Vec<Figure> = with_modules.map(imports).collect();
    let folders = folders::read(root)?;
    let largest = folders.entries.iter().max_by_key(|folder| folder.entries);
    let too_large = folders.entries.iter().filter(|folder| folder.entries > ENTRIES_MAX);
    figures.push(Figure {
        measured: "entries of the largest folder".to_owned(),
        value: largest.map_or(0, |folder| folder.entries),
        limit: ENTRIES_MAX,
        advice: "Give files that belong together a folder",
        places: too_large.map(|folder| format!("{}: {}", folder.path, folder.entries)).collect(),
    });
    figures.push(Figure {
        measured: "`#[path]` includes".to_owned(),
        value: folders.path_includes.len(),
        limit: 0,
        advice: "Put what several tests use into a crate, and a module where its name says",
        places: folders.path_includes,
    });
    Ok(figures)
}

/// The largest ring of nouns of a crate that import each other.
fn imports(krate: &sources::Crate) -> Figure {
    let limit = match krate.name.as_str() {
        "domain" => 2,
        "hub" => 3,
        "storage" => 4,
        _ => 0,
    };
    let graph = cycles::graph(krate);
    let rings = graph.rings();
    Figure {
        measured: format!("largest import cycle among the {} nouns of {}", graph.nouns.len(), krate.name),
        value: rings.first().map_or(0, std::collections::BTreeSet::len),
        limit,
        advice: "Move what both sides need into a module of its own that imports neither",
        places: rings.iter().flat_map(|ring| graph.inside(ring)).collect(),
    }
}
