#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
use super::*;
use crate::trade::books::Delivery;
use crate::trade::month::of_lines;
use crate::trade::plan::plan;
use store::Shift;

const LINES: [&str; 6] = [
    "1,A,LAMP,3,d,33.33,7,UK",
    "2,B,CUP,5,d,2.5,8,UK",
    "C3,A,LAMP,-1,d,33.33,7,UK",
    "4,B,CUP,2,d,2.4,7,UK",
    "C5,B,CUP,-1,d,9,7,UK",
    "C6,B,CUP,-1,d,2.4,7,UK",
];
const FLOAT: i64 = 5_000;

/// A month, and parties that all know it as it was.
struct Party {
    file: Books,
    tills: [Seen; 2],
    store: StoreSide,
    costs: Costs,
    hub: HubSide,
    refused: i64,
}

fn seen(file: &Books, names: &[&str], register: &str) -> Seen {
    let mut seen = Seen { opening_float: FLOAT, drawer: FLOAT, ..Seen::default() };
    for (number, name) in (1..).zip(names) {
        let account = file.documents[*name].clone();
        seen.drawer += account.cash();
        seen.receipts.insert(format!("id-{name}"), format!("S001-{register}-{number:08}"));
        seen.documents.insert((*name).to_owned(), account);
    }
    seen
}

fn summary(seen: &Seen) -> Shift {
    let mut account = Account::default();
    seen.documents.values().for_each(|document| account.add(document));
    Shift { account: shifts::summarised(account), expected_cash: seen.drawer }
}

fn party() -> Party {
    let month = of_lines(&LINES);
    let unit_costs = BTreeMap::from([("A".to_owned(), 50)]);
    let file = Books::of(&month, &plan(&month), &[Delivery { qty: 10, unit_costs, ..Delivery::default() }]);
    let costs = Costs { value: BTreeMap::from([("A".to_owned(), 400)]), ..Costs::default() };
    let tills = [seen(&file, &["1-1", "C3-1", "C5-1"], "a"), seen(&file, &["2-1", "4-1", "C6-1"], "b")];
    let store = StoreSide {
        whole: file.whole.clone(),
        shifts: ["a", "b"].into_iter().zip(&tills).map(|(id, seen)| (id.to_owned(), summary(seen))).collect(),
        expected_cash: tills.iter().map(|seen| seen.drawer).sum(),
        variance: 0,
        receipts: tills.iter().flat_map(|seen| seen.receipts.clone()).collect(),
        stock: file.stock.clone(),
        value: BTreeMap::from([("A".to_owned(), 400), ("B".to_owned(), 0)]),
        points: file.points.clone(),
    };
    let hub = HubSide { whole: file.whole.clone(), by_sku: file.by_sku.clone(), points: file.points.clone() };
    Party { file, tills, store, costs, hub, refused: 0 }
}

impl Party {
    fn verdict(&self) -> Verdict {
        let tills = ["a", "b"].into_iter().zip(&self.tills).collect();
        let Self { file, store, costs, hub, refused, .. } = self;
        Comparison { file, tills, store, costs, hub, refused: *refused }.verdict()
    }
}

#[test]
fn parties_that_know_the_same_agree() {
    let verdict = party().verdict();
    assert!(verdict.agrees() && verdict.differing.is_empty(), "{:?}", verdict.differing);
}

/// The broken figure, and the key that has to be named for it; no key if a row alone shows it.
type Case = (&'static str, fn(&mut Party), Option<&'static str>);

