//! Weak public keys. Under a point of small order one signature fits any message, and a point in another than its
//! canonical form duplicates another key.

use super::PUBLIC_KEY_BYTES;

/// The field's prime, 2^255 − 19, as a key is written: least byte first.
const PRIME: [u8; PUBLIC_KEY_BYTES] = {
    let mut bytes = [0xff; PUBLIC_KEY_BYTES];
    (bytes[0], bytes[31]) = (0xed, 0x7f);
    bytes
};
/// The second coordinates of the eight points of small order, without the sign of the first.
const SMALL_ORDER: [[u8; PUBLIC_KEY_BYTES]; 5] = [
    [0; PUBLIC_KEY_BYTES],
    {
        let mut one = [0; PUBLIC_KEY_BYTES];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = PRIME;
        minus_one[0] = 0xec;
        minus_one
    },
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// Whether a raw Ed25519 key is of small order or not canonical.
pub(super) fn is_weak(key: &[u8; PUBLIC_KEY_BYTES]) -> bool {
    let mut second = *key;
    if let Some(last) = second.last_mut() {
        *last &= 0x7f;
    }
    let canonical = second.iter().rev().lt(PRIME.iter().rev());
    !canonical || SMALL_ORDER.contains(&second)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::super::{SigningKey, URL_SAFE_NO_PAD, parse_public_key};
    use super::*;
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
    use base64::Engine;

    #[test]
    fn keys_under_which_anybody_can_sign_are_invalid() {
        let sign = |mut key: [u8; PUBLIC_KEY_BYTES]| {
            *key.last_mut().unwrap() |= 0x80;
            key
        };
        for key in SMALL_ORDER.into_iter().chain([PRIME, [0xff; PUBLIC_KEY_BYTES]]) {
            for key in [key, sign(key)] {
                assert_eq!(parse_public_key(&URL_SAFE_NO_PAD.encode(key)), None, "{key:02x?}");
            }
        }
        // The library does not look: with the neutral element as key and as the signature's point, and 0 for the
        // rest, every message is signed.
        let neutral = SMALL_ORDER.get(1).unwrap();
        let signature = [neutral.as_slice(), &[0; 32]].concat();
        assert!(UnparsedPublicKey::new(&ED25519, neutral).verify(b"anything", &signature).is_ok());
        for _ in 0..20 {
            let key = SigningKey::generate().unwrap();
            assert_eq!(parse_public_key(&key.public_key_text()), Some(key.public_key()));
        }
    }
}
