//! Deliberate defects, which the simulation must find.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Nothing,
    /// A store keeps its own value if its stamp is later than the feed's.
    StoresCompare,
    /// The hub compares only stamps.
    NoBase,
    /// A write states only which version of the record it is based on.
    BaseIsVersion,
    /// A stamp that is ahead of the hub's clock is accepted.
    AheadCounts,
    /// A clock that is far ahead is not reset.
    NoReset,
    /// A store's hybrid clock follows the wall clock back.
    WallClock,
    /// A store's clock does not merge the stamps that it receives.
    NothingMerged,
    /// Changes that a restored hub lost stay lost.
    NothingGoesBack,
    /// Own writes do not stay on top until they are decided.
    NothingOnTop,
    /// A store's record lifts a denial at the hub.
    StoreLifts,
    /// A store lifts a denial of head office for itself.
    StoreLiftsHere,
    /// The hub refuses steps that a transfer's state does not allow.
    StateMachine,
    /// A cancelled transfer stays cancelled.
    CancelledStands,
    /// A change of the feed gets its number before its commit.
    BareFeed,
    /// A hub that was put back by hand keeps its generation, and a cursor is only a number.
    BareCursor,
    /// A snapshot has the cursor of its last page.
    LateCursor,
    /// The cursor is durable before its page.
    CursorFirst,
}

/// The defects that random histories find.
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
