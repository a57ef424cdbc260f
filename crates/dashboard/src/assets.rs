//! What pages need beside themselves, compiled in. An address names the content, so a browser may keep it for good.

use std::sync::LazyLock;

/// A file of ours.
pub struct Asset {
    /// Its media type.
    pub media: &'static str,
    /// What is in it.
    pub text: &'static str,
}

/// The sign of the house.
pub(crate) const MARK: &str = include_str!("../assets/mark.svg");
const STYLE: &str = include_str!("../assets/dashboard.css");
const ICON: &str = include_str!("../assets/icon.svg");

/// The scripts, each for one thing; pages work without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// Parts of a page that change are fetched again when something happens.
    Live,
    /// Keys of the keyboard.
    Keys,
    /// What runs down is counted down.
    Countdown,
}

impl Script {
    pub(crate) const ALL: [Script; 3] = [Script::Live, Script::Keys, Script::Countdown];

    fn name(self) -> &'static str {
        match self {
            Script::Live => "live.js",
            Script::Keys => "keys.js",
            Script::Countdown => "countdown.js",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Script::Live => include_str!("../assets/live.js"),
            Script::Keys => include_str!("../assets/keys.js"),
            Script::Countdown => include_str!("../assets/countdown.js"),
        }
    }

    pub(crate) fn address(self) -> String {
        format!("/assets/{}?{}", self.name(), *VERSION)
    }
}

/// Where the stylesheet is.
pub(crate) fn stylesheet() -> String {
    format!("/assets/dashboard.css?{}", *VERSION)
}

/// The file of this name.
pub fn find(name: &str) -> Option<Asset> {
    match name {
        "dashboard.css" => Some(Asset { media: "text/css; charset=utf-8", text: STYLE }),
        "icon.svg" => Some(Asset { media: "image/svg+xml", text: ICON }),
        _ => {
            let script = Script::ALL.into_iter().find(|script| script.name() == name)?;
            Some(Asset { media: "text/javascript; charset=utf-8", text: script.text() })
        }
    }
}

/// A number that changes with any of the files: FNV-1a, which needs no secrets.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let texts = Script::ALL.map(Script::text).into_iter().chain([STYLE]);
    let hash = texts.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_on_a_page_is_found() {
        for address in Script::ALL.map(Script::address).into_iter().chain([stylesheet()]) {
            let name =
                address.trim_start_matches("/assets/").split('?').next().unwrap_or_default().to_owned();
            assert!(find(&name).is_some(), "{address}");
        }
        assert!(find("icon.svg").is_some() && find("../lib.rs").is_none());
    }
}
