//! The edge's readers of what strangers send as fuzz targets, which also run for a moment in the normal
//! suite. Built with the feature `fuzz` only: no part of what is shipped.

use crate::{
    hosts,
    keys::SigningKey,
    product_csv, request,
    router::headers,
    tokens::{Keys, TokenKind, sync},
};
use domain::time::UtcMs;
use http::{HeaderMap, HeaderValue, Uri, Version};

/// The hour at which tokens are read.
const NOW: UtcMs = UtcMs(1_790_000_000_000);

/// No bytes are a token of a key that signed nothing.
pub fn token(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(key) = SigningKey::generate() else { return };
    let public = key.public_key();
    let keys = Keys::new(key, "store-router:S001");
    for kind in [TokenKind::Access, TokenKind::Refresh] {
        assert!(keys.verify(text, kind, NOW).is_err(), "a token out of nothing");
    }
    let _ = sync::claimed_store(text);
    assert!(sync::verify(text, &public, "S001", "H001", NOW).is_err(), "a sync token out of nothing");
}

/// Header values: what is taken over is within its rule.
pub fn header(bytes: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(bytes) else { return };
    let mut map = HeaderMap::new();
    for name in ["idempotency-key", "x-register-id", "authorization", "host", "transfer-encoding"] {
        map.insert(name, value.clone());
    }
    if let Ok(Some(key)) = headers::idempotency_key(&map) {
        assert!((1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic()));
    }
    if let Ok(Some(register)) = headers::register_id(&map) {
        assert!((1..=32).contains(&register.0.len()));
    }
    let _ = headers::bearer(&map);
    let _ = headers::framing(&map);
    let _ = headers::request_id(&map);
    let _ = hosts::check(Version::HTTP_11, &Uri::default(), &map, &[], &[]);
}

/// A catalogue: all of it or none, and no row without a name of its own.
pub fn csv(bytes: &[u8]) {
    if let Ok(products) = product_csv::read(bytes, NOW) {
        assert!(products.iter().all(|product| !product.sku.as_str().is_empty()));
    }
}

/// A JSON body of any shape.
pub fn json(bytes: &[u8]) {
    let _ = request::json::parse::<serde_json::Value>(bytes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn random_bytes_break_nothing(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
            super::token(&bytes);
            super::header(&bytes);
            super::csv(&bytes);
            super::json(&bytes);
        }

        #[test]
        fn nor_do_texts_that_look_right(
            token in "[A-Za-z0-9_-]{0,80}\\.[A-Za-z0-9_-]{0,120}\\.[A-Za-z0-9_-]{0,90}",
            value in "[ -~]{0,300}",
            rows in "sku,name,price,category,barcode,reorder_level\n([A-Za-z0-9,\"\n.-]{0,200})",
            body in r#"[\[\]{}:,"0-9eE.+\\-]{0,200}"#,
        ) {
            super::token(token.as_bytes());
            super::header(value.as_bytes());
            super::csv(rows.as_bytes());
            super::json(body.as_bytes());
        }
    }
}
