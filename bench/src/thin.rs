//! The peer over HTTP: the thinnest possible layer between a till and a PostgreSQL function. It checks no token and
//! nothing that the function does not check; only the function makes a sale durable.

use anyhow::Context;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::Value;
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::str::FromStr;
use tokio::net::TcpListener;

/// Which database, and how many connections to it.
#[derive(clap::Args)]
pub struct Options {
    /// postgres://user@localhost/database?host=/folder/of/its/socket
    #[arg(long)]
    database: String,
    /// Connections to the database, shared by the tills
    #[arg(long)]
    connections: u32,
}

#[derive(Deserialize)]
struct Basket {
    member_id: Option<String>,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    sku: String,
    qty: i64,
    price: i64,
}

#[derive(Deserialize)]
struct Payments {
    payments: Vec<Payment>,
}

#[derive(Deserialize)]
struct Payment {
    amount: i64,
}

/// Serves until killed; its address is the first line printed.
pub async fn serve(options: Options) -> anyhow::Result<Value> {
    let database = PgConnectOptions::from_str(&options.database)?.disable_statement_logging();
    // Without the question before each use whether the connection still lives.
    let pool = PgPoolOptions::new().max_connections(options.connections).test_before_acquire(false);
    let pool = pool.connect_with(database).await.context("connecting to the database")?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let pool = pool.clone();
        tokio::spawn(async move {
            let answer = service_fn(|request| reply(&pool, request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

async fn reply(pool: &PgPool, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (status, body) = match carried_out(pool, request).await {
        Ok(data) => (StatusCode::OK, format!("{{\"success\":true,\"data\":{data}}}")),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}")),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    Ok(response)
}

async fn carried_out(pool: &PgPool, request: Request<Incoming>) -> anyhow::Result<String> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let header =
        |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).context("no header");
    let key = header("idempotency-key")?;
    if let Some(sale) = head.uri.path().strip_suffix("/pay") {
        let sale: i64 = sale.rsplit('/').next().unwrap_or_default().parse()?;
        let paid: Payments = serde_json::from_slice(&body)?;
        let amount: i64 = paid.payments.iter().map(|payment| payment.amount).sum();
        let query = sqlx::query_scalar("SELECT pay_sale($1, $2, $3)").bind(key).bind(sale).bind(amount);
        return Ok(query.fetch_one(pool).await?);
    }
    let Basket { member_id, items } = serde_json::from_slice(&body)?;
    let member: Option<i32> = member_id.as_deref().map(str::parse).transpose()?;
    let qtys: Vec<i64> = items.iter().map(|item| item.qty).collect();
    let prices: Vec<i64> = items.iter().map(|item| item.price).collect();
    let skus: Vec<String> = items.into_iter().map(|item| item.sku).collect();
    let function = match head.uri.path() {
        "/sale" => "SELECT sell($1, $2, $3, $4, $5, $6)",
        _ => "SELECT create_sale($1, $2, $3, $4, $5, $6)",
    };
    let query = sqlx::query_scalar(function).bind(key).bind(header("x-register-id")?).bind(member);
    Ok(query.bind(skus).bind(qtys).bind(prices).fetch_one(pool).await?)
}
