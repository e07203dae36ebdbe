use super::*;

fn command(args: &[&str]) -> Launch {
    let args = args.iter().map(|one| (*one).to_owned()).collect();
    Launch::Command { program: "npx".to_owned(), args, env: Vec::new(), folder: None }
}

fn server() -> ServerProfile {
    ServerProfile {
        id: ServerId([1; 16]),
        revision: 1,
        name: "Help desk".to_owned(),
        handle: "help-desk".to_owned(),
        launch: command(&["-y", "helpdesk"]),
        on: true,
        data: DataClass::Unclassified,
        all: Word::default(),
        seen: Seen::default(),
        tools: BTreeMap::new(),
        roots: Vec::new(),
        start_s: 30,
        call_s: 120,
    }
}

/// A change that spoils a server.
type Change<'a> = &'a dyn Fn(&mut ServerProfile);

fn variable(name: &str, plain: Option<&str>) -> Variable {
    let value = match plain {
        Some(text) => Value::Plain { text: text.to_owned() },
        None => Value::Secret { from: KeySource::Keyring },
    };
    Variable { name: name.to_owned(), value }
}

fn definition(description: &str) -> Definition {
    Definition {
        name: "close".to_owned(),
        title: None,
        description: description.to_owned(),
        schema: r#"{"type":"object"}"#.to_owned(),
        claims: Claims { read_only: Some(true), destructive: Some(false), ..Claims::default() },
    }
}

fn free() -> Word {
    Word { asks: Some(Asks::Never), read_only: true, parallel_safe: true }
}

fn of(server: &ServerProfile, definition: &Definition) -> (bool, Vec<Mark>, bool) {
    let ServerTool { tool, tightened } = server.tool(definition, "help-desk__close".to_owned());
    (crate::tool::requires_approval(&tool), tool.marks.iter().collect(), tightened)
}

const LOOSE: [Mark; 2] = [Mark::ReadOnly, Mark::ParallelSafe];

/// N-08, N-09, RQ-6, field L-091: nothing that a server claims loosens anything.
#[test]
fn every_tool_asks_first_whatever_the_server_claims() {
    assert_eq!(of(&server(), &definition("Closes a ticket")), (true, vec![], false));
    assert_eq!(server().tool(&definition(""), String::new()).tool.effect, Effect::Write);
}

/// D-87: what the person loosened holds for the launch and the definition that they saw; what they tightened for ever.
#[test]
fn a_word_that_loosens_is_lost_with_the_thing_that_it_was_said_of() {
    let (was, now) = (definition("Closes a ticket"), definition("Closes all tickets"));
    for of_all in [true, false] {
        let mut one = server();
        if of_all {
            one.say_of_all(free(), std::slice::from_ref(&was));
        } else {
            one.say_of(&was, free());
        }
        assert_eq!(of(&one, &was), (false, LOOSE.to_vec(), false), "of all: {of_all}");
        assert_eq!(of(&one, &now), (true, vec![], true), "another definition, of all: {of_all}");
        let claims = Definition { claims: Claims::default(), ..was.clone() };
        assert_eq!(of(&one, &claims), (true, vec![], true), "other claims, of all: {of_all}");

        let renamed = ServerProfile { name: "Desk".to_owned(), revision: 2, ..one.clone() };
        assert_eq!(of(&renamed, &was), (false, LOOSE.to_vec(), false), "the label says nothing");
        let key = |server: &ServerProfile| server.tool(&was, "help-desk__close".to_owned()).tool.identity.key();
        assert_eq!(key(&renamed), key(&one));

        let moved = ServerProfile { launch: command(&["-y", "evil"]), ..one.clone() };
        assert_eq!(of(&moved, &was), (true, vec![], true), "another launch, of all: {of_all}");
        assert_ne!(key(&moved), key(&one), "standing approvals are bound to the launch");
    }
    let mut strict = server();
    strict.say_of_all(free(), &[was.clone(), now.clone()]);
    strict.say_of(&was, Word { asks: Some(Asks::First), ..Word::default() });
    assert!(of(&strict, &was).0);
    let moved = ServerProfile { launch: command(&[]), ..strict };
    assert!(of(&moved, &now).0, "what tightens stays");
}

/// D-87: a tool that appears after the person spoke of all of them was never loosened, and nothing was taken from it.
#[test]
fn a_tool_that_comes_later_asks() {
    let mut one = server();
    one.say_of_all(free(), &[definition("Closes a ticket")]);
    let later = Definition { name: "purge".to_owned(), ..definition("Purges") };
    assert_eq!(of(&one, &later), (true, vec![], false));
}

