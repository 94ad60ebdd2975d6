//! Visits every page of the three apps, by the apps' own tables and by their links, so that a new page is visited
//! without changing this test and an unreachable page is reported. Texts entered by users are injection attacks
//! everywhere; with `SCREENS=write` they are ordinary texts, and the pictures are kept.

use crate::examine::{Pictures, crowded, examined, strings, tabbed, writes_pictures};
use crate::furnished::{Furnished, HOSTILE, Place, REGISTER, Say, as_an_attacker, as_people, furnished};
use crate::screen::{ENTER, ESCAPE, F7, F8, F9, F10, Screen};
use serde_json::json;
use std::collections::{BTreeSet, VecDeque};

/// Script that returns the app's names of its pages, except those that are loaded at the start.
const PAGES: &str = "return Object.keys(examine.app().later)";

/// A walk through one app.
struct Walk {
    app: &'static str,
    say: Say,
    /// The app's names of the visited pages.
    pages: BTreeSet<String>,
    /// Pages that show texts of users.
    speaking: Vec<String>,
    wrong: Vec<String>,
}

fn say() -> Say {
    if writes_pictures() { as_people } else { as_an_attacker }
}

impl Walk {
    fn through(app: &'static str) -> Self {
        Self { app, say: say(), pages: BTreeSet::new(), speaking: Vec::new(), wrong: Vec::new() }
    }

    /// Runs every check on the open page.
    #[track_caller]
    fn page<S>(&mut self, screen: &mut Screen<S>, name: &str) {
        let began = std::time::Instant::now();
        let mut wrong: Vec<String> =
            screen.script("return examine.quiet()").as_str().map(str::to_owned).into_iter().collect();
        let typed = screen.script(&format!("return examine.typed({})", json!(HOSTILE)));
        wrong.extend(strings(&typed["wrong"]));
        if typed["shown"] == true {
            self.speaking.push(name.to_owned());
        }
        let page = screen.script("return examine.app().page");
        self.pages.insert(page.as_str().unwrap_or_default().to_owned());
        wrong.extend(crowded(screen));
        wrong.extend(examined(screen, &format!("{}/{name}", self.app), Pictures::All));
        wrong.extend(tabbed(screen));
        wrong.extend(strings(&screen.script("return troubles.splice(0)")));
        println!("{}/{name}: {} ms, {} wrong", self.app, began.elapsed().as_millis(), wrong.len());
        self.wrong.extend(wrong.iter().map(|what| format!("{}/{name}: {what}", self.app)));
    }

    /// Visits every address of an app with a menu: its sections, the links on them, and `more`.
    #[track_caller]
    fn everywhere<S>(&mut self, screen: &mut Screen<S>, more: &[Place]) {
        let sections = "return examine.app().menu().map(([name]) => `#/${name}`)";
        let sections = strings(&screen.script(sections));
        let pages = strings(&screen.script(PAGES));
        let more = more.iter().filter(|(page, _)| pages.iter().any(|one| one == page));
        let mut left: VecDeque<String> = more.map(|(_, address)| address.clone()).chain(sections).collect();
        let mut known = BTreeSet::new();
        while let Some(address) = left.pop_front() {
            let Some(shape) = shape(&address).filter(|shape| known.insert(shape.clone())) else { continue };
            let came = screen.script(&format!("return examine.go({})", json!(address)));
            assert_eq!(screen.text("#banner.bad"), "", "{address}");
            let name = if shape.ends_with("/*") { came["page"].as_str().unwrap().to_owned() } else { shape };
            self.page(screen, &name.replace("/*", "").replace('/', "-"));
            left.extend(strings(&came["links"]));
        }
    }

    /// Asserts that no check failed, that every page of the app was visited, and that at least this many pages showed
    /// texts of users.
    #[track_caller]
    fn ends<S>(self, screen: &mut Screen<S>, speaking: usize) {
        let all = strings(&screen.script(PAGES));
        let missed: Vec<_> = all.iter().filter(|page| !self.pages.contains(*page)).collect();
        assert!(missed.is_empty(), "no link leads to {missed:?}; visited: {:?}", self.pages);
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
        println!("somebody's text stands on {}: {:?}", self.speaking.len(), self.speaking);
        assert!(writes_pictures() || self.speaking.len() >= speaking, "only {:?}", self.speaking);
    }
}

/// Returns the page of an address without the document's ID: `orders`, `orders/new`, `orders/*`, `orders/*/revise`.
pub fn shape(address: &str) -> Option<String> {
    let way = address.strip_prefix("#/")?.split('?').next()?;
    let parts: Vec<_> = way.split('/').collect();
    match parts[..] {
        [section] => Some(section.to_owned()),
        [section, "new"] => Some(format!("{section}/new")),
        [section, _] => Some(format!("{section}/*")),
        [section, _, part] => Some(format!("{section}/*/{part}")),
        _ => None,
    }
}

#[test]
fn every_page_of_head_office_is_fit_for_everybody_and_takes_text_for_text() {
    let Furnished { shop, portal, .. } = furnished(say());
    let Some(mut screen) = Screen::office(&shop.hub) else { return };
    let mut walk = Walk::through("portal");
    screen.sees("#username");
    walk.page(&mut screen, "login");
    screen.log_in_as("admin@hub.example");
    screen.sees("page-overview h1");
    walk.everywhere(&mut screen, &portal);
    walk.ends(&mut screen, 50);
}

