//! Deliberate bugs, to prove that the tests see them. `./dev test faults` builds core, store and engine with the feature `faults`,
//! picks one fault after the other and demands that some test fails.
//!
//! Without the feature, which no shipped build and no default has (a tidy test holds that), [`on`] is a constant *no* and the
//! compiler removes what it guards. With it, the one thing that the core ever learns from outside its input is which fault to have.

/// A bug that can be switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// One that waited along stays when its batch is passed by.
    ForgetSibling,
    /// The verdict on a call that waited along is lost, and it runs.
    ForgetKept,
    /// An input may let go what the person wasn't told about.
    ForgetLoss,
    /// Guards don't look again before an approved call runs.
    NoSecondLook,
    /// The tool isn't looked at again before a claim.
    NoGateAtClaim,
    /// What let a call run holds for ever.
    WarrantNeverLapses,
    /// Rounds aren't counted.
    UncountedRounds,
    /// In Auto a rule's rejection doesn't count.
    AutoOverRejection,
    /// A guard that failed is taken for one without an opinion.
    FailedGuardAbstains,
    /// An answer about something else than what is stored is admitted.
    IgnoreDigest,
    /// An answer to a closed request is passed over instead of refused.
    AcceptClosed,
    /// A call that ran when the process died is run again.
    RerunStarted,
    /// Our id of a call is made from the provider's.
    ProviderIdAsOurs,
    /// A dropped call stays in what the model is sent.
    DroppedInView,
    /// Auto for one plan stays when the run ends.
    AutoStays,
    /// Auto stays when its time is over.
    AutoOutlasts,
    /// A sub-agent that nobody answered stays when the conversation goes on.
    LeaveSuspended,
    /// A run that asked ends although a background agent is at work.
    EndsBesideWork,
    /// What a background agent says passes by what the run asked.
    BackgroundCloses,
    /// A sub-agent has the conversation's mode, however strict it was called.
    LooserBelow,
    /// A sub-agent in which something waits is interrupted when the process died.
    InterruptWaiting,
    /// Answers that waited for a run to end are forgotten when it has.
    QueueNever,
    /// A question that a server held stays open when its call is over.
    KeepHeld,
    /// The claim of a call isn't stored.
    DropClaim,
    /// A request closes whatever its state.
    CloseTwice,
    /// A step is stored whoever was first.
    NoRevisionCheck,
    /// What follows from a step is carried out before it is stored.
    ActFirst,
    /// A run of a process that lives is settled like one of a dead process.
    IgnoreOwner,
}

impl Fault {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::ForgetSibling,
        Self::ForgetKept,
        Self::ForgetLoss,
        Self::NoSecondLook,
        Self::NoGateAtClaim,
        Self::WarrantNeverLapses,
        Self::UncountedRounds,
        Self::AutoOverRejection,
        Self::FailedGuardAbstains,
        Self::IgnoreDigest,
        Self::AcceptClosed,
        Self::RerunStarted,
        Self::ProviderIdAsOurs,
        Self::DroppedInView,
        Self::AutoStays,
        Self::AutoOutlasts,
        Self::LeaveSuspended,
        Self::EndsBesideWork,
        Self::BackgroundCloses,
        Self::LooserBelow,
        Self::InterruptWaiting,
        Self::QueueNever,
        Self::KeepHeld,
        Self::DropClaim,
        Self::CloseTwice,
        Self::NoRevisionCheck,
        Self::ActFirst,
        Self::IgnoreOwner,
    ];
}

/// The variable that names the fault of a process, by the name of its variant.
pub const VARIABLE: &str = "COUNTERSIGN_FAULT";

/// Whether this process has the fault.
#[cfg(feature = "faults")]
pub fn on(fault: Fault) -> bool {
    static PICKED: std::sync::OnceLock<Option<Fault>> = std::sync::OnceLock::new();
    let picked = PICKED.get_or_init(|| {
        let name = std::env::var(VARIABLE).ok()?;
        Fault::ALL.iter().copied().find(|fault| format!("{fault:?}") == name)
    });
    *picked == Some(fault)
}

/// Whether this process has the fault: never, in a build without the feature.
#[cfg(not(feature = "faults"))]
pub const fn on(_: Fault) -> bool {
    false
}

/// With [`Fault::ProviderIdAsOurs`], the bytes of the provider's id, cut or filled up.
pub fn id_of_a_call(provider_id: &str) -> Option<[u8; 16]> {
    on(Fault::ProviderIdAsOurs).then(|| {
        let mut id = [0; 16];
        id.iter_mut().zip(provider_id.bytes()).for_each(|(to, byte)| *to = byte);
        id
    })
}
