//! What a person can do where a state does not allow a step: the words of `invalid_state`.

/// Description of the refusal, and of what to do next; `allowed` are the steps that are possible instead.
pub(super) fn words(state: &str, allowed: &[String]) -> String {
    match known(state) {
        Some(words) => words.to_owned(),
        None if allowed.is_empty() => format!("it is {state} already, and nothing can be changed any more"),
        None => format!("not possible while it is {state}; possible now: {}", allowed.join(", ")),
    }
}

/// States that need more than their name.
fn known(state: &str) -> Option<&'static str> {
    Some(match state {
        "not_over" => "this day is not over: seal it once it is, or now with \"force\": true and a reason",
        "not_begun" => "this day has not begun: it can be sealed once it is over",
        "sealed" => "this day is sealed: an administrator can unseal it, with a reason",
        "reversed" | "reversal" => "this was taken back already, or takes something back itself",
        "no_sale" => "the drawer was opened without moving money: there is nothing to take back",
        "exchanged" => "this is one half of an exchange: pay or void the new sale as a whole",
        "overdue" => "the shift's day is over: close this shift, and open a new one to go on selling",
        "full" => "too many baskets are waiting: pay, recall or void some of them first",
        "fenced" => {
            "another box is this store now, and this one sells no more: rejoin to make it the store again"
        }
        "used" => "something was sold under this code, whose rate stays: add a new code",
        "restored" => "this value was put back already",
        "erased" => "this member's data was erased: register the customer again",
        "merged" => "this member was merged into another one: search again by phone or code",
        "running" => "the root of the tree can't be restarted alone: restart the service",
        "own_account" => "you can't disable your own account: ask another manager or administrator",
        "own_password" => {
            "your own password takes the current one: change it with POST /api/auth/password, or in your profile"
        }
        "last_administrator" => {
            "this is the last administrator who can log in: first give somebody else that role, with a password"
        }
        "disabled_at_head_office" => {
            "head office keeps this person out: ask head office to let them in again"
        }
        "given_by_head_office" => {
            "this person comes from head office, which alone changes names and role: ask there"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_says_what_to_do_next() {
        let steps = ["close".to_owned(), "recount".to_owned()];
        assert_eq!(words("open", &steps), "not possible while it is open; possible now: close, recount");
        assert_eq!(words("voided", &[]), "it is voided already, and nothing can be changed any more");
        assert!(words("sealed", &steps).contains("unseal"));
        assert!(words("last_administrator", &[]).contains("first give somebody else"));
    }
}
