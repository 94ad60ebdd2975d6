#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;

const HEADER: &str = "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost\n";

fn rows(text: &str) -> Vec<CatalogueRow> {
    super::read(text.as_bytes(), Encoding::Utf8, None, (ROWS_MAX, Currency::RUPIAH), UtcMs(1)).unwrap().rows
}

fn read(bytes: &[u8], now: UtcMs) -> Result<Vec<Product>, Problems> {
    let file = super::read(bytes, Encoding::Utf8, None, (ROWS_MAX, Currency::RUPIAH), now)?;
    Ok(file.rows.into_iter().map(|row| row.product).collect())
}

fn complaints(text: &str) -> Vec<String> {
    read(text.as_bytes(), UtcMs(1)).unwrap_err().named.iter().map(RowProblem::to_string).collect()
}

#[test]
fn reads_every_column_and_leaves_empty_ones_out() {
    let text = format!("{HEADER}A1,\"Tea, green\",1500,Drinks,8990001,5,0,900\nB2,Rice,20000,,,,,\n");
    let products = read(text.as_bytes(), UtcMs(7)).unwrap();
    assert_eq!(products.len(), 2);
    assert_eq!((products[0].name.as_str(), products[0].price), ("Tea, green", 1500.into()));
    assert_eq!(
        (products[0].tax_rate_bp, products[0].cost, products[0].reorder_level),
        (Some(0), Some(900.into()), Some(Quantity::new(5)))
    );
    assert_eq!(products[0].barcodes[0].code, "8990001");
    assert_eq!(
        (products[1].tax_rate_bp, products[1].cost, products[1].category.as_ref()),
        (None, None, None)
    );
    assert!(products[1].barcodes.is_empty());
    assert_eq!(products[1].updated_at, UtcMs(7));
}

#[test]
fn a_suppliers_file_has_semicolons_and_grouped_figures() {
    let text = "sku;name;price;category;barcode;reorder_level;tax_rate_bp;cost\n\
                A1;Tea, green;1.500;Drinks;8990001;5;;\"1.234,00\"\nB2;Rice;1.250.000,00;;;;;\n";
    let products = read(text.as_bytes(), UtcMs(7)).unwrap();
    assert_eq!(
        (products[0].name.as_str(), products[0].price, products[0].cost),
        ("Tea, green", 1_500.into(), Some(1_234.into()))
    );
    assert_eq!(products[1].price, 1_250_000);
    // As saved by spreadsheets: separators at the ends of lines, and rows of separators only.
    let ends = text.replace('\n', ";;\r\n") + ";;;;;;;;;\r\n\r\n";
    assert_eq!(read(ends.as_bytes(), UtcMs(7)).unwrap(), products);
    let found = complaints(&ends.replace("1.500", "1,500"));
    assert!(found[0].starts_with("line 2: price"), "{found:?}");
    let found = complaints(&text.replace("1.500", "1,500").replace("1.250.000,00", "12,50"));
    assert!(found[0].starts_with("line 2: price \"1,500\" may be 1500 or 1.500"), "{found:?}");
    assert!(found[1].starts_with("line 3: price \"12,50\" is not a whole number"), "{found:?}");
}

#[test]
fn a_list_of_names_and_prices_is_enough() {
    let rows = rows("Name;SKU;Price\nTea;A;1.500\n");
    let product = &rows[0].product;
    assert_eq!(
        (product.name.as_str(), product.price, rows[0].columns),
        ("Tea", 1_500.into(), FileColumns::default())
    );
}

