//! JSON lines in files too long to hold: read once for the names of servers, and again for each use of what they declare.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use portcullis_decide::Incomplete;
use portcullis_detect::{Archive, Definition};
use serde::de::IgnoredAny;

use super::files::Text;
use super::gap::{gap, stem};
use super::load::{Detail, Loaded, Server, Source};
use super::stream::{LONGEST_LINE, Pieces, in_pieces, unreadable};
use crate::exit::Failure;

/// Bits of a place that count the definitions of one server in one line: more than fit into the longest.
const COUNT_BITS: u32 = 24;

/// The files that are not held, and what tells their servers from others.
#[derive(Debug, Default)]
pub(crate) struct LongFiles {
    files: Vec<LongFile>,
    /// Names of servers that several inputs have.
    shared: BTreeSet<String>,
    /// How many bytes may still be held; without a number everything is.
    room: Option<u64>,
}

#[derive(Debug)]
struct LongFile {
    path: PathBuf,
    /// The path as named.
    label: String,
    /// Its servers, as they are told apart from those of other inputs.
    servers: BTreeSet<String>,
    /// The first line of each piece, and where that begins.
    pieces: Vec<(usize, u64)>,
    /// Its length and when it was written, as it was seen first.
    state: Option<(u64, SystemTime)>,
    /// Something was not found again.
    is_lost: AtomicBool,
}

/// What long files and others name alike, and the servers of the long ones.
#[derive(Default)]
pub(super) struct Named {
    pub(super) shared: BTreeSet<String>,
    pub(super) servers: BTreeSet<String>,
}

