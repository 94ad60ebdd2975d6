//! Shutdown: no new connections, pending requests finish, and the deadline ends the rest.

use super::desk::Edge;
use edge::Limits;
use std::time::Duration;
use tokio::net::TcpStream;

#[tokio::test]
async fn requests_in_progress_finish_and_idle_connections_close() {
    let mut edge = Edge::start(Limits::default()).await;
    let (mut idle, mut silent, mut busy) = (edge.client().await, edge.client().await, edge.client().await);
    assert_eq!(idle.ask("GET /things/1", &[], "").await.status, 200);
    busy.send("GET /slow HTTP/1.1\r\nhost: edge\r\n\r\n").await;
    edge.desk.entered.notified().await;
    edge.stop();
    assert!(idle.closed().await.is_empty());
    assert!(silent.closed().await.is_empty());
    assert!(TcpStream::connect(edge.address).await.is_err());
    edge.desk.released.notify_one();
    let answer = busy.answer().await.unwrap();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert!(busy.closed().await.is_empty());
    drop(busy);
    assert_eq!(edge.drained().await.cut, 0);
}

#[tokio::test]
async fn the_deadline_cuts_what_does_not_finish() {
    let drain_timeout = Duration::from_millis(100);
    let mut edge = Edge::start(Limits { drain_timeout, ..Limits::default() }).await;
    let mut busy = edge.client().await;
    busy.send("GET /slow HTTP/1.1\r\nhost: edge\r\n\r\n").await;
    edge.desk.entered.notified().await;
    edge.stop();
    assert_eq!(edge.drained().await.cut, 1);
    assert!(busy.closed().await.is_empty());
}
