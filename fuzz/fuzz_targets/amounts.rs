//! Amounts of a statement, in the styles of banks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    cloud_hub::office::settlement::file::fuzz::figures::amounts(bytes);
});
