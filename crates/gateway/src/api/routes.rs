//! The table of routes. What is more special stands before what is more general.

use http::Method;

use super::access::Role;
use super::route::{Act, Member, Route};
use super::{
    activity, alerts, definitions, events, guard, listing, noting, openapi, servers, sessions, status, tokens,
};

const fn member(name: &'static str, kind: &'static str, about: &'static str) -> Member {
    Member { name, kind, about }
}

const fn get(
    path: &'static str,
    role: Role,
    about: &'static str,
    takes: &'static [Member],
    act: Act,
) -> Route {
    Route { method: Method::GET, path, role, about, takes, act }
}

const fn post(
    path: &'static str,
    role: Role,
    about: &'static str,
    takes: &'static [Member],
    act: Act,
) -> Route {
    Route { method: Method::POST, path, role, about, takes, act }
}

/// An async function as one of the table.
macro_rules! act {
    ($path:path) => {
        |gate, asked| Box::pin($path(gate, asked))
    };
}

const REASON: Member = member("reason", "string", "Why, for whoever reads it later.");
const ADDED: &[Member] = &[
    member("name", "string", "Small letters, digits and hyphens."),
    member(
        "type",
        "string",
        "stdio, http or sse, if `command` or `url` does not say it: sse is the HTTP of 2024-11-05.",
    ),
    member("command", "string", "The program, for a server that runs here."),
    member("args", "array", "Its arguments."),
    member("env", "object", "Its environment beside the usual."),
    member("cwd", "string", "Where it runs."),
    member("url", "string", "Where it is, for a server elsewhere."),
    member("headers", "object", "What is sent with every request to it."),
    member("trust", "string", "manual, scan or pinned."),
    member("each_node", "boolean", "Run a process on every gateway of a shared store, not one for all."),
];
const APPROVED: &[Member] = &[
    member("fingerprint", "string", "Exactly what was read."),
    member("accept", "array", "The hard checks that are accepted, by id."),
    REASON,
];
const SUPPRESSED: &[Member] = &[
    member("check", "string", "The check, by id."),
    member("fingerprint", "string", "Exactly what was read."),
    REASON,
    member("days", "integer", "How long it counts; without it, until the definition changes."),
];
const UNSUPPRESSED: &[Member] = &[member("check", "string", "The check, by id.")];
const MARKED: &[Member] = &[
    member("pointer", "string", "The JSON pointer of the text inside the definition."),
    member("spans", "string", "What may change there: counts, dates or, to take a mark back, none."),
    member("fingerprint", "string", "Exactly what was read."),
];
const BULK: &[Member] = &[
    member("all_clean", "boolean", "Must be true: everything that waits and scans clean."),
    member("dry_run", "boolean", "Only say what would be approved."),
];
const FILTER: &[Member] = &[
    member("kind", "string", "Kinds of record, with commas between."),
    member("status", "string", "How it went, with commas between."),
    member("server", "string", "This server."),
    member("tool", "string", "This tool."),
    member("session", "string", "This session."),
    member("sensitive", "string", "With this type of sensitive data."),
    member("risk", "integer", "At least this risk."),
    member("since_us", "integer", "Not before, in microseconds since 1970."),
    member("until_us", "integer", "Before, in microseconds since 1970."),
    member("before", "integer", "Records before this one."),
    member("limit", "integer", "How many at most."),
    member("format", "string", "For an export: jsonl or csv."),
];
const SPAN: &[Member] = &[
    member("since_us", "integer", "Not before, in microseconds since 1970."),
    member("until_us", "integer", "Before, in microseconds since 1970."),
];
const LISTED: &[Member] = &[
    member("server", "string", "Of this server."),
    member("kind", "string", "tools, prompts, resources, templates or instructions."),
    member("state", "string", "quarantined, approved, rug_pull or blocked."),
    member("held", "boolean", "True for what agents may not see only."),
    member("q", "string", "Whose name has this in it."),
    member("after", "string", "After this one, as `next_after` names it."),
    member("limit", "integer", "How many at most."),
];
const TOKEN: &[Member] = &[
    member("name", "string", "Whose it is, or what for."),
    member("role", "string", "agent, viewer, auditor, operator or admin."),
    member("days", "integer", "How long it lives."),
];
const DECISION: &[Member] = &[member("decision", "string", "allow_once, allow_destination or deny.")];
const SWITCH: &[Member] = &[member("stopped", "boolean", "False lets calls pass again.")];
const PASTED: &[Member] = &[
    member("server", "string", "Which server it would go to."),
    member("tool", "string", "Which tool."),
    member("arguments", "object", "Its arguments."),
    member("intent", "object", "What the agent declares: operation, data_sensitivity, reason."),
    member("session", "string", "Judge it as the next call of this session; without it nothing went before."),
];
const PICTURE: &[Member] = &[member("format", "string", "json, svg or dot.")];
const LIMIT: &[Member] = &[member("limit", "integer", "How many at most.")];
const TRUST: &[Member] = &[member("trust", "string", "manual, scan or pinned.")];
const LAUNCH: &[Member] = &[member("launch", "string", "Exactly the launch that was read.")];
const FORMAT: &[Member] = &[member("format", "string", "json or sarif.")];

