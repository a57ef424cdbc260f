//! What is wrong with a scenario file: the file, the line, the field, and the nearest known name.

use std::fmt;

/// Where something stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    file: String,
    /// 0 if the text stands in another file: a twin has most of its own from its attack.
    line: usize,
    /// The field, with the fields around it: `tools/0/name`. Empty for the whole file.
    field: String,
}

impl Place {
    pub(crate) fn new(file: &str, line: usize, field: &str) -> Place {
        Place { file: file.to_owned(), line, field: field.to_owned() }
    }

    /// A field or an item inside this one.
    pub(crate) fn inside(&self, line: usize, step: impl fmt::Display) -> Place {
        let field = if self.field.is_empty() { step.to_string() } else { format!("{}/{step}", self.field) };
        Place { file: self.file.clone(), line, field }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mistake {
    place: Place,
    what: String,
}

impl Mistake {
    pub(crate) fn new(place: Place, what: impl Into<String>) -> Mistake {
        Mistake { place, what: what.into() }
    }

    /// A name that is none of the known ones.
    pub(crate) fn unknown(place: Place, kind: &str, name: &str, known: &[&str]) -> Mistake {
        Mistake::new(place, unknown(kind, name, known))
    }
}

/// Texts of files are hostile here more than anywhere: they are escaped before they reach a terminal.
impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, field } = &self.place;
        write!(out, "{}:", file.escape_debug())?;
        if *line > 0 {
            write!(out, "{line}:")?;
        }
        out.write_str(" ")?;
        if !field.is_empty() {
            write!(out, "{}: ", field.escape_debug())?;
        }
        out.write_str(&self.what)
    }
}

/// "no field is called `x`; did you mean `y`?"
pub(crate) fn unknown(kind: &str, name: &str, known: &[&str]) -> String {
    let said = format!("no {kind} is called `{}`", name.escape_debug());
    match nearest(name, known) {
        Some(near) => format!("{said}; did you mean `{near}`?"),
        None if known.is_empty() || known.len() > 24 => said,
        None => format!("{said}; known: {}", known.join(", ")),
    }
}

/// The known name with the fewest letters changed, if that is at most a third of them.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|other| (distance(name, other), *other)).min()?;
    (near.0 <= name.chars().count().div_ceil(3)).then_some(near.1)
}

/// How many letters must be added, removed or replaced to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (done, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = done + 1;
        for (place, b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest() {
        assert_eq!(
            unknown("field", "desciption", &["name", "description"]),
            "no field is called `desciption`; did you mean `description`?"
        );
        assert_eq!(
            unknown("field", "x\u{1b}", &["name", "tools"]),
            "no field is called `x\\u{1b}`; known: name, tools"
        );
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn says_where() {
        let place = Place::new("a.yaml", 3, "").inside(4, "tools").inside(5, 0).inside(6, "nme");
        let mistake = Mistake::unknown(place, "field", "nme", &["name"]);
        assert_eq!(
            mistake.to_string(),
            "a.yaml:6: tools/0/nme: no field is called `nme`; did you mean `name`?"
        );
    }
}
