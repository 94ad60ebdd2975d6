//! Account numbers: finds them in lines, and compares their spellings.

use edge::sheet::currency_code;

/// Fewest digits of an account number.
const DIGITS_MIN: usize = 6;
/// Most bytes of a number that is stored with a source.
const WHOLE_BYTES_MAX: usize = 64;
/// Fewest shown characters of a masked number that identify it.
const SHOWN_MIN: usize = 3;
/// Most words of a label.
const LABEL_WORDS_MAX: usize = 6;
/// Words for an account in a label. Words that end with `konto` or `rekening` are words for it too.
const ACCOUNTS: [&str; 17] = [
    "rek",
    "norek",
    "account",
    "acct",
    "acc",
    "akun",
    "iban",
    "compte",
    "cuenta",
    "conta",
    "conto",
    "kontonummer",
    "kontonr",
    "kontonumber",
    "rekeningnummer",
    "rekeningnr",
    "kto",
];
/// Words for a number in a label.
const NUMBERS: [&str; 11] =
    ["no", "nr", "nomor", "number", "num", "nummer", "numero", "numéro", "número", "id", "iban"];
/// Words of labels for other properties of the account.
const OTHERS: [&str; 20] = [
    "balance",
    "saldo",
    "name",
    "nama",
    "naam",
    "holder",
    "inhaber",
    "type",
    "jenis",
    "tipe",
    "status",
    "owner",
    "pemilik",
    "statement",
    "manager",
    "branch",
    "cabang",
    "titulaire",
    "titular",
    "opened",
];
/// Words of labels for the account of somebody else.
const NOT_OWN: [&str; 14] = [
    "lawan",
    "tujuan",
    "gegenkonto",
    "tegenrekening",
    "counterparty",
    "beneficiary",
    "to",
    "from",
    "ke",
    "dari",
    "transfer",
    "trsf",
    "kr",
    "dr",
];

/// The account number after a label such as `No. Rekening :` in a line, in the spelling of the file.
pub fn named(line: &str) -> Option<String> {
    let mut line = line.to_owned();
    for (short, word) in
        [("A/C", "account"), ("a/c", "account"), ("n°", "no"), ("N°", "no"), ("nº", "no"), ("Nº", "no")]
    {
        line = line.replace(short, word);
    }
    let segments = line.split([':', '=', ';', ',', '\t', '|', '"']).map(str::trim);
    let segments: Vec<&str> = segments.filter(|segment| !segment.is_empty()).collect();
    segments.iter().enumerate().find_map(|(place, segment)| {
        let words: Vec<&str> = segment.split_whitespace().collect();
        let label = words.iter().take_while(|word| !is_numeric(word)).count();
        let (label, rest) = words.split_at_checked(label)?;
        let has_number = is_label(&label.join(" "))?;
        let value = match rest {
            [] => (*segments.get(place.checked_add(1)?)?).to_owned(),
            rest => rest.join(" "),
        };
        let begins = value.split_whitespace().next().is_some_and(is_numeric);
        // `Rekening Koran, Cabang 123456` has no account number.
        let value = number(&value).filter(|_| begins || has_number)?;
        let shown = value.chars().filter(char::is_ascii_digit).count();
        let enough = if is_masked(&value) { tail(&value).len() >= SHOWN_MIN } else { shown >= DIGITS_MIN };
        enough.then_some(value)
    })
}

/// Whether a text is the label of an account, and whether it has a word for its number.
fn is_label(text: &str) -> Option<bool> {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let compound = || words.iter().any(|word| word.ends_with("konto") || word.ends_with("rekening"));
    let is_one = words.len() <= LABEL_WORDS_MAX && !has(&NOT_OWN) && (has(&ACCOUNTS) || compound());
    let has_number = has(&NUMBERS);
    (is_one && (has_number || !has(&OTHERS))).then_some(has_number)
}

fn is_mask(c: char) -> bool {
    matches!(c, '*' | '\u{2022}' | '\u{25cf}' | '#' | 'X' | 'x')
}

/// Whether a word has digits, or hides them.
fn is_numeric(word: &str) -> bool {
    let hides = word.chars().count() >= SHOWN_MIN && word.chars().all(is_mask);
    hides || word.contains(|c: char| c.is_ascii_digit())
}

/// Whether part of a number is hidden, as in `****4321` and `XXXX4321`.
fn is_masked(text: &str) -> bool {
    text.contains(['*', '\u{2022}', '\u{25cf}', '#']) || text.contains("XX") || text.contains("xx")
}

/// The shown end of a masked number.
fn tail(text: &str) -> String {
    let behind = text.rsplit(is_mask).next().unwrap_or_default();
    behind.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The number in a text, without the name, the currency or the words behind it.
fn number(text: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | ')'));
    for word in words.skip_while(|word| !is_numeric(word)) {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && !is_mask(c));
        let is_group = word.len() <= 4 && word.chars().all(|c| c.is_ascii_alphanumeric());
        let in_iban = is_group && !word.is_empty() && parts.first().is_some_and(|first| is_iban(first));
        if !is_numeric(word) && (!in_iban || currency_code(word).is_some()) {
            break;
        }
        parts.push(word);
    }
    let is_date = parts.first().is_some_and(|first| is_date(first));
    (!parts.is_empty() && !is_date).then(|| parts.join(" "))
}

