//! Logging is set up once, and only with a valid level.

use edge::telemetry::{LogFormat, TelemetryError, init};

#[test]
fn logs_are_set_up_once_and_panics_are_logged() {
    assert!(matches!(init(LogFormat::Json, "info,edge=="), Err(TelemetryError::Level(_))));
    assert!(init(LogFormat::Json, "info,edge=debug").is_ok());
    assert!(tracing::enabled!(tracing::Level::INFO) && !tracing::enabled!(tracing::Level::DEBUG));
    assert!(matches!(init(LogFormat::Pretty, "info"), Err(TelemetryError::Installed)));
    let panicked = std::thread::spawn(|| panic!("logged")).join();
    assert!(panicked.is_err());
}
