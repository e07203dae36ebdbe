//! English. Tests and fixtures are written in it. long because it is a dictionary: a line a sentence, in the order of the rooms.

use countersign_core::agent::{DEEPEST, SubAgentFault};
use countersign_core::answer::Misfit;
use countersign_core::asking::{LEAST_BUDGET, LEAST_TOKENS, LONGEST_VALUE, MOST_HEADERS, MOST_TOKENS, SettingFault};
use countersign_core::confine::{Confinement, Network, NotOffered};
use countersign_core::input::{DataFault, DataKind};
use countersign_core::mode::AutoEnd;
use countersign_core::parse::Fault;
use countersign_core::policy::{DataClass, Zone};
use countersign_core::run::{Failure, FailureKind};
use countersign_engine::ports::{Seen, StepName};

use super::{
    AddressPart, AtWork, Became, Blanks, By, Closed, Command, Decided, Ending, FilePart, Line, LineEnds, Outcome,
    Passed, PassedByWhat, RunWords, Scene, Thing, Unsaid, Waiting, Wants, WhyMode, Writes, fill, grouped,
};
use crate::error::sentence;
use crate::wire::text::Shown;

/// The language.
pub(super) struct English;

/// By number; `{n}` is the number in digits.
fn many(n: u64, one: &str, other: &str) -> String {
    if n == 1 { one.to_owned() } else { other.replace("{n}", &grouped(n, ',')) }
}

/// "a", "a or b", "a, b or c".
fn listed(all: &[String], word: &str) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(&format!(" {word} "))),
    }
}

fn by(who: By<'_>) -> String {
    match who {
        By::Nobody => "no approval needed".to_owned(),
        By::You => "you".to_owned(),
        By::Rule(name) => format!("rule {name}"),
        By::ARule => "a rule".to_owned(),
        By::Standing => "standing approval".to_owned(),
        By::Auto => "Auto".to_owned(),
    }
}

fn closed(how: Closed) -> &'static str {
    match how {
        Closed::OutcomeUnknown => "Outcome unknown",
        Closed::MovedOn => "Expired: conversation moved on",
        Closed::Stopped => "Expired: you stopped the conversation",
        Closed::Steered => "Expired: the run went on with what you added",
        Closed::Withdrawn => "Withdrawn",
        Closed::ServerStoppedWaiting => "Withdrawn: the server stopped waiting",
        Closed::Approved => "Approved",
        Closed::ApprovedForConversation => "Approved for this conversation",
        Closed::ApprovedIntoAuto => "Approved into Auto",
        Closed::ApprovedPerStep => "Approved, ask per step",
        Closed::SentBack => "Sent back",
        Closed::Declined => "Declined",
        Closed::Rejected => "Rejected",
        Closed::Answered => "Answered",
        Closed::AlreadyAnswered => "Already answered",
        Closed::NoLongerKnown => "Expired: no longer known",
    }
}

fn shows(data: DataClass) -> &'static str {
    match data {
        DataClass::Public => "what anybody can have",
        DataClass::Given => "what you write",
        DataClass::Workspace => "what is in the folder",
        DataClass::Machine => "anything on this computer",
        DataClass::Unclassified => "nobody knows what",
    }
}

fn at(zone: Zone) -> &'static str {
    match zone {
        Zone::Unstated => "in a place that nobody named",
        Zone::Local => "on this computer",
        Zone::Private => "on your own machines",
        Zone::External => "elsewhere",
    }
}

fn still(again: bool) -> &'static str {
    if again { "still " } else { "" }
}

