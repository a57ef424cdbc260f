//! Speaks over stdin and stdout: one message a line, both eras on the same pipe.

use crate::delivery;
use crate::perform::{Delivery, Request, Wire, perform};
use crate::rpc::{self, Client, Message, PARSE_ERROR};
use crate::scenario::Era;
use crate::stage::{Stage, locked};
use std::io::{BufRead, ErrorKind, Result, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Requests beyond this wait for those before them.
const MOST_AT_ONCE: usize = 64;
/// How long requests may still run once the client has closed the pipe.
const LAST_ORDERS: Duration = Duration::from_secs(1);

/// What the loop hears of.
enum Event {
    Line(Vec<u8>),
    /// The client closed the pipe.
    End,
    /// A scenario cuts the connection.
    HangUp,
}

/// The one client at the other end of the pipe.
#[derive(Default)]
struct Peer {
    client: Client,
    /// Lets at most so many requests run at once.
    places: Vec<SyncSender<()>>,
}

/// Serves until stdin ends or a scenario hangs up.
pub(crate) fn serve(stage: &Arc<Stage>) {
    let (events, heard) = channel();
    let reader = events.clone();
    std::thread::spawn(move || read(&reader));
    let mut events = Some(events);
    let mut peer = Peer::default();
    let is_over = Arc::new(AtomicBool::new(false));
    loop {
        // After the end only running requests still hold the channel open.
        let event = match &events {
            Some(_) => heard.recv().ok(),
            None => heard.recv_timeout(LAST_ORDERS).ok(),
        };
        match event {
            None | Some(Event::HangUp) => return,
            Some(Event::End) => {
                is_over.store(true, Ordering::SeqCst);
                events = None;
            }
            Some(Event::Line(line)) => {
                if let Some(events) = &events {
                    peer.receive(stage, &line, events, &is_over);
                }
            }
        }
    }
}

fn read(events: &Sender<Event>) {
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    while stdin.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if events.send(Event::Line(std::mem::take(&mut line))).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

impl Peer {
    fn receive(
        &mut self,
        stage: &Arc<Stage>,
        line: &[u8],
        events: &Sender<Event>,
        is_over: &Arc<AtomicBool>,
    ) {
        let message = match Message::parse(line) {
            Ok(message) => message,
            Err(what) => return drop(write_line(&rpc::failure(None, PARSE_ERROR, &what))),
        };
        let Some(method) = message.method.clone() else {
            return stage.answered(message.id.as_deref(), message.outcome);
        };
        let Some(id) = message.id.clone() else {
            if method == "notifications/cancelled" {
                stage.cancel("", &message.params["requestId"]);
            }
            return;
        };
        let era = if message.revision().is_some() { Era::Modern } else { Era::Legacy };
        if method == "initialize" {
            self.client = message.introduced();
            tell_of_changes(stage, None);
        }
        let client = if era == Era::Modern { message.client() } else { self.client.clone() };
        if method == "subscriptions/listen" && era == Era::Modern {
            return tell_of_changes(stage, Some(id));
        }
        let request = Request { conversation: String::new(), id, method, message, era, client };
        self.start(stage, request, events, is_over);
    }

    fn start(
        &mut self,
        stage: &Arc<Stage>,
        request: Request,
        events: &Sender<Event>,
        is_over: &Arc<AtomicBool>,
    ) {
        let (place, held) = sync_channel(0);
        if self.places.len() == MOST_AT_ONCE {
            // Blocks until the oldest request has ended and dropped its end.
            let _ = self.places.remove(0).send(());
        }
        self.places.push(place);
        let (stage, events, is_over) = (Arc::clone(stage), events.clone(), Arc::clone(is_over));
        std::thread::spawn(move || {
            let outcome = perform(&stage, &request, &mut Pipe { is_over });
            if outcome.is_err_and(|error| error.kind() == ErrorKind::ConnectionAborted) {
                let _ = events.send(Event::HangUp);
            }
            drop(held);
        });
    }
}

/// Passes news on for as long as the process lives; to a subscription under its id.
fn tell_of_changes(stage: &Arc<Stage>, subscription: Option<String>) {
    let changes = stage.listen();
    if let Some(id) = &subscription {
        let _ = write_line(&rpc::acknowledgement(id));
    }
    std::thread::spawn(move || {
        while changes.recv().is_ok() && write_line(&rpc::news(subscription.as_deref())).is_ok() {}
    });
}

/// Frames must not mix, whoever writes them.
static OUT: Mutex<()> = Mutex::new(());

fn write_line(frame: &[u8]) -> Result<()> {
    let _alone = locked(&OUT);
    let mut out = std::io::stdout();
    out.write_all(frame)?;
    out.write_all(b"\n")?;
    out.flush()
}

struct Pipe {
    is_over: Arc<AtomicBool>,
}

impl Wire for Pipe {
    fn aside(&mut self, frame: &[u8]) -> Result<()> {
        write_line(frame)
    }

    fn deliver(&mut self, delivery: &Delivery) -> Result<()> {
        let _alone = locked(&OUT);
        let mut out = std::io::stdout();
        for frame in &delivery.frames {
            delivery::write(&mut out, frame, delivery)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    fn is_gone(&mut self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }
}
