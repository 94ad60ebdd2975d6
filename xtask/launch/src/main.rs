//! `cargo xtask`: builds the commands of `xtask` and runs them in its place. It needs only the standard library, so
//! that it can report what is being built before anything is built.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The whole workspace is named, so that a crate has one set of features for all our programs, and is built once.
const COMMANDS: [&str; 4] = ["build", "--workspace", "--bin", "xtask"];
/// What compiles everything that is tested or started.
const ALL_TESTED: [&str; 3] = ["build", "--workspace", "--all-targets"];
/// Environment of `test`, its builds and its tests: the linter compiles the workspace and lints as it goes, so that no
/// crate is compiled twice, and nothing is kept for a next build.
const LINTED: [(&str, &str); 3] = [
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
    // How `cargo clippy -- -D warnings` hands its arguments to the linter.
    ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
    ("CARGO_INCREMENTAL", "0"),
];
/// Passes on how many seconds that build took.
const BUILD_SECONDS: &str = "XTASK_BUILD_SECONDS";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("cargo xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Gives a code only where the build failed: otherwise this process becomes the commands.
fn run() -> io::Result<ExitCode> {
    let tool = std::env::current_exe()?.with_file_name("xtask");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let tests_all = arguments == ["test"];
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(root);
    let mut commands = Command::new(&tool);
    commands.args(&arguments);
    if tests_all {
        eprintln!("building and linting everything: many minutes on two cores, once");
        build.args(ALL_TESTED).envs(LINTED);
    } else {
        build.args(COMMANDS);
        if tool.exists() {
            build.arg("--quiet");
        } else {
            eprintln!("building the project's own commands: several minutes on two cores, once");
        }
    }
    let started = Instant::now();
    if !build.status()?.success() {
        return Ok(ExitCode::FAILURE);
    }
    if tests_all {
        commands.envs(LINTED).env(BUILD_SECONDS, started.elapsed().as_secs().to_string());
    }
    Err(commands.exec())
}
