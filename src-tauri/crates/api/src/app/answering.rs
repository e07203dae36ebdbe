//! The commands about requests: looking at one, staging, putting aside, sending.

use countersign_core::ids::At;
use countersign_core::input::Refusal;
use countersign_core::mode::check_end;

use super::Countersign;
use crate::commands::request;
use crate::wire::compare::{EditField, Similar};
use crate::wire::inbox::{Detail, Mode, ResultPart};
use crate::wire::payload::{Exact, PayloadPart, PayloadPlaces};
use crate::wire::window::{ApiError, Space};
use crate::{cards, correction, detail, drafts, later, results, sending};

#[expect(missing_docs, reason = "each is documented once, in the list of commands")]
impl Countersign {
    pub async fn detail(&self, space: Space, request: request::detail) -> Result<Detail, ApiError> {
        detail::detail(&*self.desk(space).await?, &request.id).await
    }

    pub async fn payload_part(&self, space: Space, request: request::payload_part) -> Result<PayloadPart, ApiError> {
        let request::payload_part { opened, list, from, items } = request;
        self.desk(space).await?.opened.part(opened, list, from, items)
    }

    pub async fn find_in_payload(
        &self,
        space: Space,
        request: request::find_in_payload,
    ) -> Result<PayloadPlaces, ApiError> {
        let kept = self.desk(space).await?.opened.kept(request.opened)?;
        // Looking into megabytes must not hold up what else is asked.
        let looking = tokio::task::spawn_blocking(move || kept.find(request.list, &request.text));
        looking.await.map_err(|_| crate::error::not_found(crate::words::Thing::PayloadPart))
    }

    pub async fn exact_arguments(&self, space: Space, request: request::exact_arguments) -> Result<Exact, ApiError> {
        self.desk(space).await?.opened.exact(request.opened)
    }

    pub async fn result_part(&self, space: Space, request: request::result_part) -> Result<ResultPart, ApiError> {
        results::part(&*self.desk(space).await?, &request.id, request.part).await
    }

    pub async fn stage(&self, space: Space, request: request::stage) -> Result<(), ApiError> {
        if let crate::wire::inbox::Decision::ApprovePlan { into: Mode::Auto, only_this_plan, ends_at } =
            request.decision
        {
            if let Some(end) = ends_at {
                check_end(cards::core_mode(Mode::Auto), At(end), self.host.clock.now()).map_err(Refusal::AutoEnd)?;
            }
            self.remember(|settings| settings.only_this_plan = only_this_plan).await?;
        }
        drafts::stage(&self.desk(space).await?, &request.id, request.decision, &request.digest).await
    }

    pub async fn unstage(&self, space: Space, request: request::unstage) -> Result<(), ApiError> {
        drafts::unstage(&self.desk(space).await?, &request.id).await
    }

    pub async fn later(&self, space: Space, request: request::later) -> Result<(), ApiError> {
        later::put(&self.desk(space).await?, &request.set, request.until).await
    }

    pub async fn not_later(&self, space: Space, request: request::not_later) -> Result<(), ApiError> {
        later::end(&self.desk(space).await?, &request.set).await
    }

    pub async fn similar(&self, space: Space, request: request::similar) -> Result<Vec<Similar>, ApiError> {
        correction::similar(&*self.desk(space).await?, &request.id).await
    }

    pub async fn reasons(&self, space: Space, _: request::reasons) -> Result<Vec<String>, ApiError> {
        correction::reasons(&*self.desk(space).await?).await
    }

    pub async fn arguments(&self, space: Space, request: request::arguments) -> Result<Vec<EditField>, ApiError> {
        correction::fields(&*self.desk(space).await?, &request.id).await
    }

    pub async fn send(&self, space: Space, request: request::send) -> Result<(), ApiError> {
        sending::send(&self.desk(space).await?, request.send).await
    }

    pub async fn take_back(&self, space: Space, request: request::take_back) -> Result<(), ApiError> {
        let desk = self.desk(space).await?;
        let conversation = crate::desk::conversation(&request.conversation)?;
        sending::take_back(&desk, conversation).await
    }
}
