//! A receipt for a thermal printer.

use super::{Layout, Part};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The receipt as plain text, no line wider than `columns`.
pub fn text(layout: &Layout, columns: usize) -> String {
    let mut out = String::new();
    let mut put = |line: &str| {
        out.push_str(line.trim_end());
        out.push('\n');
    };
    for part in &layout.0 {
        // Letters of one size can't be larger: the total is between two lines.
        let around = matches!(part, Part::Total(..)).then(|| "=".repeat(columns));
        around.iter().for_each(|line| put(line));
        lines(part, columns).iter().for_each(|line| put(line));
        around.iter().for_each(|line| put(line));
    }
    out
}

/// A part in lines of at most `columns`; a wide character takes two of them.
pub fn lines(part: &Part, columns: usize) -> Vec<String> {
    match part {
        Part::Centre(text) => wrapped(text, columns).iter().map(|line| centred(line, columns)).collect(),
        Part::Mark(text) => {
            let marked = wrapped(&format!("*** {} ***", plain(text)), columns);
            marked.iter().map(|line| centred(line, columns)).collect()
        }
        Part::Line(text) => wrapped(text, columns),
        Part::Figure(text, figure) | Part::Total(text, figure) => figured(text, figure, columns),
        Part::Rule => vec!["-".repeat(columns)],
    }
}

/// Control characters would speak to the printer.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text in lines of at most `columns`.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0_usize);
    for c in plain(text).chars() {
        let width = c.width().unwrap_or(0);
        if used.saturating_add(width) > columns && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        line.push(c);
        used = used.saturating_add(width);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

fn centred(text: &str, columns: usize) -> String {
    let room = columns.saturating_sub(text.width());
    format!("{}{text}", " ".repeat(room / 2))
}

/// A text at the left and a figure at the right, in one line if both fit, otherwise in separate lines. A figure is
/// never cut.
pub fn figured(text: &str, figure: &str, columns: usize) -> Vec<String> {
    let (text, figure) = (plain(text), plain(figure));
    let both = text.width().saturating_add(figure.width()).saturating_add(1);
    if both <= columns || text.is_empty() || figure.is_empty() {
        let room = columns.saturating_sub(text.width()).saturating_sub(figure.width());
        let line = format!("{text}{}{figure}", " ".repeat(room));
        return if line.width() <= columns { vec![line] } else { wrapped(&line, columns) };
    }
    let mut lines = wrapped(&text, columns);
    let last = lines.last().map_or(0, |line| line.width());
    if let Some(line) = lines.last_mut().filter(|_| last.saturating_add(figure.width()) < columns) {
        let room = columns.saturating_sub(last).saturating_sub(figure.width());
        line.push_str(&" ".repeat(room));
        line.push_str(&figure);
        return lines;
    }
    lines.extend(wrapped(&figure, columns).iter().map(|line| {
        let room = columns.saturating_sub(line.width());
        format!("{}{line}", " ".repeat(room))
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::receipt::{Layout, Part};
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn no_line_is_wider_than_the_paper_and_nothing_speaks_to_the_printer() {
        let long = "ä very long näme 奶茶 大杯 ".repeat(10);
        let layout = Layout(vec![
            Part::Centre(long.clone()),
            Part::Line(format!("{long}\u{1b}@\n")),
            Part::Line("茶".repeat(40)),
            Part::Figure(long.clone(), "1,000".to_owned()),
            Part::Total("TOTAL".to_owned(), long.clone()),
            Part::Mark(long),
            Part::Mark("COPY".to_owned()),
            Part::Rule,
        ]);
        for columns in [42, 32] {
            let printed = text(&layout, columns);
            assert!(printed.lines().all(|line| line.width() <= columns), "{printed}");
            assert!(!printed.contains('\u{1b}'));
            assert!(printed.lines().any(|line| line.ends_with(" 1,000")), "{printed}");
            assert!(printed.contains("*** COPY ***"));
            assert!(printed.contains(&format!("{}\nTOTAL", "=".repeat(columns))), "{printed}");
        }
    }

    #[test]
    fn no_figure_is_cut() {
        let wide = "9,007,199,254,740,991";
        for (left, right) in [
            ("  1,000,000 x 8,000,000,000", "8,000,000,000,000,000"),
            ("a reason that is as long as the paper is wide, and more", wide),
            ("", "a figure that is wider than the paper: 9,007,199,254,740,991"),
        ] {
            for columns in [42, 32, 20] {
                let printed = text(&Layout(vec![Part::Figure(left.to_owned(), right.to_owned())]), columns);
                let all: String = printed.split_whitespace().collect();
                let expected: String = format!("{left}{right}").split_whitespace().collect();
                assert_eq!(all, expected, "{columns} columns: {printed}");
                assert!(printed.lines().all(|line| line.width() <= columns), "{printed}");
            }
        }
    }
}
