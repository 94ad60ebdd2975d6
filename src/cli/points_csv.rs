//! Opening points as a CSV file: `points`, and `phone`, `email` or `code` of the member; `name` is for the reader.

use domain::model::base::currency::Currency;
use domain::model::base::limits::FIGURE_MAX;
use domain::rules::people::points::{POINTS_ROWS_MAX, PointsRow};
use edge::sheet::{Encoding, Layout, Problems, Table};

const LAYOUT: Layout = Layout {
    required: &["points"],
    optional: &["phone", "email", "code", "name"],
    figures: &["points"],
    amounts: &[],
    currency: Currency::RUPIAH,
    rows_max: POINTS_ROWS_MAX,
};
/// The longest cell, in characters.
const CELL_CHARS_MAX: usize = 1_000;

/// Reads the whole file, columns in any order.
///
/// # Errors
/// Every invalid row, with its line; or the header.
pub fn read(bytes: &[u8], encoding: Encoding) -> Result<Vec<PointsRow>, Problems> {
    Table::open(bytes, encoding, LAYOUT)?.read(|cells| {
        Ok(PointsRow {
            line: cells.line(),
            phone: cells.text("phone", CELL_CHARS_MAX)?,
            email: cells.text("email", CELL_CHARS_MAX)?,
            code: cells.sku("code")?,
            // Limits of figures are checked with everything else. A cell without a figure is refused together with
            // those.
            points: cells
                .figure("points", i64::MIN..=i64::MAX)
                .or_else(|_| cells.figure("points", 1..=FIGURE_MAX))?
                .ok_or("points is empty")?
                .into(),
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn reads_rows_and_names_bad_ones() {
        let rows =
            read("name;points;phone\nSiti;1.500;0812\nTini;20;0813\n".as_bytes(), Encoding::Utf8).unwrap();
        assert_eq!(
            (rows[0].points.get(), rows[0].phone.as_deref(), &rows[0].code),
            (1_500, Some("0812"), &None)
        );
        let problems = read("points,code\n1,C1\n,C2\n1.5,C3\n".as_bytes(), Encoding::Utf8).unwrap_err();
        let lines: Vec<u64> = problems.named.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 4], "{problems:?}");
        let problems = read("points,code\n99999999999999999999,C1\n".as_bytes(), Encoding::Utf8).unwrap_err();
        let range = format!("from 1 to {FIGURE_MAX}");
        assert!(problems.named[0].problem.contains(&range), "{problems:?}");
    }
}
