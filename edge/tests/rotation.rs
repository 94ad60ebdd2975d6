//! Rotation of keys: tokens of the old key stay valid until they expire, and no longer.

use domain::model::base::ids::SessionId;
use domain::model::base::time::UtcMs;
use domain::model::people::user::{FieldTimes, Role, User};
use edge::keys::{KeyError, RETIRED_MAX, SigningKey, rotate};
use edge::tokens::{Keys, REFRESH_TTL, TokenError, TokenKind};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const NOW: UtcMs = UtcMs(1_795_140_394_739);

struct Place {
    file: PathBuf,
    keys: Keys,
    _folder: tempfile::TempDir,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.pem");
    let keys = Keys::create(&file, "store-router:S001").unwrap();
    Place { file, keys, _folder: folder }
}

fn later(at: UtcMs, seconds: u64) -> UtcMs {
    UtcMs(at.0 + i64::try_from(seconds).unwrap() * 1000)
}

impl Place {
    fn refresh_token(&self, now: UtcMs) -> String {
        let user = User {
            user_id: "usr_1".into(),
            username: "ani".to_owned(),
            name: "Ani".to_owned(),
            role: Role::Cashier,
            store_id: "S001".into(),
            password_hash: None,
            times: FieldTimes::default(),
            token_version: 1,
            disabled: false,
            created_at: NOW,
            updated_at: NOW,
        };
        self.keys.issue_refresh(&user, &SessionId("ses_1".into()), now).unwrap().token
    }

    fn verdict(&self, token: &str, now: UtcMs) -> Result<(), TokenError> {
        self.keys.verify(token, TokenKind::Refresh, now).map(drop)
    }
}

#[test]
fn tokens_of_the_key_before_live_to_their_end_and_new_ones_have_the_new_key() {
    let place = place();
    let old = place.refresh_token(NOW);
    let private = fs::read_to_string(&place.file).unwrap();
    let new = rotate(&place.file, Some(REFRESH_TTL), later(NOW, 60)).unwrap();
    // Nothing changes before the file is reloaded.
    let between = place.refresh_token(later(NOW, 60));
    place.keys.reload().unwrap();
    let fresh = place.refresh_token(later(NOW, 60));
    assert_eq!(jsonwebtoken::decode_header(&fresh).unwrap().kid.unwrap(), new.kid());
    assert_ne!(jsonwebtoken::decode_header(&old).unwrap().kid.unwrap(), new.kid());
    let life = REFRESH_TTL.as_secs();
    for token in [&old, &between, &fresh] {
        assert_eq!(place.verdict(token, later(NOW, life - 1)), Ok(()));
    }
    assert_eq!(place.verdict(&old, later(NOW, life + 30)), Err(TokenError::Expired));
    // After the overlap the old key verifies no tokens, whatever their expiry is.
    let reread = Keys::load(&place.file, "store-router:S001").unwrap();
    let late = reread.verify(&old, TokenKind::Refresh, later(NOW, life + 60)).map(drop);
    assert_eq!(late, Err(TokenError::Invalid));
    let kept = fs::read_to_string(&place.file).unwrap();
    let secret = private.lines().nth(1).unwrap();
    assert!(!kept.contains(secret), "the private key is deleted");
    assert_eq!(fs::metadata(&place.file).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn a_key_that_somebody_else_may_have_is_dead_at_once() {
    let place = place();
    let old = place.refresh_token(NOW);
    place.verdict(&old, NOW).unwrap();
    rotate(&place.file, None, NOW).unwrap();
    place.keys.reload().unwrap();
    assert_eq!(place.verdict(&old, NOW), Err(TokenError::Invalid), "also a token that was verified before");
    assert_eq!(place.verdict(&place.refresh_token(NOW), NOW), Ok(()));
}

#[test]
fn several_keys_overlap_and_their_number_is_bounded() {
    let place = place();
    let mut tokens = vec![place.refresh_token(NOW)];
    for _ in 0..2 * RETIRED_MAX {
        rotate(&place.file, Some(REFRESH_TTL), NOW).unwrap();
        place.keys.reload().unwrap();
        tokens.push(place.refresh_token(NOW));
    }
    let good = tokens.iter().rev().take_while(|token| place.verdict(token, NOW).is_ok()).count();
    assert_eq!(good, RETIRED_MAX + 1);
    assert_eq!(SigningKey::load(&place.file).unwrap().retired().len(), RETIRED_MAX);
    // Keys whose tokens have all expired are removed by the next change.
    let after = later(NOW, REFRESH_TTL.as_secs());
    assert_eq!(rotate(&place.file, Some(REFRESH_TTL), after).unwrap().retired().len(), 1);
}

#[test]
fn a_file_that_can_not_be_read_changes_nothing() {
    let place = place();
    let old = place.refresh_token(NOW);
    let whole = fs::read_to_string(&place.file).unwrap();
    for line in ["retired", "retired AAAA until 5", "retired x until y", "until 5", "\u{0}"] {
        fs::write(&place.file, format!("{whole}{line}\n")).unwrap();
        assert!(matches!(place.keys.reload(), Err(KeyError::Format(_))), "{line:?}");
        assert!(matches!(rotate(&place.file, None, NOW), Err(KeyError::Format(_))), "{line:?}");
    }
    fs::write(&place.file, &whole).unwrap();
    fs::set_permissions(&place.file, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(place.keys.reload(), Err(KeyError::Permissions { .. })));
    assert_eq!(place.verdict(&old, NOW), Ok(()));
}
