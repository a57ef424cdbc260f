//! What a file may say, and what is said about one that is wrong.

use std::path::Path;

use http::Uri;
use portcullis_decide::Band;
use portcullis_gateway::settings::{Access, Credential, NodeAddress, Transport};
use portcullis_store::Level;

use super::*;

fn environment(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("t0ken-of-sixteen-letters".to_owned()),
        "SECRET" => Some("swordfish".to_owned()),
        _ => None,
    }
}

fn config(text: &str) -> Config {
    understood(text, Path::new("/etc/gate"), &environment).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The messages about a file that is wrong.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let problems = understood(text, Path::new(""), &environment).expect_err("this file is wrong");
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    assert!(!found.iter().any(|message| message.contains("swordfish")), "a secret was shown");
}

#[test]
fn an_empty_file_means_the_usual() {
    let config = config("{}");
    assert_eq!(config.listen.to_string(), USUAL_ADDRESS);
    assert_eq!(config.access, Access::Open);
    assert_eq!(config.durability, Level::Process);
    assert!(config.servers.is_empty() && !config.passes_unrecorded);
}

#[test]
fn servers_are_as_clients_write_them() {
    let config = config(
        r#"{
          // two servers
          "mcpServers": {
            "zeta": { "command": "npx", "args": ["-y", "x"], "env": { "KEY": "${env:SECRET}" }, "cwd": "work" },
            "alpha": {
              "type": "http", "url": "https://example.com/mcp",
              "headers": { "Authorization": "Bearer ${env:SECRET}", "X-Team": "a" }, "timeout_ms": 5000
            },
            "off": { "command": "x", "disabled": true, "autoApprove": [] },
            "signed": { "url": "http://127.0.0.1:1/mcp", "oauth": { "scopes": ["read"] } }
          }
        }"#,
    );
    let names: Vec<&str> = config.servers.iter().map(|configured| configured.server.name.as_str()).collect();
    assert_eq!(names, ["zeta", "alpha", "signed"]);
    let Transport::Stdio(launch) = &config.servers[0].server.transport else { panic!("a child") };
    assert_eq!(launch.environment, [("KEY".to_owned(), "swordfish".to_owned())]);
    assert_eq!(launch.directory.as_deref(), Some(Path::new("/etc/gate/work")));
    let Transport::Http(remote) = &config.servers[1].server.transport else { panic!("a remote") };
    assert!(matches!(&remote.credential, Credential::Fixed(value) if value == "Bearer swordfish"));
    assert_eq!(remote.headers.len(), 1);
    assert_eq!(config.servers[2].sign_in.as_ref().unwrap().scopes, ["read"]);
    let shown = format!("{config:?}");
    assert!(!shown.contains("Bearer"), "{shown}");
}

#[test]
fn the_section_on_security_loads_unchanged_and_takes_effect() {
    let config = config(
        r#"{ "security": {
          "pii_detection": {
            "enabled": true, "patterns": ["email", "ssn", "credit_card", "phone", "api_key"],
            "custom_patterns": [{ "name": "employee_id", "regex": "EMP-\\d{6}", "severity": "medium" }],
            "auto_redact_after_days": 30
          },
          "risk_assessment": {
            "enabled": true, "auto_flag_threshold": 70, "require_approval_threshold": 85, "block_on_critical": false
          },
          "tool_quarantine": { "enabled": true, "auto_quarantine_new_tools": true, "rug_pull_detection": true },
          "tool_policy": {
            "read": "allow", "write": "allow", "destructive": "deny", "contradiction": "deny", "log_level": "warn"
          },
          "alerts": {
            "exfiltration_detection": true, "pii_exposure": true, "webhook_url": "https://alerts.example.com/hook"
          }
        } }"#,
    );
    assert!(config.alerts.webhook.is_some());
    assert_eq!((config.alerts.exfiltration, config.alerts.personal), (Some(true), Some(true)));
    assert_eq!(config.retention.redact_after_days, 30);
    assert_eq!(config.judge.sought.patterns()[0].name, "employee_id");
}

