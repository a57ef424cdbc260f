//! Reads servers that are started or reached now: several at a time, each for a limited time, none with more of this
//! user's environment than it needs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use portcullis_decide::Incomplete;
use portcullis_detect::fingerprint;
use portcullis_gateway::settings::{
    Addresses, Credential, Launch, Means, Remote, Server, ServerName, Timing, Transport,
};
use portcullis_gateway::survey::{Survey, survey};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::targets::Target;
use crate::clients::{Recipe, make_private_folder};
use crate::exit::Failure;
use crate::input::load::Loaded;
use crate::progress::Progress;

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

/// Reads all of them and adds what they declare; what could not be read becomes a gap.
///
/// # Errors
/// No process could be started at all.
pub(super) fn read(
    targets: Vec<Target>,
    patience: Duration,
    is_visible: bool,
    loaded: &mut Loaded,
) -> Result<(), Failure> {
    if targets.is_empty() {
        return Ok(());
    }
    let home = PrivateHome::make()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut progress = Progress::new(targets.len(), "reading servers", is_visible);
    let surveys = runtime.block_on(all(&targets, &home, patience, &mut progress));
    // INVARIANT: whatever still runs then is ended by the guards of its tasks.
    drop(runtime);
    for (target, survey) in targets.into_iter().zip(surveys) {
        let subject = target
            .origin
            .as_ref()
            .map_or(target.name.clone(), |at| format!("{} ({})", target.name, at.shown()));
        loaded
            .gaps
            .extend(survey.gaps.into_iter().map(|reason| Incomplete { subject: subject.clone(), reason }));
        if !survey.definitions.is_empty() {
            loaded.take(&target.name, target.origin.as_ref(), survey.definitions);
        }
    }
    Ok(())
}

/// The surveys in the order of the targets, whoever answers first.
async fn all(
    targets: &[Target],
    home: &PrivateHome,
    patience: Duration,
    progress: &mut Progress,
) -> Vec<Survey> {
    let turns = Arc::new(Semaphore::new(AT_A_TIME));
    let timing = Timing { connect: patience, start: patience, answer: patience, ..Timing::default() };
    let means = Arc::new(Means { timing, ..Means::default() });
    let mut reading = JoinSet::new();
    for (place, target) in targets.iter().enumerate() {
        let (turns, means, server) = (Arc::clone(&turns), Arc::clone(&means), server(target, home));
        reading.spawn(async move {
            // INVARIANT: nobody closes the semaphore.
            let _turn = turns.acquire().await;
            let survey = match server {
                Ok(server) => survey(&server, &means, patience).await,
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
    while let Some(read) = reading.join_next().await {
        progress.step_now();
        if let Ok((place, survey)) = read
            && let Some(slot) = surveys.get_mut(place)
        {
            *slot = survey;
        }
    }
    surveys
}

fn server(target: &Target, home: &PrivateHome) -> Result<Server, String> {
    let transport = match &target.recipe {
        Recipe::Command { command, arguments, environment, directory } => Transport::Stdio(Launch {
            command: command.clone(),
            arguments: arguments.clone(),
            directory: directory.as_ref().map(PathBuf::from),
            environment: environment.clone().into_iter().collect(),
            inherited: Some(home.environment()),
        }),
        Recipe::Remote { transport, url, headers } => {
            let remote = remote(url, headers.iter())?;
            match transport {
                fingerprint::Transport::Sse => Transport::Sse(remote),
                _ => Transport::Http(remote),
            }
        }
    };
    // The name is for the log alone; what people call the server need not be one.
    let name = ServerName::parse("scanned").ok_or("this server cannot be named")?;
    Ok(Server { name, transport, answer: None, trust: None })
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

/// An empty folder that stands for the user's home, and goes with this.
struct PrivateHome(PathBuf);

impl PrivateHome {
    fn make() -> Result<PrivateHome, Failure> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| Failure::Usage(format!("no random numbers: {error}")))?;
        let path = std::env::temp_dir().join(format!("portcullis-scan-{:016x}", u64::from_le_bytes(bytes)));
        make_private_folder(&path).map_err(|error| Failure::Create { path: path.clone(), error })?;
        Ok(PrivateHome(path))
    }

    fn environment(&self) -> Vec<(String, String)> {
        let inherited =
            INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
        let home = self.0.display().to_string();
        inherited.chain(HOMES.iter().map(|name| ((*name).to_owned(), home.clone()))).collect()
    }
}

impl Drop for PrivateHome {
    fn drop(&mut self) {
        // What a server left there is nobody's; a folder that cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
