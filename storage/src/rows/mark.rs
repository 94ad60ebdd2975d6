//! The mark: how far the rows are in the journal. It is written in every batch.

use super::sums::Sums;
use crate::folder::format::ROWS;
use crate::journal::frame::{CHAIN_START, Chain};
use crate::journal::record_head::RecordHead;
use bincode::{Decode, Encode};

/// Room for an encoded mark: the sums of all tables take most of the space.
const ENCODED_BYTES: usize = 1024;

/// A place between two frames, with all that is needed to continue from it.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Mark {
    /// The last applied commit.
    pub lsn: u64,
    /// The frame chain there.
    pub chain: Chain,
    /// First lsn of the segment that it is in.
    pub segment: u64,
    /// Offset of the next frame.
    pub offset: u64,
    /// Position of the records.
    pub records: RecordHead,
    /// Wall clock of the last commit, milliseconds since 1970.
    pub at: i64,
    /// The highest hybrid clock stamp.
    pub hlc: Option<String>,
    /// Sums of the rows.
    pub sums: Sums,
}

impl Default for Mark {
    fn default() -> Self {
        Self {
            lsn: 0,
            chain: CHAIN_START,
            segment: 0,
            offset: 0,
            records: RecordHead::default(),
            at: 0,
            hlc: None,
            sums: Sums::default(),
        }
    }
}

impl Mark {
    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(ENCODED_BYTES);
        bytes.push(ROWS);
        // Writing to memory can't fail, and neither can these types.
        let _ = bincode::encode_into_std_write(self, &mut bytes, bincode::config::standard());
        bytes
    }

    /// The version of stored bytes.
    pub fn version(bytes: &[u8]) -> u8 {
        bytes.first().copied().unwrap_or_default()
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        match bytes.split_first() {
            Some((&ROWS, rest)) => {
                let config = bincode::config::standard().with_limit::<65_536>();
                let (mark, _) =
                    bincode::decode_from_slice(rest, config).map_err(|error| error.to_string())?;
                Ok(mark)
            }
            _ => Err(format!("mark version {}, this program reads {ROWS}", Self::version(bytes))),
        }
    }

    /// Goes on from a stamp below the highest one: the clock had been ahead.
    pub fn reset_clock(&mut self, to: Option<String>) {
        self.hlc = to.or_else(|| self.hlc.take());
    }

    /// The mark after one more commit.
    pub fn advance(&mut self, lsn: u64, chain: Chain, place: (u64, u64), at: i64, hlc: Option<&str>) {
        (self.lsn, self.chain, self.at) = (lsn, chain, at);
        (self.segment, self.offset) = place;
        if hlc > self.hlc.as_deref() {
            self.hlc = hlc.map(str::to_owned);
        }
    }
}