#[test]
fn the_wrong_side_is_found() {
    let cases: [Case; 22] = [
        ("a till's sale", |p| p.tills[0].documents.get_mut("1-1").unwrap().figures.tax += 1, Some("1-1 tax")),
        (
            "a till's points",
            |p| p.tills[0].documents.get_mut("C3-1").unwrap().figures.reversed -= 1,
            Some("C3-1 points taken back"),
        ),
        (
            "a till's refund in cash",
            |p| p.tills[1].documents.get_mut("C6-1").unwrap().went("card", 1),
            Some("C6-1 card refunds"),
        ),
        ("a return that no till saw", |p| drop(p.tills[0].documents.remove("C5-1")), Some("C5-1 returns")),
        ("a drawer", |p| p.tills[0].drawer -= 1, None),
        (
            "a receipt of nobody",
            |p| drop(p.store.receipts.insert("x".into(), "S001-a-00000004".into())),
            Some("x"),
        ),
        ("a receipt number twice", |p| twice(p), None),
        ("a refusal", |p| p.refused = 1, None),
        ("the store's refunds", |p| p.store.whole.figures.refunds += 1, None),
        ("the store's card refunds", |p| p.store.whole.went("card", 1), None),
        (
            "a shift's returns",
            |p| p.store.shifts.get_mut("a").unwrap().account.figures.returns -= 1,
            Some("a returns"),
        ),
        (
            "a shift's cash",
            |p| p.store.shifts.get_mut("b").unwrap().expected_cash += 1,
            Some("b expected cash"),
        ),
        (
            "a shift's methods",
            |p| p.store.shifts.get_mut("b").unwrap().account.went("qris", 1),
            Some("b qris refunds"),
        ),
        ("two shifts swapped", swap, Some("a total")),
        ("a variance", |p| p.store.variance = -1, None),
        ("the stock", |p| *p.store.stock.get_mut("A").unwrap() -= 1, Some("A")),
        ("the value", |p| *p.store.value.get_mut("A").unwrap() += 1, Some("A")),
        ("a cost", |p| p.costs.amiss.push("A: ret_1 moved 1".into()), Some("A")),
        ("the value of what has no cost", |p| *p.store.value.get_mut("B").unwrap() += 1, Some("B")),
        ("points at the store", |p| *p.store.points.get_mut("7").unwrap() += 1, Some("7")),
        ("points at the hub", |p| *p.hub.points.get_mut("8").unwrap() -= 1, Some("8")),
        ("a product at the hub", |p| p.hub.by_sku.get_mut("B").unwrap()[4] -= 1, Some("B")),
    ];
    for (what, breaks, key) in cases {
        let mut party = party();
        breaks(&mut party);
        let verdict = party.verdict();
        assert!(!verdict.agrees(), "{what}");
        if let Some(key) = key {
            let named =
                |keys: &Vec<String>| keys.iter().any(|reported| reported.starts_with(&format!("{key}: ")));
            assert!(verdict.differing.iter().any(|(_, keys)| named(keys)), "{what}: {:?}", verdict.differing);
        }
    }
}

fn twice(party: &mut Party) {
    for receipts in [&mut party.tills[0].receipts, &mut party.store.receipts] {
        receipts.insert("id-C3-1".into(), "S001-a-00000001".into());
    }
}

/// The sums of all shifts stay right.
fn swap(party: &mut Party) {
    let (a, b) = (party.store.shifts["a"].clone(), party.store.shifts["b"].clone());
    party.store.shifts.extend([("a".to_owned(), b), ("b".to_owned(), a)]);
}

/// Every figure of the file that is wrong by one is noticed.
#[test]
fn a_wrong_computation_is_found_out_figure_by_figure() {
    for place in 0..Figures::default().each().len() {
        let mut party = party();
        let broken = |figures: &mut Figures| {
            let (name, value) = figures.each().into_iter().nth(place).unwrap();
            *value += 1;
            name
        };
        let name = broken(&mut party.file.whole.figures);
        assert!(!party.verdict().agrees(), "the sum of {name}");
        let mut party = self::party();
        broken(&mut party.file.documents.get_mut("C3-1").unwrap().figures);
        let verdict = party.verdict();
        assert!(
            verdict.differing.iter().any(|(sort, _)| *sort == "figures of documents amiss"),
            "{name} of a document"
        );
    }
}

#[test]
fn gaps_and_doubles_are_counted_per_register() {
    let count = |list: &[&str]| gaps(list.iter().map(|text| (*text).to_owned()));
    assert_eq!(count(&["S-a-00000001", "S-b-00000001", "S-a-00000002"]), 0);
    assert_eq!(count(&["S-a-00000001", "S-a-00000003"]), 1);
    assert_eq!(count(&["S-a-00000001", "S-a-00000001"]), 1);
}

#[test]
fn a_difference_on_either_side_is_named() {
    let side = |list: &[(&str, i64)]| -> BTreeMap<String, i64> {
        list.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect()
    };
    assert!(differing(&side(&[("a", 1)]), &side(&[("a", 1)])).is_empty());
    let apart = differing(&side(&[("a", 1), ("b", 2)]), &side(&[("b", 3), ("c", 4)]));
    assert_eq!(apart, ["a: 1 / -", "b: 2 / 3", "c: - / 4"]);
}
