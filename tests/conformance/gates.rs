//! PG and its kin: the five gates, what a request may narrow, and what a profile says about modes.

use countersign_core::agent::{AgentProfile, ToolSet};
use countersign_core::answer::AnswerBody;
use countersign_core::call::Settled;
use countersign_core::input::{Input, Refusal, RunInput};
use countersign_core::mode::{Mode, Until};
use countersign_core::policy::{
    AgentPolicy, AskFirst, CeilingGate, DataClass, Denied, Explained, Gates, GroupSet, ModeSetting, Off, Place,
    Registered, Ruling, Switches, ToolGroup, Zone, explain,
};
use countersign_core::tool::{Declared, Effect, Mark, Origin, requires_approval};
use countersign_engine::error::EngineError;

use crate::house::{House, call, profile, text_input, tool};
use crate::play::{self, Play};

pub(crate) fn only(names: &[&str]) -> ToolSet {
    ToolSet::Only { names: names.iter().map(|&name| name.to_owned()).collect() }
}

pub(crate) fn off(tools: &[&str], groups: &[ToolGroup]) -> Switches {
    let tools = tools.iter().map(|&name| name.to_owned()).collect();
    Switches { off: Off::These { tools, groups: groups.iter().copied().collect() }, ..Switches::default() }
}

pub(crate) fn asks_first(tools: &[&str]) -> Switches {
    let tools = tools.iter().map(|&name| name.to_owned()).collect();
    Switches { ask_first: AskFirst::These { tools }, ..Switches::default() }
}

fn with(policy: AgentPolicy) -> AgentProfile {
    AgentProfile { policy, ..profile() }
}

/// A house in which each tool has its place.
async fn placed() -> House {
    let house = House::new(Mode::Default).await;
    for name in ["read", "peek", "slow_read", "huge", "stubborn"] {
        house.place(name, ToolGroup::Look, DataClass::Workspace);
    }
    for name in ["write", "slow", "breaks", "unlooked"] {
        house.place(name, ToolGroup::Change, DataClass::Workspace);
    }
    house.place("shell", ToolGroup::Command, DataClass::Machine);
    house.place("ask_user", ToolGroup::Ask, DataClass::Given);
    house
}

/// The model calls a tool, and the result that it is given for it.
async fn told(house: &mut House, name: &str) -> String {
    house.ask(&[call(name, "{}")]).await;
    house.results().remove(0)
}

#[test]
fn pg_1_no_gate_looks_at_whether_a_call_needs_a_person() {
    let place = Place { group: ToolGroup::Look, data: DataClass::Workspace };
    let rule = |tool| {
        let (switches, policy) = (off(&["off"], &[]), AgentPolicy { zone: Zone::External, ..AgentPolicy::default() });
        let gates = Gates { switches: &switches, tools: &ToolSet::All, policy: &policy };
        explain(&ToolSet::All, &[Registered { tool, place }], gates)
    };
    for name in ["here", "off"] {
        let free = tool(name, Effect::Read, &[]);
        let bound = tool(name, Effect::Write, &[Mark::RequiresApproval]);
        assert!(!requires_approval(&free) && requires_approval(&bound));
        assert_eq!(rule(free), rule(bound), "{name}");
    }
}

#[tokio::test]
async fn pg_2_each_of_five_gates_takes_its_tool_out_of_the_offer() {
    let mut house = placed().await;
    house.say("Go.").await;
    let all = house.offered();
    assert!(["write", "shell", "read", "peek"].iter().all(|name| all.iter().any(|one| one == name)));
    house.tools.list.lock().unwrap().retain(|tool| tool.identity.name != "breaks");
    house.engine.switch(off(&["write"], &[ToolGroup::Ask])).await.unwrap();
    let mut names: Vec<&str> = all.iter().map(String::as_str).filter(|name| *name != "peek").collect();
    names.push("ghost");
    house
        .save(AgentProfile {
            tools: only(&names),
            ..with(AgentPolicy {
                groups: GroupSet::Only { groups: [ToolGroup::Look, ToolGroup::Change, ToolGroup::Ask].into() },
                zone: Zone::External,
                ..AgentPolicy::default()
            })
        })
        .await;
    house.place("huge", ToolGroup::Look, DataClass::Machine);
    house.say("Go.").await;
    assert_eq!(house.offered(), ["read", "slow", "slow_read", "stubborn", "unlooked"]);
}

