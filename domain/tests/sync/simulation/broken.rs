//! Deliberate defects. Each disables a rule, and the simulation must fail without it.

/// A disabled rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Nothing,
    /// Records that exist already are applied again.
    Dedup,
    /// The cursor is durable before its effects.
    CursorFirst,
    /// A change of the feed gets its number before its commit.
    BareFeed,
    /// Epochs are compared as text.
    EpochText,
    /// Of two epochs with one number the second is fenced instead of getting another number.
    EpochEq,
    /// An epoch takes over with its first push, whenever that arrives.
    FenceAtPush,
    /// A copy of the current epoch that is behind gets a new epoch.
    Takeover,
    /// Records that only a fenced copy has are dropped when it rejoins.
    Rejoin,
    /// Only epochs that the copy knows are downloaded.
    OwnKnown,
    /// Downloaded records are written as new ones.
    OwnAsNew,
    /// The acknowledgement mark moves whatever the hash is.
    AckHash,
    /// A parked event is not recognised when it comes again.
    DupScope,
    /// Records are parked only behind those of their own epoch.
    ParkKeys,
    /// A waiting record is not retried when its predecessor comes.
    RetryParked,
    /// A waiting record blocks its whole aggregate.
    WaitingBlocks,
    /// A repeated receipt number parks its sale.
    ParkBusiness,
    /// One permanent series of receipts; after a restore it continues three blocks later.
    Receipts,
    /// One permanent series of receipts; after a restore it continues with one more for each minute since.
    ReceiptsByTime,
    /// A store without its own past begins with the first epoch.
    Enrol,
    /// A shift continues after a restore.
    Shifts,
    /// Records in the newest backup may be deleted.
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
    /// The digest counts only applied records.
    DigestApplied,
    /// The digest counts records that came after its figures.
    DigestAhead,
    /// An event counts in every epoch that contains it.
    CountTwice,
    /// The figures of an epoch are kept when the hub's copy replaces it.
    Recount,
    /// A points entry stays in its first epoch, wherever its record is moved.
    FirstPlace,
    /// Records that only the own copy of an epoch has are moved before the other epochs are downloaded.
    MovesKnown,
}
