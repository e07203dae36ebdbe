//! What went wrong, in one sentence for a person, without a key in it.

use std::error::Error as _;

use countersign_core::run::{Failure, FailureKind};
use reqwest::StatusCode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

/// The longest piece of a server's own words that is passed on.
const MOST_WORDS: usize = 300;
/// The shortest part of a key whose appearance makes a text unfit to be passed on.
const KEY_PART: usize = 6;

pub(crate) fn failure(kind: FailureKind, text: impl Into<String>) -> Failure {
    Failure { kind, text: text.into() }
}

/// A request that got no answer.
pub(crate) fn of_request(error: &reqwest::Error, host: &str) -> Failure {
    let cause = cause(error);
    if error.is_connect() {
        failure(FailureKind::Unreachable, format!("nothing answers at {host}: {cause}"))
    } else if error.is_timeout() {
        failure(FailureKind::TimedOut, format!("{host} didn't answer in time"))
    } else {
        failure(FailureKind::Cut, format!("the connection to {host} broke off: {cause}"))
    }
}

/// An answer that broke off.
pub(crate) fn of_body(error: &reqwest::Error, host: &str) -> Failure {
    if error.is_timeout() {
        failure(FailureKind::TimedOut, format!("nothing came from {host} for too long; the reply was dropped"))
    } else {
        failure(FailureKind::Cut, format!("the reply from {host} broke off: {}", cause(error)))
    }
}

/// An answer that says no.
pub(crate) fn of_status(status: StatusCode, body: &str, model: &str, secrets: &[SecretString]) -> Failure {
    let code = status.as_u16();
    let words = words_of(body);
    let said = match words.as_deref().and_then(|words| fit(words, secrets)) {
        Some(words) => format!(": {words}"),
        None => String::new(),
    };
    match code {
        401 | 403 if !secrets.is_empty() => {
            failure(FailureKind::Unauthorized, format!("the endpoint refused the key ({code})"))
        }
        401 | 403 => failure(FailureKind::Unauthorized, format!("the endpoint wants a key ({code})")),
        404 => failure(
            FailureKind::UnknownModel,
            format!("the endpoint doesn't know the model `{model}`, or the address is wrong (404){said}"),
        ),
        _ if is_unknown_model(body) => {
            failure(FailureKind::UnknownModel, format!("the endpoint doesn't know the model `{model}` ({code}){said}"))
        }
        300..=399 => failure(
            FailureKind::Refused,
            format!("the endpoint points to another address ({code}); enter the final one"),
        ),
        429 => failure(FailureKind::Refused, format!("the endpoint says that it gets too many requests (429){said}")),
        500..=599 => failure(FailureKind::Refused, format!("the endpoint has a fault of its own ({code}){said}")),
        _ => failure(FailureKind::Refused, format!("the endpoint refused the request ({code}){said}")),
    }
}

/// An error that came in the middle of a reply.
pub(crate) fn of_event(data: &str, secrets: &[SecretString]) -> Failure {
    let said = words_of(data).as_deref().and_then(|words| fit(words, secrets));
    failure(
        FailureKind::Cut,
        match said {
            Some(words) => format!("the endpoint broke off its reply: {words}"),
            None => "the endpoint broke off its reply with an error".to_owned(),
        },
    )
}

/// A server's words in one line of bounded length; none if a part of a secret stands in them.
pub(crate) fn fit(words: &str, secrets: &[SecretString]) -> Option<String> {
    for key in secrets {
        let letters: Vec<char> = key.expose_secret().trim().chars().collect();
        let size = KEY_PART.min(letters.len());
        let has_part = |part: &[char]| words.contains(&part.iter().collect::<String>());
        if size > 0 && letters.windows(size).any(has_part) {
            return None;
        }
    }
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    if line.chars().count() > MOST_WORDS {
        line = line.chars().take(MOST_WORDS).chain(['…']).collect();
    }
    (!line.is_empty()).then_some(line)
}

/// Whether a body says that the tools of a request were the trouble.
pub(crate) fn is_about_tools(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("tool") || text.contains("function call")
}

#[derive(Deserialize)]
struct Body {
    error: Option<ErrorBody>,
    message: Option<String>,
    detail: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorBody {
    Object { message: Option<String>, code: Option<serde_json::Value> },
    Text(String),
}

/// The message of an error body, or the body itself where it is plain text.
fn words_of(body: &str) -> Option<String> {
    match serde_json::from_str::<Body>(body) {
        Ok(Body { error: Some(ErrorBody::Object { message: Some(words), .. } | ErrorBody::Text(words)), .. }) => {
            Some(words)
        }
        Ok(Body { message, detail, .. }) => message.or(detail),
        Err(_) => (!body.trim_start().starts_with(['<', '{'])).then(|| body.to_owned()),
    }
}

fn is_unknown_model(body: &str) -> bool {
    let code = match serde_json::from_str::<Body>(body) {
        Ok(Body { error: Some(ErrorBody::Object { code: Some(code), .. }), .. }) => code == "model_not_found",
        Ok(_) | Err(_) => false,
    };
    let words = words_of(body).unwrap_or_default().to_ascii_lowercase();
    let says_unknown =
        ["not found", "does not exist", "doesn't exist", "unknown model", "invalid model", "no such model"];
    code || (words.contains("model") && says_unknown.iter().any(|said| words.contains(said)))
}

/// The innermost cause, which is the one that says something.
fn cause(error: &reqwest::Error) -> String {
    let mut innermost = error.source();
    while let Some(next) = innermost.and_then(std::error::Error::source) {
        innermost = Some(next);
    }
    let words = innermost.map_or_else(|| "no reason was given".to_owned(), ToString::to_string);
    fit(&words, &[]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_become_kinds() {
        let key = SecretString::from("sk-very-secret-key");
        for (code, body, kind, text) in [
            (
                401,
                r#"{"error":{"message":"Incorrect key sk-very-secret-key"}}"#,
                FailureKind::Unauthorized,
                "the endpoint refused the key (401)",
            ),
            (
                400,
                r#"{"error":{"message":"bad sk-very"}}"#,
                FailureKind::Refused,
                "the endpoint refused the request (400)",
            ),
            (
                400,
                r#"{"error":{"message":"bad\n \u0007thing"}}"#,
                FailureKind::Refused,
                "the endpoint refused the request (400): bad thing",
            ),
            (
                400,
                r#"{"error":{"message":"The model `x` does not exist","code":null}}"#,
                FailureKind::UnknownModel,
                "the endpoint doesn't know the model `m` (400): The model `x` does not exist",
            ),
            (
                400,
                r#"{"error":{"message":"nope","code":"model_not_found"}}"#,
                FailureKind::UnknownModel,
                "the endpoint doesn't know the model `m` (400): nope",
            ),
            (
                404,
                "page not found",
                FailureKind::UnknownModel,
                "the endpoint doesn't know the model `m`, or the address is wrong (404): page not found",
            ),
            (502, "<html>", FailureKind::Refused, "the endpoint has a fault of its own (502)"),
            (302, "", FailureKind::Refused, "the endpoint points to another address (302); enter the final one"),
            (422, r#"{"error":"plain"}"#, FailureKind::Refused, "the endpoint refused the request (422): plain"),
        ] {
            let status = StatusCode::from_u16(code).unwrap();
            assert_eq!(of_status(status, body, "m", std::slice::from_ref(&key)), failure(kind, text), "{code} {body}");
        }
    }
}
