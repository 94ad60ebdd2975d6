//! Several processes of one hub with one PostgreSQL: what must be unique is unique, whichever process is asked. SQLite
//! has one process; there the same races run on its connections.

use crate::support::server::{Answer, Api, PASSWORD, Place, stderr};
use crate::support::shop::{Chain, FIRST, Shop};
use crate::sync::kill::ready;
use crate::sync::kinds::raw;
use crate::sync::records::{NOON, Sale};
use edge::keys::SigningKey;
use reqwest::Method;
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::sync::Barrier;

/// Number of concurrent requests at each process.
const EACH: usize = 3;
const PHONES: usize = 60;

pub struct Process {
    child: Child,
    pub address: SocketAddr,
}

impl Process {
    pub fn start(place: &Place, data: &Path) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = place.command(&["serve"]);
        command.env("CLOUD_HUB__HTTP__LISTEN", address.to_string()).env("CLOUD_HUB__STORAGE__PATH", data);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Self { child, address }
    }

    pub fn stop(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "a clean end");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the folders of the processes: two share one, the third has its own with the same keys.
fn folders(place: &Place) -> Vec<PathBuf> {
    let shared = place.folder.path().join("data");
    if std::env::var("HUB_TEST_POSTGRES").is_err() {
        return vec![shared];
    }
    let own = place.folder.path().join("data2");
    std::fs::create_dir_all(&own).unwrap();
    for key in ["token.key", "idempotency.key"] {
        std::fs::copy(shared.join(key), own.join(key)).unwrap();
    }
    vec![shared.clone(), shared, own]
}

/// Starts all of them at once.
pub async fn started(place: &Place) -> Vec<Process> {
    let processes: Vec<Process> = folders(place).iter().map(|data| Process::start(place, data)).collect();
    for process in &processes {
        ready(process.address).await;
    }
    processes
}

pub type Ask = (Api, Method, String, Value);

/// Sends all requests at the same moment.
pub async fn at_once(asks: Vec<Ask>) -> Vec<Answer> {
    let together = Arc::new(Barrier::new(asks.len()));
    let send = |(api, method, path, body): Ask| {
        let together = Arc::clone(&together);
        tokio::spawn(async move {
            together.wait().await;
            api.send(method, &path, &body).await
        })
    };
    let sent: Vec<_> = asks.into_iter().map(send).collect();
    let mut answers = Vec::new();
    for answer in sent {
        answers.push(answer.await.unwrap());
    }
    answers
}

/// Returns the same request for every process, several times.
fn everywhere(apis: &[Api], path: &str, body: &Value) -> Vec<Ask> {
    let one = |api: &Api| (api.clone(), Method::POST, path.to_owned(), body.clone());
    (0..EACH).flat_map(|_| apis.iter().map(one)).collect()
}

/// Asserts that one succeeded and all others have this refusal. Returns the data of the successful one.
fn once(answers: &[Answer], refusal: &str) -> Value {
    let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status.is_success());
    assert_eq!(done.len(), 1, "{answers:?}");
    for answer in refused {
        assert_eq!(answer.refusal(), refusal, "{answer:?}");
    }
    done[0].data().clone()
}

async fn shop(place: &Place, apis: &[Api], id: &str) -> Shop {
    let token = place.add_store(id);
    let hub_id = apis[0].get("/health").await.data()["hub_id"].as_str().unwrap().to_owned();
    let (api, chains) = (apis[0].clone(), vec![Chain::new(FIRST)]);
    let of = |_| Shop {
        id: id.to_owned(),
        hub_id: hub_id.clone(),
        key: Arc::new(SigningKey::generate().unwrap()),
        api: api.clone(),
        chains: chains.clone(),
    };
    // A single-use token, used by as many stores as there are requests.
    let boxes: Vec<Shop> = (0..EACH * apis.len()).map(of).collect();
    let body = |shop: &Shop| {
        json!({"enrolment_token": token, "store_id": id, "public_key": shop.key.public_key_text(),
            "version": "0.1.0", "currency": "IDR"})
    };
    let asks = boxes.iter().zip(apis.iter().cycle());
    let asks = asks.map(|(shop, api)| (api.clone(), Method::POST, "/api/sync/enrol".to_owned(), body(shop)));
    let answers = at_once(asks.collect()).await;
    once(&answers, "409 duplicate");
    let winner = answers.iter().position(|answer| answer.status.is_success()).unwrap();
    let shop = boxes[winner].clone();
    shop.hello().await.data();
    shop
}

