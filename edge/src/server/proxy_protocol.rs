//! The PROXY protocol, versions 1 and 2: a proxy that does not read HTTP names the caller at the beginning of a
//! connection. Exactly the header is read, so that TLS and HTTP find the rest at its place.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Beginning of version 2; no header of version 1 is shorter.
const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
/// Longest header of version 1, with its line's end.
const LINE_BYTES_MAX: usize = 107;
/// Longest rest of a header of version 2; proxies add a few details to the addresses.
const REST_BYTES_MAX: usize = 2048;

/// The caller that a header names.
#[derive(Debug, PartialEq, Eq)]
pub enum Named {
    Caller(SocketAddr),
    /// The proxy speaks for itself, as in a health check.
    Proxy,
}

/// Reads the header; `None` if there is no valid one. The caller sets the time limit.
pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Named> {
    let mut start = [0; SIGNATURE.len()];
    stream.read_exact(&mut start).await.ok()?;
    if start == *SIGNATURE { version_2(stream).await } else { version_1(stream, start.to_vec()).await }
}

async fn version_1(stream: &mut (impl AsyncRead + Unpin), mut line: Vec<u8>) -> Option<Named> {
    if !line.starts_with(b"PROXY ") {
        return None;
    }
    while !line.ends_with(b"\r\n") {
        if line.len() >= LINE_BYTES_MAX {
            return None;
        }
        line.push(stream.read_u8().await.ok()?);
    }
    let line = String::from_utf8(line).ok()?;
    let words: Vec<&str> = line.trim_end_matches("\r\n").split(' ').collect();
    match *words.as_slice() {
        ["PROXY", "UNKNOWN", ..] => Some(Named::Proxy),
        ["PROXY", family @ ("TCP4" | "TCP6"), source, target, port, target_port] => {
            let source: IpAddr = source.parse().ok()?;
            let target: IpAddr = target.parse().ok()?;
            let (port, _): (u16, u16) = (port.parse().ok()?, target_port.parse().ok()?);
            let fits = source.is_ipv4() == (family == "TCP4") && target.is_ipv4() == source.is_ipv4();
            fits.then(|| Named::Caller(SocketAddr::new(source.to_canonical(), port)))
        }
        _ => None,
    }
}

async fn version_2(stream: &mut (impl AsyncRead + Unpin)) -> Option<Named> {
    let (version_and_command, family) = (stream.read_u8().await.ok()?, stream.read_u8().await.ok()?);
    let length = usize::from(stream.read_u16().await.ok()?);
    if length > REST_BYTES_MAX {
        return None;
    }
    let mut rest = vec![0; length];
    stream.read_exact(&mut rest).await.ok()?;
    let mut rest = rest.as_slice();
    let source: IpAddr = match (version_and_command, family) {
        (0x20, _) => return Some(Named::Proxy),
        (0x21, 0x11) => Ipv4Addr::from(address(&mut rest)?).into(),
        (0x21, 0x21) => Ipv6Addr::from(address(&mut rest)?).into(),
        _ => return None,
    };
    Some(Named::Caller(SocketAddr::new(source.to_canonical(), u16::from_be_bytes(*rest.first_chunk()?))))
}

/// The caller's address, with the server's behind it removed.
fn address<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (source, behind) = rest.split_first_chunk()?;
    let (_, behind) = behind.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*source)
}

#[cfg(test)]
mod tests {
    use super::{Named, SIGNATURE, read};

    async fn named(mut bytes: &[u8]) -> (String, Vec<u8>) {
        let named = match read(&mut bytes).await {
            Some(Named::Caller(address)) => address.to_string(),
            Some(Named::Proxy) => "proxy".to_owned(),
            None => "invalid".to_owned(),
        };
        (named, bytes.to_vec())
    }

    fn second(version_and_command: u8, family: u8, rest: &[u8], behind: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).unwrap_or(u16::MAX).to_be_bytes();
        [SIGNATURE.as_slice(), &[version_and_command, family], &length, rest, behind].concat()
    }

    #[tokio::test]
    async fn a_line_of_version_1() {
        for (line, expected) in [
            ("PROXY TCP4 198.51.100.7 10.0.0.1 4711 443\r\n", "198.51.100.7:4711"),
            ("PROXY TCP6 2001:db8::1 fd00::1 4711 443\r\n", "[2001:db8::1]:4711"),
            ("PROXY UNKNOWN\r\n", "proxy"),
            ("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", "proxy"),
            ("PROXY TCP4 2001:db8::1 fd00::1 4711 443\r\n", "invalid"),
            ("PROXY TCP4 198.51.100.7 10.0.0.1 4711\r\n", "invalid"),
            ("PROXY TCP4 198.51.100.7 10.0.0.1 65536 443\r\n", "invalid"),
            ("GET / HTTP/1.1\r\n", "invalid"),
        ] {
            let (found, left) = named(format!("{line}GET").as_bytes()).await;
            assert_eq!(found, expected, "{line}");
            assert!(expected == "invalid" || left == b"GET", "{line}: nothing more is read");
        }
        assert_eq!(named(format!("PROXY {}\r\n", "x".repeat(200)).as_bytes()).await.0, "invalid");
    }

    #[tokio::test]
    async fn a_header_of_version_2() {
        let four = [198, 51, 100, 7, 10, 0, 0, 1, 0x12, 0x67, 1, 187];
        let six =
            [&[0x20, 1, 0x0d, 0xb8][..], &[0; 11], &[1], &[0xfd], &[0; 15], &[0x12, 0x67, 1, 187]].concat();
        let detailed = [&four[..], &[4, 0, 1, 0]].concat();
        for (bytes, expected) in [
            (second(0x21, 0x11, &four, b"GET"), "198.51.100.7:4711"),
            (second(0x21, 0x11, &detailed, b"GET"), "198.51.100.7:4711"),
            (second(0x21, 0x21, &six, b"GET"), "[2001:db8::1]:4711"),
            (second(0x20, 0x00, &[], b"GET"), "proxy"),
            (second(0x21, 0x11, &four[..8], b"GET"), "invalid"),
            (second(0x21, 0x31, &[0; 216], b"GET"), "invalid"),
            (second(0x11, 0x11, &four, b"GET"), "invalid"),
            (second(0x21, 0x11, &[0; 4000], b"GET"), "invalid"),
            (second(0x21, 0x11, &four, b"").get(..20).unwrap_or_default().to_vec(), "invalid"),
        ] {
            let (found, left) = named(&bytes).await;
            assert_eq!(found, expected, "{bytes:?}");
            assert!(expected == "invalid" || left == b"GET", "nothing more is read");
        }
    }
}
