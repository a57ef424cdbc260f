//! The file as it was written, once its keys are known to be right: plain data, nothing decided yet.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Everything but the servers, whose order matters.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Written {
    pub(super) listen: Option<String>,
    pub(super) tls: Option<Tls>,
    pub(super) insecure: bool,
    pub(super) data_dir: Option<String>,
    pub(super) store: Option<String>,
    pub(super) flow_store: Option<String>,
    pub(super) seal_key: Option<String>,
    pub(super) node_address: Option<String>,
    pub(super) auth: Auth,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) activity: Activity,
    pub(super) limits: Limits,
    pub(super) timing: Timing,
    pub(super) telemetry: Telemetry,
    pub(super) rules: Vec<String>,
    pub(super) security: Security,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Security {
    pub(super) alerts: Alerts,
    pub(super) pii_detection: Detection,
    pub(super) tool_quarantine: Quarantine,
    pub(super) allow_private_addresses: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Alerts {
    pub(super) exfiltration_detection: Option<bool>,
    pub(super) pii_exposure: Option<bool>,
    pub(super) webhook_url: Option<String>,
    pub(super) webhook_secret: Option<String>,
    pub(super) ca_file: Option<String>,
    pub(super) allow_private_addresses: Vec<String>,
    pub(super) least_severity: Option<String>,
    pub(super) window_s: Option<u64>,
    pub(super) desktop: Option<String>,
}

/// What of it is the records' business.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Detection {
    pub(super) auto_redact_after_days: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Quarantine {
    pub(super) enabled: Option<bool>,
    pub(super) auto_quarantine_new_tools: Option<bool>,
    pub(super) rug_pull_detection: Option<bool>,
    pub(super) quarantine_server_on_rug_pull: Option<bool>,
    pub(super) agents_may_quarantine: Option<bool>,
    pub(super) recheck_s: Option<u64>,
    pub(super) lock: Option<String>,
    pub(super) suppressions: Option<String>,
    pub(super) volatile: Vec<VolatileMark>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct VolatileMark {
    pub(super) subject: String,
    pub(super) pointer: String,
    pub(super) kind: String,
}

/// Two files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tls {
    pub(super) cert: Option<String>,
    pub(super) key: Option<String>,
}

/// Who may call.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Auth {
    /// `"none"`.
    Word(#[expect(dead_code, reason = "there is only one word, and the keys were checked")] String),
    Tokens {
        tokens: Vec<String>,
    },
}

impl Default for Auth {
    fn default() -> Self {
        Auth::Word("none".to_owned())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Activity {
    pub(super) durability: Option<String>,
    pub(super) unrecorded: Option<String>,
    pub(super) keep_days: Option<u32>,
    pub(super) keep_records: Option<u64>,
    pub(super) keep_bytes: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Limits {
    pub(super) message_bytes: Option<u32>,
    pub(super) sessions: Option<usize>,
    pub(super) calls: Option<usize>,
    pub(super) connections: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Timing {
    pub(super) connect_ms: Option<u64>,
    pub(super) start_ms: Option<u64>,
    pub(super) answer_ms: Option<u64>,
    pub(super) request_ms: Option<u64>,
    pub(super) unread_ms: Option<u64>,
    pub(super) session_ms: Option<u64>,
    pub(super) keep_alive_ms: Option<u64>,
    pub(super) drain_ms: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Telemetry {
    pub(super) log: Option<String>,
    pub(super) format: Option<String>,
    pub(super) otlp_endpoint: Option<String>,
}

/// One of `mcpServers`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Server {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) cwd: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) oauth: OAuth,
    pub(super) ca_file: Option<String>,
    pub(super) proxy: Option<String>,
    pub(super) timeout_ms: Option<u64>,
    pub(super) disabled: bool,
    pub(super) each_node: bool,
    pub(super) trust: Option<String>,
}

/// `true`, `false`, or how.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OAuth {
    Wanted(bool),
    How(OAuthClient),
}

impl Default for OAuth {
    fn default() -> Self {
        OAuth::Wanted(false)
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OAuthClient {
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<String>,
    pub(super) scopes: Vec<String>,
    pub(super) callback_port: Option<u16>,
}
