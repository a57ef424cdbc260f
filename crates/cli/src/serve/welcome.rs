//! What a start without a file says: where everything is, which servers could come in, and the one token that is made by
//! itself. Nothing is asked: a service has nobody to answer.

use std::io::Write;
use std::path::Path;

use portcullis_gateway::api::{BASE, Role, Tokens};

use crate::clients;
use crate::exit::Failure;

/// Says where agents and people reach the gateway, where its data are, and what is on this machine.
pub(super) fn places(base: &str, data: &Path, is_import: bool, err: &mut dyn Write) -> Result<(), Failure> {
    writeln!(err, "no portcullis.json is here: the usual settings hold")?;
    writeln!(err, "agents: {base}/mcp")?;
    writeln!(err, "API: {base}{BASE}, with a token; `portcullis security list` needs none on this machine")?;
    writeln!(err, "data: {}", data.display())?;
    // A ledger that cannot be read is the business of `install` and `doctor`.
    let standings = clients::standings(data).unwrap_or_default();
    let mut bypassing = 0;
    for standing in &standings {
        writeln!(err, "client: {standing}")?;
        bypassing += standing.counts.as_ref().map_or(0, |counts| counts.bypassing);
    }
    if bypassing > 0 && !is_import {
        writeln!(
            err,
            "to take in their servers, all held until you approve them: portcullis serve --import"
        )?;
        writeln!(err, "to put the gate before the clients instead: portcullis install --client all")?;
    }
    Ok(())
}

/// Makes the first token of the admin's role, if there is no token at all, and shows it this once.
pub(super) fn first_token(tokens: &Tokens, err: &mut dyn Write) -> Result<(), Failure> {
    if !tokens.all()?.is_empty() {
        return Ok(());
    }
    let (_, text) = tokens.create("first admin", Role::Admin, None)?;
    writeln!(err, "the first token, of the role admin; keep it, it is not shown again:\n  {text}")?;
    writeln!(
        err,
        "others are made with `portcullis token create --role agent|viewer|auditor|operator|admin`"
    )?;
    Ok(())
}

/// Says how somebody gets into the dashboard.
pub(super) fn dashboard(link: Option<&str>, err: &mut dyn Write) -> Result<(), Failure> {
    if let Some(link) = link {
        writeln!(err, "dashboard: {link}")?;
        writeln!(
            err,
            "the link signs you in once, within ten minutes; `portcullis dashboard` prints a new one"
        )?;
    }
    Ok(())
}
