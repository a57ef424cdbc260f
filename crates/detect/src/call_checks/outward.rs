//! What a call takes outside: to which destinations, with whose data. Worked out once for all checks that ask.

use super::CallContext;
use crate::call::address::{Address, AddressKind};
use crate::call::view::Leaf;
use crate::call::{Label, ParameterRole};
use crate::flow::{Atom, Gap, Hit, Privacy, Step, Trace, atoms, domain, numbers, walk};
use crate::guard::Moved;
use crate::prelude::*;
use crate::sensitive::{Facts, Family, Format, Severity, Strength};
use alloc::collections::BTreeMap;

/// One destination of a call.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) pointer: String,
    /// Its words, hashed; familiar destinations are known by it.
    pub(crate) atom: u64,
    pub(crate) address: Address,
    /// Took part in what was read, was written to before, or is the operator's own.
    pub(crate) is_familiar: bool,
    /// Somebody named it, or whoever it belongs to, before: a result, or the agent on the user's behalf.
    pub(crate) is_explained: bool,
}

/// Data of an earlier result in the payload.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    pub(crate) pointer: String,
    pub(crate) hit: Hit,
    /// Only decoding shows it.
    pub(crate) is_encoded: bool,
}

/// Fields that are looked at as one record.
const MOST_JOINED: usize = 256;

/// What leaves, and where to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outward {
    pub(crate) destinations: Vec<Destination>,
    pub(crate) carried: Vec<Carried>,
}

impl Outward {
    /// Destinations that lead outside and are new.
    pub(crate) fn new_destinations(&self) -> impl Iterator<Item = &Destination> {
        self.destinations
            .iter()
            .filter(|destination| !destination.is_familiar && !destination.address.is_internal)
    }

    /// Private data that is not merely going home.
    pub(crate) fn private(&self, server: u64) -> impl Iterator<Item = &Carried> {
        // A call with an address of its own takes the data further, even by the server it came from.
        let leads_on = self.destinations.iter().any(|destination| !destination.address.is_internal);
        self.carried.iter().filter(move |carried| {
            carried.hit.origin.is_private && (leads_on || carried.hit.origin.server != server)
        })
    }

    /// Data that nothing says is public, of another server's result.
    pub(crate) fn withheld(&self, server: u64) -> impl Iterator<Item = &Carried> {
        let leads_on = self.destinations.iter().any(|destination| !destination.address.is_internal);
        self.carried.iter().filter(move |carried| {
            let origin = &carried.hit.origin;
            origin.privacy != Privacy::Public && (leads_on && origin.is_private || origin.server != server)
        })
    }

    /// Whose data leaves, each source once with its strongest trace.
    pub(crate) fn moved(&self) -> Vec<Moved> {
        let mut strongest: BTreeMap<u32, (Trace, bool)> = BTreeMap::new();
        for carried in self.carried.iter().filter(|carried| !carried.hit.origin.is_agents()) {
            let found = (carried.hit.trace, carried.is_encoded);
            let known = strongest.entry(carried.hit.origin.call).or_insert(found);
            *known = (known.0.max(found.0), known.1 && found.1);
        }
        let moved = |(from_call, (trace, is_encoded)): (u32, (Trace, bool))| Moved {
            from_call,
            evidence: trace.as_str(),
            is_encoded,
        };
        strongest.into_iter().map(moved).collect()
    }

    /// The hosts of all destinations.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.destinations.iter().map(|destination| destination.address.host.clone()).collect()
    }

    /// The hashes of all destinations.
    pub(crate) fn atoms(&self) -> Vec<u64> {
        self.destinations.iter().map(|destination| destination.atom).collect()
    }

    /// Destinations outside that nothing explains.
    pub(crate) fn unexplained(&self) -> impl Iterator<Item = &Destination> {
        self.destinations.iter().filter(|found| !found.is_explained && !found.address.is_internal)
    }
}

/// What the call takes outside; `None` if it takes nothing anywhere.
pub(super) fn of(context: &CallContext<'_>) -> Option<Outward> {
    let leaves = &context.arguments.leaves;
    let sends = context.profile.has(Label::CanSend) || context.profile.has(Label::Executes);
    // A link that stands alone in an argument is where the call goes, whatever the tool is called.
    let acts = context.operation().acts();
    let is_place = |leaf: &Leaf<'_>| {
        leaf.role != ParameterRole::Payload && (is_link(leaf.text) || is_domain(leaf))
            || acts && leaf.role == ParameterRole::Destination && is_mail(leaf.text)
    };
    if !sends && !leaves.iter().any(is_place) {
        return None;
    }
    let mut outward = Outward::default();
    for leaf in leaves {
        add_destinations(context, leaf, &mut outward);
    }
    for leaf in leaves {
        if is_bare_address(leaf) {
            continue;
        }
        let carry = |hit: &Hit, is_encoded| Carried { pointer: leaf.pointer.clone(), hit: *hit, is_encoded };
        outward.carried.extend(leaf.hits(context.flow).iter().map(|hit| carry(hit, false)));
        let decoded = leaf.decoded_hits(context.flow).iter().flatten();
        outward.carried.extend(decoded.map(|hit| carry(hit, true)));
    }
    add_joined(context, &mut outward);
    forget_open_copies(&mut outward);
    add_referred(context, &mut outward);
    let is_internal = |destination: &Destination| destination.address.is_internal;
    let stays = !outward.destinations.is_empty() && outward.destinations.iter().all(is_internal);
    (!stays).then_some(outward)
}

