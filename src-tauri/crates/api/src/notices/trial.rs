//! The self-test: shows a notice, waits for a press to come back, and says on which way it came (surface 53).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::ids::{ConversationId, RequestId};
use countersign_engine::ports::{Notice, NoticePress, PressedBy, Tone};
use tokio::sync::oneshot;

use crate::display::text::{one_line, plain};
use crate::host::Host;
use crate::wire::desktop::{NoticeCame, NoticeTest};
use crate::wire::settings::Settings;
use crate::words::say;

/// How long a test waits for its press.
const WAIT: Duration = Duration::from_secs(20);
/// The longest name or word of a server.
const WIDTH: usize = 60;

/// The test that is under way: its token, and who waits. A newer one ends it.
#[derive(Debug, Default)]
pub(crate) struct Trial(Mutex<Option<(String, oneshot::Sender<PressedBy>)>>);

impl Trial {
    /// Whether a press belongs to the test; then whoever waits is told.
    pub(crate) fn pressed(&self, press: &NoticePress) -> bool {
        let mut under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match under_way.take_if(|(token, _)| *token == press.token) {
            Some((_, waiting)) => {
                let _ = waiting.send(press.by);
                true
            }
            None => false,
        }
    }
}

/// Tests. Bounded: it ends after a while without a press too.
pub(crate) async fn run(host: &Host, trial: &Trial, settings: &Settings) -> NoticeTest {
    let capabilities = host.notices.capabilities().await;
    let displayed = |text: &String| plain(&one_line(text, WIDTH));
    let can = capabilities.can.iter().map(displayed).collect();
    let Some(server) = capabilities.server.as_ref().map(displayed) else {
        return NoticeTest { came: NoticeCame::Nothing, server: None, buttons: false, can, why: None };
    };
    let id = *uuid::Uuid::new_v4().as_bytes();
    let token = uuid::Uuid::new_v4().simple().to_string();
    let (sender, pressed) = oneshot::channel();
    *trial.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((token.clone(), sender));
    let notice = Notice {
        conversation: ConversationId(id),
        opens: RequestId(id),
        title: say().can_reach_you(),
        body: if capabilities.actions { say().press_review() } else { say().click_this() },
        offers: Vec::new(),
        tone: Tone::Normal,
        sound: settings.sound.then_some(settings.volume).filter(|volume| *volume > 0),
        token,
    };
    let notices = Arc::clone(&host.notices);
    let (came, why) = match notices.show(notice).await {
        Ok(()) => {
            let came = match tokio::time::timeout(WAIT, pressed).await {
                Ok(Ok(PressedBy::Button)) => NoticeCame::Button,
                Ok(Ok(PressedBy::Click)) => NoticeCame::Click,
                Ok(Err(_)) | Err(_) => NoticeCame::Shown,
            };
            notices.withdraw(ConversationId(id)).await;
            (came, None)
        }
        Err(why) => (NoticeCame::Nothing, Some(why)),
    };
    NoticeTest { came, server: Some(server), buttons: capabilities.actions, can, why }
}
