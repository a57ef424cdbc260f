//! Servers: which there are, how each is, new ones, and what people decide about a whole one.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use portcullis_decide::approval::server::{ServerEvent, ServerHold};
use portcullis_decide::approval::{Hold, TrustMode};
use portcullis_detect::fingerprint::Fingerprint;
use portcullis_report::{Origins, Scan, write_sarif};
use portcullis_store::{Lease, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::definitions::{operator, reason, requested, scanned};
use super::{Answer, Asked, Refused, data, stored};
use crate::gate::Gate;
use crate::quarantine::reading::{self, Outcome};
use crate::review::request::Requests;
use crate::settings::{self, Addresses, Credential, Launch, Network, Remote, Server, ServerName, Transport};
use crate::upstream::{Route, Upstream};

/// `GET /servers`.
pub(super) async fn list(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let gate = Arc::clone(gate);
    stored(move || {
        let mut names: Vec<String> =
            gate.servers().iter().map(|server| server.name.as_str().to_owned()).collect();
        let known: Vec<String> =
            gate.quarantine.picture().servers.keys().map(|name| name.to_string()).collect();
        names.extend(known.into_iter().filter(|name| gate.upstream(name).is_none()));
        let (requests, leases) = (Requests::read(&gate)?, leases(&gate)?);
        let all: Vec<Value> =
            names.iter().filter_map(|name| shown(&gate, name, &requests, &leases)).collect();
        data(json!({ "servers": all }))
    })
    .await
}

/// `GET /servers/{server}`.
pub(super) async fn inspect(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    known(gate, asked.part("server")).await
}

/// A server as somebody adds it.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Added {
    pub(crate) name: String,
    /// How it is reached, if that is not what `command` or `url` say.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
    trust: Option<String>,
    /// Whether every node runs a process of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    each_node: bool,
    /// Whether the owner of this machine added it, who may name what is inside. Nobody says that of themselves.
    is_owners: bool,
}

impl Added {
    /// The server, if it is one.
    pub(crate) fn server(&self, networks: &Arc<[Network]>) -> Result<Server, String> {
        let name =
            ServerName::parse(&self.name).ok_or("`name` is made of small letters, digits and hyphens")?;
        let transport = match (&self.command, &self.url) {
            (Some(command), None) => Transport::Stdio(Launch {
                command: command.clone(),
                arguments: self.args.clone(),
                directory: self.cwd.as_ref().map(Into::into),
                environment: self.env.clone().into_iter().collect(),
                inherited: None,
            }),
            (None, Some(url)) if self.kind.as_deref() == Some("sse") => {
                Transport::Sse(self.remote(url, Arc::clone(networks))?)
            }
            (None, Some(url)) => Transport::Http(self.remote(url, Arc::clone(networks))?),
            _ => return Err("a server has either `command` or `url`".to_owned()),
        };
        let kinds: &[&str] = if self.command.is_some() { &["stdio"] } else { &["http", "sse"] };
        if self.kind.as_deref().is_some_and(|kind| !kinds.contains(&kind)) {
            return Err(format!("`type` of such a server is {}", kinds.join(" or ")));
        }
        let trust = self.trust.as_deref().map(|word| trust(word).ok_or("`trust` is manual, scan or pinned"));
        Ok(Server { name, transport, answer: None, trust: trust.transpose()?, each_node: self.each_node })
    }

    fn remote(&self, url: &str, networks: Arc<[Network]>) -> Result<Remote, String> {
        let url: http::Uri = url.parse().map_err(|_| "`url` is no address")?;
        if !matches!(url.scheme_str(), Some("http" | "https")) || url.host().is_none() {
            return Err("`url` starts with http:// or https://".to_owned());
        }
        let mut remote = Remote {
            url,
            headers: Vec::new(),
            credential: Credential::None,
            authorities: None,
            proxy: None,
            addresses: match self.is_owners {
                true => Addresses::written(networks),
                false => Addresses::named(networks),
            },
        };
        for (name, value) in &self.headers {
            let name =
                HeaderName::try_from(name.as_str()).map_err(|_| "`headers` has a name that is none")?;
            let mut value =
                HeaderValue::try_from(value.as_str()).map_err(|_| "`headers` has a value that is none")?;
            value.set_sensitive(true);
            match name == http::header::AUTHORIZATION {
                true => remote.credential = Credential::Fixed(value),
                false => remote.headers.push((name, value)),
            }
        }
        Ok(remote)
    }
}

