//! Advice where a state does not allow a step: the words of `invalid_state`.

/// Description of the refusal, and of what to do next; `allowed` are the steps that are possible instead.
pub(super) fn words(state: &str, allowed: &[String]) -> String {
    if state == "fenced" && allowed.iter().any(|step| step == "enrol") {
        return REPLACED.to_owned();
    }
    match static_name(state) {
        Some(words) => words.to_owned(),
        None if allowed.is_empty() => format!("this is already {state} and can't be changed any more"),
        None => {
            format!("this is not possible while the state is {state}; possible now: {}", allowed.join(", "))
        }
    }
}

/// Words for a box that is fenced because another one was enrolled for its store.
const REPLACED: &str = "another machine was enrolled for this store, so this one can't sell: to take the store back, \
    get a new token at head office and run `store-router enrol` here";

/// States that need more than their name.
fn static_name(state: &str) -> Option<&'static str> {
    Some(match state {
        "not_over" => {
            "this day is not over: seal it when it is over, or now with \"force\": true and a reason"
        }
        "not_begun" => "this day has not begun: seal it when it is over",
        "sealed" => "this day is sealed: an administrator can unseal it, with a reason",
        "not_held" => {
            "head office does not hold this receipt for a reason that the store can correct: see its list under \
             Sync; if head office has posted it, reverse it and enter the delivery again"
        }
        "replaced" => {
            "the store has sent a corrected document in place of this record, so it is never posted: see replaced_by"
        }
        "reversed" | "reversal" => "this was already reversed, or is itself a reversal",
        "no_sale" => "the drawer was opened without moving money: there is nothing to reverse",
        "exchanged" => "this belongs to an exchange: pay or void the new sale as a whole",
        "overdue" => "the shift's day is over: close this shift, and open a new one to continue selling",
        "suspended" => "the shift is suspended: move it to a register to continue selling",
        "elsewhere" => "the shift does not stand at this register: move it here, or continue where it stands",
        "full" => "too many baskets are on hold: pay, recall or void some of them first",
        "fenced" => {
            "another machine has taken over this store, so this one can't sell: to take the store back, run \
             `store-router rejoin` here"
        }
        "used" => "something was sold with this tax code, so its rate can't change: add a new code",
        "restored" => "this value was already restored",
        "erased" => "this member's data was erased: register the customer again",
        "merged" => "this member was merged into another one: search again by phone or code",
        "running" => "the root supervisor can't be restarted alone: restart the service",
        "own_account" => "you can't disable your own account: ask another manager or administrator",
        "own_password" => {
            "to change your own password, you must give the current one: use POST /api/auth/password, or your profile"
        }
        "last_administrator" => {
            "this is the last administrator who can log in: first give somebody else this role and a password"
        }
        "owned_by_head_office" => {
            "head office manages the catalogue of this store: change its products there"
        }
        "disabled_at_head_office" => {
            "this user is disabled, and only head office can enable them again: ask there, and synchronise"
        }
        "given_by_head_office" => {
            "this user comes from head office, and only head office can change their names and role: ask there"
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
        assert_eq!(
            words("open", &steps),
            "this is not possible while the state is open; possible now: close, recount"
        );
        assert_eq!(words("voided", &[]), "this is already voided and can't be changed any more");
        assert!(words("fenced", &["rejoin".to_owned()]).contains("store-router rejoin"));
        assert!(words("fenced", &["enrol".to_owned()]).contains("store-router enrol"));
        assert!(words("sealed", &steps).contains("unseal"));
        assert!(words("last_administrator", &[]).contains("first give somebody else"));
    }
}
