//! The network guard: strangers are answered and closed before anything of theirs is read.

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
