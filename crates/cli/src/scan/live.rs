//! Reads servers that are started or reached now: several at a time, each for a limited time, none with more of this
//! user's environment than it needs.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use portcullis_decide::Incomplete;
use portcullis_detect::fingerprint;
use portcullis_gateway::settings::{
    Addresses, Credential, Launch, Means, Remote, Server, ServerName, Timing, Transport,
};
use portcullis_gateway::survey::{Survey, survey};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::entry::{Entry, SIGN_IN};
use super::sandbox::Sandbox;
use super::targets::Target;
use crate::clients::{Recipe, make_private_folder, package};
use crate::exit::Failure;
use crate::input::load::Loaded;
use crate::progress::Progress;
use crate::serve::signals;

/// Servers that are read at a time.
const AT_A_TIME: usize = 8;
/// What a process needs of our environment to run at all.
const INHERITED: [&str; 8] = ["PATH", "LANG", "LC_ALL", "TZ", "TERM", "SYSTEMROOT", "PATHEXT", "COMSPEC"];
/// What names a folder of the user: all of them lead into a private one.
const HOMES: [&str; 9] = [
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "TMPDIR",
    "TEMP",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
];

/// On what terms servers are read.
pub(super) struct Terms {
    pub(super) sandbox: Sandbox,
    pub(super) patience: Duration,
    /// Where tokens are kept, if somebody may be asked to sign in.
    pub(super) data: Option<PathBuf>,
}

/// Reads all of them and adds what they declare; what could not be read becomes a gap.
///
/// # Errors
/// No process could be started at all, or somebody wanted us to stop.
pub(super) fn read(
    targets: Vec<Target>,
    terms: &Terms,
    is_visible: bool,
    loaded: &mut Loaded,
) -> Result<(), Failure> {
    if targets.is_empty() {
        return Ok(());
    }
    let starts_any = targets.iter().any(|target| matches!(target.recipe, Recipe::Command { .. }));
    let missing = if starts_any { terms.sandbox.missing() } else { None };
    let sandbox = Asked { sandbox: terms.sandbox, missing };
    loaded.notes.extend(sandbox.note());
    let home = PrivateHome::make()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut progress = Progress::new(targets.len(), "reading servers", is_visible);
    let surveys = runtime.block_on(all(&targets, &sandbox, &home, terms, &mut progress))?;
    // INVARIANT: whatever still runs then is ended by the guards of its tasks.
    drop(runtime);
    for (target, survey) in targets.into_iter().zip(surveys) {
        let subject = target
            .origin
            .as_ref()
            .map_or(target.name.clone(), |at| format!("{} ({})", target.name, at.shown()));
        // A server that declares nothing was read all the same.
        if !survey.definitions.is_empty() || survey.gaps.is_empty() {
            loaded.take(&target.name, target.origin.as_ref(), survey.definitions);
        }
        loaded
            .gaps
            .extend(survey.gaps.into_iter().map(|reason| Incomplete { subject: subject.clone(), reason }));
    }
    Ok(())
}

/// The sandbox that was asked for, and what of it this system lacks.
struct Asked {
    sandbox: Sandbox,
    missing: Option<String>,
}

impl Asked {
    /// What a reader must know of servers that ran with less of a sandbox than was asked for.
    fn note(&self) -> Option<String> {
        let missing = self.missing.as_ref().filter(|_| self.sandbox == Sandbox::Try)?;
        Some(format!("servers ran without a whole sandbox: this system lacks {missing}"))
    }

    /// Why a server is not even started.
    fn refusal(&self) -> Option<String> {
        let missing = self.missing.as_ref().filter(|_| self.sandbox == Sandbox::Required)?;
        Some(format!("it was not started, for a sandbox is required and this system lacks {missing}"))
    }
}

