//! Prices of a catalogue, in the styles of spreadsheets.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    cloud_hub::office::settlement::file::fuzz::figures::prices(bytes);
});
