//! `cargo xtask`: builds the commands of `xtask` and runs them in its place. It needs only the standard library, so
//! that it can report what is being built before anything is built.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The whole workspace is named, so that a crate has one set of features for all our programs, and is built once.
const BUILD: [&str; 4] = ["build", "--workspace", "--bin", "xtask"];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("cargo xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Gives a code only where the commands could not be built: otherwise this process becomes them.
fn run() -> io::Result<ExitCode> {
    let tool = std::env::current_exe()?.with_file_name("xtask");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(BUILD).current_dir(root);
    if tool.exists() {
        build.arg("--quiet");
    } else {
        eprintln!(
            "building the project's own commands with what they need: several minutes on two cores, once"
        );
    }
    if !build.status()?.success() {
        return Ok(ExitCode::FAILURE);
    }
    Err(Command::new(tool).args(std::env::args_os().skip(1)).exec())
}
