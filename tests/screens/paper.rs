//! Paper from the till's page: by the browser as wide as the paper, or on the till's own printer.

use crate::screen::Screen;
use serde_json::json;
use std::io::Read;
use std::net::TcpListener;
use testkit::Store;

/// Sells one thing for cash and waits for its figures.
#[track_caller]
fn sold(screen: &mut Screen) {
    screen.basket(&["89900070"], "27,750");
    screen.pays("c");
}

#[test]
fn what_the_browser_prints_is_as_wide_as_the_paper() {
    for (columns, millimetres) in [(42, 72.0), (32, 52.0)] {
        let settings = format!("printing.columns = {columns}\n");
        let Some(mut screen) = Screen::selling(Store::open_with(&settings, 1)) else { return };
        screen.script("window.print = () => { window.printed = true; }");
        sold(&mut screen);
        screen.browser.press(".last .link");
        screen.sees("#paper[data-columns]:not(:empty)");
        let media = json!({"media": "print"});
        screen.browser.devtools("Emulation.setEmulatedMedia", &media);
        let lines =
            "return document.getElementById('paper').textContent.split('\\n').map((line) => line.length)";
        let widest = screen.script(lines).as_array().unwrap().iter().filter_map(|width| width.as_u64()).max();
        assert_eq!(widest, Some(columns), "a figure stands at the paper's edge");
        let width = "const all = document.createRange(); all.selectNodeContents(document.getElementById('paper'));\
            return all.getBoundingClientRect().width * 25.4 / 96";
        let width = screen.script(width).as_f64().unwrap();
        assert!(width > millimetres * 0.8 && width <= millimetres, "{columns} columns are {width} mm wide");
        let others = "return [...document.body.children].filter((one) => getComputedStyle(one).display !== 'none').length";
        assert_eq!(screen.script(others), 1, "nothing but the paper");
        screen.is_clean();
    }
}

#[test]
fn a_tills_own_printer_prints_and_its_failure_is_said() {
    let printer = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = printer.local_addr().unwrap();
    // The first shift of a shop is that of the till `main`.
    let settings = format!("printing.printers = [\"main={place}\"]\nprinting.drawer = false\n");
    let Some(mut screen) = Screen::selling(Store::open_with(&settings, 1)) else { return };
    sold(&mut screen);
    screen.browser.press(".last .link");
    let mut paper = Vec::new();
    printer.accept().unwrap().0.read_to_end(&mut paper).unwrap();
    let number = b"S001-main-00000001";
    assert!(paper.windows(number.len()).any(|part| part == number));
    screen.reads("#banner", "Sent to the printer");
    drop(printer);
    screen.browser.press(".last .link");
    screen.reads("#banner", "Not printed: the printer is off or not there");
    // And selling goes on.
    sold(&mut screen);
    screen.is_clean();
}

#[test]
fn a_receipt_comes_out_by_itself_in_the_shops_language() {
    let settings = "printing.auto_print = true\nprinting.language = \"id\"\n";
    let Some(mut screen) = Screen::selling(Store::open_with(settings, 1)) else { return };
    screen.script("window.print = () => { window.printed = (window.printed ?? 0) + 1; }");
    sold(&mut screen);
    screen.sees("#paper:not(:empty)");
    let paper = screen.script("return document.getElementById('paper').textContent");
    let paper = paper.as_str().unwrap();
    assert!(paper.contains("Struk S001-main-00000001") && paper.contains("Tunai"), "{paper}");
    assert_eq!(screen.script("return window.printed"), 1);
    assert!(!paper.contains("SALINAN"), "the first paper is no copy: {paper}");
    screen.is_clean();
}
