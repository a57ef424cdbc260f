//! What a form or an address says: pairs of names and values.

use crate::api::decoded;

/// The pairs, in their order.
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// The pairs of a text as browsers write them; what is not well written is left out.
    pub(super) fn read(text: &str) -> Form {
        let pair = |pair: &str| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(&key.replace('+', " "))?, decoded(&value.replace('+', " "))?))
        };
        Form(text.split('&').filter(|pair| !pair.is_empty()).filter_map(pair).collect())
    }

    /// The first value of a name; nothing if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// All values of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_browsers_write_them() {
        let form = Form::read("a=x+y%26z&b=1&b=2&&c&d=%zz");
        assert_eq!(form.get("a"), "x y&z");
        assert_eq!(form.all("b").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((form.get("c"), form.get("d"), form.get("e")), ("", "", ""));
    }
}
