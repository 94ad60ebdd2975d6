//! A segment of the journal, as it lies on the disk and as if its checksums had been forged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    storage::fuzz::segment(bytes, false);
    storage::fuzz::segment(bytes, true);
    storage::fuzz::body(bytes);
});
