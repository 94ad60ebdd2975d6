//! The standing at the hub is one row that a person and the connection write: none of them takes away what
//! another one has just said.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use actors::Failure;
use domain::event::HubIdentity;
use domain::shift::OpenShift;
use shop::{ask, shop};
use std::time::{Duration, Instant};
use storage::QUEUE_COMMITS_MAX;

#[path = "support/shop.rs"]
mod shop;

/// A head office that is away.
fn hub() -> HubIdentity {
    HubIdentity {
        hub_id: "hub".to_owned(),
        url: "http://127.0.0.1:9".to_owned(),
        generation: "g1".to_owned(),
    }
}

fn float() -> OpenShift {
    OpenShift { register_id: None, opening_float: None, note: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_box_whose_history_is_elsewhere_sells_nothing_from_the_moment_it_is_enrolled() {
    let shop = shop(2).await;
    let storage = shop.handle.storage();
    // Nothing becomes durable now.
    let permits = u32::try_from(QUEUE_COMMITS_MAX).unwrap();
    let held = storage.gate().acquire_many_owned(permits).await.unwrap();
    let handle = shop.handle.clone();
    let enrolling = tokio::spawn(async move { handle.enrolled(hub(), 3).await });
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let refused = shop.handle.open_shift(&ask(1, None), float()).await.unwrap_err();
        if matches!(refused, Failure::Unavailable(why) if why.contains("coming back")) {
            break;
        }
        assert!(Instant::now() < deadline, "{refused:?}");
        tokio::task::yield_now().await;
    }
    assert_eq!(storage.standing().unwrap().refilling_at, None, "it is not even written down");
    drop(held);
    enrolling.await.unwrap().unwrap();
    assert!(storage.standing().unwrap().refilling_at.is_some());
    let refused = shop.handle.open_shift(&ask(1, None), float()).await.unwrap_err();
    assert!(matches!(refused, Failure::Unavailable(why) if why.contains("coming back")), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_writer_says_of_the_standing_is_not_taken_away_by_another() {
    for _ in 0..5 {
        let shop = shop(9).await;
        let (rejoined, enrolled) = tokio::join!(shop.handle.rejoin(), shop.handle.enrolled(hub(), 3));
        rejoined.unwrap();
        enrolled.unwrap();
        let standing = shop.handle.storage().standing().unwrap();
        assert!(standing.refilling_at.is_some() && standing.hub_n == 3, "{standing:?}");
        let refused = shop.handle.open_shift(&ask(1, None), float()).await.unwrap_err();
        assert!(matches!(refused, Failure::Unavailable(why) if why.contains("coming back")), "{refused:?}");
    }
}
