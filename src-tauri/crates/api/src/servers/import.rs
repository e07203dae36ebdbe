//! Servers out of a pasted text: a command line, an address, or the JSON that other programs keep theirs in.

use countersign_core::server::{CALL_SECONDS, START_SECONDS, check};
use serde_json::{Map, Value};

use super::faults::fault_words;
use super::profile;
use crate::desk::Desk;
use crate::display::text::{one_line, safe};
use crate::error::invalid;
use crate::wire::agent::KeySource;
use crate::wire::server::{Data, FoundToolServer, Launch, Server, TypedSecret, Variable};
use crate::wire::window::ApiError;
use crate::words::say;

/// The longest text that is read, in bytes.
const MOST: usize = 256 * 1024;
/// The most servers in it.
const MOST_SERVERS: usize = 100;

/// Reads a pasted text. Nothing is saved and nothing is started.
///
/// # Errors
/// [`ApiError::Invalid`] if there is no server in it.
pub(crate) async fn read(desk: &Desk, text: &str) -> Result<Vec<FoundToolServer>, ApiError> {
    let others = desk.engine.store().servers().await?;
    let found = find(text).map_err(|why| invalid("text", why))?;
    let nobody = countersign_core::ids::ServerId([0; 16]);
    let checked = found.into_iter().map(|one| {
        let fault = one.fault.clone().or_else(|| match profile(&one.server, nobody) {
            Ok(mut profile) => {
                "x".clone_into(&mut profile.handle);
                check(&profile, &others).err().map(|fault| fault_words(&fault))
            }
            Err(error) => Some(match error {
                ApiError::Invalid { message, .. } => message,
                _ => say().text_unreadable(),
            }),
        });
        FoundToolServer { fault, ..one }
    });
    Ok(checked.collect())
}

fn find(text: &str) -> Result<Vec<FoundToolServer>, String> {
    let text = text.trim();
    if text.len() > MOST {
        return Err(say().text_too_long());
    }
    if text.is_empty() {
        return Err(say().paste_something());
    }
    if text.starts_with('{') {
        return json(text);
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        let host = text.split("://").nth(1).and_then(|rest| rest.split(['/', ':', '?', '#']).next());
        let name = host.unwrap_or_default().to_owned();
        return Ok(vec![found(&name, Launch::Http { url: text.to_owned(), headers: Vec::new() }, Vec::new(), None)]);
    }
    let words = shlex::split(text).ok_or_else(|| say().quotation_open())?;
    let is_setting = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    let settings = words.iter().take_while(|word| is_setting(word)).count();
    let (settings, rest) = words.split_at(settings);
    let (Some(program), mut secrets) = (rest.first(), Vec::new()) else {
        return Err(say().no_program());
    };
    let env = settings.iter().filter_map(|setting| setting.split_once('='));
    let env = env.map(|(name, value)| variable(name, value, &mut secrets)).collect();
    let args: Vec<String> = rest.iter().skip(1).cloned().collect();
    let name = name_of(program, &args);
    Ok(vec![found(&name, Launch::Command { program: program.clone(), args, env, folder: None }, secrets, None)])
}

/// A name for a server out of what is started: the package or script, else the program.
fn name_of(program: &str, args: &[String]) -> String {
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let program = last(program);
    let runs_others =
        ["sh", "bash", "npx", "uvx", "uv", "node", "python", "python3", "bunx", "pnpm", "deno", "docker", "pipx"];
    let package =
        args.iter().find(|arg| !arg.starts_with('-') && !["run", "exec", "tool", "dlx"].contains(&arg.as_str()));
    let name = match package {
        Some(package) if runs_others.contains(&program.as_str()) => {
            let package = last(package);
            let package = package.split('@').next().filter(|name| !name.is_empty()).unwrap_or(&package);
            let endings = [".sh", ".py", ".js", ".mjs", ".ts"];
            endings.iter().find_map(|ending| package.strip_suffix(ending)).unwrap_or(package).to_owned()
        }
        Some(_) | None => program,
    };
    name.chars().take(60).collect()
}

