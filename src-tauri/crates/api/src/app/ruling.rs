//! The commands about the person's rules.

use super::Countersign;
use crate::commands::request;
use crate::rules;
use crate::wire::rules::{CallText, RuleDraft, RuleHint, RuleList, RuleLook, RuleSaved, RuleTrace, RunsRow};
use crate::wire::window::{ApiError, Space};

/// Named as in [`crate::commands`]; what each does stands there.
#[expect(missing_docs, reason = "each is documented once, in the list of commands")]
impl Countersign {
    pub async fn revoke_all(&self, space: Space, request: request::revoke_all) -> Result<i64, ApiError> {
        rules::standing::revoke_all(self.desk(space).await?.as_ref(), &request.conversation).await
    }

    pub async fn unrevoke(&self, space: Space, request: request::unrevoke) -> Result<(), ApiError> {
        rules::standing::unrevoke(self.desk(space).await?.as_ref(), &request.id).await
    }

    pub async fn rules(&self, space: Space, _: request::rules) -> Result<RuleList, ApiError> {
        rules::list(self.desk(space).await?.as_ref()).await
    }

    pub async fn rule_draft(&self, space: Space, request: request::rule_draft) -> Result<RuleDraft, ApiError> {
        rules::draft::draft(self.desk(space).await?.as_ref(), request.from).await
    }

    pub async fn rule_look(&self, space: Space, request: request::rule_look) -> Result<RuleLook, ApiError> {
        rules::look(self.desk(space).await?.as_ref(), request.rule, request.front).await
    }

    pub async fn save_rule(&self, space: Space, request: request::save_rule) -> Result<RuleSaved, ApiError> {
        rules::save(self.desk(space).await?.as_ref(), request.rule).await
    }

    pub async fn switch_rule(&self, space: Space, request: request::switch_rule) -> Result<(), ApiError> {
        rules::switch(self.desk(space).await?.as_ref(), &request.id, request.on).await
    }

    pub async fn delete_rule(&self, space: Space, request: request::delete_rule) -> Result<(), ApiError> {
        rules::delete(self.desk(space).await?.as_ref(), &request.id).await
    }

    pub async fn ship_rules(&self, space: Space, _: request::ship_rules) -> Result<RuleList, ApiError> {
        rules::ship(self.desk(space).await?.as_ref()).await
    }

    pub async fn runs_without(&self, space: Space, request: request::runs_without) -> Result<Vec<RunsRow>, ApiError> {
        rules::without::rows(self.desk(space).await?.as_ref(), &request.conversation, request.mode).await
    }

    pub async fn trace_call(&self, space: Space, request: request::trace_call) -> Result<RuleTrace, ApiError> {
        rules::trace::call(self.desk(space).await?.as_ref(), request).await
    }

    pub async fn call_text(&self, space: Space, request: request::call_text) -> Result<CallText, ApiError> {
        rules::trace::text(self.desk(space).await?.as_ref(), &request.id).await
    }

    pub async fn rule_hint(&self, space: Space, _: request::rule_hint) -> Result<Option<RuleHint>, ApiError> {
        rules::hint::hint(self.desk(space).await?.as_ref()).await
    }

    pub async fn dismiss_rule_hint(&self, space: Space, request: request::dismiss_rule_hint) -> Result<(), ApiError> {
        rules::hint::dismiss(self.desk(space).await?.as_ref(), &request.key).await
    }
}
