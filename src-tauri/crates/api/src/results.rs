//! The whole of what a call gave, part by part: what was kept beside the result, or the result itself where the model got all of it.

use countersign_core::request::Closing;
use countersign_store::read::inbox::CallFact;
use countersign_store::read::output::{OutputSize, parts_of};

use crate::desk::{self, Desk};
use crate::detail::RESULT_WIDTH;
use crate::display::text::safe;
use crate::error::not_found;
use crate::wire::inbox::ResultPart;
use crate::wire::window::ApiError;
use crate::words::Thing;

/// How many bytes there are, where a card shows less than all.
pub(crate) async fn whole(desk: &Desk, fact: &CallFact) -> Result<Option<i64>, ApiError> {
    let Some(result) = shown(fact) else { return Ok(None) };
    if let Some(OutputSize { bytes, parts: _ }) = desk.engine.store().output_size(fact.call.id).await? {
        return Ok(Some(bytes));
    }
    let is_cut = result.chars().count() > RESULT_WIDTH;
    Ok(is_cut.then(|| i64::try_from(result.len()).unwrap_or(i64::MAX)))
}

/// One part of it.
pub(crate) async fn part(desk: &Desk, id: &str, part: u32) -> Result<ResultPart, ApiError> {
    let store = desk.engine.store();
    let fact = store.call_fact(desk::row(id)?).await?.ok_or_else(|| not_found(Thing::Call))?;
    let result = shown(&fact).ok_or_else(|| not_found(Thing::CallResult))?;
    let (text, parts) = if let Some(OutputSize { bytes: _, parts }) = store.output_size(fact.call.id).await? {
        (store.output_part(fact.call.id, i64::from(part)).await?, parts)
    } else {
        let parts = parts_of(result);
        let wanted = usize::try_from(part).ok().and_then(|part| parts.get(part));
        (wanted.map(|text| (*text).to_owned()), i64::try_from(parts.len()).unwrap_or(i64::MAX))
    };
    let text = text.ok_or_else(|| not_found(Thing::ResultPart))?;
    Ok(ResultPart { text: safe(&text), part, parts })
}

/// The result, unless the conversation moved past the call: then there is none for anybody.
fn shown(fact: &CallFact) -> Option<&str> {
    let closed = fact.request.as_ref().and_then(|request| request.closed.as_ref());
    let expired = closed.is_some_and(|(closing, _)| matches!(closing, Closing::PassedBy { .. }));
    fact.result.as_deref().filter(|_| !expired)
}
