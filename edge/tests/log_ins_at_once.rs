//! Concurrent log-ins and approvals: right passwords wait for each other, wrong ones gain nothing.

use super::logins::{HOME, NOW, address, approval};
use domain::model::base::ids::UserId;
use edge::identity::limiter::{FAILURES_PER_NAME_MAX, LoginLimiter};

#[tokio::test]
async fn ten_right_log_ins_at_once_are_ten_log_ins() {
    let limiter = LoginLimiter::default();
    let one = async || {
        let attempt = limiter.begin("ani", HOME, NOW).await?;
        tokio::task::yield_now().await;
        attempt.succeeded(NOW);
        Ok::<_, edge::ApiError>(())
    };
    let ten = futures_util::future::join_all((0..10).map(|_| one())).await;
    assert!(ten.iter().all(Result::is_ok), "{ten:?}");
    // From another address, concurrent guesses have the same limit as sequential ones.
    let wrong = async |from: usize| {
        let attempt = limiter.begin("ani", address(from), NOW).await?;
        tokio::task::yield_now().await;
        drop(attempt);
        Ok::<_, edge::ApiError>(())
    };
    let many = futures_util::future::join_all((1..30).map(wrong)).await;
    assert_eq!(many.iter().filter(|tried| tried.is_ok()).count(), FAILURES_PER_NAME_MAX);
    // An attempt that was not checked because of load does not count.
    for _ in 0..3 * FAILURES_PER_NAME_MAX {
        limiter.begin("budi", HOME, NOW).await.unwrap().withdrawn(NOW);
    }
    // The same for approvals: ten of one requester are decided one after the other.
    let ani = UserId("usr_ani".into());
    let approve = async || {
        let asked = approval(&ani, 1, Some("manager"));
        let attempt = limiter.begin_approval(&asked, NOW).await?;
        tokio::task::yield_now().await;
        limiter.approved(&asked);
        drop(attempt);
        Ok::<_, edge::ApiError>(())
    };
    let ten = futures_util::future::join_all((0..10).map(|_| approve())).await;
    assert!(ten.iter().all(Result::is_ok), "{ten:?}");
}
