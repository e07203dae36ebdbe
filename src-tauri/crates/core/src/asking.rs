//! How a model is asked, beyond where it is and what it is called: what a profile says and what each format takes of that.

use serde::{Deserialize, Serialize};

use crate::agent::{KeySource, WireFormat};
use crate::spending::{MOST_PRICE, Prices};

/// The most tokens that a reply may be limited to.
pub const MOST_TOKENS: u32 = 1_000_000;
/// The least. One format takes no less, and less would say nothing.
pub const LEAST_TOKENS: u32 = 16;
/// The least that Messages take for thinking.
pub const LEAST_BUDGET: u32 = 1_024;
/// The most headers that a profile may add.
pub const MOST_HEADERS: usize = 20;
/// The longest name of a header.
const LONGEST_NAME: usize = 64;
/// The longest value of a header.
pub const LONGEST_VALUE: usize = 4_096;

/// How a profile wants its model asked. By default nothing is said, and the endpoint does as it likes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// In hundredths; none is the model's own.
    pub temperature: Option<u16>,
    /// The most tokens of a reply, thinking included; none is the model's own, or what a format has to be told.
    pub most_tokens: Option<u32>,
    /// Whether it shall think before it replies.
    pub thinking: Thinking,
    /// Headers that go with every request.
    pub headers: Vec<ExtraHeader>,
    /// What it costs; without it no cost is shown.
    pub prices: Option<Prices>,
}

/// Whether a model shall think before it replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Thinking {
    /// As the model does by itself; nothing is sent.
    #[default]
    Unstated,
    /// It shall not.
    Off,
    /// As hard as this. Chat completions and Responses have such levels.
    Effort {
        /// How hard.
        effort: Effort,
    },
    /// With at most so many tokens. Messages count them.
    Budget {
        /// Tokens, at least [`LEAST_BUDGET`].
        tokens: u32,
    },
}

/// How hard a model shall think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Long.
    High,
}

impl Effort {
    /// The word that the formats have for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A header that goes with every request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraHeader {
    /// Its name.
    pub name: String,
    /// What stands in it.
    pub value: HeaderValue,
}

/// What stands in a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum HeaderValue {
    /// This text. It is no secret.
    Plain {
        /// The text.
        text: String,
    },
    /// A secret that is kept where keys are kept, under the agent's id and the header's name. It is never stored here.
    Secret,
    /// What an environment variable holds.
    Env {
        /// Its name.
        name: String,
    },
}

impl ExtraHeader {
    /// Where its value has to be fetched; none for a plain text. A secret lies in a file where the key does, and else in the system's
    /// key store.
    pub fn source(&self, key: &KeySource) -> Option<KeySource> {
        match (&self.value, key) {
            (HeaderValue::Plain { .. }, _) => None,
            (HeaderValue::Env { name }, _) => Some(KeySource::Env { name: name.clone() }),
            (HeaderValue::Secret, KeySource::File) => Some(KeySource::File),
            (HeaderValue::Secret, KeySource::None | KeySource::Keyring | KeySource::Env { .. }) => {
                Some(KeySource::Keyring)
            }
        }
    }
}

/// Which field of the settings is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingField {
    /// The temperature.
    Temperature,
    /// The most tokens of a reply.
    MostTokens,
    /// Thinking.
    Thinking,
    /// A header.
    Headers,
    /// The prices.
    Prices,
}

/// Why a model can't be asked like that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingFault {
    /// The number is none that the format has.
    #[error("the temperature is a number from 0 to {}", if *most == 100 { "1" } else { "2" })]
    Temperature {
        /// The most that there is, in hundredths.
        most: u16,
    },
    /// Messages take one or the other.
    #[error("Messages take no temperature from a model that is asked to think; leave one of the two out")]
    TemperatureWithThinking,
    /// There is too little or too much.
    #[error("a reply can be limited to {LEAST_TOKENS} to {MOST_TOKENS} tokens")]
    MostTokens,
    /// The format has no levels.
    #[error("Messages are told a number of tokens for thinking, not how hard to think")]
    Effort,
    /// The format counts no tokens of thinking.
    #[error("only Messages are told a number of tokens for thinking; choose how hard to think instead")]
    Budget,
    /// The number is none that the format has.
    #[error("thinking takes {LEAST_BUDGET} to {MOST_TOKENS} tokens")]
    BudgetSize,
    /// Thinking counts as part of the reply.
    #[error("thinking counts as part of the reply, so its number of tokens must be smaller than the reply's")]
    BudgetAboveReply,
    /// The name isn't one.
    #[error("a header's name is 1 to {LONGEST_NAME} letters, digits, `-` or `_`: `{0}` isn't")]
    HeaderName(String),
    /// Countersign sets it, or it belongs to the connection.
    #[error("the header `{0}` can't be set here: {1}")]
    HeaderTaken(String, &'static str),
    /// It is there twice.
    #[error("the header `{0}` is there twice")]
    HeaderTwice(String),
    /// The value has characters that can't be sent.
    #[error(
        "the value of the header `{0}` has characters that can't be sent, or is empty or longer than {LONGEST_VALUE}"
    )]
    HeaderValue(String),
    /// There are too many.
    #[error("an agent can have at most {MOST_HEADERS} headers of its own")]
    HeaderCount,
    /// A price that can't be.
    #[error("a price is a number from 0 to 1,000,000 for a million tokens")]
    Price,
}

