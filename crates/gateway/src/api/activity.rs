//! What was recorded: lists, one record, counts, exports and the state of the chain. Values were masked when they were
//! stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use portcullis_store::{
    CSV_HEADER, DIMENSIONS, Entry, Filter, Kind, Status, StoreError, Verdict, csv_line, json_line, time_text,
};
use serde_json::{Value, json};

use super::{Answer, Asked, Refused, data, stored};
use crate::gate::Gate;
use crate::session::now_us;

/// What a list may be asked for.
const MEMBERS: [&str; 12] = [
    "kind",
    "status",
    "server",
    "tool",
    "session",
    "sensitive",
    "risk",
    "since_us",
    "until_us",
    "before",
    "limit",
    "format",
];
/// Records in one answer.
const USUAL: usize = 100;
const MOST: usize = 1000;
/// Records in one export; more are fetched with `before`.
const MOST_EXPORTED: usize = 100_000;
/// The days of a summary that names none, in microseconds.
const WEEK_US: i64 = 7 * 86_400 * 1_000_000;

/// `GET /activity`.
pub(super) async fn list(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (filter, before, most) = question(&asked, USUAL, MOST)?;
    let store = Arc::clone(&gate.settings.store);
    stored(move || {
        let page = store.list(&filter, before, most)?;
        let next = page.entries.last().filter(|_| page.entries.len() == most).map(|entry| entry.seq);
        let entries: Vec<Value> = page.entries.iter().map(shown).collect();
        data(json!({ "records": entries, "next_before": next }))
    })
    .await
}

/// `GET /activity/{id}`.
pub(super) async fn record(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let seq: u64 =
        asked.part("id").parse().map_err(|_| Refused::not_found("A record is named by its number"))?;
    let store = Arc::clone(&gate.settings.store);
    stored(move || {
        let line = json_line(&store.record(seq)?);
        data(serde_json::from_str(&line).unwrap_or_default())
    })
    .await
}

/// `GET /activity/summary`.
pub(super) async fn summary(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let query = asked.query(&["since_us", "until_us", "by"])?;
    let now = now_us();
    let since = number(&query, "since_us")?.unwrap_or(now - WEEK_US);
    let until = number(&query, "until_us")?.unwrap_or(now);
    let by = dimensions(query.get("by").map(String::as_str))?;
    let store = Arc::clone(&gate.settings.store);
    stored(move || {
        let summary = store.summary(since, until, &by)?;
        let counts = |(dimension, values): (&String, &Vec<(String, u64)>)| {
            let value = |(value, count): &(String, u64)| json!({ "value": value, "count": count });
            (dimension.clone(), values.iter().map(value).collect::<Value>())
        };
        let counts: serde_json::Map<String, Value> = summary.counts.iter().map(counts).collect();
        data(json!({ "records": summary.records, "counts": counts }))
    })
    .await
}

/// What to count by: all there is, unless a list of words says less.
fn dimensions(by: Option<&str>) -> Result<Vec<&'static str>, Refused> {
    let Some(by) = by else { return Ok(DIMENSIONS.to_vec()) };
    let known = |word: &str| DIMENSIONS.into_iter().find(|dimension| *dimension == word);
    let unknown = || Refused::bad(format!("`by` may hold {}, with commas between", DIMENSIONS.join(", ")));
    by.split(',').map(|word| known(word).ok_or_else(unknown)).collect()
}

/// `GET /activity/export`: JSON lines or CSV, newest first.
pub(super) async fn export(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (filter, before, most) = question(&asked, MOST_EXPORTED, MOST_EXPORTED)?;
    let is_csv = match asked.query(&MEMBERS)?.get("format").map(String::as_str) {
        None | Some("jsonl") => false,
        Some("csv") => true,
        Some(_) => return Err(Refused::bad("`format` is jsonl or csv")),
    };
    let store = Arc::clone(&gate.settings.store);
    stored(move || {
        let mut text = if is_csv { format!("{CSV_HEADER}\n") } else { String::new() };
        let line = if is_csv { csv_line } else { json_line };
        let mut before = before;
        let mut left = most;
        while left > 0 {
            let page = store.list(&filter, before, left.min(MOST))?;
            for entry in &page.entries {
                match store.record(entry.seq) {
                    Ok(record) => text.push_str(&(line(&record) + "\n")),
                    // Retention went over it just now.
                    Err(StoreError::NoRecord { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            left -= page.entries.len();
            let Some(last) = page.entries.last() else { break };
            before = Some(last.seq);
        }
        let media = if is_csv { "text/csv; charset=utf-8" } else { "application/x-ndjson" };
        Ok(Answer::Text(media, Bytes::from(text)))
    })
    .await
}

/// `GET /activity/verify`.
pub(super) async fn verify(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let store = Arc::clone(&gate.settings.store);
    stored(move || {
        let chains = store.verify()?;
        let chain = |chain: &portcullis_store::Chain| json!({ "writer": chain.writer, "verdict": verdict(&chain.verdict) });
        let is_whole = chains.iter().all(|chain| chain.verdict.bad.is_none());
        data(json!({ "whole": is_whole, "chains": chains.iter().map(chain).collect::<Vec<_>>() }))
    })
    .await
}

fn question(asked: &Asked, usual: usize, most: usize) -> Result<(Filter, Option<u64>, usize), Refused> {
    let query = asked.query(&MEMBERS)?;
    let words = |key: &str| query.get(key).map(|text| text.split(',')).into_iter().flatten();
    let unknown = |what: &str| Refused::bad(format!("`{what}` is not one of the words there are for it"));
    let kinds = words("kind").map(Kind::named).collect::<Option<Vec<_>>>();
    let statuses = words("status").map(Status::named).collect::<Option<Vec<_>>>();
    let text = |key: &str| query.get(key).cloned();
    let filter = Filter {
        kinds: kinds.ok_or_else(|| unknown("kind"))?,
        statuses: statuses.ok_or_else(|| unknown("status"))?,
        server: text("server"),
        tool: text("tool"),
        session: text("session"),
        sensitive: text("sensitive"),
        risk: number(&query, "risk")?.unwrap_or_default(),
        since_us: number(&query, "since_us")?,
        until_us: number(&query, "until_us")?,
    };
    let limit = number(&query, "limit")?.unwrap_or(usual).clamp(1, most);
    Ok((filter, number(&query, "before")?, limit))
}

pub(super) fn number<T: std::str::FromStr>(
    query: &BTreeMap<&'static str, String>,
    key: &str,
) -> Result<Option<T>, Refused> {
    let read = |text: &String| text.parse().map_err(|_| Refused::bad(format!("`{key}` is a number")));
    query.get(key).map(read).transpose()
}

fn shown(entry: &Entry) -> Value {
    json!({
        "seq": entry.seq, "time": time_text(entry.at_us), "kind": entry.kind.word(), "status": entry.status.word(),
        "risk": entry.risk, "server": entry.server, "tool": entry.tool, "session": entry.session,
        "sensitive": entry.sensitive,
    })
}

fn verdict(verdict: &Verdict) -> Value {
    let bad = verdict.bad.as_ref().map(|bad| json!({ "seq": bad.seq, "what": bad.what }));
    json!({
        "first": verdict.first, "last": verdict.last, "redacted": verdict.redacted,
        "checkpoints": verdict.checkpoints, "bad": bad,
    })
}
