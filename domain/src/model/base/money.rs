//! Money: minor currency units in signed 64-bit integers, computed in 128 bits.
//!
//! Products of two 64-bit figures can't overflow 128 bits; the operations saturate all the same, and a result outside
//! the range of [`FIGURE_MAX`] is refused before it is stored.

pub use crate::model::base::figures::half_up;
use crate::model::base::limits::FIGURE_MAX;
use crate::model::base::refusal::Refusal;

/// `⌊a × b / c⌋` for figures that are not below zero; `c` must be above 0.
pub fn share(a: impl Into<i64>, b: impl Into<i64>, c: impl Into<i64>) -> i128 {
    product(a, b).checked_div(i128::from(c.into())).unwrap_or(0)
}

/// `a × b` in 128 bits.
pub fn product(a: impl Into<i64>, b: impl Into<i64>) -> i128 {
    i128::from(a.into()).saturating_mul(i128::from(b.into()))
}

/// A computed figure as it may be stored.
///
/// # Errors
/// `validation_failed` at `path` for a figure beyond ±[`FIGURE_MAX`].
pub fn figure<F: From<i64>>(path: &str, value: i128) -> Result<F, Refusal> {
    match i64::try_from(value) {
        Ok(small) if (-FIGURE_MAX..=FIGURE_MAX).contains(&small) => Ok(small.into()),
        _ => Err(Refusal::field(path, format!("must not make a total above {FIGURE_MAX}"))),
    }
}

/// As [`figure`], for a figure in a list: the path is made only for a refusal.
///
/// # Errors
/// The errors of [`figure`].
pub fn figure_at<F: From<i64>>(path: impl FnOnce() -> String, value: i128) -> Result<F, Refusal> {
    figure("", value).or_else(|_| figure(&path(), value))
}

/// The sum of figures.
///
/// # Errors
/// The errors of [`figure`].
pub fn sum<F: From<i64> + Into<i128>>(path: &str, parts: impl IntoIterator<Item = F>) -> Result<F, Refusal> {
    let whole = parts.into_iter().fold(0_i128, |sum, part| sum.saturating_add(part.into()));
    figure(path, whole)
}

/// A figure of a report that is above the largest: it is shown as null.
pub const HIDDEN: i64 = i64::MAX;

/// The sum of figures of a report. A figure above the largest hides itself and the sums that contain it.
pub fn shown_sum<F: From<i64> + Into<i64>>(parts: impl IntoIterator<Item = F>) -> F {
    let add = |sum: i128, part: F| shown(part.into()).map(|part: i64| sum.saturating_add(i128::from(part)));
    let whole = parts.into_iter().try_fold(0_i128, add);
    whole.and_then(|whole| i64::try_from(whole).ok()).and_then(shown).unwrap_or(HIDDEN).into()
}

/// A figure as it is shown; `None` if it is above the largest.
pub fn shown<F: Copy + Into<i64>>(figure: F) -> Option<F> {
    Some(figure).filter(|figure| (-FIGURE_MAX..=FIGURE_MAX).contains(&(*figure).into()))
}

/// The sum of figures, limited to the largest figure. For commands that must not fail because of a sum, such as
/// closing a shift.
pub fn capped_sum<F: From<i64> + Into<i128>>(parts: impl IntoIterator<Item = F>) -> F {
    let whole = parts.into_iter().fold(0_i128, |sum, part| sum.saturating_add(part.into()));
    let most = i128::from(FIGURE_MAX);
    i64::try_from(whole.clamp(most.saturating_neg(), most)).unwrap_or(FIGURE_MAX).into()
}

/// Spreads `amount` over `weights` by largest remainder, ties to the lower place.
///
/// The parts add up to `amount`. Weights are not below zero; if all are 0, the first takes all.
pub fn spread<A: From<i64> + Into<i64>, W: Copy + Into<i64>>(amount: A, weights: &[W]) -> Vec<A> {
    let amount: i64 = amount.into();
    let weights: Vec<i64> = weights.iter().map(|weight| (*weight).into()).collect();
    let whole = weights.iter().fold(0_i128, |sum, weight| sum.saturating_add(i128::from(*weight)));
    if whole <= 0 {
        return (0..weights.len()).map(|place| A::from(if place == 0 { amount } else { 0 })).collect();
    }
    let exact = |weight: &i64| {
        let scaled = product(amount, *weight);
        (scaled.checked_div(whole).unwrap_or(0), scaled.checked_rem(whole).unwrap_or(0))
    };
    let (mut parts, remainders): (Vec<i128>, Vec<i128>) = weights.iter().map(exact).unzip();
    let given = parts.iter().fold(0_i128, |sum, part| sum.saturating_add(*part));
    let left = usize::try_from(i128::from(amount).saturating_sub(given)).unwrap_or(0);
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(remainders.get(*place).copied()));
    for place in order.into_iter().take(left) {
        if let Some(part) = parts.get_mut(place) {
            *part = part.saturating_add(1);
        }
    }
    // Each part is between 0 and `amount`.
    parts.into_iter().map(|part| i64::try_from(part).unwrap_or(amount).into()).collect()
}