#[test]
fn a_pack_has_a_code_and_pieces() {
    let header = "sku,name,price,tax_rate_bp,barcode,cost,pack_barcode,pack_qty\n";
    let text = format!("{header}A,Tea,5,,1,,24,12\nB,Rice,5,,,,,\nC,Oil,5,,,,6,6\n");
    let rows = rows(&text);
    let codes = |row: &CatalogueRow| {
        row.product.barcodes.iter().map(|one| (one.code.clone(), one.pack_qty.get())).collect::<Vec<_>>()
    };
    assert_eq!(codes(&rows[0]), [("1".to_owned(), 1), ("24".to_owned(), 12)]);
    assert_eq!((codes(&rows[1]).len(), codes(&rows[2])), (0, vec![("6".to_owned(), 6)]));
    let columns = FileColumns { tax_rate_bp: true, cost: true, ..FileColumns::default() };
    assert_eq!(rows[0].columns, columns);
    for bad in ["A,Tea,5,,,,24,\n", "A,Tea,5,,,,,12\n", "A,Tea,5,,,,24,1\n", "A,Tea,5,,24,,24,2\n"] {
        assert_eq!(complaints(&format!("{header}{bad}")).len(), 1, "{bad}");
    }
    let half = "sku,name,price,category,barcode,reorder_level,pack_qty\n";
    assert!(complaints(half)[0].contains(PACK_COLUMNS));
}

#[test]
fn every_bad_row_is_named_with_its_line() {
    let text = format!(
        "{HEADER},No sku,1,,,,,\nA,Good,1,,,,,\nA,Twice,1,,,,,\nB,\"two\nlines\",1,,,,,\nC,Text,abc,,,,,\n\
         D,Minus,-1,,,,,\nE,Short,1\nF,Rate,1,,,,10001,\nG,Huge,99999999999999999999,,,,,\nH,,1,,,,,\n\
         I,Code,1,,77,,,\nJ,Code,1,,77,,,\nK,None,,,,,,\nL,Off,1,,-,,,\nM,Off,1,,-,,,\nN,Short,1,,8.99E+12,,,\n"
    );
    let found = complaints(&text);
    let expected = [
        "line 2: sku is empty",
        "line 4: sku \"A\" is already in line 3",
        "line 7: price \"abc\" is not a whole number",
        "line 8: price \"-1\" is not a whole number",
        "line 9: has 3 cells, the header has 8",
        "line 10: tax_rate_bp \"10001\" is not a whole number",
        "line 11: price \"99999999999999999999\" is not",
        "line 12: name is empty",
        "line 14: barcode \"77\" is already in line 13",
        "line 15: price is empty",
        "line 18: barcode \"8.99E+12\" was shortened by a spreadsheet",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found} / {expected}");
    }
}

#[test]
fn bad_headers_and_bytes_are_named() {
    assert!(complaints("sku;colour\n")[0].starts_with("line 1: unknown column \"colour\""));
    assert!(complaints("sku,name\n")[0].starts_with("line 1: column \"price\" is missing"));
    assert!(complaints("")[0].starts_with("line 1: "));
    for bare in [HEADER.to_owned(), format!("{HEADER}\n,,,,,,,\n")] {
        assert!(complaints(&bare)[0].starts_with("line 1: the file has a header but no rows"), "{bare}");
    }
    let mut bytes = HEADER.as_bytes().to_vec();
    bytes.extend_from_slice(b"A,caf\xe9,1,,,,,\n");
    assert_eq!(
        read(&bytes[..], UtcMs(1)).unwrap_err().named[0].to_string(),
        "line 2: is not UTF-8: save the file as \"CSV UTF-8\", or set the encoding that it has"
    );
}

