//! Costs of a sale, counted instead of timed: `docs/performance.md#the-budget-of-a-sale` has each figure.
//!
//! A store serves one till in this process, over HTTP, so that one allocator counts all allocations. The till itself
//! allocates nothing while they are counted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::fmt::{Arguments, Write as _};
use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use storage::Storage;
use store_router::app::App;
use store_router::config::load;
use testkit::counter::{SALES, basket};
use testkit::{Client, Store};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Sold before anything is counted: caches are filled, buffers have grown.
const WARM_UP: u64 = 30;
/// Sold while it is counted, in parts.
const SALES_COUNTED: u64 = PARTS * SALES_OF_A_PART;
const PARTS: u64 = 10;
const SALES_OF_A_PART: u64 = 10;
/// How much more than the budget a run may count, in percent: buffers grow now and then.
const MARGIN_PERCENT: u64 = 10;
/// Margin of hand-overs, which depend on the kernel too.
const HAND_OVERS_MARGIN_PERCENT: u64 = 60;

/// The counted costs. The page has the limit of each; lower it there if a change makes a sale cheaper.
const COUNTED: [&str; 8] = [
    "allocations",
    "bytes allocated",
    "bytes written to the journal",
    "fdatasyncs of the journal",
    "rows read",
    "rows written",
    "bytes hashed",
    HAND_OVERS,
];
const HAND_OVERS: &str = "thread hand-overs";
const PAGE: &str = "docs/performance.md";

/// How a till sells.
#[derive(Clone, Copy)]
enum Way {
    /// Create, then pay.
    TwoRequests,
    /// Create with the payment.
    OneRequest,
}

impl Way {
    const ALL: [Self; 2] = [Self::TwoRequests, Self::OneRequest];

    /// Heading of its column of the page's table.
    fn column(self) -> &'static str {
        match self {
            Self::TwoRequests => "budget",
            Self::OneRequest => "in one request",
        }
    }
}

/// The figure of a row of the page's table in a way's column.
fn budget(page: &str, what: &str, way: Way) -> u64 {
    let cells = |begin: &str| {
        let row = page.lines().find(|line| line.starts_with(begin)).unwrap();
        row.split('|').map(str::trim).collect::<Vec<_>>()
    };
    let heads = cells("| counted for each sale |");
    let column = heads.iter().position(|head| *head == way.column()).unwrap();
    cells(&format!("| {what} |"))[column].replace(',', "").parse().unwrap()
}

/// A till that speaks HTTP in buffers of its own.
struct Till {
    stream: TcpStream,
    head: String,
    request: String,
    answer: Vec<u8>,
    basket: String,
    payment: String,
    whole: String,
    id: String,
}

impl Till {
    fn at(client: &Client, register: &str) -> Self {
        let head = format!(
            "Host: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\n\
             X-Register-Id: {register}\r\n",
            client.token().unwrap()
        );
        let stream = client.connect().unwrap();
        stream.set_nodelay(true).unwrap();
        let basket = basket(&[("8990001", 1), ("8990002", 2), ("8990003", 3)]);
        let payment = serde_json::json!({"payments": [{"method": "cash", "amount": 50505}]});
        let mut whole = basket.clone();
        whole["payments"] = payment["payments"].clone();
        Self {
            stream,
            head,
            request: String::with_capacity(4_096),
            answer: vec![0; 16 * 1_024],
            basket: basket.to_string(),
            payment: payment.to_string(),
            whole: whole.to_string(),
            id: String::with_capacity(64),
        }
    }

    fn sell(&mut self, number: u64, way: Way) {
        let answer = match way {
            Way::TwoRequests => self.sell_in_two(number),
            Way::OneRequest => {
                let Self { request, head, whole, .. } = self;
                post(request, head, format_args!("{SALES}"), format_args!("w-{number}"), whole);
                self.exchange()
            }
        };
        assert!(answer.contains("\"state\":\"paid\""), "a sale was not completed");
    }

    fn sell_in_two(&mut self, number: u64) -> &str {
        let Self { request, head, basket, .. } = self;
        post(request, head, format_args!("{SALES}"), format_args!("c-{number}"), basket);
        let answer = self.exchange();
        let id = answer.split_once("\"transaction_id\":\"").unwrap().1.split_once('"').unwrap().0.len();
        let at = answer.find("\"transaction_id\":\"").unwrap() + 18;
        self.id.clear();
        self.id.push_str(std::str::from_utf8(&self.answer[at..at + id]).unwrap());
        let Self { request, head, payment, id, .. } = self;
        post(request, head, format_args!("{SALES}/{id}/pay"), format_args!("p-{number}"), payment);
        self.exchange()
    }

