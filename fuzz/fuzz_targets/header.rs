//! Header values with rules of their own.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    edge::fuzz::header(bytes);
});
