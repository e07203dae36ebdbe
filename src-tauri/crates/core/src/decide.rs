//! The one place that decides whether a call runs, asks or is rejected (RU, SA, MO of the specification).

use crate::call::Warrant;
use crate::faults::{self, Fault};
use crate::ids::StandingId;
use crate::input::{GuardVerdict, Verdict};
use crate::mode::Mode;
use crate::tool::{Tool, requires_approval};

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Run(Warrant),
    /// A person is asked.
    Ask,
    /// It is rejected, and the model is told why.
    Reject {
        /// The rules, in order of registration.
        by: Vec<String>,
        /// Their reasons, one a line (D-17).
        reason: String,
    },
}

/// Decides about a call of a tool. `standing` is a standing approval that covers it, if there is one.
///
/// Any rejection wins (RU-9). A guard that failed means that a person must be asked: it cancels every other approval
/// (D-17). Then an approving rule, a standing approval (SA-4), and last the mode (RU-12).
pub fn decide(tool: &Tool, verdicts: &[GuardVerdict], standing: Option<StandingId>, mode: Mode) -> Decision {
    if !requires_approval(tool) {
        return Decision::Run(Warrant::NotNeeded);
    }
    if let Some(rejection) = rejection(verdicts).filter(|_| mode != Mode::Auto || !faults::on(Fault::AutoOverRejection))
    {
        return rejection;
    }
    if verdicts.iter().any(|one| matches!(one.verdict, Verdict::Failed { .. }))
        && !faults::on(Fault::FailedGuardAbstains)
    {
        return Decision::Ask;
    }
    if let Some(approving) = verdicts.iter().find(|one| one.verdict == Verdict::Approve) {
        return Decision::Run(Warrant::Rule { name: approving.guard.clone() });
    }
    if let Some(id) = standing {
        return Decision::Run(Warrant::Standing { id });
    }
    match mode {
        Mode::Auto => Decision::Run(Warrant::Auto),
        Mode::Default | Mode::Plan => Decision::Ask,
    }
}

/// Decides about a plan: a rejection counts, everything else asks. No rule, standing approval or mode accepts a plan
/// (D-33).
pub fn decide_plan(verdicts: &[GuardVerdict]) -> Decision {
    rejection(verdicts).unwrap_or(Decision::Ask)
}

fn rejection(verdicts: &[GuardVerdict]) -> Option<Decision> {
    let mut by = Vec::new();
    let mut reasons = Vec::new();
    for one in verdicts {
        if let Verdict::Reject { reason } = &one.verdict {
            by.push(one.guard.clone());
            reasons.push(reason.as_str());
        }
    }
    (!by.is_empty()).then(|| Decision::Reject { by, reason: reasons.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AgentId;
    use crate::tool::{Effect, Marks, Origin, ToolIdentity};

    fn tool(effect: Effect) -> Tool {
        Tool {
            identity: ToolIdentity {
                origin: Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() },
                name: "t".to_owned(),
            },
            description: String::new(),
            parameters: "{}".to_owned(),
            effect,
            marks: Marks::default(),
        }
    }

    fn says(verdicts: &[Verdict]) -> Vec<GuardVerdict> {
        let named = verdicts.iter().enumerate();
        named.map(|(index, verdict)| GuardVerdict { guard: format!("g{index}"), verdict: verdict.clone() }).collect()
    }

    type Case = (&'static str, Vec<Verdict>, Option<StandingId>, Mode, Decision);

    /// RU-8 to RU-12, SA-4, SA-5, D-12, D-17, MO-3, MO-5.
    #[test]
    fn the_order_of_consultation() {
        let approve = Verdict::Approve;
        let abstain = Verdict::Abstain;
        let reject = || Verdict::Reject { reason: "no".to_owned() };
        let failed = || Verdict::Failed { why: "broken".to_owned() };
        let standing = StandingId([7; 16]);
        let rejected = |by: &[&str], reason: &str| Decision::Reject {
            by: by.iter().map(|&name| name.to_owned()).collect(),
            reason: reason.to_owned(),
        };
        let by_rule = |name: &str| Decision::Run(Warrant::Rule { name: name.to_owned() });
        let cases: Vec<Case> = vec![
            ("nothing decides in Default", vec![], None, Mode::Default, Decision::Ask),
            ("nothing decides in Plan", vec![abstain.clone()], None, Mode::Plan, Decision::Ask),
            ("Auto runs", vec![abstain.clone()], None, Mode::Auto, Decision::Run(Warrant::Auto)),
            (
                "a standing approval runs",
                vec![],
                Some(standing),
                Mode::Default,
                Decision::Run(Warrant::Standing { id: standing }),
            ),
            ("a rule runs", vec![abstain.clone(), approve.clone()], None, Mode::Default, by_rule("g1")),
            (
                "a rule comes before a standing approval",
                vec![approve.clone()],
                Some(standing),
                Mode::Auto,
                by_rule("g0"),
            ),
            (
                "a rejection beats an approval",
                vec![approve.clone(), reject()],
                None,
                Mode::Default,
                rejected(&["g1"], "no"),
            ),
            (
                "a rejection beats a standing approval",
                vec![reject()],
                Some(standing),
                Mode::Default,
                rejected(&["g0"], "no"),
            ),
            ("a rejection beats Auto", vec![reject()], None, Mode::Auto, rejected(&["g0"], "no")),
            ("all reasons are given", vec![reject(), reject()], None, Mode::Plan, rejected(&["g0", "g1"], "no\nno")),
            ("a failure cancels a rule", vec![approve, failed()], None, Mode::Default, Decision::Ask),
            ("a failure cancels a standing approval", vec![failed()], Some(standing), Mode::Default, Decision::Ask),
            ("a failure cancels Auto", vec![failed()], None, Mode::Auto, Decision::Ask),
            ("a rejection beats a failure", vec![failed(), reject()], None, Mode::Auto, rejected(&["g1"], "no")),
        ];
        for (name, verdicts, standing, mode, expected) in cases {
            assert_eq!(decide(&tool(Effect::Write), &says(&verdicts), standing, mode), expected, "{name}");
        }
        assert_eq!(
            decide(&tool(Effect::Read), &says(&[reject()]), None, Mode::Plan),
            Decision::Run(Warrant::NotNeeded),
            "a call that needs no approval is never shown to a rule (RU-4)"
        );
    }

    /// D-33.
    #[test]
    fn nothing_but_a_person_accepts_a_plan() {
        assert_eq!(decide_plan(&says(&[Verdict::Approve])), Decision::Ask);
        assert!(matches!(decide_plan(&says(&[Verdict::Reject { reason: String::new() }])), Decision::Reject { .. }));
    }
}
