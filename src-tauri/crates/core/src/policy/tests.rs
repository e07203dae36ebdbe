use super::*;
use crate::ids::AgentId;
use crate::tool::{Declared, Effect, ToolIdentity, requires_approval};

fn local() -> Origin {
    Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() }
}

fn server() -> Origin {
    Origin::Server {
        server: "s".to_owned(),
        launch: "l".to_owned(),
        definition: "d".to_owned(),
        declared: Declared::AsksFirst,
    }
}

fn one(name: &str, origin: Origin, group: ToolGroup, data: DataClass) -> Registered {
    let tool = Tool {
        identity: ToolIdentity { origin, name: name.to_owned() },
        description: String::new(),
        parameters: "{}".to_owned(),
        effect: Effect::Read,
        marks: Marks::default(),
    };
    Registered { tool, place: Place { group, data } }
}

fn house() -> Vec<Registered> {
    vec![
        one("look", local(), ToolGroup::Look, DataClass::Workspace),
        one("run", local(), ToolGroup::Command, DataClass::Machine),
        one("far", server(), ToolGroup::Other, DataClass::Unclassified),
    ]
}

fn only(names: &[&str]) -> ToolSet {
    ToolSet::Only { names: names.iter().map(|&name| name.to_owned()).collect() }
}

fn off(tools: &[&str], groups: &[ToolGroup]) -> Switches {
    let tools = tools.iter().map(|&name| name.to_owned()).collect();
    Switches { off: Off::These { tools, groups: groups.iter().copied().collect() }, ..Switches::default() }
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.identity.name.as_str()).collect()
}

/// N-58, N-59, N-60, N-62: each gate, and the first one that a tool doesn't pass.
#[test]
fn the_gates_stand_in_their_order() {
    let external = AgentPolicy { zone: Zone::External, ..AgentPolicy::default() };
    let watched = AgentPolicy { gate: CeilingGate::Observe, ..external.clone() };
    let looking = AgentPolicy { groups: GroupSet::Only { groups: [ToolGroup::Look].into() }, ..external.clone() };
    let unsaid = AgentPolicy::default();
    let above = |data| AboveCeiling { data, zone: Zone::External };
    let ceiling = |data| Ruling::Denied(Denied::AboveCeiling(above(data)));
    let all = ToolSet::All;
    let on = Switches::default();
    let denied = Ruling::Denied;
    let unreadable = Switches::read(Some("{"));
    for (case, name, switches, tools, policy, ruling) in [
        ("nothing in the way", "look", &on, &all, &external, Ruling::Offered),
        ("not registered", "ghost", &on, &all, &unsaid, denied(Denied::Unregistered)),
        ("off, and above the ceiling", "run", &off(&["run"], &[]), &all, &external, denied(Denied::Off)),
        (
            "group off, and not of the agent",
            "run",
            &off(&[], &[ToolGroup::Command]),
            &only(&[]),
            &external,
            denied(Denied::GroupOff(ToolGroup::Command)),
        ),
        ("switches unreadable", "look", &unreadable, &all, &unsaid, denied(Denied::SwitchesUnreadable)),
        (
            "not of the agent, and outside its groups",
            "run",
            &on,
            &only(&["look"]),
            &looking,
            denied(Denied::NotOfAgent),
        ),
        (
            "outside the groups, and above the ceiling",
            "run",
            &on,
            &all,
            &looking,
            denied(Denied::OutsideGroups(ToolGroup::Command)),
        ),
        ("above the ceiling", "run", &on, &all, &external, ceiling(DataClass::Machine)),
        ("above it, observed", "run", &on, &all, &watched, Ruling::Noted(above(DataClass::Machine))),
        ("remote above it, observed", "far", &on, &all, &watched, ceiling(DataClass::Unclassified)),
        ("nobody said where the model is", "far", &on, &all, &unsaid, Ruling::Offered),
    ] {
        let explained = explain(&only(&[name]), &house(), Gates { switches, tools, policy });
        assert_eq!(explained, [Explained { name: name.to_owned(), ruling }], "{case}");
    }
}

/// N-63, N-64, N-65, D-48.
#[test]
fn a_request_narrows_and_each_name_is_explained() {
    let (switches, policy, tools) = (off(&["far"], &[]), AgentPolicy::default(), ToolSet::All);
    let gates = Gates { switches: &switches, tools: &tools, policy: &policy };
    assert_eq!(names(&offerable(&ToolSet::All, &house(), gates)), ["look", "run"], "absent is every enabled tool");
    assert_eq!(names(&offerable(&only(&["run", "far", "ghost"]), &house(), gates)), ["run"]);
    assert_eq!(offerable(&only(&[]), &house(), gates), [], "empty is none");
    let explained = explain(&only(&["ghost", "run", "ghost"]), &house(), gates);
    assert_eq!(explained.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["ghost", "run", "ghost"]);
}

