//! The body of `POST /api/sync/push`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    cloud_hub::ingest::fuzz::push(bytes);
});
