//! When a version or a response begins to hold.

use crate::fields::Fields;

/// What a server counts, as one request finds it: everything before that request.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) calls: u64,
    pub(crate) lists: u64,
    pub(crate) seconds: u64,
    pub(crate) client: String,
}

/// All that is named must be so; nothing named is always so.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct When {
    call_count: u64,
    list_count: u64,
    seconds: u64,
    client: Option<String>,
}

impl When {
    pub(crate) fn holds(&self, state: &State) -> bool {
        state.calls >= self.call_count
            && state.lists >= self.list_count
            && state.seconds >= self.seconds
            && self.client.as_deref().is_none_or(|client| state.client.contains(client))
    }

    /// Reads `when`; a missing one always holds.
    pub(crate) fn read(fields: &Fields) -> When {
        let Some(when) = fields.field("when") else { return When::default() };
        when.only(&["call_count", "list_count", "time", "client"]);
        When {
            call_count: when.number("call_count").unwrap_or(0),
            list_count: when.number("list_count").unwrap_or(0),
            seconds: when.field("time").and_then(|time| seconds(&time)).unwrap_or(0),
            client: when.text("client").map(str::to_owned),
        }
    }
}

/// "90s", "30m", "24h", "7d".
fn seconds(field: &Fields) -> Option<u64> {
    let text = field.as_text()?;
    let unit = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
    let parsed = unit
        .iter()
        .find_map(|(letter, seconds)| text.strip_suffix(*letter)?.parse::<u64>().ok()?.checked_mul(*seconds));
    if parsed.is_none() {
        field.wrong("should be a time such as 90s, 30m, 24h or 7d");
    }
    parsed
}
