//! A user of a store is changed by the store and by head office while they are disconnected. In whatever order and
//! however often changes arrive, both end with the later change of each field, and so does a rebuilt store.

use domain::model::base::time::UtcMs;
use domain::model::hub::stamp::Stamp;
use domain::model::people::user::costs::Costs;
use domain::model::people::user::{Principal, Role, User};
use domain::rules::people::user::apply_feed::{Known, apply_feed, merged, office_change};
use domain::rules::people::user::came_back;
use domain::rules::people::user::change::{ChangeUser, NewUser, change, create};
use domain::rules::people::user::profile::Profile;
use domain::wire::feed::UserDown;
use domain::wire::record::{self, Record, UserChanged};
use proptest::prelude::*;
use proptest::sample::Index;
use testkit::shop::caller;

#[derive(Debug, Clone)]
enum Word {
    Username(u8),
    Name(u8),
    Role(usize),
    Password(u8),
}

#[derive(Debug, Clone)]
struct Step {
    office: bool,
    at: i64,
    word: Word,
    /// Messages that arrive before the next step.
    arrive: Vec<Index>,
}

impl Word {
    fn command(&self) -> (ChangeUser, Option<String>) {
        let none = ChangeUser::default;
        let hash = |n: &u8| format!("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$c3V{n}");
        match self {
            Self::Username(n) => (ChangeUser { username: Some(format!("u{n}")), ..none() }, None),
            Self::Name(n) => (ChangeUser { name: Some(format!("N{n}")), ..none() }, None),
            Self::Role(n) => (ChangeUser { role: Some(Role::STORE[*n]), ..none() }, None),
            Self::Password(n) => (none(), Some(hash(n))),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let word = prop_oneof![
        any::<u8>().prop_map(Word::Username),
        any::<u8>().prop_map(Word::Name),
        (0..4_usize).prop_map(Word::Role),
        (0..10_u8).prop_map(Word::Password),
    ];
    let arrive = prop::collection::vec(any::<Index>(), 0..3);
    let step = (any::<bool>(), 100..140_i64, word, arrive);
    prop::collection::vec(
        step.prop_map(|(office, at, word, arrive)| Step { office, at, word, arrive }),
        1..12,
    )
}

fn reported(user: &User) -> UserChanged {
    let stamp = Stamp { now: user.updated_at, at: String::new(), event_id: "evt_1".into() };
    let text = record::user_changed(&stamp, user);
    serde_json::from_str::<Record<UserChanged>>(&text).unwrap().payload
}

/// Returns the store's record in the form in which head office reads it.
fn heard(changed: &UserChanged) -> UserDown {
    let Profile { username, name, role, times } = Profile::from(changed);
    let UserChanged { user_id, store_id, token_version, disabled, created_at, .. } = changed.clone();
    UserDown {
        user_id,
        username,
        name,
        role,
        store_id,
        password_hash: None,
        times,
        token_version,
        disabled,
        grant: 0,
        created_at,
        given: false,
    }
}

enum Message {
    Up(UserChanged),
    Down(UserDown),
}

struct Company {
    boss: Principal,
    user: User,
    staff: UserDown,
    under_way: Vec<Message>,
    /// Records of the store and of head office: the input of a rebuilt store.
    records: Vec<UserChanged>,
    /// Every record about the user.
    said: Vec<Profile>,
    passwords: Vec<(UtcMs, Option<String>)>,
}

impl Company {
    fn new() -> Self {
        let boss = caller("boss", Role::Admin);
        let new = NewUser {
            username: "ani".to_owned(),
            name: "Ani".to_owned(),
            role: Role::Cashier,
            password: None,
            disabled: None,
        };
        let (id, store) = ("usr_1".into(), "S001".into());
        let user = create(&new, id, None, UtcMs(50), &boss, &[], &store).unwrap();
        let (changed, said) = (reported(&user), vec![Profile::from(&user)]);
        let (staff, passwords) = (heard(&changed), vec![(user.times.password, None)]);
        Self { boss, user, staff, under_way: Vec::new(), records: vec![changed], said, passwords }
    }

    fn run(&mut self, step: &Step) {
        let ((command, hash), now) = (step.word.command(), UtcMs(step.at));
        if step.office {
            office_change(&mut self.staff, &command, hash, now);
            self.said.push(Profile::from(&self.staff));
            self.passwords.push((self.staff.times.password, self.staff.password_hash.clone()));
            self.under_way.push(Message::Down(self.staff.clone()));
        } else {
            let (id, all) = (self.user.user_id.clone(), [self.user.clone()]);
            self.user = change(&command, &id, hash, now, &self.boss, &all).unwrap();
            self.said.push(Profile::from(&self.user));
            self.passwords.push((self.user.times.password, self.user.password_hash.clone()));
            self.records.push(reported(&self.user));
            self.under_way.push(Message::Up(reported(&self.user)));
        }
        step.arrive.iter().for_each(|place| self.arrives(place));
    }

    fn arrives(&mut self, place: &Index) {
        if self.under_way.is_empty() {
            return;
        }
        match self.under_way.swap_remove(place.index(self.under_way.len())) {
            Message::Up(changed) => {
                let merged = merged(&self.staff, false, heard(&changed));
                self.staff = merged.down;
                self.under_way.extend(merged.tell.then(|| Message::Down(self.staff.clone())));
            }
            Message::Down(down) => self.user = here(&self.user, down),
        }
    }
}

fn here(user: &User, down: UserDown) -> User {
    apply_feed(down, false, &Known { user: Some(user), now: UtcMs(500), ..Known::default() })
}

/// Returns the profile without the time of the password, which belongs to the password.
fn called(mut profile: Profile) -> Profile {
    profile.times.password = UtcMs::default();
    profile
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn the_later_word_of_each_field_counts_everywhere_whatever_comes_first(
        steps in steps(),
        order in prop::collection::vec(any::<Index>(), 64),
        back in prop::collection::vec(any::<Index>(), 64),
    ) {
        let mut company = Company::new();
        steps.iter().for_each(|step| company.run(step));
        order.iter().for_each(|place| company.arrives(place));
        prop_assert!(company.under_way.is_empty(), "{} are under way", company.under_way.len());

        let last = company.said.iter().cloned().reduce(Profile::latest).map(called);
        prop_assert_eq!(Some(called(Profile::from(&company.user))), last.clone(), "at the store");
        prop_assert_eq!(Some(called(Profile::from(&company.staff))), last.clone(), "at head office");
        let set_at = company.passwords.iter().map(|(at, _)| *at).max();
        prop_assert_eq!(Some(company.user.times.password), set_at);
        let hash = (company.user.times.password, company.user.password_hash.clone());
        prop_assert!(company.passwords.contains(&hash), "{:?}", company.passwords);

        // A rebuilt store gets the records in any order, and head office's latest state.
        let (mut records, mut rebuilt) = (company.records.clone(), None);
        for place in back.iter().cycle() {
            if records.is_empty() {
                break;
            }
            let record = records.swap_remove(place.index(records.len()));
            rebuilt = came_back::user(record, rebuilt.as_ref(), None, Costs::DEFAULT.most()).or(rebuilt);
        }
        let rebuilt = here(&rebuilt.unwrap(), company.staff.clone());
        prop_assert_eq!(Some(called(Profile::from(&rebuilt))), last, "at a rebuilt box");
        prop_assert_eq!(rebuilt.password_hash, hash.1);
    }
}
