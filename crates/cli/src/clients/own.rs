//! This user's own gateway, as `install` and `uninstall` use it: started if none runs, told of remote servers, asked for
//! the tokens with which clients reach them.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use http::{Method, StatusCode};
use portcullis_store::Vault;
use serde_json::{Value, json};

use super::gate::{Gate, Pass};
use super::names::Names;
use super::recipe::Recipe;
use crate::exit::Failure;
use crate::security::desk::{Asking, part};

/// The gateway behind the door of a data directory.
pub(crate) struct Own {
    directory: PathBuf,
    door: PathBuf,
    /// Whether it is started if it does not run; otherwise the data directory is asked.
    is_started: bool,
    opened: OnceCell<Result<Asking, String>>,
}

impl Own {
    /// The gateway, which is started when it is first needed.
    pub(crate) fn started(directory: &Path) -> Result<Own, Failure> {
        Own::of(directory, true)
    }

    /// The gateway if it runs, else what it left behind.
    pub(crate) fn as_it_is(directory: &Path) -> Result<Own, Failure> {
        Own::of(directory, false)
    }

    fn of(directory: &Path, is_started: bool) -> Result<Own, Failure> {
        let door = Vault::door(directory)?;
        Ok(Own { directory: directory.to_owned(), door, is_started, opened: OnceCell::new() })
    }

    pub(crate) fn door(&self) -> &Path {
        &self.door
    }

    /// Its desk.
    pub(crate) fn desk(&self) -> Result<&Asking, String> {
        let open = || {
            if self.is_started {
                start(&self.door, &self.directory)
                    .map_err(|why| format!("this user's gateway cannot be started: {why}"))?;
            }
            Asking::of_user(&self.directory).map_err(|failure| failure.to_string())
        };
        self.opened.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// Lets a remote server in, if it is not there yet, and makes a token for the client that will ask for it.
    pub(crate) fn admit(&self, name: &str, recipe: &Recipe, client: &str) -> Result<Pass, String> {
        let desk = self.desk()?;
        let listens = self.ask(Method::GET, "/status", &Value::Null)?["listens"].as_str().map(str::to_owned);
        let base = listens.ok_or("this user's gateway listens nowhere")?;
        let path = format!("/servers/{}", part(name));
        let is_there = desk.get(&path).is_ok_and(|known| {
            known["used"] == true && known["launch"] == recipe.launch().to_string().as_str()
        });
        if !is_there {
            self.ask(Method::POST, "/servers", &recipe.body(name))?;
        }
        let label: String = format!("{client}: {name}").chars().take(100).collect();
        let made = self.ask(Method::POST, "/tokens", &json!({ "name": label, "role": "agent" }))?;
        let (id, token) = (made["id"].as_str(), made["token"].as_str());
        let (id, token) = id.zip(token).ok_or("this user's gateway made no token")?;
        let gate = Gate::new(&reachable(&base), token)?;
        Ok(Pass { token: Some(id.to_owned()), ..gate.pass(name) })
    }

    /// Takes back what `admit` did for one client; the server itself only if nobody else's entry leads to it.
    pub(crate) fn dismiss(&self, name: &str, token: &str, is_last: bool) -> Result<(), String> {
        let revoked = self.remove(&format!("/tokens/{}", part(token)));
        if is_last {
            self.remove(&format!("/servers/{}", part(name)))?;
        }
        revoked
    }

    /// The names of remote servers the gateway has already, so that another one does not get one of them.
    pub(crate) fn take_names(&self, names: &mut Names) -> Result<(), String> {
        let listed = self.ask(Method::GET, "/servers", &Value::Null)?;
        let servers = listed["servers"].as_array().into_iter().flatten();
        for server in servers.filter(|server| server["transport"] == "http") {
            let (name, launch) = (server["name"].as_str(), server["launch"].as_str());
            names.take(name.unwrap_or_default(), launch.unwrap_or_default());
        }
        Ok(())
    }

    /// What is gone already need not be removed.
    fn remove(&self, path: &str) -> Result<(), String> {
        let nothing = json!({});
        let asked = self.desk()?.at_once(|desk| desk.ask(Method::DELETE, path, &nothing));
        match asked {
            Err(refused) if refused.status != StatusCode::NOT_FOUND => Err(refused.message),
            _ => Ok(()),
        }
    }

    fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, String> {
        self.desk()?.ask(method, path, body).map_err(|failure| failure.to_string())
    }
}

/// An address a client of this machine can use, of one that listens everywhere.
fn reachable(base: &str) -> String {
    base.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
}

#[cfg(unix)]
fn start(door: &Path, directory: &Path) -> Result<(), String> {
    crate::users_gateway::open(door, directory)
}

#[cfg(not(unix))]
fn start(_door: &Path, _directory: &Path) -> Result<(), String> {
    Err("this system has no doors; name a running one with --gateway-url and --token-file".to_owned())
}
