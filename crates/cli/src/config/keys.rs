//! The keys of `portcullis.json`.

use super::key::Key;
use super::key::Kind::{self, Anything, Bool, Choice, Either, List, Map, Number, Section, Text};
use super::scan_part::SCAN;

/// A day is the longest anything may wait.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// More than any machine holds.
const MANY: u64 = 1 << 40;

const fn key(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, about }
}

/// The whole file.
pub(crate) const FILE: Kind = Section(&[
    key("$schema", Text, "Where editors find the schema of this file."),
    key(
        "mcpServers",
        Map(&Section(SERVER)),
        "The MCP servers by name, as clients write them. Names are small letters, digits and hyphens.",
    ),
    key("listen", Text, "Address and port to listen on. Default: 127.0.0.1:8930."),
    key("tls", Section(TLS), "Who the gateway is towards agents; needed to listen beyond this machine."),
    key("insecure", Bool, "Listen beyond this machine without TLS. Needed to say so on purpose."),
    key("data_dir", Text, "The data directory. Default: the user's own."),
    key(
        "store",
        Text,
        "Where approvals and activity are kept: `sqlite`, in the data directory, or `postgres://user@host/database`.",
    ),
    key(
        "flow_store",
        Text,
        "Where the state of data flows is kept: `memory`, or `redis://host` (Redis or Valkey) for several gateways.",
    ),
    key(
        "seal_key",
        Text,
        "64 hexadecimal digits that seal session ids; the same on every node. Default: made once, kept in the data directory.",
    ),
    key(
        "node_address",
        Text,
        "Where other gateways of the same `store` reach this one, as http://10.0.0.7:8930: one runs a server's process for all. \
         Default: `listen`, where other machines reach that without TLS.",
    ),
    key(
        "auth",
        Either(&[Choice(&["none"]), Section(AUTH)]),
        "Who may call: `none` (loopback only), or tokens.",
    ),
    key("hosts", List(&Text), "Host names requests may be addressed to, beside those of this machine."),
    key("origins", List(&Text), "Origins that may call from a browser, beside those of this machine."),
    key("activity", Section(ACTIVITY), "How calls are recorded."),
    key("limits", Section(LIMITS), "How much of everything."),
    key("timing", Section(TIMING), "How long everything may take."),
    key("telemetry", Section(TELEMETRY), "Logs and traces."),
    key("rules", List(&Text), "Files with rules of your own."),
    key("scan", Section(SCAN), "What `portcullis scan` takes for granted; flags and variables overrule it."),
    key("profile", Choice(&["observe", "balanced", "strict"]), "How strict the guard is. Default: balanced."),
    key("security", Section(SECURITY), "What is looked for and what happens then."),
]);

const SERVER: &[Key] = &[
    key(
        "type",
        Choice(&["stdio", "http", "streamable-http", "streamableHttp", "sse"]),
        "How it is reached; `command` or `url` says it too. `sse` is the HTTP of 2024-11-05, with two addresses.",
    ),
    key("command", Text, "The program to start."),
    key("args", List(&Text), "Its arguments."),
    key(
        "env",
        Map(&Text),
        "Its environment; nothing else of ours reaches it but what a process needs to run.",
    ),
    key("cwd", Text, "Where it runs."),
    key("url", Text, "Where it answers, http or https."),
    key("headers", Map(&Text), "Headers sent with every request."),
    key("oauth", Either(&[Bool, Section(OAUTH)]), "Sign in by OAuth 2.1 when the server asks for it."),
    key("ca_file", Text, "Certificates of authorities in PEM, beside the machine's own."),
    key("proxy", Text, "The HTTP proxy on the way to it."),
    key("timeout_ms", Number(1, DAY_MS), "How long it may be silent when it owes an answer."),
    key("disabled", Bool, "Leave this server out."),
    key("each_node", Bool, "Run a process on every gateway of a shared `store`, not one for all."),
    key("trust", Choice(&["manual", "scan", "pinned"]), "Who approves its tools. Default: manual."),
    key("timeout", Anything, "Kept by some clients; no meaning here."),
    key("autoApprove", Anything, "Kept by some clients; no meaning here."),
    key("alwaysAllow", Anything, "Kept by some clients; no meaning here."),
    key("description", Anything, "Kept by some clients; no meaning here."),
    key("gallery", Anything, "Kept by some clients; no meaning here."),
];