#[tokio::test]
async fn pg_3_may_it_be_used_and_can_it_be_used_unwatched_are_two_questions() {
    let mut house = placed().await;
    house.say("Go.").await;
    assert!(house.offered().contains(&"write".to_owned()), "it may be used");
    house.quick(Mode::Default, ToolSet::All).await;
    assert!(!house.offered().contains(&"write".to_owned()), "and not with nobody watching");
}

#[test]
fn pg_4_surfaces_get_the_two_answers_and_not_the_predicate() {
    let wire = include_str!("../../ui/src/lib/ipc/bindings.ts");
    assert!(!wire.contains("requires_approval"), "a surface can't derive it again");
    let core = include_str!("../../src-tauri/crates/core/src/policy.rs");
    assert!(!core.contains("requires_approval("), "the policy doesn't ask it");
    let Explained { name: _, ruling: Ruling::Denied(_) | Ruling::Offered | Ruling::Noted(_) } =
        Explained { name: String::new(), ruling: Ruling::Offered };
}

#[test]
fn n_01_a_name_that_isnt_registered_never_asks() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[play::call("ghost", "{}")]);
    assert!(play.head.requests.is_empty() && play.calls_model());
    assert_eq!(play.ends()[0].1, Settled::Fault);
}

#[test]
fn n_05_a_remote_write_that_nobody_declared_isnt_bound() {
    let mut remote = tool("remote", Effect::Write, &[]);
    remote.identity.origin = Origin::Server {
        server: "s".to_owned(),
        launch: "l".to_owned(),
        definition: "d".to_owned(),
        declared: Declared::Undeclared,
    };
    assert!(!requires_approval(&remote));
}

#[tokio::test]
async fn n_07_a_setting_can_make_a_reading_tool_ask_and_unreadable_it_makes_all() {
    let mut house = placed().await;
    house.engine.switch(asks_first(&["read"])).await.unwrap();
    assert_eq!(house.ask(&[call("read", "{}")]).await.requests.len(), 1, "it asks now");
    house.engine.switch(Switches::default()).await.unwrap();
    assert_eq!(house.ask(&[call("write", "{}")]).await.requests.len(), 1, "no setting lifts a write's approval");
    let unreadable = Switches { ask_first: Switches::read(Some("not json")).ask_first, ..Switches::default() };
    house.engine.switch(unreadable).await.unwrap();
    assert_eq!(house.ask(&[call("slow_read", "{}")]).await.requests.len(), 1, "doubt asks");
}

#[test]
fn n_08_only_a_literal_zero_runs_free() {
    assert_eq!(Declared::from_flag(Some("0")), Declared::RunsFree);
    for flag in [None, Some("1"), Some(""), Some("00"), Some(" 0"), Some("false"), Some("NULL"), Some("0.0")] {
        assert_eq!(Declared::from_flag(flag), Declared::AsksFirst, "{flag:?}");
    }
}

#[tokio::test]
async fn n_15_the_answering_run_has_the_same_settings() {
    let mut house = placed().await;
    let settings = AgentProfile { tools: only(&["write", "read"]), rounds: 3, ..profile() };
    house.save(settings).await;
    house.ask(&[call("write", "{}")]).await;
    let (before, mut house) = (house.offered(), house.again().await);
    house.script.will([crate::house::Turn::Waits(crate::house::words("Done."))]);
    let input = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(input).await.unwrap();
    house.script.asked.notified().await;
    let run = house.head().await.run.unwrap();
    assert_eq!((house.offered(), run.limit, run.agent_revision), (before, 3, 1));
    house.script.go.notify_one();
    house.settled().await;
}

#[tokio::test]
async fn n_58_each_gate_gives_its_own_reason() {
    let mut house = placed().await;
    assert!(told(&mut house, "ghost").await.contains("no tool called `ghost`"));
    house.engine.switch(off(&["read"], &[ToolGroup::Change])).await.unwrap();
    assert!(told(&mut house, "read").await.contains("it is switched off"));
    assert!(told(&mut house, "slow").await.contains("its group is switched off"));
    house.engine.switch(Switches::default()).await.unwrap();
    house.save(AgentProfile { tools: only(&["read"]), ..profile() }).await;
    assert!(told(&mut house, "write").await.contains("this agent doesn't have it"));
    let looking = GroupSet::Only { groups: [ToolGroup::Look].into() };
    house.save(with(AgentPolicy { groups: looking, ..AgentPolicy::default() })).await;
    assert!(told(&mut house, "write").await.contains("no tools of that group"));
    house.save(with(AgentPolicy { zone: Zone::External, ..AgentPolicy::default() })).await;
    assert!(told(&mut house, "shell").await.contains("more than a model in this place may be sent"));
    assert_eq!(house.ran(), [""; 0]);
    // At the claim as well: approved, and switched off before its turn (D-51).
    house.save(profile()).await;
    house.ask(&[call("write", "{}"), call("shell", "{}")]).await;
    house.engine.switch(off(&["shell"], &[])).await.unwrap();
    house.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).await;
    assert_eq!(house.ran(), ["write"]);
    assert!(house.results()[1].contains("no longer permitted here: it is switched off"), "{:?}", house.results());
}

