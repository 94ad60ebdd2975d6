//! Tokens of people and of stores.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    edge::fuzz::token(bytes);
});
