//! Passwords and the limiter of attempts.

use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use edge::{
    identity::limiter::{
        APPROVALS_PER_APPROVER_MAX, APPROVALS_PER_REGISTER_MAX, APPROVALS_PER_REQUESTER_MAX, Approval,
        FAILURES_PER_ADDRESS_MAX, FAILURES_PER_NAME_MAX, KEYS_MAX, LoginLimiter, WINDOW_MS,
    },
    passwords::{self, Params, Passwords},
};
use std::net::{IpAddr, Ipv4Addr};

pub const NOW: UtcMs = UtcMs(1_795_140_394_739);
pub const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub fn address(number: usize) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(number).unwrap()))
}

#[tokio::test]
async fn a_password_is_checked_against_its_hash() {
    let passwords = Passwords::new(Params::LEAST);
    let hash = passwords.hash("correct horse".to_owned()).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    assert!(passwords.verify("correct horse".to_owned(), hash.clone()).await.unwrap());
    assert!(!passwords.verify("Correct horse".to_owned(), hash.clone()).await.unwrap());
    assert!(!passwords.verify(String::new(), hash.clone()).await.unwrap());
    assert_ne!(passwords.hash("correct horse".to_owned()).await.unwrap(), hash);
    assert!(passwords.verify("x".to_owned(), "plain text".to_owned()).await.is_err());
    assert!(!passwords.is_outdated(&hash));
    assert!(Passwords::new(Params::DEFAULT).is_outdated(&hash));
}

#[tokio::test]
async fn a_hash_that_costs_too_much_is_never_computed() {
    let passwords = Passwords::new(Params::LEAST);
    let hash = passwords.hash("correct horse".to_owned()).await.unwrap();
    for dear in ["m=19456,t=4294967295,p=1", "m=4194304,t=2,p=1", "m=19456,t=2,p=16777215"] {
        let dear = hash.replace("m=19456,t=2,p=1", dear);
        // More requests than hashing threads. Without a check each would be busy for years.
        for _ in 0..=passwords::HASHES_AT_ONCE {
            assert!(!passwords.verify("correct horse".to_owned(), dear.clone()).await.unwrap(), "{dear}");
        }
    }
    assert!(passwords.verify("correct horse".to_owned(), hash).await.unwrap(), "others can log in");
    // Head office may have higher settings than this store.
    let theirs = Passwords::new(Params::DEFAULT).hash("correct horse".to_owned()).await.unwrap();
    assert!(passwords.verify("correct horse".to_owned(), theirs).await.unwrap());
}

#[tokio::test]
async fn an_unknown_name_costs_the_same_work() {
    let passwords = Passwords::new(Params::LEAST);
    let hash = passwords.hash("correct horse".to_owned()).await.unwrap();
    let before = passwords.computed();
    assert!(!passwords.verify("guess".to_owned(), hash.clone()).await.unwrap());
    assert_eq!(passwords.computed(), before + 1);
    assert!(!passwords.verify("guess".to_owned(), passwords.dummy_like(Some(&hash))).await.unwrap());
    assert_eq!(passwords.computed(), before + 2);
    // The cost parameters are in the hash, before the salt.
    let cost = |hash: &str| hash.split('$').take(4).collect::<Vec<_>>().join("$");
    assert_eq!(cost(&hash), cost(&passwords.dummy_like(Some(&hash))));
    assert_eq!(cost(&hash), cost(&passwords.dummy_like(None)), "of today's costs");
}

#[test]
fn a_hash_that_is_none_or_costs_far_more_is_not_compared_with() {
    let passwords = Passwords::new(Params::LEAST);
    let hash = |costs: &str| format!("$argon2id$v=19${costs}$c29tZXNhbHQxMjM${}", "A".repeat(43));
    for (costs, usable) in [
        ("m=19456,t=2,p=1", true),
        ("m=131072,t=12,p=4", true),
        ("m=131073,t=2,p=1", false),
        ("m=19456,t=13,p=1", false),
        ("m=19456,t=2,p=5", false),
        ("m=4294967295,t=4294967295,p=1", false),
        ("t=2,m=19456,p=1", false),
    ] {
        assert_eq!(passwords.is_usable(&hash(costs)), usable, "{costs}");
    }
    for none in ["", "plain text", "$argon2id$v=19$", "$2b$12$abcdefghijklmnopqrstuv"] {
        assert!(!passwords.is_usable(none), "{none}");
    }
    assert!(!passwords.is_usable(&hash("m=19456,t=2,p=1").replace("argon2id", "argon2i")));
}

