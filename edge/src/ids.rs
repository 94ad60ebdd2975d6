//! New identifiers: a three-letter prefix and a UUIDv7, so that they sort by the time of their making.

use uuid::Uuid;

/// A new identifier, for example `new("trx_")`.
#[allow(clippy::disallowed_methods, reason = "this is the one place that makes ids")]
pub fn new(prefix: &str) -> String {
    let mut buffer = Uuid::encode_buffer();
    let text = Uuid::now_v7().hyphenated().encode_lower(&mut buffer);
    [prefix, text].concat()
}

#[cfg(test)]
mod tests {
    use super::new;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_distinct_short_and_in_order() {
        let ids: Vec<String> = (0..10_000).map(|_| new("trx_")).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        assert!(
            ids.iter()
                .all(|id| id.starts_with("trx_") && id.len() <= domain::model::base::limits::ID_BYTES_MAX)
        );
    }
}