#[tokio::test]
async fn n_59_the_first_gate_is_the_one_that_is_named() {
    let mut house = placed().await;
    house.engine.switch(off(&["shell"], &[])).await.unwrap();
    house.save(with(AgentPolicy { zone: Zone::External, ..AgentPolicy::default() })).await;
    let told = told(&mut house, "shell").await;
    assert!(told.contains("switched off") && !told.contains("sent"), "{told}");
}

#[tokio::test]
async fn n_60_observed_is_offered_and_flagged_and_the_other_gates_hold() {
    let mut house = placed().await;
    let watched = AgentPolicy { zone: Zone::External, gate: CeilingGate::Observe, ..AgentPolicy::default() };
    let registered = [Registered {
        tool: tool("shell", Effect::Write, &[]),
        place: Place { group: ToolGroup::Command, data: DataClass::Machine },
    }];
    let gates = Gates { switches: &Switches::default(), tools: &ToolSet::All, policy: &watched };
    let flagged = explain(&ToolSet::All, &registered, gates);
    assert!(matches!(flagged[0].ruling, Ruling::Noted(above) if above.data == DataClass::Machine), "{flagged:?}");
    house.save(with(watched.clone())).await;
    house.say("Go.").await;
    assert!(house.offered().contains(&"shell".to_owned()));
    house.engine.switch(off(&["shell"], &[])).await.unwrap();
    house.say("Go.").await;
    assert!(!house.offered().contains(&"shell".to_owned()));
}

#[tokio::test]
async fn n_61_only_a_deliberate_observe_observes() {
    let mut house = placed().await;
    for (stored, offered) in [("\" Observe \"", true), ("\"observ\"", false), ("\"\"", false), ("7", false)] {
        let policy = format!("{{\"zone\":\"external\",\"gate\":{stored}}}");
        house.save(with(serde_json::from_str(&policy).unwrap())).await;
        house.say("Go.").await;
        assert_eq!(house.offered().contains(&"shell".to_owned()), offered, "{stored}");
    }
}

#[tokio::test]
async fn n_62_a_remote_tool_above_the_ceiling_is_denied_even_when_observed() {
    let mut house = placed().await;
    house.tools.list.lock().unwrap().iter_mut().for_each(|tool| {
        if tool.identity.name == "shell" {
            tool.identity.origin = Origin::Server {
                server: "s".to_owned(),
                launch: "l".to_owned(),
                definition: "d".to_owned(),
                declared: Declared::RunsFree,
            };
        }
    });
    house.save(with(AgentPolicy { zone: Zone::External, gate: CeilingGate::Observe, ..AgentPolicy::default() })).await;
    house.say("Go.").await;
    assert!(!house.offered().contains(&"shell".to_owned()));
}

#[tokio::test]
async fn n_63_absent_is_the_enabled_set_and_empty_is_none() {
    let mut house = placed().await;
    house.save(AgentProfile { tools: only(&["read", "write"]), ..profile() }).await;
    for (asked, offered) in
        [(ToolSet::All, &["read", "write"][..]), (only(&["write", "shell"]), &["write"]), (only(&[]), &[])]
    {
        house.start(RunInput { tools: asked, ..text_input("Go.") }).await.unwrap();
        house.settled().await;
        assert_eq!(house.offered(), offered);
    }
}

#[test]
fn n_64_every_requested_name_is_explained() {
    let switches = Switches::default();
    let gates = Gates { switches: &switches, tools: &ToolSet::All, policy: &AgentPolicy::default() };
    let registered = [Registered { tool: tool("read", Effect::Read, &[]), place: Place::UNCLASSIFIED }];
    let explained = explain(&only(&["ghost", "read", "other"]), &registered, gates);
    let gone = || Ruling::Denied(Denied::Unregistered);
    let one = |name: &str, ruling| Explained { name: name.to_owned(), ruling };
    assert_eq!(explained, [one("ghost", gone()), one("read", Ruling::Offered), one("other", gone())]);
}

