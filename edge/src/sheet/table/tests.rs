#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use domain::model::base::currency::Currency;

const LAYOUT: Layout = Layout {
    required: &["sku", "qty"],
    optional: &["name"],
    figures: &["qty"],
    amounts: &[],
    currency: Currency::RUPIAH,
    rows_max: 3,
};

fn read(bytes: &[u8], encoding: Encoding) -> Result<Vec<(u64, String, i64)>, Problems> {
    let table = Table::open(bytes, encoding, LAYOUT)?;
    table.read(|cells| {
        let name = cells.text("name", 4)?.unwrap_or_default();
        Ok((cells.line(), name, cells.figure("qty", 0..=10_000_000)?.ok_or("qty is empty")?))
    })
}

#[test]
fn figures_are_read_by_their_column() {
    for (text, expected) in [
        ("sku;qty\nA;15.000\n", 15_000),
        ("sku,qty\nA,15000.0\n", 15_000),
        ("sku,qty\nA,\"4,250.00\"\n", 4_250),
        ("sku;qty\nA;Rp 15.000\n", 15_000),
        ("sku;qty\r\nA;\"15.000,00\"\r\n", 15_000),
        ("sku\tqty\tname\nA\t7\t\n\n\t\t\n", 7),
        ("SKU,Qty,,\nA,\u{a0}7,,\n", 7),
        ("sep=;\nsku;qty\nA;7\n", 7),
    ] {
        assert_eq!(read(text.as_bytes(), Encoding::Utf8).unwrap()[0].2, expected, "{text}");
    }
    assert!(read(b"sku,qty,name\nA,1,\"b\n", Encoding::Utf8).is_err(), "a quote without an end");
    for text in ["1.5", "-1", "1.234", "abc", "10000001", "1 CR", "=1"] {
        assert!(read(format!("sku,qty\nA,{text}\n").as_bytes(), Encoding::Utf8).is_err(), "{text}");
    }
}

#[test]
fn encodings_are_those_of_the_mark_or_as_declared() {
    let text = b"sku,qty,name\nA,1,Caf\xe9\n";
    assert_eq!(read(text, Encoding::Windows1252).unwrap()[0].1, "Caf\u{e9}");
    let problems = read(text, Encoding::Utf8).unwrap_err();
    assert!(problems.named[0].line == 2 && problems.named[0].problem.contains("CSV UTF-8"));
    let wide: Vec<u8> =
        "\u{feff}sku\tqty\tname\r\nA\t1\tCafe\u{301}\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&wide, Encoding::Utf8).unwrap(), [(2, "Caf\u{e9}".to_owned(), 1)]);
    assert!(read(b"sku,qty,name\nA,1,Cafes\n", Encoding::Utf8).is_err(), "five characters");
}

#[test]
fn a_wrong_header_is_refused_at_once() {
    let of = |text: &str| read(text.as_bytes(), Encoding::Utf8).unwrap_err().named[0].to_string();
    let unknown = of("sku,colour,qty,size\nA,1,2,3\n");
    assert!(unknown.starts_with("line 1: unknown columns \"colour\", \"size\""), "{unknown}");
    assert!(of("sku\nA\n").contains("\"qty\" is missing"));
    assert!(of("sku,qty,sku\nA,1,A\n").contains("\"sku\" appears twice"));
    assert!(of("").contains("empty") && of("sku,qty\n").contains("no rows"));
    assert!(of(&",".repeat(1_000_000)).contains("256 columns"));
}

#[test]
fn problems_are_bounded_and_counted() {
    let text = format!("sku,qty\n{}", "A,x\n".repeat(5_000));
    let layout = Layout { rows_max: 10_000, ..LAYOUT };
    let table = Table::open(text.as_bytes(), Encoding::Utf8, layout).unwrap();
    let problems = table.read(|cells| cells.figure("qty", 0..=1)).unwrap_err();
    assert_eq!((problems.named.len(), problems.count), (PROBLEMS_MAX, 5_000));
    let many = read("sku,qty\nA,1\nB,1\nC,1\nD,1\nE,1\n".as_bytes(), Encoding::Utf8).unwrap_err();
    assert_eq!((many.count, many.named[0].line), (1, 5));
}

#[test]
fn a_header_may_follow_what_a_program_writes_before_it() {
    let text = "Daftar Stok PT X\nTanggal: 20/11/2026\n\nsku;qty\nA;15\n";
    let rows = read(text.as_bytes(), Encoding::Utf8).unwrap();
    assert_eq!((rows[0].0, rows[0].2), (5, 15));
    let problems = read(text.replace("sku;qty", "sku;jumlah").as_bytes(), Encoding::Utf8).unwrap_err();
    assert_eq!(problems.named[0].line, 4, "the row that has most of the names");
}

#[test]
fn figures_are_in_one_currency() {
    let problems = read(b"sku;qty\nA;Rp 15000\nB;USD 20\nC;20\n", Encoding::Utf8).unwrap_err();
    assert_eq!(problems.count, 1);
    let said = problems.named[0].to_string();
    assert!(said.starts_with("line 3: qty \"USD 20\" is in USD, but line 2 is in IDR"), "{said}");
    let dollars = read(b"sku;qty\nA;$15\nB;USD 20\n", Encoding::Utf8);
    assert!(dollars.is_ok(), "{dollars:?}");
}

#[test]
fn a_quantity_is_whole_and_a_line_break_in_a_text_is_a_space() {
    let problems = read(b"sku;qty\nA;12,5\n", Encoding::Utf8).unwrap_err();
    let said = &problems.named[0].problem;
    assert!(said.ends_with("quantities are counted in whole pieces") && !said.contains("amounts"), "{said}");
    let text = b"sku,qty,name\nA,1,\"a \r\n b\"\n";
    assert_eq!(read(text, Encoding::Utf8).unwrap()[0].1, "a b");
}