const OAUTH: &[Key] = &[
    key("client_id", Text, "The id of a client registered beforehand, or the URL of its metadata document."),
    key("client_secret", Text, "Its secret, if it has one."),
    key("scopes", List(&Text), "What to ask for. Default: what the server names."),
    key(
        "callback_port",
        Number(1, 65535),
        "The loopback port the browser returns to. Default: any free one.",
    ),
];

const TLS: &[Key] = &[
    key("cert", Text, "The certificate in PEM, followed by those that vouch for it."),
    key(
        "key",
        Text,
        "Its private key in PEM, not encrypted. Both files are read again when they change, and on SIGHUP.",
    ),
];

const AUTH: &[Key] =
    &[key("tokens", List(&Text), "Tokens of agents; each opens /mcp and what is below it, nothing else.")];

const ACTIVITY: &[Key] = &[
    key(
        "durability",
        Choice(&["process", "power"]),
        "What a record outlives: this process, or the machine's power. Default: process.",
    ),
    key(
        "unrecorded",
        Choice(&["refuse", "pass"]),
        "What happens to a call that cannot be recorded. Default: refuse.",
    ),
    key("keep_days", Number(1, 36_500), "Days a record is kept. Default: 90."),
    key(
        "keep_records",
        Number(1000, MANY),
        "Records kept, of all gateways that share a store. Default: 1000000.",
    ),
    key("keep_bytes", Number(1 << 20, 1 << 50), "Bytes kept. Default: 1 GB."),
];

const LIMITS: &[Key] = &[
    key("message_bytes", Number(1024, u32::MAX as u64), "The largest message."),
    key("sessions", Number(1, MANY), "Sessions at a time."),
    key("calls", Number(1, MANY), "Calls one server may have in flight."),
    key("connections", Number(1, MANY), "Connections at a time."),
];

const TIMING: &[Key] = &[
    key("connect_ms", Number(1, DAY_MS), "Reaching a server."),
    key(
        "start_ms",
        Number(1, DAY_MS),
        "The first answer of a server that was started. Default: 30000, because it may have to be fetched.",
    ),
    key("answer_ms", Number(1, DAY_MS), "The silence of a server that owes an answer."),
    key(
        "request_ms",
        Number(1, DAY_MS),
        "A client's headers, or its body unless that comes at 16 KB a second. Default: 20000.",
    ),
    key("unread_ms", Number(1, DAY_MS), "A client that does not take what it is sent. Default: 60000."),
    key("session_ms", Number(1, 30 * DAY_MS), "A session nobody uses."),
    key("keep_alive_ms", Number(1, DAY_MS), "The silence after which an open stream gets a comment."),
    key("drain_ms", Number(0, DAY_MS), "Calls in flight when the gateway stops."),
];

const TELEMETRY: &[Key] = &[
    key(
        "log",
        Choice(&["off", "error", "warn", "info", "debug", "trace"]),
        "What is written to stderr. Default: info.",
    ),
    key("format", Choice(&["text", "json"]), "How it is written. Default: text."),
    key(
        "otlp_endpoint",
        Text,
        "Where traces are sent by OTLP over HTTP, such as http://127.0.0.1:4318. Default: nowhere.",
    ),
];

const SECURITY: &[Key] = &[
    key("pii_detection", Section(PII), "Secrets and personal data in calls and results."),
    key("risk_assessment", Section(RISK), "What a call's risk leads to."),
    key("tool_quarantine", Section(QUARANTINE), "New and changed tools."),
    key("tool_policy", Section(POLICY), "What happens to each kind of operation."),
    key("policy", Section(RULES), "What happens beyond that, by rule, server, tool, argument and condition."),
    key(
        "labels",
        Map(&Section(LABELS)),
        "What tools can do, by `server/tool`, where their names and descriptions do not say it.",
    ),
    key("own_domains", List(&Text), "Domains of your own: what goes there stays inside."),
    key("suspicious_hosts", List(&Text), "Hosts nothing may be sent to, beside those that ship."),
    key("canaries", List(&Text), "Tokens planted where nobody has honest business; seeing one is critical."),
    key("exfiltration", Section(EXFILTRATION), "How much may leave within a window."),
    key(
        "rate_limits",
        List(&Section(RATE)),
        "How often each agent may call; over all nodes that share flows.",
    ),
    key("flows", Section(FLOWS), "How much is remembered of what went through."),
    key("approvals", Section(APPROVALS), "How calls wait for a human."),
    key("alerts", Section(ALERTS), "Who is told."),
    key(
        "allow_private_addresses",
        List(&Text),
        "Addresses inside, as 10.0.0.0/8, that servers added over the API may have and servers may name. Default: none.",
    ),
];

