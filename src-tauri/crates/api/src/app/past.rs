//! The commands about history.

use super::Countersign;
use crate::commands::request;
use crate::history;
use crate::wire::history::{
    ChainState, DecisionRecord, Exported, Going, HistoryCharts, HistoryFacets, HistoryMonth, HistoryPage,
};
use crate::wire::window::{ApiError, Space};

#[expect(missing_docs, reason = "each is documented once, in the list of commands")]
impl Countersign {
    pub async fn history(&self, space: Space, request: request::history) -> Result<HistoryPage, ApiError> {
        history::page(&*self.desk(space).await?, request).await
    }

    pub async fn history_facets(
        &self,
        space: Space,
        request: request::history_facets,
    ) -> Result<HistoryFacets, ApiError> {
        history::facets(&*self.desk(space).await?, &request.query).await
    }

    pub async fn history_months(
        &self,
        space: Space,
        request: request::history_months,
    ) -> Result<Vec<HistoryMonth>, ApiError> {
        history::months(&*self.desk(space).await?, &request.spans).await
    }

    pub async fn history_charts(
        &self,
        space: Space,
        request: request::history_charts,
    ) -> Result<HistoryCharts, ApiError> {
        history::charts(&*self.desk(space).await?, &request.spans).await
    }

    pub async fn export_path(&self, space: Space, request: request::export_path) -> Result<String, ApiError> {
        Ok(history::export_path(&*self.desk(space).await?, &request))
    }

    pub async fn export_all(&self, space: Space, request: request::export_all) -> Result<Exported, ApiError> {
        history::export_all(&*self.desk(space).await?, request).await
    }

    pub async fn export_conversation(
        &self,
        space: Space,
        request: request::export_conversation,
    ) -> Result<Exported, ApiError> {
        history::export_conversation(&*self.desk(space).await?, request).await
    }

    pub async fn export_history(&self, space: Space, request: request::export_history) -> Result<Exported, ApiError> {
        history::export(&*self.desk(space).await?, request).await
    }

    pub async fn decision_record(
        &self,
        space: Space,
        request: request::decision_record,
    ) -> Result<DecisionRecord, ApiError> {
        history::record(&*self.desk(space).await?, &request.id).await
    }

    pub async fn verify_chain(&self, space: Space, _: request::verify_chain) -> Result<ChainState, ApiError> {
        history::verify(&*self.desk(space).await?).await
    }

    pub async fn history_going(&self, space: Space, request: request::history_going) -> Result<Going, ApiError> {
        history::going(&*self.desk(space).await?, request.span).await
    }

    pub async fn erase_history(&self, space: Space, request: request::erase_history) -> Result<i64, ApiError> {
        history::erase(&*self.desk(space).await?, request.span).await
    }
}