#[test]
fn agents_hold_servers_unless_it_is_switched_off() {
    let may = |keys: &str| {
        let text = format!(r#"{{ "security": {{ "tool_quarantine": {{ {keys} }} }} }}"#);
        config(&text).quarantine.agents_may_quarantine
    };
    assert!(may(""));
    assert!(!may(r#""agents_may_quarantine": false"#));
}

#[test]
fn limits_times_and_tokens() {
    let config = config(
        r#"{ "listen": "0.0.0.0:80", "insecure": true, "auth": { "tokens": ["${env:TOKEN}"] },
             "limits": { "message_bytes": 2048 }, "timing": { "drain_ms": 0 }, "data_dir": "data",
             "activity": { "durability": "power", "unrecorded": "pass" },
             "seal_key": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff" }"#,
    );
    assert_eq!(config.limits.message.bytes, 2048);
    assert!(config.timing.drain.is_zero());
    assert_eq!(config.data_dir.as_deref(), Some(Path::new("/etc/gate/data")));
    assert_eq!(config.seal_key.map(|key| (key[1], key[31])), Some((0x11, 0xff)));
    assert_eq!((config.durability, config.passes_unrecorded), (Level::Power, true));
}

#[test]
fn one_gateway_runs_a_process_for_all_where_they_reach_each_other() {
    let node = |text: &str| {
        let key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
        let auth = r#""auth": { "tokens": ["${env:TOKEN}"] }, "insecure": true, "mcpServers": { "a": { "command": "b" } }"#;
        let config = config(&format!(r#"{{ {auth}, {} }}"#, text.replace("KEY", key)));
        (config.node(), config.runs_everywhere().is_some())
    };
    let at = |text: &'static str| Some(NodeAddress::At(Uri::from_static(text)));
    let shared = r#""store": "postgres://a/b", "seal_key": "KEY""#;
    let with = |more: &str| node(&format!("{shared}, {more}"));
    assert_eq!(with(r#""listen": "10.0.0.7:80""#), (Some(NodeAddress::Listening), false));
    assert_eq!(with(r#""node_address": "http://one:80""#), (at("http://one:80"), false));
    for unknown in [r#""listen": "0.0.0.0:80""#, r#""listen": "127.0.0.1:80""#] {
        assert_eq!(with(unknown), (None, true), "{unknown}");
    }
    assert_eq!(node(r#""store": "postgres://a/b", "listen": "10.0.0.7:80""#), (None, true));
    assert_eq!(node(r#""seal_key": "KEY", "listen": "10.0.0.7:80""#), (None, false));
}

#[test]
fn unknown_keys_name_the_nearest_and_the_place() {
    check(
        "{\n  \"lisen\": 1,\n  \"colour\": 2 }",
        &[
            "2:3: no key is called `lisen`; did you mean `listen`?",
            "3:3: no key is called `colour`; known are `$schema`, `mcpServers`, `listen`, `tls`, `insecure`, `data_dir`, `store`, `flow_store`, `seal_key`, `node_address`, `auth`, `hosts`, `origins`, `activity`, `limits`, `timing`, `telemetry`, `rules`, `scan`, `profile`, `security`",
        ],
    );
    check(
        r#"{"security": {"alerts": {"webhok_url": "x"}}}"#,
        &["1:26: no key is called `security.alerts.webhok_url`; did you mean `webhook_url`?"],
    );
    check(
        r#"{"mcpServers": {"a": {"comand": "x"}}}"#,
        &["1:23: no key is called `mcpServers.a.comand`; did you mean `command`?"],
    );
}

#[test]
fn wrong_values_say_what_belongs_there() {
    check(
        r#"{"listen": 80, "profile": "stict", "auth": "all", "limits": {"calls": 0}, "hosts": "a"}"#,
        &[
            "1:12: `listen` is a text",
            "1:27: `profile` is one of `observe`, `balanced`, `strict`; did you mean `strict`?",
            "1:44: `auth` is one of `none`",
            "1:71: `limits.calls` is a whole number from 1 to 1099511627776",
            "1:84: `hosts` is a list",
        ],
    );
    check(
        r#"{"listen": "here", "seal_key": "12", "store": "mysql://x", "auth": {"tokens": ["short"]}}"#,
        &[
            "1:12: `listen` is an address and a port, such as 127.0.0.1:8930 or [::1]:8930",
            "1:32: `seal_key` is 64 hexadecimal digits, such as `openssl rand -hex 32` writes",
            "1:47: `store` is `sqlite`, or the address of a database, as postgres://user@host/database",
            "1:68: `auth.tokens` holds at least one token, each of 16 characters or more",
        ],
    );
    check(
        r#"{"flow_store": "memcached://x"}"#,
        &["1:16: `flow_store` is `memory`, or an address, as redis://host:6379 or rediss://host"],
    );
    check(
        r#"{"flow_store": "redis://x"}"#,
        &["1:16: `flow_store` needs a `seal_key`, the same for every gateway: it seals what they share"],
    );
    let where_from = "`node_address` is where other gateways reach this one: http:// or https://, a host and a port, as http://10.0.0.7:8930";
    for address in
        ["10.0.0.7:8930", "ftp://a", "http://0.0.0.0:80", "http://[::]:80", "http://a/b", "http://u@a"]
    {
        let text = format!(r#"{{"node_address": "{address}"}}"#);
        check(&text, &[&format!("1:18: {where_from}")]);
    }
    check(
        r#"{"node_address": "http://10.0.0.7:8930"}"#,
        &[
            "1:18: `node_address` needs a `store` that gateways share, and the same `seal_key` for every one of them",
        ],
    );
    check(
        r#"{"mcpServers": {"a": {"url": "http://a.example", "each_node": true}}}"#,
        &["1:63: `each_node` does not go with how this server is reached"],
    );
    check(
        r#"{"listen": "0.0.0.0:80"}"#,
        &[
            "1:1: listening beyond this machine needs `auth` with tokens",
            "1:12: listening beyond this machine needs `tls`, or `insecure: true` to do without",
        ],
    );
    check(r#"{"data_dir": "${env:NOTHING}"}"#, &["1:14: the environment variable NOTHING is not set"]);
}

#[test]
fn servers_that_make_no_sense() {
    check(
        r#"{"mcpServers": {
          "My Server": {"command": "x"},
          "both": {"command": "x", "url": "http://a"},
          "none": {"args": []},
          "odd": {"url": "ftp://${env:SECRET}"},
          "mixed": {"command": "x", "headers": {"A": "b"}},
          "twice": {"url": "http://a", "headers": {"Authorization": "x"}, "oauth": true},
          "header": {"url": "http://a", "headers": {"a b": "${env:SECRET}"}},
          "router": {"command": "x"}
        }}"#,
        &[
            "2:11: a server's name is made of small letters, digits and hyphens; `my-server` would do",
            "3:43: a server has either `command` or `url`",
            "4:19: a server needs `command`, or `url`",
            "5:26: `url` is an address that starts with http:// or https://",
            "6:48: `headers` does not go with how this server is reached",
            "7:84: `oauth` does not go with how this server is reached",
            "8:52: the name of the header `a b` is not one",
            "9:11: `router` is the path where agents search for tools: call the server otherwise",
        ],
    );
}

#[test]
fn the_schema_knows_the_keys() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    assert_eq!(schema["properties"]["profile"]["enum"][1], "balanced");
    assert_eq!(schema["additionalProperties"], false);
    let server = &schema["properties"]["mcpServers"]["additionalProperties"];
    assert_eq!(server["properties"]["command"]["type"], "string");
}

#[test]
fn a_server_may_be_inside_but_not_where_clouds_keep_secrets() {
    for url in
        ["http://127.0.0.1:1/mcp", "http://localhost:1/mcp", "http://10.0.0.1/mcp", "http://mcp:8080/mcp"]
    {
        let file = format!(r#"{{ "mcpServers": {{ "a": {{ "url": "{url}" }} }} }}"#);
        assert_eq!(config(&file).servers.len(), 1, "{url}");
    }
    let metadata = r#""mcpServers": { "a": { "url": "http://169.254.169.254/mcp" } }"#;
    check(
        &format!("{{ {metadata} }}"),
        &[
            "1:33: `url` is refused: 169.254.169.254 is a cloud's metadata service, where this address may not lead: `security.allow_private_addresses` can list it",
        ],
    );
    let listed = r#""security": { "allow_private_addresses": ["169.254.169.254"] }"#;
    assert_eq!(config(&format!("{{ {metadata}, {listed} }}")).networks.len(), 1);
    check(
        r#"{ "mcpServers": { "a": { "url": "http://0x7f.1/mcp" }, "b": { "url": "http://me:pass@b.example/" } } }"#,
        &[
            "1:33: `url` is refused: its host is neither a name nor an address in the usual spelling",
            "1:70: `url` is refused: a user before the host is not taken: a credential belongs in `headers`",
        ],
    );
    check(
        r#"{ "security": { "allow_private_addresses": ["10.0.0.0/33"] } }"#,
        &["1:15: `security.allow_private_addresses` lists addresses and ranges, such as 10.0.0.0/8 or ::1"],
    );
}

#[test]
fn an_alert_is_told_where_and_as_the_file_says() {
    let rules = config(
        r#"{ "security": { "alerts": {
          "webhook_url": "https://alerts.example.com/${env:SECRET}", "webhook_secret": "${env:TOKEN}",
          "least_severity": "high", "window_s": 60, "desktop": "notify-send", "pii_exposure": false,
          "allow_private_addresses": ["10.0.0.0/8"]
        } } }"#,
    )
    .alerts;
    assert_eq!((rules.least, rules.window.as_secs(), rules.personal), (Band::High, 60, Some(false)));
    assert!(rules.desktop.is_some() && rules.exfiltration.is_none());
    let shown = format!("{rules:?}");
    assert!(shown.contains("is_signed: true") && !shown.contains("swordfish"), "{shown}");
    let none = config(r#"{ "security": { "alerts": { "desktop": "none" } } }"#).alerts;
    assert!(none.desktop.is_none() && none.webhook.is_none());
    check(
        r#"{"security": {"alerts": {"webhook_url": "ftp://a/${env:SECRET}", "webhook_secret": "short"}}}"#,
        &[
            "1:14: `security.alerts.webhook_secret` is at least 16 characters long",
            "1:14: `security.alerts.webhook_url` is an address that starts with http:// or https://",
        ],
    );
    check(
        r#"{"security": {"alerts": {"webhook_url": "http://a", "allow_private_addresses": ["10"]}}}"#,
        &["1:14: `security.alerts.allow_private_addresses` lists addresses and ranges, such as 10.0.0.0/8"],
    );
}
