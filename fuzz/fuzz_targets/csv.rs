//! A catalogue.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    edge::fuzz::csv(bytes);
});
