//! The rows of the table and the figures in them.

use super::cycles;
use super::folders::{self, Folders};
use super::sources::{self, Crate};
use super::words;
use std::path::Path;

/// How many entries a folder may hold.
const ENTRIES_MAX: u64 = 30;
/// How many of the most frequent are shown.
const SHOWN: usize = 3;

/// A figure with a limit.
pub struct Figure {
    pub key: String,
    pub value: u64,
    /// The largest value that passes.
    pub limit: u64,
    /// How it gets lower.
    pub advice: &'static str,
    /// Where it comes from.
    pub places: Vec<String>,
}

impl Figure {
    fn new(key: &str, value: usize, limit: u64, advice: &'static str) -> Self {
        Self { key: key.to_owned(), value: number(value), limit, advice, places: Vec::new() }
    }

    fn from(mut self, places: Vec<String>) -> Self {
        self.places = places;
        self
    }
}

/// A row of the table.
pub struct Row {
    pub measured: String,
    pub start: String,
    pub aim: String,
    pub reached: String,
    pub figures: Vec<Figure>,
}

impl Row {
    fn new(measured: &str, start: &str, aim: &str, reached: String, figures: Vec<Figure>) -> Self {
        Self { measured: measured.to_owned(), start: start.to_owned(), aim: aim.to_owned(), reached, figures }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Measures the tree at `root`.
pub fn measure(root: &Path) -> anyhow::Result<Vec<Row>> {
    let crates = sources::crates(root)?;
    let folders = folders::read(root)?;
    let with_modules = crates.iter().filter(|krate| krate.files.iter().any(|file| !file.module.is_empty()));
    let mut rows: Vec<Row> = with_modules.map(imports).collect();
    rows.extend(lines(&crates));
    rows.push(entries(&folders));
    rows.push(base_names(&folders));
    rows.push(path_includes(folders));
    rows.push(citations(root));
    rows.push(banned(&crates));
    Ok(rows)
}

/// The nouns of a crate that import each other.
fn imports(krate: &Crate) -> Row {
    let (start, limit, text) = match krate.name.as_str() {
        "actors" => ("14 of 31", 0, "0"),
        "domain" => ("29 of 49", 2, "pairs only"),
        "storage" => ("13 + 4 of 31", 4, "≤ 4"),
        "hub" => ("16 of 33", 3, "≤ 3"),
        _ => ("", 0, "0"),
    };
    let graph = cycles::graph(krate);
    let rings = graph.rings();
    let sizes: Vec<String> = rings.iter().map(|ring| ring.len().to_string()).collect();
    let sizes = if sizes.is_empty() { "0".to_owned() } else { sizes.join(" + ") };
    let advice = "Move what both sides need into a module of its own that imports neither";
    let largest = rings.first().map_or(0, std::collections::BTreeSet::len);
    let figure = Figure::new(&format!("cycle: {}", krate.name), largest, limit, advice);
    let places = rings.iter().flat_map(|ring| graph.inside(ring)).collect();
    let reached = format!("{sizes} of {}", graph.nouns.len());
    let measured = format!("nouns of {} in import cycles", krate.name);
    Row::new(&measured, start, text, reached, vec![figure.from(places)])
}

/// Lines of code, of all and of each crate.
fn lines(crates: &[Crate]) -> Vec<Row> {
    let of = |krate: &Crate| krate.files.iter().map(|file| file.lines).sum::<usize>();
    let all: usize = crates.iter().map(of).sum();
    let measured = "lines of code without comments, blanks, tests";
    let mut rows = vec![Row::new(measured, "57,000", "no limit", thousands(all), Vec::new())];
    rows.extend(crates.iter().map(|krate| {
        Row::new(&format!("  of them {}", krate.name), "", "", thousands(of(krate)), Vec::new())
    }));
    rows
}

fn thousands(count: usize) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

/// The folders with too many entries; each has a limit of its own.
fn entries(folders: &Folders) -> Row {
    let mut sorted: Vec<_> = folders.entries.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let large = sorted.iter().filter(|(_, count)| number(**count) > ENTRIES_MAX);
    let shown: Vec<String> = large.map(|(_, count)| count.to_string()).collect();
    let advice = "Give files that belong together a folder";
    let figure = |folder: &str, count| Figure::new(&format!("entries: {folder}"), count, ENTRIES_MAX, advice);
    let figures = folders.entries.iter().map(|(folder, count)| figure(folder, *count)).collect();
    let reached = if shown.is_empty() {
        sorted.first().map_or(0, |(_, count)| **count).to_string()
    } else {
        shown.join(", ")
    };
    Row::new("entries in a folder", "76, 66, 47, 47, 45, 41, 41", "≤ 30", reached, figures)
}

/// The base names that most files share.
fn base_names(folders: &Folders) -> Row {
    let mut sorted: Vec<_> = folders.names.iter().collect();
    sorted.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    let shown = sorted.iter().take(SHOWN).map(|(name, files)| format!("{name} × {}", files.len()));
    let reached = shown.collect::<Vec<_>>().join(", ");
    let start = "view.rs × 12, people.rs × 9, goods.rs × 9";
    Row::new("files of one base name", start, "no limit", reached, Vec::new())
}

fn path_includes(folders: Folders) -> Row {
    let places = folders.path_includes;
    let advice = "Put what several tests use into a crate, and a module where its name says";
    let figure = Figure::new("path includes", places.len(), 0, advice);
    Row::new("`#[path]` includes", "103", "0", places.len().to_string(), vec![figure.from(places)])
}

/// Comments that cite a file or a section that is not there: `tests/citations.rs` fails at the first, so that there
/// is no figure here.
fn citations(root: &Path) -> Row {
    let test = root.join("tests/citations.rs").exists();
    let reached = if test { "0, by `cargo test --test citations`" } else { "not measured" }.to_owned();
    Row::new("comments that cite what is not in the repository", "125", "0", reached, Vec::new())
}

/// Public names and files that say what has a better word.
fn banned(crates: &[Crate]) -> Row {
    let said = words::banned(crates);
    let count = said.iter().map(|said| said.places.len()).sum();
    let places = said.iter().flat_map(|said| {
        let head = format!("{} × {}, better: {}", said.word, said.places.len(), said.better);
        std::iter::once(head).chain(said.places.iter().map(|place| format!("  {place}")))
    });
    let advice = "The field's term stands beside each banned word in xtask/src/house/words.rs";
    let figure = Figure::new("banned words", count, 0, advice).from(places.collect());
    let most = said.iter().take(SHOWN).map(|said| format!("{} × {}", said.word, said.places.len()));
    let reached = std::iter::once(count.to_string()).chain(most).collect::<Vec<_>>().join(", ");
    Row::new("banned words in public names", "", "0", reached, vec![figure])
}
