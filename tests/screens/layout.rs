//! The pages of Store Admin and of head office at their screen sizes, in both languages and at 200 %: nothing is cut
//! off and nothing overlaps. In Store Admin, which is used by touch, every target is large enough. The walk has the
//! injection attacks; texts here are ordinary, with long names and totals of nine digits. The till has its own test
//! (`tests/screens/till/layout.rs`).

use crate::examine::strings;
use crate::furnished::{Furnished, REGISTER, as_people_at_length, furnished};
use crate::screen::Screen;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::linked::Linked;

pub type Size = (u32, u32);
/// 1280 by 800 at 200 %, in CSS pixels.
const ZOOMED: Size = (640, 400);
/// Window sizes of every page, from a phone to a large screen.
pub const SIZES: [Size; 7] =
    [ZOOMED, (360, 640), (768, 1024), (1024, 768), (1180, 820), (1280, 800), (1920, 1080)];
/// A dialog is at most 480 px wide, so these are the windows in which the styles of pages differ.
const QUESTION: [Size; 4] = [(360, 640), (768, 1024), (1280, 800), ZOOMED];
pub const BOTH: [&str; 2] = ["en", "id"];
/// Script that finds layout problems of the open page for touch.
pub const LAYOUT: &str = include_str!("layout.js");
/// Script that finds layout problems for a mouse.
const FITS: &str = "const looked = () => [...examine.fits(), ...examine.overlaps()];";
/// Script that checks in each of `LANGUAGES`.
const EACH: &str = include_str!("each_language.js");
const QUESTIONS: &str = include_str!("questions.js");

/// Checks states one after the other and collects problems.
pub struct Looks<S> {
    pub screen: Screen<S>,
    looked: String,
    pub wrong: Vec<String>,
}

impl<S> Looks<S> {
    /// `looked` is a script with a function of this name that returns the problems.
    pub fn with(screen: Screen<S>, looked: &str) -> Self {
        Self { screen, looked: looked.to_owned(), wrong: Vec::new() }
    }

    /// Checks the open page at these sizes.
    #[track_caller]
    pub fn at(&mut self, name: &str, languages: &[&str], sizes: &[Size]) {
        for (width, height) in sizes {
            let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            self.screen.browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
            let script = format!(
                "const LANGUAGES = {}; return (async () => {{ {} {EACH} }})()",
                json!(languages),
                self.looked
            );
            let found = strings(&self.screen.script(&script));
            self.wrong.extend(found.iter().map(|what| format!("{name}, {width} by {height}, {what}")));
        }
    }

    /// Starts an action in the page without waiting for its end.
    #[track_caller]
    pub fn does(&mut self, script: &str) {
        let around = "const app = examine.app(), page = app.current.firstElementChild;";
        self.screen.script(&format!("{around} void ({script}); return null"));
    }

    #[track_caller]
    pub fn ends(&mut self) {
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
        self.screen.is_clean();
    }

    /// Returns the addresses of the menu.
    #[track_caller]
    fn menu(&mut self) -> Vec<String> {
        strings(&self.screen.script("return examine.app().menu().map(([name]) => `#/${name}`)"))
    }

    /// Opens a page and returns its links.
    #[track_caller]
    fn goes(&mut self, address: &str) -> Vec<String> {
        let came = self.screen.script(&format!("return examine.go({})", json!(address)));
        assert_eq!(came["trouble"], Value::Null, "{address}");
        strings(&came["links"])
    }

    /// Opens the dialog of each button of the page, in both languages, because a dialog is drawn only once. Skips
    /// titles that were already checked on another page.
    #[track_caller]
    fn questions(&mut self, address: &str, asked: &mut BTreeSet<String>) {
        let [first, other] = BOTH;
        self.screen.script("questions.begin()");
        loop {
            self.does(&format!("app.speak('{first}')"));
            let title = self.screen.script("return questions.first()");
            let Some(title) = title.as_str() else { return };
            if title.is_empty() {
                self.goes(address);
                continue;
            }
            if asked.insert(title.to_owned()) {
                self.at(&format!("{address}, “{title}”"), &[first], &QUESTION);
                self.does(&format!("(app.dialog.close(null), app.speak('{other}'))"));
                let again = self.screen.script("return questions.again()");
                assert_ne!(again.as_str().unwrap_or_default(), "", "{address}, “{title}” opens only once");
                self.at(&format!("{address}, “{title}”"), &[other], &QUESTION);
            }
            self.does("app.dialog.close(null)");
        }
    }
}

#[track_caller]
pub fn touches<S>(screen: &mut Screen<S>) {
    let touch = json!({"enabled": true, "maxTouchPoints": 5});
    screen.browser.devtools("Emulation.setTouchEmulationEnabled", &touch);
}

/// Creates a day with totals of nine digits.
#[track_caller]
fn sells_much(shop: &mut Linked) {
    let float = json!({"register_id": REGISTER, "opening_float": 200_000});
    shop.till.post("/api/shifts/open", &float).data(201);
    let basket = json!({"items": [{"sku": "8990007", "qty": 9_000}]});
    let sale = shop.till.post("/api/pos/transactions", &basket).data(201);
    let pay = format!("/api/pos/transactions/{}/pay", sale["transaction_id"].as_str().unwrap());
    let paid = json!({"method": "cash", "amount": sale["amount_due"]});
    shop.till.post(&pay, &json!({"payments": [paid]})).data(200);
    let shift = shop.till.get("/api/shifts/current").data(200);
    let drop = format!("/api/shifts/{}/cash-movements", shift["shift_id"].as_str().unwrap());
    shop.till
        .post(&drop, &json!({"type": "drop", "amount": 150_000_000, "reason": "Too much in the drawer"}))
        .data(201);
    shop.manager
        .post("/api/deposits", &json!({"amount": 123_456_789, "bag_no": "B-18", "bank_account": "BCA 123"}))
        .data(201);
    shop.synced();
}

#[test]
fn nothing_is_cut_or_covered_on_the_pages_of_store_admin_and_head_office() {
    let Furnished { mut shop, portal, admin } = furnished(as_people_at_length);
    sells_much(&mut shop);
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");
    let mut looks = Looks::with(screen, FITS);
    for address in looks.menu().into_iter().chain(portal.into_iter().map(|(_, address)| address)) {
        looks.goes(&address);
        looks.at(&address, &BOTH, &SIZES);
    }
    let mut wrong = looks.wrong.split_off(0);

    let mut screen = looks.screen;
    touches(&mut screen);
    screen.turns_to(&shop.store, "/admin");
    let mut looks = Looks::with(screen, LAYOUT);
    looks.screen.sees("#username");
    looks.at("login", &BOTH, &SIZES);
    looks.screen.log_in("admin");
    looks.screen.sees(".figures");
    looks.screen.script(QUESTIONS);
    let mut asked = BTreeSet::new();
    let mut left: Vec<String> =
        looks.menu().into_iter().chain(admin.into_iter().map(|(_, address)| address)).collect();
    let mut known = BTreeSet::new();
    while let Some(address) = left.pop() {
        if !crate::walk::shape(&address).is_some_and(|shape| known.insert(shape)) {
            continue;
        }
        left.extend(looks.goes(&address));
        looks.at(&address, &BOTH, &SIZES);
        looks.questions(&address, &mut asked);
    }
    println!("{} pages, {} questions: {asked:#?}", known.len(), asked.len());
    looks.wrong.append(&mut wrong);
    looks.ends();
}