#[test]
fn one_item_is_not_imported_twice_and_codes_are_repaired() {
    let text = "sku,name,price,barcode\nX3,Formula,1,=\"8991234500119\"\nX4,Apostrophe,1,'8991234500126\n\
                X5,Float,1,8991234500133.0\nX6,Spaces,1,8991 2345 00140\nX7,No-break,1,8991234500157\u{a0}\n\
                X8,Check digit,1,8991234500165\nX11,Zero width,1,\u{200b}8991234500171\n'012,Sku,1,\n=\"013\",Sku,1,\n";
    let file =
        super::read(text.as_bytes(), Encoding::Utf8, None, (ROWS_MAX, Currency::RUPIAH), UtcMs(1)).unwrap();
    let codes: Vec<String> =
        file.rows.iter().flat_map(|row| &row.product.barcodes).map(|code| code.code.clone()).collect();
    let expected = ["119", "126", "133", "140", "157", "165", "171"].map(|end| format!("8991234500{end}"));
    assert_eq!(codes, expected);
    let skus: Vec<&str> = file.rows.iter().map(|row| row.product.sku.as_str()).collect();
    assert_eq!(&skus[7..], ["012", "013"]);
    assert_eq!(file.warnings.len(), 1);
    assert!(file.warnings[0].line == 7 && file.warnings[0].problem.contains("wrong check digit"));

    let header = "sku,name,price,barcode,pack_barcode,pack_qty\n";
    let twice = |rows: &str| complaints(&format!("{header}{rows}"));
    for rows in [
        "X9,Zero lost,1,36000291452,,\nX10,With its zero,1,036000291452,,\n",
        "A,UPC,1,036000291452,,\nB,EAN,1,0036000291452,,\n",
        "A,Piece,1,8991234500188,,\nB,GTIN,1,(01)08991234500188,,\n",
        "A,Tea,1,B,,\nB,Rice,1,,,\n",
        "B,Rice,1,,,\nA,Tea,1,B,,\n",
        "036000291452,Tea,1,,,\nB,Rice,1,0036000291452,,\n",
    ] {
        let found = twice(rows);
        let named = found.len() == 1 && found[0].contains("already") && found[0].ends_with("line 2");
        assert!(named, "{rows} {found:?}");
    }
    let fine = "8991234500188,Tea,1,8991234500188,18991234500185,12\n";
    assert!(read(format!("{header}{fine}").as_bytes(), UtcMs(1)).is_ok(), "a carton has another code");
}

#[test]
fn a_hundred_thousand_rows_and_a_byte_order_mark() {
    let mut text = format!("\u{feff}{HEADER}");
    for row in 0..100_000 {
        text.push_str(&format!("SKU{row},Product {row},{row},C,{row},1,,\n"));
    }
    assert_eq!(read(text.as_bytes(), UtcMs(1)).unwrap().len(), 100_000);
}

#[test]
fn sums_are_left_out_and_doubts_are_named() {
    let text = "sku;name;price;cost;tax_rate_bp\nB1;Teh;15.000;;11%\nB2;Kopi;20.000;;11 %\nSubtotal Minuman;;35.000;;\n\
                00123;Gula;1.000;;11,5%\n123;Garam;1.500;;11\nTOTAL;2 produk;35.000;;\nJumlah;1 produk;1.000;;\n\
                TOTAL-5W30;Oli;90.000;;0\n";
    let file =
        super::read(text.as_bytes(), Encoding::Utf8, None, (ROWS_MAX, Currency::RUPIAH), UtcMs(1)).unwrap();
    let rates: Vec<_> =
        file.rows.iter().map(|row| (row.product.sku.as_str(), row.product.tax_rate_bp)).collect();
    assert_eq!(
        rates,
        [
            ("B1", Some(1_100)),
            ("B2", Some(1_100)),
            ("00123", Some(1_150)),
            ("123", Some(11)),
            ("TOTAL-5W30", Some(0))
        ]
    );
    let warnings: Vec<String> = file.warnings.iter().map(RowProblem::to_string).collect();
    let expected = [
        "line 4: is a sum",
        "line 6: sku \"123\" differs from \"00123\" in line 5",
        "line 6: tax_rate_bp 11 is 0.11 %",
        "line 7: is a sum",
        "line 8: is a sum",
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.starts_with(expected), "{warning} / {expected}");
    }
    assert!(complaints("sku;name;price\nTotal;;35.000\n")[0].contains("no rows to import"));
    assert!(complaints("sku,name,price,tax_rate_bp\nA,Tea,1,101%\n")[0].contains("not a rate"));
}

