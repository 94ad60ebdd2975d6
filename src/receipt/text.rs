//! A receipt for a thermal printer.

use super::{Layout, Part};

/// Characters in a line.
pub const COLUMNS: usize = 42;

/// The receipt as plain text, no line longer than [`COLUMNS`].
pub fn text(layout: &Layout) -> String {
    let mut out = String::new();
    for part in &layout.0 {
        for line in lines(part) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

fn lines(part: &Part) -> Vec<String> {
    match part {
        Part::Centre(text) => wrapped(text).iter().map(|line| centred(line)).collect(),
        Part::Mark(text) => vec![centred(&format!("*** {} ***", plain(text)))],
        Part::Line(text) => wrapped(text),
        Part::Figure(text, figure) | Part::Total(text, figure) => vec![figured(text, figure)],
        Part::Rule => vec!["-".repeat(COLUMNS)],
    }
}

/// Control characters would speak to the printer.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn wrapped(text: &str) -> Vec<String> {
    let characters: Vec<char> = plain(text).chars().collect();
    characters.chunks(COLUMNS).map(|line| line.iter().collect()).collect()
}

fn centred(text: &str) -> String {
    let room = COLUMNS.saturating_sub(text.chars().count());
    format!("{}{text}", " ".repeat(room / 2))
}

/// The text is cut before the figure is.
fn figured(text: &str, figure: &str) -> String {
    let figure: String = plain(figure).chars().take(COLUMNS).collect();
    let room = COLUMNS.saturating_sub(figure.chars().count());
    let text: String = plain(text).chars().take(room.saturating_sub(1)).collect();
    format!("{text:<room$}{figure}")
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, text};
    use crate::receipt::{Layout, Part};

    #[test]
    fn no_line_is_longer_than_the_paper_and_nothing_speaks_to_the_printer() {
        let long = "ä very long näme ".repeat(10);
        let layout = Layout(vec![
            Part::Centre(long.clone()),
            Part::Line(format!("{long}\u{1b}@\n")),
            Part::Figure(long.clone(), "1,000".to_owned()),
            Part::Total("TOTAL".to_owned(), long),
            Part::Mark("COPY".to_owned()),
            Part::Rule,
        ]);
        let printed = text(&layout);
        assert!(printed.lines().all(|line| line.chars().count() <= COLUMNS), "{printed}");
        assert!(!printed.contains('\u{1b}'));
        assert!(printed.lines().any(|line| line.ends_with(" 1,000")), "{printed}");
        assert!(printed.contains("*** COPY ***"));
    }
}
