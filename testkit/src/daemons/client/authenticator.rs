//! A software authenticator: answers a challenge as a browser with a device does, or as a thief would.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const CREDENTIAL_DATA: u8 = 0x40;
/// The beginning of an attestation of no kind: `{"fmt": "none", "attStmt": {}, "authData": …`.
const NO_ATTESTATION: &[u8] = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59";
/// A COSE key of ES256 up to its coordinates.
const COSE_ES256: &[u8] = b"\xa5\x01\x02\x03\x26\x20\x01";

/// A device with one key for one user at one relying party.
#[derive(Debug)]
pub struct Authenticator {
    key: EcdsaKeyPair,
    id: Vec<u8>,
    user: Vec<u8>,
    /// The origin of its browser.
    pub origin: String,
    pub rp_id: String,
    /// The counter, or `None` for a device without one.
    pub counter: Option<u32>,
    pub verifies_user: bool,
    pub user_is_present: bool,
}

impl Authenticator {
    /// A new device in a browser at `origin`.
    pub fn new(origin: &str, counter: Option<u32>) -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let id = key.public_key().as_ref()[1..33].to_vec();
        let host = origin.split("://").nth(1).unwrap().split(':').next().unwrap().to_owned();
        Self {
            key,
            id,
            user: Vec::new(),
            origin: origin.to_owned(),
            rp_id: host,
            counter,
            verifies_user: true,
            user_is_present: true,
        }
    }

    /// Its ID as the service knows it.
    pub fn credential_id(&self) -> String {
        text(&self.id)
    }

    /// Answers creation options.
    pub fn register(&mut self, public_key: &Value) -> Value {
        self.user = bytes(&public_key["user"]["id"]);
        let mut data = self.authenticator_data(CREDENTIAL_DATA);
        data.extend_from_slice(&[0; 16]);
        data.extend_from_slice(&u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend_from_slice(&self.id);
        let point = self.key.public_key().as_ref();
        data.extend_from_slice(COSE_ES256);
        for (label, coordinate) in [(0x21, &point[1..33]), (0x22, &point[33..65])] {
            data.extend_from_slice(&[label, 0x58, 32]);
            data.extend_from_slice(coordinate);
        }
        let mut attestation = NO_ATTESTATION.to_vec();
        attestation.extend_from_slice(&u16::try_from(data.len()).unwrap().to_be_bytes());
        attestation.extend_from_slice(&data);
        let client = self.client_data("webauthn.create", &public_key["challenge"]);
        json!({
            "id": text(&self.id), "rawId": text(&self.id), "type": "public-key",
            "response": {"attestationObject": text(&attestation), "clientDataJSON": text(&client)},
            "clientExtensionResults": {},
        })
    }

    /// Answers request options.
    pub fn assert(&mut self, public_key: &Value) -> Value {
        self.counter = self.counter.map(|counter| counter + 1);
        self.assert_again(public_key, "webauthn.get")
    }

    /// Answers without counting, as a copy of the device does, or for another ceremony.
    pub fn assert_again(&self, public_key: &Value, kind: &str) -> Value {
        let data = self.authenticator_data(0);
        let client = self.client_data(kind, &public_key["challenge"]);
        let mut signed = data.clone();
        signed.extend_from_slice(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &client).as_ref());
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "id": text(&self.id), "rawId": text(&self.id), "type": "public-key",
            "response": {
                "authenticatorData": text(&data), "clientDataJSON": text(&client),
                "signature": text(signature.as_ref()), "userHandle": text(&self.user),
            },
            "clientExtensionResults": {},
        })
    }

    fn authenticator_data(&self, more: u8) -> Vec<u8> {
        let present = if self.user_is_present { USER_PRESENT } else { 0 };
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, self.rp_id.as_bytes());
        let mut data = digest.as_ref().to_vec();
        data.push(present | verified | more);
        data.extend_from_slice(&self.counter.unwrap_or_default().to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
            .into_bytes()
    }
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn bytes(text: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text.as_str().unwrap()).unwrap()
}
