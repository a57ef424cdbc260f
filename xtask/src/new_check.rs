//! `cargo xtask new-check noun.quality`: makes the folder of a new check and says what to do next.

use crate::arguments::Arguments;
use crate::shell::say;
use crate::tree;
use anyhow::{Context, Result, bail};

const SOURCE: &str = include_str!("../data/new-check/mod.rs.template");
const PAGE: &str = include_str!("../data/new-check/README.md.template");

/// A check's id in its three spellings.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    id: String,
    folder: String,
    type_name: String,
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let id = arguments.word().context("name the check: cargo xtask new-check noun.quality")?;
    arguments.end()?;
    let name = Name::parse(&id)?;
    let place = format!("crates/detect/src/checks/{}", name.folder);
    let folder = tree::root().join(&place);
    if folder.exists() {
        bail!("{place} is there already");
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("mod.rs"), name.fill(SOURCE))?;
    std::fs::write(folder.join("README.md"), name.fill(PAGE))?;
    let Name { id, folder, type_name } = name;
    say(&format!(
        "made {place}. Next:
  1. {place}/README.md: the page. Write the examples first, two flagged and two clean at least.
  2. crates/detect/src/checks/mod.rs: list `{folder}` where it should run (`{type_name}` is its type).
  3. {place}/mod.rs: write `inspect` until the examples pass: cargo test -p portcullis-detect
  4. cargo xtask docs, one line in CHANGELOG.md, cargo xtask ready. The id `{id}` never changes meaning."
    ));
    Ok(())
}

impl Name {
    fn parse(id: &str) -> Result<Self> {
        let is_word = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        let is_id = id.split_once('.').is_some_and(|(noun, quality)| is_word(noun) && is_word(quality));
        if !is_id {
            bail!(
                "`{id}` is no id of a check: write noun.quality, such as payload.decoded, in small letters"
            );
        }
        let folder = id.replace('.', "_");
        let type_name = folder.split('_').map(capitalised).collect();
        Ok(Name { id: id.to_owned(), folder, type_name })
    }

    fn fill(&self, template: &str) -> String {
        template
            .replace("{{id}}", &self.id)
            .replace("{{folder}}", &self.folder)
            .replace("{{type}}", &self.type_name)
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_a_name_in_three_ways() {
        let name = Name::parse("shadowing.cross_server").unwrap();
        assert_eq!(name.folder, "shadowing_cross_server");
        assert_eq!(name.type_name, "ShadowingCrossServer");
        assert_eq!(
            name.fill("{{id}} {{folder}} {{type}}"),
            "shadowing.cross_server shadowing_cross_server ShadowingCrossServer"
        );
    }

    #[test]
    fn refuses_what_is_no_id() {
        for bad in ["", "shadowing", ".x", "x.", "a.b.c", "A.b", "a-b.c", "../x.y", "1a.b"] {
            assert!(Name::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_templates_are_filled_wholly() {
        let name = Name::parse("a.b").unwrap();
        for template in [SOURCE, PAGE] {
            assert!(template.contains("{{"));
            assert!(!name.fill(template).contains("{{"));
        }
    }
}
