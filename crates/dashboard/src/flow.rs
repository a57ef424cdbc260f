//! What happened in a session: a picture of the tools and of whose data moved between them, and a table that says the
//! same call by call. Never the data.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{graph, href, moment, visible, words};

/// A flow as the API tells it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Flow {
    /// Who calls.
    pub agent: String,
    /// The calls, in order.
    pub calls: Vec<Step>,
    /// Whose results were found again in whose arguments.
    pub edges: Vec<Edge>,
    /// What is no longer known.
    pub forgotten: Forgotten,
}

/// One call of a flow.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Its number, counted from 1.
    pub call: u64,
    /// When it was made.
    pub time: String,
    /// The server.
    pub server: String,
    /// The tool. May be hostile.
    pub tool: String,
    /// What it does: reads, writes or destroys.
    pub operation: String,
    /// What the tool can do.
    pub labels: Vec<String>,
    /// How it went.
    pub status: String,
    /// What was decided about it.
    pub verdict: Verdict,
    /// What was decided about its result, if one came.
    pub result: Option<Verdict>,
}

impl Step {
    /// The rules that spoke, about the call and then about its result.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &str> {
        let result = self.result.iter().flat_map(|result| &result.rules);
        self.verdict.rules.iter().chain(result).map(String::as_str)
    }
}

/// What was decided about a call or a result.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Verdict {
    /// What was done.
    pub act: String,
    /// How risky it is.
    pub risk: u64,
    /// The rules that spoke.
    pub rules: Vec<String>,
}

/// Something of an earlier result in a later call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Edge {
    /// The earlier call.
    pub from: u64,
    /// The later one.
    pub to: u64,
    /// The check that minds, if one does.
    pub check: Option<String>,
    /// How it was recognised.
    pub evidence: String,
    /// Whether it was encoded on the way.
    pub encoded: bool,
    /// How risky that is.
    pub risk: u64,
}

/// What of a flow is no longer kept.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Forgotten {
    /// Calls before those that are kept.
    pub calls: u64,
}

/// The picture and the table; `None` if nothing is known of it.
pub(crate) fn panel(flow: Option<&Flow>) -> Markup {
    html! {
        section class="panel" {
            header { h2 { "The flow" } span class="muted" { "whose data moved where, never the data" } }
            div id="flow" data-live="flow" data-live-activity {
                @match flow.filter(|flow| !flow.calls.is_empty()) {
                    Some(flow) => {
                        div class="inside" { div class="scroll" { (graph::drawn(flow)) } (legend()) }
                        @if flow.forgotten.calls > 0 {
                            p class="inside muted" { (words::count(flow.forgotten.calls, "earlier call is", "earlier calls are")) " no longer kept." }
                        }
                        (table(flow))
                    },
                    None => (words::empty("The guard remembers no flow of it here. Its records are below.")),
                }
            }
        }
    }
}

fn legend() -> Markup {
    html! {
        p class="legend" {
            span { i class="moved" {} "data moved" }
            span { i class="refused" {} "a rule spoke; the number is the risk" }
        }
    }
}

fn table(flow: &Flow) -> Markup {
    html! {
        div class="scroll" {
            table {
                thead { tr { th class="number" { "Call" } th { "Tool" } th class="wide" { "It can" } th { "Went" } th { "Rules" } th { "What came into it" } th class="wide" { "Time (UTC)" } } }
                tbody { @for step in &flow.calls { (row(step, &flow.edges)) } }
            }
        }
    }
}

fn row(step: &Step, edges: &[Edge]) -> Markup {
    let into: Vec<&Edge> = edges.iter().filter(|edge| edge.to == step.call).collect();
    html! {
        tr id={ "call-" (step.call) } data-row {
            td class="number" { (step.call) }
            td { a data-open href=(href::definition(&step.server, "tool", &step.tool)) { (visible::name(&step.server)) " / " (visible::name(&step.tool)) } }
            td class="wide muted" { (visible::text(&step.labels.join(", "))) }
            td { (words::status(&step.status)) }
            td {
                @for rule in step.rules() { div { code { (visible::text(rule)) } } }
                @if step.rules().next().is_none() { span class="muted" { "none" } }
            }
            td {
                @for edge in &into { div { (told(edge)) } }
                @if into.is_empty() { span class="muted" { "nothing known" } }
            }
            td class="wide" { (moment::exact(&step.time)) }
        }
    }
}

fn told(edge: &Edge) -> Markup {
    html! {
        (what(edge)) " of " a href={ "#call-" (edge.from) } { "call " (edge.from) }
        @if edge.encoded { ", encoded" }
        @if let Some(check) = &edge.check { ": " code { (visible::text(check)) } " " (words::risk(edge.risk)) }
    }
}

/// What was recognised, in words.
pub(crate) fn what(edge: &Edge) -> &'static str {
    match edge.evidence.as_str() {
        "order" => "follows an order",
        "value" => "uses a value",
        "atom" => "takes an address or id",
        "code" => "takes a long number or token",
        _ => "takes words",
    }
}
