//! `cargo xtask docs`: writes the pages of `docs/` whose truth lies elsewhere, or says which are stale.

use crate::arguments::Arguments;
use crate::shell::say;
use crate::tree;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where checks live, and the heading of their table.
const HOMES: [(&str, &str); 2] = [
    ("crates/detect/src/checks", "Checks on a definition"),
    ("crates/detect/src/call_checks", "Checks on a call and its result"),
];

/// The generated pages: where each belongs, from the root, and its text.
type Pages = BTreeMap<String, String>;

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let only_check = arguments.flag("--check");
    arguments.end()?;
    if only_check { check() } else { write() }
}

/// Fails if a generated page is not what would be generated now.
pub(crate) fn check() -> Result<()> {
    let stale = stale(&tree::root(), &pages()?)?;
    if !stale.is_empty() {
        bail!("stale: {}. `cargo xtask docs` writes them anew", stale.join(", "));
    }
    Ok(())
}

fn write() -> Result<()> {
    let root = tree::root();
    let pages = pages()?;
    for stale in stale(&root, &pages)? {
        let path = root.join(&stale);
        match pages.get(&stale) {
            Some(text) => {
                std::fs::create_dir_all(path.parent().unwrap_or(&root))?;
                std::fs::write(&path, text).with_context(|| format!("cannot write {stale}"))?;
                say(&format!("wrote {stale}"));
            }
            None => {
                std::fs::remove_file(&path).with_context(|| format!("cannot remove {stale}"))?;
                say(&format!("removed {stale}, its check is gone"));
            }
        }
    }
    Ok(())
}

/// The pages that differ from what is on disk, are missing there, or are there and belong to no check.
fn stale(root: &Path, pages: &Pages) -> Result<Vec<String>> {
    let is_fresh =
        |place: &String, text: &String| std::fs::read_to_string(root.join(place)).is_ok_and(|t| t == *text);
    let mut stale: Vec<String> =
        pages.iter().filter(|(place, text)| !is_fresh(place, text)).map(|(place, _)| place.clone()).collect();
    let folder = root.join("docs/checks");
    if folder.is_dir() {
        for path in tree::files(&folder, &[".md"])? {
            let place = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            if !pages.contains_key(&place) {
                stale.push(place);
            }
        }
    }
    Ok(stale)
}

fn pages() -> Result<Pages> {
    let root = tree::root();
    let mut pages = Pages::new();
    let mut tables = header("the facts of the checks");
    for (home, heading) in HOMES {
        let checks = checks(&root.join(home))?;
        for check in &checks {
            pages.insert(format!("docs/checks/{}.md", check.id), check_page(home, check));
        }
        tables.push_str(&table(heading, &checks));
    }
    pages.insert("docs/checks/README.md".to_owned(), tables);
    let portcullis = tree::portcullis()?;
    pages.insert("docs/cli.md".to_owned(), command_line(&portcullis)?);
    let schema = crate::shell::output(Command::new(&portcullis).args(["serve", "--schema"]))?;
    pages.insert("docs/config.schema.json".to_owned(), schema);
    Ok(pages)
}

/// What a check says of itself.
struct Check {
    folder: String,
    id: String,
    tier: String,
    owasp: String,
    title: String,
    page: String,
}

/// The checks, in the order in which they run.
fn checks(folder: &Path) -> Result<Vec<Check>> {
    let list = std::fs::read_to_string(folder.join("mod.rs")).context("cannot read the list of checks")?;
    let mut checks = Vec::new();
    for page in tree::files(folder, &["README.md"])? {
        let home = page.parent().unwrap_or(folder);
        checks.push(
            read_check(home).with_context(|| format!("cannot read the check in {}", tree::shown(home)))?,
        );
    }
    // The list of running checks names each by its path; the modules above it are in another order.
    checks.sort_by_key(|check| (list.find(&format!("{}::", check.folder)), check.id.clone()));
    Ok(checks)
}

fn read_check(home: &Path) -> Result<Check> {
    let source = std::fs::read_to_string(home.join("mod.rs"))?;
    let tier = source.split("tier: Tier::").nth(1).context("its facts name no tier")?;
    Ok(Check {
        folder: home.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        id: string_field(&source, "id")?,
        tier: tier.chars().take_while(|c| c.is_alphanumeric()).collect::<String>().to_lowercase(),
        owasp: string_field(&source, "owasp")?,
        title: string_field(&source, "title")?,
        page: std::fs::read_to_string(home.join("README.md"))?,
    })
}

/// The string literal after `name:` in the facts of a check.
fn string_field(source: &str, name: &str) -> Result<String> {
    let missing = || format!("its facts have no {name}: \"…\"");
    let facts = source.split("Facts {").skip(1).find(|rest| rest.contains("id:")).with_context(missing)?;
    let rest = facts.split(&format!("{name}:")).nth(1).with_context(missing)?;
    let literal = rest.trim_start().strip_prefix('"').with_context(missing)?;
    let text = literal.split('"').next().unwrap_or_default();
    // A backslash at the end of a line joins it with the next, as in Rust.
    Ok(text.split("\\\n").map(str::trim_start).collect())
}