    fn exchange(&mut self) -> &str {
        self.stream.write_all(self.request.as_bytes()).unwrap();
        let mut read = 0;
        loop {
            read += self.stream.read(&mut self.answer[read..]).unwrap();
            let text = std::str::from_utf8(&self.answer[..read]).unwrap();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.split_once("content-length: ").unwrap().1;
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            if body.len() == length {
                assert!(head.starts_with("HTTP/1.1 20"), "{text}");
                return std::str::from_utf8(&self.answer[..read]).unwrap();
            }
        }
    }
}

/// Writes a request into the till's buffer.
fn post(request: &mut String, head: &str, path: Arguments<'_>, key: Arguments<'_>, body: &str) {
    request.clear();
    write!(request, "POST {path} HTTP/1.1\r\n{head}Idempotency-Key: {key}\r\n").unwrap();
    write!(request, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
}

/// How often a thread of this process gave its core up to wait for another one.
fn hand_overs() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let of = |path: std::path::PathBuf| {
        let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.map_or(0, |count| count.trim().parse::<u64>().unwrap())
    };
    tasks.map(|task| of(task.unwrap().path())).sum()
}

/// Everything that is counted, in the order of [`COUNTED`].
fn counted(storage: &Storage) -> [u64; 8] {
    let ([allocations, bytes], stats, switches) = (heap(), storage.stats(), hand_overs());
    [
        allocations,
        bytes,
        stats.journal_bytes,
        stats.fdatasyncs,
        stats.row_reads,
        stats.row_writes,
        stats.hashed_bytes,
        switches,
    ]
}

/// Allocations of this process, and their bytes.
fn heap() -> [u64; 2] {
    let heap = ALLOCATOR.stats();
    [(heap.allocations + heap.reallocations) as u64, heap.bytes_allocated as u64]
}

/// The middle one.
fn median(mut all: Vec<u64>) -> u64 {
    all.sort_unstable();
    all[all.len() / 2]
}

/// The counts of each of the measured sales in each way, on average. Of the heap it is the median of the parts: jobs
/// that run by the clock allocate in some of them, and in more of them on a busy machine.
fn measure(store: &Store, storage: &Storage) -> [[u64; 8]; 2] {
    store.receive_all(100_000);
    let mut client = store.login("till-1").at_register("till-1");
    client.post("/api/shifts/open", &serde_json::json!({})).data(201);
    let mut till = Till::at(&client, "till-1");
    Way::ALL.map(|way| {
        (0..WARM_UP).for_each(|number| till.sell(number, way));
        let before = counted(storage);
        let parts: Vec<[u64; 2]> = (0..PARTS)
            .map(|part| {
                let (first, start) = (WARM_UP + part * SALES_OF_A_PART, heap());
                (first..first + SALES_OF_A_PART).for_each(|number| till.sell(number, way));
                std::array::from_fn(|n| (heap()[n] - start[n]) / SALES_OF_A_PART)
            })
            .collect();
        let after = counted(storage);
        std::array::from_fn(|n| match n {
            0 | 1 => median(parts.iter().map(|part| part[n]).collect()),
            // A thread that ended meanwhile takes its hand-overs with it.
            _ => after[n].saturating_sub(before[n]) / SALES_COUNTED,
        })
    })
}

#[test]
fn a_sale_of_three_lines_costs_no_more_than_its_budget() {
    let store = Store::prepare("", 1);
    let file = store.folder().join("config.toml");
    let config = load::load(Some(&file), Vec::new()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let (storage, serving) = runtime.block_on(async {
        let app = App::open(&config).await.unwrap();
        let storage = app.storage().clone();
        let listener = TcpListener::bind(store.address()).await.unwrap();
        let stopped = async { drop(stopped.await) };
        (storage, tokio::spawn(app.run(listener, stopped)))
    });
    let costs = measure(&store, &storage);
    drop((stop, storage));
    runtime.block_on(serving).unwrap().unwrap();
    println!("{:30} {:>8} {:>14}", "", Way::TwoRequests.column(), Way::OneRequest.column());
    for (n, what) in COUNTED.iter().enumerate() {
        println!("{what:30} {:>8} {:>14}", costs[0][n], costs[1][n]);
    }
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap();
    for (way, cost) in Way::ALL.into_iter().zip(costs) {
        for (what, cost) in COUNTED.into_iter().zip(cost) {
            let margin = if what == HAND_OVERS { HAND_OVERS_MARGIN_PERCENT } else { MARGIN_PERCENT };
            let budget = budget(&page, what, way);
            let most = budget + budget * margin / 100;
            assert!(cost <= most, "{what} of a sale ({}): {cost}, the budget is {budget}", way.column());
        }
    }
}