/// Whether a word begins an IBAN: two letters and two digits.
fn is_iban(word: &str) -> bool {
    let mut characters = word.chars();
    let mut next_is = |fits: fn(&char) -> bool| characters.next().is_some_and(|c| fits(&c));
    let letters = next_is(char::is_ascii_alphabetic) && next_is(char::is_ascii_alphabetic);
    letters && next_is(char::is_ascii_digit) && next_is(char::is_ascii_digit)
}

/// Whether a word is a day with a year of four digits.
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['.', '/', '-']).collect();
    let digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    digits && matches!(lengths.as_slice(), [1 | 2, 1 | 2, 4] | [4, 1 | 2, 1 | 2])
}

/// Whether two texts are the number of the same account. An IBAN ends with the number of its account. A bank code may
/// precede the number, and a name or a currency may follow it. Of a masked number the shown characters are compared.
pub fn is_same_account(one: &str, other: &str) -> bool {
    if plain(one) == plain(other) {
        return true;
    }
    let [one, other] = [one, other].map(|text| number(text).unwrap_or_else(|| text.to_owned()));
    match (is_masked(&one), is_masked(&other)) {
        (true, _) => fits_masked(&one, &other),
        (false, true) => fits_masked(&other, &one),
        (false, false) => is_same_number(&one, &other),
    }
}

/// Whether a text is a number without hidden characters.
pub fn is_whole(text: &str) -> bool {
    text.len() <= WHOLE_BYTES_MAX
        && !is_masked(text)
        && text.chars().filter(char::is_ascii_digit).count() >= DIGITS_MIN
}

fn fits_masked(masked: &str, other: &str) -> bool {
    let (shown, other) = (tail(masked), tail(other));
    let (shown, other) = (shown.to_ascii_uppercase(), other.to_ascii_uppercase());
    shown.len() < SHOWN_MIN || other.ends_with(&shown) || shown.ends_with(&other)
}

fn plain(text: &str) -> String {
    let text = text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase());
    text.skip_while(|c| *c == '0').collect()
}

fn is_same_number(one: &str, other: &str) -> bool {
    let behind_code = |one: &str, other: &str| {
        let last = one.rsplit_once(' ').map(|(_, last)| plain(last)).unwrap_or_default();
        last.len() >= DIGITS_MIN && last == plain(other)
    };
    if behind_code(one, other) || behind_code(other, one) {
        return true;
    }
    let (one, other) = (plain(one), plain(other));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_end = short.len() >= DIGITS_MIN && long.starts_with(char::is_alphabetic) && long.ends_with(&short);
    short == long || is_end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iban_and_its_number_are_one_account() {
        for (one, other, same) in [
            ("1234567890", "123-456-7890", true),
            ("NL00BANK0123456789", "0123456789", true),
            ("0060000000001", "60000000001", true),
            ("1234567890", "1234567891", false),
            ("ID001234567890", "7890", false),
            ("1234567890 - PT MAJU", "1234567890", true),
            ("1234567890 IDR", "1234567890", true),
            ("1234567890/IDR", "1234567890", true),
            ("1234567890 (IDR)", "1234567890", true),
            ("1234567890 a.n. PT MAJU 2", "1234567890", true),
            ("1234567891 a.n. PT MAJU 2", "1234567890", false),
            ("****567890", "1234567890", true),
            ("XXXXXX7890", "1234567890", true),
            ("XXXXXX7891", "1234567890", false),
            ("1234 5678 90", "1234567890", true),
            ("20-00-00 12345678", "12345678", true),
            ("20-00-00 12345678", "12345679", false),
            ("CH62 0023 4234 1039 1440 G", "CH620023423410391440G", true),
            ("0001234567890", "1234567890", true),
        ] {
            assert_eq!(is_same_account(one, other), same, "{one} {other}");
            assert_eq!(is_same_account(other, one), same, "{other} {one}");
        }
    }

    #[test]
    fn a_line_names_its_account_behind_a_label() {
        for (line, expected) in [
            ("\"No. rekening : 1234567890\"", "1234567890"),
            ("Konto: 9999999999", "9999999999"),
            ("Account: 9999999999", "9999999999"),
            ("Acct No: 9999999999", "9999999999"),
            ("A/C No. 9999999999", "9999999999"),
            ("Compte n° 9999999999", "9999999999"),
            ("Numéro de compte : 9999999999", "9999999999"),
            ("Cuenta 9999999999", "9999999999"),
            ("\"Girokonto\";\"DE12 1203 0000 0012 3456 78\"", "DE12 1203 0000 0012 3456 78"),
            ("Account,9999999999", "9999999999"),
            ("Rek: 9999999999", "9999999999"),
            ("No. Akun: 9999999999", "9999999999"),
            ("No.Rek 9999999999", "9999999999"),
            ("Account ID: 9999999999", "9999999999"),
            ("Account name & number: TOKO 9999999999", "9999999999"),
            ("IBAN:;CH62 0023 4234 1039 1440 G", "CH62 0023 4234 1039 1440 G"),
            ("No. Rekening : ****567890", "****567890"),
        ] {
            assert_eq!(named(line).as_deref(), Some(expected), "{line}");
        }
        for line in [
            "Informasi Rekening - Mutasi Rekening",
            "Nama : TOKO 99887766",
            "Account name: TOKO 99887766",
            "Kontostand vom 20.11.2026:;1.234 €",
            "Konto: 18.11.2026 - 20.11.2026",
            "Rekening Koran, Cabang 123456",
            "TRANSFER REK 9999999999 BUDI",
            "Account balance: 1234567",
        ] {
            assert_eq!(named(line), None, "{line}");
        }
    }
}
