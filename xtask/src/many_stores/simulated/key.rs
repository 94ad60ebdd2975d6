//! The key of a store: it signs a token for each call, and hashes chain its records.

use anyhow::{Context, anyhow};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds that a token is good for.
const TOKEN_S: u64 = 300;
/// The name of a key: so much of its hash's text.
const NAME_CHARS: usize = 16;

pub struct Key {
    pair: Ed25519KeyPair,
    issued: AtomicU64,
}

impl Key {
    pub fn generate() -> anyhow::Result<Self> {
        let pair = Ed25519KeyPair::generate().map_err(|_| anyhow!("no key"))?;
        Ok(Self { pair, issued: AtomicU64::new(0) })
    }

    /// Its public half, as it is sent to the hub.
    pub fn public_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key())
    }

    /// A token for one call of the store.
    pub fn token(&self, store_id: &str, hub_id: &str) -> anyhow::Result<String> {
        let iat = now_s()?;
        let mut kid = URL_SAFE_NO_PAD.encode(digest(&SHA256, self.pair.public_key().as_ref()));
        kid.truncate(NAME_CHARS);
        let header = json!({"alg": "EdDSA", "typ": "JWT", "kid": kid});
        let issuer = format!("store-router:{store_id}");
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        let claims = json!({"iss": issuer, "sub": issuer, "aud": format!("cloud-hub:{hub_id}"), "typ": "sync",
            "jti": format!("tok_{iat}_{number}"), "iat": iat, "exp": iat.saturating_add(TOKEN_S)});
        let text = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", text(header), text(claims));
        let signature = URL_SAFE_NO_PAD.encode(self.pair.sign(signed.as_bytes()));
        Ok(format!("{signed}.{signature}"))
    }
}

#[expect(clippy::disallowed_methods, reason = "the hub holds a token against the clock of this machine")]
fn now_s() -> anyhow::Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH).context("the clock")?.as_secs())
}

/// The hash of a record that follows another.
pub fn chained(previous: &str, record: &str) -> String {
    let hash = digest(&SHA256, format!("{previous}{record}").as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
