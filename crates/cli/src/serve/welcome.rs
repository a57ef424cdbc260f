//! What the first start says: the one token that is made by itself.

use std::io::Write;

use portcullis_gateway::api::{Role, Tokens};

use crate::exit::Failure;

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
