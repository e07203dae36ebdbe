//! The person's own rules: made from a call, tried on the past, asked before anybody is, and listed with what they did; long because
//! each test makes and looks at rules by the same few helpers.

use countersign_api::commands::request;
use countersign_api::wire::inbox::{Decision, Mode, Reach, SetCard};
use countersign_api::wire::rules::{
    RuleDraft, RuleList, RuleLook, RuleRow, RuleSaved, RuleSource, RunsCause, RunsRow, RunsVerdict, TraceOutcome,
    TraceSays,
};
use countersign_api::wire::text::Shown;
use countersign_api::wire::window::{ApiError, Space};
use countersign_core::input::ModelReply;
use countersign_rules::check::FaultKind;
use countersign_rules::command::NotPlain;
use countersign_rules::rule::{Condition, Life, Rule, RuleTool, RuleVerdict, Scope, Test};

use crate::house::{House, Told, calls, says};

fn command(text: &str) -> ModelReply {
    calls(&[("run_command", &arguments(text))])
}

fn arguments(text: &str) -> String {
    format!("{{\"command\":{}}}", serde_json::to_string(text).unwrap())
}

fn plain(shown: &Shown) -> String {
    countersign_api::display::text::plain(shown)
}

async fn draft(house: &House, from: RuleSource) -> RuleDraft {
    house.app.rule_draft(Space::Main, request::rule_draft { from }).await.unwrap()
}

async fn draft_of(house: &House, set: &SetCard) -> RuleDraft {
    draft(house, RuleSource::Call { id: set.rows[0].id.clone() }).await
}

async fn save(house: &House, rule: Rule) -> RuleSaved {
    house.app.save_rule(Space::Main, request::save_rule { rule }).await.unwrap()
}

async fn saved(house: &House, rule: Rule) -> RuleRow {
    let saved = save(house, rule).await;
    assert_eq!(saved.faults, []);
    saved.row.unwrap()
}

async fn look(house: &House, rule: Rule, front: Option<&str>) -> RuleLook {
    house.app.rule_look(Space::Main, request::rule_look { rule, front: front.map(str::to_owned) }).await.unwrap()
}

async fn list(house: &House) -> RuleList {
    house.app.rules(Space::Main, request::rules {}).await.unwrap()
}

async fn say(house: &House, conversation: &str, reply: ModelReply) {
    house.stage.replies.lock().unwrap().push_front(reply);
    let send = countersign_api::wire::conversation::Send {
        conversation: conversation.to_owned(),
        answers: Vec::new(),
        text: Some("Go on.".to_owned()),
        mode: None,
        auto_until: None,
        passes_by: Vec::new(),
    };
    house.send(send).await.unwrap();
}

/// A conversation in Auto that begins.
async fn in_auto(house: &House) -> String {
    let (agent, text) = (house.agent.clone(), Some("Go.".to_owned()));
    let start = request::start_conversation { agent, text, mode: Some(Mode::Auto), auto_until: None };
    house.app.start_conversation(Space::Main, start).await.unwrap().id
}

fn no_sudo() -> Rule {
    let rule = countersign_rules::shipped::shipped(0).remove(0);
    assert_eq!(rule.name, "no sudo");
    rule
}

/// Surface 27, 30, 34: the rule starts at exactly the call in front, and says what it covers.
#[tokio::test]
async fn surface_30_surface_34_a_rule_from_a_request_starts_narrow_and_lets_the_same_run() {
    let house = House::new([command("git status"), says("Done.")]).await;
    let set = house.ask("look").await;
    let draft = draft_of(&house, &set).await;
    let whole = Condition::Words { words: vec!["git".to_owned(), "status".to_owned()], flags: vec![], further: false };
    assert_eq!(draft.rule.conditions, [whole]);
    assert_eq!(draft.rule.tool, RuleTool::BuiltIn { name: "run_command".to_owned() });
    assert!(matches!(&draft.rule.scope, Scope::Conversation { .. }), "{:?}", draft.rule.scope);
    assert!(draft.chosen && draft.rule.verdict == RuleVerdict::Approve);
    assert_eq!(draft.rule.name, "git status");
    let wider: Vec<(bool, bool)> = draft.offers.iter().map(|one| (one.on, one.approves)).collect();
    assert_eq!(wider, [(true, true), (false, true), (false, true)], "and is widened by steps only");

    let looked = look(&house, draft.rule.clone(), Some(&set.rows[0].id)).await;
    assert_eq!((looked.faults.as_slice(), looked.front), (&[][..], Some(true)));
    let row = saved(&house, draft.rule).await;
    assert_eq!((row.matches, row.rule.revision), (0, 1));
    assert_eq!(house.ran(), Vec::<String>::new(), "D-19: what waits waits for the person");
    house.set_of(&set.conversation).await;

    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    house.stage.replies.lock().unwrap().push_back(command("git status --short"));
    say(&house, &set.conversation, command("git status")).await;
    let set = house.set_of(&set.conversation).await;
    assert_eq!(house.ran().len(), 2, "the same ran without asking, the longer one asks");
    let rows = list(&house).await.rows;
    assert_eq!((rows[0].matches, rows[0].last_at.is_some(), rows[0].unused), (1, true, false));
    let detail = house.detail(&set.rows[0].id).await;
    let trace: Vec<(String, TraceSays)> = detail.why.trace.iter().map(|one| (plain(&one.name), one.says)).collect();
    assert_eq!(trace, [("git status".to_owned(), TraceSays::Abstains)], "surface 39");
}

