//! A bare warp server: the ceiling of any HTTP answer on this machine.

use serde_json::{Value, json};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;
use warp::Filter;

const BODY_BYTES_MAX: u64 = 1024 * 1024;

/// Serves until killed; its address is the first line printed.
pub async fn serve() -> anyhow::Result<Value> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?);
    let sized = warp::body::content_length_limit(BODY_BYTES_MAX);
    let reply = warp::post().and(warp::path("reply")).and(sized).and(warp::body::json());
    let reply = reply.map(|asked: Value| warp::reply::json(&json!({"success": true, "data": asked})));
    warp::serve(reply).incoming(listener).run().await;
    Ok(Value::Null)
}