#[tokio::test]
async fn n_65_a_callers_list_can_only_narrow() {
    let mut house = placed().await;
    let looking = GroupSet::Only { groups: [ToolGroup::Look].into() };
    house.save(with(AgentPolicy { groups: looking, ..AgentPolicy::default() })).await;
    house.script.will([crate::house::calls(&[call("peek", "{}"), call("write", "{}")])]);
    house.start(RunInput { tools: only(&["peek", "write"]), ..text_input("Go.") }).await.unwrap();
    house.settled().await;
    assert_eq!(house.offered(), ["peek"]);
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.ran(), ["peek"], "the gate stands in the continuation too");
    assert!(!house.offered().contains(&"write".to_owned()));
}

#[tokio::test]
async fn n_66_what_nobody_classified_counts_as_the_most() {
    let mut house = placed().await;
    house.tools.places.lock().unwrap().remove("read");
    house.save(with(AgentPolicy { zone: Zone::Private, ..AgentPolicy::default() })).await;
    house.say("Go.").await;
    assert!(!house.offered().contains(&"read".to_owned()));
    assert!(house.offered().contains(&"shell".to_owned()));
}

#[tokio::test]
async fn n_69_the_cap_is_within_the_ceiling_and_absent_it_is_the_default() {
    let mut house = placed().await;
    for (rounds, limit) in [(500, 200), (3, 3), (0, 1)] {
        house.save(AgentProfile { rounds, ..profile() }).await;
        house.script.will([crate::house::Turn::Waits(crate::house::words("Done."))]);
        house.start(text_input("Go.")).await.unwrap();
        assert_eq!(house.head().await.run.unwrap().limit, limit);
        house.script.go.notify_one();
        house.settled().await;
    }
    let mut stored = serde_json::to_value(profile()).unwrap();
    stored.as_object_mut().unwrap().remove("rounds");
    let absent: AgentProfile = serde_json::from_value(stored).unwrap();
    assert_eq!(absent.round_limit(), countersign_core::agent::DEFAULT_ROUNDS);
}

#[tokio::test]
async fn mo_7_a_mode_that_is_no_setting_isnt_taken_from_settings() {
    let fixed = with(AgentPolicy { modes: ModeSetting::Fixed, ..AgentPolicy::default() });
    let stored = AgentProfile { start_mode: Mode::Auto, ..fixed };
    assert_eq!(stored.mode_to_start_in(None), Mode::Default);
    assert_eq!(AgentProfile { start_mode: Mode::Auto, ..profile() }.mode_to_start_in(None), Mode::Auto);
    assert_eq!(profile().mode_to_start_in(Some(Mode::Plan)), Mode::Plan);
}

#[tokio::test]
async fn d_70_a_mode_for_one_that_has_none_is_refused_and_a_plan_still_works() {
    let mut house = House::new(Mode::Plan).await;
    house.save(with(AgentPolicy { modes: ModeSetting::Fixed, ..AgentPolicy::default() })).await;
    let before = house.bytes();
    let named = house.start(RunInput { mode: Some(Mode::Auto), ..text_input("Go.") }).await;
    assert!(matches!(named, Err(EngineError::Refused(Refusal::ModeNotConfigurable))), "{named:?}");
    assert_eq!(house.bytes(), before);
    house.ask(&[crate::house::plan("Do it.")]).await;
    house.answer(&[(0, AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::Stays, ends_at: None })]).await;
    assert_eq!(house.head().await.conversation.mode, Mode::Auto);
    house.input(Input::Tighten { mode: Mode::Default }).await.unwrap();
}

#[tokio::test]
async fn d_52_the_answering_run_goes_with_the_settings_that_it_gets() {
    let mut house = placed().await;
    house.ask(&[call("write", "{}")]).await;
    house
        .save(AgentProfile { revision: 2, tools: only(&["read"]), instructions: "New.".to_owned(), ..profile() })
        .await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.ran(), [""; 0]);
    assert!(house.results()[0].contains("no longer permitted"), "{:?}", house.results());
    let prompt = house.script.last();
    assert_eq!((prompt.system.as_str(), house.offered()), ("New.", vec!["read".to_owned()]));
}
