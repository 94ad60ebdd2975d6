//! A statement as CSV.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    statements::fuzz::statement(bytes);
});
