//! Expiry of the certificates in the settings: their dates are easily overlooked until browsers and stores refuse them.

use super::doctor::Report;
use super::tls::{self, TlsError};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use rustls::pki_types::CertificateDer;
use std::path::Path;

/// An end that is nearer than this is announced.
const SOON: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A file with certificates, and the setting that names it.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Key of the settings.
    pub setting: &'static str,
    /// Path of the file. Empty if the setting is not used.
    pub path: &'a Path,
    /// Whether each certificate of the file is an authority of its own, so that the last one to end counts. Otherwise it
    /// is a chain, and its first one counts.
    pub is_bundle: bool,
}

/// Remaining validity of a certificate, with the words for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lasts {
    /// Long enough.
    Long(String),
    /// It ends within a month.
    Soon(String),
    /// It has ended.
    Ended(String),
}

/// Remaining validity of each certificate.
///
/// # Errors
/// A file that can't be read, or holds no certificate.
pub fn lasts(named: &[Named<'_>], now: Timestamp) -> Result<Vec<Lasts>, TlsError> {
    let used = named.iter().filter(|named| !named.path.as_os_str().is_empty());
    used.map(|named| Ok(judged(named, ends_at(named)?, now))).collect()
}

/// The lines of `doctor`.
pub fn report(named: &[Named<'_>], now: Timestamp, report: &mut Report) {
    const NAME: &str = "tls";
    match lasts(named, now) {
        Err(error) => report.add(NAME, Err(error.to_string())),
        Ok(all) => all.into_iter().for_each(|lasts| match lasts {
            Lasts::Long(text) => report.add(NAME, Ok(text)),
            Lasts::Soon(text) => report.warn(NAME, &text),
            Lasts::Ended(text) => report.add(NAME, Err(text)),
        }),
    }
}

/// The lines of `config check`.
///
/// # Errors
/// A certificate that can't be read, or has ended.
pub fn check(named: &[Named<'_>], now: Timestamp) -> Result<Vec<String>, TlsError> {
    let line = |lasts| match lasts {
        Lasts::Long(text) => Ok(text),
        Lasts::Soon(text) => Ok(format!("warning: {text}")),
        Lasts::Ended(text) => Err(TlsError::Ended(text)),
    };
    lasts(named, now)?.into_iter().map(line).collect()
}

fn ends_at(named: &Named<'_>) -> Result<Timestamp, TlsError> {
    let unreadable = || TlsError::NoCertificate(named.path.to_owned());
    let end = |der: &CertificateDer<'_>| {
        let (_, certificate) = x509_parser::parse_x509_certificate(der).map_err(|_| unreadable())?;
        Timestamp::from_second(certificate.validity().not_after.timestamp()).map_err(|_| unreadable())
    };
    let counted = if named.is_bundle { usize::MAX } else { 1 };
    let ends = tls::chain(named.path)?.iter().take(counted).map(end).collect::<Result<Vec<_>, _>>()?;
    ends.into_iter().max().ok_or_else(unreadable)
}

fn judged(named: &Named<'_>, ends_at: Timestamp, now: Timestamp) -> Lasts {
    let (setting, path) = (named.setting, named.path.display());
    let day = ends_at.to_zoned(TimeZone::UTC).date();
    let left = ends_at.duration_since(now);
    let todo = "put a new one in its place, then reload the service";
    if left <= SignedDuration::ZERO {
        Lasts::Ended(format!("{setting} {path} ended on {day}: {todo}"))
    } else if left < SOON {
        Lasts::Soon(format!("{setting} {path} ends on {day}, in {} days: {todo}", left.as_hours() / 24))
    } else {
        Lasts::Long(format!("{setting} {path} ends on {day}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn pem(year: i32, month: u8, day: u8) -> String {
        let mut parameters = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        parameters.not_after = rcgen::date_time_ymd(year, month, day);
        let key = rcgen::KeyPair::generate().unwrap();
        parameters.self_signed(&key).unwrap().pem()
    }

    #[test]
    fn a_certificate_is_announced_a_month_before_its_end_and_refused_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cert.pem");
        std::fs::write(&path, pem(2027, 3, 31) + &pem(2027, 5, 31)).unwrap();
        let chain = Named { setting: "http.tls_cert", path: &path, is_bundle: false };
        let bundle = Named { is_bundle: true, ..chain };
        let of = |named, now: &str| check(&[named], now.parse().unwrap());
        let named = path.display();
        assert_eq!(
            of(chain, "2027-03-01T00:00:00Z").unwrap(),
            [format!("http.tls_cert {named} ends on 2027-03-31")]
        );
        let soon = of(chain, "2027-03-18T00:00:00Z").unwrap();
        let [soon] = &soon[..] else { panic!("{soon:?}") };
        assert!(soon.starts_with("warning: ") && soon.contains("in 13 days"), "{soon}");
        let ended = of(chain, "2027-03-31T00:00:00Z").unwrap_err().to_string();
        assert!(ended.contains("ended on 2027-03-31: put a new one"), "{ended}");
        let found = of(bundle, "2027-03-31T00:00:00Z").unwrap();
        assert!(
            found.iter().all(|line| line.contains("ends on 2027-05-31")) && !found.is_empty(),
            "{found:?}"
        );
        let unused = Named { path: Path::new(""), ..chain };
        assert_eq!(of(unused, "2027-03-31T00:00:00Z").unwrap(), Vec::<String>::new());
        let mut doctor = Report::default();
        report(&[chain], "2027-04-01T00:00:00Z".parse().unwrap(), &mut doctor);
        report(&[chain], "2027-03-18T00:00:00Z".parse().unwrap(), &mut doctor);
        let lines: Vec<&str> = doctor.text().lines().map(|line| line.get(..8).unwrap()).collect();
        assert_eq!((lines.as_slice(), doctor.problems()), (["PROBLEM ", "warn    "].as_slice(), 1));
    }
}
