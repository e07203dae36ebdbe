//! What model calls used up: sums, and where a run ends.

use std::collections::BTreeMap;

use countersign_core::ids::{At, ConversationId, MessageId, RunId};
use countersign_core::run::RunEnd;
use countersign_core::spending::{Cost, Currency};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::row::{from_json, id};
use crate::table::{message, run};

/// What a number of model calls used up together, those of the agents below included, once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spent {
    /// How many model calls there were.
    pub calls: i64,
    /// Of how many of them the provider said the tokens.
    pub counted: i64,
    /// Of how many of them the cost is known.
    pub priced: i64,
    /// Tokens read, as far as they are known.
    pub input: i64,
    /// Tokens written, as far as they are known.
    pub output: i64,
    /// Of those read: how many came from a cache.
    pub cached: i64,
    /// Of those read: how many were put into a cache.
    pub written: i64,
    /// The cost, one sum for each currency, in the order of their letters.
    pub costs: Vec<Cost>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub end: RunEnd,
    /// When.
    pub at: At,
    /// How many rounds it could have had.
    pub limit: i64,
    /// What was used up in it.
    pub spent: Spent,
}

impl Store {
    /// What a conversation used up (E-34).
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn spent(&self, of: ConversationId) -> Result<Spent, StoreError> {
        sum(&query(run::SPENT).bind(of.0.to_vec()).fetch_all(&self.readers).await?)
    }

    /// The end of the run that a message is the last of; none if it isn't the last, or the run goes on.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn ends_with(&self, message: MessageId) -> Result<Option<Ended>, StoreError> {
        let row = query(message::ENDS).bind(message.0.to_vec()).fetch_optional(&self.readers).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Ended {
            end: serde_json::from_str(row.try_get("ending")?)?,
            at: At(row.try_get("ended_at")?),
            limit: row.try_get("round_limit")?,
            spent: sum(std::slice::from_ref(&row))?,
        }))
    }

    /// The last message of a run on its conversation's own thread; none if it has none.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn last_message_of(&self, run: RunId) -> Result<Option<MessageId>, StoreError> {
        let row = query(message::LAST_OF_RUN).bind(run.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| id(&row, "id")).transpose()
    }
}

/// The sum of runs.
fn sum(rows: &[SqliteRow]) -> Result<Spent, StoreError> {
    let mut spent = Spent::default();
    let mut costs: BTreeMap<Currency, i64> = BTreeMap::new();
    for row in rows {
        let number = |column: &str| row.try_get::<i64, _>(column);
        let counted = number("counted")?;
        // Before runs counted their calls some were stored all the same.
        spent.calls += number("model_calls")?.max(counted);
        spent.counted += counted;
        spent.priced += number("priced")?;
        spent.input += number("tokens_in")?;
        spent.output += number("tokens_out")?;
        spent.cached += number("cached_in")?;
        spent.written += number("written_in")?;
        for (currency, nano) in from_json::<BTreeMap<Currency, i64>>(row, "costs")? {
            *costs.entry(currency).or_default() += nano;
        }
    }
    spent.costs = costs.into_iter().map(|(currency, nano)| Cost { nano, currency }).collect();
    Ok(spent)
}
