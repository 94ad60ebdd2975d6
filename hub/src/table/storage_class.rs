//! The tables that are stored by store, and those that several stores share, by `hub/src/table/storage_class.txt`
//! (docs/scaling.md#classes-of-tables). `hub/tests/hub/operation/classes.rs` compares the schema with it.

const CLASSES: &str = include_str!("storage_class.txt");

/// The names of the tables of a class: `S` is stored with its store, `R` is shared.
pub fn tables(class: char) -> impl Iterator<Item = &'static str> {
    let of = CLASSES.lines().filter(move |line| line.starts_with(class));
    of.filter_map(|line| line.split_once(": ")).flat_map(|(_, tables)| tables.split(' '))
}
