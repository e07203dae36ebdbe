//! JSON that is passed on as the text that came: numbers, escapes and fields that mean nothing to us go back unchanged.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::reading::Fault;

/// An object's fields in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ordered(pub(crate) Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Ordered;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Ordered(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// An object with its fields in this order.
pub(crate) fn object(fields: &[(&str, Box<RawValue>)]) -> Option<Box<RawValue>> {
    let mut text = String::from("{");
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(name).ok()?);
        text.push(':');
        text.push_str(value.get());
    }
    text.push('}');
    RawValue::from_string(text).ok()
}

/// A list of these, each with its bytes.
pub(crate) fn list<'a>(items: impl Iterator<Item = &'a RawValue>) -> String {
    let items: Vec<&str> = items.map(RawValue::get).collect();
    format!("[{}]", items.join(","))
}

/// Whether a value is `null`.
pub(crate) fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// Whether a text is one JSON object and nothing else.
pub(crate) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Reads a part of a reply.
///
/// # Errors
/// [`Fault::Unreadable`].
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|_| Fault::Unreadable)
}

/// The letters of a JSON string as they were written, escapes included; none for any other value. Two of them behind each other are the
/// letters of the joined text, even where the border lies inside of a character that takes two escapes.
pub(crate) fn letters(value: &RawValue) -> Option<&str> {
    value.get().strip_prefix('"')?.strip_suffix('"')
}

/// The text that such letters mean.
///
/// # Errors
/// [`Fault::Unreadable`] if half of a character is missing.
pub(crate) fn text_of(letters: &str) -> Result<String, Fault> {
    read(&format!("\"{letters}\""))
}
