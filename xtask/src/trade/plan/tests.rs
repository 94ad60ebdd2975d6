#![allow(clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use crate::trade::month::of_lines;

/// Returns as: name, sale's name, the return before it, and (sold line, pieces) of each line.
type Reported = (String, Option<String>, Option<String>, Vec<(Option<usize>, i64)>);

fn backs(lines: &[&str]) -> Vec<Reported> {
    let steps = plan(&of_lines(lines));
    let name = |step: Option<usize>| step.map(|step| steps[step].name().to_owned());
    let reported = |step: &Step| match step {
        Step::Sale(_) => None,
        Step::Back(back) => Some((
            back.name.clone(),
            name(back.sale),
            name(back.after),
            back.lines.iter().map(|part| (part.sold_line, part.line.qty)).collect(),
        )),
    };
    steps.iter().filter_map(reported).collect()
}

fn reported(name: &str, sale: Option<&str>, after: Option<&str>, lines: &[(Option<usize>, i64)]) -> Reported {
    (name.into(), sale.map(Into::into), after.map(Into::into), lines.to_vec())
}

#[test]
fn a_return_finds_the_latest_sale_of_the_same_customer_sku_and_price() {
    let sold = ["1,A,LAMP,5,d,1,7,UK", "2,A,LAMP,5,d,1,7,UK", "3,A,LAMP,5,d,1,8,UK", "4,A,LAMP,5,d,2,7,UK"];
    let cases: [(&str, Option<&str>); 7] = [
        ("C9,A,LAMP,-5,d,1,7,UK", Some("2-1")),
        ("C9,A,LAMP,-5,d,1,8,UK", Some("3-1")),
        ("C9,A,LAMP,-5,d,2,7,UK", Some("4-1")),
        // More than any sale has, another price, no customer, another product.
        ("C9,A,LAMP,-6,d,1,7,UK", None),
        ("C9,A,LAMP,-1,d,3,7,UK", None),
        ("C9,A,LAMP,-1,d,1,,UK", None),
        ("C9,B,VASE,-1,d,1,7,UK", None),
    ];
    for (line, sale) in cases {
        let sold_line = sale.map(|_| 1);
        let qty = [6, 5].into_iter().find(|qty| line.contains(&format!("-{qty},"))).unwrap_or(1);
        let lines = [&sold[..], &[line]].concat();
        assert_eq!(backs(&lines), [reported("C9-1", sale, None, &[(sold_line, qty)])], "{line}");
    }
}

#[test]
fn nothing_comes_back_before_it_was_sold_or_twice() {
    let before = ["C1,A,LAMP,-1,d,1,7,UK", "2,A,LAMP,1,d,1,7,UK"];
    assert_eq!(backs(&before), [reported("C1-1", None, None, &[(None, 1)])]);
    let twice =
        ["1,A,LAMP,2,d,1,7,UK", "C2,A,LAMP,-1,d,1,7,UK", "C3,A,LAMP,-1,d,1,7,UK", "C4,A,LAMP,-1,d,1,7,UK"];
    let expected = [
        reported("C2-1", Some("1-1"), None, &[(Some(1), 1)]),
        reported("C3-1", Some("1-1"), Some("C2-1"), &[(Some(1), 1)]),
        reported("C4-1", None, None, &[(None, 1)]),
    ];
    assert_eq!(backs(&twice), expected);
}

#[test]
fn a_cancellation_is_split_by_sale_and_what_has_none_goes_apart() {
    let lines = [
        "1,A,LAMP,3,d,1,7,UK",
        "1,B,VASE,3,d,1,7,UK",
        "2,C,TRAY,3,d,1,7,UK",
        "C3,C,TRAY,-1,d,1,7,UK",
        "C3,B,VASE,-1,d,1,7,UK",
        "C3,D,CUP,-1,d,1,7,UK",
        "C3,B,VASE,-2,d,1,7,UK",
    ];
    let expected = [
        reported("C3-1", Some("1-1"), None, &[(Some(2), 3)]),
        reported("C3-2", Some("2-1"), None, &[(Some(1), 1)]),
        reported("C3-3", None, None, &[(None, 1)]),
    ];
    assert_eq!(backs(&lines), expected, "a line of the sale is named once");
}

#[test]
fn long_invoices_are_split_and_found_again_in_their_part() {
    let mut lines = vec!["7,A,LAMP,1,d,1,,UK"; 501];
    lines.push("7,B,VASE,1,d,1,,UK");
    lines.push("C8,B,VASE,-1,d,1,,UK");
    let steps = plan(&of_lines(&lines));
    let names: Vec<&str> = steps.iter().map(Step::name).collect();
    assert_eq!(names, ["7-1", "7-2", "C8-1"]);
    assert_eq!(backs(&lines), [reported("C8-1", Some("7-2"), None, &[(Some(2), 1)])]);
    let without = vec!["C8,B,VASE,-1,d,1,,UK"; 501];
    assert_eq!(backs(&without).iter().map(|back| back.3.len()).collect::<Vec<_>>(), [500, 1]);
}