const PII: &[Key] = &[
    key("enabled", Bool, "Whether calls are judged by it. Records are masked either way. Default: true."),
    key(
        "patterns",
        List(&Text),
        "What to look for: api_key (all secrets), email, ssn, credit_card, phone, iban, ip, national_id, date_of_birth, or ids of rows. Default: all.",
    ),
    key(
        "custom_patterns",
        List(&Section(CUSTOM)),
        "Patterns of your own, looked for whatever `patterns` names.",
    ),
    key(
        "auto_redact_after_days",
        Number(0, 36500),
        "After how many days records lose their bodies. Default: 30.",
    ),
];

const SEVERITY: Kind = Choice(&["low", "medium", "high", "critical"]);

const CUSTOM: &[Key] = &[
    key("name", Text, "What it is called in findings."),
    key("regex", Text, "What it looks like."),
    key("severity", SEVERITY, "How bad it is when it leaves; critical is refused. Default: medium."),
    key("keywords", List(&Text), "If there are any, one of these must stand in the same text."),
    key("validator", Choice(&["luhn", "iban", "ssn_group"]), "A checksum it must pass."),
];

const RISK: &[Key] = &[
    key("enabled", Bool, "Whether risk is worked out. Default: true."),
    key("auto_flag_threshold", Number(0, 100), "From where a call is flagged. Default: 70."),
    key("require_approval_threshold", Number(0, 100), "From where a human is asked. Default: 85."),
    key("block_on_critical", Bool, "Refuse from 70 instead of asking. Default: false."),
];

const QUARANTINE: &[Key] = &[
    key("enabled", Bool, "Whether anything is held. Default: true."),
    key("auto_quarantine_new_tools", Bool, "Whether new tools wait for approval. Default: true."),
    key("rug_pull_detection", Bool, "Whether changed tools are held. Default: true."),
    key(
        "quarantine_server_on_rug_pull",
        Bool,
        "Whether a changed tool holds its whole server. Default: false.",
    ),
    key(
        "agents_may_quarantine",
        Bool,
        "Whether an agent may hold a whole server, which a human lifts. Default: true.",
    ),
    key(
        "recheck_s",
        Number(1, 86_400),
        "How long what a server declares is taken to be the same. Default: 60.",
    ),
    key("lock", Text, "The lock that pinned servers are held to, such as portcullis.lock."),
    key("suppressions", Text, "Findings that were accepted, such as portcullis.suppress."),
    key("volatile", List(&Section(VOLATILE)), "Spans of definitions that may change from day to day."),
];

const VOLATILE: &[Key] = &[
    key("subject", Text, "Which server/tool; * stands for any run of characters."),
    key("pointer", Text, "Where in the definition, as a JSON pointer such as /description."),
    key("kind", Choice(&["counts", "dates"]), "What changes there: numbers, or numbers and dates."),
];

const ACTION: Kind = Choice(&["allow", "log", "warn", "redact", "approve", "deny"]);

const ON_RESULT: Kind = Choice(&["pass", "mark", "strip", "hold"]);

const POLICY: &[Key] = &[
    key("read", ACTION, "Calls that read."),
    key("write", ACTION, "Calls that write."),
    key("destructive", ACTION, "Calls that delete or overwrite."),
    key("contradiction", ACTION, "Calls that are not what they claim."),
    key("log_level", Choice(&["error", "warn", "info", "debug"]), "How loudly calls are logged."),
];

