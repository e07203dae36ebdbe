//! The whole list of ids, and for each that no test here is named after, why.
//!
//! Nothing can be missing without a word: an id is pinned by a test of its name, or stands in one of the two lists below.

/// The families whose ids have no gaps: name, digits, last number.
pub(crate) const FAMILIES: &[(&str, usize, u16)] = &[
    ("RT", 1, 10),
    ("RQ", 1, 8),
    ("AS", 1, 9),
    ("AN", 1, 9),
    ("MA", 1, 5),
    ("CL", 1, 14),
    ("ST", 1, 5),
    ("SA", 1, 7),
    ("RU", 1, 14),
    ("MO", 1, 15),
    ("PL", 1, 11),
    ("SU", 1, 3),
    ("BG", 1, 2),
    ("AU", 1, 5),
    ("IT", 1, 6),
    ("UN", 1, 12),
    ("IN", 1, 4),
    ("PG", 1, 4),
    ("E", 2, 48),
    ("N", 2, 105),
    ("M", 2, 27),
    ("B", 2, 8),
    ("D", 2, 110),
];

/// The field cases of the engine (several calls, wrong or repeated runs, histories, restarts, modes, sub-agents, limits). Their
/// numbers have gaps.
pub(crate) const FIELD: &[u16] = &[
    1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 44,
    46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 88, 91, 97, 101, 103, 104, 106, 107,
    109, 110, 112, 113, 115, 116, 118, 119, 121, 122, 148, 149, 151, 152,
];