impl LongFiles {
    /// Holds files of so many bytes, and none beyond.
    pub(super) fn beyond(bytes: u64) -> Self {
        LongFiles { room: Some(bytes), ..LongFiles::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether the file is taken in here, because it cannot be held and can be cut into lines.
    pub(super) fn takes(&mut self, path: &Path) -> bool {
        let Some(room) = self.room else { return false };
        let Ok(about) = path.metadata() else { return false };
        if about.len() <= room {
            self.room = Some(room - about.len());
            return false;
        }
        // What could not be read now is told by whoever reads it as a whole.
        let is_lines = is_lines(path).unwrap_or(false);
        if is_lines {
            self.files.push(LongFile {
                path: path.to_owned(),
                label: path.to_string_lossy().into_owned(),
                servers: BTreeSet::new(),
                pieces: Vec::new(),
                state: state(path),
                is_lost: AtomicBool::new(false),
            });
        }
        is_lines
    }

    /// Finds out what the servers in here are called, beside those of inputs that are held.
    pub(super) fn name(&mut self, held: &[Source]) -> Named {
        if self.files.is_empty() {
            return Named::default();
        }
        let mut claims: BTreeMap<String, usize> = BTreeMap::new();
        let mut claim = |names: &BTreeSet<String>| {
            names.iter().for_each(|name| *claims.entry(name.clone()).or_default() += 1);
        };
        held.iter().for_each(|source| claim(&names_in(source).collect()));
        for file in &mut self.files {
            file.look();
            claim(&file.servers);
        }
        self.shared = claims.into_iter().filter(|(_, inputs)| *inputs > 1).map(|(name, _)| name).collect();
        for file in &mut self.files {
            let (label, shared) = (&file.label, &self.shared);
            let apart = |name: String| if shared.contains(&name) { format!("{name}@{label}") } else { name };
            file.servers = std::mem::take(&mut file.servers).into_iter().map(apart).collect();
        }
        let servers = self.files.iter().flat_map(|file| file.servers.iter().cloned()).collect();
        Named { shared: self.shared.clone(), servers }
    }

    /// Reads all of them and hands over what each piece declares.
    ///
    /// # Errors
    /// Whatever `look` returns.
    pub(crate) fn each(&self, look: &mut dyn FnMut(Loaded) -> Result<(), Failure>) -> Result<(), Failure> {
        for file in &self.files {
            match file.open() {
                Ok(pieces) => in_pieces(pieces, &self.shared, look)?,
                Err(error) => look(unreadable(&file.label, &error))?,
            }
        }
        Ok(())
    }

    /// The files that are not what they were when they were read first.
    pub(crate) fn lost(&self) -> impl Iterator<Item = Incomplete> {
        let is_lost =
            |file: &&LongFile| file.is_lost.load(Ordering::Relaxed) || file.state != state(&file.path);
        let lost = self.files.iter().filter(is_lost);
        lost.map(|file| gap(&file.label, None, "it changed while it was read; scan it again"))
    }

    /// Notes that something of a server was not found where it was.
    pub(crate) fn lose(&self, server: &str) {
        let file = self.files.iter().find(|file| file.servers.contains(server));
        file.into_iter().for_each(|file| file.is_lost.store(true, Ordering::Relaxed));
    }
}

/// Definitions are given back by reading their lines again.
impl Archive for LongFiles {
    fn definition(&self, server: &str, place: u64) -> Option<Definition> {
        let file = self.files.iter().find(|file| file.servers.contains(server))?;
        let found = file.read_back(server, place, &self.shared).ok().flatten();
        if found.is_none() {
            self.lose(server);
        }
        found
    }
}

/// The definitions of a server with their places, by which they are found again.
pub(crate) fn placed(server: Server) -> impl Iterator<Item = (Definition, Detail, u64)> {
    let (mut last, mut count) = (0, 0);
    server.definitions.into_iter().zip(server.details).map(move |(definition, detail)| {
        let line = detail.origin.as_ref().map_or(0, |origin| origin.line as u64);
        count = if line == last { count + 1 } else { 0 };
        last = line;
        (definition, detail, line << COUNT_BITS | count)
    })
}

impl LongFile {
    fn open(&self) -> io::Result<Pieces<File>> {
        Ok(Pieces::new(self.label.clone(), stem(&self.path), true, File::open(&self.path)?))
    }

    /// Notes the names of servers and where the pieces begin. What cannot be read is told by who reads it next.
    fn look(&mut self) {
        for piece in self.open().into_iter().flatten().flatten() {
            self.pieces.push((piece.source.first_line, piece.offset));
            self.servers.extend(names_in(&piece.source));
        }
    }

    fn read_back(
        &self,
        server: &str,
        place: u64,
        shared: &BTreeSet<String>,
    ) -> io::Result<Option<Definition>> {
        let (line, count) = (place >> COUNT_BITS, place & ((1 << COUNT_BITS) - 1));
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let behind = self.pieces.partition_point(|(first, _)| *first <= line);
        let Some((first, offset)) = behind.checked_sub(1).and_then(|at| self.pieces.get(at)) else {
            return Ok(None);
        };
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(*offset))?;
        let mut reader = BufReader::new(file);
        for _ in *first..line {
            reader.skip_until(b'\n')?;
        }
        let mut bytes = Vec::new();
        reader.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        let (label, text) = (self.label.clone(), Text::utf8(bytes).text);
        let source =
            Source { label, server: stem(&self.path), is_file: true, is_lines: true, first_line: line, text };
        let servers = Loaded::of(source, shared).servers;
        let found = servers.into_iter().find(|found| found.name == server);
        Ok(found.and_then(|found| found.definitions.into_iter().nth(usize::try_from(count).ok()?)))
    }
}

fn state(path: &Path) -> Option<(u64, SystemTime)> {
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok()?))
}

/// Whether a file begins with a line that stands for itself, and goes on after it.
fn is_lines(path: &Path) -> io::Result<bool> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    Ok(serde_json::from_slice::<IgnoredAny>(&line).is_ok() && !reader.fill_buf()?.is_empty())
}

/// The servers of a text, as it calls them.
fn names_in(source: &Source) -> impl Iterator<Item = String> {
    let parts = source.shapes().parts.into_iter();
    parts.map(|part| part.server.unwrap_or_else(|| source.server.clone()))
}
