//! Whether the time of an answer distinguishes an unknown name from a wrong password: alternating log-ins of both,
//! their medians and a two-sample Kolmogorov-Smirnov test. A measurement, no test: a busy machine could fail it by
//! chance.

use crate::stage::{Installation, Person, WorkFolder, admin};
use crate::workspace::Binaries;
use anyhow::{Context, ensure};
use reqwest::Client;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

/// Wrong guesses that a name accepts during the measurement.
const PER_NAME: usize = 4;
/// Wrong guesses that an address accepts during the measurement.
const PER_ADDRESS: usize = 40;
/// Allowed difference of the medians, as a part of the smaller one.
const DIFFERENCE_MAX: f64 = 0.05;
/// Below this probability both are taken to be different.
const P_MIN: f64 = 0.01;

/// Guesses of each kind at a fresh store; true if the time reveals nothing.
pub async fn run(binaries: &Binaries, pairs: usize) -> anyhow::Result<bool> {
    let place = WorkFolder::within(None)?;
    let setup = Installation::store(binaries, &place, None)?;
    setup.init(&admin()).await?;
    let names = pairs.div_ceil(PER_NAME);
    for number in 0..names {
        setup.add_user(&Person::new(&format!("known-{number:03}"), "cashier")).await?;
    }
    let daemon = setup.serve().await?;
    let url = format!("{}/api/auth/login", setup.base());
    let (mut known, mut unknown, mut tried) = (Vec::new(), Vec::new(), 0);
    let mut from = Vec::new();
    for number in 0..(2 * pairs).div_ceil(PER_ADDRESS) {
        let last = u8::try_from(number + 1).context("too many guesses for the addresses of one network")?;
        let client = Client::builder().local_address(IpAddr::V4(Ipv4Addr::new(127, 0, 2, last)));
        from.push(client.build()?);
    }
    for pair in 0..pairs {
        let wrong = (format!("known-{:03}", pair % names), &mut known);
        let nobody = (format!("ghost-{pair:03}"), &mut unknown);
        // In turn, so that neither always comes second.
        let both = if pair % 2 == 0 { [wrong, nobody] } else { [nobody, wrong] };
        for (name, times) in both {
            let client = from.get(tried / PER_ADDRESS).context("no address is left")?;
            times.push(refused_us(client, &url, &name).await?);
            tried += 1;
        }
    }
    daemon.stop().await?;
    judge(known, unknown)
}

/// Duration of one wrong guess, in microseconds.
async fn refused_us(client: &Client, url: &str, name: &str) -> anyhow::Result<f64> {
    let body = json!({"username": name, "password": "a wrong horse"});
    let started = Instant::now();
    let answer = client.post(url).json(&body).send().await?;
    let (status, took) = (answer.status(), started.elapsed());
    ensure!(status == 401, "{name}: {status} instead of 401");
    Ok(took.as_secs_f64() * 1e6)
}

fn judge(mut known: Vec<f64>, mut unknown: Vec<f64>) -> anyhow::Result<bool> {
    known.sort_by(f64::total_cmp);
    unknown.sort_by(f64::total_cmp);
    let (one, other) = (median(&known), median(&unknown));
    let (most, p) = kolmogorov_smirnov(&known, &unknown);
    println!(
        "{} guesses of each kind: median {one:.0} us with a wrong password, {other:.0} us with an unknown name, \
         ratio {:.3}; greatest distance of the distributions {most:.3}, p = {p:.2}",
        known.len(),
        other / one
    );
    Ok((one - other).abs() <= DIFFERENCE_MAX * one.min(other) && p >= P_MIN)
}

fn median(sorted: &[f64]) -> f64 {
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { f64::midpoint(at(half.wrapping_sub(1)), at(half)) } else { at(half) }
}

/// The greatest distance of two distributions, and the probability of one at least as great if both are the same (the
/// asymptotic series, with Stephens' correction).
fn kolmogorov_smirnov(one: &[f64], other: &[f64]) -> (f64, f64) {
    let share =
        |sorted: &[f64], at: f64| sorted.partition_point(|value| *value <= at) as f64 / sorted.len() as f64;
    let distances = one.iter().chain(other).map(|at| (share(one, *at) - share(other, *at)).abs());
    let most = distances.fold(0.0, f64::max);
    let (n, m) = (one.len() as f64, other.len() as f64);
    let root = (n * m / (n + m)).sqrt();
    let lambda = (root + 0.12 + 0.11 / root) * most;
    if lambda < 0.2 {
        // The series does not converge there; it is 1 to all digits that count.
        return (most, 1.0);
    }
    let term =
        |k: i32| (if k % 2 == 1 { 2.0 } else { -2.0 }) * (-2.0 * f64::from(k * k) * lambda * lambda).exp();
    (most, (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::{kolmogorov_smirnov, median};

    #[test]
    fn equal_distributions_are_distinguished_from_different_ones() {
        let straight: Vec<f64> = (0..200).map(f64::from).collect();
        let shifted: Vec<f64> = (0..200).map(|n| f64::from(n) + 40.0).collect();
        let (distance, p) = kolmogorov_smirnov(&straight, &straight);
        assert!(distance == 0.0 && p == 1.0);
        let (distance, p) = kolmogorov_smirnov(&straight, &shifted);
        assert!((distance - 0.2).abs() < 1e-9 && p < 0.001, "{distance} {p}");
        // A table's value: D = 0.1 of twice 200 has p of about 0.26.
        let near: Vec<f64> = (0..200).map(|n| f64::from(n) + 20.0).collect();
        let (distance, p) = kolmogorov_smirnov(&straight, &near);
        assert!((distance - 0.1).abs() < 1e-9 && (0.2..0.35).contains(&p), "{distance} {p}");
        assert!((median(&straight) - 99.5).abs() < 1e-9);
    }
}
