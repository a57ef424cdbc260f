//! What the checks found, as the API reports it.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{visible, words};

/// A report on definitions.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Report {
    /// What was found, one for each definition.
    pub findings: Vec<Finding>,
    /// What an operator suppressed.
    pub suppressed: Vec<Suppressed>,
}

/// All that is wrong with one definition.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// Of which kind the definition is.
    pub kind: String,
    /// What it is called. May be hostile.
    pub name: String,
    /// How bad it is.
    pub severity: String,
    /// What it threatens.
    pub threat: String,
    /// How sure the checks are, 0 to 1.
    pub confidence: f64,
    /// 0 to 100.
    pub risk: u64,
    /// Which checks counted.
    pub checks: Vec<String>,
    /// What they saw.
    pub signals: Vec<Signal>,
    /// What counts for nothing where it stands.
    pub discounted: Vec<Signal>,
}

/// What one check saw.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Signal {
    /// Which check.
    pub check: String,
    /// `hard` or `soft`.
    pub tier: String,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// What it saw, in a sentence.
    pub detail: String,
    /// Where.
    pub pointer: String,
    /// What had to be decoded first.
    pub decodings: Vec<String>,
    /// The text around it, escaped.
    pub excerpt: String,
    /// The part that counts.
    pub mark: Mark,
    /// Why it counts for less.
    pub discount: Option<Discount>,
}

/// Characters of an excerpt.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// The first.
    pub start: usize,
    /// After the last.
    pub end: usize,
}

/// Why something counts for less.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Discount {
    /// In a sentence.
    pub reason: String,
}

/// A finding somebody accepted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Suppressed {
    /// What is not shown as a finding.
    pub finding: Finding,
    /// Who said so.
    pub by: Suppression,
}

/// Why a finding is not shown.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Suppression {
    /// The check.
    pub check: String,
    /// The reason.
    pub reason: String,
}

/// The findings on one definition, each signal with its evidence.
pub(crate) fn findings(report: &Report) -> Markup {
    let is_empty = report.findings.iter().all(|finding| finding.signals.is_empty());
    html! {
        @if is_empty { (words::empty("No check speaks against it.")) }
        @for finding in &report.findings {
            @for signal in &finding.signals { (one(signal)) }
            @if !finding.discounted.is_empty() {
                details class="finding more" {
                    summary { (words::count(finding.discounted.len() as u64, "signal counts", "signals count")) " for nothing where they stand" }
                    div { @for signal in &finding.discounted { (one(signal)) } }
                }
            }
        }
        @for suppressed in &report.suppressed {
            div class="finding" {
                p { (words::chip("", "suppressed")) " " code { (suppressed.by.check) } " — " (visible::text(&suppressed.by.reason)) }
            }
        }
    }
}

fn one(signal: &Signal) -> Markup {
    let is_hard = signal.tier == "hard";
    let marked = std::slice::from_ref(&(signal.mark.start..signal.mark.end)).to_vec();
    html! {
        article class={ "finding" @if is_hard { " hard" } } {
            p class="chips" {
                (words::chip(if is_hard { "danger" } else { "warn" }, &signal.tier))
                strong { code { (signal.check) } }
                span class="muted" { "confidence " (format!("{:.2}", signal.confidence)) }
            }
            p { (visible::text(&signal.detail)) }
            div class="excerpt" {
                p class="muted" {
                    @if !signal.decodings.is_empty() { "decoded from " (signal.decodings.join(" in ")) ", " }
                    "at " code { (visible::text(&signal.pointer)) }
                }
                p class="said" { (visible::text_with(&signal.excerpt, &marked)) }
            }
            @if let Some(discount) = &signal.discount {
                p class="muted" { "It counts for less: " (visible::text(&discount.reason)) }
            }
        }
    }
}
