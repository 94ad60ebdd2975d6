//! Checks that the amounts of a store are in the currency of head office.

use edge::ApiError;

/// Most characters of a currency that a refusal repeats.
const CHARS_MAX: usize = 8;

/// Refuses a store whose amounts are in another currency than those of head office.
///
/// # Errors
/// 422 with both currencies.
pub fn expect_currency(store_id: &str, own: &str, office: &str) -> Result<(), ApiError> {
    if own == office {
        return Ok(());
    }
    // The store's text becomes part of an alarm, so it is cut and cleaned.
    let own: String = own.chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect();
    let mut refused = ApiError::field("currency", format!("must be {office}, the currency of head office"));
    refused.message = format!(
        "the currency of {store_id} is {own}, but that of head office is {office}: set store.currency to {office} in the \
         store's config.toml. A store that has sold in {own} keeps it and belongs to a head office in {own}"
    );
    Err(refused)
}
