//! The nouns of a crate that import each other in a ring.

use super::sources::{Crate, File, Named};
use std::collections::{BTreeMap, BTreeSet};

/// Folders of a crate that only sort its nouns: a noun is a module inside them; elsewhere one of the crate's root.
/// Named one by one, since many a noun has no file of its own either.
const FLOORS: [(&str, &[&str]); 3] = [
    ("actors", &["hub", "owners", "runtime", "supervision"]),
    ("domain", &["model", "rules", "wire"]),
    ("hub", &["office"]),
];
/// Folders of `domain`'s floors that group the nouns by subject.
const AREAS: [&str; 6] = ["base", "books", "hub", "inventory", "people", "selling"];

/// Imports between nouns, with one place of each.
pub struct Graph {
    pub nouns: BTreeSet<String>,
    arrows: BTreeMap<String, BTreeMap<String, String>>,
}

/// The graph of a crate's nouns.
pub fn graph(krate: &Crate) -> Graph {
    let noun = |module: &[String]| noun(&krate.name, module);
    let nouns: BTreeSet<String> = krate.files.iter().filter_map(|file| noun(&file.module)).collect();
    let known = |path: &[String]| {
        noun(path)
            .filter(|to| nouns.contains(to))
            .or_else(|| path.first().filter(|to| nouns.contains(*to)).cloned())
    };
    let lent = lent(krate);
    let mut arrows: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for File { path, module, named, .. } in &krate.files {
        let Some(from) = noun(module) else { continue };
        for Named { path: words, line } in named {
            let by_root = || words.first().and_then(|word| lent.get(word)).and_then(|path| known(path));
            if let Some(to) = known(words).or_else(by_root).filter(|to| *to != from) {
                arrows.entry(from.clone()).or_default().entry(to).or_insert_with(|| format!("{path}:{line}"));
            }
        }
    }
    Graph { nouns, arrows }
}

/// The noun that a module of a crate is, or is a part of.
fn noun(krate: &str, module: &[String]) -> Option<String> {
    let is_floor =
        |name: &String| FLOORS.iter().any(|(of, floors)| *of == krate && floors.contains(&name.as_str()));
    let is_area = |name: &String| krate == "domain" && AREAS.contains(&name.as_str());
    let depth = match module {
        [floor, area, _, ..] if is_floor(floor) && is_area(area) => 3,
        [floor, _, ..] if is_floor(floor) => 2,
        _ => 1,
    };
    module.get(..depth).map(|path| path.join("/"))
}

/// Names that the crate's root re-exports, with their origin.
fn lent(krate: &Crate) -> BTreeMap<String, Vec<String>> {
    let roots = krate.files.iter().filter(|file| file.module.is_empty());
    let used = roots.flat_map(|file| &file.used);
    used.filter_map(|Named { path, .. }| Some((path.last()?.clone(), path.clone()))).collect()
}

impl Graph {
    /// The rings, the largest first.
    pub fn rings(&self) -> Vec<BTreeSet<&str>> {
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.nouns.iter().map(|noun| (noun.as_str(), self.reach(noun))).collect();
        let mut rings: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
        for (noun, reached) in &reach {
            let back = |other: &&&str| reach.get(**other).is_some_and(|reached| reached.contains(noun));
            let ring: BTreeSet<&str> = reached.iter().filter(back).copied().collect();
            if ring.len() > 1 {
                rings.insert(ring);
            }
        }
        let mut rings: Vec<_> = rings.into_iter().collect();
        rings.sort_by_key(|ring| std::cmp::Reverse(ring.len()));
        rings
    }

    /// Every noun that is reachable along the arrows; itself too if it is in a ring.
    fn reach<'g>(&'g self, from: &'g str) -> BTreeSet<&'g str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(noun) = open.pop() {
            let next = self.arrows.get(noun).into_iter().flat_map(BTreeMap::keys);
            open.extend(next.map(String::as_str).filter(|noun| reached.insert(*noun)));
        }
        reached
    }

    /// The arrows inside a ring, with one place each.
    pub fn inside(&self, ring: &BTreeSet<&str>) -> Vec<String> {
        let from = self.arrows.iter().filter(|(from, _)| ring.contains(from.as_str()));
        let arrows = from.flat_map(|(from, to)| to.iter().map(move |(to, place)| (from, to, place)));
        let arrows = arrows.filter(|(_, to, _)| ring.contains(to.as_str()));
        arrows.map(|(from, to, place)| format!("{from} → {to}: {place}")).collect()
    }
}
