//! What is broken on purpose: the simulation has to see it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Nothing,
    /// A store keeps its own value where its stamp is later than the feed's.
    StoresCompare,
    /// The hub looks at stamps alone.
    NoBase,
    /// A write says only which version of the record it had seen.
    BaseIsVersion,
    /// A stamp that lies ahead of the hub counts.
    AheadCounts,
    /// A clock that is far ahead stays there.
    NoReset,
    /// A store's clock follows the wall's back.
    WallClock,
    /// A store's clock does not merge the stamps that it sees.
    NothingMerged,
    /// What a restored hub lost stays lost.
    NothingGoesBack,
    /// Own writes do not stay on top.
    NothingOnTop,
    /// A store's word lifts a denial at the hub.
    StoreLifts,
    /// A store lets in whom head office keeps out.
    StoreLiftsHere,
    /// The hub refuses what a transfer's state does not allow.
    StateMachine,
    /// What was called off stays called off.
    CancelledStands,
    /// A change of the feed has its number before it is committed.
    BareFeed,
    /// A hub that was put back by hand is the same generation as before, and a cursor is a bare number.
    BareCursor,
    /// The cursor of a snapshot is that of its last page.
    LateCursor,
    /// The cursor is durable before its page.
    CursorFirst,
}

/// Those that random histories find.
pub const BY_CHANCE: [Broken; 14] = [
    Broken::StoresCompare,
    Broken::NoBase,
    Broken::BaseIsVersion,
    Broken::AheadCounts,
    Broken::NoReset,
    Broken::WallClock,
    Broken::NothingGoesBack,
    Broken::NothingOnTop,
    Broken::StoreLifts,
    Broken::StoreLiftsHere,
    Broken::StateMachine,
    Broken::BareFeed,
    Broken::BareCursor,
    Broken::CursorFirst,
];