/// Why no test carries an id.
pub(crate) enum Why {
    /// It is optional or belongs to something that Countersign doesn't have.
    NoFeature(&'static str),
    /// It says what something is for, or what another id replaced.
    NoBehaviour(&'static str),
    /// This test, in this file, would fail for it.
    Tested(&'static str, &'static str),
}

use Why::{NoBehaviour, NoFeature, Tested};

const HOSTED: &str = "no provider keeps the history or runs tools for us: every request carries the whole view";
const ONE_PERSON: &str = "one person, one machine: there are no roles and no second approver";
const PREVIEWS: &str = "tools offer no previews; a card shows the change itself";
const LOOP: &str = "no tool can stop the loop or be handed back to a caller";

const CONFORMANCE: &str = "tests/conformance";
const OWNERS: &str = "src-tauri/crates/engine/tests/engine/owners.rs";

/// Ids without a test of their name, each with its reason.
pub(crate) const EXCUSED: &[(&str, Why)] = &[
    ("MA-3", Tested(CONFORMANCE, "rt_8_an_answer_carries_an_id_a_digest_and_a_verdict_and_no_call")),
    ("RU-14", NoBehaviour("advice for whoever writes a rule")),
    ("PL-1", NoBehaviour("what planning is for")),
    ("IN-4", Tested(CONFORMANCE, "un_6_either_kind_of_pause_disqualifies")),
    ("E-03", NoFeature("a run has one list of tools; two of one name are refused (N-12)")),
    ("E-08", Tested(CONFORMANCE, "cl_4_other_input_closes_at_the_start_of_its_run")),
    ("E-17", NoFeature("a call is one row, so two copies can't disagree")),
    ("E-21", NoFeature(HOSTED)),
    ("E-22", NoFeature(HOSTED)),
    ("E-23", NoFeature(HOSTED)),
    ("E-26", NoFeature(LOOP)),
    ("E-27", NoFeature(HOSTED)),
    ("E-28", Tested("tests/journeys/http.rs", "two_parallel_calls")),
    ("E-29", NoFeature(HOSTED)),
    ("E-31", NoFeature(HOSTED)),
    ("E-32", NoFeature(HOSTED)),
    ("E-33", NoFeature(HOSTED)),
    ("E-40", Tested(CONFORMANCE, "it_6_never_more_than_one_round_beyond_the_limit")),
    ("E-42", NoFeature(LOOP)),
    (
        "E-43",
        NoFeature("failing tools have no limit of their own; the limit of rounds ends a run that goes on failing"),
    ),
    ("E-45", NoFeature(LOOP)),
    ("E-46", NoFeature("there is one loop")),
    ("E-47", NoFeature(HOSTED)),
    ("N-21", Tested(CONFORMANCE, "it_3_the_answering_run_counts_from_zero")),
    ("N-22", NoFeature("nothing is put into a prompt by force")),
    ("N-27", Tested("src-tauri/crates/store/src/tests/opening.rs", "an_older_schema_is_copied_and_brought_up_to_date")),
    ("N-30", Tested(CONFORMANCE, "n_50_a_stored_schema_that_cant_be_read_fits_nothing")),
    ("N-31", NoFeature("checking and claiming are one step on one head")),
    ("N-33", Tested(CONFORMANCE, "ma_1_the_link_is_the_requests_id")),
    ("N-38", NoFeature(ONE_PERSON)),
    ("N-39", NoFeature(ONE_PERSON)),
    ("N-40", NoFeature(ONE_PERSON)),
    ("N-41", NoFeature(ONE_PERSON)),
    ("N-42", NoFeature(ONE_PERSON)),
    ("N-67", NoFeature("no provider has another one behind it")),
    ("N-70", NoFeature("there is no budget of money")),
    ("N-71", NoFeature("there is no budget of remote calls")),
    ("N-73", Tested("src-tauri/crates/tools/tests/tools/files.rs", "many_hits_and_long_lines_are_cut_and_said_to_be")),
    ("N-77", Tested(OWNERS, "surface_08_a_live_run_is_left_alone_and_a_dead_one_is_settled")),
    ("N-79", Tested(OWNERS, "surface_08_a_live_run_is_left_alone_and_a_dead_one_is_settled")),
    ("N-83", NoFeature("the database is the person's own file; nothing encrypts it")),
    ("N-84", Tested("src-tauri/crates/store/src/tests/search.rs", "n_84_only_what_is_over_goes_by_age")),
    ("N-85", NoFeature("there is no surface but the person's own window")),
    ("N-88", NoFeature("a card is one row; if that can't be read the Inbox says so (N-87) and is not shorter")),
    ("N-89", Tested("src-tauri/crates/api/tests/door/agents.rs", "a_card_says_what_isnt_sent_and_what_isnt_there")),
    ("N-90", NoFeature(PREVIEWS)),
    ("N-91", NoFeature(PREVIEWS)),
    ("N-92", NoFeature(PREVIEWS)),
    ("N-93", NoFeature(PREVIEWS)),
    ("N-94", Tested("src-tauri/crates/api/tests/door/showing.rs", "accept_13_a_conversation_named_by_markup_is_text")),
    ("N-95", Tested("src-tauri/crates/api/tests/door/questions.rs", "a_question_is_filled_in_and_told_to_the_model")),
    ("M-05", Tested(CONFORMANCE, "ma_4_the_executed_arguments_are_those_that_were_shown")),
    ("M-06", Tested(CONFORMANCE, "an_9_answering_needs_no_object_of_the_asking_run")),
    ("M-09", Tested(CONFORMANCE, "m_07_held_calls_run_with_their_own_batch")),
    ("M-10", Tested(CONFORMANCE, "e_05_an_unknown_tool_is_held_and_doesnt_ask")),
    ("M-25", NoFeature("the model is told of a mode by its tools and instructions only")),
    ("D-20", Tested(CONFORMANCE, "ru_4_every_rule_sees_every_bound_call_and_no_other")),
    ("D-60", Tested(CONFORMANCE, "cl_1_nothing_closes_by_age")),
    ("D-66", Tested(CONFORMANCE, "rt_8_an_answer_carries_an_id_a_digest_and_a_verdict_and_no_call")),
    ("D-67", Tested(CONFORMANCE, "d_88_a_stop_while_something_waits_closes_it_without_a_run")),
    ("D-76", Tested("src-tauri/crates/api/tests/door/agents.rs", "a_card_says_what_isnt_sent_and_what_isnt_there")),
    ("D-90", Tested(OWNERS, "surface_08_a_live_run_is_left_alone_and_a_dead_one_is_settled")),
    ("D-108", Tested("src-tauri/crates/models/src/outgoing/tests.rs", "every_history_can_be_sent")),
    ("L-008", Tested(CONFORMANCE, "e_48_a_blank_id_is_refused")),
    ("L-026", Tested(CONFORMANCE, "d_71_an_incomplete_reply_stores_and_asks_nothing")),
    ("L-032", Tested("src-tauri/crates/engine/tests/engine/folding.rs", "surface_19_two_answers_have_one_winner")),
    ("L-035", NoFeature(HOSTED)),
    (
        "L-040",
        Tested("src-tauri/crates/api/tests/door/sending.rs", "accept_02_one_closed_answer_voids_the_whole_sending"),
    ),
    ("L-046", Tested(CONFORMANCE, "cl_1_nothing_closes_by_age")),
    (
        "L-047",
        Tested("src-tauri/crates/api/tests/door/sending.rs", "accept_02_one_closed_answer_voids_the_whole_sending"),
    ),
    ("L-053", NoFeature(HOSTED)),
    ("L-064", Tested("tests/journeys/kill.rs", "killed_after_every_commit")),
    ("L-067", Tested(CONFORMANCE, "b_08_reloading_between_ask_and_answer_still_matches")),
    ("L-068", Tested(CONFORMANCE, "b_05_recovery_frees_the_conversation")),
    ("L-070", Tested(CONFORMANCE, "n_78_a_result_that_cant_be_stored_repeats_nothing")),
    ("L-112", Tested(CONFORMANCE, "mo_6_a_conversation_starts_in_the_mode_that_it_is_given")),
    ("L-148", Tested(CONFORMANCE, "it_3_the_answering_run_counts_from_zero")),
    ("L-152", Tested("src-tauri/crates/core/tests/machine/random.rs", "every_sequence_keeps_the_properties")),
];

/// Ids whose feature is being built. Whoever writes a test for one takes it out of here; a test fails until then. Numbers, so that
/// SEMANTICS.md gets their lines with their tests and not before.
pub(crate) const EXPECTED: &[(&str, &[u16])] = &[];