async fn tells(shop: &mut Shop, record: String) {
    shop.chain().append(record);
    let seq = shop.chain().records.len();
    shop.push(&shop.batch(seq, seq)).await.data();
}

/// Merges each member into the next one, all at once. Exactly one member is left.
async fn one_is_left_of_a_ring(apis: &[Api]) {
    let mut ring = Vec::new();
    for number in 0..6 {
        let new = json!({"name": "Ring", "email": format!("ring{number}@example.com")});
        ring.push(apis[0].post("/api/members", &new).await.data()["member_id"].as_str().unwrap().to_owned());
    }
    let next = ring.iter().cycle().skip(1);
    let ask = |((id, into), api): ((&String, &String), &Api)| {
        (api.clone(), Method::POST, format!("/api/members/{id}/merge"), json!({"into": into}))
    };
    let asks: Vec<Ask> = ring.iter().zip(next).zip(apis.iter().cycle()).map(ask).collect();
    for answer in at_once(asks.clone()).await {
        let known = ["422 validation_failed", "503 unavailable"];
        assert!(answer.status.is_success() || known.contains(&answer.refusal().as_str()), "{answer:?}");
    }
    let mut refused = 0;
    for (api, method, path, body) in asks {
        refused += usize::from(!api.send(method, &path, &body).await.status.is_success());
    }
    assert_eq!(refused, 1, "the last member can't be merged");
    let mut left = Vec::new();
    for id in &ring {
        left.push(apis[0].get(&format!("/api/members/{id}")).await.data()["member_id"].clone());
    }
    left.dedup();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unique_rows_stay_unique_at_every_process() {
    let place = Place::initialised().await;
    let processes = started(&place).await;
    let login = Api::new(processes[0].address).login("boss", PASSWORD).await;
    let apis: Vec<Api> = processes.iter().map(|process| login.at(process.address)).collect();

    // A phone number, an e-mail address or a code belongs to one member.
    for number in 0..PHONES {
        let mut asks = everywhere(&apis, "/api/members", &json!({"name": format!("M{number}")}));
        for (place, (_, _, _, new)) in asks.iter_mut().enumerate() {
            match number % 6 {
                0 => new["email"] = json!(format!("m{number}@example.com")),
                1 => {
                    new["code"] = json!(format!("C{number}"));
                    new["email"] = json!(format!("m{number}-{place}@example.com"));
                }
                _ => new["phone"] = json!(format!("0811 2345 {number:04}")),
            }
        }
        once(&at_once(asks).await, "409 duplicate");
    }
    let mut asks = Vec::new();
    for (number, api) in apis.iter().cycle().take(EACH * 3).enumerate() {
        let new = json!({"name": "Nobody yet", "email": format!("n{number}@example.com")});
        let made = api.post("/api/members", &new).await.data().clone();
        let path = format!("/api/members/{}", made["member_id"].as_str().unwrap());
        asks.push((api.clone(), Method::PATCH, path, json!({"phone": "0899 9999 9999"})));
    }
    once(&at_once(asks).await, "409 duplicate");

    one_is_left_of_a_ring(&apis).await;

    // A supplier's code, when created and when changed.
    let supplier = |code: &str| json!({"code": code, "name": "Tea Ltd"});
    let tea = once(&at_once(everywhere(&apis, "/api/suppliers", &supplier("TEA"))).await, "409 duplicate");
    let mut asks = Vec::new();
    for (number, api) in apis.iter().cycle().take(EACH * 3).enumerate() {
        let made = api.post("/api/suppliers", &supplier(&format!("S{number}"))).await.data().clone();
        let path = format!("/api/suppliers/{}", made["supplier_id"].as_str().unwrap());
        asks.push((api.clone(), Method::PATCH, path, json!({"code": "BEST"})));
    }
    once(&at_once(asks).await, "409 duplicate");

    // A product and a login name.
    let product = json!({"sku": "A", "name": "Thing", "price": 1000});
    once(&at_once(everywhere(&apis, "/api/products", &product)).await, "409 duplicate");
    let person =
        json!({"username": "fin", "name": "Fin", "role": "ho_finance", "password": "another-horse-9"});
    once(&at_once(everywhere(&apis, "/api/users", &person)).await, "409 duplicate");

    // A step of an order.
    let mut shop = shop(&place, &apis, "S001").await;
    let order = json!({"supplier_id": tea["supplier_id"], "store_id": "S001",
        "lines": [{"sku": "A", "qty": 10, "unit_cost": 9}]});
    let order = apis[0].post("/api/purchase-orders", &order).await.data().clone();
    let path = format!("/api/purchase-orders/{}", order["po_id"].as_str().unwrap());
    for step in ["approve", "send"] {
        let answers = at_once(everywhere(&apis, &format!("{path}/{step}"), &json!({}))).await;
        once(&answers, "409 invalid_state");
    }

    // An exception to resolve, and a value to restore.
    let sale = |event_id: &str| {
        Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 }.record(event_id)
    };
    tells(&mut shop, sale("evt_1")).await;
    tells(&mut shop, sale("evt_2")).await;
    for (event_id, ms) in [("evt_3", 9), ("evt_4", 1)] {
        let at = format!("{:013}-00000-S001", NOON.0 + ms);
        let fields = json!({"name": {"value": event_id, "at": at, "base": ""}});
        let record = raw("member.changed", event_id, &at, &json!({"id": "mbr_1", "fields": fields}));
        tells(&mut shop, record).await;
    }
    let found = apis[0].get("/api/exceptions").await.data()["items"][0].clone();
    let path = format!("/api/exceptions/{}/settle", found["exception_id"].as_str().unwrap());
    let answers = at_once(everywhere(&apis, &path, &json!({"note": "both are real"}))).await;
    once(&answers, "409 invalid_state");
    let found = apis[0].get("/api/conflicts").await.data()["items"][0].clone();
    let path = format!("/api/conflicts/{}/restore", found["conflict_id"].as_str().unwrap());
    once(&at_once(everywhere(&apis, &path, &json!({}))).await, "409 invalid_state");

    // A refresh token, and an idempotency key.
    let body = json!({"username": "boss", "password": PASSWORD});
    let pair = apis[0].post("/api/auth/login", &body).await.data().clone();
    let body = json!({"refresh_token": pair["refresh_token"]});
    once(&at_once(everywhere(&apis, "/api/auth/refresh", &body)).await, "401 token_revoked");
    let price = json!({"sku": "A", "price": 900});
    let keyed = apis.iter().map(|api| api.keyed("/api/prices", "k1", &price));
    let mut ids = Vec::new();
    for answer in keyed {
        ids.push(answer.await.data()["price_id"].clone());
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");

    // The audit entries of all processes are one chain, and no process took the progress of another for a restore.
    processes.into_iter().for_each(Process::stop);
    let processes = started(&place).await;
    let begun = login.at(processes[0].address).get("/api/audit?action=generation.begun").await;
    assert_eq!(begun.data()["items"], json!([]));
    processes.into_iter().for_each(Process::stop);
    let done = place.run(&["verify"], "");
    assert!(done.status.success(), "{}", stderr(&done));
}