/// Accept 16, RU-9, D-12.
#[tokio::test]
async fn accept_16_a_rejecting_rule_beats_a_standing_approval_and_auto() {
    let house = House::new([command("ls"), says("Done.")]).await;
    let set = house.ask("look").await;
    house
        .answer(&set, &[(0, Decision::ApproveForConversation { reach: Reach::Exact, any_command: false })])
        .await
        .unwrap();
    house.rest(&set.conversation).await;
    let mut rule = no_sudo();
    rule.conditions =
        vec![Condition::Argument { path: vec!["command".to_owned()], test: Test::Is { value: "ls".to_owned() } }];
    rule.samples.clear();
    saved(&house, rule).await;
    house.stage.replies.lock().unwrap().push_back(says("I see."));
    say(&house, &set.conversation, command("ls")).await;
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 1, "the standing approval doesn't help");
    assert!(house.last_prompt().contains("rights of another user"), "and the agent is told the rule's reason");

    house.set(|settings| settings.notify_stopped = true).await;
    house.stage.replies.lock().unwrap().extend([command("ls"), command("pwd"), says("Done.")]);
    let auto = in_auto(&house).await;
    house.rest(&auto).await;
    assert_eq!(house.ran().len(), 2, "in Auto it stops this call and no other: {:?}", house.ran());
    assert_eq!(list(&house).await.rows[0].matches, 2);
    let told = |told: &[Told]| {
        let is = |one: &Told| matches!(one, Told::Shown(notice) if notice.body.ends_with("rule no sudo"));
        told.iter().any(is)
    };
    house.until_told("the person hears of it, as they wanted", told).await;
}

/// D-17, D-18: what a rule can't tell asks, also in Auto; the person's approval then holds.
#[tokio::test]
async fn what_a_rule_cannot_tell_asks_once() {
    let house = House::new([command("(sudo ls)"), says("Done.")]).await;
    saved(&house, no_sudo()).await;
    let auto = in_auto(&house).await;
    let set = house.set_of(&auto).await;
    let detail = house.detail(&set.rows[0].id).await;
    assert_eq!(detail.why.trace[0].says, TraceSays::Failed);
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&auto).await;
    assert_eq!(house.ran().len(), 1);
}

/// D-18, D-92: a rejecting rule that came while the request waited closes it, whatever the person said.
#[tokio::test]
async fn a_rule_that_came_meanwhile_rejects_what_was_approved() {
    let house = House::new([command("sudo ls"), says("I see.")]).await;
    let set = house.ask("look").await;
    saved(&house, no_sudo()).await;
    assert!(!house.set_of(&set.conversation).await.rows.is_empty(), "it waits on");
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran(), Vec::<String>::new());
    assert!(house.last_prompt().contains("rights of another user"));
}