/// N-61.
#[test]
fn only_a_deliberate_observe_observes() {
    for (text, gate) in [
        ("observe", CeilingGate::Observe),
        ("  Observe\n", CeilingGate::Observe),
        ("OBSERVE", CeilingGate::Observe),
        ("observed", CeilingGate::Enforce),
        ("obsrve", CeilingGate::Enforce),
        ("", CeilingGate::Enforce),
        ("off", CeilingGate::Enforce),
    ] {
        assert_eq!(CeilingGate::read(text), gate, "`{text}`");
        let stored = serde_json::to_string(text).unwrap();
        assert_eq!(serde_json::from_str::<CeilingGate>(&stored).unwrap(), gate, "stored `{text}`");
    }
    for malformed in ["null", "1", "true", "{\"observe\":1}", "[\"observe\"]"] {
        assert_eq!(serde_json::from_str::<CeilingGate>(malformed).unwrap(), CeilingGate::Enforce, "{malformed}");
    }
}

/// N-66: what nobody classified counts as the most; a zone that can't be read is the strictest.
#[test]
fn what_nobody_said_is_taken_strictly() {
    let tools = [Registered { place: Place::UNCLASSIFIED, ..one("new", local(), ToolGroup::Look, DataClass::Given) }];
    for (zone, offered) in [(Zone::Local, 1), (Zone::Private, 0), (Zone::External, 0)] {
        let policy = AgentPolicy { zone, ..AgentPolicy::default() };
        let gates = Gates { switches: &Switches::default(), tools: &ToolSet::All, policy: &policy };
        assert_eq!(offerable(&ToolSet::All, &tools, gates).len(), offered, "{zone:?}");
    }
    for unreadable in ["\"nearby\"", "7", "null"] {
        assert_eq!(serde_json::from_str::<Zone>(unreadable).unwrap(), Zone::External, "{unreadable}");
    }
    let round = |zone: Zone| serde_json::from_str::<Zone>(&serde_json::to_string(&zone).unwrap()).unwrap();
    for zone in [Zone::Unstated, Zone::Local, Zone::Private, Zone::External] {
        assert_eq!(round(zone), zone);
    }
}

/// N-07, RQ-8, N-10: a setting adds an approval, never lifts one, and what can't be read adds it to everything.
#[test]
fn a_setting_can_make_a_reading_tool_ask_and_lift_nothing() {
    let mut asks = one("write", local(), ToolGroup::Change, DataClass::Workspace).tool;
    asks.effect = Effect::Write;
    let look = one("look", local(), ToolGroup::Look, DataClass::Workspace).tool;
    let mut question = look.clone();
    question.marks = Marks::of([Mark::NeedsInput]);
    let set = Switches::read(Some(r#"{"off":{"are":"these"},"ask_first":{"are":"these","tools":["look"]}}"#));
    for (case, switches, tool, bound) in [
        ("nothing set", Switches::default(), &look, false),
        ("never stored", Switches::read(None), &look, false),
        ("set", set.clone(), &look, true),
        ("a write beside it", set, &asks, true),
        ("a write without a setting", Switches::default(), &asks, true),
        ("unreadable", Switches::read(Some("{")), &look, true),
        ("half unreadable", Switches::read(Some(r#"{"ask_first":{"are":"these"}}"#)), &look, false),
        ("half missing", Switches::read(Some(r#"{"off":{"are":"these"}}"#)), &look, true),
        ("a question is no approval", Switches::read(Some("{")), &question, false),
    ] {
        assert_eq!(requires_approval(&switches.mark(tool.clone())), bound, "{case}");
    }
}

#[test]
fn switches_survive_being_stored() {
    let switches = Switches {
        ask_first: AskFirst::These { tools: ["look".to_owned()].into() },
        ..off(&["run"], &[ToolGroup::Agent])
    };
    let stored = serde_json::to_string(&switches).unwrap();
    assert_eq!(Switches::read(Some(&stored)), switches);
    let unreadable = Switches::read(Some("7"));
    assert_eq!(Switches::read(Some(&serde_json::to_string(&unreadable).unwrap())), unreadable);
}
