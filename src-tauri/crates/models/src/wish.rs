//! What a request asks for beyond the reply itself. Not every endpoint, or model, grants all of it. A refusal costs nothing, so what is
//! refused is left out, and what was learned holds for the requests that follow.
//!
//! # Design
//! Turns go back as they came, and nothing else is tried first. But what one provider sealed another can't open: after the person gave
//! an agent another model or address, a history of the same format can be refused for its seals alone, in each round from then on. Only
//! then are its turns written anew, from their words and calls, as those of another format are.
//!
//! What the agent's settings ask for is never left out by itself: a model that refuses it is said to, and the person changes them.

use countersign_core::agent::WireFormat;
use countersign_core::asking::{ModelSettings, Thinking};
use serde_json::value::RawValue;

/// The most tokens that a reply may have where a format wants to be told a number; more than a model gives is refused with its own.
const MOST_TOKENS: u32 = 32_000;
/// What a reply has beside its thinking.
const BESIDE_THINKING: u32 = 8_000;
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
    /// The most tokens of a reply; none is what the format needs to be told, or nothing.
    pub(crate) most_tokens: Option<u32>,
    /// Chat completions: the field that says so.
    pub(crate) limit: LimitField,
    /// In hundredths.
    pub(crate) temperature: Option<u16>,
    /// Whether the model shall think before it replies.
    pub(crate) thinking: Thinking,
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

/// The field in which chat completions are told the most tokens of a reply. A server that doesn't know the newer one passes over it in
/// silence, and one that doesn't want the older one says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum LimitField {
    /// `max_tokens`, which nearly every server knows.
    #[default]
    Older,
    /// `max_completion_tokens`.
    Newer,
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
        Self {
            extra: Extra::Asked,
            most_tokens: None,
            limit: LimitField::default(),
            temperature: None,
            thinking: Thinking::Unstated,
            turns: Turns::AsTheyCame,
        }
    }
}

impl From<&ModelSettings> for Wish {
    fn from(settings: &ModelSettings) -> Self {
        let ModelSettings { temperature, most_tokens, thinking, headers: _, prices: _ } = settings;
        Self { most_tokens: *most_tokens, temperature: *temperature, thinking: *thinking, ..Self::default() }
    }
}

impl Wish {
    /// The most tokens of a reply where the format has to be told: enough for the thinking that is asked for and a reply.
    pub(crate) fn tokens(self) -> u32 {
        let thinking = self.budget().unwrap_or_default();
        self.most_tokens.unwrap_or_else(|| MOST_TOKENS.max(thinking.saturating_add(BESIDE_THINKING)))
    }

    /// The tokens for thinking, where there is a number of them.
    pub(crate) fn budget(self) -> Option<u32> {
        match self.thinking {
            Thinking::Budget { tokens } => Some(tokens),
            Thinking::Unstated | Thinking::Off | Thinking::Effort { .. } => None,
        }
    }

    /// The word for how hard to think, where the format has such words.
    pub(crate) fn effort(self) -> Option<&'static str> {
        match self.thinking {
            Thinking::Effort { effort } => Some(effort.word()),
            Thinking::Off => Some("none"),
            Thinking::Unstated | Thinking::Budget { .. } => None,
        }
    }

    /// The temperature as it is sent.
    pub(crate) fn temperature(self) -> Option<Box<RawValue>> {
        let hundredths = self.temperature?;
        let number = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        RawValue::from_string(number.trim_end_matches('0').trim_end_matches('.').to_owned()).ok()
    }

    /// What of the agent's settings a refusal in these words is about; none if it is about something else.
    pub(crate) fn refused_setting(self, refusal: &str) -> Option<&'static str> {
        let words = refusal.to_ascii_lowercase();
        let names = |names: &[&str]| names.iter().any(|name| words.contains(name));
        if self.temperature.is_some() && names(&["temperature"]) {
            return Some("a temperature");
        }
        let thinks = !matches!(self.thinking, Thinking::Unstated);
        let about_thinking = [
            "reasoning_effort",
            "reasoning.effort",
            "budget_tokens",
            "thinking.type",
            "thinking.enabled",
            "support thinking",
            "thinking is not",
            "reasoning is not",
            "support reasoning",
        ];
        if thinks && names(&about_thinking) {
            return Some("thinking");
        }
        let limits = ["max_tokens", "max_output_tokens", "max_completion_tokens"];
        (self.most_tokens.is_some() && names(&limits)).then_some("this many tokens a reply")
    }

    /// What to ask for after a refusal in these words; none if they are about something else.
    pub(crate) fn after(self, refusal: &str, format: WireFormat) -> Option<Self> {
        let words = refusal.to_ascii_lowercase();
        self.with_less_extra(&words, format).or_else(|| match self.refused_setting(refusal) {
            Some(_) => None,
            None => self.with_turns_anew(&words),
        })
    }

    fn with_less_extra(self, refusal: &str, format: WireFormat) -> Option<Self> {
        let less = Self { extra: Extra::NotAsked, ..self };
        let extra = self.extra == Extra::Asked;
        match format {
            WireFormat::OpenAiChat if self.most_tokens.is_some() && refusal.contains("max_completion_tokens") => {
                (self.limit == LimitField::Older).then_some(Self { limit: LimitField::Newer, ..self })
            }
            WireFormat::OpenAiChat => (extra && refusal.contains("stream_options")).then_some(less),
            WireFormat::OpenAiResponses => {
                let about_it = ["encrypted content is not supported", "reasoning.encrypted_content", "include"];
                (extra && about_it.iter().any(|said| refusal.contains(said))).then_some(less)
            }
            WireFormat::AnthropicMessages => {
                let numbers = refusal.split(|letter: char| !letter.is_ascii_digit()).filter_map(|run| run.parse().ok());
                let fitting = numbers.filter(|number| (LEAST_TOKENS..self.tokens()).contains(number)).max();
                let most_tokens = fitting.filter(|_| refusal.contains("max_tokens"))?;
                // Thinking must fit into it; with less the person has to say so.
                let fits = self.budget().is_none_or(|budget| budget < most_tokens);
                fits.then_some(Self { most_tokens: Some(most_tokens), ..self })
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
                Some(Wish { most_tokens: Some(8192), ..all }),
            ),
            (WireFormat::AnthropicMessages, all, "max_tokens: 190000 + 32000 > 200000", None),
            (WireFormat::AnthropicMessages, all, "prompt is too long: 8192 tokens", None),
        ] {
            assert_eq!(wish.after(refusal, format), expected, "{refusal}");
        }
    }
}
