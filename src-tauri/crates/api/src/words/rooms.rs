//! The rooms: every sentence with what it is told. long because it is the list of them; what each says stands in the languages.

use countersign_core::agent::SubAgentFault;
use countersign_core::answer::Misfit;
use countersign_core::asking::SettingFault;
use countersign_core::confine::{Confinement, NotOffered};
use countersign_core::input::DataFault;
use countersign_core::mode::AutoEnd;
use countersign_core::parse::Fault;
use countersign_core::policy::{DataClass, Zone};
use countersign_core::run::FailureKind;
use countersign_engine::ports::{Seen, StepName};

use super::{
    AddressPart, AtWork, Became, Blanks, By, Closed, Command, Decided, Ending, FilePart, Line, LineEnds, Outcome,
    Passed, PassedByWhat, RunWords, Scene, Thing, Unsaid, Waiting, Wants, WhyMode, Writes,
};
use crate::wire::text::Shown;

/// Makes the traits, and for tests a walk through every sentence with odd values: what isn't in the list is in no language.
macro_rules! rooms {
    ($($(#[$about:meta])* $vis:vis trait $room:ident {
        $($(#[$doc:meta])* fn $name:ident($($given:ident: $kind:ty),* $(,)?) -> $out:ty;)*
    })*) => {
        $(
            $(#[$about])*
            $vis trait $room: Sync {
                $($(#[$doc])* fn $name(&self, $($given: $kind),*) -> $out;)*
            }
        )*

        /// Each sentence by its room and name, with what it says of every combination of odd values, up to a bound.
        #[cfg(test)]
        pub(super) fn walk(words: &dyn super::Words) -> Vec<(&'static str, &'static str, Vec<String>)> {
            use super::tests::{Odd as _, Said as _, Turn};
            let mut all = Vec::new();
            $($({
                let mut said = Vec::new();
                let mut turn = Turn::default();
                loop {
                    said.push(words.$name($(<$kind>::odd(&mut turn)),*).said());
                    if !turn.next() {
                        break;
                    }
                }
                all.push((stringify!($room), stringify!($name), said));
            })*)*
            all
        }
    };
}

rooms! {
    /// Rows and lines: what a call does, who decided, how it ended.
    pub(crate) trait Rows {
        fn asks_for_input() -> String;
        fn plan_steps(steps: u64) -> String;
        fn plan_words(words: u64) -> String;
        fn start_agent() -> String;
        fn fetch() -> String;
        fn run_command() -> String;
        fn edit_file() -> String;
        fn create_file() -> String;
        fn write_file() -> String;
        fn read_file() -> String;
        fn list_files() -> String;
        fn search_files() -> String;
        fn call(tool: Shown) -> Shown;
        fn quoted(text: Shown) -> Shown;
        fn scripted_model() -> String;
        fn no_model() -> String;
        fn deleted_agent() -> String;
        fn removed_server() -> String;
        fn new_conversation() -> String;
        fn runs_after_answer() -> String;
        fn rule_rejects_it(rules: &str) -> String;
        fn cannot_run_told() -> String;
        fn closed(how: Closed) -> String;
        fn closed_by_you(how: Closed) -> String;
        fn outcome(how: Outcome) -> String;
        fn reason_given(reason: &str) -> String;
        fn decided(how: Decided) -> String;
        fn decided_by(who: By<'_>) -> String;
        fn passed_by(what: PassedByWhat) -> String;
        fn server_stopped_waiting(server: Shown) -> Shown;
        fn ended(ending: Ending, by: By<'_>) -> String;
        fn line(line: Line) -> String;
        fn at_work(how: AtWork) -> String;
        fn run_ended(how: RunWords) -> String;
        fn any_arguments() -> String;
        fn this_exact_call() -> String;
    }

    /// The card of a request.
    pub(crate) trait Detail {
        fn left_out(characters: u64) -> String;
        fn became(what: Became) -> String;
        fn passed(by: Passed) -> String;
        fn your_note(told: bool, note: &str) -> String;
        fn server_got_answer() -> String;
        fn server_told_declined() -> String;
        fn server_told_declined_note(note: &str) -> String;
        fn server_stopped_before() -> String;
        fn no_rules() -> String;
        fn rule_not_evaluated(rule: &str) -> String;
        fn rules_looked(count: u64) -> String;
        fn rules_judge_calls() -> String;
        fn standing_let_it_run() -> String;
        fn standing_for_others(count: u64) -> String;
        fn standing_for_no_question() -> String;
        fn why_mode(mode: WhyMode) -> String;
        fn form_unreadable() -> String;
        fn whole_arguments() -> String;
    }

    /// What the app found out about a call.
    pub(crate) trait Facts {
        fn reads_one_file() -> String;
        fn reads_names() -> String;
        fn reads_files() -> String;
        fn not_analysed() -> String;
        fn also_sends(key: Shown, value: Shown) -> Shown;
        fn confined(confinement: Confinement) -> String;
        fn writes_file(how: Writes, inside: bool) -> String;
        fn content_not_shown() -> String;
        fn line_ends(ends: LineEnds) -> String;
        fn runs_programs(count: u64) -> String;
        fn deletes_files(inside: bool) -> String;
        fn deletes(first: Shown, more: u64, inside: bool) -> Shown;
        fn touches_outside(path: Shown) -> Shown;
        fn command(what: Command) -> String;
        fn talks_to(host: Shown, odd: bool) -> Shown;
        fn sends_to(host: Shown) -> Shown;
        fn sends_to_letters(host: Shown, letters: Shown) -> Shown;
        fn carries(characters: u64) -> String;
        fn in_the_open() -> String;
        fn holds_password() -> String;
        fn address_part(part: AddressPart) -> String;
    }

    /// What stands on chips.
    pub(crate) trait Chips {
        fn blanks(count: u64, kind: Blanks) -> String;
        fn line_breaks(count: u64, between: u64) -> String;
        fn combining_marks(count: u64) -> String;
    }

    /// What went wrong, for the person.
    pub(crate) trait Errors {
        fn gone(what: Thing) -> String;
        fn rule_changed() -> String;
        /// A rule was to be made from calls of different tools.
        fn rule_calls_differ() -> String;
        /// A rule was to be made from what no rule can be about.
        fn rule_calls_none() -> String;
        /// A rule was to be made from too many calls, or from none.
        fn rule_calls_most(most: u64) -> String;
        /// What a rule is made from, where that is more than one call.
        fn rule_of_calls(count: u64) -> String;
        fn disk_full() -> String;
        fn newer_database(path: &str) -> String;
        fn database_not_opened(path: &str, why: &str) -> String;
        fn stored_unreadable(what: &str) -> String;
        fn nothing_changed(why: &str) -> String;
        fn quitting() -> String;
        fn answers_expired(count: u64) -> String;
        fn more_would_expire() -> String;
        fn shown_changed() -> String;
        fn busy() -> String;
        fn not_running() -> String;
        fn steering_full() -> String;
        fn mode_fixed() -> String;
        fn cannot_be_done(input: &str, because: &str) -> String;
        fn answer_does_not_fit() -> String;
        fn data_fault(fault: &DataFault) -> String;
        fn result_not_stored(why: &str) -> String;
        fn rehearsal_over() -> String;
        fn grace_range() -> String;
        fn no_pattern(pattern: &str) -> String;
        fn no_notifications() -> String;
        fn time_is_over() -> String;
        fn say_what_to_do() -> String;
        fn task_running() -> String;
        fn unexpected(why: &str) -> String;
        fn folder_unusable(why: &str) -> String;
        fn secret_not_kept(why: &str) -> String;
        fn models_not_listed(why: &str) -> String;
        fn login_not_set(why: &str) -> String;
    }

    /// What the parts beneath say with a type, in words for the person.
    pub(crate) trait Faults {
        fn misfit(misfit: &Misfit) -> String;
        /// What is wrong with the time at which Auto was to end.
        fn auto_end(fault: &AutoEnd) -> String;
        fn setting_fault(fault: &SettingFault) -> String;
        fn sub_agent_fault(fault: &SubAgentFault) -> String;
        fn not_offered(fault: &NotOffered) -> String;
        fn arguments_fault(fault: &Fault) -> String;
        fn model_failed(kind: FailureKind, said: &str) -> String;
        fn step_name(name: StepName) -> String;
        fn seen(seen: &Seen) -> String;
    }

    /// Staging, sending, correcting.
    pub(crate) trait Deciding {
        fn too_late() -> String;
        fn wrong_answer() -> String;
        fn several_parts() -> String;
        fn queued_first() -> String;
        fn queued_not_sent(why: &str) -> String;
        fn expired_unsent(late: u64, all: u64) -> String;
        fn new_request_unsent(kept: u64) -> String;
        fn not_sent(why: &str) -> String;
        fn nothing_shown() -> String;
        fn run_or_drop() -> String;
        fn arguments_unreadable() -> String;
        fn arguments_not_editable() -> String;
        fn no_json_value(fault: &Fault) -> String;
        fn nothing_differs() -> String;
        fn correction_too_long() -> String;
    }

    /// Agents and their tools.
    pub(crate) trait Agents {
        fn address_begins() -> String;
        fn choose_model() -> String;
        fn rounds_range(most: u32) -> String;
        fn caps_range(model_calls: u32, agents: u32, beside: u32) -> String;
        fn name_agent() -> String;
        fn agent_changed() -> String;
        fn agent_has_conversations(count: u64) -> String;
        fn agent_can_be_started(by: &str) -> String;
        fn shows_above(data: DataClass, zone: Zone) -> String;
        fn held_back(data: DataClass, zone: Zone) -> String;
        fn no_such_tool() -> String;
        fn off_for_all() -> String;
        fn group_off_for_all() -> String;
        fn switches_unreadable() -> String;
        fn not_chosen() -> String;
        fn group_off() -> String;
        fn name_key_variable() -> String;
        fn currency_letters() -> String;
    }

    /// Tool servers.
    pub(crate) trait Servers {
        fn server_changed() -> String;
        fn type_value(name: &str) -> String;
        fn tools_unknown() -> String;
        fn server_or_tools_changed() -> String;
        fn tool_changed() -> String;
        fn says_read_only(yes: bool) -> String;
        fn says_destructive(yes: bool) -> String;
        fn says_repeatable(yes: bool) -> String;
        fn says_reaches_outside(yes: bool) -> String;
        fn text_unreadable() -> String;
        fn text_too_long() -> String;
        fn paste_something() -> String;
        fn quotation_open() -> String;
        fn no_program() -> String;
        fn no_json(why: &str) -> String;
        fn no_servers() -> String;
        fn no_servers_each() -> String;
        fn too_many_servers(most: u64) -> String;
        fn argument_no_text() -> String;
        fn older_http() -> String;
        fn neither_command_nor_address() -> String;
        fn name_length() -> String;
        fn name_taken() -> String;
        fn handle_shape() -> String;
        fn handle_taken() -> String;
        fn say_program() -> String;
        fn no_nul() -> String;
        fn folder_absolute() -> String;
        fn address_needs_host() -> String;
        fn roots_absolute() -> String;
        fn seconds_range(most: u32) -> String;
        fn variable_not_here(name: &str) -> String;
        fn variable_twice(name: &str) -> String;
        fn variable_one_line(name: &str) -> String;
        fn variable_where(name: &str) -> String;
        fn variable_name_it(name: &str) -> String;
    }

    /// Notifications.
    pub(crate) trait Notices {
        fn someone_waits(again: bool) -> String;
        fn wants(name: &str, what: Wants<'_>, again: bool) -> String;
        fn requests(count: u64) -> String;
        fn a_request() -> String;
        fn open_to_see(what: Unsaid) -> String;
        fn open_to_see_whole() -> String;
        fn in_folder(folder: &str) -> String;
        fn amount(of: Waiting, count: u64) -> String;
        fn requests_wait(count: u64, amounts: &str) -> String;
        fn question_withdrawn() -> String;
        fn asks_no_more(name: &str) -> String;
        fn withdrawn_before() -> String;
        fn rule_stopped_call() -> String;
        fn rule_stopped_call_of(name: &str) -> String;
        fn one_call() -> String;
        fn call_and_rules(call: &str, rules: &str) -> String;
        fn leaves_in(approved: bool, seconds: u64) -> String;
        fn not_sent_yet(approved: bool) -> String;
        fn press_send(about: &str) -> String;
        fn answer_not_sent() -> String;
        fn can_reach_you() -> String;
        fn press_review() -> String;
        fn click_this() -> String;
    }

    /// What stands around the window.
    pub trait Desktop {
        /// The button that shows what a notification is about.
        fn review() -> String;
        /// The button that rejects.
        fn reject() -> String;
        /// The button that approves.
        fn approve() -> String;
        /// The button that takes a staged answer back.
        fn undo() -> String;
        /// How many requests wait.
        fn waiting(count: u64) -> String;
        /// The line of the menu that pauses notifications for half an hour.
        fn pause_half_hour() -> String;
        /// For an hour.
        fn pause_hour() -> String;
        /// Until tomorrow.
        fn pause_tomorrow() -> String;
        /// The menu with these.
        fn pause_notices() -> String;
        /// The line that ends a pause.
        fn resume_notices() -> String;
        /// The line that puts every conversation back from Auto to Default, with how many there are.
        fn all_to_default(count: u64) -> String;
        /// The same where all of them end by themselves, and when the last one does: `18:00`.
        fn all_to_default_until(count: u64, time: &str) -> String;
        /// The line that shows the quick panel.
        fn quick_panel() -> String;
        /// The line that shows the window.
        fn open() -> String;
        /// The line that ends the app.
        fn quit() -> String;
        /// The title of the quick panel.
        fn panel_title() -> String;
        /// Why nothing is shown: the app couldn't be started.
        fn not_started() -> String;
        /// A model server that was found, by the program that is expected there.
        fn on_this_machine(program: &str) -> String;
        /// Why nothing is told: notifications are off.
        fn notices_off() -> String;
        /// Why nothing is told: they are paused, until a time of the wall's clock.
        fn notices_paused(until: &str) -> String;
        /// Why nothing is told: it is a quiet hour.
        fn quiet_hours() -> String;
    }

    /// The Rehearsal.
    pub(crate) trait Rehearsal {
        fn scene(scene: Scene) -> String;
        fn rehearsal_agent() -> String;
        fn rehearsal_title() -> String;
        fn folder_not_made(why: &str) -> String;
        fn folder_not_removed(why: &str) -> String;
    }

    /// History: its query, its facets and its files.
    pub(crate) trait History {
        fn find_approved() -> String;
        fn find_for_conversation() -> String;
        fn find_step_by_step() -> String;
        fn find_into_auto() -> String;
        fn find_answered() -> String;
        fn find_declined() -> String;
        fn find_rejected() -> String;
        fn find_sent_back() -> String;
        fn find_ran() -> String;
        fn find_expired() -> String;
        fn find_withdrawn() -> String;
        fn find_you() -> String;
        fn find_rule() -> String;
        fn find_standing() -> String;
        fn find_auto() -> String;
        fn find_conversation() -> String;
        fn find_server() -> String;
        fn find_ok() -> String;
        fn find_failed() -> String;
        fn find_could_not_run() -> String;
        fn find_told() -> String;
        fn find_not_permitted() -> String;
        fn find_changed() -> String;
        fn find_never_run() -> String;
        fn find_never_made() -> String;
        fn find_unknown() -> String;
        fn find_stopped() -> String;
        fn find_pending() -> String;
        fn find_commands() -> String;
        fn find_files() -> String;
        fn find_plans() -> String;
        fn find_questions() -> String;
        fn find_others() -> String;
        fn either(all: &[String]) -> String;
        fn all_of(all: &[String]) -> String;
        fn in_quotes(name: &str) -> String;
        fn begins_with(word: &str) -> String;
        fn of_tools(names: &str) -> String;
        fn of_rule(name: &str) -> String;
        fn by_whom(names: &str) -> String;
        fn which_ended(how: &str) -> String;
        fn of_agents(names: &str) -> String;
        fn of_conversations(names: &str) -> String;
        fn with_words(words: &str) -> String;
        fn on_day(day: &str) -> String;
        fn since_day(day: &str) -> String;
        fn before_day(day: &str) -> String;
        fn query_too_long() -> String;
        fn no_day_between() -> String;
        fn value_missing(key: &str) -> String;
        fn rule_name_missing() -> String;
        fn no_such_day() -> String;
        fn no_such_key(key: &str, keys: &str) -> String;
        fn nothing_to_search() -> String;
        fn not_one_of(value: &str, values: &str) -> String;
        fn no_day(value: &str) -> String;
        fn too_many_spans() -> String;
        fn file_part(part: FilePart) -> String;
        fn no_table() -> String;
        fn is_there_already(file: &str) -> String;
        fn whole_path() -> String;
        fn ends_in(ending: &str) -> String;
        fn no_such_folder() -> String;
        fn name_in_use() -> String;
        fn not_written(file: &str, why: &str) -> String;
    }
}
