//! Where a scan's settings come from: the command line, the environment, the nearest `portcullis.json`, our defaults.
//!
//! What the file says becomes the default of the flag of that name, so the usual order of precedence needs no code.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use portcullis_detect::escape_line;

use crate::Streams;
use crate::config;
use crate::exit::Failure;

/// What a settings file says about scans.
pub(crate) struct Settings {
    path: PathBuf,
    /// Flags by the names clap knows them by, with their values.
    values: Vec<(&'static str, Vec<String>)>,
}

impl Settings {
    /// The file named on the command line, or the nearest one above the current folder.
    ///
    /// # Errors
    /// There is a file and it cannot be used.
    pub(crate) fn find(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        if matches.get_flag("isolated") {
            return Ok(None);
        }
        let named = matches.get_one::<PathBuf>("config").cloned();
        let here = || std::env::current_dir().ok().and_then(|folder| nearest(&folder));
        let Some(path) = named.or_else(here) else { return Ok(None) };
        let values = config::scan_part(&path, &|name| std::env::var(name).ok())?;
        Ok(Some(Settings { path, values }))
    }

    /// The command line with the file's values as defaults of `scan`.
    pub(crate) fn over(&self, command: Command) -> Command {
        command.mut_subcommand("scan", |scan| {
            self.values.iter().fold(scan, |scan, (id, values)| {
                scan.mut_arg(id, |argument| argument.default_values(values.clone()))
            })
        })
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn says(&self, id: &str) -> bool {
        self.values.iter().any(|(known, _)| *known == id)
    }
}

/// The settings file of `folder` or of the nearest folder above it. What lies above a repository is not its own.
fn nearest(folder: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        let file = folder.join(config::USUAL_FILE);
        if file.is_file() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// Says what every setting of a scan is, and where it comes from.
pub(crate) fn show(
    matches: &ArgMatches,
    settings: Option<&Settings>,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let definition = crate::args::Arguments::definition();
    let Some(scan) = definition.find_subcommand("scan") else { return Ok(()) };
    match settings {
        Some(settings) => writeln!(streams.out, "# settings file: {}", settings.path.display())?,
        None => writeln!(streams.out, "# settings file: none")?,
    }
    for argument in scan.get_arguments() {
        let id = argument.get_id().as_str();
        let Some(flag) = argument.get_long().filter(|_| !matches!(id, "help" | "version" | "show_settings"))
        else {
            continue;
        };
        let shown = |value: &std::ffi::OsStr| {
            let value = value.to_string_lossy();
            // The value of a header is a secret; its name is none.
            let value =
                if id == "header" { value.split(':').next().unwrap_or_default().into() } else { value };
            escape_line(&value, 200)
        };
        let values = matches.get_raw(id).into_iter().flatten().map(shown);
        let values = values.collect::<Vec<_>>().join(",");
        let source = match matches.value_source(id) {
            Some(ValueSource::CommandLine) => "command line".to_owned(),
            Some(ValueSource::EnvVariable) => {
                let name = argument.get_env().unwrap_or_default().to_string_lossy();
                format!("environment, {name}")
            }
            Some(_) if settings.is_some_and(|settings| settings.says(id)) => "settings file".to_owned(),
            Some(_) => "default".to_owned(),
            None => "not set".to_owned(),
        };
        writeln!(streams.out, "{flag} = {values}  # {source}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_search_ends_where_the_repository_does() {
        // This very crate lies in a repository without a settings file.
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(nearest(&folder), None);
    }
}
