//! Servers of which only files are there: bundles and source trees. What they declare when they run was not read.

use std::path::Path;

use portcullis_decide::Incomplete;
use portcullis_report::Origin;

use super::bundle::Bundle;
use super::gap::gap;
use super::load::{Loaded, Placed, Server, Source};
use super::source::{self, Tree};

/// The endings of bundles.
const BUNDLES: [&str; 3] = ["mcpb", "dxt", "zip"];
/// What definitions from files of a server are worth.
const NOT_RUN: &str =
    "its definitions were found in its files; it was not run, so what it declares then was not read";

/// What the files of one server declare.
#[derive(Debug)]
pub(super) struct Found {
    server: String,
    /// The bundle or the folder, as named.
    label: String,
    definitions: Vec<Placed>,
}

impl Loaded {
    /// Adds what was found in the files of servers, now that all other servers have their names.
    pub(super) fn add_found(&mut self) {
        for found in std::mem::take(&mut self.found) {
            let name = self.name_of(&found);
            self.unread.push(Incomplete { subject: name.clone(), reason: NOT_RUN.to_owned() });
            self.add(name, found.definitions);
        }
    }

    /// The server that files belong to: they join their own manifest, and no other server of that name.
    fn name_of(&self, Found { server, label, .. }: &Found) -> String {
        let apart = format!("{server}@{label}");
        let names = [server, &format!("{apart}/manifest.json")];
        let is_own = |known: &&Server| {
            let is_inside = |origin: &Origin| Path::new(&origin.file).starts_with(label);
            names.contains(&&known.name)
                && !known.is_long
                && known.details.iter().all(|detail| detail.origin.as_ref().is_some_and(is_inside))
        };
        match self.servers.iter().find(is_own) {
            Some(own) => own.name.clone(),
            None if self.servers.iter().any(|known| known.name == *server) => apart,
            None => server.clone(),
        }
    }

    /// The manifest of a bundle; what its source declares is kept for later.
    pub(super) fn bundle(
        &mut self,
        label: &str,
        server: String,
        bytes: std::io::Result<Vec<u8>>,
    ) -> Option<Source> {
        let bytes = bytes.map_err(|error| format!("cannot read it: {error}"));
        let bundle = bytes.as_deref().map_err(Clone::clone).and_then(Bundle::open);
        let mut bundle = bundle.map_err(|reason| self.gaps.push(gap(label, None, &reason))).ok()?;
        let manifest = bundle.file("manifest.json").map_err(std::io::Error::other);
        let mut tree = Tree::default();
        let names: Vec<String> =
            bundle.names().filter(|name| source::is_source(name)).map(str::to_owned).collect();
        for name in names {
            let inside = format!("{label}/{name}");
            match bundle.file(&name) {
                Ok(bytes) => tree.file(&inside, bytes),
                Err(reason) => tree.gaps.push(gap(&inside, None, &reason)),
            }
        }
        self.found_in(server.clone(), label.to_owned(), tree);
        self.source(&format!("{label}/manifest.json"), server, true, manifest)
    }

    pub(super) fn found_in(&mut self, server: String, label: String, tree: Tree) {
        self.gaps.extend(tree.gaps);
        let definitions = tree.definitions.into_iter().map(|(kind, json, origin)| (kind, json, Some(origin)));
        self.found.push(Found { server, label, definitions: definitions.collect() });
    }
}

/// Whether a file is a bundle, by its ending.
pub(super) fn is_bundle(file: &Path) -> bool {
    file.extension().is_some_and(|end| BUNDLES.iter().any(|bundle| end == *bundle))
}