#[test]
fn weak_or_impossible_costs_are_refused() {
    assert_eq!(Params::new(19_456, 2, 1).unwrap(), Params::LEAST);
    assert_eq!(Params::new(65_536, 3, 1).unwrap(), Params::default());
    let weak = [(63, 1, 1), (64, 0, 1), (64, 1, 0), (64, 1, 64)];
    let large = [((4 << 20) + 1, 3, 1), (65_536, 101, 1), (65_536, 3, 65)];
    for (memory, iterations, parallelism) in weak.into_iter().chain(large) {
        assert!(Params::new(memory, iterations, parallelism).is_err());
    }
}

#[test]
fn new_passwords_follow_the_policy() {
    let problem = |password: &str| passwords::policy_problem(password, "Ani@Shop.example");
    assert_eq!(problem("1234567z"), None);
    assert_eq!(problem(&"x".repeat(128)), None);
    assert_eq!(problem("éééééééé"), None);
    for bad in ["", "1234567", &"x".repeat(129), "ani@shop.EXAMPLE", "12345678", "Password123", "KATASANDI"] {
        assert!(problem(bad).is_some(), "{bad}");
    }
}

#[test]
fn a_name_is_refused_after_five_failures() {
    let limiter = LoginLimiter::default();
    for guess in 0..FAILURES_PER_NAME_MAX {
        limiter.attempt("ani", address(guess), NOW).unwrap();
    }
    let later = UtcMs(NOW.0 + 60_000);
    let refused = limiter.attempt("ANI", HOME, later).unwrap_err();
    assert_eq!(
        (refused.code.status(), refused.code.name(), refused.retry_after_s),
        (429, "rate_limited", Some(240))
    );
    limiter.attempt("budi", HOME, later).unwrap();
    limiter.attempt("ani", HOME, UtcMs(NOW.0 + WINDOW_MS)).unwrap();
}

#[test]
fn success_clears_the_name() {
    let limiter = LoginLimiter::default();
    for _ in 0..100 {
        for _ in 1..FAILURES_PER_NAME_MAX {
            limiter.attempt("ani", HOME, NOW).unwrap();
        }
        limiter.attempt("ani", HOME, NOW).unwrap();
        limiter.succeeded("ani", HOME, NOW);
        // The earlier failures still count for the address.
        if limiter.attempt("budi", HOME, NOW).is_err() {
            return;
        }
    }
    panic!("the address was never refused");
}

#[test]
fn many_successes_lock_nobody_out() {
    let limiter = LoginLimiter::default();
    for _ in 0..10 * FAILURES_PER_ADDRESS_MAX {
        limiter.attempt("ani", HOME, NOW).unwrap();
        limiter.succeeded("ani", HOME, NOW);
    }
}

#[test]
fn an_address_is_refused_after_fifty_failures() {
    let limiter = LoginLimiter::default();
    for guess in 0..FAILURES_PER_ADDRESS_MAX {
        limiter.attempt(&format!("name{guess}"), HOME, NOW).unwrap();
    }
    assert_eq!(limiter.attempt("fresh", HOME, NOW).unwrap_err().retry_after_s, Some(300));
    let mapped: IpAddr = "::ffff:127.0.0.1".parse().unwrap();
    assert!(limiter.attempt("fresh", mapped, NOW).is_err());
    limiter.attempt("fresh", address(7), NOW).unwrap();
}

#[test]
fn a_clock_that_was_set_back_locks_nobody_out() {
    let limiter = LoginLimiter::default();
    for _ in 0..FAILURES_PER_NAME_MAX {
        limiter.attempt("ani", HOME, NOW).unwrap();
    }
    limiter.attempt("ani", HOME, UtcMs(NOW.0 - 10 * WINDOW_MS)).unwrap();
}

#[test]
fn attempts_that_overtake_each_other_are_all_counted() {
    let limiter = LoginLimiter::default();
    let tried = (0..300).filter(|n| {
        // The time was taken before the lock.
        let now = UtcMs(NOW.0 + (300 - n) / 3 * 2 - n % 2);
        limiter.attempt(&format!("name{n}"), HOME, now).is_ok()
    });
    assert_eq!(tried.count(), FAILURES_PER_ADDRESS_MAX);
    let tried = (0..300).filter(|n| {
        limiter.attempt("ani", address(*n + 7), UtcMs(NOW.0 - i64::try_from(*n).unwrap())).is_ok()
    });
    assert_eq!(tried.count(), FAILURES_PER_NAME_MAX);
}

#[test]
fn memory_is_bounded_and_the_guessed_name_stays_known() {
    let limiter = LoginLimiter::default();
    for _ in 0..FAILURES_PER_NAME_MAX {
        limiter.attempt("ani", HOME, UtcMs(NOW.0 + 1)).unwrap();
    }
    for flood in 0..KEYS_MAX + 100 {
        limiter.attempt(&format!("flood{flood}"), address(flood), NOW).unwrap();
    }
    assert!(limiter.attempt("ani", address(1), UtcMs(NOW.0 + 2)).is_err());
}

