//! What can be broken on purpose. Each is a rule that the simulation has to miss when it is gone.

/// A rule that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Nothing,
    /// Records that are there already are applied again.
    Dedup,
    /// The cursor is durable before the effects.
    CursorFirst,
    /// A change of the feed has its number before it is committed.
    BareFeed,
    /// Epochs compare as text.
    EpochText,
    /// Of two epochs with one number the second is fenced instead of being given another.
    EpochEq,
    /// An epoch takes over with its first push, whenever that arrives.
    FenceAtPush,
    /// A copy of the current epoch that is behind is given a new one.
    Takeover,
    /// What only a fenced copy has is dropped when it rejoins.
    Rejoin,
    /// Only epochs that the copy knows of come back.
    OwnKnown,
    /// What comes back is written as new.
    OwnAsNew,
    /// The mark moves to whatever was acknowledged.
    AckHash,
    /// A parked event is not known when it comes again.
    DupScope,
    /// Records park behind those of their own epoch only.
    ParkKeys,
    /// What waits is not tried when what it waits for comes.
    RetryParked,
    /// What waits holds its whole aggregate up.
    WaitingBlocks,
    /// A receipt number that was seen before parks its sale.
    ParkBusiness,
    /// One permanent series of receipts; after a restore it continues three blocks later.
    Receipts,
    /// One permanent series of receipts; after a restore it continues with one more for each minute since.
    ReceiptsByTime,
    /// A box without its own past begins with the first epoch.
    Enrol,
    /// A shift continues after a restore.
    Shifts,
    /// What the newest backup holds may be forgotten.
    Stable,
    /// Days are counted by the store's clock.
    Age,
    /// A gap in the offered records is not reported, and not accepted.
    Gap,
    /// A balance covers the current epoch only.
    IncludesCurrent,
    /// A balance covers records that are not the own ones.
    IncludesHash,
    /// A balance is sent with the coverage of another state of the hub.
    IncludesTorn,
    /// A balance covers what is parked.
    Missing,
    /// The digest counts the current epoch only.
    DigestOfEpoch,
    /// The digest counts what is applied only.
    DigestApplied,
    /// The digest counts what came after the figures that it is asked about.
    DigestAhead,
    /// An event counts in every epoch that it stands in.
    CountTwice,
    /// The figures of an epoch stay when the hub's copy replaces it.
    Recount,
    /// A points entry stays where it was written first, wherever its record is moved to.
    FirstPlace,
    /// What only the own copy of an epoch has is decided before the other epochs come back.
    MovesKnown,
}