/// Accept 18, surface 36: the counts are those of the evaluator, over what really was; what isn't stored is said.
#[tokio::test]
async fn accept_18_surface_36_a_dry_run_counts_what_the_rule_would_have_decided() {
    let house = House::new([]).await;
    let commands = ["git status", "git status", "git status -s", "git log", "git status; rm x", "ls"];
    for (index, text) in commands.iter().enumerate() {
        house.stage.replies.lock().unwrap().extend([command(text), says("Done.")]);
        let set = house.ask("go").await;
        let decision = if index == 1 || index == 2 { Decision::Reject { reason: None } } else { Decision::Approve };
        house.answer(&set, &[(0, decision)]).await.unwrap();
        house.rest(&set.conversation).await;
    }
    house.stage.replies.lock().unwrap().push_back(command("git status"));
    let front = house.ask("again").await;
    let mut rule = draft_of(&house, &front).await.rule;
    rule.scope = Scope::Everywhere;
    let of = |rule: &Rule| {
        let ready = countersign_rules::judge::Ready::new(rule.clone());
        let run = countersign_engine::ports::GuardedRun {
            conversation: countersign_core::ids::ConversationId([0; 16]),
            agent: house.agent.parse().unwrap(),
            folder: String::new(),
        };
        let matched = |text: &&&str| {
            let tree = countersign_core::parse::arguments(&arguments(text)).unwrap();
            let tool = countersign_core::tool::Tool {
                identity: countersign_core::tool::ToolIdentity {
                    origin: countersign_core::tool::Origin::BuiltIn {
                        agent: countersign_core::ids::AgentId([1; 16]),
                        root: "/".to_owned(),
                    },
                    name: "run_command".to_owned(),
                },
                description: String::new(),
                parameters: String::new(),
                effect: countersign_core::tool::Effect::Write,
                marks: countersign_core::tool::Marks::of([countersign_core::tool::Mark::FreeForm]),
            };
            let call = countersign_engine::ports::GuardedCall {
                tool,
                arguments: arguments(text),
                tree,
                preconditions: Vec::new(),
                answered: false,
            };
            ready.verdict(&run, &call) == countersign_core::input::Verdict::Approve
        };
        i64::try_from(commands.iter().filter(matched).count()).unwrap()
    };
    for (further, matched, against) in [(false, 2, 1), (true, 3, 2)] {
        if let [Condition::Words { further: wide, .. }] = rule.conditions.as_mut_slice() {
            *wide = further;
        }
        let past = look(&house, rule.clone(), None).await.past.unwrap();
        assert_eq!((past.calls, past.matched, past.against, past.untold), (6, matched, against, 0), "{further}");
        assert_eq!(past.matched, of(&rule));
        assert_eq!(past.rows.iter().filter(|row| row.against).count(), usize::try_from(against).unwrap());
        assert!(past.rows[0].against, "what was decided otherwise is shown first");
    }
    house
        .app
        .erase_history(
            Space::Main,
            request::erase_history { span: countersign_api::wire::history::Span { from: 0, to: i64::MAX } },
        )
        .await
        .unwrap();
    let past = look(&house, rule, None).await.past.unwrap();
    assert_eq!((past.calls, past.matched), (0, 0));
    assert!(past.untold >= 6, "{past:?}");
}

/// Surface 28, 33, L-076: what isn't one plain command is held to its whole text, and no secret comes into a rule.
#[tokio::test]
async fn surface_28_no_secret_and_no_loose_command_comes_into_a_rule() {
    let house = House::new([
        command("git status && rm -r build"),
        command("curl -H 'Authorization: Bearer abcdefgh12345678' x"),
    ])
    .await;
    let set = house.ask("go").await;
    let draft = draft_of(&house, &set).await;
    assert_eq!(draft.unreadable, Some(NotPlain::Parts));
    assert!(matches!(
        draft.rule.conditions.as_slice(),
        [Condition::Argument { test: Test::Is { value }, .. }] if value == "git status && rm -r build"
    ));
    let mut loose = draft.rule.clone();
    loose.conditions = vec![Condition::Argument {
        path: vec!["command".to_owned()],
        test: Test::StartsWith { text: "git status".to_owned() },
    }];
    let kinds = |saved: &RuleSaved| saved.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&save(&house, loose).await), [FaultKind::FreeForm]);
    let secret = house.ask("go").await;
    let draft = draft_of(&house, &secret).await;
    assert!(draft.rule.conditions.is_empty() && !draft.chosen, "{:?}", draft.rule.conditions);
    let mut kept = draft.rule;
    kept.name = "fetch".to_owned();
    kept.conditions = vec![Condition::Argument {
        path: vec!["command".to_owned()],
        test: Test::Is { value: "curl -H 'Authorization: Bearer abcdefgh12345678' x".to_owned() },
    }];
    assert_eq!(kinds(&save(&house, kept).await), [FaultKind::Secret]);
    assert_eq!(list(&house).await.rows, [], "nothing of it was stored");
}