fn header(source: &str) -> String {
    format!("<!-- Generated by `cargo xtask docs` from {source}; edit that instead. -->\n\n")
}

fn check_page(home: &str, check: &Check) -> String {
    let header = header(&format!("{home}/{}/README.md", check.folder));
    let heading = if check.page.starts_with("# ") { String::new() } else { format!("# {}\n\n", check.id) };
    format!("{header}{heading}{}", check.page)
}

fn table(heading: &str, checks: &[Check]) -> String {
    let mut text = format!("# {heading}\n\n");
    text.push_str(
        "In the order in which they run. The tier is the highest a signal of the check may have.\n\n",
    );
    text.push_str("| check | tier | OWASP MCP Top 10 | what it finds |\n|---|---|---|---|\n");
    for Check { id, tier, owasp, title, .. } in checks {
        text.push_str(&format!("| [`{id}`]({id}.md) | {tier} | {owasp} | {title} |\n"));
    }
    text.push('\n');
    text
}

/// The help of the binary and of all its subcommands.
fn command_line(binary: &Path) -> Result<String> {
    let mut text = header("the help texts of `portcullis`");
    text.push_str("# The command line\n");
    let mut waiting = vec![Vec::new()];
    while let Some(path) = waiting.pop() {
        let help = help(binary, &path)?;
        let title = std::iter::once("portcullis").chain(path.iter().map(String::as_str)).collect::<Vec<_>>();
        text.push_str(&format!("\n## `{}`\n\n```text\n{}\n```\n", title.join(" "), help.trim_end()));
        let deeper = subcommands(&help).into_iter().map(|name| [path.clone(), vec![name]].concat());
        waiting.extend(deeper.collect::<Vec<_>>().into_iter().rev());
    }
    Ok(text)
}

/// The help of one subcommand, the same on every terminal and in every environment.
fn help(binary: &Path, path: &[String]) -> Result<String> {
    let mut command = Command::new(binary);
    command.args(path).arg("--help").stdin(Stdio::null()).stderr(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PORTCULLIS_")) {
        command.env_remove(name);
    }
    let output =
        command.env("COLUMNS", "100").env("NO_COLOR", "1").output().context("cannot run portcullis")?;
    if !output.status.success() {
        bail!("`portcullis {} --help` ended with {}", path.join(" "), output.status);
    }
    let help = String::from_utf8(output.stdout)?;
    Ok(help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
}

/// The names under `Commands:` in a help text.
fn subcommands(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| line.is_empty() || line.starts_with(' '));
    // A name is indented by two; what is indented deeper is a description that went on.
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_subcommands_in_a_help_text() {
        let help = "About.\n\nUsage: x\n\nCommands:\n  scan  Scans\n          more about it\n  eval  Evals\n  help  Prints\n\nOptions:\n  -q";
        assert_eq!(subcommands(help), ["scan", "eval"]);
        assert_eq!(subcommands("Usage: x\n\nOptions:\n  -q  Quiet"), Vec::<String>::new());
    }

    #[test]
    fn reads_the_facts_of_a_check() {
        let source = "//! id: no\nstatic FACTS: Facts = Facts {\n  id: \"a.b\",\n  title: \"One \\\n     sentence.\",\n};";
        assert_eq!(string_field(source, "id").unwrap(), "a.b");
        assert_eq!(string_field(source, "title").unwrap(), "One sentence.");
        assert!(string_field(source, "owasp").is_err());
    }

    #[test]
    fn a_changed_and_a_missing_page_are_stale() {
        let pages = Pages::from([("xtask/Cargo.toml".to_owned(), "other".to_owned())]);
        let stale = stale(&tree::root(), &pages).unwrap();
        assert!(stale.contains(&"xtask/Cargo.toml".to_owned()));
        let pages = Pages::from([("docs/no-such-page.md".to_owned(), String::new())]);
        assert!(super::stale(&tree::root(), &pages).unwrap().contains(&"docs/no-such-page.md".to_owned()));
    }

    #[test]
    fn a_page_says_where_it_comes_from() {
        let check = Check {
            folder: "a_b".into(),
            id: "a.b".into(),
            tier: "hard".into(),
            owasp: "MCP03".into(),
            title: "T.".into(),
            page: "One sentence.\n".into(),
        };
        let page = check_page(HOMES[0].0, &check);
        assert!(
            page.starts_with(
                "<!-- Generated by `cargo xtask docs` from crates/detect/src/checks/a_b/README.md"
            )
        );
        assert!(page.ends_with("# a.b\n\nOne sentence.\n"));
        assert!(table("C", &[check]).ends_with("| [`a.b`](a.b.md) | hard | MCP03 | T. |\n\n"));
    }
}
