//! Forged, changed and expired tokens, and the files of their keys.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use domain::model::base::ids::SessionId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Role, User};
use edge::{
    keys::{KeyError, SigningKey, parse_public_key},
    tokens::{Keys, LEEWAY_S, TokenError, TokenKind, sync},
};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const ISSUER: &str = "store-router:S001";
const NOW: UtcMs = UtcMs(1_795_140_394_739);

fn user() -> User {
    User {
        user_id: "usr_1".into(),
        username: "ani".to_owned(),
        name: "Ani".to_owned(),
        role: Role::Cashier,
        store_id: "S001".into(),
        password_hash: None,
        times: FieldTimes::default(),
        token_version: 3,
        disabled: false,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn access(keys: &Keys) -> String {
    keys.issue_access(&user(), &SessionId("ses_1".into()), NOW).unwrap().token
}

fn in_seconds(seconds: i64) -> UtcMs {
    UtcMs(NOW.0 + seconds * 1000)
}

fn parts(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|part| BASE64.decode(part).unwrap());
    let mut next = || serde_json::from_slice(&parts.next().unwrap()).unwrap();
    (next(), next())
}

/// A folder with a key, which the tested keys and a forger who stole it share.
struct Shop {
    keys: Keys,
    pem: EncodingKey,
    _folder: tempfile::TempDir,
}

fn shop() -> Shop {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token.key");
    let keys = Keys::create(&path, ISSUER).unwrap();
    let pem = EncodingKey::from_ed_pem(&fs::read(&path).unwrap()).unwrap();
    Shop { keys, pem, _folder: folder }
}

impl Shop {
    fn signed(&self, header: &Value, claims: &Value) -> String {
        let header: Header = serde_json::from_value(header.clone()).unwrap();
        jsonwebtoken::encode(&header, claims, &self.pem).unwrap()
    }

    fn verdict(&self, token: &str) -> Result<(), TokenError> {
        self.keys.verify(token, TokenKind::Access, NOW).map(|_| ())
    }
}

#[test]
fn a_token_says_what_the_contract_lists() {
    let shop = shop();
    let session = SessionId("ses_1".into());
    let issued = shop.keys.issue_access(&user(), &session, NOW).unwrap();
    let (header, claims) = parts(&issued.token);
    assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("JWT")));
    assert_eq!(header["kid"].as_str().map(str::len), Some(16));
    let iat = NOW.0 / 1000;
    let expected = json!({
        "iss": ISSUER, "aud": ISSUER, "sub": "usr_1", "name": "Ani", "role": "cashier", "store_id": "S001",
        "jti": issued.jti, "sid": "ses_1", "ver": 3, "typ": "access", "iat": iat, "exp": iat + 3600,
    });
    assert_eq!(claims, expected);
    assert_eq!((issued.expires_in_s, issued.expires_at.0), (3600, (iat + 3600) * 1000));
    let refresh = shop.keys.issue_refresh(&user(), &session, NOW).unwrap();
    assert_eq!(refresh.expires_in_s, 7 * 24 * 3600);
    let claims = shop.keys.verify(&refresh.token, TokenKind::Refresh, NOW).unwrap();
    assert_eq!((claims.typ, claims.ver, claims.sid.as_str()), (TokenKind::Refresh, 3, "ses_1"));
    assert_ne!(claims.jti, issued.jti);
    let till = shop.keys.issue_till(&user(), &session, NOW).unwrap();
    assert_eq!(till.expires_in_s, 30 * 24 * 3600);
    let read =
        |kind, seconds| shop.keys.verify(&till.token, kind, in_seconds(seconds)).map(|claims| claims.ver);
    assert_eq!(read(TokenKind::Till, 30 * 24 * 3600 - 1), Ok(3));
    assert_eq!(read(TokenKind::Till, 30 * 24 * 3600 + LEEWAY_S), Err(TokenError::Expired));
    for kind in [TokenKind::Access, TokenKind::Refresh] {
        assert_eq!(read(kind, 0), Err(TokenError::Invalid), "a till token alone gives no access");
    }
}

#[test]
fn life_ends_at_exp_and_not_before_iat() {
    let shop = shop();
    let token = access(&shop.keys);
    let at = |seconds| shop.keys.verify(&token, TokenKind::Access, in_seconds(seconds)).map(|_| ());
    // Done twice: the second round uses the cache.
    for _ in 0..2 {
        assert_eq!(at(0), Ok(()));
        assert_eq!(at(3599), Ok(()));
        assert_eq!(at(3600 + LEEWAY_S), Err(TokenError::Expired));
        assert_eq!(at(1_000_000), Err(TokenError::Expired));
        assert_eq!(at(-LEEWAY_S), Ok(()));
        assert_eq!(at(-LEEWAY_S - 1), Err(TokenError::Invalid));
    }
}

