//! The tests of the pages once more in Firefox, whose events, layout and network differ from Chromium's.

use crate::tools::apt;
use crate::tools::supply::{Tool, tool};
use crate::workspace::cargo;
use anyhow::Context;
use testkit::client::browser::CHOICE;

const BROWSER: &str = "firefox-esr";
const DRIVER: Tool = Tool { name: "geckodriver", version: "0.37.1" };
/// Browsers at a time: Firefox takes twice the memory and time of Chromium, and scans are typed by the machine's clock.
const AT_A_TIME: &str = "2";
/// Tests that need Chromium, and why.
const CHROMIUM_ONLY: [(&str, &str); 0] = [];

/// Runs the tests.
///
/// # Errors
/// The browser or its driver can't be installed.
pub async fn run() -> anyhow::Result<bool> {
    if apt::program(BROWSER).is_none() {
        apt::install(&[BROWSER], "firefox-esr could not be installed with apt-get").await?;
    }
    let driver =
        tool(DRIVER).await?.context("geckodriver could not be installed from the package registry")?;
    let mut test = cargo(&["test", "--workspace", "--test", "screens", "--"]);
    for (name, reason) in CHROMIUM_ONLY {
        println!("not in Firefox: {name}: {reason}");
        test.args(["--exact", "--skip", name]);
    }
    let folders = driver.parent().into_iter().map(std::path::Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    test.env("PATH", path).env(CHOICE, "firefox").env("RUST_TEST_THREADS", AT_A_TIME);
    Ok(test.status().await.context("cargo test")?.success())
}
