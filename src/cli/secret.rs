//! Passwords of commands: one line of standard input, or made and shown once.

use crate::config::Config;
use crate::exit::{Exit, USAGE};
use crate::random;
use anyhow::Context;
use edge::passwords::{hash_now, policy_problem};
use std::io::Read;

/// The most that is read from standard input.
const INPUT_BYTES_MAX: u64 = 1024;

/// A new user's password.
pub struct Secret {
    /// argon2id in PHC form.
    pub hash: String,
    /// The password itself, if it was generated here and has to be shown.
    pub shown: Option<String>,
}

/// Reads or generates a password and hashes it at the cost of the settings.
pub fn secret(config: &Config, username: &str, from_stdin: bool) -> anyhow::Result<Secret> {
    let (password, shown) = if from_stdin {
        (read(username)?, None)
    } else {
        let made = random::password();
        (made.clone(), Some(made))
    };
    Ok(Secret { hash: hash_now(config.auth.argon2.params()?, &password)?, shown })
}

fn read(username: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(INPUT_BYTES_MAX)
        .read_to_string(&mut text)
        .context("can't read the password")?;
    let password = text.lines().next().unwrap_or_default().to_owned();
    match policy_problem(&password, username) {
        None => Ok(password),
        Some(problem) => Err(Exit::new(USAGE, format!("the password {problem}")).into()),
    }
}