fn trust(word: &str) -> Option<TrustMode> {
    [TrustMode::Manual, TrustMode::Scan, TrustMode::Pinned].into_iter().find(|mode| mode.as_str() == word)
}

/// `POST /servers`.
pub(super) async fn add(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let added = Added { is_owners: asked.who.is_owner, ..asked.body()? };
    let server = added.server(&gate.settings.networks).map_err(Refused::bad)?;
    if let Transport::Http(remote) | Transport::Sse(remote) = &server.transport {
        let refused = |why: settings::Refused| Refused::bad(format!("`url` is refused: {why}"));
        remote.addresses.check(&remote.url).map_err(refused)?;
    }
    if gate.upstream(server.name.as_str()).is_some() {
        return Err(Refused::conflict("There is a server of this name"));
    }
    let inner = Arc::clone(gate);
    let name = server.name.clone();
    stored(move || {
        inner.keep(&added)?;
        inner.add(&server).map_err(|error| Refused::bad(error.to_string()))
    })
    .await?;
    known(gate, name.as_str()).await
}

/// What may be changed of a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Changed {
    trust: String,
}

/// `PATCH /servers/{server}`.
pub(super) async fn change(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let changed: Changed = asked.body()?;
    let trust = trust(&changed.trust).ok_or_else(|| Refused::bad("`trust` is manual, scan or pinned"))?;
    let by = operator(&asked);
    decide(gate, &asked, ServerEvent::TrustModeChanged { by, trust }).await
}

/// `DELETE /servers/{server}`: only what was added here; what the configuration names is removed there.
pub(super) async fn remove(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let upstream = used(gate, &asked)?;
    let (inner, name) = (Arc::clone(gate), upstream.name.clone());
    stored(move || match inner.unkeep(name.as_str())? {
        true => data(json!({ "removed": name.as_str() })),
        false => Err(Refused::conflict("This server is in the configuration: remove it there")),
    })
    .await
}

/// `POST /servers/{server}/scan`: reads everything the server declares again, now.
pub(super) async fn scan(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let upstream = used(gate, &asked)?;
    if gate.quarantine.server_hold(upstream.name.as_str()) == Some(ServerHold::LaunchChanged) {
        return Err(Refused::conflict(
            "The server is launched in another way than was confirmed: confirm that first",
        ));
    }
    // How the reading went is in what is shown.
    reading::anew(gate, &upstream).await.map_err(|fault| Refused::internal(fault.message))?;
    known(gate, upstream.name.as_str()).await
}

/// `GET /servers/{server}/scan/status`.
pub(super) async fn scan_status(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    data(outcome(&known_outcome(gate, asked.part("server"))?))
}

/// `GET /servers/{server}/scan/report`.
pub(super) async fn scan_report(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let server = asked.part("server").to_owned();
    let gap = gap(&known_outcome(gate, &server)?);
    let is_sarif = match asked.query(&["format"])?.get("format").map(String::as_str) {
        None | Some("json") => false,
        Some("sarif") => true,
        Some(_) => return Err(Refused::bad("`format` is json or sarif")),
    };
    let quarantine = Arc::clone(&gate.quarantine);
    stored(move || {
        let report = quarantine.report(&server, gap);
        if !is_sarif {
            return data(scanned(&quarantine, &report)?);
        }
        let (checks, origins, mut text) = (quarantine.checks(), Origins::default(), Vec::new());
        let scan =
            Scan { report: &report, checks: &checks, origins: &origins, is_registry_used: true, pages: None };
        write_sarif(&scan, &mut text).map_err(|_| Refused::internal("The answer cannot be written"))?;
        Ok(Answer::Text("application/sarif+json", Bytes::from(text)))
    })
    .await
}

/// `POST /servers/{server}/quarantine`.
pub(super) async fn quarantine(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (by, reason) = (operator(&asked), reason(&asked)?);
    decide(gate, &asked, ServerEvent::Quarantined { by, reason }).await
}

