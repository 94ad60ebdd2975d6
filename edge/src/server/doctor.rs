//! `doctor` of both programs: checks that an operator would do by hand, each with advice.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Longest wait for a connection.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The report of a `doctor` command.
#[derive(Debug, Default)]
pub struct Report {
    lines: String,
    problems: usize,
}

impl Report {
    /// Adds a check: its finding, or the problem with advice.
    pub fn add(&mut self, name: &str, found: Result<String, String>) {
        let (state, text) = match found {
            Ok(text) => ("ok", text),
            Err(text) => {
                self.problems = self.problems.saturating_add(1);
                ("PROBLEM", text)
            }
        };
        // Writing to a string can't fail.
        let _ = writeln!(self.lines, "{state:<8} {name:<10} {text}");
    }

    /// Adds pending work that is no fault.
    pub fn warn(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.lines, "{:<8} {name:<10} {text}", "warn");
    }

    /// One line for each check.
    pub fn text(&self) -> &str {
        &self.lines
    }

    /// Number of checks with a problem.
    pub fn problems(&self) -> usize {
        self.problems
    }
}

/// Whether something accepts connections at the address on which a server listens.
///
/// # Errors
/// Why not.
pub fn listens(listen: SocketAddr) -> std::io::Result<()> {
    let here = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    TcpStream::connect_timeout(&SocketAddr::new(here, listen.port()), CONNECT_TIMEOUT).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_is_a_line_and_problems_are_counted() {
        let mut report = Report::default();
        report.add("disk", Ok("3 GiB free".to_owned()));
        report.add("backup", Err("there is none".to_owned()));
        report.warn("stores", "1 exception");
        assert_eq!(
            report.text(),
            "ok       disk       3 GiB free\nPROBLEM  backup     there is none\nwarn     stores     1 exception\n"
        );
        assert_eq!(report.problems(), 1, "what waits for somebody is none");
    }
}