/// Surface 29, 31: lives between once and for ever.
#[tokio::test]
async fn surface_29_surface_31_a_rule_ends_when_its_life_does() {
    let house = House::new([command("ls"), says("Done.")]).await;
    let set = house.ask("go").await;
    let conversation = set.conversation.parse().unwrap();
    let soon = crate::house::now().0 + 60_000;
    for (name, life) in [
        ("run", Life::Run { conversation }),
        ("conversation", Life::Conversation { conversation }),
        ("quit", Life::Quit),
        ("until", Life::Until { at: soon }),
        ("ever", Life::Forever),
    ] {
        saved(&house, Rule { name: name.to_owned(), life, ..no_sudo() }).await;
    }
    let ended = |rows: &[RuleRow]| -> Vec<String> {
        let over = rows.iter().filter(|row| row.rule.ended_at.is_some());
        over.map(|row| row.rule.name.clone()).collect()
    };
    assert_eq!(ended(&list(&house).await.rows), Vec::<String>::new());
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    let rows = house.until("the run's rule ended", |_| Some(())).await;
    let () = rows;
    for _ in 0..200 {
        if ended(&list(&house).await.rows) == ["run"] {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(ended(&list(&house).await.rows), ["run"]);
    house.stage.ahead.fetch_add(120_000, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(ended(&list(&house).await.rows), ["run", "until"]);
    let house = house.restart().await;
    assert_eq!(ended(&list(&house).await.rows), ["run", "quit", "until"]);
    let gone = request::delete_conversation { conversation: set.conversation.clone() };
    house.app.delete_conversation(Space::Main, gone).await.unwrap();
    for _ in 0..200 {
        if ended(&list(&house).await.rows).len() == 4 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let rows = list(&house).await.rows;
    assert_eq!(ended(&rows), ["run", "conversation", "quit", "until"], "and all are kept");
    let over = rows.iter().find(|row| row.rule.name == "conversation").unwrap().rule.clone();
    house.app.delete_rule(Space::Main, request::delete_rule { id: over.id.clone() }).await.unwrap();
    let back = saved(&house, over.clone()).await.rule;
    assert_eq!((back.ended_at, back.id), (over.ended_at, over.id), "undone, it is over as it was");
}

/// Surface 32: what isn't used is said, and nothing is deleted by itself.
#[tokio::test]
async fn surface_32_an_unused_rule_is_said_and_kept() {
    let house = House::new([]).await;
    saved(&house, no_sudo()).await;
    assert!(!list(&house).await.rows[0].unused);
    house.stage.ahead.fetch_add(91 * 24 * 3_600_000, std::sync::atomic::Ordering::SeqCst);
    let rows = list(&house).await.rows;
    assert!(rows[0].unused && rows[0].rule.on);
}

/// Surface 35: rejecting rules come first; names are unique; a changed name keeps what it did.
#[tokio::test]
async fn rules_are_listed_edited_and_deleted() {
    let house = House::new([command("sudo ls"), says("I see.")]).await;
    let approving = Rule {
        name: "status".to_owned(),
        verdict: RuleVerdict::Approve,
        conditions: vec![Condition::Words { words: vec!["git".to_owned()], flags: vec![], further: true }],
        samples: Vec::new(),
        ..no_sudo()
    };
    let approving = saved(&house, approving).await;
    let shipped = house.app.ship_rules(Space::Main, request::ship_rules {}).await.unwrap();
    assert!(!shipped.shipped_missing);
    assert!(shipped.rows[..4].iter().all(|row| !row.rule.verdict.approves()), "those that win stand first");
    assert_eq!(shipped.rows.last().unwrap().rule.name, "status");
    let again = house.app.ship_rules(Space::Main, request::ship_rules {}).await.unwrap();
    assert_eq!(again.rows.len(), 5, "none twice");

    let agent = house.agent.clone();
    let start = request::start_conversation { agent, text: Some("go".to_owned()), mode: None, auto_until: None };
    let conversation = house.app.start_conversation(Space::Main, start).await.unwrap().id;
    house.rest(&conversation).await;
    assert_eq!(house.ran(), Vec::<String>::new());
    let sudo = list(&house).await.rows.iter().find(|row| row.rule.name == "no sudo").unwrap().clone();
    assert_eq!(sudo.matches, 1);

    let taken = save(&house, Rule { name: "No Sudo".to_owned(), ..approving.rule.clone() }).await;
    assert_eq!(taken.faults[0].kind, FaultKind::NameTaken);
    let renamed = saved(&house, Rule { name: "never sudo".to_owned(), ..sudo.rule.clone() }).await;
    assert_eq!((renamed.matches, renamed.rule.former.as_slice()), (1, &["no sudo".to_owned()][..]));
    let stale = house.app.save_rule(Space::Main, request::save_rule { rule: sudo.rule }).await;
    assert!(matches!(stale, Err(ApiError::Refused { .. })), "{stale:?}");

    let id = renamed.rule.id.clone();
    house.app.switch_rule(Space::Main, request::switch_rule { id: id.clone(), on: false }).await.unwrap();
    let off = list(&house).await.rows.iter().find(|row| row.rule.id == id).unwrap().clone();
    assert!(!off.rule.on);
    house.app.delete_rule(Space::Main, request::delete_rule { id: id.clone() }).await.unwrap();
    assert!(list(&house).await.rows.iter().all(|row| row.rule.id != id));
    let back = saved(&house, off.rule).await;
    assert_eq!((back.rule.id, back.matches), (id, 1), "undone, it is the same rule");
    let house = house.restart().await;
    assert_eq!(list(&house).await.rows.len(), 5);
}

/// D-17: while a stored rule can't be read nobody knows what it would reject, so everything asks.
#[tokio::test]
async fn a_rule_that_cannot_be_read_makes_everything_ask() {
    let house = House::new([]).await;
    let fact = countersign_store::table::rule::RuleFact { id: "0".repeat(32), body: "{}".to_owned() };
    house.record(countersign_store::record::Record::Rule(fact)).await;
    let house = house.restart().await;
    assert_eq!(list(&house).await.unreadable, 1);
    house.stage.replies.lock().unwrap().extend([command("ls"), says("Done.")]);
    let auto = in_auto(&house).await;
    let set = house.set_of(&auto).await;
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&auto).await;
    assert_eq!(house.ran().len(), 1, "what the person approved runs");
}

async fn without(house: &House, conversation: &str, mode: Mode) -> Vec<RunsRow> {
    let request = request::runs_without { conversation: conversation.to_owned(), mode };
    house.app.runs_without(Space::Main, request).await.unwrap()
}

/// Surface 38.
#[tokio::test]
async fn surface_38_runs_without_asking_is_what_would_be_decided() {
    let house = House::new([command("ls"), says("Done.")]).await;
    let set = house.ask("go").await;
    let of = |rows: &[RunsRow], name: &str| {
        let row = rows.iter().find(|row| plain(&row.tool) == name).unwrap();
        (row.verdict, row.cause)
    };
    let conversation = set.conversation.clone();
    let rows = without(&house, &conversation, Mode::Default).await;
    assert_eq!(of(&rows, "run_command"), (RunsVerdict::Asks, RunsCause::Approval));
    let rows = without(&house, &conversation, Mode::Auto).await;
    assert_eq!(of(&rows, "run_command"), (RunsVerdict::Runs, RunsCause::Auto));
    let rows = without(&house, &conversation, Mode::Plan).await;
    assert_eq!(of(&rows, "run_command"), (RunsVerdict::NotOffered, RunsCause::Plan));
    assert_eq!(of(&rows, "exit_plan_mode"), (RunsVerdict::Asks, RunsCause::PlanWaits));
    house
        .answer(&set, &[(0, Decision::ApproveForConversation { reach: Reach::Tool, any_command: true })])
        .await
        .unwrap();
    house.rest(&conversation).await;
    let rows = without(&house, &conversation, Mode::Default).await;
    assert_eq!(of(&rows, "run_command"), (RunsVerdict::Runs, RunsCause::Standing));
    saved(&house, no_sudo()).await;
    let rows = without(&house, &conversation, Mode::Default).await;
    let row = rows.iter().find(|row| plain(&row.tool) == "run_command").unwrap();
    assert_eq!(row.rejecting.iter().map(plain).collect::<Vec<_>>(), ["no sudo"]);
    let kept = house.app.rules(Space::Main, request::rules {}).await.unwrap();
    assert_eq!(row.rejecting_rules, kept.rows.iter().map(|one| one.rule.id.clone()).collect::<Vec<_>>(), "to be shown");
    let all = Rule { name: "nothing".to_owned(), conditions: Vec::new(), samples: Vec::new(), ..no_sudo() };
    saved(&house, all).await;
    let rows = without(&house, &conversation, Mode::Auto).await;
    assert_eq!(of(&rows, "run_command"), (RunsVerdict::Rejected, RunsCause::Rule));
}

#[tokio::test]
async fn a_typed_call_is_traced_without_running() {
    let house = House::new([command("ls"), says("Done.")]).await;
    let set = house.ask("go").await;
    saved(&house, no_sudo()).await;
    let trace = async |tool: &str, text: &str, mode: Mode| {
        let (conversation, tool, arguments) = (set.conversation.clone(), tool.to_owned(), text.to_owned());
        let request = request::trace_call { conversation, mode, tool, arguments };
        house.app.trace_call(Space::Main, request).await.unwrap()
    };
    assert_eq!(trace("run_command", &arguments("ls"), Mode::Default).await.outcome, TraceOutcome::Asks);
    assert_eq!(trace("run_command", &arguments("ls"), Mode::Auto).await.outcome, TraceOutcome::RunsByAuto);
    assert_eq!(trace("run_command", &arguments("$X ls"), Mode::Auto).await.outcome, TraceOutcome::Asks);
    let rejected = trace("run_command", &arguments("sudo ls"), Mode::Auto).await;
    assert_eq!((rejected.outcome, rejected.rows[0].says), (TraceOutcome::Rejected, TraceSays::Rejects));
    assert_eq!(trace("nothing", "{}", Mode::Auto).await.outcome, TraceOutcome::NotLookedAt);
    let unread = trace("run_command", "{", Mode::Auto).await;
    assert_eq!(unread.outcome, TraceOutcome::NotLookedAt);
    assert!(!unread.fault.is_empty());
    assert_eq!(house.ran(), Vec::<String>::new());
    let text = house.app.call_text(Space::Main, request::call_text { id: set.rows[0].id.clone() }).await.unwrap();
    assert_eq!((text.tool.as_str(), text.arguments), ("run_command", Some(arguments("ls"))));
}

/// f.14: a revocation acts at once and can be taken back for a while.
#[tokio::test]
async fn surface_42_a_revocation_can_be_taken_back() {
    let house = House::new([command("ls"), says("Done.")]).await;
    let set = house.ask("go").await;
    house
        .answer(&set, &[(0, Decision::ApproveForConversation { reach: Reach::Exact, any_command: false })])
        .await
        .unwrap();
    house.rest(&set.conversation).await;
    let standing = house.app.standing(Space::Main, request::standing {}).await.unwrap().remove(0);
    let back = async || house.app.unrevoke(Space::Main, request::unrevoke { id: standing.id.clone() }).await;
    assert!(matches!(back().await, Err(ApiError::NotFound { .. })), "nothing was taken back");
    let all = request::revoke_all { conversation: set.conversation.clone() };
    assert_eq!(house.app.revoke_all(Space::Main, all).await.unwrap(), 1);
    assert_eq!(house.app.standing(Space::Main, request::standing {}).await.unwrap(), []);
    back().await.unwrap();
    assert!(matches!(back().await, Err(ApiError::Refused { .. })), "not twice");
    house.stage.replies.lock().unwrap().push_back(says("Done."));
    say(&house, &set.conversation, command("ls")).await;
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 2, "it covers again");
    let again = house.app.standing(Space::Main, request::standing {}).await.unwrap().remove(0);
    house.app.revoke(Space::Main, request::revoke { id: again.id.clone() }).await.unwrap();
    house.stage.ahead.fetch_add(61_000, std::sync::atomic::Ordering::SeqCst);
    let late = house.app.unrevoke(Space::Main, request::unrevoke { id: again.id }).await;
    assert!(matches!(late, Err(ApiError::NotFound { .. })), "a minute later it is over");
}

/// c.10, the fatigue helper.
#[tokio::test]
async fn what_is_approved_again_and_again_is_hinted_at_once() {
    let house = House::new([]).await;
    let hint = async || house.app.rule_hint(Space::Main, request::rule_hint {}).await.unwrap();
    for text in std::iter::repeat_n("git status", 10).chain(std::iter::repeat_n("rm -rf /etc", 10)) {
        assert_eq!(hint().await.filter(|_| text == "git status"), None);
        house.stage.replies.lock().unwrap().extend([command(text), says("Done.")]);
        let set = house.ask("go").await;
        house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
        house.rest(&set.conversation).await;
    }
    let found = hint().await.unwrap();
    assert_eq!((plain(&found.target), found.times), ("git status".to_owned(), 10));
    house.app.dismiss_rule_hint(Space::Main, request::dismiss_rule_hint { key: found.key }).await.unwrap();
    assert_eq!(hint().await, None, "never for what has a red fact");
}
