//! Prices of a catalogue, in the styles of spreadsheets.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    statements::fuzz::figures::prices(bytes);
});
