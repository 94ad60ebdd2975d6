//! One keep-alive HTTP/1.1 connection, without the overhead of a general client.

use anyhow::{Context, bail};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;

/// Time limit of one request.
const REQUEST: Duration = Duration::from_secs(30);
/// A request is repeated this often before the run fails.
const ATTEMPTS_MAX: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// A connection that is made again when it breaks.
pub struct Connection {
    address: SocketAddr,
    open: Option<SendRequest<Full<Bytes>>>,
    /// Requests that were sent again.
    pub repeated: u64,
}

impl Connection {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, open: None, repeated: 0 }
    }

    /// Sends until there is an answer other than 503; returns status and body.
    pub async fn send(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
        let mut last = String::new();
        for attempt in 0..ATTEMPTS_MAX {
            if attempt > 0 {
                self.repeated += 1;
                tokio::time::sleep(PAUSE).await;
            }
            match tokio::time::timeout(REQUEST, self.once(request.clone())).await {
                Ok(Ok((StatusCode::SERVICE_UNAVAILABLE, _))) => last = "503".to_owned(),
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => last = format!("{error:#}"),
                Err(_) => last = format!("no answer in {} s", REQUEST.as_secs()),
            }
            if last != "503" {
                self.open = None;
            }
        }
        bail!("{} {}: {ATTEMPTS_MAX} attempts, the last: {last}", request.method(), request.uri())
    }

    async fn once(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
        if self.open.is_none() {
            self.open = Some(connect(self.address).await?);
        }
        let open = self.open.as_mut().context("not connected")?;
        open.ready().await?;
        let answer = open.send_request(request).await?;
        let status = answer.status();
        Ok((status, answer.into_body().collect().await?.to_bytes()))
    }
}

async fn connect(address: SocketAddr) -> anyhow::Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}
