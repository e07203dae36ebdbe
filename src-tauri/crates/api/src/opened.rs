//! Payloads that somebody has open: made once from the stored bytes, and kept so that reading on in a long one costs only what is read.
//!
//! # Design
//! What a payload is made of never changes, so the row names it. One that was dropped to make room is made again when the row is
//! shown again; until then reading on in it says so. Not here: what is displayed, and how ([`crate::display`]).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_core::parse::{Fault, Tree};

use crate::display::facts;
use crate::display::long::Whole;
use crate::display::mask::{self, Masks};
use crate::display::payload::{self, Displayed, Stored};
use crate::display::raw;
use crate::error::not_found;
use crate::wire::payload::{Exact, Fact, Payload, PayloadList, PayloadPart, PayloadPlaces, Raw};
use crate::wire::window::ApiError;
use crate::words::{Spoken, Thing, spoken};

/// How many payloads are kept at most.
const MOST: usize = 32;
/// How many bytes of stored text the payloads have that are kept, except for the newest ones.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// How many are kept however large they are.
const LEAST: usize = 4;

/// A payload that somebody has open.
#[derive(Debug)]
pub(crate) struct Kept {
    /// What it is asked for by.
    pub(crate) number: u32,
    pub(crate) payload: Payload,
    pub(crate) raw: Raw,
    pub(crate) hidden: u32,
    pub(crate) facts: Vec<Fact>,
    main: Option<Whole>,
    text: Whole,
    since: Option<Whole>,
    of: String,
    spoken: Spoken,
    masks: Arc<Masks>,
    bytes: usize,
}

impl Kept {
    fn list(&self, list: PayloadList) -> Option<&Whole> {
        match list {
            PayloadList::Main => self.main.as_ref(),
            PayloadList::Raw => Some(&self.text),
            PayloadList::Since => self.since.as_ref(),
        }
    }

    fn stored(&self) -> &str {
        match &self.text {
            Whole::Text(fragments) => fragments.text(),
            Whole::Segments(_) | Whole::Lines(_) | Whole::Nodes(_) => "",
        }
    }

    /// Where words stand in one of its lists. It takes time in proportion to the list's length.
    pub(crate) fn find(&self, list: PayloadList, words: &str) -> PayloadPlaces {
        self.list(list).map_or(PayloadPlaces { places: Vec::new(), more: false }, |whole| whole.find(words))
    }
}

/// The payloads that somebody has open.
#[derive(Debug, Default)]
pub(crate) struct Opened(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    given: u32,
    /// The one that was used last comes first.
    kept: VecDeque<Arc<Kept>>,
}

impl Opened {
    /// The payload of a row, from what is kept or made new.
    pub(crate) fn open(&self, row: &str, stored: Stored<'_>, tree: Result<&Tree, &Fault>) -> Arc<Kept> {
        self.get(row, stored.arguments, || {
            let facts = tree
                .map_or_else(|_| Vec::new(), |tree| facts::of(stored.tool, tree, stored.preconditions, stored.before));
            (payload::of(stored, tree), payload::hidden_count(stored.arguments, tree), facts)
        })
    }

    /// What a server asks, with the text that it sent.
    pub(crate) fn open_question(
        &self,
        row: &str,
        text: &str,
        hidden: u32,
        payload: impl FnOnce() -> Displayed,
    ) -> Arc<Kept> {
        self.get(row, text, || (payload(), hidden, Vec::new()))
    }

    fn get(&self, row: &str, text: &str, make: impl FnOnce() -> (Displayed, u32, Vec<Fact>)) -> Arc<Kept> {
        let (spoken, masks) = (spoken(), mask::in_force());
        let looks_alike = |kept: &Kept| kept.spoken == spoken && Arc::ptr_eq(&kept.masks, &masks);
        if let Some(kept) = self.first(|kept| kept.of == row && looks_alike(kept) && kept.stored() == text) {
            return kept;
        }
        // Made without the lock, since it may take a while.
        let (displayed, hidden, facts) = make();
        let bytes = text.len() + displayed.main.as_ref().map_or(0, Whole::bytes);
        let (raw, fragments) = raw(&Arc::from(text));
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.given = inner.given.wrapping_add(1);
        let kept = Arc::new(Kept {
            number: inner.given,
            payload: displayed.payload,
            raw,
            hidden,
            facts,
            main: displayed.main,
            text: Whole::Text(fragments),
            since: displayed.since,
            of: row.to_owned(),
            spoken,
            masks,
            bytes,
        });
        inner.kept.push_front(Arc::clone(&kept));
        let mut sum = 0;
        let mut place = 0;
        inner.kept.retain(|kept| {
            sum += kept.bytes;
            place += 1;
            place <= LEAST || (place <= MOST && sum <= MOST_BYTES)
        });
        kept
    }

    /// The first that is so; it counts as used now.
    fn first(&self, is: impl Fn(&Kept) -> bool) -> Option<Arc<Kept>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = inner.kept.iter().position(|kept| is(kept))?;
        let kept = inner.kept.remove(at)?;
        inner.kept.push_front(Arc::clone(&kept));
        Some(kept)
    }

    /// The payload of a number.
    ///
    /// # Errors
    /// If it isn't kept any more; the row has to be shown again.
    pub(crate) fn kept(&self, number: u32) -> Result<Arc<Kept>, ApiError> {
        self.first(|kept| kept.number == number).ok_or_else(|| not_found(Thing::PayloadPart))
    }

    /// Some things of a list.
    ///
    /// # Errors
    /// If the payload isn't kept any more, or has no such part.
    pub(crate) fn part(&self, number: u32, list: PayloadList, from: u32, items: u32) -> Result<PayloadPart, ApiError> {
        let kept = self.kept(number)?;
        let part = kept.list(list).and_then(|whole| whole.part(from, items));
        part.ok_or_else(|| not_found(Thing::PayloadPart))
    }

    /// The exact stored text.
    ///
    /// # Errors
    /// If the payload isn't kept any more.
    pub(crate) fn exact(&self, number: u32) -> Result<Exact, ApiError> {
        Ok(Exact::of(self.kept(number)?.stored()))
    }
}
