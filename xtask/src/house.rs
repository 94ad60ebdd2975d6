//! `house`: how simple the sources are to hold in mind, measured, beside what the plan aims at. A figure
//! that gets worse than its limit in `xtask/house.toml` fails.

mod cycles;
mod example;
mod figures;
mod folders;
mod lex;
mod limits;
mod paths;
mod shipped;
mod sources;
mod words;

#[cfg(test)]
mod tests;

use crate::workspace::root;
use figures::{Figure, Row};
use limits::Limits;

/// What `house` may be asked for.
#[derive(clap::Args, Default)]
pub struct Options {
    /// Also say where each figure comes from: the imports of a cycle, the places of a word
    #[arg(long)]
    list: bool,
    /// Write today's figures to xtask/house.toml as the limits
    #[arg(long)]
    write: bool,
}

/// Prints the table; true if no figure is worse than its limit.
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
    if options.write {
        limits::write(&root(), &worth_keeping(&figures))?;
    }
    let limits = limits::read(&root())?;
    println!();
    for figure in figures.iter().filter(|figure| figure.could_be_kept(&limits)) {
        println!(
            "better than its limit: {} is {}; `cargo xtask house --write` keeps it",
            figure.key, figure.value
        );
    }
    let worse: Vec<_> = figures.iter().filter(|figure| figure.value > figure.limit(&limits)).collect();
    for figure in &worse {
        let (limit, Figure { key, value, advice, .. }) = (figure.limit(&limits), figure);
        println!(
            "WORSE: {key} is {value}, its limit {limit}. {advice}. `cargo xtask house --list` says where; a limit \
             that has to rise is raised in xtask/house.toml, with the reason in the commit"
        );
    }
    Ok(worse.is_empty())
}

fn worth_keeping(figures: &[&Figure]) -> Limits {
    figures.iter().filter_map(|figure| Some((figure.key.clone(), figure.to_keep()?))).collect()
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