/// `POST /servers/{server}/unquarantine`.
pub(super) async fn unquarantine(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let by = operator(&asked);
    decide(gate, &asked, ServerEvent::Unquarantined { by }).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Confirmed {
    launch: String,
}

/// `POST /servers/{server}/confirm-launch`.
pub(super) async fn confirm_launch(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let confirmed: Confirmed = asked.body()?;
    let launch = Fingerprint::from_hex(&confirmed.launch)
        .ok_or_else(|| Refused::bad("`launch` names exactly the launch that was read"))?;
    let by = operator(&asked);
    decide(gate, &asked, ServerEvent::LaunchConfirmed { launch, by }).await
}

async fn decide(gate: &Arc<Gate>, asked: &Asked, event: ServerEvent) -> Result<Answer, Refused> {
    let (quarantine, name) = (Arc::clone(&gate.quarantine), asked.part("server").to_owned());
    stored(move || Ok(quarantine.decide_server(&name, &event)?)).await?;
    known(gate, asked.part("server")).await
}

fn used(gate: &Gate, asked: &Asked) -> Result<Arc<Upstream>, Refused> {
    gate.upstream(asked.part("server")).ok_or_else(|| Refused::not_found("No such server is used"))
}

async fn known(gate: &Arc<Gate>, server: &str) -> Result<Answer, Refused> {
    let (gate, server) = (Arc::clone(gate), server.to_owned());
    stored(move || {
        let shown = shown(&gate, &server, &Requests::read(&gate)?, &leases(&gate)?);
        data(shown.ok_or_else(|| Refused::not_found("No such server is known"))?)
    })
    .await
}

fn known_outcome(gate: &Gate, server: &str) -> Result<Outcome, Refused> {
    match gate.upstream(server) {
        Some(upstream) => Ok(upstream.readings.outcome()),
        None if gate.quarantine.picture().server(server).is_some() => Ok(Outcome::Never),
        None => Err(Refused::not_found("No such server is known")),
    }
}

/// Which node runs which server, where only one does.
fn leases(gate: &Gate) -> Result<Vec<Lease>, StoreError> {
    match &gate.nodes {
        Some(_) => gate.settings.store.registry().leases(),
        None => Ok(Vec::new()),
    }
}

/// A server; how it is launched is shown without what may be secret.
fn shown(gate: &Gate, name: &str, requests: &Requests, leases: &[Lease]) -> Option<Value> {
    let upstream = gate.upstream(name);
    let picture = gate.quarantine.picture();
    let known = picture.server(name);
    if upstream.is_none() && known.is_none() {
        return None;
    }
    let tally = known.map(|known| known.tally.clone()).unwrap_or_default();
    let server = known.map(|known| &known.server);
    let transport = upstream.as_ref().map(|upstream| match upstream.route {
        Route::Child(_) => "stdio",
        Route::Http(_) => "http",
    });
    let hold = server.and_then(|server| server.hold()).map(|hold| Hold::Server(hold).to_string());
    let read = upstream.as_ref().map_or(Outcome::Never, |upstream| upstream.readings.outcome());
    let lease = leases.iter().find(|lease| lease.name == name);
    Some(json!({
        "name": name, "used": upstream.is_some(), "transport": transport,
        "trust": server.map(|server| server.trust.as_str()), "held": hold,
        "quarantine": server.and_then(|server| server.quarantine.as_deref()),
        "launch": server.map(|server| server.launch.to_string()),
        "pending_launch": server.and_then(|server| server.pending).map(|pending| pending.to_string()),
        "node": lease.map(|lease| &lease.address),
        "scan": outcome(&read), "definitions": tally.states, "definitions_held": tally.held,
        "requested": known.and_then(|known| requests.of_server(gate, name, known)).map(requested),
        "definitions_requested": known.map_or(0, |known| requests.count(gate, name, known)),
    }))
}

fn outcome(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Never => json!({ "status": "never" }),
        Outcome::Complete => json!({ "status": "complete" }),
        Outcome::Incomplete(why) => json!({ "status": "incomplete", "why": why }),
        Outcome::Failed(fault) => json!({ "status": "failed", "why": fault.message }),
    }
}

/// What of a server was not looked at.
fn gap(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Complete => None,
        Outcome::Never => Some("nobody has read it yet".to_owned()),
        Outcome::Incomplete(why) => Some(why.clone()),
        Outcome::Failed(fault) => Some(fault.message.to_string()),
    }
}
