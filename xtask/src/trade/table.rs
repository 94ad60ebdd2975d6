//! Plain tables, and rows of figures that have to be equal.

use std::borrow::Cow;

/// A table of text; the first column is left-aligned, the others right-aligned.
pub fn print(head: &[&str], rows: &[Vec<String>]) {
    let columns = head.len();
    let mut widths: Vec<usize> = head.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut out = String::new();
        for (index, (cell, width)) in cells.zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) = if index == 0 { ("", gap.as_str()) } else { (gap.as_str(), "") };
            out.push_str(&format!("{before}{cell}{after}  "));
        }
        println!("{}", out.trim_end());
    };
    line(&mut head.iter().copied());
    println!("{}", "-".repeat(widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1)));
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
}

/// One figure as several parties know it; `None`: that party does not know it.
pub struct Row {
    name: Cow<'static, str>,
    values: Vec<Option<i64>>,
}

impl Row {
    pub fn new(name: impl Into<Cow<'static, str>>, values: impl Into<Vec<Option<i64>>>) -> Self {
        Self { name: name.into(), values: values.into() }
    }

    /// Whether at least two have it, and all of them agree.
    pub fn agrees(&self) -> bool {
        let mut known = self.values.iter().flatten();
        let first = known.next();
        let mut others = known.peekable();
        others.peek().is_some() && others.all(|value| Some(value) == first)
    }
}

pub fn print_comparison(parties: &[&str], rows: &[Row]) {
    let head: Vec<&str> = ["figure"].into_iter().chain(parties.iter().copied()).chain(["verdict"]).collect();
    let cells = |row: &Row| {
        let mut cells = vec![row.name.clone().into_owned()];
        cells.extend(row.values.iter().map(|value| value.map_or("-".to_owned(), |v| v.to_string())));
        cells.push(if row.agrees() { "agree" } else { "DIFFER" }.to_owned());
        cells
    };
    print(&head, &rows.iter().map(cells).collect::<Vec<_>>());
}

#[cfg(test)]
mod tests {
    use super::Row;

    #[test]
    fn a_row_agrees_only_when_two_say_the_same() {
        assert!(Row::new("x", [Some(1), None, Some(1)]).agrees());
        assert!(!Row::new("x", [Some(1), Some(2), Some(1)]).agrees());
        assert!(!Row::new("x", [Some(1), None, None]).agrees());
        assert!(!Row::new("x", [None, None]).agrees());
    }
}
