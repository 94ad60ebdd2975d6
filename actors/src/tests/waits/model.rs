//! A small model of permits, mailboxes and the writer, searched in every order of events: clients send commands, the
//! feed sends changes to owners, owners take messages one at a time, the writer writes, and an owner is killed once.

use std::collections::BTreeSet;

const OWNERS: usize = 2;
const COMMANDS: u8 = 4;
const GATE: u8 = 2;
const RESERVE: u8 = 1;
/// Changes of the feed for the owners: one for each lane, at the same time.
const TOLD: u8 = 3;
const LANES: u8 = 2;

/// The permits for an owner's own commits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The permits that commands use.
    OneGate,
    /// Separate permits, taken before the message is put into the mailbox.
    ReserveInMailbox,
    /// Separate permits, taken right before the submit.
    Reserve,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    Command,
    /// A change of the feed, with or without a permit.
    Reported {
        permit: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doing {
    Nothing,
    WantsPermit,
    WaitsForWriter,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owner {
    mailbox: Vec<Message>,
    doing: Doing,
}

/// A commit in the writer's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Commit {
    of: usize,
    own: bool,
    awaited: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    unsent: u8,
    untold: u8,
    /// Lanes that wait for an owner.
    telling: u8,
    gate: u8,
    reserve: u8,
    owners: Vec<Owner>,
    writer: Vec<Commit>,
    kills: u8,
}

/// Returns a state in which nothing can happen although work is left, or `None` if there is no such state.
pub fn search(rule: Rule) -> Option<String> {
    let idle = Owner { mailbox: Vec::new(), doing: Doing::Nothing };
    let first = State {
        unsent: COMMANDS,
        untold: TOLD,
        telling: 0,
        gate: GATE,
        reserve: RESERVE,
        owners: vec![idle; OWNERS],
        writer: Vec::new(),
        kills: 1,
    };
    let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
    while let Some(state) = open.pop() {
        let next = state.next(rule);
        // A kill does not count as progress.
        let moves = next.iter().any(|next| next.kills == state.kills);
        let over = state.unsent == 0 && state.untold == 0 && state.writer.is_empty();
        let over = over
            && state.owners.iter().all(|owner| owner.mailbox.is_empty() && owner.doing == Doing::Nothing);
        if !moves && !over {
            return Some(format!("{state:?}"));
        }
        open.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
    }
    None
}

impl State {
    fn next(&self, rule: Rule) -> Vec<Self> {
        let mut next = Vec::new();
        let mut then = |change: &dyn Fn(&mut Self)| {
            let mut state = self.clone();
            change(&mut state);
            next.push(state);
        };
        for of in 0..OWNERS {
            if self.unsent > 0 && self.gate > 0 {
                then(&|state| {
                    (state.unsent, state.gate) = (state.unsent - 1, state.gate - 1);
                    state.owners[of].mailbox.push(Message::Command);
                });
            }
            if self.untold > 0 && self.telling < LANES {
                // A hub connection that gets no permit sends the change without one: only some records of a page need a
                // permit there.
                let permit = rule == Rule::ReserveInMailbox && self.reserve > 0;
                for permit in [false, permit] {
                    then(&|state| {
                        (state.untold, state.telling) = (state.untold - 1, state.telling + 1);
                        state.reserve -= u8::from(permit);
                        state.owners[of].mailbox.push(Message::Reported { permit });
                    });
                }
            }
            match (self.owners[of].doing, self.owners[of].mailbox.first()) {
                (Doing::Nothing, Some(message)) => then(&|state| {
                    state.owners[of].mailbox.remove(0);
                    match message {
                        Message::Command => state.submit(of, false),
                        Message::Reported { permit: true } => state.submit(of, true),
                        Message::Reported { permit: false } => state.owners[of].doing = Doing::WantsPermit,
                    }
                }),
                (Doing::WantsPermit, _) if rule == Rule::OneGate && self.gate > 0 => then(&|state| {
                    state.gate -= 1;
                    state.submit(of, true);
                }),
                (Doing::WantsPermit, _) if rule != Rule::OneGate && self.reserve > 0 => then(&|state| {
                    state.reserve -= 1;
                    state.submit(of, true);
                }),
                _ => {}
            }
            if self.kills > 0 {
                then(&|state| state.kill(of, rule));
            }
        }
        if !self.writer.is_empty() {
            then(&|state| state.write(rule));
        }
        next
    }

    fn submit(&mut self, of: usize, own: bool) {
        self.owners[of].doing = Doing::WaitsForWriter;
        self.writer.push(Commit { of, own, awaited: true });
    }

    fn write(&mut self, rule: Rule) {
        let Commit { of, own, awaited } = self.writer.remove(0);
        if own && rule != Rule::OneGate {
            self.reserve += 1;
        } else {
            self.gate += 1;
        }
        if awaited {
            self.owners[of].doing = Doing::Nothing;
            self.telling -= u8::from(own);
        }
    }

    /// Removes the mailbox with the owner. Submitted commits are still written.
    fn kill(&mut self, of: usize, rule: Rule) {
        self.kills -= 1;
        for message in std::mem::take(&mut self.owners[of].mailbox) {
            match message {
                Message::Command => self.gate += 1,
                Message::Reported { permit } => {
                    self.reserve += u8::from(permit && rule == Rule::ReserveInMailbox);
                    self.telling -= 1;
                }
            }
        }
        let own = self.writer.iter().any(|commit| commit.of == of && commit.own && commit.awaited);
        if own || self.owners[of].doing == Doing::WantsPermit {
            self.telling -= 1;
        }
        for commit in self.writer.iter_mut().filter(|commit| commit.of == of) {
            commit.awaited = false;
        }
        self.owners[of].doing = Doing::Nothing;
    }
}
