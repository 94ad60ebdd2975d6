//! Serving that ends without a caller's or a signal's request.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use super::App;
use crate::cli::{init, users};
use crate::config::Config;
use crate::exit::{self, BUDGET};
use domain::model::people::user::Role;
use edge::passwords::{Params, hash_now};
use tokio::net::TcpListener;

/// An owner that gets no permit for its own commit ends; this shop may restart none.
#[tokio::test(flavor = "multi_thread")]
async fn a_spent_restart_budget_ends_the_program_with_a_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.storage.path = folder.path().join("data");
    config.storage.min_free_bytes = 0;
    config.supervision.max_restarts = 0;
    let prepared = config.clone();
    let prepare = move || {
        edge::private::new_files_only_for_owner();
        let hash = hash_now(Params::LEAST, "right horse").unwrap();
        let admin = users::new(&prepared, "admin".to_owned(), "Admin".to_owned(), Role::Admin, hash);
        init::store(&prepared, admin).unwrap();
    };
    tokio::task::spawn_blocking(prepare).await.unwrap();
    let app = App::open(&config.clone().into()).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let store = app.shop.store.clone();
    store.storage().reserve().close();
    let (ended, imported) =
        tokio::join!(app.run(listener, std::future::pending()), store.import_products(Vec::new()));
    assert!(imported.is_err(), "its owner is gone");
    assert_eq!(exit::code_of(&ended.unwrap_err()), BUDGET);
}
