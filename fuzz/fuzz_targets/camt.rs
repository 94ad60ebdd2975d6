//! A bank's statement as CAMT.053.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    statements::fuzz::camt(bytes);
});
