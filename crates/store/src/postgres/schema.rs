//! The tables and their versions: an older schema is brought up to ours; a newer one is used if it says that we can, and
//! refused untouched if not.

use std::path::PathBuf;

use tokio_postgres::Client;

use super::trouble::Trouble;
use crate::StoreError;

/// What each version adds to the one before; the last one's number is the version we write.
const STEPS: [&str; 5] = [
    include_str!("schema.sql"),
    include_str!("schema-2.sql"),
    include_str!("schema-3.sql"),
    include_str!("schema-4.sql"),
    include_str!("schema-5.sql"),
];

/// The oldest version that can work with what we write. Gateways are upgraded one by one, so a step must leave what the
/// version before it needs: a new column has a default, a column that goes is unused for one version first.
const OLDEST: i32 = 4;

/// Makes or migrates the tables. Several gateways may begin at once: one does it, the others wait.
pub(super) async fn prepare(client: &mut Client, place: &str) -> Result<(), Trouble> {
    let trouble = |error: tokio_postgres::Error| Trouble::of(place, &error);
    if found(client, place).await?.is_some_and(|version| version >= STEPS.len()) {
        return Ok(());
    }
    let transaction = client.transaction().await.map_err(trouble)?;
    transaction.batch_execute("SELECT pg_advisory_xact_lock(7301, 1)").await.map_err(trouble)?;
    transaction
        .batch_execute(
            "CREATE SCHEMA IF NOT EXISTS portcullis;
             CREATE TABLE IF NOT EXISTS schema_version (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL)",
        )
        .await
        .map_err(trouble)?;
    let row = transaction.query_opt("SELECT version FROM schema_version", &[]).await.map_err(trouble)?;
    let done = row.map_or(0, |row| row.get::<_, i32>(0)).unsigned_abs() as usize;
    for step in STEPS.iter().skip(done) {
        transaction.batch_execute(step).await.map_err(trouble)?;
    }
    // Another gateway may have been newer meanwhile; what it wrote stands.
    let put = "INSERT INTO schema_version (id, version, oldest) VALUES (1, $1, $2) ON CONFLICT (id) DO UPDATE
         SET version = excluded.version, oldest = excluded.oldest WHERE schema_version.version < excluded.version";
    transaction.execute(put, &[&(STEPS.len() as i32), &OLDEST]).await.map_err(trouble)?;
    transaction.commit().await.map_err(trouble)
}

/// The version there is, `None` if there is none; an error if it is too new for us.
pub(super) async fn found(client: &Client, place: &str) -> Result<Option<usize>, Trouble> {
    let trouble = |error: tokio_postgres::Error| Trouble::of(place, &error);
    let there = "SELECT to_regclass('portcullis.schema_version') IS NOT NULL";
    let is_there: bool = client.query_one(there, &[]).await.map_err(trouble)?.get(0);
    if !is_there {
        return Ok(None);
    }
    // Before version 4 nobody said which versions can work with it.
    let row = client
        .query_opt(
            "SELECT version, (to_jsonb(schema_version) ->> 'oldest')::integer FROM portcullis.schema_version",
            &[],
        )
        .await
        .map_err(trouble)?;
    let Some(row) = row else { return Ok(None) };
    let (found, oldest) = (row.get::<_, i32>(0).unsigned_abs(), row.get::<_, Option<i32>>(1));
    let known = STEPS.len() as u32;
    let is_ours = found <= known || oldest.is_some_and(|oldest| oldest.unsigned_abs() <= known);
    match is_ours {
        true => Ok(Some(found as usize)),
        false => Err(StoreError::Newer { path: PathBuf::from(place), found, known }.into()),
    }
}
