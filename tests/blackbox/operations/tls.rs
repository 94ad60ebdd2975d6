//! TLS at the real binaries of store and hub: the certificate is reloaded, and a store trusts only its own hub.

use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use testkit::hub::Hub;
use testkit::process;
use testkit::store::{PASSWORD, Store};
use testkit::wait;

/// A certificate for this machine, which is its own authority, and its key.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.renew();
        files
    }

    fn cert(&self) -> PathBuf {
        self.0.path().join("cert.pem")
    }

    fn key(&self) -> PathBuf {
        self.0.path().join("key.pem")
    }

    fn renew(&self) {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        fs::write(self.cert(), made.cert.pem()).unwrap();
        fs::write(self.key(), made.signing_key.serialize_pem()).unwrap();
        self.protect(0o600);
    }

    /// Makes a certificate that expires at the beginning of this year.
    fn renew_until(&self, year: i32) {
        let mut parameters = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        parameters.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        fs::write(self.cert(), parameters.self_signed(&key).unwrap().pem()).unwrap();
        fs::write(self.key(), key.serialize_pem()).unwrap();
        self.protect(0o600);
    }

    fn protect(&self, mode: u32) {
        fs::set_permissions(self.key(), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn settings(&self) -> String {
        format!("http.tls_cert = {:?}\nhttp.tls_key = {:?}\n", self.cert(), self.key())
    }
}

/// Returns the status of `GET url` for a client that trusts this authority, or the system's if `None`.
fn status(url: &str, authority: Option<&Path>) -> Result<u16, String> {
    let pem = authority.map(|path| fs::read(path).unwrap());
    let client =
        actors::trusting(reqwest::Client::builder().timeout(Duration::from_secs(20)), pem.as_deref());
    let client = client.unwrap().build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async { client.get(url).send().await });
    answer.map(|answer| answer.status().as_u16()).map_err(|error| format!("{error:?}"))
}

#[test]
fn a_store_speaks_tls_and_reads_its_certificate_again() {
    let files = Files::new();
    let mut store = Store::prepare(&files.settings(), 1);
    files.protect(0o640);
    let (code, said) = store.refuses_to_start();
    assert!(code == 2 && said.contains("key.pem") && said.contains("chmod 600"), "{code}: {said}");
    files.protect(0o600);
    files.renew_until(2000);
    let checked = process::run(store.command(&["config", "check"]), "");
    let said = process::said(&checked);
    assert_eq!(checked.status.code(), Some(2), "{said}");
    assert!(said.contains("http.tls_cert") && said.contains("ended on 2000-01-01"), "{said}");
    files.renew();
    let said = process::succeed(store.command(&["config", "check"]), "");
    assert!(said.contains("ends on 4096-01-01"), "{said}");
    // The harness polls over plain HTTP, which is allowed from this machine.
    store.start();
    let url = format!("https://{}/health", store.address());
    assert_eq!(status(&url, Some(&files.cert())), Ok(200));
    assert!(
        status(&url, None).unwrap_err().contains("UnknownIssuer"),
        "a client without the authority trusts the certificate"
    );
    let old = files.0.path().join("old.pem");
    fs::copy(files.cert(), &old).unwrap();
    files.renew();
    store.daemon().signal("HUP");
    wait::until("the certificate was reloaded", || {
        store.log().contains("the certificate was reloaded").then_some(())
    });
    assert_eq!(status(&url, Some(&files.cert())), Ok(200));
    assert!(status(&url, Some(&old)).is_err(), "the old certificate is still in use");
    store.stop();
}

#[test]
fn over_tls_the_cookie_is_secure_and_hsts_is_sent() {
    let files = Files::new();
    let mut store = Store::prepare(&files.settings(), 1);
    store.start();
    let body = json!({"username": "till-1@s001.example", "password": PASSWORD});
    let log_in = |scheme: &str| {
        let pem = fs::read(files.cert()).unwrap();
        let client = actors::trusting(reqwest::Client::builder(), Some(&pem)).unwrap().build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = format!("{scheme}://{}/api/auth/login", store.address());
        let request = client.post(url).header("X-Session", "cookie").body(body.to_string());
        let request = request.header("Content-Type", "application/json");
        let answer = runtime.block_on(async { request.send().await }).unwrap();
        assert_eq!(answer.status().as_u16(), 200);
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        (header("set-cookie").unwrap(), header("strict-transport-security"))
    };
    let (cookie, reported) = log_in("https");
    assert!(cookie.ends_with("; Secure") && cookie.contains("HttpOnly"), "{cookie}");
    assert_eq!(reported.as_deref(), Some("max-age=31536000"));
    // Over HTTP on this machine, a browser would never send back a secure cookie.
    let (cookie, reported) = log_in("http");
    assert!(!cookie.contains("Secure") && reported.is_none(), "{cookie} {reported:?}");
    store.stop();
}

#[test]
fn a_store_without_tls_outlives_a_hangup() {
    let mut store = Store::open_with("", 1);
    store.daemon().signal("HUP");
    wait::until("the signal was seen", || store.log().contains("no certificate to reload").then_some(()));
    store.client().get("/health").data(200);
    // The log level is reloaded. An invalid one changes nothing.
    for (level, said) in [("debug", "log.level is debug"), ("verbose", "the old log.level stays in use")] {
        store.set(&format!("log.level = {level:?}\n"));
        store.daemon().signal("HUP");
        wait::until("the signal was seen", || store.log().contains(said).then_some(()));
    }
    let checked = process::run(store.command(&["config", "check"]), "");
    assert_eq!(checked.status.code(), Some(2));
    assert!(process::said(&checked).contains("log.level"), "{}", process::said(&checked));
    store.stop();
}

#[test]
fn a_store_syncs_with_the_hub_whose_authority_it_trusts() {
    let (files, other) = (Files::new(), Files::new());
    let mut hub = Hub::open();
    hub.restart_with(&[
        ("CLOUD_HUB__HTTP__TLS_CERT", files.cert().to_str().unwrap()),
        ("CLOUD_HUB__HTTP__TLS_KEY", files.key().to_str().unwrap()),
    ]);
    let url = format!("https://{}", hub.address());
    let mut store = Store::prepare("", 1);
    let token = hub.add_store();
    let enrol = |store: &Store| store.run(&["enrol", "--hub", &url, "--token", &token]);
    let trusting = |files: &Files| format!("hub.ca_cert = {:?}\n", files.cert());
    // Neither the system's authorities nor another one trust this hub's certificate, so the token is not even sent.
    assert!(!enrol(&store).status.success());
    store.set(&trusting(&other));
    assert!(!enrol(&store).status.success());
    store.set("hub.ca_cert = \"no-such-file.pem\"\n");
    let done = enrol(&store);
    assert_eq!(done.status.code(), Some(2), "{}", process::said(&done));
    assert!(process::said(&done).contains("hub.ca_cert"), "{}", process::said(&done));
    store.set(&trusting(&files));
    let done = enrol(&store);
    assert!(done.status.success(), "{}", process::said(&done));
    store.start();
    let forced = store.login("manager").post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], true, "{forced}");
    // A man in the middle with its own certificate: the store sends nothing and continues to sell.
    files.renew();
    hub.restart();
    let forced = store.login("manager").post("/api/sync/force", &json!({})).data(200);
    assert_eq!(forced["completed"], false, "{forced}");
    assert!(forced["error"].as_str().unwrap().contains("certificate"), "{forced}");
    store.client().get("/health/ready").data(200);
    store.stop();
}
