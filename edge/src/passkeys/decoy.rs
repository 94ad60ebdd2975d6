//! A device of somebody who is not there: its id is a secret function of the name, so that the same
//! question always gets the same answer, and its key is one that opens nothing.

use super::{PasskeyError, text_of};
use serde_json::json;

/// Lengths of ids that common devices give.
const ID_BYTES: [usize; 4] = [16, 20, 32, 32];
/// A point of the curve: its generator.
const X: [u8; 32] = [
    0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77,
    0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
];
const Y: [u8; 32] = [
    0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
    0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
];

/// The device that `seed` makes up.
pub fn passkey(seed: &[u8; 32]) -> Result<webauthn_rs::prelude::Passkey, PasskeyError> {
    let pick = seed.last().map_or(0, |byte| usize::from(byte & 3));
    let length = ID_BYTES.get(pick).copied().unwrap_or(32);
    let id = text_of(seed.get(..length).unwrap_or(seed));
    let document = json!({"cred": {
        "cred_id": id,
        "cred": {"type_": "ES256", "key": {"EC_EC2": {"curve": "SECP256R1", "x": text_of(&X), "y": text_of(&Y)}}},
        "counter": 0, "transports": null, "user_verified": true, "backup_eligible": false,
        "backup_state": false, "registration_policy": "required",
        "extensions": {"cred_protect": "Ignored", "hmac_create_secret": "NotRequested",
            "appid": "NotRequested", "cred_props": "Ignored"},
        "attestation": {"data": "None", "metadata": "None"}, "attestation_format": "none",
    }});
    serde_json::from_value(document).map_err(|error| PasskeyError::Stored(error.to_string()))
}
