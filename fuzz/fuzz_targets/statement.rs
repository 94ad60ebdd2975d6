//! A statement as CSV.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    cloud_hub::office::settlement::file::fuzz::statement(bytes);
});
