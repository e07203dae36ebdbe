//! What sentences are told, where it is one of a few things.

use crate::wire::inbox::ClosedAs;

/// How a request closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    OutcomeUnknown,
    MovedOn,
    Stopped,
    Steered,
    Withdrawn,
    ServerStoppedWaiting,
    Approved,
    ApprovedForConversation,
    ApprovedIntoAuto,
    ApprovedPerStep,
    SentBack,
    Declined,
    Rejected,
    Answered,
    AlreadyAnswered,
    NoLongerKnown,
}

impl Closed {
    /// How it counts. What nobody knows the outcome of was approved.
    pub(crate) fn was(self) -> ClosedAs {
        match self {
            Self::Approved
            | Self::ApprovedForConversation
            | Self::ApprovedIntoAuto
            | Self::ApprovedPerStep
            | Self::OutcomeUnknown => ClosedAs::Approved,
            Self::SentBack | Self::Rejected => ClosedAs::Rejected,
            Self::Answered => ClosedAs::Answered,
            Self::Declined => ClosedAs::Declined,
            Self::MovedOn
            | Self::Stopped
            | Self::Steered
            | Self::Withdrawn
            | Self::ServerStoppedWaiting
            | Self::AlreadyAnswered
            | Self::NoLongerKnown => ClosedAs::Expired,
        }
    }
}

/// How a call ended, or where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    WaitsForYou,
    WaitsAlong,
    NotRunYet,
    Running,
    WaitsInside,
    RanOk,
    Failed,
    CouldNotRun,
    ToldAgent,
    ToldServer,
    NeverAnswered,
    NoLongerPermitted,
    ChangedSinceAsked,
    ApprovedNeverRun,
    NeverMade,
    Unknown,
    Stopped,
    WentOn,
}

/// Who decided, or what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By<'a> {
    /// No approval was needed.
    Nobody,
    You,
    /// By its name, displayed.
    Rule(&'a str),
    ARule,
    Standing,
    Auto,
}

/// How a call that a decision let through ended, or one that it didn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Running,
    Ran,
    Failed,
    Rejected,
}

/// What a line of a call says that needs no decider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    WaitsForYou,
    WaitsAlong,
    ApprovedNotRun,
    AboutToRun,
    WaitsInside,
    CouldNotRun,
    SentBack,
    Rejected,
    NoLongerPermitted,
    ChangedSinceAsked,
    ApprovedNeverRun,
    NeverMadeStopped,
    NeverMadeMovedOn,
    NeverMadeWouldAsk,
    NeverMadeInFork,
    OutcomeUnknown,
    Stopped,
    PlanAccepted,
    Answered,
    Declined,
    ServerStoppedWaiting,
}

/// How an agent that another one started stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtWork {
    WaitsForYou,
    Stopping,
    Busy,
    Done,
    ReachedLimit,
    Failed,
    Interrupted,
    WouldHaveAsked,
    Stopped,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunWords {
    Limit { rounds: u64 },
    ModelUnusable,
    WouldHaveAsked,
    Stopped,
    Interrupted,
}

/// What a person's decision in history is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decided {
    Approved,
    ApprovedForConversation,
    ApprovedPerStep,
    ApprovedIntoAuto,
    SentBack,
    Declined,
    Answered,
    Rejected,
    Ran,
    Expired,
    Withdrawn,
}

/// Why nobody decided what expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassedByWhat {
    YouStopped,
    YouAdded,
    NobodyWaited,
    MovedOn,
}

/// What became of a call, as a sentence of its card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Became {
    Unknown,
    ServerChangedTool,
    FileChanged,
    NoLongerPermitted,
    RejectedTold,
    Stopped,
    Dropped,
    PlanAccepted,
    Told,
    CouldNotRun,
    Running,
    WaitsInside,
    Ran,
    Waits,
}

/// What let a request go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    NewMessage,
    Stopped,
    Withdrawn,
    Steered,
}

/// What the mode had to do with a question being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhyMode {
    Question,
    AutoRan,
    NotAsked,
    PlanAsks,
    DefaultAsks,
    AutoLeft,
}

/// What a write does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    Creates,
    Changes,
    Unknown,
}

/// The ends of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    Lf,
    CrLf,
    Mixed,
}

/// What is so about a command, with no more to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    OverwritesRemote,
    DiscardsChanges,
    DownloadsIntoShell,
    Root,
    Disk,
    Power,
    OpensToEverybody,
}

/// The parts of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressPart {
    Host,
    Letters,
    Path,
    Query,
    AsSent,
}

/// Blanks that are shown by a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blanks {
    Spaces,
    Tabs,
    Both,
}

/// What isn't there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thing {
    Request,
    Conversation,
    Agent,
    ToolServer,
    Tool,
    StandingApproval,
    QuickTask,
    Call,
    CallResult,
    PayloadPart,
    ResultPart,
    Decision,
    Rule,
}

/// What waits, by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    Commands,
    Files,
    Plans,
    Questions,
    Others,
}

/// What a request in a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsaid {
    Plan,
    Question,
    Request,
    Call,
}

/// What a conversation wants, in a notice's title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants<'a> {
    /// Several things.
    You,
    HasApproved,
    Plan,
    Input,
    Command,
    /// The words of its row.
    Call(&'a str),
}

/// A part of a file of history, or who speaks in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilePart {
    Decisions,
    Decision,
    Reason,
    Outcome,
    Conversation,
    Agents,
    Tool,
    TimeToDecide,
    Entry,
    Hash,
    Result,
    You,
    Agent,
}

/// A step of the Rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scene {
    LooksAround,
    Together,
    LongCommand,
    HiddenCharacter,
    ForConversation,
    RanUnasked,
    AsksAgain,
    Plan,
    Watch,
    Over,
}