#[test]
fn a_password_is_no_part_of_the_launch_and_a_name_is() {
    let with = |name: &str, value: Option<&str>| {
        let env = vec![variable(name, value)];
        Launch::Command { program: "p".to_owned(), args: vec![], env, folder: None }.fingerprint()
    };
    assert_eq!(with("TOKEN", None), with("TOKEN", Some("x")));
    assert_ne!(with("TOKEN", None), with("LD_PRELOAD", None));
    assert_ne!(command(&["a", "b"]).fingerprint(), command(&["a b"]).fingerprint());
    let http = |url: &str| Launch::Http { url: url.to_owned(), headers: vec![] }.fingerprint();
    assert_ne!(http("https://a.example"), http("https://b.example"));
}

/// Field L-088: two servers never share a name, nor do two tools of one, whatever they are called.
#[test]
fn no_two_tools_have_one_name() {
    let long = "x".repeat(200);
    let longer = "x".repeat(201);
    let raw = ["c", "b_c", "b__c", "a b", "a_b", "a\u{202e}b", "", &long, &longer, "c"];
    let mut all = Vec::new();
    for handle in ["a", "a-b", "help-desk"] {
        let named = names(handle, &raw);
        assert_eq!(named.iter().flatten().count(), raw.len(), "{named:?}");
        all.extend(named.into_iter().flatten());
    }
    for name in &all {
        let plain = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
        assert!(name.len() <= MOST_NAME && name.chars().all(plain), "{name}");
    }
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
    // One that is made to look like another's name with its hash gets none.
    let hashed = names("a", &["a b"]).remove(0).unwrap();
    let mimic = hashed.strip_prefix("a__").unwrap();
    assert_eq!(names("a", &["a b", mimic]), vec![None, Some(hashed)]);
}

#[test]
fn a_handle_is_short_plain_and_free() {
    assert_eq!(handle_for("Help desk (prod)!", &[]), "help-desk-prod");
    assert_eq!(handle_for("server-everything", &[]), "server-everything");
    assert_eq!(handle_for("Büro", &["b-ro"]), "b-ro-2");
    assert_eq!(handle_for("\u{202e}", &[]), "server");
    let long = handle_for(&"a".repeat(90), &[]);
    assert!(long.len() <= MOST_HANDLE, "{long}");
}

#[test]
fn what_is_wrong_with_a_server_is_said_by_field() {
    let with = |change: &dyn Fn(&mut ServerProfile)| {
        let mut one = server();
        change(&mut one);
        check(
            &one,
            &[ServerProfile { id: ServerId([2; 16]), name: "Other".to_owned(), handle: "o".to_owned(), ..server() }],
        )
    };
    assert_eq!(with(&|_| {}), Ok(()));
    let env = |all: Vec<Variable>| Launch::Command { program: "p".to_owned(), args: vec![], env: all, folder: None };
    let http = |url: &str, headers: Vec<Variable>| Launch::Http { url: url.to_owned(), headers };
    let faults: [(&str, Change); 16] = [
        ("name", &|one| one.name = " ".to_owned()),
        ("name", &|one| one.name = "other".to_owned()),
        ("handle", &|one| one.handle = "A_b".to_owned()),
        ("handle", &|one| one.handle = "o".to_owned()),
        ("program", &|one| {
            one.launch = Launch::Command { program: String::new(), args: vec![], env: vec![], folder: None }
        }),
        ("args", &|one| one.launch = command(&["a\0b"])),
        ("folder", &|one| {
            one.launch = Launch::Command { program: "p".into(), args: vec![], env: vec![], folder: Some("x".into()) }
        }),
        ("env", &|one| one.launch = env(vec![variable("A=B", None)])),
        ("env", &|one| one.launch = env(vec![variable("A", None), variable("A", None)])),
        ("env", &|one| one.launch = env(vec![variable("A", Some("a\nb"))])),
        ("url", &|one| one.launch = http("ftp://a.example", vec![])),
        ("url", &|one| one.launch = http("https://me:secret@a.example", vec![])),
        ("headers", &|one| one.launch = http("https://a.example", vec![variable("Host", None)])),
        ("headers", &|one| one.launch = http("https://a.example", vec![variable("X-A", None), variable("x-a", None)])),
        ("roots", &|one| one.roots = vec!["here".to_owned()]),
        ("start_s", &|one| one.start_s = 0),
    ];
    for (field, change) in faults {
        assert_eq!(with(change).map_err(|fault| fault.field), Err(field));
    }
    let both_cases = env(vec![variable("A", None), variable("a", None)]);
    assert_eq!(with(&|one| one.launch = both_cases.clone()), Ok(()), "names of variables have a case");
}

#[test]
fn a_long_description_is_cut_for_the_model_and_the_cut_is_stated() {
    let long = definition(&"é".repeat(MOST_DESCRIPTION));
    let tool = server().tool(&long, "t".to_owned()).tool;
    assert!(tool.description.ends_with(&format!("({MOST_DESCRIPTION} bytes left out)")), "{}", tool.description.len());
}
