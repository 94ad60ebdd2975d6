//! Devices that do not exist. Their IDs are a secret function of the name, so that the same question always gets the
//! same answer. They fill every list up to one length, so that neither number nor order reveals whether the name
//! exists.

use super::{PasskeyError, text_of};
use domain::rules::people::user::passkey::PASSKEYS_PER_USER_MAX;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Lengths of IDs that common devices give, in bytes.
const ID_BYTES: [usize; 8] = [16, 16, 20, 32, 32, 32, 48, 64];
/// A point of the curve: its generator.
const X: [u8; 32] = [
    0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77,
    0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
];
const Y: [u8; 32] = [
    0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
    0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
];

/// The made-up ID of the device with this number.
fn id(seed: &[u8; 32], number: u8) -> String {
    let part = |part: u8| Sha256::new().chain_update(seed).chain_update([number, part]).finalize();
    let bytes: Vec<u8> = [part(0), part(1)].concat();
    let pick = part(2).first().map_or(0, |byte| usize::from(byte & 7));
    let length = ID_BYTES.get(pick).copied().unwrap_or(32);
    text_of(bytes.get(..length).unwrap_or(&bytes))
}

/// Fills the list of allowed devices up to its one length, ordered by ID, and removes the transports: they would reveal
/// which devices are real.
pub fn fill(public_key: &mut Value, seed: &[u8; 32]) {
    let Some(allowed) = public_key.get_mut("allowCredentials").and_then(Value::as_array_mut) else { return };
    for credential in allowed.iter_mut().filter_map(Value::as_object_mut) {
        credential.remove("transports");
    }
    for number in (0..=u8::MAX).take(PASSKEYS_PER_USER_MAX) {
        let id = id(seed, number);
        if allowed.len() < PASSKEYS_PER_USER_MAX && !allowed.iter().any(|known| id_of(known) == Some(&id)) {
            allowed.push(json!({"type": "public-key", "id": id}));
        }
    }
    allowed.sort_by(|one, other| id_of(one).cmp(&id_of(other)));
}

fn id_of(credential: &Value) -> Option<&str> {
    credential.get("id")?.as_str()
}

/// The made-up device with this number. Its key is useless: the ceremony has no user.
pub fn passkey(seed: &[u8; 32], number: u8) -> Result<webauthn_rs::prelude::Passkey, PasskeyError> {
    let document = json!({"cred": {
        "cred_id": id(seed, number),
        "cred": {"type_": "ES256", "key": {"EC_EC2": {"curve": "SECP256R1", "x": text_of(&X), "y": text_of(&Y)}}},
        "counter": 0, "transports": null, "user_verified": true, "backup_eligible": false,
        "backup_state": false, "registration_policy": "required",
        "extensions": {"cred_protect": "Ignored", "hmac_create_secret": "NotRequested",
            "appid": "NotRequested", "cred_props": "Ignored"},
        "attestation": {"data": "None", "metadata": "None"}, "attestation_format": "none",
    }});
    serde_json::from_value(document).map_err(|error| PasskeyError::Stored(error.to_string()))
}
