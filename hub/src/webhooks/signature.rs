//! Signatures by the Standard Webhooks scheme, version 1: HMAC-SHA-256 over the ID, the time and the body of a message.

use crate::secret::Fingerprints;
use crate::table::webhooks::webhook::Salts;
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

const SECRET_PREFIX: &str = "whsec_";
const HINT_CHARS: usize = 4;

/// A secret that signs the messages of one webhook. It has no `Debug`, so that no log can contain it.
pub struct Secret([u8; 32]);

impl Secret {
    /// The secret of a salt. It is stored nowhere: it follows from the key file of the hub.
    pub fn derive(keys: &Fingerprints, webhook_id: &str, salt: &str) -> Self {
        Self(keys.bytes(&[b"webhook secret", webhook_id.as_bytes(), salt.as_bytes()]))
    }

    /// The text for the receiver, `whsec_…`.
    pub fn text(&self) -> String {
        format!("{SECRET_PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The last characters before the padding, by which people recognise it.
    pub fn hint(&self) -> String {
        let text = self.text();
        let text = text.trim_end_matches('=');
        text.get(text.len().saturating_sub(HINT_CHARS)..).unwrap_or_default().to_owned()
    }

    fn sign(&self, signed: &[&[u8]]) -> String {
        // HMAC takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        signed.iter().for_each(|part| mac.update(part));
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The secrets of a webhook that sign now.
pub struct Secrets(Vec<Secret>);

impl Secrets {
    pub fn of(keys: &Fingerprints, webhook_id: &str, salts: &Salts) -> Self {
        let salts = std::iter::once(&salts.current).chain(&salts.previous);
        Self(salts.map(|salt| Secret::derive(keys, webhook_id, salt)).collect())
    }

    /// The header `webhook-signature`: a signature of each secret.
    pub fn header(&self, message_id: &str, timestamp_s: i64, body: &[u8]) -> String {
        let timestamp = timestamp_s.to_string();
        let signed = [message_id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
        self.0.iter().map(|secret| secret.sign(&signed)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn a_message_is_signed_as_the_scheme_says() {
        // The example of the Standard Webhooks libraries.
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(br#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#);
        let expected = STANDARD.encode(mac.finalize().into_bytes());
        assert_eq!(expected, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let (one, other) = (Secret([7; 32]), Secret([8; 32]));
        let parts: [&[u8]; 3] = [b"evt_1.", b"1614265330.", b"{}"];
        let expected = format!("{} {}", one.sign(&parts), other.sign(&parts));
        assert_eq!(Secrets(vec![one, other]).header("evt_1", 1_614_265_330, b"{}"), expected);
    }

    #[test]
    fn a_secret_is_shown_as_the_scheme_says_and_recognised_by_its_end() {
        let secret = Secret([1; 32]);
        assert_eq!(secret.text(), "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=");
        assert_eq!(secret.hint(), "BAQE");
    }
}
