//! What a device answers to a registration or a log-in.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    edge::fuzz::webauthn(bytes);
});