impl SettingFault {
    /// Which field is wrong.
    pub fn field(&self) -> SettingField {
        match self {
            Self::Temperature { .. } | Self::TemperatureWithThinking => SettingField::Temperature,
            Self::MostTokens => SettingField::MostTokens,
            Self::Effort | Self::Budget | Self::BudgetSize | Self::BudgetAboveReply => SettingField::Thinking,
            Self::HeaderName(_)
            | Self::HeaderTaken(..)
            | Self::HeaderTwice(_)
            | Self::HeaderValue(_)
            | Self::HeaderCount => SettingField::Headers,
            Self::Price => SettingField::Prices,
        }
    }
}

impl ModelSettings {
    /// Checks that a format can be asked like that.
    ///
    /// # Errors
    /// The first [`SettingFault`].
    pub fn check(&self, format: WireFormat) -> Result<(), SettingFault> {
        let messages = format == WireFormat::AnthropicMessages;
        let most = if messages { 100 } else { 200 };
        if self.temperature.is_some_and(|temperature| temperature > most) {
            return Err(SettingFault::Temperature { most });
        }
        if self.most_tokens.is_some_and(|tokens| !(LEAST_TOKENS..=MOST_TOKENS).contains(&tokens)) {
            return Err(SettingFault::MostTokens);
        }
        match self.thinking {
            Thinking::Effort { .. } if messages => return Err(SettingFault::Effort),
            Thinking::Budget { .. } if !messages => return Err(SettingFault::Budget),
            Thinking::Budget { tokens } if !(LEAST_BUDGET..=MOST_TOKENS).contains(&tokens) => {
                return Err(SettingFault::BudgetSize);
            }
            Thinking::Budget { tokens } if self.most_tokens.is_some_and(|most| tokens >= most) => {
                return Err(SettingFault::BudgetAboveReply);
            }
            Thinking::Budget { .. } if self.temperature.is_some() => return Err(SettingFault::TemperatureWithThinking),
            Thinking::Unstated | Thinking::Off | Thinking::Effort { .. } | Thinking::Budget { .. } => {}
        }
        self.check_headers(format)?;
        match self.prices {
            Some(Prices { currency: _, input, output, cached, written }) => {
                let all = [Some(input), Some(output), cached, written];
                if all.into_iter().flatten().all(|price| price <= MOST_PRICE) {
                    Ok(())
                } else {
                    Err(SettingFault::Price)
                }
            }
            None => Ok(()),
        }
    }

    fn check_headers(&self, format: WireFormat) -> Result<(), SettingFault> {
        if self.headers.len() > MOST_HEADERS {
            return Err(SettingFault::HeaderCount);
        }
        let mut names = std::collections::BTreeSet::new();
        for header in &self.headers {
            let name = header.name.to_ascii_lowercase();
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            if !(1..=LONGEST_NAME).contains(&name.len()) || !name.bytes().all(fits) {
                return Err(SettingFault::HeaderName(header.name.clone()));
            }
            if let Some(why) = taken(&name, format) {
                return Err(SettingFault::HeaderTaken(header.name.clone(), why));
            }
            match &header.value {
                HeaderValue::Plain { text } if !is_header_value(text) => {
                    return Err(SettingFault::HeaderValue(header.name.clone()));
                }
                HeaderValue::Env { name } if name.trim().is_empty() => {
                    return Err(SettingFault::HeaderValue(header.name.clone()));
                }
                HeaderValue::Plain { .. } | HeaderValue::Env { .. } | HeaderValue::Secret => {}
            }
            if !names.insert(name) {
                return Err(SettingFault::HeaderTwice(header.name.clone()));
            }
        }
        Ok(())
    }
}

