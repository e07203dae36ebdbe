//! What a request asks for beyond the reply itself. Not every endpoint, or model, grants all of it. A refusal costs nothing, so what is
//! refused is left out, and what was learned holds for the requests that follow.

use countersign_core::agent::WireFormat;

/// The most tokens that a reply may have where a format wants to be told a number; more than a model gives is refused with its own.
const MOST_TOKENS: u32 = 32_000;
/// A model that would give less is not believed.
const LEAST_TOKENS: u32 = 256;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wish {
    /// Chat completions: tokens counted in the stream. Responses: reasoning, encrypted. Messages: nothing.
    pub(crate) extra: Extra,
    /// Messages: the most tokens of a reply.
    pub(crate) most_tokens: u32,
}

/// Whether the extra is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// It is.
    Asked,
    /// It isn't.
    NotAsked,
}

impl Default for Wish {
    fn default() -> Self {
        Self { extra: Extra::Asked, most_tokens: MOST_TOKENS }
    }
}

impl Wish {
    /// What to ask for after a refusal in these words; none if they are about something else.
    pub(crate) fn after(self, refusal: &str, format: WireFormat) -> Option<Self> {
        let less = Self { extra: Extra::NotAsked, ..self };
        let extra = self.extra == Extra::Asked;
        match format {
            WireFormat::OpenAiChat => (extra && refusal.contains("stream_options")).then_some(less),
            WireFormat::OpenAiResponses => {
                let about_it = refusal.to_ascii_lowercase().contains("encrypted") || refusal.contains("include");
                (extra && about_it).then_some(less)
            }
            WireFormat::AnthropicMessages => {
                let numbers = refusal.split(|letter: char| !letter.is_ascii_digit()).filter_map(|run| run.parse().ok());
                let fitting = numbers.filter(|number| (LEAST_TOKENS..self.most_tokens).contains(number)).max();
                let most_tokens = fitting.filter(|_| refusal.contains("max_tokens"))?;
                Some(Self { most_tokens, ..self })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_leave_out() {
        let all = Wish::default();
        let less = Wish { extra: Extra::NotAsked, ..all };
        for (format, wish, refusal, expected) in [
            (WireFormat::OpenAiChat, all, "extra field stream_options", Some(less)),
            (WireFormat::OpenAiChat, less, "extra field stream_options", None),
            (WireFormat::OpenAiResponses, all, "Encrypted content is not supported with this model.", Some(less)),
            (WireFormat::OpenAiResponses, less, "Encrypted content is not supported with this model.", None),
            (WireFormat::OpenAiResponses, all, "no credit left", None),
            (
                WireFormat::AnthropicMessages,
                all,
                "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m-3-5-20241022",
                Some(Wish { most_tokens: 8192, ..all }),
            ),
            (WireFormat::AnthropicMessages, all, "max_tokens: 190000 + 32000 > 200000", None),
            (WireFormat::AnthropicMessages, all, "prompt is too long: 8192 tokens", None),
        ] {
            assert_eq!(wish.after(refusal, format), expected, "{refusal}");
        }
    }
}
