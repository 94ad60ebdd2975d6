//! The edge's readers of untrusted input as fuzz targets, which also run briefly in the normal suite. Built with the
//! feature `fuzz` only, so they are not part of a release.

use crate::api::request::{self, headers};
use crate::credentials::keys::SigningKey;
use crate::credentials::passkeys::{Passkeys, Purpose};
use crate::credentials::tokens::{Keys, TokenKind, sync};
use crate::product_csv;
use crate::server::hosts;
use crate::sheet::Encoding;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::model::base::currency::Currency;
use domain::model::base::ids::{SessionId, StoreId, UserId};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Role, User};
use http::{HeaderMap, HeaderValue, Uri, Version};
use serde_json::{Value, json};
use std::net::IpAddr;

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

/// Header values: accepted ones satisfy their rule.
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

/// A catalogue: all of it or nothing, and no row without a name of its own.
pub fn csv(bytes: &[u8]) {
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Windows1252] {
        let Ok(file) =
            product_csv::read(bytes, encoding, None, (product_csv::ROWS_MAX, Currency::RUPIAH), NOW)
        else {
            continue;
        };
        assert!(file.rows.iter().all(|row| !row.product.sku.as_str().is_empty()));
    }
}

/// A JSON body of any shape.
pub fn json(bytes: &[u8]) {
    let _ = request::json::parse::<serde_json::Value>(bytes);
}

/// A device's answer: nothing registers or logs in that answers no question of ours.
pub fn webauthn(bytes: &[u8]) {
    let Ok(passkeys) = Passkeys::new("https://shop.example", 443) else { return };
    let (address, session) = (IpAddr::from([127, 0, 0, 1]), SessionId("ses_1".to_owned()));
    let user = User {
        user_id: UserId("usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f".to_owned()),
        username: "ani".to_owned(),
        name: "Ani".to_owned(),
        role: Role::Cashier,
        store_id: StoreId("S001".to_owned()),
        password_hash: None,
        times: FieldTimes::default(),
        token_version: 1,
        disabled: false,
        created_at: NOW,
        updated_at: NOW,
    };
    for credential in credentials(bytes) {
        if let Ok(begun) = passkeys.begin_registration(&user, &session, &[], address, NOW) {
            let ended = passkeys.end_registration(&begun.ceremony_id, &session, "x", credential.clone(), NOW);
            assert!(ended.is_err(), "a device out of nothing");
        }
        if let Ok(begun) = passkeys.begin_assertion(Purpose::LogIn, None, &[7; 32], address, NOW) {
            let taken = passkeys.take_assertion(&begun.ceremony_id, &Purpose::LogIn, credential, NOW);
            assert!(taken.and_then(|taken| passkeys.prove(&taken, &[])).is_err(), "a log-in out of nothing");
        }
    }
}

/// The bytes as JSON, if they are, and as the binary fields of answers that are whole otherwise.
fn credentials(bytes: &[u8]) -> Vec<Value> {
    let text = URL_SAFE_NO_PAD.encode(bytes);
    let client = URL_SAFE_NO_PAD
        .encode(r#"{"type":"webauthn.create","challenge":"AA","origin":"https://shop.example"}"#);
    let answer = |response: Value| json!({"id": text, "rawId": text, "type": "public-key", "response": response, "extensions": {}});
    let mut all = vec![
        answer(json!({"attestationObject": text, "clientDataJSON": client})),
        answer(json!({"attestationObject": text, "clientDataJSON": text})),
        answer(
            json!({"authenticatorData": text, "clientDataJSON": client, "signature": text, "userHandle": text}),
        ),
        answer(
            json!({"authenticatorData": text, "clientDataJSON": text, "signature": text, "userHandle": null}),
        ),
    ];
    all.extend(request::json::parse::<Value>(bytes));
    all
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
            super::webauthn(&bytes);
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
