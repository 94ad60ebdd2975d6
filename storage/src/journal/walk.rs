//! Reading segments from front to back: every frame checked against checksum, number and chain.

use crate::error::StorageError;
use crate::journal::body::Body;
use crate::journal::frame::{Chain, HEADER_BYTES, Header};
use crate::journal::record_head::RecordHead;
use crate::journal::segment::{HEAD_BYTES, Segment};

/// Bytes that are read at once.
const WINDOW_BYTES: usize = 1024 * 1024;

/// A place between two frames of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// Lsn of the frame before.
    pub lsn: u64,
    /// Frame chain at the position.
    pub chain: Chain,
    /// Offset of the next frame.
    pub offset: u64,
    /// Position of the records.
    pub records: RecordHead,
    /// Wall clock of the frame before, milliseconds since 1970; 0 at the beginning of a segment.
    pub at: i64,
}

impl Position {
    /// Before a segment's first frame.
    pub fn start(segment: &Segment) -> Self {
        Self {
            lsn: segment.head.first_lsn.saturating_sub(1),
            chain: segment.head.chain,
            offset: HEAD_BYTES,
            records: segment.head.records.clone(),
            at: 0,
        }
    }
}

/// Walks over a segment's frames.
#[derive(Debug)]
pub struct Walk<'a> {
    segment: &'a Segment,
    place: Position,
    window: Vec<u8>,
    window_at: u64,
    chained: bool,
}

/// A frame, its offset, and its decoded body.
#[derive(Debug)]
pub struct Step {
    /// Offset of the frame in bytes.
    pub offset: u64,
    /// Header of the frame.
    pub header: Header,
    /// Body of the frame.
    pub body: Body,
}

impl<'a> Walk<'a> {
    /// Begins at a place.
    pub fn new(segment: &'a Segment, place: Position) -> Self {
        Self { segment, window_at: place.offset, place, window: Vec::new(), chained: true }
    }

    /// Begins in the middle of a segment, where the chain before the first frame is not known: that frame is checked by
    /// its checksum alone.
    pub fn from_the_middle(segment: &'a Segment, place: Position) -> Self {
        let chained = place.offset == HEAD_BYTES;
        Self { chained, ..Self::new(segment, place) }
    }

    /// Present place of the walk.
    pub fn place(&self) -> &Position {
        &self.place
    }

    /// The next frame; `None` if no intact frame begins there (the tail). An intact frame that does not follow is
    /// damage.
    pub fn step(&mut self) -> Result<Option<Step>, StorageError> {
        let offset = self.place.offset;
        let Some(header) = Header::read(self.bytes(offset, HEADER_BYTES)?) else {
            return Ok(None);
        };
        let (previous, lsn, chained, segment) =
            (self.place.chain, self.place.lsn, self.chained, self.segment);
        let frame = self.bytes(offset, header.span())?;
        if !header.intact(frame) {
            return Ok(None);
        }
        let follows = !chained || header.follows(&previous, frame);
        if header.lsn != lsn + 1 || !follows {
            let what = format!("lsn {} does not follow lsn {lsn}", header.lsn);
            return Err(StorageError::damaged(&segment.path, offset, what));
        }
        let bytes = frame.get(HEADER_BYTES..HEADER_BYTES + header.len).unwrap_or_default();
        let body = segment.body(bytes, offset)?;
        self.chained = true;
        self.advance(&header, &body)?;
        Ok(Some(Step { offset, header, body }))
    }

    fn advance(&mut self, header: &Header, body: &Body) -> Result<(), StorageError> {
        let opened = opened_epoch(body)
            .map_err(|what| StorageError::damaged(&self.segment.path, self.place.offset, what))?;
        if let Some(epoch) = opened {
            self.place.records = RecordHead { epoch, ..RecordHead::default() };
        }
        // Records of an earlier epoch that came back are not the end of the current one.
        let current = body.stamps.epoch == self.place.records.epoch;
        if let Some(hash) = body.stamps.hashes.last().filter(|_| current) {
            self.place.records.seq += body.stamps.hashes.len() as u64;
            self.place.records.hash = *hash;
        }
        (self.place.lsn, self.place.chain, self.place.at) = (header.lsn, header.chain, body.content.at);
        self.place.offset += header.span() as u64;
        Ok(())
    }

    fn bytes(&mut self, at: u64, len: usize) -> Result<&[u8], StorageError> {
        let end = self.window_at + self.window.len() as u64;
        if at < self.window_at || at + len as u64 > end {
            let room = self.segment.len.saturating_sub(at) as usize;
            self.window = vec![0; len.max(WINDOW_BYTES).min(room)];
            let read = self.segment.read(&mut self.window, at)?;
            self.window.truncate(read);
            self.window_at = at;
        }
        let from = (at - self.window_at) as usize;
        Ok(self.window.get(from..).map(|rest| rest.get(..len).unwrap_or(rest)).unwrap_or_default())
    }
}

/// The epoch that a frame opens; only frames that name the event are parsed.
pub fn opened_epoch(body: &Body) -> Result<Option<String>, String> {
    const NAME: &[u8] = b"epoch_opened";
    let names = |bytes: &&Vec<u8>| bytes.len() < 256 && bytes.windows(NAME.len()).any(|part| part == NAME);
    let mut found = None;
    for bytes in body.content.events.iter().filter(names) {
        let event = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        found = crate::journal::chain_events::opened_epoch(std::slice::from_ref(&event)).or(found);
    }
    Ok(found)
}