#[test]
fn every_claim_is_required_and_checked() {
    let shop = shop();
    let (header, claims) = parts(&access(&shop.keys));
    assert_eq!(shop.verdict(&shop.signed(&header, &claims)), Ok(()));
    for claim in claims.as_object().unwrap().keys() {
        let mut without = claims.clone();
        without.as_object_mut().unwrap().remove(claim);
        assert_eq!(shop.verdict(&shop.signed(&header, &without)), Err(TokenError::Invalid), "no {claim}");
    }
    for (claim, value) in [
        ("iss", json!("store-router:S002")),
        ("iss", json!("cloud-hub:S001")),
        ("aud", json!("cloud-hub:H1")),
        ("aud", json!([ISSUER])),
        ("typ", json!("refresh")),
        ("typ", json!("sync")),
        ("role", json!("root")),
        ("exp", json!("never")),
        ("exp", json!(0)),
        ("iat", json!(i64::MAX)),
        ("ver", json!(-1)),
        ("sub", json!("")),
        ("jti", json!("")),
        ("sid", json!("")),
        ("nbf", json!(NOW.0 / 1000 + LEEWAY_S + 1)),
        ("nbf", json!("now")),
    ] {
        let mut altered = claims.clone();
        altered[claim] = value.clone();
        let verdict = shop.verdict(&shop.signed(&header, &altered));
        assert_eq!(verdict, Err(TokenError::Invalid), "{claim} = {value}");
    }
    let mut begun = claims.clone();
    begun["nbf"] = json!(NOW.0 / 1000);
    assert_eq!(shop.verdict(&shop.signed(&header, &begun)), Ok(()));
}

#[test]
fn the_header_chooses_nothing() {
    let shop = shop();
    let (header, claims) = parts(&access(&shop.keys));
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": BASE64.encode([1; 32])});
    for (field, value) in [
        ("kid", json!("other")),
        ("kid", json!("../../dev/null")),
        ("kid", json!("x".repeat(2000))),
        ("jwk", jwk),
        ("jku", json!("http://127.0.0.1/keys")),
        ("x5u", json!("http://127.0.0.1/cert")),
        ("x5c", json!(["AAAA"])),
        ("crit", json!(["exp"])),
    ] {
        let mut altered = header.clone();
        altered[field] = value;
        assert_eq!(shop.verdict(&shop.signed(&altered, &claims)), Err(TokenError::Invalid), "{field}");
    }
    let mut nameless = header.clone();
    nameless.as_object_mut().unwrap().remove("kid");
    assert_eq!(shop.verdict(&shop.signed(&nameless, &claims)), Err(TokenError::Invalid));
}

#[test]
fn no_other_algorithm_is_accepted() {
    let shop = shop();
    let token = access(&shop.keys);
    let (header, claims) = parts(&token);
    let public = SigningKey::load(&shop._folder.path().join("token.key")).unwrap().public_key();
    for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
        let mut forged = Header::new(algorithm);
        forged.kid = header["kid"].as_str().map(str::to_owned);
        for secret in [public.to_vec(), BASE64.encode(public).into_bytes(), Vec::new()] {
            let key = EncodingKey::from_secret(&secret);
            let token = jsonwebtoken::encode(&forged, &claims, &key).unwrap();
            assert_eq!(shop.verdict(&token), Err(TokenError::Invalid), "{algorithm:?}");
        }
    }
    let body = token.split('.').nth(1).unwrap();
    for alg in ["none", "None", "nOnE", "", "RS256", "ES256", "eddsa"] {
        let mut forged = header.clone();
        forged["alg"] = json!(alg);
        let head = BASE64.encode(forged.to_string());
        for signature in ["", "AA", token.rsplit('.').next().unwrap()] {
            let token = format!("{head}.{body}.{signature}");
            assert_eq!(shop.verdict(&token), Err(TokenError::Invalid), "{alg}");
        }
    }
}

#[test]
fn a_changed_or_foreign_token_is_invalid() {
    let shop = shop();
    let token = access(&shop.keys);
    for position in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        // The last characters of a base64 part may have bits without meaning; those are refused too.
        assert_eq!(shop.verdict(&changed), Err(TokenError::Invalid), "{position}");
    }
    let other = Keys::new(SigningKey::generate().unwrap(), ISSUER);
    assert_eq!(shop.verdict(&access(&other)), Err(TokenError::Invalid));
    for text in ["", ".", "..", "a.b", "a.b.c.d", &"x".repeat(100_000)] {
        assert_eq!(shop.verdict(text), Err(TokenError::Invalid));
    }
    assert_eq!(shop.verdict(&token), Ok(()));
}