#[test]
fn prices_are_in_one_currency_which_is_the_shops() {
    let found = complaints("sku,name,price\nP6,A,Rp 15000\nP7,B,USD 20\n");
    assert!(found.len() == 1 && found[0].starts_with("line 3: price \"USD 20\" is in USD"), "{found:?}");
    let found = complaints("sku,name,price,cost\nP8,A,Rp 15000,EUR 3\n");
    assert!(found.len() == 1 && found[0].starts_with("line 2: cost \"EUR 3\""), "{found:?}");
    let text = "sku,name,price\nP4,A,15\nP5,B,US$ 20\n";
    let file =
        super::read(text.as_bytes(), Encoding::Utf8, None, (ROWS_MAX, Currency::RUPIAH), UtcMs(1)).unwrap();
    assert!(file.check_currency("USD").is_ok());
    let problem = file.check_currency("IDR").unwrap_err().named[0].to_string();
    assert_eq!(problem, "line 3: has a figure in USD, but the shop's currency is IDR");
}

#[test]
fn a_broken_line_in_a_cell_is_a_space() {
    let text = "sku,name,price,category\nK2,\"Teh\nPagi\",1000,\"Minuman\nPanas\"\n";
    let product = &rows(text)[0].product;
    assert_eq!((product.name.as_str(), product.category.as_deref()), ("Teh Pagi", Some("Minuman Panas")));
}

#[test]
fn prices_have_the_decimals_of_the_shops_currency() {
    let read = |code: &str, text: &str| {
        let currency = Currency::of(code).unwrap();
        let file = super::read(text.as_bytes(), Encoding::Utf8, None, (ROWS_MAX, currency), UtcMs(1));
        file.map(|file| file.rows.iter().map(|row| row.product.price.get()).collect::<Vec<_>>())
            .map_err(|problems| problems.named[0].to_string())
    };
    for (code, prices, expected) in [
        ("EUR", "sku,name,price\nA,a,12.50\nB,b,3\nC,c,0.5\n", vec![1_250, 300, 50]),
        ("EUR", "sku;name;price\nA;a;1.234,56\nB;b;€ 2,00\n", vec![123_456, 200]),
        ("EUR", "sku,name,price\nA,a,\"1,250\"\nB,b,12.50\n", vec![125_000, 1_250]),
        ("KWD", "sku,name,price\nA,a,12.500\nB,b,0.250\nC,c,7\n", vec![12_500, 250, 7_000]),
        ("KWD", "sku,name,price\nA,a,12.500\nB,b,3.750\n", vec![12_500, 3_750]),
        ("KWD", "sku;name;price\nA;a;12,500\n", vec![12_500]),
        ("JPY", "sku,name,price\nA,a,1250.00\nB,b,\"12,500\"\n", vec![1_250, 12_500]),
    ] {
        assert_eq!(read(code, prices), Ok(expected), "{code} {prices}");
    }
    for (code, price, part) in [
        ("EUR", "12.505", "may be 12505 or 12.505"),
        ("EUR", "1.2345", "is not an amount from 0.00 to 10000000000.00 with at most 2 decimals"),
        ("EUR", "10000000000.01", "is not an amount from 0.00"),
        ("KWD", "1.2345", "with at most 3 decimals"),
        ("KWD", "\"12,500\"", "may be 12500 or 12.500"),
        ("JPY", "12.5", "amounts are whole units, without a fraction"),
    ] {
        let problem = read(code, &format!("sku,name,price\nA,a,{price}\n")).unwrap_err();
        assert!(problem.contains(part), "{code} {price}: {problem}");
    }
    let pieces = "sku,name,price,reorder_level\nA,a,12.500,1.5\n";
    assert!(read("KWD", pieces).unwrap_err().contains("quantities are counted in whole pieces"));
}