speaks! { English
    Rows {
        asks_for_input() => "Asks for input";
        plan_steps(steps: u64) => many(steps, "Plan: 1 step", "Plan: {n} steps");
        plan_words(words: u64) => many(words, "Plan: 1 word", "Plan: {n} words");
        start_agent() => "Start an agent";
        fetch() => "Fetch";
        run_command() => "Run a command";
        edit_file() => "Edit a file";
        create_file() => "Create a file";
        write_file() => "Write a file";
        read_file() => "Read a file";
        list_files() => "List files";
        search_files() => "Search files";
        call(tool: Shown) -> Shown => fill("Call {0}", [tool]);
        quoted(text: Shown) -> Shown => fill("“{0}”", [text]);
        scripted_model() => "scripted model";
        no_model() => "no model";
        deleted_agent() => "deleted agent";
        removed_server() => "a removed server";
        new_conversation() => "New conversation";
        runs_after_answer() => "runs after your answer";
        rule_rejects_it(rules: &str) => format!("rule {rules} rejects it");
        cannot_run_told() => "can't run; the agent is told";
        closed(how: Closed) => closed(how);
        closed_by_you(how: Closed) => format!("{} by you", closed(how));
        outcome(how: Outcome) => match how {
            Outcome::WaitsForYou => "waits for you",
            Outcome::WaitsAlong => "waits along",
            Outcome::NotRunYet => "not run yet",
            Outcome::Running => "running",
            Outcome::WaitsInside => "waits for you inside",
            Outcome::RanOk => "ran ok",
            Outcome::Failed => "failed",
            Outcome::CouldNotRun => "could not run",
            Outcome::ToldAgent => "told the agent",
            Outcome::ToldServer => "told the server",
            Outcome::NeverAnswered => "never answered",
            Outcome::NoLongerPermitted => "not run: no longer permitted",
            Outcome::ChangedSinceAsked => "not run: changed since asked",
            Outcome::ApprovedNeverRun => "approved, never run",
            Outcome::NeverMade => "never made",
            Outcome::Unknown => "outcome unknown",
            Outcome::Stopped => "stopped; may have happened",
            Outcome::WentOn => "went on",
        };
        reason_given(reason: &str) => format!("“{reason}”");
        decided(how: Decided) => match how {
            Decided::Approved => "Approved",
            Decided::ApprovedForConversation => "Approved, conversation",
            Decided::ApprovedPerStep => "Approved, ask per step",
            Decided::ApprovedIntoAuto => "Approved into Auto",
            Decided::SentBack => "Sent back",
            Decided::Declined => "Declined",
            Decided::Answered => "Answered",
            Decided::Rejected => "Rejected",
            Decided::Ran => "Ran",
            Decided::Expired => "Expired",
            Decided::Withdrawn => "Withdrawn",
        };
        decided_by(who: By<'_>) => match who {
            By::Rule(name) => format!("rule: {name}"),
            By::Nobody | By::You | By::ARule | By::Standing | By::Auto => by(who),
        };
        passed_by(what: PassedByWhat) => match what {
            PassedByWhat::YouStopped => "you stopped the conversation",
            PassedByWhat::YouAdded => "you added to the run",
            PassedByWhat::NobodyWaited => "nobody waited any more",
            PassedByWhat::MovedOn => "conversation moved on",
        };
        server_stopped_waiting(server: Shown) -> Shown => fill("{0} stopped waiting", [server]);
        ended(ending: Ending, who: By<'_>) => {
            let ended = match ending {
                Ending::Running => "running",
                Ending::Ran => "ran",
                Ending::Failed => "failed",
                Ending::Rejected => "rejected",
            };
            let between = if who == By::Nobody { ", " } else { " · " };
            format!("{ended}{between}{}", by(who))
        };
        line(line: Line) => match line {
            Line::WaitsForYou => "waits for you",
            Line::WaitsAlong => "waits along",
            Line::ApprovedNotRun => "approved, not run yet",
            Line::AboutToRun => "about to run",
            Line::WaitsInside => "waits for you inside",
            Line::CouldNotRun => "could not run; the agent was told",
            Line::SentBack => "sent back · you",
            Line::Rejected => "rejected · you",
            Line::NoLongerPermitted => "not run: no longer permitted",
            Line::ChangedSinceAsked => "not run: changed since asked",
            Line::ApprovedNeverRun => "approved, never run",
            Line::NeverMadeStopped => "never made: you stopped the conversation",
            Line::NeverMadeMovedOn => "never made: the conversation moved on",
            Line::NeverMadeWouldAsk => "never made: it would have asked",
            Line::NeverMadeInFork => "never made here: it hadn't ended when this was forked",
            Line::OutcomeUnknown => "outcome unknown",
            Line::Stopped => "stopped; it may have happened",
            Line::PlanAccepted => "accepted · you",
            Line::Answered => "answered · you",
            Line::Declined => "declined · you",
            Line::ServerStoppedWaiting => "withdrawn: the server stopped waiting",
        };
        at_work(how: AtWork) => match how {
            AtWork::WaitsForYou => "waits for you",
            AtWork::Stopping => "stopping",
            AtWork::Busy => "at work",
            AtWork::Done => "done",
            AtWork::ReachedLimit => "reached its limit",
            AtWork::Failed => "failed",
            AtWork::Interrupted => "interrupted",
            AtWork::WouldHaveAsked => "would have asked",
            AtWork::Stopped => "stopped",
        };
        run_ended(how: RunWords) => match how {
            RunWords::Limit { rounds } => many(rounds, "limit of 1 round", "limit of {n} rounds"),
            RunWords::ModelUnusable => "the model couldn't be used".to_owned(),
            RunWords::WouldHaveAsked => "it would have had to ask".to_owned(),
            RunWords::Stopped => "stopped".to_owned(),
            RunWords::Interrupted => "interrupted".to_owned(),
        };
        any_arguments() => "any arguments";
        this_exact_call() => "this exact call";
    }

    Detail {
        left_out(characters: u64) => many(characters, "1 character left out", "{n} characters left out");
        became(what: Became) => match what {
            Became::Unknown => {
                "It was started and Countersign stopped. It may or may not have happened. It is not run again by itself."
            }
            Became::ServerChangedTool => "It did not run: the server changed what this tool is since it asked.",
            Became::FileChanged => "It did not run: the file changed since it asked.",
            Became::NoLongerPermitted => "It did not run: it is no longer permitted.",
            Became::RejectedTold => "It did not run. The agent was told.",
            Became::Stopped => "It was stopped while it ran; its effect may have happened.",
            Became::Dropped => "It never ran. The agent no longer sees it.",
            Became::PlanAccepted => "The agent carries it out.",
            Became::Told => "The agent was told.",
            Became::CouldNotRun => "It could not run. The agent was told why.",
            Became::Running => "It is running.",
            Became::WaitsInside => "Something inside it waits for you.",
            Became::Ran => "It ran.",
            Became::Waits => "It waits.",
        };
        passed(by: Passed) => match by {
            Passed::NewMessage => {
                "A new message started the next run, so this call was never made. The agent no longer sees it."
            }
            Passed::Stopped => "You stopped the conversation, so this call was never made. The agent no longer sees it.",
            Passed::Withdrawn => "Nobody waited for the answer any more. The agent no longer sees it.",
            Passed::Steered => {
                "You added something after it had asked, and the run went on with that; this call was never made. \
                 The agent no longer sees it."
            }
        };
        your_note(told: bool, note: &str) => if told {
            format!("Your note (told to the agent): “{note}”")
        } else {
            format!("Your note (for history only): “{note}”")
        };
        server_got_answer() => "The server got your answer.";
        server_told_declined() => "The server was told that you decline.";
        server_told_declined_note(note: &str) =>
            format!("The server was told that you decline. Your note, for history only: “{note}”");
        server_stopped_before() =>
            "The server stopped waiting before there was an answer: it took the question back, its call ended, or \
             Countersign did. Nothing was sent to it.";
        no_rules() => "no rules yet";
        rule_not_evaluated(rule: &str) => format!("“{rule}” could not be evaluated, so it asks");
        rules_looked(count: u64) => many(count, "1 looked, it did not decide", "{n} looked, none decided");
        rules_judge_calls() => "rules judge calls; this is asked inside one";
        standing_let_it_run() => "one let it run";
        standing_for_others(count: u64) => match count {
            0 => "none for this tool".to_owned(),
            count => many(count, "1 for this tool, for other arguments", "{n} for this tool, for other arguments"),
        };
        standing_for_no_question() => "none covers a question";
        why_mode(mode: WhyMode) => match mode {
            WhyMode::Question => "a question asks in every mode",
            WhyMode::AutoRan => "Auto ran it",
            WhyMode::NotAsked => "was not asked",
            WhyMode::PlanAsks => "Plan asks",
            WhyMode::DefaultAsks => "Default asks",
            WhyMode::AutoLeft => "Auto was left, so it asks",
        };
        form_unreadable() => "What is asked can't be shown as a form.";
        whole_arguments() => "arguments";
    }

    Facts {
        reads_one_file() => "reads 1 file in the workspace";
        reads_names() => "reads names of files in the workspace";
        reads_files() => "reads files in the workspace";
        not_analysed() => "not analysed";
        also_sends(key: Shown, value: Shown) -> Shown => fill("also sends {0} {1}", [key, value]);
        confined(confinement: Confinement) => match confinement {
            Confinement::None => "Not confined: it can do what you can do, and could operate Countersign itself.",
            Confinement::Held { network: Network::On } => "Confined: writes only in the workspace and temp.",
            Confinement::Held { network: Network::Off } =>
                "Confined: writes only in the workspace and temp, network off.",
        };
        writes_file(how: Writes, inside: bool) => match (how, inside) {
            (Writes::Creates, true) => "creates 1 file in the workspace",
            (Writes::Creates, false) => "creates 1 file outside the workspace",
            (Writes::Changes, true) => "changes 1 file in the workspace",
            (Writes::Changes, false) => "changes 1 file outside the workspace",
            (Writes::Unknown, true) => "writes 1 file in the workspace",
            (Writes::Unknown, false) => "writes 1 file outside the workspace",
        };
        content_not_shown() => "the present content can't be shown";
        line_ends(ends: LineEnds) => match ends {
            LineEnds::Lf => "LF, UTF-8",
            LineEnds::CrLf => "CRLF, UTF-8",
            LineEnds::Mixed => "mixed line ends, UTF-8",
        };
        runs_programs(count: u64) => many(count, "runs 1 program", "runs {n} programs");
        deletes_files(inside: bool) => if inside { "deletes files" } else { "deletes files, outside the workspace" };
        deletes(first: Shown, more: u64, inside: bool) -> Shown => {
            let amount = grouped(more, ',');
            let sentence = match (more, inside) {
                (0, true) => "deletes {0}".to_owned(),
                (0, false) => "deletes {0}, outside the workspace".to_owned(),
                (_, true) => format!("deletes {{0}} and {amount} more"),
                (_, false) => format!("deletes {{0}} and {amount} more, outside the workspace"),
            };
            fill(&sentence, [first])
        };
        touches_outside(path: Shown) -> Shown => fill("touches {0}, outside the workspace", [path]);
        command(what: Command) => match what {
            Command::OverwritesRemote => "overwrites a remote branch",
            Command::DiscardsChanges => "throws local changes away",
            Command::DownloadsIntoShell => "downloads into a shell",
            Command::Root => "runs as root",
            Command::Disk => "writes to a device",
            Command::Power => "turns the machine off",
            Command::OpensToEverybody => "opens files to everybody",
        };
        talks_to(host: Shown, odd: bool) -> Shown => if odd {
            fill("talks to {0}, a name with letters outside a to z", [host])
        } else {
            fill("talks to {0}", [host])
        };
        sends_to(host: Shown) -> Shown => fill("sends to {0}", [host]);
        sends_to_letters(host: Shown, letters: Shown) -> Shown =>
            fill("sends to {0}, also written {1}", [host, letters]);
        carries(characters: u64) => many(
            characters,
            "sends 1 character of path and query, and nothing else of yours",
            "sends {n} characters of path and query, and nothing else of yours",
        );
        in_the_open() => "in the open: whoever is on the way can read and change it";
        holds_password() => "holds a name or a password, so it will be refused";
        address_part(part: AddressPart) => match part {
            AddressPart::Host => "host",
            AddressPart::Letters => "host, in its letters",
            AddressPart::Path => "path",
            AddressPart::Query => "query",
            AddressPart::AsSent => "as it is sent",
        };
    }

    Chips {
        blanks(count: u64, kind: Blanks) => match kind {
            Blanks::Spaces => many(count, "1 space", "{n} spaces"),
            Blanks::Tabs => many(count, "1 tab", "{n} tabs"),
            Blanks::Both => many(count, "1 space or tab", "{n} spaces and tabs"),
        };
        line_breaks(count: u64, between: u64) => match between {
            0 => many(count, "1 line break", "{n} line breaks"),
            between => {
                let spaces = many(between, "1 space", "{n} spaces");
                many(count, &format!("1 line break with {spaces}"), &format!("{{n}} line breaks with {spaces}"))
            }
        };
        combining_marks(count: u64) => many(count, "1 combining mark", "{n} combining marks");
    }

    Errors {
        rule_calls_differ() => "These are calls of different tools. A rule is about one: select calls of the same tool.";
        rule_calls_none() => "No rule can be made from these: plans, questions and the start of agents are for you to decide.";
        rule_calls_most(most: u64) => format!("A rule is made from 1 to {most} calls. Select fewer.");
        rule_of_calls(count: u64) => format!("{} selected calls", grouped(count, ','));
        rule_changed() => "This rule was changed meanwhile. Open it again.";
        gone(what: Thing) => {
            let what = match what {
                Thing::Request => "request",
                Thing::Conversation => "conversation",
                Thing::Agent => "agent",
                Thing::ToolServer => "tool server",
                Thing::Tool => "tool",
                Thing::StandingApproval => "standing approval",
                Thing::QuickTask => "Quick task",
                Thing::Call => "call",
                Thing::CallResult => "result",
                Thing::PayloadPart => "part of what would run",
                Thing::ResultPart => "part of the result",
                Thing::Decision => "decision",
                Thing::Rule => "rule",
            };
            format!("There is no such {what} any more.")
        };
        disk_full() => "The disk is full. Decisions are off until there is room. Everything decided is stored.";
        newer_database(path: &str) => format!(
            "The database {path} was written by a newer version of Countersign. It is left as it is. Update Countersign to open \
             it, or start with another data folder."
        );
        database_not_opened(path: &str, why: &str) => format!(
            "The database {path} can't be opened: {why}. Nothing in it was changed. Check that the folder is there and yours."
        );
        stored_unreadable(what: &str) =>
            format!("Something stored can't be read ({what}). Nothing was changed; the log says more.");
        nothing_changed(why: &str) => format!("Nothing was changed: {why}.");
        quitting() => "Countersign is quitting.";
        answers_expired(count: u64) =>
            many(count, "1 answer had expired, so nothing was sent.", "{n} answers had expired, so nothing was sent.");
        more_would_expire() => "Not sent: more would expire than you were told.";
        shown_changed() => "What is shown changed. It was loaded again; look once more.";
        busy() => "A run is going on. Your text is kept.";
        not_running() => "Nothing is running here any more.";
        steering_full() => "The run hasn't taken your last words yet. Your text is kept.";
        mode_fixed() => "The mode of this agent's conversations can't be set.";
        cannot_be_done(input: &str, because: &str) => sentence(&format!("{input} can't be done: {because}"));
        answer_does_not_fit() => "Not everything fits what was asked. Nothing was sent.";
        data_fault(fault: &DataFault) => match fault {
            DataFault::Unreadable => "This question can't be read any more.".to_owned(),
            DataFault::NotAnObject => "Answers by their names were expected.".to_owned(),
            DataFault::Missing => "This has to be filled in.".to_owned(),
            DataFault::NotAChoice => "It is none of the choices.".to_owned(),
            DataFault::NotA(kind) => match kind {
                DataKind::Text => "It has to be text.",
                DataKind::Whole => "It has to be a whole number.",
                DataKind::Number => "It has to be a number.",
                DataKind::YesNo => "It has to be yes or no.",
                DataKind::List => "It has to be a list.",
                DataKind::Object => "It has to be values by their names.",
                DataKind::Nothing => "It has to stay empty.",
            }
            .to_owned(),
            DataFault::Below(least) => format!("It has to be {least} or more."),
            DataFault::NotAbove(limit) => format!("It has to be more than {limit}."),
            DataFault::Above(most) => format!("It has to be {most} or less."),
            DataFault::NotBelow(limit) => format!("It has to be less than {limit}."),
            DataFault::NotAMultiple(of) => format!("It has to be a multiple of {of}."),
            DataFault::TooShort(least) => many(*least, "It needs at least 1 character.", "It needs at least {n} characters."),
            DataFault::TooLong(most) => many(*most, "It can have 1 character at most.", "It can have {n} characters at most."),
            DataFault::TooFew(least) => many(*least, "It needs at least 1 entry.", "It needs at least {n} entries."),
            DataFault::TooMany(most) => many(*most, "It can have 1 entry at most.", "It can have {n} entries at most."),
            DataFault::Twice => "An entry is there twice.".to_owned(),
            DataFault::Pattern(pattern) => format!("It has to follow the pattern {pattern}"),
            DataFault::Format(format) => format!("It isn't what was asked for: {format}"),
            DataFault::NotAsked => "Something is there that wasn't asked for.".to_owned(),
            DataFault::Other => "It doesn't fit what was asked.".to_owned(),
        };
        result_not_stored(why: &str) =>
            format!("A result can't be stored: {why}. Nothing else starts; it is tried again.");
        rehearsal_over() => "The Rehearsal is over.";
        grace_range() => "The grace is between 0 and 10 seconds.";
        no_pattern(pattern: &str) => format!("This is no regular expression: {pattern}. Nothing was changed.");
        no_notifications() =>
            "Notifications are off: no notification service answers. The Inbox still shows everything.";
        time_is_over() => "This time is over. Choose a later one.";
        say_what_to_do() => "Say what is to be done.";
        task_running() => "It is still running. Stop it first.";
        unexpected(why: &str) => sentence(why);
        folder_unusable(why: &str) => sentence(why);
        secret_not_kept(why: &str) => sentence(why);
        models_not_listed(why: &str) => sentence(why);
        login_not_set(why: &str) => sentence(why);
    }

    Faults {
        misfit(misfit: &Misfit) => sentence(&misfit.to_string());
        auto_end(fault: &AutoEnd) => match fault {
            AutoEnd::Over => "The time at which Auto was to end is over. Choose a later one.",
            AutoEnd::TooNear => "Auto can't end in less than a minute. Choose a later time.",
            AutoEnd::TooFar => "Auto can't end more than 24 hours from now. Choose an earlier time.",
            AutoEnd::NotAuto => "Only Auto can end at a time.",
        }.to_owned();
        setting_fault(fault: &SettingFault) => match fault {
            SettingFault::Temperature { .. }
            | SettingFault::TemperatureWithThinking
            | SettingFault::Effort
            | SettingFault::Budget
            | SettingFault::BudgetAboveReply
            | SettingFault::HeaderName(_)
            | SettingFault::HeaderTaken(..)
            | SettingFault::HeaderTwice(_)
            | SettingFault::Price => sentence(&fault.to_string()),
            SettingFault::MostTokens => format!(
                "A reply can be limited to {LEAST_TOKENS} to {} tokens.",
                grouped(MOST_TOKENS.into(), ',')
            ),
            SettingFault::BudgetSize => format!(
                "Thinking takes {} to {} tokens.",
                grouped(LEAST_BUDGET.into(), ','),
                grouped(MOST_TOKENS.into(), ',')
            ),
            SettingFault::HeaderValue(name) => format!(
                "The value of the header `{name}` has characters that can't be sent, or is empty or longer than {LONGEST_VALUE}."
            ),
            SettingFault::HeaderCount => format!("An agent can have at most {MOST_HEADERS} headers of its own."),
        };
        sub_agent_fault(fault: &SubAgentFault) => match fault {
            SubAgentFault::Cycle(_) | SubAgentFault::Name(_) => sentence(&fault.to_string()),
            SubAgentFault::TooDeep(name) => {
                format!("Sub-agents may start others {DEEPEST} levels down; `{name}` would be one too many.")
            }
        };
        not_offered(fault: &NotOffered) => sentence(&fault.to_string());
        arguments_fault(fault: &Fault) => fault.to_string();
        model_failed(kind: FailureKind, said: &str) => match kind {
            FailureKind::Unreachable
            | FailureKind::Unauthorized
            | FailureKind::UnknownModel
            | FailureKind::Refused
            | FailureKind::Cut
            | FailureKind::TimedOut
            | FailureKind::Folder
            | FailureKind::Agent => sentence(said),
        };
        step_name(name: StepName) => match name {
            StepName::Reached => "reached",
            StepName::Key => "key accepted",
            StepName::Model => "model known",
            StepName::Streams => "streams",
            StepName::Tools => "calls tools",
        };
        seen(seen: &Seen) => match seen {
            Seen::Answers { host } => format!("{host} answers."),
            Seen::NoAnswer(Failure { text, .. }) => {
                format!("{} Is the address right, and is the server running?", sentence(text))
            }
            Seen::NoModelHere { host } => {
                format!("{host} answers, but not as a model at this address. Most addresses end in /v1.")
            }
            Seen::NoKeyNeeded => "No key is needed.".to_owned(),
            Seen::KeyAccepted { in_the_open: false } => "The key was accepted.".to_owned(),
            Seen::KeyAccepted { in_the_open: true } => {
                "The key was accepted. It travels unencrypted: use an https address if there is one.".to_owned()
            }
            Seen::KeyWanted { code } => format!("This endpoint wants a key ({code}). Enter one."),
            Seen::KeyRefused { code } => {
                format!("The key was refused ({code}). Check that it is whole, still valid, and meant for this address.")
            }
            Seen::Knows { host, model } => format!("{host} knows {model}."),
            Seen::UnknownModel { host, model, offers, more } => match offers.as_deref() {
                Some([]) => format!("{host} offers no model. Load one there first."),
                Some(some) => {
                    let more = if *more { ", …" } else { "" };
                    format!("{host} doesn't know {model}. It offers {}{more}.", some.join(", "))
                }
                None => format!("{host} doesn't know {model}. Check the name."),
            },
            Seen::Streamed => "The reply came in pieces.".to_owned(),
            Seen::CameWhole => {
                "The reply came at once, not in pieces. It works, but you see text late.".to_owned()
            }
            Seen::Called { model } => format!("{model} called the tool."),
            Seen::DidNotCall { model } => format!(
                "{model} answered, but didn't call the tool that it was asked to call. Models that are made for tools work best."
            ),
            Seen::TakesNoTools { model, said } => {
                format!("{model} doesn't take tools. Choose a model that supports tools. {}", sentence(&said.text))
            }
            Seen::TookTooLong { host } => {
                format!("{host} took longer than two minutes. Is the model still being loaded? Try again.")
            }
            Seen::Failed(Failure { text, .. }) | Seen::NoKeptKey(text) => sentence(text),
        };
    }

    Deciding {
        too_late() => "This can't be answered any more. Nothing was sent.";
        wrong_answer() => "This can't be answered so.";
        several_parts() => "A command of several parts can only be approved exactly as it is, or once.";
        queued_first() => "This answer waits for the run to end. Take the queued answers back first.";
        queued_not_sent(why: &str) => format!("Your queued answers were not sent: {why}. They are drafts again.");
        expired_unsent(late: u64, all: u64) => {
            let left = all.saturating_sub(late);
            let late = format!("{late} of {all} answers had expired, so nothing was sent.");
            if left > 0 { format!("{late} Send the other {left}?") } else { late }
        };
        new_request_unsent(kept: u64) => many(
            kept,
            "Not sent: a new request came in. It is shown above; your decision is kept.",
            "Not sent: a new request came in. It is shown above; your {n} decisions are kept.",
        );
        not_sent(why: &str) => format!("Not sent. {why}");
        nothing_shown() => "An answer came without what was shown.";
        run_or_drop() => "A call that was approved can be run now or dropped.";
        arguments_unreadable() => "These arguments can't be read, so they can't be edited. Reject with a reason instead.";
        arguments_not_editable() => "These arguments can't be edited.";
        no_json_value(fault: &Fault) => format!("This is no JSON value: {fault}.");
        nothing_differs() => "Nothing differs from what was asked. Change an argument, or approve.";
        correction_too_long() =>
            "This is too long for a correction (64 KB). Reject with a reason that says what to change.";
    }

    Agents {
        address_begins() => "The address must begin with http:// or https://.";
        choose_model() => "Choose a model.";
        rounds_range(most: u32) => format!("Rounds must be between 1 and {most}.");
        caps_range(model_calls: u32, agents: u32, beside: u32) => format!(
            "A run and the agents below it may make 1 to {model_calls} model calls, start up to {agents} agents, and have up to \
             {beside} at work beside it."
        );
        name_agent() => "Give the agent a name.";
        agent_changed() => "This agent was changed in another window. Load it again.";
        agent_has_conversations(count: u64) => many(
            count,
            "This agent has 1 conversation. Delete it first.",
            "This agent has {n} conversations. Delete them first.",
        );
        agent_can_be_started(by: &str) => format!("The agent {by} can start this one. Change that first.");
        shows_above(data: DataClass, zone: Zone) =>
            format!("Can show {}, which is more than a model {} should be sent.", shows(data), at(zone));
        held_back(data: DataClass, zone: Zone) =>
            format!("Held back: it can show {}, which is more than a model {} may be sent.", shows(data), at(zone));
        no_such_tool() => "There is no such tool.";
        off_for_all() => "Switched off for all agents.";
        group_off_for_all() => "Its group is switched off for all agents.";
        switches_unreadable() => "What is switched off can't be read, so nothing is on.";
        not_chosen() => "Not chosen.";
        group_off() => "Its group is off for this agent.";
        name_key_variable() => "Name the environment variable that holds the key.";
        currency_letters() => "A currency is named by its three letters, such as USD or EUR.";
    }

    Servers {
        server_changed() => "This server was changed elsewhere. Open it again.";
        type_value(name: &str) => format!("Type the value of `{name}`.");
        tools_unknown() =>
            "What its tools are isn't known yet, so nothing can be said of them. Start the server first.";
        server_or_tools_changed() => "The server or its tools changed since they were shown. Look at them again.";
        tool_changed() => "The server changed this tool since it was shown. Look at it again.";
        says_read_only(yes: bool) => if yes { "read-only" } else { "not read-only" };
        says_destructive(yes: bool) => if yes { "destructive" } else { "not destructive" };
        says_repeatable(yes: bool) => if yes { "repeatable" } else { "not repeatable" };
        says_reaches_outside(yes: bool) => if yes { "reaches outside" } else { "stays inside" };
        text_unreadable() => "It can't be read.";
        text_too_long() => "The text is too long to describe servers.";
        paste_something() => "Paste a command line, an address or JSON.";
        quotation_open() => "A quotation mark in the command line isn't closed.";
        no_program() => "There is no program in the command line.";
        no_json(why: &str) => format!("This isn't JSON: {why}.");
        no_servers() => "There are no servers in it.";
        no_servers_each() => "There are no servers in it: each has a \"command\" or a \"url\".";
        too_many_servers(most: u64) => format!("These are more than {most} servers.");
        argument_no_text() => "An argument is no text.";
        older_http() =>
            "It speaks the older way over HTTP (SSE), which isn't supported; ask for its streamable HTTP address.";
        neither_command_nor_address() => "It has neither a command nor an address as text.";
        name_length() => "Give it a name of 1 to 60 characters.";
        name_taken() => "Another server has this name.";
        handle_shape() => "The short name is 1 to 20 small letters, digits or hyphens.";
        handle_taken() => "Another server has this short name.";
        say_program() => "Say which program to start.";
        no_nul() => "A program's name and arguments can't contain the character U+0000.";
        folder_absolute() => "The folder must be absolute, such as /home/you/project.";
        address_needs_host() => "The address must begin with https:// or http:// and name a host.";
        roots_absolute() => "Each folder must be absolute, such as /home/you/project.";
        seconds_range(most: u32) => format!("Between 1 and {most} seconds.");
        variable_not_here(name: &str) => format!("`{name}` can't be set here.");
        variable_twice(name: &str) => format!("`{name}` is there twice.");
        variable_one_line(name: &str) => format!("The value of `{name}` must be one line.");
        variable_where(name: &str) => format!("Say where the value of `{name}` is kept.");
        variable_name_it(name: &str) => format!("Name the environment variable for `{name}`.");
    }

    Notices {
        someone_waits(again: bool) => format!("A conversation {}waits for you", still(again));
        wants(name: &str, what: Wants<'_>, again: bool) => {
            let still = still(again);
            match what {
                Wants::You => format!("{name} {still}waits for you"),
                Wants::HasApproved => format!("{name} {still}has an approved call that has not run"),
                Wants::Plan => format!("{name} {still}proposes a plan"),
                Wants::Input => format!("{name} {still}asks for input"),
                Wants::Command => format!("{name} {still}wants to run a command"),
                Wants::Call(verb) => {
                    let mut letters = verb.chars();
                    let lower: String = letters.next().map(|first| first.to_lowercase().collect()).unwrap_or_default();
                    format!("{name} {still}wants to {lower}{}", letters.as_str())
                }
            }
        };
        requests(count: u64) => many(count, "1 request", "{n} requests");
        a_request() => "A request";
        open_to_see(what: Unsaid) => match what {
            Unsaid::Plan => "Open it to see the plan",
            Unsaid::Question => "Open it to see the question",
            Unsaid::Request => "Open it to see the request",
            Unsaid::Call => "Open it to see the call",
        };
        open_to_see_whole() => "Open it to see it in full";
        in_folder(folder: &str) => format!("in {folder}");
        amount(of: Waiting, count: u64) => match of {
            Waiting::Commands => many(count, "1 command", "{n} commands"),
            Waiting::Files => many(count, "1 file", "{n} files"),
            Waiting::Plans => many(count, "1 plan", "{n} plans"),
            Waiting::Questions => many(count, "1 question", "{n} questions"),
            Waiting::Others => many(count, "1 other call", "{n} other calls"),
        };
        requests_wait(count: u64, amounts: &str) =>
            many(count, &format!("1 request waits: {amounts}"), &format!("{{n}} requests wait: {amounts}"));
        question_withdrawn() => "A question was withdrawn";
        asks_no_more(name: &str) => format!("{name} doesn't ask any more");
        withdrawn_before() => "It was withdrawn before you answered.";
        rule_stopped_call() => "A rule stopped a call in Auto";
        rule_stopped_call_of(name: &str) => format!("A rule stopped a call of {name}");
        one_call() => "1 call";
        call_and_rules(call: &str, rules: &str) => format!("{call} · rule {rules}");
        leaves_in(approved: bool, seconds: u64) =>
            if approved { format!("Approved: leaves in {seconds} s") } else { format!("Rejected: leaves in {seconds} s") };
        not_sent_yet(approved: bool) =>
            if approved { "Approved, but not sent yet" } else { "Rejected, but not sent yet" };
        press_send(about: &str) => format!("Open Countersign and press Send. {about}");
        answer_not_sent() => "Your answer was not sent";
        can_reach_you() => "Countersign can reach you here";
        press_review() => "Press Review.";
        click_this() => "Click this.";
    }

    Desktop {
        review() => "Review";
        reject() => "Reject";
        approve() => "Approve";
        undo() => "Undo";
        waiting(count: u64) => if count == 0 { "Nothing is waiting".to_owned() } else { format!("{} waiting", grouped(count, ',')) };
        pause_half_hour() => "For 30 minutes";
        pause_hour() => "For 1 hour";
        pause_tomorrow() => "Until tomorrow";
        pause_notices() => "Pause notifications";
        resume_notices() => "Resume notifications";
        all_to_default(count: u64) => if count == 0 {
            "No conversation is in Auto".to_owned()
        } else {
            format!("All conversations to Default ({} in Auto)", grouped(count, ','))
        };
        all_to_default_until(count: u64, time: &str) =>
            format!("All conversations to Default ({} in Auto until {time})", grouped(count, ','));
        quick_panel() => "Quick panel";
        open() => "Open Countersign";
        quit() => "Quit";
        panel_title() => "Countersign: what waits";
        not_started() => "Countersign couldn't be started; the log says more";
        on_this_machine(program: &str) => format!("{program} on this machine");
        notices_off() => "Notifications are off";
        notices_paused(until: &str) => format!("Notifications paused until {until}");
        quiet_hours() => "Quiet hours";
    }

    Rehearsal {
        scene(scene: Scene) => match scene {
            Scene::LooksAround => "The agent looks around. Reading changes nothing, so nobody is asked.",
            Scene::Together =>
                "Two calls wait together and are sent together. Press A to approve one, R to reject the other; U takes a \
                 decision back.",
            Scene::LongCommand =>
                "Press J. The command is long: Space reads on, and Approve comes at its end. What stands there is a reason to \
                 press R.",
            Scene::HiddenCharacter =>
                "Press J. A hidden character in the path is shown as a chip. Press R to reject it.",
            Scene::ForConversation =>
                "Press J, then Shift+A to approve this command for the conversation. The same call then runs without asking.",
            Scene::RanUnasked =>
                "It ran a second time without asking. Press G, then R, and revoke the approval: the next one asks again.",
            Scene::AsksAgain => "Press G, then I: revoked, it asks again. Press A to approve it once.",
            Scene::Plan => "Press J and read the plan. Shift+A approves it into Auto, for this plan only.",
            Scene::Watch => "Leave this one alone and watch: in a moment a new message passes it by.",
            Scene::Over =>
                "That was all of it. History has every decision, also those that nobody was asked about.",
        };
        rehearsal_agent() => "Rehearsal agent";
        rehearsal_title() => "Tidy the notes";
        folder_not_made(why: &str) => format!("The Rehearsal's folder can't be made: {why}.");
        folder_not_removed(why: &str) => format!("The Rehearsal's folder can't be removed: {why}.");
    }

    History {
        find_approved() => "approved";
        find_for_conversation() => "approved for the conversation";
        find_step_by_step() => "plan approved, ask per step";
        find_into_auto() => "plan approved into Auto";
        find_answered() => "answered";
        find_declined() => "declined";
        find_rejected() => "rejected";
        find_sent_back() => "sent back";
        find_ran() => "ran without asking";
        find_expired() => "expired";
        find_withdrawn() => "withdrawn";
        find_you() => "you";
        find_rule() => "a rule";
        find_standing() => "a standing approval";
        find_auto() => "Auto";
        find_conversation() => "the conversation moving on";
        find_server() => "a server that stopped waiting";
        find_ok() => "ran ok";
        find_failed() => "failed";
        find_could_not_run() => "could not run";
        find_told() => "told the agent";
        find_not_permitted() => "no longer permitted";
        find_changed() => "changed since asked";
        find_never_run() => "approved, never run";
        find_never_made() => "never made";
        find_unknown() => "outcome unknown";
        find_stopped() => "stopped";
        find_pending() => "not over yet";
        find_commands() => "commands";
        find_files() => "files";
        find_plans() => "plans";
        find_questions() => "questions";
        find_others() => "other calls";
        either(all: &[String]) => listed(all, "or");
        all_of(all: &[String]) => listed(all, "and");
        in_quotes(name: &str) => format!("“{name}”");
        begins_with(word: &str) => format!("“{word}…”");
        of_tools(names: &str) => format!("tool {names}");
        of_rule(name: &str) => format!("rule {name}");
        by_whom(names: &str) => format!("decided by {names}");
        which_ended(how: &str) => format!("which ended: {how}");
        of_agents(names: &str) => format!("agent {names}");
        of_conversations(names: &str) => format!("conversation {names}");
        with_words(words: &str) => format!("with {words}");
        on_day(day: &str) => format!("on {day}");
        since_day(day: &str) => format!("from {day} on");
        before_day(day: &str) => format!("before {day}");
        query_too_long() => "This is too long to search for.";
        no_day_between() => "No day is after the one and before the other.";
        value_missing(key: &str) => format!("What follows “{key}:” is missing.");
        rule_name_missing() => "The rule's name is missing.";
        no_such_day() => "No such day.";
        no_such_key(key: &str, keys: &str) =>
            format!("There is no “{key}:”. There are {keys}. In quotation marks it is searched for as words.");
        nothing_to_search() => "There is no letter or digit in this to search for.";
        not_one_of(value: &str, values: &str) => format!("“{value}” isn't one of {values}.");
        no_day(value: &str) => format!("“{value}” is no day. Write it as 2026-09-01, today, yesterday or 7d.");
        too_many_spans() => "These are too many spans of time.";
        file_part(part: FilePart) => match part {
            FilePart::Decisions => "Decisions",
            FilePart::Decision => "decision",
            FilePart::Reason => "reason",
            FilePart::Outcome => "outcome",
            FilePart::Conversation => "conversation",
            FilePart::Agents => "agents",
            FilePart::Tool => "tool",
            FilePart::TimeToDecide => "time to decide",
            FilePart::Entry => "entry",
            FilePart::Hash => "arguments, SHA-256",
            FilePart::Result => "Result",
            FilePart::You => "you",
            FilePart::Agent => "agent",
        };
        no_table() => "A conversation is no table. Choose Markdown or JSONL.";
        is_there_already(file: &str) => format!("{file} is there already.");
        whole_path() => "Write the whole path of the file, from / or ~/ on.";
        ends_in(ending: &str) => format!("The file's name has to end in .{ending}.");
        no_such_folder() => "There is no such folder.";
        name_in_use() => "There is a file of this name already; nothing was written. Choose another name.";
        not_written(file: &str, why: &str) => format!("{file} can't be written: {why}. Nothing was kept of it.");
    }
}