#[test]
fn sync_tokens_prove_one_store_to_one_hub_for_minutes() {
    let key = SigningKey::generate().unwrap();
    let public = parse_public_key(&key.public_key_text()).unwrap();
    assert_eq!(public, key.public_key());
    let token = sync::issue(&key, "S001", "H1", NOW).unwrap();
    let (header, claims) = parts(&token);
    assert_eq!((&header["alg"], &claims["typ"]), (&json!("EdDSA"), &json!("sync")));
    assert_eq!((&claims["iss"], &claims["sub"]), (&json!(ISSUER), &json!(ISSUER)));
    assert_eq!(claims["aud"], "cloud-hub:H1");
    assert!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap() <= 300);
    let verify =
        |token: &str, public, store, hub, now| sync::verify(token, public, store, hub, now).map(|_| ());
    assert_eq!(sync::claimed_store(&token).unwrap(), "S001");
    assert_eq!(verify(&token, &public, "S001", "H1", NOW), Ok(()));
    let invalid = Err(TokenError::Invalid);
    assert_eq!(verify(&token, &public, "S002", "H1", NOW), invalid);
    assert_eq!(verify(&token, &public, "S001", "H2", NOW), invalid);
    assert_eq!(verify(&token, &public, "S001", "H1", in_seconds(400)), Err(TokenError::Expired));
    assert_eq!(verify(&token, &public, "S001", "H1", in_seconds(-60)), invalid);
    let other = SigningKey::generate().unwrap().public_key();
    assert_eq!(verify(&token, &other, "S001", "H1", NOW), invalid);
    assert_eq!(verify(&token, &[0; 32], "S001", "H1", NOW), invalid);
    let again = sync::issue(&key, "S001", "H1", NOW).unwrap();
    assert_ne!(parts(&again).1["jti"], claims["jti"]);
}

#[test]
fn a_sync_token_may_not_live_longer_or_speak_for_another() {
    let shop = shop();
    let path = shop._folder.path().join("token.key");
    let public = SigningKey::load(&path).unwrap().public_key();
    let token = sync::issue(&SigningKey::load(&path).unwrap(), "S001", "H1", NOW).unwrap();
    let (header, claims) = parts(&token);
    let verdict =
        |claims: &Value| sync::verify(&shop.signed(&header, claims), &public, "S001", "H1", NOW).map(|_| ());
    assert_eq!(verdict(&claims), Ok(()));
    let iat = claims["iat"].as_i64().unwrap();
    for (claim, value) in [
        ("exp", json!(iat + 301)),
        ("exp", json!(i64::MAX)),
        ("sub", json!("store-router:S002")),
        ("typ", json!("access")),
        ("jti", json!("")),
    ] {
        let mut altered = claims.clone();
        altered[claim] = value;
        assert_eq!(verdict(&altered), Err(TokenError::Invalid), "{claim}");
    }
    // A user's token of the same installation is not accepted, whatever key signed it.
    let user = access(&shop.keys);
    assert_eq!(sync::claimed_store(&user), Err(TokenError::Invalid));
}

#[test]
fn key_files_are_private_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token.key");
    let key = SigningKey::create(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert!(matches!(SigningKey::create(&path), Err(KeyError::Io { .. })));
    assert_eq!(SigningKey::load(&path).unwrap().public_key(), key.public_key());
    assert_eq!(SigningKey::load_or_create(&path).unwrap().kid(), key.kid());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    for loose in [0o640, 0o604, 0o620, 0o777] {
        fs::set_permissions(&path, fs::Permissions::from_mode(loose)).unwrap();
        let refused = SigningKey::load(&path).err().unwrap();
        assert!(matches!(refused, KeyError::Permissions { mode, .. } if mode == loose));
        assert!(refused.to_string().contains("chmod 600"));
    }
}

#[test]
fn a_file_that_is_no_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token.key");
    assert!(matches!(SigningKey::load(&path), Err(KeyError::Io { .. })));
    let pem = |inner: &str| format!("-----BEGIN PRIVATE KEY-----\n{inner}\n-----END PRIVATE KEY-----\n");
    for text in [String::new(), "nonsense".to_owned(), pem(""), pem("AAAA"), pem("!"), "x".repeat(10_000)] {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(SigningKey::load(&path), Err(KeyError::Format(_))));
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}
