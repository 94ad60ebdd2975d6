//! A hub with scripted answers, on a real socket.

use domain::model::base::time::UtcMs;
use domain::model::hub::chain::GENESIS;
use domain::model::hub::stamp::HubIdentity;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The answer to a push.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnPush {
    Take,
    TakeNothing,
    ClaimMore,
    /// Accepts the whole batch, but can't apply the last record.
    Park,
    Hold,
    Refuse,
}

/// The answer to a pull.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnPull {
    End,
    EndAtOnce,
    Resync,
    NeverMoves,
    OtherGeneration,
    /// The lane of products must be read again. Its snapshot fails once, and waits in the middle once.
    Anew,
}

/// Settings of the hub, its data, and the requests that it has received.
pub struct Hub {
    pub on_push: OnPush,
    pub on_pull: OnPull,
    pub generation: String,
    pub seq: u64,
    pub hash: String,
    /// Whether another copy is the active one, in the epoch after this one's: the answer to every hello.
    pub fenced: bool,
    /// Name of the key of another enrolment that replaced this shop's: the answer to every call.
    pub replaced_by: Option<&'static str>,
    /// Number of connections.
    pub connections: usize,
    /// Number of requests for reservations. Each is held until it is released, and then refused.
    pub reserves: usize,
    pub hellos: usize,
    pub pushes: usize,
    pub pulls: usize,
    /// The result of a day's digest.
    pub digest: Value,
    /// Number of requested pages of snapshots.
    pub snapshots: usize,
    /// Received digests.
    pub digests: Vec<Value>,
    /// Largest batch that it offers to accept.
    pub batch_events: usize,
    /// Size of the largest batch received.
    pub largest: usize,
    /// Size of each push.
    pub sizes: Vec<usize>,
    /// Positions of the records that it still can't apply.
    pub parked: Value,
    /// Values that lost, in the answer to a hello.
    pub conflicts: Value,
    /// The epoch that hello asks a store to open; `None` if any epoch is accepted.
    pub new_epoch: Option<u64>,
    /// A page of changes for the last lane, before the cursor `fed`, for a store that reads it to its end.
    pub page: Vec<Value>,
    /// The store's own records that its balances contain.
    pub includes: Vec<Value>,
    /// How often the page was sent.
    pub paged: usize,
}

#[derive(Clone)]
pub struct FakeHub {
    hub: Arc<Mutex<Hub>>,
    released: Arc<Notify>,
    url: String,
}

