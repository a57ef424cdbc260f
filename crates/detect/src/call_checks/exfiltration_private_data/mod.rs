#![doc = include_str!("README.md")]

use crate::call::address::{AddressKind, has_scheme};
use crate::call::word::Word;
use crate::call::{CallSignal, Label, ParameterRole, Source, source};
use crate::call_checks::{CallCheck, CallContext, Carried, Destination, Outward};
use crate::checks::Facts;
use crate::flow::{Gap, Hit, Privacy, Step, Trace, count_hidden};
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "exfiltration.private_data",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "Private data leaves in a way that nothing explains",
    page: include_str!("README.md"),
};

/// The check.
pub struct ExfiltrationPrivateData;

impl CallCheck for ExfiltrationPrivateData {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let found = hidden(context).or_else(|| encoded(context)).or_else(|| {
            let outward = context.outward()?;
            REASONS.iter().find_map(|reason| reason(context, outward))
        });
        let signal = found.map(|reason| CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 85,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(800),
            pointer: crate::escape_line(&reason.pointer, 200),
            from_call: reason.from_call,
            detail: reason.detail,
        });
        signal.into_iter().collect()
    }
}

/// Why a call that carries private data should not pass unasked.
struct Reason {
    pointer: String,
    from_call: Option<u32>,
    detail: String,
}

impl Reason {
    fn new(carried: &Carried, why: &str) -> Reason {
        let call = carried.hit.origin.call;
        Reason {
            pointer: carried.pointer.clone(),
            from_call: Some(call),
            detail: format!("data that call {} read leaves {why}", call + 1),
        }
    }
}

type Test = fn(&CallContext<'_>, &Outward) -> Option<Reason>;

/// In the order of how much they say.
const REASONS: [Test; 6] = [uploaded, published, marked, in_bulk, to_nobody_known, passed_on];

/// Characters that cannot be seen in a text that goes out.
const MOST_HIDDEN: usize = 8;

fn hidden(context: &CallContext<'_>) -> Option<Reason> {
    let leaf = context.arguments.leaves.iter().find(|leaf| count_hidden(leaf.text) > MOST_HIDDEN)?;
    let detail = "the text carries characters that cannot be seen".to_owned();
    Some(Reason { pointer: leaf.pointer.clone(), from_call: None, detail })
}

fn server(context: &CallContext<'_>) -> u64 {
    crate::guard::server_hash(context.call.server)
}

/// Texts shorter than this hide nothing by being encoded.
const SHORTEST_ENCODED: usize = 24;

/// What another server's result holds, and nobody can read any more.
fn encoded(context: &CallContext<'_>) -> Option<Reason> {
    // Between the house's own systems encoding is a matter of format.
    context.outward()?.unexplained().next()?;
    let server = server(context);
    let is_foreign = |hit: &Hit| {
        hit.trace > Trace::Atom && hit.origin.server != server && hit.origin.privacy != Privacy::Public
    };
    let leaves = context.arguments.leaves.iter().filter(|leaf| leaf.text.len() >= SHORTEST_ENCODED);
    leaves.filter(|leaf| !has_scheme(leaf.text)).find_map(|leaf| {
        if !leaf.hits(context.flow).is_empty() {
            return None;
        }
        let hit = leaf.decoded_hits(context.flow).iter().flatten().find(|hit| is_foreign(hit))?;
        let carried = Carried { pointer: leaf.pointer.clone(), hit: *hit, is_encoded: true };
        Some(Reason::new(&carried, "encoded, so that nobody can read it"))
    })
}

/// Data of another server was put with this one before; now this one sends to an address that nobody named.
fn passed_on(context: &CallContext<'_>, outward: &Outward) -> Option<Reason> {
    let is_link = |found: &&Destination| found.address.kind == AddressKind::Link;
    let destination = outward.unexplained().find(is_link).filter(|_| context.operation().acts())?;
    let detail = format!(
        "other servers' data was put here before and now goes to {}, which nobody named",
        crate::escape_line(&destination.address.host, 80)
    );
    let pointer = destination.pointer.clone();
    context.flow.is_staged(server(context)).then_some(Reason { pointer, from_call: None, detail })
}

/// A command that pipes or attaches files to an address that nobody named.
fn uploaded(context: &CallContext<'_>, outward: &Outward) -> Option<Reason> {
    let destination = outward.unexplained().next().filter(|_| context.profile.has(Label::Executes))?;
    let leaf = context.arguments.leaves.iter().find(|leaf| leaf.pointer == destination.pointer)?;
    let what = takes_along(leaf.text)?;
    let detail = format!("the command {what} an address that nobody named");
    Some(Reason { pointer: leaf.pointer.clone(), from_call: None, detail })
}

fn takes_along(command: &str) -> Option<&'static str> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let fetches = has(&["curl", "wget"]);
    let asks_inside =
        words.iter().any(|word| word.contains("://") && (word.contains("$(") || word.contains('`')));
    let attaches = fetches
        && (has(&["-T", "--upload-file"])
            || words
                .iter()
                .any(|word| word.starts_with('@') || word.contains("=@") || word.starts_with("--post-file")));
    let copies = has(&["scp", "rsync", "sftp", "ncat", "nc"]) && !has(&["-l", "-zv", "-z"]);
    if asks_inside {
        Some("puts what other commands print into")
    } else if attaches || copies {
        Some("uploads to")
    } else {
        None
    }
}