fn json(text: &str) -> Result<Vec<FoundToolServer>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| say().no_json(&error.to_string()))?;
    let within = ["mcpServers", "servers", "context_servers"];
    let nested = value.get("mcp").unwrap_or(&value);
    let servers = within.iter().find_map(|key| nested.get(key)).unwrap_or(nested);
    let servers = servers.as_object().ok_or_else(|| say().no_servers())?;
    let is_server = |entry: &Value| entry.get("command").is_some() || entry.get("url").is_some();
    let one_alone = is_server(&Value::Object(servers.clone()));
    let found: Vec<FoundToolServer> = if one_alone {
        vec![entry("server", servers)]
    } else {
        let entries = servers.iter().filter_map(|(name, value)| Some((name, value.as_object()?)));
        entries
            .filter(|(_, value)| is_server(&Value::Object((*value).clone())))
            .map(|(name, value)| entry(name, value))
            .collect()
    };
    if found.is_empty() {
        return Err(say().no_servers_each());
    }
    if found.len() > MOST_SERVERS {
        return Err(say().too_many_servers(MOST_SERVERS as u64));
    }
    Ok(found)
}

fn entry(name: &str, entry: &Map<String, Value>) -> FoundToolServer {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut secrets = Vec::new();
    let mut fault = None;
    let mut pairs = |key: &str| {
        let pairs = entry.get(key).and_then(Value::as_object).into_iter().flatten();
        let pairs = pairs.map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            variable(name, &value, &mut secrets)
        });
        pairs.collect::<Vec<Variable>>()
    };
    let launch = match (text("command"), text("url")) {
        (Some(program), _) => {
            let env = pairs("env");
            let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
            let mut whole = Vec::new();
            for arg in args {
                match arg.as_str() {
                    Some(arg) => whole.push(arg.to_owned()),
                    None => fault = Some(say().argument_no_text()),
                }
            }
            Launch::Command { program, args: whole, env, folder: text("cwd") }
        }
        (None, Some(url)) => {
            let kind = text("type").or_else(|| text("transport")).unwrap_or_default();
            if kind.eq_ignore_ascii_case("sse") {
                fault = Some(say().older_http());
            }
            Launch::Http { url, headers: pairs("headers") }
        }
        (None, None) => {
            fault = Some(say().neither_command_nor_address());
            Launch::Http { url: String::new(), headers: Vec::new() }
        }
    };
    found(name, launch, secrets, fault)
}

/// A variable out of a text. One that looks like a secret is kept with the keys; one that refers to our own environment is read there.
fn variable(name: &str, value: &str, secrets: &mut Vec<TypedSecret>) -> Variable {
    let name = name.to_owned();
    let refers = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    if let Some(inner) = refers {
        let inner = inner.strip_prefix("env:").unwrap_or(inner);
        if is_variable(inner) {
            return Variable { name, text: None, from: KeySource::Env { name: inner.to_owned() } };
        }
        // It is to be typed: another program would have asked for it.
        return Variable { name, text: None, from: KeySource::Keyring };
    }
    if value.contains("${") {
        // A text around a reference: nobody here would fill it in, so the whole of it is to be typed.
        return Variable { name, text: None, from: KeySource::Keyring };
    }
    if looks_secret(&name) {
        secrets.push(TypedSecret { name: name.clone(), value: value.to_owned() });
        return Variable { name, text: None, from: KeySource::Keyring };
    }
    Variable { name, text: Some(value.to_owned()), from: KeySource::None }
}

fn is_variable(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(plain) && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a name says that its value is a secret.
fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // One too many is no harm: it is only kept with more care.
    ["key", "token", "secret", "pass", "auth", "credential", "cookie"].iter().any(|word| name.contains(word))
        || name.split(['_', '-', '.']).any(|part| part == "pat")
}

