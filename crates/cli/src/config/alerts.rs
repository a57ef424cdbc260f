//! `security.alerts`: who is told, as a gateway needs it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use portcullis_decide::Band;
use portcullis_gateway::alerts::{AlertRules, Desktop, Notifier, Webhook};
use portcullis_gateway::settings::Network;

use super::written;

/// A shorter secret could be guessed.
const LEAST_SECRET: usize = 16;

/// Makes rules of the section; `networks` is what is allowed inside for everything.
pub(super) fn rules(
    written: &written::Alerts,
    folder: &Path,
    networks: &[Network],
    wrong: &mut impl FnMut(&str, &str),
) -> AlertRules {
    let usual = AlertRules::default();
    let secret = written.webhook_secret.as_deref();
    if secret.is_some_and(|secret| secret.len() < LEAST_SECRET) {
        wrong("security", "`security.alerts.webhook_secret` is at least 16 characters long");
    }
    let webhook = written.webhook_url.as_deref().and_then(|url| {
        let own = parsed(&written.allow_private_addresses, wrong);
        let networks: Arc<[Network]> = networks.iter().copied().chain(own).collect();
        let authorities = written.ca_file.as_ref().map(|file| folder.join(file));
        let made = address(url).and_then(|url| {
            Webhook::new(url, secret, networks, authorities).map_err(|error| error.to_string())
        });
        made.map_err(|why| wrong("security", &format!("`security.alerts.webhook_url` {why}"))).ok()
    });
    AlertRules {
        webhook,
        // The words were checked with the keys.
        desktop: written.desktop.as_deref().and_then(Notifier::named).map(Desktop::new),
        least: written.least_severity.as_deref().and_then(Band::named).unwrap_or(usual.least),
        exfiltration: written.exfiltration_detection,
        personal: written.pii_exposure,
        window: written.window_s.map_or(usual.window, Duration::from_secs),
        pause: usual.pause,
    }
}

/// The address often is a secret: no message repeats it.
fn address(text: &str) -> Result<Uri, String> {
    let url: Option<Uri> = text.parse().ok();
    let is_web = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some();
    url.filter(is_web).ok_or_else(|| "is an address that starts with http:// or https://".to_owned())
}

fn parsed(written: &[String], wrong: &mut impl FnMut(&str, &str)) -> Vec<Network> {
    let parsed = written.iter().map(|text| Network::parse(text)).collect::<Option<Vec<_>>>();
    parsed.unwrap_or_else(|| {
        let message =
            "`security.alerts.allow_private_addresses` lists addresses and ranges, such as 10.0.0.0/8";
        wrong("security", message);
        Vec::new()
    })
}
