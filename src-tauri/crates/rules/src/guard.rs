//! The rules as the engine asks them.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use countersign_core::input::GuardVerdict;
use countersign_engine::ports::{Clock, Guard, GuardedCall, GuardedRun};

use crate::judge::{Ready, judge};
use crate::rule::Rule;

/// All rules of a space. Whoever changes them puts them in anew; the next call is judged by them, also in a run that goes on.
pub struct Rules {
    kept: RwLock<Arc<Kept>>,
    clock: Arc<dyn Clock>,
}

/// The rules at one moment.
#[derive(Debug, Default)]
pub struct Kept {
    /// Ready to be asked, in their order.
    pub rules: Vec<Ready>,
    /// How many stored ones can't be read; while there is one, what needs approval asks (D-17).
    pub unreadable: usize,
}

impl Kept {
    /// The rules themselves, in their order.
    pub fn all(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(Ready::rule)
    }
}

impl Rules {
    /// No rules yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { kept: RwLock::default(), clock }
    }

    /// Takes these in place of what there was.
    pub fn set(&self, rules: Vec<Rule>, unreadable: usize) {
        let kept = Kept { rules: rules.into_iter().map(Ready::new).collect(), unreadable };
        *self.kept.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(kept);
    }

    /// The rules as they are now.
    pub fn kept(&self) -> Arc<Kept> {
        Arc::clone(&self.kept.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What they say of a call now. The one way in which anything is judged by rules: calls that are to run, dry runs, the trace.
    pub fn say(&self, run: &GuardedRun, call: &GuardedCall) -> Vec<GuardVerdict> {
        let kept = self.kept();
        judge(&kept.rules, kept.unreadable, run, call, self.clock.now().0)
    }
}

#[async_trait]
impl Guard for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn has_a_say(&self) -> bool {
        let kept = self.kept();
        let now = self.clock.now().0;
        kept.unreadable > 0 || kept.all().any(|rule| rule.is_in_force(now))
    }

    async fn judge(&self, run: &GuardedRun, calls: &[GuardedCall]) -> Vec<Vec<GuardVerdict>> {
        calls.iter().map(|call| self.say(run, call)).collect()
    }
}