fn found(name: &str, launch: Launch, secrets: Vec<TypedSecret>, fault: Option<String>) -> FoundToolServer {
    let would_start = match &launch {
        Launch::Command { program, args, .. } => {
            let words = std::iter::once(program).chain(args).map(String::as_str);
            // Quoted like a shell would need it, so that one argument with spaces isn't taken for several.
            let line = words.map(|word| shlex::try_quote(word).map_or_else(|_| word.to_owned(), Into::into));
            safe(&line.collect::<Vec<String>>().join(" "))
        }
        Launch::Http { url, .. } => one_line(url, 400),
    };
    let server = Server {
        id: None,
        revision: 0,
        name: name.chars().filter(|one| !one.is_control()).take(60).collect(),
        handle: String::new(),
        launch,
        on: true,
        data: Data::Unclassified,
        roots: Vec::new(),
        start_s: START_SECONDS[0],
        call_s: CALL_SECONDS[0],
    };
    FoundToolServer { server, would_start, secrets, fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> FoundToolServer {
        let mut found = find(text).unwrap();
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn a_command_line_is_taken_apart_without_a_shell() {
        let found = one("API_KEY=s3cret REGION=eu npx -y '@scope/server-files@1.2' \"/home/me/my files\" $HOME");
        assert_eq!(found.server.name, "server-files");
        let Launch::Command { program, args, env, .. } = &found.server.launch else { panic!() };
        assert_eq!(program, "npx");
        assert_eq!(
            args.iter().map(String::as_str).collect::<Vec<_>>(),
            ["-y", "@scope/server-files@1.2", "/home/me/my files", "$HOME"]
        );
        assert_eq!((env[0].text.as_deref(), &env[0].from), (None, &KeySource::Keyring));
        assert_eq!((env[1].text.as_deref(), &env[1].from), (Some("eu"), &KeySource::None));
        assert_eq!(found.secrets, [TypedSecret { name: "API_KEY".to_owned(), value: "s3cret".to_owned() }]);
        assert!(!format!("{found:?}").contains("s3cret"), "a value is never in a log");
        assert_eq!(one("sh /srv/tickets.sh").server.name, "tickets");
        assert!(find("npx 'unclosed").is_err() && find("  ").is_err() && find("A=b").is_err());
    }

    #[test]
    fn an_address_is_one_too() {
        let found = one("https://mcp.example.com/v1/mcp");
        assert_eq!(found.server.name, "mcp.example.com");
        assert_eq!(
            found.server.launch,
            Launch::Http { url: "https://mcp.example.com/v1/mcp".to_owned(), headers: vec![] }
        );
    }

    #[test]
    fn the_json_of_other_programs_is_read_whatever_surrounds_it() {
        let files = r#"{"command":"npx","args":["-y","server-files","/home/me"],"env":{"GITHUB_TOKEN":"${env:GH}","LEVEL":3},"cwd":"/srv"}"#;
        let desk = r#"{"type":"http","url":"https://desk.example","headers":{"Authorization":"Bearer abc","X-Team":"a","X-Key":"Bearer ${input:token}"}}"#;
        for text in [
            format!(r#"{{"mcpServers":{{"Files":{files},"Desk":{desk}}}}}"#),
            format!(r#"{{"servers":{{"Files":{files},"Desk":{desk}}},"inputs":[]}}"#),
            format!(r#"{{"mcp":{{"servers":{{"Files":{files},"Desk":{desk}}}}}}}"#),
            format!(r#"{{"Files":{files},"Desk":{desk},"other":1}}"#),
        ] {
            let found = find(&text).unwrap();
            assert_eq!(
                found.iter().map(|one| one.server.name.as_str()).collect::<Vec<_>>(),
                ["Files", "Desk"],
                "{text}"
            );
            let Launch::Command { env, folder, .. } = &found[0].server.launch else { panic!() };
            assert_eq!(env[0].from, KeySource::Env { name: "GH".to_owned() });
            assert_eq!((env[1].text.as_deref(), folder.as_deref()), (Some("3"), Some("/srv")));
            let Launch::Http { headers, .. } = &found[1].server.launch else { panic!() };
            assert_eq!((headers[0].text.as_deref(), headers[1].text.as_deref()), (None, Some("a")));
            assert_eq!((found[1].secrets.len(), found[1].secrets[0].value.as_str()), (1, "Bearer abc"));
            assert_eq!(
                (headers[2].text.as_deref(), &headers[2].from),
                (None, &KeySource::Keyring),
                "it is to be typed"
            );
        }
        assert_eq!(one(files).server.name, "server");
        let old = one(r#"{"a":{"type":"sse","url":"https://a.example"}}"#);
        assert!(old.fault.unwrap().contains("SSE"));
        assert!(find(r#"{"mcpServers":{}}"#).is_err() && find("{").is_err());
    }
}
