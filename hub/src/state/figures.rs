//! Figures of answers to changes: a change that leads to one above the largest is not made.

use crate::db::failure::too_large;
use domain::model::base::answer::Answer;
use edge::{ApiError, figures};

/// Looks through the answer of a change that is not made yet.
///
/// # Errors
/// 422 `validation_failed` for a figure above the largest.
pub fn check(answer: &Answer) -> Result<(), ApiError> {
    if figures::fit(&answer.body) { Ok(()) } else { Err(too_large()) }
}