/// What values given to a sending tool refer to, if another server gave the reference out.
///
/// Ids of the sending server itself are its own business: it knows what they stand for and who may have it.
fn add_referred(context: &CallContext<'_>, outward: &mut Outward) {
    if !context.profile.has(Label::CanSend) || !context.operation().acts() {
        return;
    }
    let server = crate::guard::server_hash(context.call.server);
    let leaves = context.arguments.leaves.iter().filter(|leaf| leaf.role != ParameterRole::Destination);
    outward.carried.extend(leaves.filter_map(|leaf| {
        let hit = context.flow.referred(leaf.text, &leaf.steps).filter(|hit| hit.origin.server != server)?;
        Some(Carried { pointer: leaf.pointer.clone(), hit, is_encoded: false })
    }));
}

/// Leaves that hold a field each are one record together.
fn add_joined(context: &CallContext<'_>, outward: &mut Outward) {
    let leaves =
        || context.arguments.leaves.iter().filter(|leaf| !is_bare_address(leaf) && leaf.text.len() < 200);
    if leaves().count() < 3 {
        return;
    }
    let mut joined = String::new();
    for leaf in leaves().take(MOST_JOINED) {
        joined.push_str(leaf.text);
        joined.push(' ');
    }
    let steps = walk(&joined, 4 * MOST_JOINED).0;
    let known = outward.carried.len();
    for hit in context.flow.hits(&joined, &steps) {
        let is_known = outward.carried.iter().take(known).any(|carried| carried.hit.origin == hit.origin);
        if !is_known {
            outward.carried.push(Carried { pointer: String::new(), hit, is_encoded: false });
        }
    }
}

/// What also stands there in the open was not hidden by its encoding.
fn forget_open_copies(outward: &mut Outward) {
    let open: Vec<String> = outward
        .carried
        .iter()
        .filter(|carried| !carried.is_encoded)
        .map(|carried| carried.pointer.clone())
        .collect();
    for carried in outward.carried.iter_mut().filter(|carried| open.contains(&carried.pointer)) {
        carried.is_encoded = false;
    }
}

/// An address and nothing behind it.
fn is_bare_address(leaf: &Leaf<'_>) -> bool {
    leaf.role == ParameterRole::Destination && !leaf.text.contains(['/', '?'])
        || is_link(leaf.text)
            && leaf.text.matches('/').count() <= 3
            && !leaf.text.contains('?')
            && leaf.text.len() < 60
}

/// A text that is one link.
fn is_link(text: &str) -> bool {
    const SCHEMES: [&str; 12] = [
        "http://", "https://", "ftp://", "ftps://", "smtp://", "ws://", "wss://", "s3://", "gs://",
        "sftp://", "ssh://", "git://",
    ];
    SCHEMES.iter().any(|scheme| text.starts_with(scheme)) && !text.contains(char::is_whitespace)
}

/// A text that is one host name.
fn is_domain(leaf: &Leaf<'_>) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    leaf.text.contains('.')
        && leaf.text.chars().all(is_name)
        && matches!(leaf.addresses(), [address] if address.kind == AddressKind::Host)
}

/// A text that is one mail address.
fn is_mail(text: &str) -> bool {
    text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'))
        && !text.contains(char::is_whitespace)
}

/// A telephone number, written as people do.
fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (8..=15).contains(&digits)
        && text.bytes().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b'+' | b' ' | b'-' | b'(' | b')' | b'/' | b'.')
        })
        && text.starts_with(['+', '0', '('])
}

