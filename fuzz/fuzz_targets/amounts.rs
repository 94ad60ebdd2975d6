//! Amounts of a statement, in the styles of banks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    statements::fuzz::figures::amounts(bytes);
});
