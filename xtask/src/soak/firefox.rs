//! The tests of the pages once more in Firefox, whose events, layout and network differ from Chromium's.

use crate::tools::apt;
use crate::tools::supply::{Tool, tool};
use crate::workspace::cargo;
use anyhow::Context;
use testkit::client::browser::CHOICE;

const BROWSER: &str = "firefox-esr";
const DRIVER: Tool = Tool { name: "geckodriver", version: "0.37.1" };
/// Browsers at a time: few, because scans are typed by the machine's clock.
const AT_A_TIME: &str = "2";
/// Tests that need Chromium, with the feature for which WebDriver has no standard command.
const CHROMIUM_ONLY: [(&str, &str); 15] = [
    ("budgets::a_thousand_sales_leave_no_more_than_ten_megabytes", "it measures Chromium's heap"),
    ("counting::a_carton_counts_its_pieces_and_differences_are_decided_by_value", "touch"),
    ("counting::counts_wait_on_the_phone_while_the_store_is_away_and_count_once", "touch"),
    ("layout::nothing_is_cut_or_covered_on_the_pages_of_store_admin_and_head_office", "touch"),
    ("looks::with_forced_colours_selected_and_pressed_elements_have_a_border", "forced colours"),
    ("office::buying::a_suggestion_is_ordered_revised_billed_credited_and_paid", "the page as it is printed"),
    ("sessions::a_log_out_that_did_not_reach_the_store_is_shown_and_repeated", "requests that are blocked"),
    ("stockroom::goods_go_back_to_their_supplier_and_labels_are_printed", "the page as it is printed"),
    ("till::layout::a_till_is_worked_by_touch_alone_and_back_loses_nothing", "touch"),
    ("till::layout::nothing_of_the_till_is_cut_or_too_small_to_touch_at_any_size", "touch"),
    ("till::mistakes::a_page_that_can_not_be_loaded_offers_to_reload", "requests that are blocked"),
    ("till::mistakes::letters_of_a_scan_are_no_keys_of_a_page", "keys with a time"),
    (
        "till::paper::a_document_of_head_office_is_printed_on_a4_as_wide_as_the_paper",
        "the page as it is printed",
    ),
    ("till::paper::a_print_of_the_browser_is_as_wide_as_the_paper", "the page as it is printed"),
    ("till::tasks::no_task_of_a_cashier_is_far_behind_the_best_of_other_products", "touch"),
];

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
        println!("not in Firefox: {name} ({reason})");
        test.args(["--skip", name]);
    }
    let folders = driver.parent().into_iter().map(std::path::Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    test.env("PATH", path).env(CHOICE, "firefox").env("RUST_TEST_THREADS", AT_A_TIME);
    Ok(test.status().await.context("cargo test")?.success())
}