fn add_destinations(context: &CallContext<'_>, leaf: &Leaf<'_>, outward: &mut Outward) {
    let profile = context.profile;
    let is_whole_mail = || profile.has(Label::CanSend) && is_mail(leaf.text);
    let is_place = leaf.role == ParameterRole::Destination
        || profile.has(Label::Executes)
        || is_link(leaf.text)
        || leaf.role == ParameterRole::Other && is_domain(leaf)
        || is_whole_mail();
    if !is_place {
        return;
    }
    if leaf.role == ParameterRole::Destination && is_phone(leaf.text) {
        outward.destinations.push(phone(context, leaf));
        return;
    }
    let mut found: Vec<Atom> = Vec::new();
    atoms(leaf.text, &leaf.steps, |atom| found.extend(atom.is_address.then_some(atom)));
    for (number, address) in leaf.addresses().iter().enumerate() {
        let atom = found.get(number);
        let hash = atom.map_or(0, |atom| atom.hash);
        let words = atom.and_then(|atom| leaf.steps.get(atom.first..atom.end)).unwrap_or_default();
        let is_familiar = context.settings.is_own_domain(&address.host)
            || context.flow.is_familiar(hash)
            || context.baseline.is_some_and(|known| known.has_destination(hash));
        let is_explained = is_familiar
            || context.flow.is_vouched(hash)
            || domain(leaf.text, words).is_some_and(|domain| context.flow.is_known_domain(domain))
            || names_somebody(context, leaf, words);
        outward.destinations.push(Destination {
            pointer: leaf.pointer.clone(),
            atom: hash,
            address: address.clone(),
            is_familiar,
            is_explained,
        });
    }
}

fn phone(context: &CallContext<'_>, leaf: &Leaf<'_>) -> Destination {
    let mut hash = 0;
    numbers(leaf.text, &leaf.steps, |number, _| hash = number);
    let is_familiar = context.flow.is_familiar(hash);
    let is_explained = is_familiar || context.flow.is_vouched(hash);
    let (pointer, address) = (leaf.pointer.clone(), Address::phone());
    Destination { pointer, atom: hash, address, is_familiar, is_explained }
}

/// A word in front of the `@` that was used before, or that the call itself uses: somebody the talk is of.
fn names_somebody(context: &CallContext<'_>, leaf: &Leaf<'_>, words: &[Step]) -> bool {
    let Some(at) = words.iter().position(|step| step.gap.any(Gap::AT)) else { return false };
    let is_used_elsewhere = |word: &Step| {
        let others = context.arguments.leaves.iter().filter(|other| other.pointer != leaf.pointer);
        others.flat_map(|other| &other.steps).any(|step| step.hash == word.hash)
    };
    let names = words
        .get(..at)
        .unwrap_or_default()
        .iter()
        .filter(|word| !word.has_digit && word.len() >= 3 && !word.is_everyday);
    names.into_iter().any(|word| context.flow.was_used(word.hash) || is_used_elsewhere(word))
}

/// One kind of sensitive data in what leaves.
#[derive(Clone, Debug)]
pub(crate) struct SensitiveFound {
    pub(crate) pointer: String,
    pub(crate) kind: String,
    /// A secret bound by prefix, structure or checksum.
    pub(crate) is_bound_secret: bool,
    pub(crate) is_personal: bool,
    /// How bad it is that it leaves, from 0 to 100, if it is personal.
    pub(crate) severity: u8,
    pub(crate) confidence: u16,
}

/// How bad it is that personal data leaves.
const PERSONAL: u8 = 50;

pub(super) fn sensitive(context: &CallContext<'_>) -> Vec<SensitiveFound> {
    let Some(outward) = context.outward() else { return Vec::new() };
    let is_mail = |destination: &Destination| destination.address.kind == AddressKind::Mail;
    let mut found = Vec::new();
    for leaf in &context.arguments.leaves {
        // An address a call goes to is no leak of that address; what hangs behind a link may be one.
        let is_address = leaf.role == ParameterRole::Destination;
        if is_address && (outward.destinations.iter().any(is_mail) || !leaf.text.contains(['/', '?'])) {
            continue;
        }
        for located in context.sensitive.in_document(leaf.text.as_bytes(), Format::Text).hits {
            let hit = located.hit;
            let facts = context.sensitive.facts(hit.row);
            if hit.confidence.thousandths() < super::LEAST_CONFIDENCE
                || is_address && facts.family != Family::Secret
            {
                continue;
            }
            found.push(SensitiveFound {
                pointer: leaf.pointer.clone(),
                kind: facts.kind.to_owned(),
                is_bound_secret: facts.family == Family::Secret && hit.strength == Strength::Bound,
                is_personal: facts.family != Family::Secret,
                severity: severity(facts),
                confidence: hit.confidence.thousandths(),
            });
        }
    }
    found
}

/// Personal data of any built-in kind weighs the same; a pattern of the operator's own as much as it says.
fn severity(facts: Facts<'_>) -> u8 {
    match facts.severity {
        _ if facts.family != Family::Custom => PERSONAL,
        Severity::Low => 30,
        Severity::Medium => PERSONAL,
        Severity::High => 70,
        Severity::Critical => 90,
    }
}
