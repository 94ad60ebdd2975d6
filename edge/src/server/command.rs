//! Shared by the commands of both programs: the text of an error, and the exit when the output has no reader.

use std::error::Error;
use std::panic;

/// Exit code if the output has no reader any more, as a shell reports SIGPIPE.
const BROKEN_PIPE: i32 = 128 + 13;

/// An error with its causes, each once: many errors repeat their cause in their own text.
pub fn words(error: &(dyn Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.contains(&text) {
            words.push_str(": ");
            words.push_str(&text);
        }
        cause = error.source();
    }
    words
}

/// From now on the program ends silently if it prints without a reader, as in `… status | head`. Printing panics then,
/// and Rust ignores the signal that ends other programs.
pub fn end_with_the_reader() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str().is_some_and(is_broken_pipe) {
            std::process::exit(BROKEN_PIPE);
        }
        before(panic);
    }));
}

/// Whether a panic is one of `print!`, or of completions, into a pipe without a reader.
fn is_broken_pipe(panic: &str) -> bool {
    let prints = panic.starts_with("failed printing to") || panic.starts_with("failed to write completion");
    prints && panic.contains("Broken pipe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Layer {
        #[error("the database can't be opened")]
        Opened(#[source] Box<Layer>),
        #[error("error communicating with database: {0}")]
        Repeats(#[source] Box<Layer>),
        #[error("Connection refused")]
        Refused,
    }

    #[test]
    fn a_cause_that_its_error_names_is_not_repeated() {
        let error = Layer::Opened(Layer::Repeats(Layer::Refused.into()).into());
        assert_eq!(
            words(&error),
            "the database can't be opened: error communicating with database: Connection refused"
        );
    }
}
