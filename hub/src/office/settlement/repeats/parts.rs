//! A payment that a bank reports in one line in one file and by its parts in another.

use crate::office::settlement::repeats::alike::Line;
use crate::office::settlement::repeats::{Known, Repeat};
use domain::model::base::figures::Money;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Most lines of a day that are looked for in parts.
const WHOLES_MAX: usize = 200;
/// Fewest parts of a line.
const PARTS_MIN: usize = 2;

/// Positions of lines, and their amounts.
type Amounts = Vec<(usize, Money)>;

/// Adds the lines that are parts of a known line of their day, or the sum of several.
pub(super) fn find(
    (own, found): (&BTreeMap<usize, Line>, &mut BTreeMap<usize, Repeat>),
    (known, used): (&[Known], &mut BTreeSet<usize>),
) {
    let mut days: BTreeMap<Date, (Amounts, Amounts)> = BTreeMap::new();
    for (place, line) in own.iter().filter(|(place, _)| !found.contains_key(place)) {
        days.entry(line.date).or_default().0.extend(line.net.map(|net| (*place, net)));
    }
    for (at, known) in known.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        if let Some((_, of_day)) = days.get_mut(&known.line.date) {
            of_day.extend(known.line.net.map(|net| (at, net)));
        }
    }
    for (mut new, mut before) in days.into_values() {
        for (at, sum) in before.clone().into_iter().take(WHOLES_MAX) {
            let Some(known) = known.get(at) else { continue };
            let parts = taken(&mut new, sum);
            for place in &parts {
                let problem =
                    format!("is one of {} lines that add up to the line {}", parts.len(), known.line_id);
                found.insert(*place, Repeat::of(known, problem));
            }
            if !parts.is_empty() {
                used.insert(at);
                before.retain(|(other, _)| *other != at);
            }
        }
        let mut statements: BTreeMap<&str, Vec<(usize, Money)>> = BTreeMap::new();
        for (at, net) in before {
            if let Some(known) = known.get(at) {
                statements.entry(known.statement_id.as_str()).or_default().push((at, net));
            }
        }
        for (place, sum) in new.into_iter().take(WHOLES_MAX) {
            let mut parts = statements.values_mut().map(|lines| taken(lines, sum));
            let Some(parts) = parts.find(|parts| !parts.is_empty()) else { continue };
            if let Some(first) = parts.first().and_then(|at| known.get(*at)) {
                let (count, id) = (parts.len(), &first.line_id);
                let problem =
                    format!("is the sum of {count} lines of an earlier statement, the first of them {id}");
                found.insert(place, Repeat::of(first, problem));
                used.extend(parts);
            }
        }
    }
}

/// Takes the lines next to one another that add up to a sum. None if there are no such lines.
fn taken(lines: &mut Vec<(usize, Money)>, sum: Money) -> Vec<usize> {
    match run(lines, sum) {
        Some(run) => lines.drain(run).map(|(place, _)| place).collect(),
        None => Vec::new(),
    }
}

/// The places of lines next to one another that add up to a sum.
fn run(lines: &[(usize, Money)], sum: Money) -> Option<Range<usize>> {
    if sum == 0 || lines.len() < PARTS_MIN {
        return None;
    }
    let (mut total, mut ends) = (Money::ZERO, HashMap::from([(Money::ZERO, 0_usize)]));
    for (at, (_, net)) in lines.iter().enumerate() {
        total = total.saturating_add(*net);
        let end = at.saturating_add(1);
        let start = ends.get(&total.saturating_sub(sum)).copied();
        if let Some(start) = start.filter(|start| end.saturating_sub(*start) >= PARTS_MIN) {
            return Some(start..end);
        }
        ends.entry(total).or_insert(end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_next_to_one_another_add_up() {
        let run = |nets: &[i64], sum| {
            let nets: Vec<_> = nets.iter().map(|net| Money::new(*net)).enumerate().collect();
            super::run(&nets, Money::new(sum))
        };
        for (nets, sum, found) in [
            (&[150_000, 175_000, 125_000][..], 450_000, Some(0..3)),
            (&[90_000, 150_000, 175_000, 125_000, 7][..], 450_000, Some(1..4)),
            (&[150, 175, -25, -4][..], 296, Some(0..4)),
            (&[450_000][..], 450_000, None),
            (&[450_000, 1][..], 450_000, None),
            (&[150_000, 1, 300_000][..], 450_000, None),
            (&[5, -5][..], 0, None),
        ] {
            assert_eq!(run(nets, sum), found, "{nets:?}");
        }
    }

    #[test]
    fn a_batch_and_its_payments_are_the_same_money_in_either_order() {
        let line = |net: i64| Line {
            date: jiff::civil::date(2026, 11, 19),
            reference: String::new(),
            keys: Vec::new(),
            description: String::new(),
            store_ref: None,
            gross: None,
            net: Some(net.into()),
        };
        let repeats_of = |new: &[i64], before: &[i64]| {
            let own = new.iter().map(|net| line(*net)).enumerate().collect();
            let known = |(at, net): (usize, &i64)| Known {
                line_id: format!("sln_{at}"),
                statement_id: "stm_1".to_owned(),
                line: line(*net),
            };
            let known: Vec<Known> = before.iter().enumerate().map(known).collect();
            let mut found = BTreeMap::new();
            find((&own, &mut found), (&known, &mut BTreeSet::new()));
            found.into_iter().map(|(place, repeat)| (place, repeat.line_id)).collect::<Vec<_>>()
        };
        let id = |place, id: &str| (place, id.to_owned());
        let parts = [150_000, 175_000, 125_000, 1_000];
        assert_eq!(repeats_of(&parts, &[7, 450_000]), [id(0, "sln_1"), id(1, "sln_1"), id(2, "sln_1")]);
        assert_eq!(repeats_of(&[1_000, 450_000], &[7, 150_000, 175_000, 125_000]), [id(1, "sln_1")]);
        assert_eq!(repeats_of(&parts, &[450_001]), []);
    }
}
