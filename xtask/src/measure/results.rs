//! Measurements: the result of every round for each subject, with medians and ratios.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Figures by subject, one entry a round.
#[derive(Default)]
pub struct Results(BTreeMap<String, Vec<Value>>);

/// A figure of several rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

/// A subject, and where its figure is.
pub type At<'a> = (&'a str, &'a str);

impl Spread {
    fn of(mut figures: Vec<f64>) -> Option<Self> {
        figures.sort_unstable_by(f64::total_cmp);
        let (least, most) = (*figures.first()?, *figures.last()?);
        let middle = figures.len() / 2;
        let upper = *figures.get(middle)?;
        let lower = if figures.len().is_multiple_of(2) { *figures.get(middle - 1)? } else { upper };
        Some(Self { median: f64::midpoint(lower, upper), least, most })
    }

    pub fn times(self, factor: f64) -> Self {
        Self { median: self.median * factor, least: self.least * factor, most: self.most * factor }
    }
}

/// Percentiles of times in microseconds, by nearest rank.
pub fn percentiles(mut times: Vec<u64>) -> Value {
    times.sort_unstable();
    let rank = |per_mille: usize| {
        let place = (times.len() * per_mille).div_ceil(1_000).saturating_sub(1);
        times.get(place).copied().unwrap_or(0)
    };
    json!({"p50_us": rank(500), "p90_us": rank(900), "p99_us": rank(990), "p999_us": rank(999),
        "max_us": rank(1_000)})
}

/// The middle one of an odd number of figures.
pub fn middle(mut figures: Vec<u64>) -> u64 {
    figures.sort_unstable();
    figures.get(figures.len() / 2).copied().unwrap_or(0)
}

impl Results {
    /// Adds the result of a round.
    pub fn add(&mut self, subject: &str, figures: Value) {
        self.0.entry(subject.to_owned()).or_default().push(figures);
    }

    /// The last round's figure.
    pub fn last(&self, (subject, pointer): At) -> Option<f64> {
        self.0.get(subject)?.last()?.pointer(pointer)?.as_f64()
    }

    fn figures(&self, (subject, pointer): At) -> impl Iterator<Item = Option<f64>> {
        let rounds = self.0.get(subject).into_iter().flatten();
        rounds.map(move |round| round.pointer(pointer).and_then(Value::as_f64))
    }

    /// A figure of all rounds.
    pub fn spread(&self, at: At) -> Option<Spread> {
        Spread::of(self.figures(at).flatten().collect())
    }

    /// One figure against another of the same round: disturbances of the round affect both.
    pub fn ratio(&self, figure: At, limit: At) -> Option<Spread> {
        let pairs = self.figures(figure).zip(self.figures(limit));
        let ratio =
            |(figure, limit): (Option<f64>, Option<f64>)| Some(figure? / limit.filter(|of| *of > 0.0)?);
        Spread::of(pairs.filter_map(ratio).collect())
    }

    pub fn json(&self) -> Value {
        json!(self.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn ratios_are_of_the_same_round() {
        let mut results = Results::default();
        for (ours, theirs) in [(10.0, 5.0), (30.0, 10.0), (8.0, 2.0)] {
            results.add("ours", json!({"rate": ours}));
            results.add("theirs", json!({"rate": theirs}));
        }
        let ratio = results.ratio(("ours", "/rate"), ("theirs", "/rate")).unwrap();
        assert_eq!(ratio, Spread { median: 3.0, least: 2.0, most: 4.0 });
        assert_eq!(results.spread(("ours", "/rate")).unwrap().median, 10.0);
        assert_eq!(results.ratio(("ours", "/rate"), ("nobody", "/rate")), None);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_two() {
        assert_eq!(Spread::of(vec![1.0, 9.0, 3.0, 2.0]).unwrap().median, 2.5);
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
