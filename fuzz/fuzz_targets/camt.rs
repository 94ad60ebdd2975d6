//! A bank's statement as CAMT.053.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    cloud_hub::office::settlement::file::fuzz::camt(bytes);
});
