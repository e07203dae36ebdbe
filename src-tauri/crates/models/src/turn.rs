//! A turn that was received, and what of it is sent back: all of it, byte for byte, less the calls that the conversation dropped and
//! the opaque blocks that belong to them (D-108).

use countersign_core::transcript::ViewCall;

/// What a part of a turn is, as far as sending it back cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A call of a tool.
    Call,
    /// Something that only the provider reads, and that belongs to what follows it.
    Opaque,
    /// Anything else.
    Other,
}

/// What an opaque part belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Belongs {
    /// The one part that follows.
    ToTheNext,
    /// The calls that follow each other behind it, all of them: it goes with the last of them.
    ToTheCalls,
}

/// Which parts of a turn are sent. Calls are those of the view, found by their place among the turn's calls.
pub(crate) fn kept(parts: &[Part], calls: &[ViewCall], belongs: Belongs) -> Vec<bool> {
    let in_view = |place: usize| calls.iter().any(|call| usize::try_from(call.position).is_ok_and(|at| at == place));
    let mut place = 0;
    let mut kept: Vec<bool> = parts
        .iter()
        .map(|part| match part {
            Part::Call => {
                place += 1;
                in_view(place - 1)
            }
            Part::Opaque | Part::Other => true,
        })
        .collect();
    // From behind, so that what follows is decided already.
    let mut next: Option<(Part, bool)> = None;
    for (part, keep) in parts.iter().zip(&mut kept).rev() {
        match part {
            Part::Opaque => {
                *keep = next.is_some_and(|(_, keep)| keep);
                next = Some((Part::Opaque, *keep));
            }
            Part::Call if belongs == Belongs::ToTheCalls => {
                let others = next.is_some_and(|(next, keep)| next == Part::Call && keep);
                next = Some((Part::Call, *keep || others));
            }
            Part::Call | Part::Other => next = Some((*part, *keep)),
        }
    }
    kept
}

/// How many parts are left when those behind the last that isn't opaque go: they belong to something that never came.
pub(crate) fn without_loose_end(parts: &[Part]) -> usize {
    parts.iter().rposition(|part| *part != Part::Opaque).map_or(0, |last| last + 1)
}

/// A tool's name as every provider takes it: a model of another one may have called anything.
pub(crate) fn fit_name(name: &str) -> String {
    let fit = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    let name: String = name.chars().take(64).map(fit).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D-108: opaque parts go with what they belong to.
    #[test]
    fn opaque_parts_follow_their_call() {
        let parts = |text: &str| -> Vec<Part> {
            text.chars()
                .map(|letter| match letter {
                    'c' => Part::Call,
                    'o' => Part::Opaque,
                    _ => Part::Other,
                })
                .collect()
        };
        let view = |places: &[u32]| -> Vec<ViewCall> {
            let call = |position: &u32| ViewCall {
                provider_id: position.to_string(),
                position: *position,
                name: "t".to_owned(),
                arguments: "{}".to_owned(),
            };
            places.iter().map(call).collect()
        };
        for (turn, places, next, calls) in [
            ("oc", &[0][..], "oc", "oc"),
            ("oc", &[], "..", ".."),
            ("ooc", &[], "...", "..."),
            ("owc", &[], "ow.", "ow."),
            ("woc", &[], "w..", "w.."),
            ("occ", &[1], "..c", "o.c"),
            ("occ", &[0], "oc.", "oc."),
            ("occ", &[], "...", "..."),
            ("ococ", &[1], "..oc", "..oc"),
            ("ococ", &[0], "oc..", "oc.."),
            ("ocwoc", &[], "..w..", "..w.."),
            ("ocwc", &[1], "..wc", "..wc"),
            ("wo", &[], "w.", "w."),
        ] {
            let shown = |belongs| -> String {
                let kept = kept(&parts(turn), &view(places), belongs);
                turn.chars().zip(kept).map(|(letter, keep)| if keep { letter } else { '.' }).collect()
            };
            assert_eq!(
                (shown(Belongs::ToTheNext).as_str(), shown(Belongs::ToTheCalls).as_str()),
                (next, calls),
                "{turn}"
            );
        }
        assert_eq!(["", "o", "wo", "oco", "owcoo"].map(|turn| without_loose_end(&parts(turn))), [0, 0, 1, 2, 3]);
    }
}
