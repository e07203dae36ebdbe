//! Standing approvals: taking all of a conversation back, and giving one back.

use countersign_core::ids::{At, NotAnId, StandingId};
use countersign_core::input::Input;

use crate::desk::{self, Desk};
use crate::error::not_found;
use crate::wire::window::ApiError;
use crate::words::Thing;

/// For how long a revocation can be taken back, in milliseconds. The window offers it for ten seconds; what was pressed then may
/// arrive later.
const BACK_FOR: i64 = 60_000;

/// Takes all standing approvals of a conversation back.
pub(crate) async fn revoke_all(desk: &Desk, conversation: &str) -> Result<i64, ApiError> {
    let of = desk::conversation(conversation)?;
    let head = desk.engine.store().head(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let mut revoked = 0;
    for standing in &head.standing {
        desk.engine.input(of, Input::Revoke { standing: standing.id }).await?;
        revoked += 1;
    }
    Ok(revoked)
}

/// Gives one back that was taken back just now.
///
/// # Errors
/// If it wasn't, or the same is in force again.
pub(crate) async fn unrevoke(desk: &Desk, id: &str) -> Result<(), ApiError> {
    let id: StandingId = id.parse().map_err(|_: NotAnId| not_found(Thing::StandingApproval))?;
    let since = At(desk.host.clock.now().0 - BACK_FOR);
    let found = desk.engine.store().revoked_standing(id, since).await?;
    let (of, was, request) = found.ok_or_else(|| not_found(Thing::StandingApproval))?;
    Ok(desk.engine.input(of, Input::Unrevoke { was, request }).await?)
}