/// A place that everybody can read. Drafts are written to be published; what is marked or a list of people is not.
fn published(context: &CallContext<'_>, outward: &Outward) -> Option<Reason> {
    let carried = outward.withheld(server(context)).find(|carried| carried.hit.trace > Trace::Atom)?;
    let is_delicate = || carried.hit.origin.is_marked || is_list_of_people(context);
    let is_out =
        is_paste(context) && carried.hit.origin.is_private || is_public_place(context) && is_delicate();
    is_out.then(|| Reason::new(carried, "for a place that everybody can read"))
}

/// A service whose use is that anybody with the link reads it.
fn is_paste(context: &CallContext<'_>) -> bool {
    source::named(context.call).any(Word::PUBLISH)
}

fn is_public_place(context: &CallContext<'_>) -> bool {
    let is_flag = context.arguments.flags.iter().any(|flag| *flag == "public" || *flag == "is_public");
    let says_public = context.arguments.leaves.iter().any(|leaf| {
        leaf.role != ParameterRole::Payload
            && leaf.steps.len() <= 6
            && leaf.steps.iter().any(|step| {
                PUBLIC.contains(&leaf.text.get(step.start as usize..step.end as usize).unwrap_or_default())
            })
    });
    is_flag || says_public
}

const PUBLIC: [&str; 9] = [
    "public",
    "Public",
    "anyone",
    "everyone",
    "noticeboard",
    "community",
    "unlisted",
    "personal",
    "external",
];

/// Its source says that it must not be passed on.
fn marked(context: &CallContext<'_>, outward: &Outward) -> Option<Reason> {
    let carried = outward
        .withheld(server(context))
        .find(|carried| carried.hit.origin.is_marked && carried.hit.trace == Trace::Passage)?;
    outward.unexplained().next()?;
    Some(Reason::new(carried, "although its source says that it must not"))
}

/// Identities in one call that make a list of people.
const MANY: usize = 3;

fn in_bulk(context: &CallContext<'_>, outward: &Outward) -> Option<Reason> {
    outward.unexplained().next()?;
    let carried = outward.withheld(server(context)).next()?;
    is_list_of_people(context).then(|| Reason::new(carried, "as a list of people"))
}

fn is_list_of_people(context: &CallContext<'_>) -> bool {
    let found = context.sensitive_found();
    let is_many = |kind: &str| found.iter().filter(|other| other.kind == kind).count() >= MANY;
    let is_list = found
        .iter()
        .any(|found| found.is_personal && !matches!(&*found.kind, "ip" | "email") && is_many(&found.kind));
    is_list || birth_dates(context) >= MANY
}

/// Dates that are somebody's birthday rather than an appointment: long past.
fn birth_dates(context: &CallContext<'_>) -> usize {
    let year = |step: &&Step, text: &str| {
        let word = text.get(step.start as usize..step.end as usize).unwrap_or_default();
        step.len() == 4 && word.parse().is_ok_and(|year: u16| (1920..=2018).contains(&year))
    };
    let leaves = context.arguments.leaves.iter();
    leaves
        .map(|leaf| {
            let is_joined = |step: &&Step| {
                step.gap.any(Gap::JOINT)
                    || leaf.text.as_bytes().get(step.end as usize).is_some_and(|byte| *byte == b'-')
            };
            leaf.steps.iter().filter(is_joined).filter(|step| year(step, leaf.text)).count()
        })
        .sum()
}

/// The destination was named nowhere before, and what goes there is hardly more than a copy.
fn to_nobody_known(context: &CallContext<'_>, outward: &Outward) -> Option<Reason> {
    let mut carried = outward.withheld(server(context)).filter(|carried| carried.hit.trace > Trace::Atom);
    let first = carried.next()?;
    let destination = outward.unexplained().find(|destination| match destination.address.kind {
        AddressKind::Link => true,
        AddressKind::Phone => is_copy(context, destination),
        // People give mail addresses and names of sites by word of mouth.
        AddressKind::Mail | AddressKind::Host => false,
    })?;
    // Reading a page whose address holds a copied word is not sending.
    if !context.operation().acts() && first.pointer == destination.pointer {
        return None;
    }
    let host = crate::escape_line(&destination.address.host, 80);
    Some(Reason::new(first, &format!("for {host}, which nobody named")))
}

/// Few words of its own: one in so many at most.
const OWN_WORDS: usize = 6;

/// Whether the call says nothing but what was read.
fn is_copy(context: &CallContext<'_>, destination: &Destination) -> bool {
    let payload = context.arguments.leaves.iter().filter(|leaf| leaf.pointer != destination.pointer);
    let words = payload
        .flat_map(|leaf| &leaf.steps)
        .filter(|step| !step.is_everyday && !step.has_digit && step.len() > 2);
    let (mut all, mut own) = (0, 0);
    for word in words {
        all += 1;
        own += usize::from(!context.flow.was_used(word.hash));
    }
    own * OWN_WORDS <= all
}
