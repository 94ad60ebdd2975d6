//! A proxy between a hub and its PostgreSQL that can kill the hub at the n-th message that it sends.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use testkit::process;

/// A proxy, which ends with the test's process.
pub struct Wire {
    address: SocketAddr,
    armed: Arc<Mutex<Option<Armed>>>,
}

struct Armed {
    /// Number of messages until the kill.
    left: usize,
    pid: u32,
}

impl Wire {
    /// Starts a proxy for a server (`postgres://user@host:port`).
    #[track_caller]
    pub fn before(server: &str) -> Self {
        let there = server.rsplit_once('@').map_or(server, |(_, host)| host).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, armed) = (listener.local_addr().unwrap(), Arc::default());
        let shared: Arc<Mutex<Option<Armed>>> = Arc::clone(&armed);
        thread::spawn(move || {
            for hub in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(&there) else { continue };
                let (down, up) = ((server.try_clone().unwrap(), hub.try_clone().unwrap()), (hub, server));
                let armed = Arc::clone(&shared);
                thread::spawn(move || carry(up.0, up.1, |bytes| spoken(&armed, bytes)));
                thread::spawn(move || carry(down.0, down.1, |_| true));
            }
        });
        Self { address, armed }
    }

    /// Returns the server's address through this proxy.
    pub fn server(&self, server: &str) -> String {
        let user = server.rsplit_once('@').map_or("postgres://postgres", |(user, _)| user);
        format!("{user}@{}", self.address)
    }

    /// Kills the process instead of forwarding its `n`-th message from now on.
    pub fn arm(&self, n: usize, pid: u32) {
        *self.armed.lock().unwrap() = Some(Armed { left: n, pid });
    }

    /// Forwards everything again. Returns whether the kill had not happened yet.
    pub fn disarm(&self) -> bool {
        self.armed.lock().unwrap().take().is_some()
    }
}

/// Counts a message and returns whether to forward it.
fn spoken(armed: &Mutex<Option<Armed>>, _: &[u8]) -> bool {
    let mut armed = armed.lock().unwrap();
    let Some(now) = armed.as_mut() else { return true };
    now.left = now.left.saturating_sub(1);
    if now.left > 0 {
        return true;
    }
    process::signal(now.pid, "KILL");
    *armed = None;
    false
}

fn carry(mut from: TcpStream, mut to: TcpStream, mut may: impl FnMut(&[u8]) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if !may(&buffer[..read]) || to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    // Shutting down both ends the remaining readers.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
