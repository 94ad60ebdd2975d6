//! A bare warp server: the ceiling of any HTTP answer on this machine.

use serde::Serialize;
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;
use warp::Filter;

const BODY_BYTES_MAX: u64 = 1024 * 1024;

/// As large as the store's answer to a scanned code.
#[derive(Serialize)]
struct Product {
    sku: &'static str,
    name: &'static str,
    price: i64,
    tax_rate_bp: u32,
    category: Option<&'static str>,
    barcode: &'static str,
    pack_qty: i64,
    on_hand: i64,
    updated_at: &'static str,
    as_of: Option<&'static str>,
}

const PRODUCT: Product = Product {
    sku: "B000042",
    name: "Babedo kafemi 42",
    price: 15_000,
    tax_rate_bp: 1_100,
    category: None,
    barcode: "2000000000042",
    pack_qty: 1,
    on_hand: 40,
    updated_at: "2026-11-19T01:00:00.000Z",
    as_of: None,
};

/// Serves until killed; its address is the first line printed.
pub async fn serve() -> anyhow::Result<Value> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?);
    let sized = warp::body::content_length_limit(BODY_BYTES_MAX);
    let reply = warp::post().and(warp::path("reply")).and(sized).and(warp::body::json());
    let reply = reply.map(|asked: Value| warp::reply::json(&json!({"success": true, "data": asked})));
    let product = warp::get().map(|| warp::reply::json(&PRODUCT));
    warp::serve(reply.or(product)).incoming(listener).run().await;
    Ok(Value::Null)
}