impl FakeHub {
    pub async fn start(on_push: OnPush, on_pull: OnPull) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (generation, hash) = ("g1".to_owned(), GENESIS.to_owned());
        let digest = json!({"result": "match", "parked": 0, "first_difference": null});
        let hub = Hub {
            on_push,
            on_pull,
            generation,
            seq: 0,
            hash,
            fenced: false,
            replaced_by: None,
            connections: 0,
            reserves: 0,
            hellos: 0,
            pushes: 0,
            pulls: 0,
            digest,
            snapshots: 0,
            digests: Vec::new(),
            batch_events: 500,
            largest: 0,
            sizes: Vec::new(),
            parked: Value::Null,
            conflicts: json!([]),
            new_epoch: None,
            page: Vec::new(),
            includes: Vec::new(),
            paged: 0,
        };
        let fake = Self { hub: Arc::new(Mutex::new(hub)), released: Arc::default(), url };
        let serving = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serving.lock().connections += 1;
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        fake
    }

    pub fn identity(&self) -> HubIdentity {
        HubIdentity { hub_id: "hub".to_owned(), url: self.url.clone(), generation: "g1".to_owned() }
    }

    pub fn lock(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap()
    }

    /// Returns the number of hellos, pushes and pulls so far.
    pub fn seen(&self) -> (usize, usize, usize) {
        let hub = self.lock();
        (hub.hellos, hub.pushes, hub.pulls)
    }

    /// Releases held answers.
    pub fn release(&self) {
        self.released.notify_waiters();
    }

    /// Simulates a restored backup: no data of this store, and another generation.
    pub fn restore(&self) {
        let mut hub = self.lock();
        (hub.seq, hub.hash, hub.generation) = (0, GENESIS.to_owned(), "g2".to_owned());
    }

    async fn serve(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        loop {
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                    return;
                }
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line == "\r\n" {
                    break;
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.unwrap();
            let (status, answer) = self.answer(&head, &body).await;
            let text = answer.to_string();
            let head = format!(
                "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                text.len()
            );
            if stream.write_all((head + &text).as_bytes()).await.is_err() {
                return;
            }
        }
    }

    async fn answer(&self, head: &str, body: &[u8]) -> (u16, Value) {
        let unpacked = if head.to_ascii_lowercase().contains("content-encoding: zstd") {
            zstd::decode_all(body).unwrap()
        } else {
            body.to_vec()
        };
        let body: Value = serde_json::from_slice(&unpacked).unwrap_or_default();
        if let Some(replaced_by) = self.lock().replaced_by {
            let details = json!({"replaced_at": UtcMs(1_795_140_000_000), "replaced_by": replaced_by});
            let message = "enrol it again";
            return (
                403,
                json!({"error": {"code": "store_replaced", "message": message, "details": details}}),
            );
        }
        if head.contains("/api/sync/hello") {
            self.hello(&body)
        } else if head.contains("/api/sync/snapshot") {
            self.snapshot(head).await
        } else if head.contains("/api/sync/digest") {
            let mut hub = self.lock();
            hub.digests.push(body);
            (200, success(hub.digest.clone(), &hub.generation))
        } else if head.contains("/api/sync/receipts/reserve") {
            self.lock().reserves += 1;
            self.released.notified().await;
            (503, json!({"error": {"code": "unavailable", "message": "later"}}))
        } else if head.contains("/api/sync/members") {
            (200, success(json!({"changes": []}), &self.lock().generation))
        } else if head.contains("/api/sync/push") {
            self.push(&body).await
        } else {
            self.pull(head).await
        }
    }

    fn hello(&self, body: &Value) -> (u16, Value) {
        let mut hub = self.lock();
        hub.hellos += 1;
        let head = json!({"epoch": body["epoch"], "seq": hub.seq, "hash": hub.hash, "stable_seq": 0});
        let limits =
            json!({"batch_events": hub.batch_events, "batch_bytes": 1 << 20, "event_bytes": 1 << 18});
        let mut directive = if body["apart"] == true || hub.fenced { "fenced" } else { "ok" };
        let mut heads = vec![head];
        if hub.fenced {
            heads.push(json!({"epoch": "2-00000000000000bb", "seq": 1, "hash": GENESIS, "stable_seq": 0}));
        }
        if hub.new_epoch.is_some() {
            directive = "new_epoch";
        }
        let answer = json!({"directive": directive, "n": hub.new_epoch.unwrap_or(heads.len() as u64), "heads": heads, "limits": limits,
            "parked": hub.parked, "conflicts": hub.conflicts});
        (200, success(answer, &hub.generation))
    }

    async fn push(&self, body: &Value) -> (u16, Value) {
        let mode = {
            let mut hub = self.lock();
            hub.pushes += 1;
            hub.on_push
        };
        if mode == OnPush::Hold {
            self.released.notified().await;
        }
        let mut hub = self.lock();
        let events = body["events"].as_array().unwrap();
        hub.largest = hub.largest.max(events.len());
        hub.sizes.push(events.len());
        let last = events.last().unwrap();
        let mut answer = json!({"epoch": body["epoch"], "stable_seq": 0, "duplicates": 0, "parked": [],
            "conflicts": [], "versions": [], "acked_seq": hub.seq, "acked_hash": hub.hash});
        match mode {
            OnPush::Refuse => return (503, json!({"error": {"code": "unavailable", "message": "later"}})),
            OnPush::TakeNothing => {}
            OnPush::ClaimMore => answer["acked_seq"] = json!(last["seq"].as_u64().unwrap() + 1_000),
            OnPush::Take | OnPush::Hold | OnPush::Park => {
                hub.seq = last["seq"].as_u64().unwrap();
                hub.hash = last["hash"].as_str().unwrap().to_owned();
                (answer["acked_seq"], answer["acked_hash"]) = (json!(hub.seq), json!(hub.hash));
                if mode == OnPush::Park {
                    answer["parked"] = json!([{"seq": hub.seq, "event_id": "evt_x", "code": "unknown_type",
                        "message": "what is that?"}]);
                }
            }
        }
        (200, success(answer, &hub.generation))
    }

    async fn pull(&self, head: &str) -> (u16, Value) {
        let (mode, mut generation, page, includes) = {
            let mut hub = self.lock();
            hub.pulls += 1;
            (hub.on_pull, hub.generation.clone(), hub.page.clone(), hub.includes.clone())
        };
        // A forgotten cursor is before the first change of the same feed.
        let fed = head.contains("cursor=fed") && !head.contains("cursor=fed.0.");
        let at_end = fed || !head.contains("wait=0");
        if head.contains("lane=rest") && !page.is_empty() && !at_end {
            self.lock().paged += 1;
            return (
                200,
                success(
                    json!({"changes": page, "next_cursor": "fed", "more": false, "includes": includes}),
                    &generation,
                ),
            );
        }
        let cursor = if fed { "fed" } else { "c1" };
        let more = mode == OnPull::NeverMoves;
        match mode {
            OnPull::End if !head.contains("wait=0") => tokio::time::sleep(Duration::from_secs(30)).await,
            OnPull::Resync => {
                return (410, json!({"error": {"code": "resync_required", "message": "who are you?"}}));
            }
            OnPull::OtherGeneration => generation = "other".to_owned(),
            OnPull::Anew if head.contains("lane=rest") && head.contains("cursor=c1") => {
                return (410, json!({"error": {"code": "resync_required", "message": "too old"}}));
            }
            OnPull::Anew if head.contains("cursor=c9") => {
                return (
                    200,
                    success(json!({"changes": [], "next_cursor": "c9", "more": false}), &generation),
                );
            }
            OnPull::End | OnPull::EndAtOnce | OnPull::NeverMoves | OnPull::Anew => {}
        }
        (200, success(json!({"changes": [], "next_cursor": cursor, "more": more}), &generation))
    }
}