/// What somebody can do about a server that could not be read.
fn hint(transport: &Transport, sandbox: Sandbox, is_refused: bool) -> &'static str {
    match transport {
        Transport::Http(_) | Transport::Sse(_) if is_refused => {
            "; sign in with --sign-in, or give a credential with --header 'Authorization: Bearer …', or in the file that \
             names the server"
        }
        Transport::Stdio(launch) if sandbox != Sandbox::Never => {
            match package(&launch.command, &launch.arguments) {
                Some(_) => {
                    "; in the sandbox it has no network to fetch its package: install that first and name its program"
                }
                None => "; it ran in the sandbox, without network and without your files",
            }
        }
        _ => "",
    }
}

/// The surveys in the order of the targets, whoever answers first.
async fn all(
    targets: &[Target],
    sandbox: &Asked,
    home: &PrivateHome,
    terms: &Terms,
    progress: &mut Progress,
) -> Result<Vec<Survey>, Failure> {
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    let (stopping, mut is_stopped) = (watch::Sender::new(false), false);
    let mut stop = pin!(signals::stop()?);
    let mut reading = JoinSet::new();
    for (place, target) in targets.iter().enumerate() {
        let (turns, ready) = (Arc::clone(&turns), ready(target, sandbox, &home.room(place)?, terms));
        let (mut stopping, sandbox) = (stopping.subscribe(), sandbox.sandbox);
        reading.spawn(async move {
            // INVARIANT: nobody closes the semaphore, and the sender lives until all of us are done.
            let _turn = turns.acquire().await;
            let stop = async { drop(stopping.wait_for(|is_stopped| *is_stopped).await) };
            let survey = match ready {
                Ok(ready) => ready.survey(sandbox, stop).await,
                Err(reason) => Survey { gaps: vec![reason], ..Survey::default() },
            };
            (place, survey)
        });
    }
    let mut surveys: Vec<Survey> = Vec::new();
    surveys.resize_with(targets.len(), || Survey {
        gaps: vec!["reading it failed; please report this".to_owned()],
        ..Survey::default()
    });
    loop {
        let read = tokio::select! {
            () = &mut stop, if !is_stopped => {
                is_stopped = true;
                stopping.send_replace(true);
                continue;
            }
            read = reading.join_next() => read,
        };
        let Some(read) = read else { break };
        progress.step_now();
        if let Ok((place, survey)) = read
            && let Some(slot) = surveys.get_mut(place)
        {
            *slot = survey;
        }
    }
    if is_stopped { Err(Failure::Stopped) } else { Ok(surveys) }
}

/// A server with what speaking to it takes.
struct Ready {
    server: Server,
    means: Means,
    patience: Duration,
    entry: Option<Entry>,
}

impl Ready {
    async fn survey(self, sandbox: Sandbox, stop: impl Future<Output = ()>) -> Survey {
        let mut survey = survey(&self.server, &self.means, self.patience, stop).await;
        let trouble = self.entry.and_then(|entry| entry.trouble()).map(|why| format!(": {why}"));
        let hint = hint(&self.server.transport, sandbox, survey.is_refused);
        for gap in &mut survey.gaps {
            gap.extend(trouble.as_deref().filter(|_| survey.is_refused));
            gap.push_str(hint);
        }
        survey
    }
}

fn ready(target: &Target, sandbox: &Asked, home: &Path, terms: &Terms) -> Result<Ready, String> {
    let (mut patience, mut entry) = (terms.patience, None);
    let transport = match &target.recipe {
        Recipe::Command { command, arguments, environment, directory } => {
            if let Some(refusal) = sandbox.refusal() {
                return Err(refusal);
            }
            let launch = Launch {
                command: command.clone(),
                arguments: arguments.clone(),
                directory: directory.as_ref().map(PathBuf::from),
                environment: environment.clone().into_iter().collect(),
                inherited: Some(environment_of(home)),
            };
            // A launcher starts, and ends, even if there is nothing to launch.
            if cfg!(target_os = "linux") && !is_there(&launch) {
                return Err("it cannot be started: there is no such program".to_owned());
            }
            Transport::Stdio(launch)
        }
        Recipe::Remote { transport, url, headers } => {
            let mut remote = remote(url, headers.iter())?;
            // Who names an address sits before it; what a file names is read without asking anybody.
            let is_named = target.origin.is_none() && matches!(remote.credential, Credential::None);
            if let Some(data) = terms.data.as_deref().filter(|_| is_named) {
                patience += SIGN_IN;
                entry = Some(Entry::open(&target.name, &mut remote, data));
            }
            match transport {
                fingerprint::Transport::Sse => Transport::Sse(remote),
                _ => Transport::Http(remote),
            }
        }
    };
    // The name is for the log alone; what people call the server need not be one.
    let name = ServerName::parse("scanned").ok_or("this server cannot be named")?;
    let one = terms.patience;
    let timing = Timing { connect: one, start: one, answer: one, ..Timing::default() };
    let means = Means { timing, launcher: sandbox.sandbox.launcher(home), ..Means::default() };
    Ok(Ready {
        server: Server { name, transport, answer: None, trust: None, each_node: true },
        means,
        patience,
        entry,
    })
}

