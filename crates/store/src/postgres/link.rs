//! Connections: made when they are needed, made again when they break, given up on when the caller's time is over.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::time::Duration;

use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_postgres::{AsyncMessage, Client};

use super::address::Address;
use super::trouble::Trouble;
use crate::StoreError;

/// How long a call waits for a database that is away.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Tries follow each other after this, then after twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(25);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// What every session of ours is told first. A commit that is acknowledged is on the server's disk.
const SESSION: &str = "SET statement_timeout = '60s'; SET lock_timeout = '4s'; SET synchronous_commit = on;
    SET client_min_messages = warning; SET search_path = portcullis, pg_catalog";

/// The pauses between tries.
pub(super) struct Pauses(Duration);

impl Pauses {
    pub(super) fn new() -> Pauses {
        Pauses(FIRST_PAUSE)
    }

    pub(super) async fn pause(&mut self) {
        sleep(self.0).await;
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
    }
}

impl Address {
    /// A new connection; `role` is how the server's list of sessions names it.
    pub(super) async fn connect(&self, role: &str) -> Result<Client, Trouble> {
        self.connect_hearing(role, || ()).await
    }

    /// The same; `heard` is called for every notification.
    pub(super) async fn connect_hearing(
        &self,
        role: &str,
        mut heard: impl FnMut() + 'static,
    ) -> Result<Client, Trouble> {
        let trouble = |error: tokio_postgres::Error| Trouble::of(&self.name, &error);
        let mut config = self.config.clone();
        config.application_name(role);
        let (client, mut connection) = config.connect(self.tls.clone()).await.map_err(trouble)?;
        spawn_local(async move {
            // The end of the connection is seen by whoever uses the client.
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if matches!(message, AsyncMessage::Notification(_)) {
                    heard();
                }
            }
        });
        client.batch_execute(SESSION).await.map_err(trouble)?;
        Ok(client)
    }
}

/// A connection for questions, shared by all who ask.
pub(super) struct Asker {
    pub(super) address: Rc<Address>,
    client: RefCell<Option<Rc<Client>>>,
}

impl Asker {
    pub(super) fn new(address: Rc<Address>) -> Asker {
        Asker { address, client: RefCell::new(None) }
    }

    /// Asks until there is an answer or the caller's time is over.
    pub(super) async fn ask<T, F>(&self, question: impl Fn(Rc<Client>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, Trouble>>,
    {
        let deadline = Instant::now() + PATIENCE;
        let mut pauses = Pauses::new();
        let mut reason = "no answer in time".to_owned();
        loop {
            let answer = timeout_at(deadline, async {
                let client = self.client().await?;
                question(client).await
            });
            match answer.await {
                Ok(Err(Trouble::Away(what))) => reason = what,
                Ok(answer) => return answer.map_err(|trouble| trouble.told(&self.address.name)),
                Err(_) => {}
            }
            self.client.replace(None);
            if Instant::now() >= deadline {
                return Err(Trouble::Away(reason).told(&self.address.name));
            }
            pauses.pause().await;
        }
    }

    async fn client(&self) -> Result<Rc<Client>, Trouble> {
        let known = self.client.borrow().clone().filter(|client| !client.is_closed());
        if let Some(client) = known {
            return Ok(client);
        }
        let client = Rc::new(self.address.connect("portcullis-reader").await?);
        self.client.replace(Some(Rc::clone(&client)));
        Ok(client)
    }
}
