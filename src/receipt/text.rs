//! A receipt for a thermal printer.

use super::{Layout, Part};

/// The receipt as plain text, no line longer than `columns` characters.
pub fn text(layout: &Layout, columns: usize) -> String {
    let mut out = String::new();
    for part in &layout.0 {
        for line in lines(part, columns) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

/// A part in lines of at most `columns` characters.
pub fn lines(part: &Part, columns: usize) -> Vec<String> {
    match part {
        Part::Centre(text) => wrapped(text, columns).iter().map(|line| centred(line, columns)).collect(),
        Part::Mark(text) => vec![centred(&format!("*** {} ***", plain(text)), columns)],
        Part::Line(text) => wrapped(text, columns),
        Part::Figure(text, figure) | Part::Total(text, figure) => vec![figured(text, figure, columns)],
        Part::Rule => vec!["-".repeat(columns)],
    }
}

/// Control characters would speak to the printer.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let characters: Vec<char> = plain(text).chars().collect();
    characters.chunks(columns.max(1)).map(|line| line.iter().collect()).collect()
}

fn centred(text: &str, columns: usize) -> String {
    let room = columns.saturating_sub(text.chars().count());
    format!("{}{text}", " ".repeat(room / 2))
}

/// The text is cut before the figure is.
fn figured(text: &str, figure: &str, columns: usize) -> String {
    let figure: String = plain(figure).chars().take(columns).collect();
    let room = columns.saturating_sub(figure.chars().count());
    let text: String = plain(text).chars().take(room.saturating_sub(1)).collect();
    format!("{text:<room$}{figure}")
}

#[cfg(test)]
mod tests {
    use super::text;
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
        for columns in [42, 32] {
            let printed = text(&layout, columns);
            assert!(printed.lines().all(|line| line.chars().count() <= columns), "{printed}");
            assert!(!printed.contains('\u{1b}'));
            assert!(printed.lines().any(|line| line.ends_with(" 1,000")), "{printed}");
            assert!(printed.contains("*** COPY ***"));
        }
    }
}