const RULES: &[Key] = &[
    key("rules", Map(&ACTION), "By check, such as flow.instruction_to_action, or its first word."),
    key(
        "results",
        Map(&ON_RESULT),
        "What happens to results, by check, such as result.injection, or its first word.",
    ),
    key("servers", Map(&ACTION), "By server; * stands for any run of characters."),
    key("tools", Map(&ACTION), "By server/tool."),
    key("arguments", List(&Section(ARGUMENT)), "By the value of a parameter."),
    key("conditions", List(&Section(CONDITION)), "By a CEL expression over the call's facts."),
    key("degraded", ACTION, "A call that not all checks could look at."),
    key("flows_away", ACTION, "A call that does more than read while `flow_store` is away."),
];

const ARGUMENT: &[Key] = &[
    key("server", Text, "Which server. Default: any."),
    key("tool", Text, "Which tool. Default: any."),
    key("parameter", Text, "Which parameter, at any depth."),
    key("value", Text, "What its value looks like; * stands for any run of characters. Default: anything."),
    key("act", ACTION, "What happens then."),
];

const CONDITION: &[Key] = &[
    key("id", Text, "What the rule is called in records."),
    key(
        "when",
        Text,
        "A CEL expression over server, tool, operation, args, checks, risk, destinations, outward, intent.",
    ),
    key("act", ACTION, "What happens when it is true."),
];

const LABELS: &[Key] = &[
    key("operation", Choice(&["read", "write", "destructive"]), "What it does."),
    key("destinations", List(&Text), "Parameters that say where something goes."),
    key("reads_private", Bool, "It reads data of the user or the firm."),
    key("sees_untrusted", Bool, "Its results are written by others."),
    key("can_send", Bool, "It can send something outside."),
    key("writes", Bool, "It changes something."),
    key("deletes", Bool, "It removes something."),
    key("executes", Bool, "It runs code."),
];

const EXFILTRATION: &[Key] = &[
    key("window_s", Number(1, 86_400), "The window. Default: 300."),
    key("calls_a_minute", Number(1, MANY), "Outward calls a minute. Default: 10."),
    key("personal_sends", Number(1, MANY), "Sends of personal data in the window. Default: 3."),
    key("bytes", Number(1, MANY), "Bytes in the window. Default: 1048576."),
];

const RATE: &[Key] = &[
    key("server", Text, "Which server; * stands for any run of characters. Default: any."),
    key("tool", Text, "Which tool. Default: any."),
    key("calls", Number(1, MANY), "Calls of one agent in one window."),
    key("seconds", Number(1, 86_400), "How long a window is. Default: 60."),
];

const FLOWS: &[Key] = &[
    key("most", Number(1, MANY), "Flows at a time. Default: 10000."),
    key("bytes", Number(1 << 20, MANY), "Memory of all of them. Default: 1073741824."),
    key("idle_s", Number(1, 86_400), "When a flow nobody uses has ended. Default: 1800."),
];

const APPROVALS: &[Key] = &[
    key("most", Number(1, MANY), "Calls that wait at a time; more are denied. Default: 1000."),
    key("wait_s", Number(0, 3600), "How long an agent waits before it is told to come again. Default: 45."),
    key("keep_s", Number(1, 86_400), "How long a call can be decided. Default: 600."),
    key(
        "by_elicitation",
        Bool,
        "Ask the user in their own client, where it can show a form. Default: false.",
    ),
];

const ALERTS: &[Key] = &[
    key(
        "exfiltration_detection",
        Bool,
        "About data that seem to leave: true also when a call was only warned about, false never. Default: when one was held or denied.",
    ),
    key("pii_exposure", Bool, "The same about secrets and personal data in calls."),
    key("webhook_url", Text, "Where alerts are posted, http or https."),
    key(
        "webhook_secret",
        Text,
        "What signs them, at least 16 characters; ${env:NAME} keeps it out of the file. Default: they are not signed.",
    ),
    key("ca_file", Text, "Certificates of authorities in PEM for the receiver, beside the machine's own."),
    key(
        "allow_private_addresses",
        List(&Text),
        "Addresses inside, as 10.0.0.0/8, that the receiver may have, beside those of `security`. Default: none.",
    ),
    key("least_severity", SEVERITY, "Alerts below this are not told. Default: low."),
    key("window_s", Number(1, 86_400), "The same alert again within this time is counted. Default: 300."),
    key(
        "desktop",
        Choice(&["none", "notify-send", "osascript"]),
        "The program that shows alerts on this machine's desktop. Default: none.",
    ),
];