/// Whether the program is where it would be looked for.
fn is_there(launch: &Launch) -> bool {
    if launch.command.contains('/') {
        return launch.directory.as_deref().unwrap_or(Path::new(".")).join(&launch.command).exists();
    }
    let written = launch.environment.iter().find(|(name, _)| name == "PATH");
    let path = written.map(|(_, path)| path.into()).or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(&launch.command).is_file())
}

fn remote<'a>(url: &str, written: impl Iterator<Item = (&'a String, &'a String)>) -> Result<Remote, String> {
    let url: Uri = url.parse().map_err(|_| "its address is not one".to_owned())?;
    let addresses = Addresses::written(Arc::default());
    addresses.check(&url).map_err(|why| format!("its address is refused: {why}"))?;
    let (mut headers, mut credential) = (Vec::new(), Credential::None);
    for (name, value) in written {
        let name =
            HeaderName::try_from(name.as_str()).map_err(|_| "a header's name is not one".to_owned())?;
        let mut value = HeaderValue::try_from(value.as_str())
            .map_err(|_| format!("the value of the header {name} is not one"))?;
        value.set_sensitive(true);
        match name == http::header::AUTHORIZATION {
            true => credential = Credential::Fixed(value),
            false => headers.push((name, value)),
        }
    }
    Ok(Remote { url, headers, credential, authorities: None, proxy: None, addresses })
}

/// What a server that is started finds in its environment, beside what its own file says.
fn environment_of(home: &Path) -> Vec<(String, String)> {
    let inherited = INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let home = home.display().to_string();
    inherited.chain(HOMES.iter().map(|name| ((*name).to_owned(), home.clone()))).collect()
}

/// A folder that holds the empty homes of servers, and goes with this.
struct PrivateHome(PathBuf);

impl PrivateHome {
    fn make() -> Result<PrivateHome, Failure> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| Failure::Usage(format!("no random numbers: {error}")))?;
        let path = std::env::temp_dir().join(format!("portcullis-scan-{:016x}", u64::from_le_bytes(bytes)));
        make_private_folder(&path).map_err(|error| Failure::Create { path: path.clone(), error })?;
        Ok(PrivateHome(path))
    }

    /// The home of one server.
    fn room(&self, place: usize) -> Result<PathBuf, Failure> {
        let path = self.0.join(place.to_string());
        make_private_folder(&path).map_err(|error| Failure::Create { path: path.clone(), error })?;
        Ok(path)
    }
}

impl Drop for PrivateHome {
    fn drop(&mut self) {
        // What a server left there is nobody's; a folder that cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_lacks_is_told_or_refused() {
        let asked = |sandbox| Asked { sandbox, missing: Some("Landlock".to_owned()) };
        let (tried, required) = (asked(Sandbox::Try), asked(Sandbox::Required));
        assert!(
            tried.note().is_some_and(|note| note.ends_with("lacks Landlock")) && tried.refusal().is_none()
        );
        let is_told = |why: String| why.starts_with("it was not started") && why.ends_with("lacks Landlock");
        assert!(required.refusal().is_some_and(is_told) && required.note().is_none());
        let whole = Asked { sandbox: Sandbox::Required, missing: None };
        assert!(whole.note().is_none() && whole.refusal().is_none());
    }
}
