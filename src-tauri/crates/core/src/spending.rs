//! What a model call used up: tokens as the provider counted them, and what they cost at the prices of that moment.
//!
//! # Design
//! Money is a whole number of billionths of a currency's unit, so that no sum depends on its order. A call's cost is worked out once,
//! with the prices of the profile that made the call, and stored with its message: a later price changes nothing that was.

use serde::{Deserialize, Deserializer, Serialize};

/// Tokens of one model call, as the provider says them. Where it says nothing there is no such value; unknown is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Usage {
    /// Tokens read, those from the provider's cache and those put into it included.
    pub input: u64,
    /// Tokens written, thinking included.
    pub output: u64,
    /// Of those read: how many came from the provider's cache.
    pub cached: u64,
    /// Of those read: how many were put into the provider's cache.
    pub written: u64,
    /// What they cost; none where the profile that made the call has no prices.
    pub cost: Option<Cost>,
}

/// An amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Billionths of the currency's unit.
    pub nano: i64,
    /// Of which currency.
    pub currency: Currency,
}

/// A currency by its three letters, such as `USD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads three letters, in either case; none for anything else.
    pub fn new(letters: &str) -> Option<Self> {
        let letters: [u8; 3] = letters.trim().as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_alphabetic).then(|| Self(letters.map(|letter| letter.to_ascii_uppercase())))
    }

    /// Its letters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let letters = String::deserialize(from)?;
        Self::new(&letters).ok_or_else(|| serde::de::Error::custom("a currency has three letters"))
    }
}

/// The most that a price may be: a million units for a million tokens.
pub const MOST_PRICE: u64 = 1_000_000_000_000;

/// What the person pays for a model, as they say; none is built in. Each price is in millionths of the currency's unit for a million
/// tokens, so 150,000 is 0.15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Of which currency.
    pub currency: Currency,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the provider's cache; like other tokens read where nothing is said.
    #[serde(default)]
    pub cached: Option<u64>,
    /// Tokens put into the provider's cache; like other tokens read where nothing is said.
    #[serde(default)]
    pub written: Option<u64>,
}

impl Prices {
    /// What a call costs, to the nearest billionth.
    pub fn cost(&self, usage: &Usage) -> Cost {
        let plain = usage.input.saturating_sub(usage.cached).saturating_sub(usage.written);
        let parts = [
            (plain, self.input),
            (usage.cached, self.cached.unwrap_or(self.input)),
            (usage.written, self.written.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        // A token at a price for a million of them, in millionths: a millionth of a millionth.
        let pico = parts
            .iter()
            .fold(0_u128, |sum, (tokens, price)| sum.saturating_add(u128::from(*tokens) * u128::from(*price)));
        let nano = i64::try_from(pico.saturating_add(500) / 1_000).unwrap_or(i64::MAX);
        Cost { nano, currency: self.currency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices() -> Prices {
        Prices {
            currency: Currency::new("usd").unwrap(),
            input: 3_000_000,
            output: 15_000_000,
            cached: None,
            written: None,
        }
    }

    /// E-34: whole numbers only; what came from the cache has its own price, and where none is said the plain one.
    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let usage = Usage { input: 1_204, output: 310, ..Usage::default() };
        let nano = |prices: Prices, usage: &Usage| prices.cost(usage).nano;
        assert_eq!(nano(prices(), &usage), 1_204 * 3_000 + 310 * 15_000);
        let cached = Usage { cached: 1_000, written: 200, ..usage };
        assert_eq!(nano(prices(), &cached), nano(prices(), &usage));
        let own = Prices { cached: Some(300_000), written: Some(3_750_000), ..prices() };
        assert_eq!(nano(own, &cached), 4 * 3_000 + 1_000 * 300 + 200 * 3_750 + 310 * 15_000);
        assert_eq!(nano(Prices { input: 1, output: 0, ..prices() }, &Usage { input: 499, ..usage }), 0);
        assert_eq!(nano(Prices { input: 1, output: 0, ..prices() }, &Usage { input: 500, ..usage }), 1);
        let most = Usage { input: u64::MAX, output: u64::MAX, cached: u64::MAX, ..usage };
        assert_eq!(nano(Prices { input: MOST_PRICE, output: MOST_PRICE, ..prices() }, &most), i64::MAX);
    }

    #[test]
    fn a_currency_has_three_letters() {
        assert_eq!(Currency::new(" eur ").unwrap().as_str(), "EUR");
        for wrong in ["", "EU", "EURO", "E1R", "€", "€€€"] {
            assert_eq!(Currency::new(wrong), None, "{wrong}");
        }
        let written = serde_json::to_string(&prices()).unwrap();
        assert_eq!(serde_json::from_str::<Prices>(&written).unwrap(), prices());
        assert!(serde_json::from_str::<Currency>("\"dollars\"").is_err());
    }
}
