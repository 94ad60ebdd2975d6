//! Members as a CSV file: `name,phone,email,code,birth_date`. The members' own rules judge the rows.

use domain::model::base::currency::Currency;
use domain::rules::people::member::{MEMBER_ROWS_MAX, MemberRow, NewMember};
use edge::sheet::{Cells, Encoding, Layout, Problems, Table};
use jiff::civil::Date;

const LAYOUT: Layout = Layout {
    required: &["name"],
    optional: &["phone", "email", "code", "birth_date"],
    figures: &[],
    amounts: &[],
    currency: Currency::RUPIAH,
    rows_max: MEMBER_ROWS_MAX,
};
/// The longest cell, in characters. How long each may be is judged with everything else.
const CELL_CHARS_MAX: usize = 1_000;

/// Reads the whole file, columns in any order.
///
/// # Errors
/// Every invalid row, with its line; or the header.
pub fn read(bytes: &[u8], encoding: Encoding) -> Result<Vec<MemberRow>, Problems> {
    Table::open(bytes, encoding, LAYOUT)?.read(row)
}

fn row(cells: &Cells<'_>) -> Result<MemberRow, String> {
    let text = |name| cells.text(name, CELL_CHARS_MAX);
    let birth_date = text("birth_date")?.map(|text| text.parse::<Date>()).transpose();
    let problem = birth_date.is_err().then(|| "birth_date must be YYYY-MM-DD".to_owned());
    let birth_date = birth_date.unwrap_or_default();
    let member = NewMember {
        name: text("name")?.unwrap_or_default(),
        phone: text("phone")?,
        email: text("email")?,
        birth_date,
        code: cells.sku("code")?,
    };
    Ok(MemberRow { line: cells.line(), member, problem })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<MemberRow>, Problems> {
        super::read(text, Encoding::Utf8)
    }

    #[test]
    fn reads_rows_in_any_order_of_columns() {
        let rows = read("phone,NAME,birth_date\n0812, Siti ,1990-04-21\n,Tini,\n".as_bytes()).unwrap();
        assert_eq!((rows[0].line, rows[0].member.name.as_str()), (2, "Siti"));
        assert_eq!(rows[0].member.phone.as_deref(), Some("0812"));
        assert_eq!(rows[0].member.birth_date.unwrap().to_string(), "1990-04-21");
        assert_eq!((&rows[1].member.phone, rows[1].member.birth_date), (&None, None));
    }

    #[test]
    fn every_bad_row_is_named() {
        let problems = read("name,birth_date\nA,1990-04-21\nB\n".as_bytes()).unwrap_err();
        let lines: Vec<u64> = problems.named.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3], "{problems:?}");
        // A date is judged with everything else that a member may have wrong.
        let rows = read("name,birth_date\nA,x\nB,1990-04-21\nC,1990-02-30\n".as_bytes()).unwrap();
        let wrong: Vec<u64> = rows.iter().filter(|row| row.problem.is_some()).map(|row| row.line).collect();
        assert_eq!(wrong, [2, 4], "{rows:?}");
        for header in ["", "phone\n", "name,colour\n", "name,name\n", "name\n"] {
            assert_eq!(read(header.as_bytes()).unwrap_err().named[0].line, 1, "{header}");
        }
    }
}
