//! Ceremonies with a software authenticator, honest and not.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

use super::*;
use domain::model::base::ids::StoreId;
use domain::model::people::user::Role;
use domain::rules::people::user::passkey::PASSKEYS_PER_USER_MAX;
use serde_json::json;
use std::net::Ipv4Addr;
use testkit::client::authenticator::Authenticator;

const ORIGIN: &str = "https://shop.example:8443";
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const NOW: UtcMs = UtcMs(1_795_140_394_739);

fn ani() -> User {
    User {
        user_id: UserId("usr_1".into()),
        username: "ani@shop.example".into(),
        name: "Ani".into(),
        role: Role::Cashier,
        store_id: StoreId("S001".into()),
        password_hash: None,
        times: domain::model::people::user::FieldTimes::default(),
        token_version: 1,
        disabled: false,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn session(id: &str) -> SessionId {
    SessionId(id.into())
}

fn registered(party: &Passkeys, device: &mut Authenticator) -> Passkey {
    let begun = party.begin_registration(&ani(), &session("s"), &[], HERE, NOW).unwrap();
    let credential = device.register(&begun.public_key);
    party.end_registration(&begun.ceremony_id, &session("s"), " Till 1 ", credential, NOW).unwrap()
}

fn begin(party: &Passkeys, passkey: &Passkey) -> Begun {
    let known = std::slice::from_ref(passkey);
    party.begin_assertion(Purpose::LogIn, Some((&ani(), known)), &[7; 32], HERE, NOW).unwrap()
}

fn prove(
    party: &Passkeys,
    begun: &Begun,
    credential: Value,
    known: &Passkey,
) -> Result<Assertion, PasskeyError> {
    let taken = party.take_assertion(&begun.ceremony_id, &Purpose::LogIn, credential, NOW)?;
    party.prove(&taken, std::slice::from_ref(known))
}

#[test]
fn a_device_is_registered_and_logs_in_with_a_rising_counter() {
    let party = Passkeys::new(ORIGIN, 0).unwrap();
    let mut device = Authenticator::new(ORIGIN, Some(3));
    let begun = party.begin_registration(&ani(), &session("s"), &[], HERE, NOW).unwrap();
    assert_eq!(begun.public_key["authenticatorSelection"]["userVerification"], json!("required"));
    assert_eq!(begun.public_key["rp"]["id"], json!("shop.example"));
    let passkey = registered(&party, &mut device);
    assert_eq!((passkey.name.as_str(), passkey.counter), ("Till 1", 3));
    assert_eq!(passkey.credential_id, device.credential_id());
    let begun = begin(&party, &passkey);
    assert_eq!(begun.public_key["userVerification"], json!("required"));
    let assertion = prove(&party, &begun, device.assert(&begun.public_key), &passkey).unwrap();
    assert_eq!(assertion.counter, 4);
    let passkey = assertion.used_on(&passkey, NOW).unwrap();
    // A copy that counts on from the time of copying.
    let begun = begin(&party, &passkey);
    let copied = prove(&party, &begun, device.assert_again(&begun.public_key, "webauthn.get"), &passkey);
    assert!(matches!(copied, Err(PasskeyError::Copied)), "{copied:?}");
}

#[test]
fn each_field_that_is_wrong_refuses_the_assertion() {
    let party = Passkeys::new(ORIGIN, 0).unwrap();
    let mut device = Authenticator::new(ORIGIN, None);
    let passkey = registered(&party, &mut device);
    type Spoil = fn(&mut Authenticator, &mut Begun) -> Value;
    let honest: Spoil = |device, begun| device.assert(&begun.public_key);
    let cases: [(&str, Spoil); 10] = [
        ("origin", |device, begun| {
            device.origin = "https://evil.example:8443".into();
            device.assert(&begun.public_key)
        }),
        ("port", |device, begun| {
            device.origin = "https://shop.example".into();
            device.assert(&begun.public_key)
        }),
        ("relying party", |device, begun| {
            device.rp_id = "evil.example".into();
            device.assert(&begun.public_key)
        }),
        ("nobody verified", |device, begun| {
            device.verifies_user = false;
            device.assert(&begun.public_key)
        }),
        ("nobody present", |device, begun| {
            device.user_is_present = false;
            device.assert(&begun.public_key)
        }),
        ("type", |device, begun| device.assert_again(&begun.public_key, "webauthn.create")),
        ("challenge", |device, begun| {
            begun.public_key["challenge"] = json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
            device.assert(&begun.public_key)
        }),
        ("signature", |device, begun| {
            let mut credential = device.assert(&begun.public_key);
            credential["response"]["signature"] = json!("MAYCAQECAQE");
            credential
        }),
        ("somebody else's handle", |device, begun| {
            let mut credential = device.assert(&begun.public_key);
            credential["response"]["userHandle"] = json!("AAAA");
            credential
        }),
        ("another device", |_, begun| Authenticator::new(ORIGIN, None).assert(&begun.public_key)),
    ];
    for (what, spoil) in cases {
        let mut begun = begin(&party, &passkey);
        let credential = spoil(&mut device, &mut begun);
        let refused = prove(&party, &begun, credential, &passkey);
        assert!(matches!(refused, Err(PasskeyError::Refused(_))), "{what}: {refused:?}");
        (device.origin, device.rp_id) = (ORIGIN.into(), "shop.example".into());
        (device.verifies_user, device.user_is_present) = (true, true);
        let mut begun = begin(&party, &passkey);
        let credential = honest(&mut device, &mut begun);
        prove(&party, &begun, credential, &passkey).unwrap();
    }
}

#[test]
fn ceremonies_are_spent_by_their_first_use_and_die_in_time() {
    let party = Passkeys::new(ORIGIN, 0).unwrap();
    let mut device = Authenticator::new(ORIGIN, None);
    let passkey = registered(&party, &mut device);
    let begun = begin(&party, &passkey);
    let credential = device.assert(&begun.public_key);
    prove(&party, &begun, credential.clone(), &passkey).unwrap();
    let again = prove(&party, &begun, credential, &passkey);
    assert!(matches!(again, Err(PasskeyError::Ceremony)), "{again:?}");
    // Spent by a wrong one too.
    let begun = begin(&party, &passkey);
    let mut wrong = device.assert(&begun.public_key);
    wrong["response"]["signature"] = json!("MAYCAQECAQE");
    prove(&party, &begun, wrong, &passkey).unwrap_err();
    let late = prove(&party, &begun, device.assert(&begun.public_key), &passkey);
    assert!(matches!(late, Err(PasskeyError::Ceremony)), "{late:?}");
    let begun = begin(&party, &passkey);
    let credential = device.assert(&begun.public_key);
    let late =
        party.take_assertion(&begun.ceremony_id, &Purpose::LogIn, credential, UtcMs(NOW.0 + CEREMONY_MS));
    assert!(matches!(late, Err(PasskeyError::Ceremony)));
    // A registration belongs to the session that began it.
    let begun = party.begin_registration(&ani(), &session("s"), &[], HERE, NOW).unwrap();
    let credential = device.register(&begun.public_key);
    let stolen = party.end_registration(&begun.ceremony_id, &session("t"), "x", credential, NOW);
    assert!(matches!(stolen, Err(PasskeyError::Ceremony)), "{stolen:?}");
}

#[test]
fn an_unknown_user_gets_the_same_answer_as_others() {
    let party = Passkeys::new(ORIGIN, 0).unwrap();
    let mut device = Authenticator::new(ORIGIN, None);
    let passkey = registered(&party, &mut device);
    let shape = |public_key: &Value| {
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        (keys(public_key), keys(&public_key["allowCredentials"][0]))
    };
    let real = begin(&party, &passkey);
    let nobody = party.begin_assertion(Purpose::LogIn, None, &[9; 32], HERE, NOW).unwrap();
    assert_eq!(shape(&real.public_key), shape(&nobody.public_key));
    let again = party.begin_assertion(Purpose::LogIn, None, &[9; 32], HERE, NOW).unwrap();
    assert_eq!(nobody.public_key["allowCredentials"], again.public_key["allowCredentials"]);
    assert_ne!(nobody.public_key["challenge"], again.public_key["challenge"]);
    let other = party.begin_assertion(Purpose::LogIn, None, &[8; 32], HERE, NOW).unwrap();
    assert_ne!(nobody.public_key["allowCredentials"], other.public_key["allowCredentials"]);
    // Every name gets the same number of devices, real or not, in an order that reveals nothing.
    let ids = |begun: &Begun| -> Vec<String> {
        let allowed = begun.public_key["allowCredentials"].as_array().unwrap();
        allowed.iter().map(|device| device["id"].as_str().unwrap().to_owned()).collect()
    };
    for begun in [&real, &nobody, &other] {
        assert_eq!(ids(begun).len(), PASSKEYS_PER_USER_MAX);
        assert!(ids(begun).is_sorted());
    }
    assert!(ids(&real).contains(&passkey.credential_id));
    let more: Vec<Passkey> = (0..PASSKEYS_PER_USER_MAX)
        .map(|_| registered(&party, &mut Authenticator::new(ORIGIN, None)))
        .collect();
    for known in 0..=more.len() {
        let begun =
            party.begin_assertion(Purpose::LogIn, Some((&ani(), &more[..known])), &[9; 32], HERE, NOW);
        let shown = ids(&begun.unwrap());
        assert_eq!(shown.len(), PASSKEYS_PER_USER_MAX);
        assert!(more[..known].iter().all(|passkey| shown.contains(&passkey.credential_id)));
    }
    let deviceless = party.begin_assertion(Purpose::LogIn, Some((&ani(), &[])), &[9; 32], HERE, NOW).unwrap();
    assert_eq!(nobody.public_key["allowCredentials"], deviceless.public_key["allowCredentials"]);
    let refused = prove(&party, &nobody, device.assert(&nobody.public_key), &passkey);
    assert!(matches!(refused, Err(PasskeyError::Refused(_))), "{refused:?}");
    let shapeless = party.take_assertion(&again.ceremony_id, &Purpose::LogIn, json!({"id": 5}), NOW);
    assert!(matches!(shapeless, Err(PasskeyError::Shape(_))));
}

#[test]
fn addresses_carry_no_passkeys() {
    assert_eq!(Passkeys::new("https://10.0.0.5", 0).err(), Some(OriginError::Address));
    assert!(Passkeys::new("", 8081).is_ok());
}

#[test]
fn a_ceremony_serves_its_purpose_in_its_session_only() {
    let party = Passkeys::new(ORIGIN, 0).unwrap();
    let mut device = Authenticator::new(ORIGIN, None);
    let passkey = registered(&party, &mut device);
    let purposes = [
        Purpose::LogIn,
        Purpose::Approval(session("s")),
        Purpose::Approval(session("t")),
        Purpose::Registration(session("s")),
        Purpose::Registration(session("t")),
    ];
    for begun_for in &purposes {
        for used_for in &purposes {
            let known = std::slice::from_ref(&passkey);
            let begun =
                party.begin_assertion(begun_for.clone(), Some((&ani(), known)), &[7; 32], HERE, NOW).unwrap();
            let credential = device.assert(&begun.public_key);
            let taken = party.take_assertion(&begun.ceremony_id, used_for, credential.clone(), NOW);
            assert_eq!(taken.is_ok(), begun_for == used_for, "{begun_for:?} as {used_for:?}");
            // Spent, right or not.
            assert!(party.take_assertion(&begun.ceremony_id, begun_for, credential, NOW).is_err());
        }
    }
}
