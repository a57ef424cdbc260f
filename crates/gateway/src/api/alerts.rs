//! Whether alerts arrive.

use std::sync::Arc;

use super::{Answer, Asked, Refused, data};
use crate::gate::Gate;

/// `POST /alerts/test`.
pub(super) async fn test(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let nobody = || Refused::conflict("Nobody is told: set `security.alerts.webhook_url`, or `desktop`");
    data(gate.alerts.test().await.ok_or_else(nobody)?)
}
