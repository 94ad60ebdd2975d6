//! Files that contain little but separators: head office limits the memory of an import, not only the size of the file.

use crate::support::server::{Api, PASSWORD, Place};
use crate::sync::kill::ready;
use std::net::TcpListener;
use std::process::{Child, Stdio};

/// Size of the largest permitted file.
const FILE_BYTES: usize = 16 * 1024 * 1024;
/// Highest permitted memory use of the process, in KiB.
const PEAK_KIB_MAX: u64 = 256 * 1024;

/// A hub that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the peak memory use of a process.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

fn filled(part: &str, header: &str) -> String {
    header.to_owned() + &part.repeat((FILE_BYTES - header.len()) / part.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_separators_is_refused_within_a_bound_of_memory() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = Place::at(&address.to_string()).await;
    place.init();
    let mut command = place.command(&["serve"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let running = Running(child);
    ready(address).await;
    let admin = Api::new(address).login("boss", PASSWORD).await;
    let header = "date,reference,amount\n";
    let files = [
        filled(",\n", ""),
        filled(",\n", header),
        filled("\n", header),
        filled(",", ""),
        filled("\"\",", header),
        filled("x,y,z\n", header),
        filled("2026-11-20,y,1\n", header),
        filled("\"", ""),
        filled("=", header),
    ];
    for (place, file) in files.into_iter().enumerate() {
        let path = "/api/statements?dry_run=true";
        let both = tokio::join!(admin.csv(path, &file), admin.csv(path, &file));
        assert_eq!([both.0.refusal(), both.1.refusal()], ["422 validation_failed"; 2], "file {place}");
        let peak = peak_kib(running.0.id());
        assert!(peak < PEAK_KIB_MAX, "file {place}: {peak} KiB");
    }
}
