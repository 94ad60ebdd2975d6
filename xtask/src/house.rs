//! `house`: measures the structure of the sources. Import cycles, folders with too many entries, `#[path]` includes
//! and banned words in public names fail; the other figures are printed only.

mod cycles;
mod figures;
mod folders;
pub mod lex;
mod paths;
pub mod shipped;
pub mod sources;
mod words;

#[cfg(test)]
mod tests;

use crate::workspace::root;
use figures::{Figure, Row};

/// What `house` may be asked for.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Also list where each figure comes from: the imports of a cycle, the places of a word
    #[arg(long)]
    list: bool,
}

/// Prints the table; true if no figure is above its limit.
pub fn run(options: &Options) -> anyhow::Result<bool> {
    let rows = figures::measure(&root())?;
    print_table(&rows);
    let figures: Vec<&Figure> = rows.iter().flat_map(|row| &row.figures).collect();
    if options.list {
        for figure in &figures {
            println!("\n{}: {}", figure.key, figure.value);
            figure.places.iter().for_each(|place| println!("  {place}"));
        }
    }
    let above: Vec<_> = figures.iter().filter(|figure| figure.value > figure.limit).collect();
    for Figure { key, value, limit, advice, .. } in &above {
        println!(
            "\n{key} is {value}, above its limit of {limit}. {advice}. `cargo xtask house --list` lists the places"
        );
    }
    Ok(above.is_empty())
}

fn print_table(rows: &[Row]) {
    let head = ["measured", "at the start", "aim", "reached"].map(str::to_owned);
    let cells = rows.iter().map(|row| [&row.measured, &row.start, &row.aim, &row.reached].map(String::clone));
    let mut lines: Vec<[String; 4]> = vec![head];
    lines.extend(cells);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths = [0, 1, 2, 3].map(width);
    lines.insert(1, widths.map(|width| "-".repeat(width)));
    for line in &lines {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        println!("| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}
