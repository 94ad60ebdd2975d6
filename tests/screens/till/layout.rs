//! The till on a touch screen: every page and dialog at seven sizes, in both languages, with long names and totals of
//! nine digits; and tasks by touch only.

use crate::layout::{BOTH, LAYOUT, Looks, SIZES, touches};
use crate::screen::{ENTER, Screen};
use testkit::{Store, process, wait};

const PRODUCTS: &str = "sku,name,price,category,barcode\n\
    L1,Beras Ramos Setra Wangi Kualitas Premium Cap Dua Anak Sehat 5 kg,180000000,Bahan pokok dan bumbu,89900018\n\
    L2,Sunsilk Shampoo Black Shine Long Hair Repair 170 ml,24500,Care,89900025\n\
    L3,Aqua Less Sugar Mineral Water Special Edition 600 ml,4000,Minuman,8990000123457\n\
    L4,Aqua Less Sugar Mineral Water Special Edition 1500 ml,7000,Minuman,\n";

/// Pages: name, script that opens the page, and an element that is then visible.
const PAGES: [(&str, &str, &str); 9] = [
    ("products", "app.show('products')", ".tile"),
    ("holds", "app.show('holds')", "page-holds h1"),
    ("return", "app.show('return')", "#receipt"),
    ("receipts", "app.show('receipts')", ".slip"),
    ("device", "app.show('device')", "page-device h1"),
    ("devices", "app.show('devices')", "page-devices h1"),
    ("unconfirmed", "app.show('unconfirmed')", "page-unconfirmed h1"),
    ("cash", "app.show('cash')", ".facts"),
    ("close", "app.show('close')", "#note-100000"),
];
/// Dialogs of the basket page.
const QUESTIONS: [(&str, &str, &str); 7] = [
    ("actions", "page.keys()['/']()", "dialog .menu"),
    ("menu", "app.menu()", "dialog .menu"),
    ("keys", "app.help()", "dialog .keys"),
    ("member", "page.keys().F2()", "#member-search"),
    ("edit", "page.keys().F4()", "#line-price"),
    ("discount", "page.keys().F3()", "#off"),
    ("many", "page.take('1000*')", "dialog .primary"),
];

impl Looks<Store> {
    /// Opens a dialog again in each language, because its text is drawn only once.
    #[track_caller]
    fn question(&mut self, (name, opens, sees): (&str, &str, &str)) {
        for language in BOTH {
            self.does(&format!("app.speak('{language}')"));
            self.does(opens);
            self.screen.sees(sees);
            self.at(name, &[language], &SIZES);
            self.does("app.dialog.close(null)");
        }
    }
}

/// Opens a shop with such goods, and a till in touch mode.
#[track_caller]
fn touched() -> Option<Screen> {
    let mut store = Store::prepare("", 1);
    let file = store.write_file("long.csv", PRODUCTS);
    process::succeed(store.command(&["import", "products", file.to_str().unwrap()]), "");
    store.start();
    let mut screen = Screen::open(store)?;
    touches(&mut screen);
    screen.visit("/pos");
    assert_eq!(screen.script("return matchMedia('(pointer: coarse)').matches"), true);
    Some(screen)
}