/// Every route there is.
#[rustfmt::skip]
pub(super) static ROUTES: &[Route] = &[
    get("/openapi.json", Role::Viewer, "This description.", &[], act!(openapi::describe)),
    get("/status", Role::Viewer, "How the gateway is.", &[], act!(status::status)),
    get("/events", Role::Viewer, "What happens, as it happens.", &[], act!(events::feed)),
    get("/checks", Role::Viewer, "The checks on definitions.", &[], act!(status::checks)),
    get("/suppressions", Role::Viewer, "Findings that were accepted.", &[], act!(status::suppressions)),
    get("/servers", Role::Viewer, "All servers.", &[], act!(servers::list)),
    post("/servers", Role::Admin, "Adds a server; everything it declares is held.", ADDED, act!(servers::add)),
    get("/servers/{server}", Role::Viewer, "One server.", &[], act!(servers::inspect)),
    Route { method: Method::PATCH, path: "/servers/{server}", role: Role::Admin, about: "Changes how its tools come to be approved.", takes: TRUST, act: act!(servers::change) },
    Route { method: Method::DELETE, path: "/servers/{server}", role: Role::Admin, about: "Removes a server that was added here.", takes: &[], act: act!(servers::remove) },
    post("/servers/{server}/scan", Role::Operator, "Reads and scans the server again.", &[], act!(servers::scan)),
    get("/servers/{server}/scan/status", Role::Viewer, "How the last reading went.", &[], act!(servers::scan_status)),
    get("/servers/{server}/scan/report", Role::Viewer, "All findings on it.", FORMAT, act!(servers::scan_report)),
    post("/servers/{server}/quarantine", Role::Operator, "Holds all of it.", &[REASON], act!(servers::quarantine)),
    post("/servers/{server}/unquarantine", Role::Operator, "Lifts that.", &[], act!(servers::unquarantine)),
    post("/servers/{server}/confirm-launch", Role::Operator, "Confirms how it is launched now.", LAUNCH, act!(servers::confirm_launch)),
    get("/servers/{server}/{kind}", Role::Viewer, "What it declares.", &[], act!(definitions::list)),
    post("/servers/{server}/{kind}/approve", Role::Operator, "Approves everything that waits and scans clean.", BULK, act!(definitions::approve_clean)),
    get("/servers/{server}/{kind}/{name}", Role::Viewer, "One definition with its findings.", &[], act!(definitions::inspect)),
    get("/servers/{server}/{kind}/{name}/diff", Role::Viewer, "What changed since it was approved.", &[], act!(definitions::difference)),
    post("/servers/{server}/{kind}/{name}/approve", Role::Operator, "Approves exactly what was read.", APPROVED, act!(definitions::approve)),
    post("/servers/{server}/{kind}/{name}/reject", Role::Operator, "Holds it, with a reason.", &[REASON], act!(definitions::reject)),
    post("/servers/{server}/{kind}/{name}/block", Role::Operator, "Holds it for good.", &[REASON], act!(definitions::block)),
    post("/servers/{server}/{kind}/{name}/unblock", Role::Operator, "Lifts the block; it waits again.", &[], act!(definitions::unblock)),
    post("/servers/{server}/{kind}/{name}/enable", Role::Operator, "Switches it on.", &[], act!(definitions::enable)),
    post("/servers/{server}/{kind}/{name}/disable", Role::Operator, "Switches it off.", &[], act!(definitions::disable)),
    post("/servers/{server}/{kind}/{name}/suppress", Role::Operator, "Accepts a finding on exactly what was read.", SUPPRESSED, act!(noting::suppress)),
    post("/servers/{server}/{kind}/{name}/unsuppress", Role::Operator, "Takes that back.", UNSUPPRESSED, act!(noting::unsuppress)),
    post("/servers/{server}/{kind}/{name}/volatile", Role::Operator, "Says that numbers or dates in one of its texts may change.", MARKED, act!(noting::mark)),
    get("/definitions", Role::Viewer, "What all servers declare, filtered, page by page.", LISTED, act!(listing::list)),
    get("/activity", Role::Auditor, "What was recorded, newest first.", FILTER, act!(activity::list)),
    get("/activity/summary", Role::Auditor, "Counts.", SPAN, act!(activity::summary)),
    get("/activity/export", Role::Auditor, "Records as JSON lines or CSV.", FILTER, act!(activity::export)),
    get("/activity/verify", Role::Auditor, "Whether all is as it was written.", &[], act!(activity::verify)),
    get("/activity/{id}", Role::Auditor, "One record.", &[], act!(activity::record)),
    get("/sessions", Role::Auditor, "Sessions of agents on this node, the last to be seen first.", LIMIT, act!(sessions::list)),
    get("/sessions/{id}/flow", Role::Auditor, "The calls of a session, in order, and whose data moved where.", &[], act!(sessions::flow)),
    get("/approvals", Role::Operator, "Calls that wait for a human.", &[], act!(guard::approvals)),
    post("/approvals/{id}/decide", Role::Operator, "Decides one of them.", DECISION, act!(guard::decide)),
    post("/stop-calls", Role::Operator, "Stops all calls, or lets them pass again.", SWITCH, act!(guard::stop)),
    post("/alerts/test", Role::Admin, "Sends a test alert, and says what the receiver answered.", &[], act!(alerts::test)),
    get("/policy", Role::Viewer, "What is done about which calls.", &[], act!(guard::policy)),
    post("/policy/test", Role::Auditor, "What would become of a call, and which entry of the policy decides.", PASTED, act!(guard::policy_test)),
    get("/posture", Role::Viewer, "Whether private data, untrusted content and a way out meet among exposed tools.", PICTURE, act!(guard::posture)),
    get("/baseline", Role::Viewer, "What agents usually do, in numbers.", &[], act!(guard::baselines)),
    post("/baseline/{agent}/ratify", Role::Operator, "Accepts an agent's habits.", &[], act!(guard::ratify)),
    post("/baseline/{agent}/reset", Role::Operator, "Forgets an agent's habits.", &[], act!(guard::reset)),
    post("/sign-in-links", Role::Admin, "Makes a link to the dashboard that signs in once.", &[], act!(tokens::sign_in_link)),
    get("/tokens", Role::Admin, "All tokens, without what would open anything.", &[], act!(tokens::list)),
    post("/tokens", Role::Admin, "Makes a token; its text is shown this once.", TOKEN, act!(tokens::create)),
    Route { method: Method::DELETE, path: "/tokens/{id}", role: Role::Admin, about: "Revokes a token.", takes: &[], act: act!(tokens::revoke) },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_leads_to_one_route() {
        for (path, expected) in [
            ("/servers", Some("/servers")),
            ("/servers/a", Some("/servers/{server}")),
            ("/servers/a/scan/status", Some("/servers/{server}/scan/status")),
            ("/servers/a/tools/approve", Some("/servers/{server}/{kind}/approve")),
            ("/servers/a/tools/b%2Fc", Some("/servers/{server}/{kind}/{name}")),
            ("/servers/a/prompts/approve/approve", Some("/servers/{server}/{kind}/{name}/approve")),
            ("/servers/a/nothing", None),
            ("/servers/a/tools/", None),
            ("/activity/summary", Some("/activity/summary")),
            ("/activity/7", Some("/activity/{id}")),
            ("/servers/", None),
            ("", None),
        ] {
            let found = ROUTES.iter().find(|route| route.fits(path).is_some());
            assert_eq!(found.map(|route| route.path), expected, "{path}");
        }
    }
}
