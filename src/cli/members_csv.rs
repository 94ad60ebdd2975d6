//! Members as a CSV file: `name,phone,email,code,birth_date`. What a row means is judged by the members'
//! own rules.

use csv::StringRecord;
use domain::rules::people::member::{MEMBER_ROWS_MAX, MemberRow, NewMember};
use edge::csv::input;
use edge::product_csv::{RowProblem, all_good};
use std::io;

const COLUMNS: [&str; 5] = ["name", "phone", "email", "code", "birth_date"];

/// Where each column stands; only the first has to be there.
type Places = [Option<usize>; 5];

/// Reads the whole file, columns in any order.
///
/// # Errors
/// Every row that is none, with its line; or the header.
pub fn read(input: impl io::Read) -> Result<Vec<MemberRow>, Vec<RowProblem>> {
    let (_, mut reader) = input::open(input);
    let header = reader.headers().map_err(|error| input::unreadable(&error)).and_then(places);
    let (places, width) = header.map_err(|problem| vec![RowProblem { line: 1, problem }])?;
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for record in reader.records().filter(|record| !record.as_ref().is_ok_and(input::is_blank)) {
        // A row that is not UTF-8 or not CSV says where it begins.
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            RowProblem { line, problem: input::unreadable(&error) }
        });
        match record.and_then(|record| row(&record, places, width)) {
            Ok(row) if rows.len() >= MEMBER_ROWS_MAX => {
                let problem = format!("more than {MEMBER_ROWS_MAX} rows: split the file");
                problems.push(RowProblem { line: row.line, problem });
                break;
            }
            Ok(row) => rows.push(row),
            Err(problem) => problems.push(problem),
        }
    }
    all_good(rows, problems)
}

fn places(header: &StringRecord) -> Result<(Places, usize), String> {
    let expected = || format!("the columns must be of {}, and name is needed", COLUMNS.join(","));
    let names = input::columns(header);
    let places = COLUMNS.map(|column| names.iter().position(|name| name == column));
    let known = places.iter().flatten().count();
    let [name, ..] = places;
    if name.is_some() && known == names.len() { Ok((places, known)) } else { Err(expected()) }
}

fn row(record: &StringRecord, places: Places, width: usize) -> Result<MemberRow, RowProblem> {
    let line = record.position().map_or(0, csv::Position::line);
    let bad = |problem: String| RowProblem { line, problem };
    input::fits(record, width).map_err(bad)?;
    let [name, phone, email, code, birth_date] = places.map(|place| {
        place.and_then(|place| record.get(place)).filter(|text| !text.is_empty()).map(str::to_owned)
    });
    let birth_date = birth_date
        .map(|text| text.parse().map_err(|_| bad("birth_date must be YYYY-MM-DD".to_owned())))
        .transpose()?;
    let member = NewMember { name: name.unwrap_or_default(), phone, email, birth_date, code };
    Ok(MemberRow { line, member })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

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
        let problems = read("name,birth_date\nA,x\nB\nC,1990-02-30\n".as_bytes()).unwrap_err();
        let lines: Vec<u64> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 3, 4], "{problems:?}");
        for header in ["", "phone\n", "name,colour\n", "name,name\n", "name\n"] {
            assert_eq!(read(header.as_bytes()).unwrap_err()[0].line, 1, "{header}");
        }
    }
}