/// Returns the number of guesses that are checked in an hour, with one attempt every 360 ms whatever the answer.
fn tried_in_an_hour(mut restarts: usize, guess: impl Fn(usize) -> (String, IpAddr)) -> usize {
    let mut limiter = LoginLimiter::default();
    let mut tried = 0;
    for number in 0..10_000 {
        let (name, address) = guess(number);
        let now = UtcMs(NOW.0 + i64::try_from(number).unwrap() * 360);
        tried += usize::from(limiter.attempt(&name, address, now).is_ok());
        if restarts > 0 && number % 1_000 == 999 {
            restarts -= 1;
            let kept = limiter.to_save();
            let next = LoginLimiter::default();
            if let Some(kept) = kept {
                next.restore(&kept).unwrap();
                limiter = next;
            }
        }
    }
    tried
}

#[test]
fn of_ten_thousand_guesses_in_an_hour_at_most_a_hundred_are_tried() {
    for restarts in [0, 9] {
        let one_name = tried_in_an_hour(restarts, |number| ("ani".to_owned(), address(number)));
        let one_address = tried_in_an_hour(restarts, |number| (format!("name{number}"), HOME));
        let both = tried_in_an_hour(restarts, |_| ("ani".to_owned(), HOME));
        assert!((5..=30).contains(&one_name) && (5..=30).contains(&both), "{one_name} {both}");
        assert!((50..=100).contains(&one_address), "{one_address}");
    }
}

#[test]
fn a_restart_forgets_nothing_and_bad_text_changes_nothing() {
    let before = LoginLimiter::default();
    assert_eq!(before.to_save(), None);
    for _ in 0..FAILURES_PER_NAME_MAX {
        before.attempt("ani", HOME, NOW).unwrap();
    }
    let kept = before.to_save().unwrap();
    assert_eq!(before.to_save(), None, "nothing has changed since");
    let after = LoginLimiter::default();
    after.restore(&kept).unwrap();
    assert!(after.restore(b"{\"names\": 5").is_err());
    assert_eq!(after.attempt("ani", HOME, NOW).unwrap_err().retry_after_s, Some(300));
    after.attempt("budi", HOME, NOW).unwrap();
}

pub fn approval<'a>(requester: &'a UserId, register: usize, approver: Option<&'a str>) -> Approval<'a> {
    Approval { requester, register: address(register), approver }
}

#[test]
fn approvals_are_counted_apart_and_never_keep_anybody_from_logging_in() {
    let limiter = LoginLimiter::default();
    let (ani, budi) = (UserId("usr_ani".into()), UserId("usr_budi".into()));
    let asked = approval(&ani, 1, Some("manager"));
    for _ in 0..APPROVALS_PER_REQUESTER_MAX {
        limiter.attempt_approval(&asked, NOW).unwrap();
    }
    let refused = limiter.attempt_approval(&asked, NOW).unwrap_err();
    assert_eq!((refused.code.status(), refused.code.name()), (403, "approval_limited"));
    assert_eq!(refused.details.get("retry_after_s").and_then(serde_json::Value::as_i64), Some(300));
    // Nor with another manager's name, another register, or a device.
    for (register, approver) in [(1, Some("other")), (2, Some("manager")), (2, None)] {
        assert!(limiter.attempt_approval(&approval(&ani, register, approver), NOW).is_err());
    }
    // The manager can log in, also at that register, and another person gets an approval.
    limiter.attempt("manager", address(1), NOW).unwrap();
    limiter.attempt_approval(&approval(&budi, 1, Some("manager")), NOW).unwrap();
    limiter.approved(&approval(&budi, 1, Some("manager")));
    limiter.attempt_approval(&asked, UtcMs(NOW.0 + WINDOW_MS)).unwrap();
}

#[test]
fn a_register_and_an_approver_have_limits_of_their_own_for_every_caller() {
    for (max, same_register, same_approver) in
        [(APPROVALS_PER_REGISTER_MAX, true, false), (APPROVALS_PER_APPROVER_MAX, false, true)]
    {
        let limiter = LoginLimiter::default();
        let tried = (0..100).filter(|number| {
            let requester = UserId(format!("usr_{number}"));
            let approver = format!("manager-{}", if same_approver { 0 } else { *number });
            let register = address(if same_register { 0 } else { *number });
            let asked = Approval { requester: &requester, register, approver: Some(&approver) };
            limiter.attempt_approval(&asked, NOW).is_ok()
        });
        assert_eq!(tried.count(), max);
    }
    // Right passwords do not count.
    let (limiter, ani) = (LoginLimiter::default(), UserId("usr_ani".into()));
    let asked = approval(&ani, 1, Some("manager"));
    for _ in 0..100 {
        limiter.attempt_approval(&asked, NOW).unwrap();
        limiter.approved(&asked);
    }
}

