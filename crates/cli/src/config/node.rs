//! Where other gateways reach this one, so that one of them all runs a server's process.

use std::net::{IpAddr, SocketAddr};

use http::Uri;
use portcullis_gateway::settings::{NodeAddress, Server, Transport};

use super::valid::Config;
use super::written::Written;

/// The address that was written, if it is one.
pub(super) fn written(written: &Written, wrong: &mut impl FnMut(&str, &str)) -> Option<Uri> {
    let text = written.node_address.as_deref()?;
    let Some(address) = parsed(text) else {
        wrong(
            "node_address",
            "`node_address` is where other gateways reach this one: http:// or https://, a host and a port, as http://10.0.0.7:8930",
        );
        return None;
    };
    let is_shared = written.store.as_deref().is_some_and(|store| store != "sqlite");
    if !is_shared || written.seal_key.is_none() {
        wrong(
            "node_address",
            "`node_address` needs a `store` that gateways share, and the same `seal_key` for every one of them",
        );
    } else if written.tls.is_some() && address.scheme_str() == Some("http") {
        wrong("node_address", "`node_address` starts with https:// where there is `tls`");
    }
    Some(address)
}

fn parsed(text: &str) -> Option<Uri> {
    let address: Uri = text.parse().ok()?;
    let host = address.host()?.trim_matches(['[', ']']);
    let is_everywhere = host.parse().is_ok_and(|host: IpAddr| host.is_unspecified());
    let is_bare = matches!(address.path_and_query().map(|rest| rest.as_str()), None | Some("/"));
    let has_user = address.authority()?.as_str().contains('@');
    let is_web = matches!(address.scheme_str(), Some("http" | "https"));
    (is_web && is_bare && !has_user && !is_everywhere).then_some(address)
}

impl Config {
    /// Where other gateways reach this one; `None` if none does. An address that only this machine knows is no address
    /// for others, and a certificate is made for a name.
    pub(crate) fn node(&self) -> Option<NodeAddress> {
        if self.database.is_none() || self.seal_key.is_none() {
            return None;
        }
        let written = self.node_address.clone().map(NodeAddress::At);
        written.or_else(|| (self.tls.is_none() && is_known(self.listen)).then_some(NodeAddress::Listening))
    }

    /// Said at the start when servers run on every gateway that shares a store, because none reaches another.
    pub(crate) fn runs_everywhere(&self) -> Option<&'static str> {
        let is_process =
            |server: &Server| matches!(server.transport, Transport::Stdio(_)) && !server.each_node;
        let has_processes = self.servers.iter().any(|configured| is_process(&configured.server));
        (self.database.is_some() && self.node().is_none() && has_processes).then_some(
            "every gateway of this store runs servers that are processes for itself; `node_address` and `seal_key` let one \
             run them for all",
        )
    }
}

/// Whether other machines reach it under this address.
fn is_known(listen: SocketAddr) -> bool {
    !listen.ip().is_unspecified() && !listen.ip().is_loopback()
}
