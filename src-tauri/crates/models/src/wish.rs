//! What a request asks for beyond the reply itself. Not every endpoint, or model, grants all of it. A refusal costs nothing, so what is
//! refused is left out, and what was learned holds for the requests that follow.
//!
//! # Design
//! Turns go back as they came, and nothing else is tried first. But what one provider sealed another can't open: after the person gave
//! an agent another model or address, a history of the same format can be refused for its seals alone, in each round from then on. Only
//! then are its turns written anew, from their words and calls, as those of another format are.

use countersign_core::agent::WireFormat;

/// The most tokens that a reply may have where a format wants to be told a number; more than a model gives is refused with its own.
const MOST_TOKENS: u32 = 32_000;
/// A model that would give less is not believed.
const LEAST_TOKENS: u32 = 256;

/// How Responses refuse reasoning that came without its contents: with the status of a model that isn't there.
const SEALED_NOWHERE: &str = "items are not persisted";

/// Whether a refusal is one, although its status says that the model isn't there.
pub(crate) fn is_about_items(refusal: &str) -> bool {
    refusal.to_ascii_lowercase().contains(SEALED_NOWHERE)
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wish {
    /// Chat completions: tokens counted in the stream. Responses: reasoning, encrypted. Messages: nothing.
    pub(crate) extra: Extra,
    /// Messages: the most tokens of a reply.
    pub(crate) most_tokens: u32,
    /// How turns that were received go back.
    pub(crate) turns: Turns,
}

/// How turns that were received go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turns {
    /// With the bytes that came.
    AsTheyCame,
    /// Written anew from their words and calls.
    Anew,
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
        Self { extra: Extra::Asked, most_tokens: MOST_TOKENS, turns: Turns::AsTheyCame }
    }
}

impl Wish {
    /// What to ask for after a refusal in these words; none if they are about something else.
    pub(crate) fn after(self, refusal: &str, format: WireFormat) -> Option<Self> {
        let words = refusal.to_ascii_lowercase();
        self.with_less_extra(&words, format).or_else(|| self.with_turns_anew(&words))
    }

    fn with_less_extra(self, refusal: &str, format: WireFormat) -> Option<Self> {
        let less = Self { extra: Extra::NotAsked, ..self };
        let extra = self.extra == Extra::Asked;
        match format {
            WireFormat::OpenAiChat => (extra && refusal.contains("stream_options")).then_some(less),
            WireFormat::OpenAiResponses => {
                let about_it = ["encrypted content is not supported", "reasoning.encrypted_content", "include"];
                (extra && about_it.iter().any(|said| refusal.contains(said))).then_some(less)
            }
            WireFormat::AnthropicMessages => {
                let numbers = refusal.split(|letter: char| !letter.is_ascii_digit()).filter_map(|run| run.parse().ok());
                let fitting = numbers.filter(|number| (LEAST_TOKENS..self.most_tokens).contains(number)).max();
                let most_tokens = fitting.filter(|_| refusal.contains("max_tokens"))?;
                Some(Self { most_tokens, ..self })
            }
        }
    }

    /// A provider that won't take a turn back says so in terms of what only providers put into one.
    fn with_turns_anew(self, refusal: &str) -> Option<Self> {
        let about_them = [SEALED_NOWHERE, "signature", "encrypted", "thinking", "reasoning"];
        let about_them = about_them.iter().any(|said| refusal.contains(said));
        let anew = Self { turns: Turns::Anew, ..self };
        (about_them && self.turns == Turns::AsTheyCame).then_some(anew)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_leave_out() {
        let all = Wish::default();
        let less = Wish { extra: Extra::NotAsked, ..all };
        let anew = Wish { turns: Turns::Anew, ..all };
        let foreign = "The encrypted content gAAA could not be verified.";
        for (format, wish, refusal, expected) in [
            (WireFormat::OpenAiChat, all, "extra field stream_options", Some(less)),
            (WireFormat::OpenAiChat, less, "extra field stream_options", None),
            (WireFormat::OpenAiResponses, all, "Encrypted content is not supported with this model.", Some(less)),
            (WireFormat::OpenAiResponses, all, foreign, Some(anew)),
            (WireFormat::OpenAiResponses, anew, foreign, None),
            (
                WireFormat::OpenAiResponses,
                all,
                "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
                Some(anew),
            ),
            (WireFormat::OpenAiChat, all, "property 'reasoning_content' is unsupported", Some(anew)),
            (WireFormat::AnthropicMessages, all, "Invalid `signature` in `thinking` block", Some(anew)),
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
