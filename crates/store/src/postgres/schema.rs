//! The tables and their versions: an older schema is brought up to ours, a newer one is refused untouched.

use std::path::PathBuf;

use tokio_postgres::Client;

use super::trouble::Trouble;
use crate::StoreError;

/// What each version adds to the one before; the last one's number is the version we write.
const STEPS: [&str; 3] =
    [include_str!("schema.sql"), include_str!("schema-2.sql"), include_str!("schema-3.sql")];

/// Makes or migrates the tables. Several gateways may begin at once: one does it, the others wait.
pub(super) async fn prepare(client: &mut Client, place: &str) -> Result<(), Trouble> {
    let trouble = |error: tokio_postgres::Error| Trouble::of(place, &error);
    if found(client, place).await? == Some(STEPS.len()) {
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
    let put =
        "INSERT INTO schema_version VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET version = excluded.version";
    transaction.execute(put, &[&(STEPS.len() as i32)]).await.map_err(trouble)?;
    transaction.commit().await.map_err(trouble)
}

/// The version there is, `None` if there is none; an error if it is newer than ours.
pub(super) async fn found(client: &Client, place: &str) -> Result<Option<usize>, Trouble> {
    let trouble = |error: tokio_postgres::Error| Trouble::of(place, &error);
    let there = "SELECT to_regclass('portcullis.schema_version') IS NOT NULL";
    let is_there: bool = client.query_one(there, &[]).await.map_err(trouble)?.get(0);
    if !is_there {
        return Ok(None);
    }
    let row =
        client.query_opt("SELECT version FROM portcullis.schema_version", &[]).await.map_err(trouble)?;
    let version = row.map(|row| row.get::<_, i32>(0).unsigned_abs());
    let known = STEPS.len() as u32;
    match version {
        Some(found) if found > known => {
            Err(StoreError::Newer { path: PathBuf::from(place), found, known }.into())
        }
        version => Ok(version.map(|version| version as usize)),
    }
}
