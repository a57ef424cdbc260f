//! Records as text: JSON with a version, read back strictly, because a record that is misread may let a tool through.

use portcullis_decide::approval::server::Server;
use portcullis_decide::approval::{Approval, Approver, Record, Rejection, State, TrustMode};
use portcullis_detect::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRecord {
    v: u8,
    state: String,
    enabled: bool,
    present: bool,
    seen: String,
    hard: Vec<Box<str>>,
    approval: Option<StoredApproval>,
    rejection: Option<StoredRejection>,
    /// Rare, and unknown to gateways from before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown_to: Option<Box<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredApproval {
    fingerprint: String,
    by: StoredApprover,
    at: u64,
    accepted: Vec<Box<str>>,
    reason: Option<Box<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredApprover {
    Operator(Box<str>),
    Setting,
    Scan,
    Lock,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRejection {
    by: Box<str>,
    at: u64,
    reason: Box<str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredServer {
    v: u8,
    launch: String,
    pending: Option<String>,
    quarantine: Option<Box<str>>,
    trust: String,
}

/// A record as it is stored.
pub(super) fn write_record(record: &Record) -> String {
    let approval = record.approval.as_ref().map(|approval| StoredApproval {
        fingerprint: approval.fingerprint.to_string(),
        by: match &approval.by {
            Approver::Operator(name) => StoredApprover::Operator(name.clone()),
            Approver::Setting => StoredApprover::Setting,
            Approver::Scan => StoredApprover::Scan,
            Approver::Lock => StoredApprover::Lock,
        },
        at: approval.at,
        accepted: approval.accepted.clone(),
        reason: approval.reason.clone(),
    });
    let rejection = record.rejection.as_ref().map(|rejection| StoredRejection {
        by: rejection.by.clone(),
        at: rejection.at,
        reason: rejection.reason.clone(),
    });
    json(&StoredRecord {
        v: VERSION,
        state: record.state.as_str().to_owned(),
        enabled: record.is_enabled,
        present: record.is_present,
        seen: record.seen.to_string(),
        hard: record.hard.clone(),
        approval,
        rejection,
        shown_to: record.shown_to.clone(),
    })
}

/// The record a text says, `None` if it says none.
pub(super) fn read_record(text: &str) -> Option<Record> {
    let stored: StoredRecord =
        serde_json::from_str(text).ok().filter(|stored: &StoredRecord| stored.v == VERSION)?;
    let approval = match stored.approval {
        None => None,
        Some(approval) => Some(Approval {
            fingerprint: Fingerprint::from_hex(&approval.fingerprint)?,
            by: match approval.by {
                StoredApprover::Operator(name) => Approver::Operator(name),
                StoredApprover::Setting => Approver::Setting,
                StoredApprover::Scan => Approver::Scan,
                StoredApprover::Lock => Approver::Lock,
            },
            at: approval.at,
            accepted: approval.accepted,
            reason: approval.reason,
        }),
    };
    let rejection = stored.rejection.map(|one| Rejection { by: one.by, at: one.at, reason: one.reason });
    Some(Record {
        state: State::ALL.into_iter().find(|state| state.as_str() == stored.state)?,
        is_enabled: stored.enabled,
        is_present: stored.present,
        seen: Fingerprint::from_hex(&stored.seen)?,
        hard: stored.hard,
        approval,
        rejection,
        shown_to: stored.shown_to,
    })
}

/// A server as it is stored.
pub(super) fn write_server(server: &Server) -> String {
    json(&StoredServer {
        v: VERSION,
        launch: server.launch.to_string(),
        pending: server.pending.map(|pending| pending.to_string()),
        quarantine: server.quarantine.clone(),
        trust: server.trust.as_str().to_owned(),
    })
}

/// The server a text says, `None` if it says none.
pub(super) fn read_server(text: &str) -> Option<Server> {
    let stored: StoredServer =
        serde_json::from_str(text).ok().filter(|stored: &StoredServer| stored.v == VERSION)?;
    let modes = [TrustMode::Manual, TrustMode::Scan, TrustMode::Pinned];
    let pending = match stored.pending {
        None => None,
        Some(pending) => Some(Fingerprint::from_hex(&pending)?),
    };
    Some(Server {
        launch: Fingerprint::from_hex(&stored.launch)?,
        pending,
        quarantine: stored.quarantine,
        trust: modes.into_iter().find(|mode| mode.as_str() == stored.trust)?,
    })
}

fn json(value: &impl Serialize) -> String {
    // INVARIANT: a struct of strings and numbers always becomes JSON; the empty default would be refused when read.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(byte: u8) -> Fingerprint {
        Fingerprint::from_bytes([byte; 32])
    }

    #[test]
    fn every_record_comes_back() {
        let approvers =
            [Approver::Operator("a\0\"b".into()), Approver::Setting, Approver::Scan, Approver::Lock];
        for (state, by) in State::ALL.into_iter().zip(approvers) {
            let approval = Approval {
                fingerprint: fingerprint(1),
                by,
                at: 7,
                accepted: vec!["a.b".into()],
                reason: Some("because".into()),
            };
            let rejection = Rejection { by: "b".into(), at: 9, reason: "no".into() };
            let record = Record {
                state,
                is_enabled: false,
                is_present: true,
                seen: fingerprint(2),
                hard: vec!["c.d".into()],
                approval: Some(approval),
                rejection: Some(rejection),
                shown_to: Some("an agent".into()),
            };
            assert_eq!(read_record(&write_record(&record)), Some(record.clone()));
            let bare = Record { approval: None, rejection: None, shown_to: None, ..record };
            assert_eq!(read_record(&write_record(&bare)), Some(bare));
        }
    }

    #[test]
    fn every_server_comes_back() {
        for (trust, pending) in
            [(TrustMode::Manual, None), (TrustMode::Scan, Some(fingerprint(3))), (TrustMode::Pinned, None)]
        {
            let quarantine = pending.map(|_| "held".into());
            let server = Server { launch: fingerprint(1), pending, quarantine, trust };
            assert_eq!(read_server(&write_server(&server)), Some(server));
        }
    }

    #[test]
    fn nothing_is_half_understood() {
        let record = Record {
            state: State::Approved,
            is_enabled: true,
            is_present: true,
            seen: fingerprint(2),
            hard: Vec::new(),
            approval: None,
            rejection: None,
            shown_to: None,
        };
        let text = write_record(&record);
        for (from, to) in [
            ("\"v\":1", "\"v\":2"),
            ("\"approved\"", "\"aproved\""),
            ("\"enabled\"", "\"other\""),
            ("0202", "02"),
            ("{", "{\"more\":1,"),
        ] {
            assert_eq!(read_record(&text.replacen(from, to, 1)), None, "{from}");
        }
    }
}
