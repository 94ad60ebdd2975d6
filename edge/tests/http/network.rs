//! The network guard: other addresses get an answer and are disconnected before their request is read.

use super::{client::Client, desk::Edge};
use edge::Limits;

fn only(networks: &[&str]) -> Limits {
    let allowed_networks = networks.iter().map(|network| network.parse().unwrap()).collect();
    Limits { allowed_networks, ..Limits::default() }
}

#[tokio::test]
async fn a_stranger_is_refused_without_reading() {
    let edge = Edge::start(only(&["10.0.0.0/8"])).await;
    let mut silent = edge.client().await;
    let answer = silent.answer().await.unwrap();
    answer.refused(403, "network_not_allowed");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(silent.closed().await.is_empty());
    let mut talking = edge.client().await;
    talking.send("POST /open HTTP/1.1\r\nhost: edge\r\ncontent-length: 500\r\n\r\n{").await;
    talking.answer().await.unwrap().refused(403, "network_not_allowed");
    edge.ask("GET /things", &["x-forwarded-for: 10.0.0.1"], "").await.refused(403, "network_not_allowed");
}

#[tokio::test]
async fn a_mapped_address_is_the_address_it_maps() {
    let edge = Edge::on("[::]:0", only(&["127.0.0.0/8"])).await;
    let mut mapped = Client::connect(([127, 0, 0, 1], edge.address.port()).into()).await;
    assert_eq!(mapped.ask("GET /things/1", &[], "").await.data()["peer"], "127.0.0.1");
    let mut six = Client::connect((std::net::Ipv6Addr::LOCALHOST, edge.address.port()).into()).await;
    six.answer().await.unwrap().refused(403, "network_not_allowed");
}

#[tokio::test]
async fn a_page_of_another_name_can_not_pretend_to_be_ours() {
    let allowed_hosts = vec!["store-1.pos.example".to_owned()];
    let edge = Edge::start(Limits { allowed_hosts, ..Limits::default() }).await;
    let ask = async |host: &str| {
        let mut client = edge.client().await;
        client.send(format!("GET /things/1 HTTP/1.1\r\nhost: {host}\r\n\r\n")).await;
        client.answer().await.unwrap()
    };
    for ours in
        ["localhost:8081", "STORE", "127.0.0.1", "[::1]:8081", "192.168.1.7", "Store-1.pos.example:443"]
    {
        assert_eq!(ask(ours).await.status, 200, "{ours}");
    }
    for strange in ["evil.example", "rebind.evil.example:8081", "store-1.pos.example.evil.example", "8.8.8.8"]
    {
        let answer = ask(strange).await;
        answer.refused(421, "misdirected_request");
        assert_eq!(answer.header("connection"), Some("close"), "{strange}");
    }
}

#[tokio::test]
async fn no_other_site_is_let_in_by_a_browser() {
    let edge = Edge::start(Limits::default()).await;
    for origin in ["https://evil.example", "null", "http://edge"] {
        let line = format!("origin: {origin}");
        let mut answers = vec![edge.ask("GET /things/1", &[&line], "").await];
        let asks = [line.as_str(), "access-control-request-method: POST"];
        answers.push(edge.ask("OPTIONS /things/1", &asks, "").await);
        answers[1].refused(405, "method_not_allowed");
        for answer in answers {
            assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control-")), "{origin}");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        }
    }
    let page = edge.ask("GET /page", &[], "").await;
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
}
