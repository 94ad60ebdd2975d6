//! Messages in transit: they arrive late, twice, in any order, or never.

use super::feed::{Bookmark, Page};
use super::hub::Pushed;
use domain::model::base::time::UtcMs;
use std::fmt;

/// A request of a store.
#[derive(Clone, Debug)]
pub enum Ask {
    Hello,
    Push { after: usize, texts: Vec<String> },
    Pull { lane: &'static str, cursor: String },
    Snapshot { lane: &'static str, at: Option<Bookmark> },
}

/// An answer of the hub.
#[derive(Clone, Debug)]
pub enum Answer {
    Hello {
        generation: String,
        acked: usize,
        hub_time: UtcMs,
    },
    Pushed(Pushed),
    /// Refused: the store must send a hello.
    Gap,
    Page {
        lane: &'static str,
        page: Page,
        generation: String,
        hub_time: UtcMs,
    },
    /// 410
    Resync {
        lane: &'static str,
    },
    Snapshot {
        lane: &'static str,
        page: Page,
        generation: String,
        hub_time: UtcMs,
    },
}

impl Answer {
    /// Returns the hub's time in the answer, if it has one.
    pub fn hub_time(&self) -> Option<UtcMs> {
        match self {
            Self::Pushed(Pushed { hub_time, .. })
            | Self::Hello { hub_time, .. }
            | Self::Page { hub_time, .. }
            | Self::Snapshot { hub_time, .. } => Some(*hub_time),
            Self::Gap | Self::Resync { .. } => None,
        }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello => write!(f, "hello"),
            Self::Push { after, texts } => write!(f, "push {after}+{}", texts.len()),
            Self::Pull { lane, cursor } => write!(f, "pull {lane} {cursor}"),
            Self::Snapshot { lane, .. } => write!(f, "snapshot {lane}"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello { generation, acked, .. } => write!(f, "hello {generation}, has {acked}"),
            Self::Pushed(pushed) => write!(f, "has {} {:?}", pushed.acked, pushed.versions),
            Self::Gap => write!(f, "gap"),
            Self::Resync { lane } => write!(f, "resync {lane}"),
            Self::Page { lane, page, .. } | Self::Snapshot { lane, page, .. } => {
                write!(f, "{lane} to {}", page.cursor)?;
                page.changes.iter().try_for_each(|change| {
                    write!(f, "\n    {} {} {} {}", change.kind, change.id, change.version, change.payload)
                })
            }
        }
    }
}

#[derive(Clone, Debug)]
pub enum Body {
    Asks(Ask),
    Answers(Answer),
}

#[derive(Clone, Debug)]
pub struct Letter {
    pub store: usize,
    pub request: u64,
    pub body: Body,
}
