//! One printer: a queue of a few pieces of paper, and a thread that is never waited for.

use super::Job;
use crate::config::printing::PrinterAddress;
use rustix::fs::OFlags;
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Pieces of paper that may wait for one printer.
pub const WAITING_MAX: usize = 32;
/// Interval at which a device file that takes nothing is asked again.
const AGAIN: Duration = Duration::from_millis(20);
/// Time that a printer is listened to once it was sent everything.
const LISTENED: Duration = Duration::from_secs(1);

/// Gives a printer these bytes, and waits no longer than so.
fn print(place: &PrinterAddress, bytes: &[u8], within: Duration) -> Result<(), Error> {
    let until = Instant::now().checked_add(within).unwrap_or_else(Instant::now);
    match place {
        PrinterAddress::Network(address) => network(address, bytes, until),
        PrinterAddress::Device(file) => {
            let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
            let mut device = OpenOptions::new().append(true).custom_flags(flags).open(file)?;
            write(&mut device, bytes, until)
        }
    }
}

fn network(address: &str, bytes: &[u8], until: Instant) -> Result<(), Error> {
    let mut last = Error::from(ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left(until)?) {
            Ok(mut stream) => {
                stream.set_nonblocking(true)?;
                write(&mut stream, bytes, until)?;
                return listen(&mut stream, until);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Waits until the printer ends the connection too, as one does that read everything, or breaks it off. Many keep it
/// open: for those it is only known that everything was sent.
fn listen(stream: &mut TcpStream, until: Instant) -> Result<(), Error> {
    stream.shutdown(Shutdown::Write)?;
    let until = Instant::now().checked_add(LISTENED).map_or(until, |listened| until.min(listened));
    let mut said = [0; 256];
    while let Ok(left) = left(until) {
        match stream.read(&mut said) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(AGAIN.min(left)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all bytes to a device that is opened without blocking.
fn write(device: &mut impl Write, mut bytes: &[u8], until: Instant) -> Result<(), Error> {
    while !bytes.is_empty() {
        let left = left(until)?;
        match device.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(taken) => bytes = bytes.get(taken..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(AGAIN.min(left)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    device.flush()
}

fn left(until: Instant) -> Result<Duration, Error> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Paper that waits for a printer.
pub struct Paper {
    pub job: Job,
    pub bytes: Vec<u8>,
}

/// Begins to print at a place whatever comes; ends when nothing can come any more.
///
/// # Errors
/// A machine that gives no thread.
pub fn begin(place: PrinterAddress, within: Duration) -> Result<SyncSender<Paper>, Error> {
    let (paper, waiting) = sync_channel(WAITING_MAX);
    std::thread::Builder::new().name("printer".to_owned()).spawn(move || run(&place, within, &waiting))?;
    Ok(paper)
}

fn run(place: &PrinterAddress, within: Duration, waiting: &Receiver<Paper>) {
    while let Ok(Paper { job, bytes }) = waiting.recv() {
        job.printing();
        let printed = print(place, &bytes, within);
        if let Err(error) = &printed {
            tracing::warn!(?place, %error, "a printer did not print");
        }
        job.ended(printed.map_err(|error| problem(&error)));
    }
}

/// Reason of the failure, in the page's words.
fn problem(error: &Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "the printer does not answer".to_owned(),
        ErrorKind::ConnectionRefused | ErrorKind::NotFound | ErrorKind::HostUnreachable => {
            "the printer is off or not there".to_owned()
        }
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "the printer closed the connection".to_owned()
        }
        _ => error.to_string(),
    }
}