#[test]
fn every_page_of_the_store_is_fit_for_everybody_and_takes_text_for_text() {
    let Furnished { shop, admin, .. } = furnished(say());
    let Some(mut screen) = Screen::of(&shop.store, "/admin") else { return };
    let mut walk = Walk::through("admin");
    screen.log_in("admin");
    screen.sees(".figures");
    walk.everywhere(&mut screen, &admin);
    walk.ends(&mut screen, 9);
    screen.script("return examine.app().logOut()");

    screen.visit("/pos");
    let mut walk = Walk::through("pos");
    screen.sees("#username");
    walk.page(&mut screen, "login");
    screen.log_in("till-1");
    screen.sees("#float");
    walk.page(&mut screen, "open");
    screen.open_till(REGISTER);
    walk.page(&mut screen, "sell-empty");
    let note = json!({"note": (walk.say)("Fetches the wallet"), "items": [{"sku": "8990001", "qty": 1, "price": 2_000}]});
    shop.store.login("till-1").at_register(REGISTER).post("/api/pos/holds", &note).data(201);
    sale(&mut walk, &mut screen);
    after(&mut walk, &mut screen);
    walk.ends(&mut screen, 9);
}

/// Script that stores a command without an answer, as the page does.
const LEAVE: &str = "return new Promise((done) => { const opened = indexedDB.open('pos', 1); opened.onsuccess = () => {\
    const change = opened.result.transaction('intents', 'readwrite'); change.oncomplete = () => done(null);\
    change.objectStore('intents').put(LEFT); }; })";

/// Makes a sale, from the first scan to the change.
#[track_caller]
fn sale(walk: &mut Walk, screen: &mut Screen<()>) {
    for code in ["89900010", "89900030", "89900070", "89900120", "89900100", "89900020", "89900080"] {
        screen.scans(code);
    }
    screen.reads("#total", "121,990");
    screen.sees(".display[aria-busy=false]");
    walk.page(screen, "sell");
    screen.types(if writes_pictures() { "aq" } else { "onerr" });
    screen.sees("#found-0");
    walk.page(screen, "search");
    screen.script("document.querySelector('#line').focus()");
    screen.presses(ESCAPE);
    screen.types("/");
    screen.sees("dialog");
    walk.page(screen, "actions");
    screen.presses(ESCAPE);
    screen.presses(F9);
    screen.sees("#amount");
    screen.types("k");
    screen.types("50.");
    screen.presses(ENTER);
    screen.sees(".due .btn");
    screen.types("100.");
    walk.page(screen, "pay");
    screen.script("document.querySelector('#amount').focus()");
    screen.presses(ENTER);
    screen.sees("#change");
    walk.page(screen, "paid");
    screen.presses(ENTER);
    screen.sees("#line");
}

/// Visits the till's pages other than selling.
#[track_caller]
fn after(walk: &mut Walk, screen: &mut Screen<()>) {
    let no = screen.script("return examine.app().last.receipt_no");
    screen.presses(F8);
    screen.sees("#receipt");
    walk.page(screen, "return-empty");
    screen.script("document.querySelector('#receipt').focus()");
    screen.types(no.as_str().unwrap());
    screen.presses(ENTER);
    screen.sees("#back-1");
    screen.types("1");
    screen.sees(".pay:enabled");
    walk.page(screen, "return");
    screen.presses(ESCAPE);
    screen.sees("#line");
    screen.presses(F7);
    screen.sees("tbody tr");
    walk.page(screen, "holds");
    screen.presses(ESCAPE);
    screen.sees("#line");
    let left = json!({"key": "left", "app": "pos", "user_id": "usr_1", "by": (walk.say)("Sari"), "method": "POST",
        "url": "/api/pos/returns", "label": "Refund", "amount": 27_750, "created_at": 1_795_000_000_000_u64});
    screen.script(&LEAVE.replace("LEFT", &left.to_string()));
    for (page, selector) in [
        ("products", ".tile"),
        ("receipts", ".slip"),
        ("devices", "page-devices h1"),
        ("device", "page-device h1"),
        ("unconfirmed", "#state-0"),
        ("elsewhere", "main .card"),
    ] {
        screen.script(&format!("return examine.show('{page}')"));
        screen.sees(selector);
        walk.page(screen, page);
    }
    screen.script("return examine.app().load()");
    screen.sees("#line");
    screen.presses(F10);
    screen.sees(".facts");
    walk.page(screen, "cash");
    screen.presses(F9);
    screen.sees("#note-100000");
    for pieces in ["2", "1"] {
        screen.types(pieces);
        screen.presses(ENTER);
    }
    screen.types("1");
    screen.reads("#counted", "270,000");
    walk.page(screen, "close");
    screen.presses(F9);
    screen.sees("#variance");
    walk.page(screen, "closed");
    // The menu is a dialog, and the lock replaces the page: neither has the name of a page.
    screen.script("examine.app().menu()");
    screen.sees("dialog .menu");
    walk.page(screen, "menu");
    screen.presses(ESCAPE);
    screen.script("examine.app().lock()");
    screen.sees("page-locked #unlock");
    walk.page(screen, "lock");
    walk.pages.extend(["menu", "lock"].map(str::to_owned));
}