#[test]
fn nothing_of_the_till_is_cut_or_too_small_to_touch_at_any_size() {
    let Some(screen) = touched() else { return };
    let mut looks = Looks::with(screen, LAYOUT);
    looks.screen.sees("#username");
    looks.at("login", &BOTH, &SIZES);
    looks.screen.log_in("till-1");
    looks.screen.sees("#float");
    looks.screen.sees("num-pad[shown]");
    looks.at("open", &BOTH, &SIZES);
    looks.screen.open_shift();
    looks.at("sell, empty", &BOTH, &SIZES);
    for add in ["page.add('L4', 60000)", "page.add('L1', 2)", "page.add('L2', 300)", "page.add('L3', 1)"] {
        looks.does(add);
    }
    looks.screen.reads("#total", "873.962.940");
    looks.does("page.touch(1)");
    looks.screen.sees(".opened");
    // A message moves nothing, because it is drawn over the strip.
    let top = "return document.querySelector('main').getBoundingClientRect().top";
    let before = looks.screen.script(top);
    looks.does("page.setQty(0)");
    looks.screen.sees("#banner-act");
    assert_eq!(looks.screen.script(top), before);
    looks.at("sell, undo", &BOTH, &SIZES);
    looks.does("app.messageAct(app.message.action)");
    looks.does("page.touch(1)");
    looks.screen.sees(".opened");
    looks.at("sell", &BOTH, &SIZES);
    looks.does("(page.line.value = 'aqua', page.onInput())");
    looks.screen.sees("#found-1");
    looks.at("search", &BOTH, &SIZES);
    looks.does("page.clearLine()");
    for question in QUESTIONS {
        looks.question(question);
    }
    looks.does("page.pay()");
    looks.screen.sees("#amount");
    looks.at("pay", &BOTH, &SIZES);
    looks.does("page.choose('card')");
    looks.screen.sees("#reference");
    looks.at("pay by card", &BOTH, &SIZES);
    looks.does("page.take()");
    looks.screen.sees("#receipt-no");
    looks.at("paid", &BOTH, &SIZES);
    for (name, opens, sees) in PAGES {
        looks.does(opens);
        looks.screen.sees(sees);
        looks.at(name, &BOTH, &SIZES);
    }
    looks.does("app.show('cash').then(() => app.current.firstElementChild.move('pay_out'))");
    looks.screen.sees("#cash-amount");
    looks.at("pay out", &["id"], &SIZES);
    looks.does("app.dialog.close(null)");
    looks.does("app.lock()");
    looks.screen.sees("#unlock");
    looks.at("lock", &BOTH, &SIZES);
    looks.ends();
}

#[test]
fn a_till_is_worked_by_touch_alone_and_back_loses_nothing() {
    let Some(mut screen) = touched() else { return };
    screen.log_in("till-1");
    screen.sees("num-pad[shown]");
    let key = |screen: &mut Screen, n: u32| screen.browser.press(&format!(".pad-keys .btn:nth-child({n})"));
    // 2, 000, 00 and then Enter, which must not move to another field.
    for n in [2, 13, 15] {
        key(&mut screen, n);
    }
    assert_eq!(screen.script("return document.querySelector('#float').value"), "200,000");
    key(&mut screen, 12);
    screen.sees("#line");

    // Products by category, then a line that expands in its place.
    screen.browser.press(".q.every");
    screen.sees(".tile");
    // The categories come in a separate answer.
    screen.reads(".chips", "Minuman");
    screen.presses_named(".chips .btn", "Minuman");
    wait::until("the tiles of one category", || {
        (screen.script("return document.querySelectorAll('.tile').length") == 2).then_some(())
    });
    screen.reads(".tiles", "600 ml");
    screen.browser.press(".tile");
    screen.reads(".tiles-foot .total", "4,440");
    screen.browser.press(".bar .btn");
    screen.sees("#line");
    screen.browser.press(".row");
    screen.sees(".opened");
    screen.browser.press(".opened .steps .btn:last-child");
    screen.reads("#total", "8,880");
    screen.browser.press(".opened .count");
    screen.sees("dialog num-pad[shown]");
    for n in [4, 4, 5] {
        screen.browser.press(&format!("dialog .pad-keys .btn:nth-child({n})"));
    }
    screen.browser.press("dialog .pad-keys .tall");
    screen.reads("#total", "17,760");

    // Back does the same as Escape and never leaves the till.
    screen.browser.press(".side .pay");
    screen.sees("num-pad[shown]");
    screen.browser.back();
    screen.sees("#line");
    screen.browser.back();
    screen.reads("#banner", "To leave the till");
    screen.reads("#total", "17,760");
    screen.sees("page-sell");

    // The last digits of a barcode find its product. An unusually high quantity has to be confirmed.
    screen.script(
        "const page = examine.app().current.firstElementChild; page.line.value = '23457'; page.onInput()",
    );
    screen.reads("#found-0", "600 ml");
    screen.script("examine.app().current.firstElementChild.clearLine()");
    screen.types("999999*");
    screen.presses(ENTER);
    screen.reads("dialog h2", "999,999 pieces?");
    screen.browser.press("dialog footer .btn:not(.primary, .pad-keys *)");
    wait::until("the dialog is closed", || screen.text("dialog").is_empty().then_some(()));
    screen.reads("#total", "17,760");

    // Actions have keys, and the arrow keys move between them.
    screen.types("/");
    screen.sees("dialog .menu");
    screen.presses('\u{E015}');
    assert_eq!(
        screen.script("return document.activeElement.innerText.includes('Discount on the sale')"),
        true
    );
    screen.types("g");
    screen.reads("dialog h2", "Open drawer");
    screen.is_clean();
}