#[test]
fn wrong_approvals_are_forgiven_also_where_right_ones_come_all_the_time() {
    let limiter = LoginLimiter::default();
    let requester = UserId("usr_1".to_owned());
    let approval = approval(&requester, 1, Some("boss"));
    for minute in 0..240 {
        let now = UtcMs(NOW.0 + minute * 60_000);
        if minute % 3 == 0 {
            limiter.attempt_approval(&approval, now).unwrap();
            limiter.approved(&approval);
        }
        if minute % 7 == 0 {
            limiter.attempt_approval(&approval, now).unwrap();
        }
    }
}

#[test]
fn where_a_name_logged_in_lately_guesses_from_elsewhere_lock_nobody_out() {
    let limiter = LoginLimiter::default();
    limiter.attempt("ani", HOME, NOW).unwrap();
    limiter.succeeded("ani", HOME, NOW);
    for guess in 0..FAILURES_PER_NAME_MAX {
        limiter.attempt("ani", address(guess), NOW).unwrap();
    }
    assert!(limiter.attempt("ani", address(99), NOW).is_err());
    let after = LoginLimiter::default();
    after.restore(&limiter.to_save().unwrap()).unwrap();
    for limiter in [limiter, after] {
        limiter.attempt("ani", HOME, NOW).unwrap();
        // A log-in from a known address does not help a guesser at another one.
        limiter.succeeded("ani", HOME, NOW);
        assert!(limiter.attempt("ani", address(99), NOW).is_err());
        for _ in 0..FAILURES_PER_NAME_MAX {
            limiter.attempt("ani", HOME, NOW).unwrap();
        }
        assert_eq!(limiter.attempt("ani", HOME, NOW).unwrap_err().code, edge::Code::RateLimited);
        limiter.attempt("ani", HOME, UtcMs(NOW.0 + WINDOW_MS)).unwrap();
        assert!(limiter.attempt("budi", HOME, NOW).is_ok(), "only this name");
    }
}

/// Somebody tries one name every 360 ms in all ways at once: from anywhere, from both addresses with recent log-ins of
/// the name, and as the approver for many cashiers at many registers.
#[test]
fn of_one_name_at_most_a_hundred_guesses_are_tried_in_an_hour_over_all_ways() {
    for restarts in [false, true] {
        let mut limiter = LoginLimiter::default();
        for home in [1, 2] {
            limiter.attempt("ani", address(home), NOW).unwrap();
            limiter.succeeded("ani", address(home), NOW);
        }
        let mut tried = [0; 4];
        for number in 0..10_000 {
            let now = UtcMs(NOW.0 + i64::try_from(number).unwrap() * 360);
            let requester = UserId(format!("usr_{number}"));
            let ways = [
                limiter.attempt("ani", address(1_000 + number), now),
                limiter.attempt("ani", address(1), now),
                limiter.attempt("ani", address(2), now),
                limiter.attempt_approval(
                    &Approval { requester: &requester, register: address(number), approver: Some("ani") },
                    now,
                ),
            ];
            for (tried, way) in tried.iter_mut().zip(ways) {
                *tried += usize::from(way.is_ok());
            }
            if restarts && number % 1_000 == 999 {
                let next = LoginLimiter::default();
                next.restore(&limiter.to_save().unwrap()).unwrap();
                limiter = next;
            }
        }
        assert!(tried.iter().all(|tried| *tried >= 5), "{tried:?}");
        assert!(tried.iter().sum::<usize>() <= 100, "{tried:?}");
    }
}

#[test]
fn the_attempts_of_an_address_fall_with_each_failure_and_return_in_time() {
    let limiter = LoginLimiter::default();
    let left = |at: i64| {
        let left = limiter.rate_limits(HOME, UtcMs(NOW.0 + at)).left;
        (left.attempts, left.within_s)
    };
    assert_eq!(left(0), (FAILURES_PER_ADDRESS_MAX, 300));
    for number in 0..FAILURES_PER_ADDRESS_MAX {
        limiter.attempt(&format!("name {number}"), HOME, NOW).unwrap();
    }
    assert_eq!(left(0), (0, 300));
    assert_eq!(left(100_000), (0, 200));
    assert_eq!(left(WINDOW_MS), (1, 300), "one is tried after each delay");
    assert_eq!(limiter.rate_limits(address(7), NOW).left.attempts, FAILURES_PER_ADDRESS_MAX);
    let other = LoginLimiter::default();
    other.attempt("ani", HOME, NOW).unwrap();
    assert_eq!(other.rate_limits(HOME, UtcMs(NOW.0 + 60_000)).left.attempts, FAILURES_PER_ADDRESS_MAX - 1);
    other.succeeded("ani", HOME, NOW);
    assert_eq!(other.rate_limits(HOME, NOW).left.attempts, FAILURES_PER_ADDRESS_MAX, "it was right");
}