impl FakeHub {
    /// Two pages of one product each.
    async fn snapshot(&self, head: &str) -> (u16, Value) {
        let (asked, generation) = {
            let mut hub = self.lock();
            hub.snapshots += 1;
            (hub.snapshots, hub.generation.clone())
        };
        let second = head.contains("page=p2");
        match asked {
            2 => return (410, json!({"error": {"code": "resync_required", "message": "a page too old"}})),
            4 => self.released.notified().await,
            _ => {}
        }
        let sku = if second { "C" } else { "B" };
        let product = json!({"sku": sku, "name": sku, "price": 100, "tax_rate_bp": null, "tax_code": null,
            "category": null, "barcodes": [], "cost": null, "reorder_level": null, "track_stock": true,
            "state": "active", "price_set_at": UtcMs(0), "updated_at": UtcMs(0)});
        let change = json!({"cursor": "c9", "kind": "product", "id": sku, "version": "v", "deleted": false,
            "effective_at": null, "payload": product});
        let next_page = if second { Value::Null } else { json!("p2") };
        (200, success(json!({"changes": [change], "next_page": next_page, "cursor": "c9"}), &generation))
    }
}

fn success(mut data: Value, generation: &str) -> Value {
    data["hub_generation"] = json!(generation);
    data["hub_time"] = json!(UtcMs(1_795_140_000_000));
    json!({"success": true, "data": data})
}

/// A parked record of the first epoch as an answer to a hello names it.
pub fn named(seq: u64, code: &str, parked_at: UtcMs) -> Value {
    json!({"epoch": "1-00000000000000aa", "seq": seq, "event_id": "evt_x", "code": code,
        "message": "what is that?", "parked_at": parked_at})
}
