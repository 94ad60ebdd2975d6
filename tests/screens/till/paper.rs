//! Printing from the till's page: by the browser at the width of the paper, or on the till's own printer; and head
//! office's documents on A4.

use crate::furnished::{Furnished, as_people, furnished};
use crate::office::portal::go;
use crate::screen::Screen;
use crate::till::mistakes::{PAPERS, papers};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::io::Read;
use std::net::TcpListener;
use testkit::{Store, wait};

/// Sells one product for cash and waits for its figures.
#[track_caller]
fn sold(screen: &mut Screen) {
    screen.basket(&["89900070"], "27,750");
    screen.pays("c");
}

#[test]
fn a_print_of_the_browser_is_as_wide_as_the_paper() {
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
        assert_eq!(widest, Some(columns), "figures are at the edge of the paper");
        let width = "const all = document.createRange(); all.selectNodeContents(document.getElementById('paper'));\
            return all.getBoundingClientRect().width * 25.4 / 96";
        let width = screen.script(width).as_f64().unwrap();
        assert!(width > millimetres * 0.8 && width <= millimetres, "{columns} columns are {width} mm wide");
        let others = "return [...document.body.children].filter((one) => getComputedStyle(one).display !== 'none').length";
        assert_eq!(screen.script(others), 1, "only the receipt is printed");
        let paper = screen.script(
            "return [document.getElementById('paper').getBoundingClientRect().height * 25.4 / 96, [...document.adoptedStyleSheets[0].cssRules].map((rule) => rule.cssText)]",
        );
        let (high, pages) = (paper[0].as_f64().unwrap(), sheets(&mut screen));
        let [(wide, long)] = pages[..] else { panic!("{pages:?}: one piece of paper, {paper}") };
        assert!(
            (wide - if columns == 42 { 80.0 } else { 58.0 }).abs() < 0.5,
            "{columns} columns on {wide} mm"
        );
        assert!(long > high && long < high + 25.0, "{high} mm of text on {long} mm");
        screen.is_clean();
    }
}

/// Returns the size in millimetres of each page that the browser prints.
#[track_caller]
fn sheets<S>(screen: &mut Screen<S>) -> Vec<(f64, f64)> {
    let how = json!({"preferCSSPageSize": true, "printBackground": true});
    let printed = screen.browser.devtools("Page.printToPDF", &how);
    let bytes = STANDARD.decode(printed["data"].as_str().unwrap()).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let boxes = text.split("/MediaBox [").skip(1).filter_map(|rest| rest.split(']').next());
    let sizes = boxes.map(|given| {
        given.split_whitespace().filter_map(|part| part.parse::<f64>().ok()).collect::<Vec<_>>()
    });
    sizes.map(|size| (size[2] * 25.4 / 72.0, size[3] * 25.4 / 72.0)).collect()
}

#[test]
fn a_document_of_head_office_is_printed_on_a4_as_wide_as_the_paper() {
    let Furnished { shop, .. } = furnished(as_people);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");
    screen.script("document.documentElement.dataset.theme = 'dark'");
    screen.browser.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    // 180 mm: the width without the margins.
    let paper = json!({"width": 680, "height": 1009, "deviceScaleFactor": 1, "mobile": false});
    screen.browser.devtools("Emulation.setDeviceMetricsOverride", &paper);
    for section in ["orders", "invoices", "settlements", "journal"] {
        go(&mut screen, &format!("#/{section}"), "page-records tbody a");
        screen.script("document.querySelector('page-records tbody a').click()");
        screen.sees("page-record .part");
        screen.script("return examine.quiet()");
        let seen = screen.script(
            "const over = [...document.querySelectorAll('main, main .scroll, main td')].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth);\
             const shown = ['.side', '.bar', 'main .btn'].filter((one) => document.querySelector(one)?.checkVisibility());\
             return [over.map((one) => one.innerText.slice(0, 60)), shown, getComputedStyle(document.body).backgroundColor]",
        );
        assert_eq!(seen, json!([[], [], "rgb(243, 245, 245)"]), "{section}");
        let pages = sheets(&mut screen);
        let a4 = |(wide, long): &(f64, f64)| (wide - 210.0).abs() < 0.5 && (long - 297.0).abs() < 0.5;
        assert!(!pages.is_empty() && pages.iter().all(a4), "{section}: {pages:?}");
    }
    screen.is_clean();
}

#[test]
fn a_tills_own_printer_prints_and_its_failure_shows() {
    let printer = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = printer.local_addr().unwrap();
    // The first shift of a shop belongs to the till `main`.
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
    screen.reads("#banner", "Not printed: the printer is off or disconnected");
    // Selling continues.
    sold(&mut screen);
    screen.is_clean();
}

#[test]
fn a_receipt_comes_out_by_itself_in_the_shops_language() {
    let settings = "printing.auto_print = true\nprinting.language = \"id\"\n";
    let Some(mut screen) = Screen::selling(Store::open_with(settings, 1)) else { return };
    screen.script(PAPERS);
    screen.script("window.asked = []; const real = window.fetch; window.fetch = (url, how) => { asked.push(url); return real(url, how); }");
    sold(&mut screen);
    wait::until("the receipt is printed", || (papers(&mut screen).len() == 1).then_some(()));
    let paper = papers(&mut screen).remove(0);
    assert!(paper.contains("Struk S001-main-00000001") && paper.contains("Tunai"), "{paper}");
    assert!(!paper.contains("SALINAN"), "the first print is not a copy: {paper}");
    // A finished print causes neither another one nor an error.
    screen.browser.press(".last .link");
    wait::until("the receipt is printed again", || (papers(&mut screen).len() == 2).then_some(()));
    assert_eq!(screen.script("return asked.filter((url) => url.includes('undefined'))"), json!([]));
    assert_eq!(screen.text("#banner"), "");
    screen.is_clean();
}