/// Whether a text can stand in a header: visible ASCII and blanks, neither empty nor too long.
pub fn is_header_value(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.len() <= LONGEST_VALUE && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// Why a header isn't the person's to set; none if it is.
fn taken(name: &str, format: WireFormat) -> Option<&'static str> {
    match name {
        "authorization" => Some("the key has a field of its own"),
        "x-api-key" if format == WireFormat::AnthropicMessages => Some("the key has a field of its own"),
        "anthropic-version" if format == WireFormat::AnthropicMessages => Some("the format sets it"),
        "content-type" | "content-length" | "content-encoding" | "host" | "accept" | "accept-encoding" | "expect"
        | "cookie" | "user-agent" => Some("Countersign sets it or leaves it out"),
        "connection" | "keep-alive" | "te" | "trailer" | "transfer-encoding" | "upgrade" | "http2-settings" => {
            Some("it belongs to the connection")
        }
        name if name.starts_with("proxy-") => Some("it belongs to the connection"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: WireFormat = WireFormat::OpenAiChat;
    const MESSAGES: WireFormat = WireFormat::AnthropicMessages;

    fn header(name: &str, text: &str) -> ModelSettings {
        let value = HeaderValue::Plain { text: text.to_owned() };
        ModelSettings { headers: vec![ExtraHeader { name: name.to_owned(), value }], ..ModelSettings::default() }
    }

    fn field(settings: &ModelSettings, format: WireFormat) -> Option<SettingField> {
        settings.check(format).err().map(|fault| fault.field())
    }

    #[test]
    fn each_format_takes_what_it_has() {
        let none = ModelSettings::default;
        let budget = |tokens| Thinking::Budget { tokens };
        let effort = Thinking::Effort { effort: Effort::Low };
        for (settings, chat, messages) in [
            (none(), None, None),
            (ModelSettings { temperature: Some(100), ..none() }, None, None),
            (ModelSettings { temperature: Some(200), ..none() }, None, Some(SettingField::Temperature)),
            (
                ModelSettings { temperature: Some(201), ..none() },
                Some(SettingField::Temperature),
                Some(SettingField::Temperature),
            ),
            (
                ModelSettings { most_tokens: Some(15), ..none() },
                Some(SettingField::MostTokens),
                Some(SettingField::MostTokens),
            ),
            (ModelSettings { thinking: Thinking::Off, ..none() }, None, None),
            (ModelSettings { thinking: effort, ..none() }, None, Some(SettingField::Thinking)),
            (ModelSettings { thinking: budget(2_048), ..none() }, Some(SettingField::Thinking), None),
            (
                ModelSettings { thinking: budget(1_023), ..none() },
                Some(SettingField::Thinking),
                Some(SettingField::Thinking),
            ),
            (
                ModelSettings { thinking: budget(4_096), most_tokens: Some(4_096), ..none() },
                Some(SettingField::Thinking),
                Some(SettingField::Thinking),
            ),
            (
                ModelSettings { thinking: budget(4_096), temperature: Some(70), ..none() },
                Some(SettingField::Thinking),
                Some(SettingField::Temperature),
            ),
        ] {
            assert_eq!(field(&settings, CHAT), chat, "{settings:?}");
            assert_eq!(field(&settings, WireFormat::OpenAiResponses), chat, "{settings:?}");
            assert_eq!(field(&settings, MESSAGES), messages, "{settings:?}");
        }
    }

    #[test]
    fn headers_can_say_nothing_that_is_not_theirs_to_say() {
        for (name, text, chat, messages) in [
            ("x-tenant", "a b", true, true),
            ("anthropic-beta", "x", true, true),
            ("X-Api-Key", "k", true, false),
            ("Anthropic-Version", "1", true, false),
            ("Authorization", "Bearer x", false, false),
            ("Transfer-Encoding", "chunked", false, false),
            ("proxy-authorization", "x", false, false),
            ("Host", "x", false, false),
            ("Content-Length", "0", false, false),
            ("two words", "x", false, false),
            ("x\r\ny", "x", false, false),
            ("", "x", false, false),
            ("x-a", "a\r\nb: c", false, false),
            ("x-a", "ä", false, false),
            ("x-a", " ", false, false),
        ] {
            assert_eq!(header(name, text).check(CHAT).is_ok(), chat, "{name}: {text}");
            assert_eq!(header(name, text).check(MESSAGES).is_ok(), messages, "{name}: {text}");
        }
        let mut twice = header("x-a", "1");
        twice.headers.extend(header("X-A", "2").headers);
        assert_eq!(twice.check(CHAT), Err(SettingFault::HeaderTwice("X-A".to_owned())));
    }

    #[test]
    fn a_secret_lies_where_the_key_lies() {
        let secret = ExtraHeader { name: "x-a".to_owned(), value: HeaderValue::Secret };
        assert_eq!(secret.source(&KeySource::File), Some(KeySource::File));
        for key in [KeySource::None, KeySource::Keyring, KeySource::Env { name: "K".to_owned() }] {
            assert_eq!(secret.source(&key), Some(KeySource::Keyring), "{key:?}");
        }
        assert_eq!(header("x-a", "b").headers[0].source(&KeySource::File), None);
    }
}
