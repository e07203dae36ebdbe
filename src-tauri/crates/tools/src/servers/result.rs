//! What a server answered, as the result of a call.

use countersign_core::input::{Outcome, OutcomeKind};
use countersign_engine::ports::Whole;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::ServiceError;

use crate::exec::kept::Kept;
use crate::read::grouped;

/// The result of a call. What isn't text is named with its kind and size; text that is too long for a model is cut in its middle, with
/// the amount stated; `whole` takes all of it.
pub(super) fn outcome(result: CallToolResult, whole: &Whole) -> Outcome {
    let mut kept = Kept::default();
    let mut first = true;
    let mut push = |kept: &mut Kept, text: &str| {
        if !std::mem::take(&mut first) {
            kept.push(b"\n");
        }
        kept.push(text.as_bytes());
    };
    let is_empty = result.content.is_empty();
    for block in &result.content {
        match block {
            ContentBlock::Text(text) => push(&mut kept, &text.text),
            ContentBlock::Image(image) => push(&mut kept, &binary("image", Some(&image.mime_type), image.data.len())),
            ContentBlock::Audio(audio) => push(&mut kept, &binary("audio", Some(&audio.mime_type), audio.data.len())),
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    push(&mut kept, &format!("[{}]", short(uri)));
                    push(&mut kept, text);
                }
                ResourceContents::BlobResourceContents { uri, blob, mime_type, .. } => {
                    push(
                        &mut kept,
                        &format!("{} {}", binary("resource", mime_type.as_deref(), blob.len()), short(uri)),
                    );
                }
                _ => push(&mut kept, "[a resource of an unknown kind]"),
            },
            ContentBlock::ResourceLink(link) => push(&mut kept, &format!("[resource {}]", short(&link.uri))),
            _ => push(&mut kept, "[content of an unknown kind]"),
        }
    }
    if let (true, Some(value)) = (is_empty, &result.structured_content) {
        push(&mut kept, &value.to_string());
    }
    let kind = if result.is_error == Some(true) { OutcomeKind::Failed } else { OutcomeKind::Succeeded };
    let (text, all) = kept.text();
    if let Some(all) = all {
        whole.keep(all);
    }
    Outcome { kind, text: if text.is_empty() { "(no content)".to_owned() } else { text }, left: None }
}

/// A call that ended without a result. What was sent may have been done, unless the server refused it.
pub(super) fn failure(error: &ServiceError, why: Option<String>) -> Outcome {
    let unknown = |text: String| Outcome { kind: OutcomeKind::Unknown, text, left: None };
    match error {
        ServiceError::McpError(error) => {
            let text = format!("the server refused the call: {} ({})", short(&error.message), error.code.0);
            Outcome { kind: OutcomeKind::Failed, text, left: None }
        }
        ServiceError::TransportClosed => {
            let why = why.unwrap_or_else(|| "the server ended".to_owned());
            unknown(format!("{why} before it answered; the call may have been carried out"))
        }
        ServiceError::TransportSend(error) if never_connected(&*error.error) => {
            let text = format!("the server can't be reached: {}; nothing was sent", short(&innermost(&*error.error)));
            Outcome { kind: OutcomeKind::Failed, text, left: None }
        }
        ServiceError::TransportSend(error) => {
            let why = short(&innermost(&*error.error));
            unknown(format!("the server can't be reached: {why}; the call may have been carried out"))
        }
        other => unknown(format!(
            "the server gave no usable answer ({}); the call may have been carried out",
            short(&other.to_string())
        )),
    }
}

/// Whether there was never a connection that something could have been sent over.
fn never_connected(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect))
}

/// What an error comes down to.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let last = std::iter::successors(Some(error), |error| error.source()).last();
    last.map(ToString::to_string).unwrap_or_default()
}

fn binary(what: &str, kind: Option<&str>, base64: usize) -> String {
    let bytes = u64::try_from(base64 / 4 * 3).unwrap_or(u64::MAX);
    format!("[{what} {}, about {} bytes, not shown]", short(kind.unwrap_or("of an unknown type")), grouped(bytes))
}

/// A text of the server within one of ours.
pub(super) fn short(text: &str) -> String {
    let mut short: String = text.chars().take(300).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_gets_is_text_of_bounded_length() {
        let result = CallToolResult::success(vec![
            ContentBlock::text("a".repeat(1024 * 1024)),
            ContentBlock::image("AAAA".repeat(1000), "image/png"),
        ]);
        let Outcome { kind, text, .. } = outcome(result, &Whole::default());
        assert_eq!(kind, OutcomeKind::Succeeded);
        assert!(text.len() < 64 * 1024 && text.contains("bytes left out"), "{}", text.len());
        assert!(
            text.ends_with("[image image/png, about 3 000 bytes, not shown]") || text.contains("image/png"),
            "{text}"
        );
        let empty = outcome(CallToolResult::error(vec![]), &Whole::default());
        assert_eq!((empty.kind, empty.text.as_str()), (OutcomeKind::Failed, "(no content)"));
    }
}
