//! How a model is asked, between the wire and the core, and the secrets that belong to it.

use countersign_core::agent::{AgentProfile, WireFormat};
use countersign_core::asking::{
    Effort, ExtraHeader, HeaderValue, ModelSettings, SettingFault, SettingField, Thinking, is_header_value,
};
use countersign_core::spending::{Currency, Prices};
use countersign_store::read::spending::Spent;

use crate::desk::Desk;
use crate::error::invalid;
use crate::host::Kept;
use crate::wire::asking::{self as wire, HeaderSecret};
use crate::wire::window::ApiError;
use crate::words::say;

/// Settings as the editor shows them.
pub(crate) fn shown(settings: &ModelSettings) -> wire::Asking {
    let price = |price: u64| i64::try_from(price).unwrap_or(i64::MAX);
    wire::Asking {
        temperature: settings.temperature,
        most_tokens: settings.most_tokens,
        thinking: match settings.thinking {
            Thinking::Unstated => wire::Thinking::Unstated,
            Thinking::Off => wire::Thinking::Off,
            Thinking::Effort { effort } => wire::Thinking::Effort {
                effort: match effort {
                    Effort::Minimal => wire::Effort::Minimal,
                    Effort::Low => wire::Effort::Low,
                    Effort::Medium => wire::Effort::Medium,
                    Effort::High => wire::Effort::High,
                },
            },
            Thinking::Budget { tokens } => wire::Thinking::Budget { tokens },
        },
        headers: settings
            .headers
            .iter()
            .map(|header| wire::ExtraHeader {
                name: header.name.clone(),
                value: match &header.value {
                    HeaderValue::Plain { text } => wire::HeaderValue::Plain { text: text.clone() },
                    HeaderValue::Secret => wire::HeaderValue::Secret,
                    HeaderValue::Env { name } => wire::HeaderValue::Env { name: name.clone() },
                },
            })
            .collect(),
        prices: settings.prices.map(|prices| wire::Prices {
            currency: prices.currency.as_str().to_owned(),
            input: price(prices.input),
            output: price(prices.output),
            cached: prices.cached.map(price),
            written: prices.written.map(price),
        }),
    }
}

/// Settings from the wire, checked against the format.
pub(crate) fn settings(asking: &wire::Asking, format: WireFormat) -> Result<ModelSettings, ApiError> {
    let settings = ModelSettings {
        temperature: asking.temperature,
        most_tokens: asking.most_tokens,
        thinking: match asking.thinking {
            wire::Thinking::Unstated => Thinking::Unstated,
            wire::Thinking::Off => Thinking::Off,
            wire::Thinking::Effort { effort } => Thinking::Effort {
                effort: match effort {
                    wire::Effort::Minimal => Effort::Minimal,
                    wire::Effort::Low => Effort::Low,
                    wire::Effort::Medium => Effort::Medium,
                    wire::Effort::High => Effort::High,
                },
            },
            wire::Thinking::Budget { tokens } => Thinking::Budget { tokens },
        },
        headers: asking
            .headers
            .iter()
            .map(|header| ExtraHeader {
                name: header.name.trim().to_owned(),
                value: match &header.value {
                    wire::HeaderValue::Plain { text } => HeaderValue::Plain { text: text.trim().to_owned() },
                    wire::HeaderValue::Secret => HeaderValue::Secret,
                    wire::HeaderValue::Env { name } => HeaderValue::Env { name: name.trim().to_owned() },
                },
            })
            .collect(),
        prices: asking.prices.as_ref().map(prices).transpose()?,
    };
    settings.check(format).map_err(|fault| wrong(&fault))?;
    Ok(settings)
}

fn prices(prices: &wire::Prices) -> Result<Prices, ApiError> {
    let price = |price: i64| u64::try_from(price).map_err(|_| wrong(&SettingFault::Price));
    let Some(currency) = Currency::new(&prices.currency) else {
        return Err(invalid("prices", say().currency_letters()));
    };
    Ok(Prices {
        currency,
        input: price(prices.input)?,
        output: price(prices.output)?,
        cached: prices.cached.map(price).transpose()?,
        written: prices.written.map(price).transpose()?,
    })
}

fn wrong(fault: &SettingFault) -> ApiError {
    let field = match fault.field() {
        SettingField::Temperature => "temperature",
        SettingField::MostTokens => "most_tokens",
        SettingField::Thinking => "thinking",
        SettingField::Headers => "headers",
        SettingField::Prices => "prices",
    };
    invalid(field, say().setting_fault(fault))
}

/// Keeps the secrets that were typed for a profile's headers, and forgets those of headers that are gone. A secret that wasn't typed must
/// have been there before.
pub(crate) async fn keep_secrets(
    desk: &Desk,
    profile: &AgentProfile,
    before: Option<&AgentProfile>,
    typed: &[HeaderSecret],
) -> Result<(), ApiError> {
    let Some(endpoint) = profile.model.endpoint() else { return Ok(()) };
    let wrong = |why: String| invalid("headers", say().secret_not_kept(&why));
    let had =
        |name: &str| before.is_some_and(|before| secret_headers(before).any(|one| one.eq_ignore_ascii_case(name)));
    // All are looked at before the first is kept.
    let mut kept = Vec::new();
    for header in &profile.asking.headers {
        let Some(source) = header.source(endpoint.key) else { continue };
        let value = typed.iter().find(|one| one.name.trim().eq_ignore_ascii_case(&header.name));
        let value = value.map_or("", |one| one.value.trim());
        match header.value {
            // It is kept from before.
            HeaderValue::Secret if value.is_empty() && had(&header.name) => {}
            HeaderValue::Secret if !is_header_value(value) => {
                let fault = SettingFault::HeaderValue(header.name.clone());
                return Err(invalid("headers", say().setting_fault(&fault)));
            }
            HeaderValue::Secret | HeaderValue::Env { .. } => kept.push((header.name.as_str(), source, value)),
            HeaderValue::Plain { .. } => {}
        }
    }
    for (name, source, value) in kept {
        desk.host.keys.keep(profile.id, Kept::Header(name), &source, value).await.map_err(wrong)?;
    }
    Ok(())
}

/// Forgets the secrets of headers that a profile no longer has, once it is saved.
pub(crate) async fn forget_secrets(desk: &Desk, before: &AgentProfile, after: Option<&AgentProfile>) {
    for name in secret_headers(before) {
        let has = after.is_some_and(|after| secret_headers(after).any(|one| one.eq_ignore_ascii_case(name)));
        if !has {
            desk.host.keys.forget(before.id, Kept::Header(name)).await;
        }
    }
}

fn secret_headers(profile: &AgentProfile) -> impl Iterator<Item = &str> {
    let headers = profile.asking.headers.iter().filter(|header| header.value == HeaderValue::Secret);
    headers.map(|header| header.name.as_str())
}

/// A sum on the wire.
pub(crate) fn spent(spent: &Spent) -> wire::Spent {
    let costs = spent.costs.iter();
    wire::Spent {
        calls: spent.calls,
        counted: spent.counted,
        priced: spent.priced,
        tokens_in: spent.input,
        tokens_out: spent.output,
        cached: spent.cached,
        written: spent.written,
        costs: costs.map(|cost| wire::Cost { currency: cost.currency.as_str().to_owned(), nano: cost.nano }).collect(),
    }
}
