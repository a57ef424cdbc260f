//! Plain text for people, in the manner of rustc: what is wrong, where, the evidence, what to do.

use std::io::{self, Write};

use portcullis_decide::{Finding, Incomplete, Persona};
use portcullis_detect::{Evidence, Kind, RULES_VERSION, Signal, Tier, escape_line};

use crate::Scan;
use crate::accepted;
use crate::excerpt::marked;
use crate::place::subject;
use crate::style::Style;

/// How many further places of one check are shown before the rest is only counted.
const FURTHER_PLACES: usize = 2;
/// The columns the frame left of an excerpt takes.
const FRAME: usize = 4;

/// How plain text is written.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// The colours.
    pub style: Style,
    /// The columns a line may take.
    pub width: usize,
    /// Show every place of every check, not only the first few.
    pub every_place: bool,
}

impl Default for Plain {
    fn default() -> Self {
        Plain { style: Style::plain(), width: 100, every_place: false }
    }
}

impl Plain {
    /// Writes the findings the report's persona shows, what was not looked at, and the counts.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn write(&self, scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
        for finding in scan.report.shown() {
            for check in &finding.checks {
                let signals = finding.signals.iter().filter(|signal| signal.check == *check).collect();
                self.block(scan, finding, signals, out)?;
            }
            if scan.report.persona == Persona::Auditor {
                for signal in &finding.discounted {
                    self.block(scan, finding, vec![signal], out)?;
                }
            }
        }
        accepted::write(scan.report, self.style, out)?;
        for gap in &scan.report.incomplete {
            self.gap(gap, out)?;
        }
        self.last_line(scan, out)
    }

    /// One check's word on one definition.
    fn block(
        &self,
        scan: &Scan<'_>,
        finding: &Finding,
        mut signals: Vec<&Signal>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // The strongest signal leads; sorting is stable, so equals keep their place in the definition.
        signals.sort_by_key(|signal| std::cmp::Reverse((signal.tier, signal.escalated, signal.confidence)));
        let Some(first) = signals.first() else { return Ok(()) };
        let Style { frame, strong, reset, .. } = self.style;
        let is_discounted = finding.discounted.iter().any(|signal| signal == *first);
        let (colour, word) = match first.tier {
            _ if is_discounted => (self.style.note, "note"),
            Tier::Hard => (self.style.error, "error"),
            Tier::Soft => (self.style.warning, "warning"),
        };
        writeln!(out, "{colour}{word}[{}]{reset}{strong}: {}{reset}", first.check, first.detail)?;
        let subject = subject(finding);
        write!(out, " {frame}-->{reset} {subject}#{}", first.evidence.pointer())?;
        match scan.origins.of(finding) {
            Some(origin) => {
                let file = escape_line(&origin.file, 200);
                writeln!(out, " ({file}:{}:{})", origin.line, origin.column)?;
            }
            None => writeln!(out)?,
        }
        self.excerpt(&first.evidence, colour, out)?;
        let most = if self.every_place { usize::MAX } else { FURTHER_PLACES };
        for signal in signals.iter().skip(1).take(most) {
            let rungs = signal.evidence.decodings().join(" in ");
            let path = if rungs.is_empty() { rungs } else { format!(" ({rungs})") };
            let pointer = signal.evidence.pointer();
            writeln!(out, " {frame}:::{reset} {subject}#{pointer}{path}: {}", signal.detail)?;
            self.excerpt(&signal.evidence, colour, out)?;
        }
        let left_out = signals.len().saturating_sub(most.saturating_add(1));
        self.notes(scan, finding, first, left_out, out)
    }

    fn excerpt(&self, evidence: &Evidence, colour: &str, out: &mut dyn Write) -> io::Result<()> {
        let Style { frame, reset, .. } = self.style;
        let width = self.width.saturating_sub(FRAME).max(20);
        let marked = marked(evidence.excerpt(), evidence.mark(), width);
        writeln!(out, "  {frame}|{reset}")?;
        writeln!(out, "  {frame}|{reset} {}", marked.text.trim_end())?;
        writeln!(out, "  {frame}|{reset} {colour}{}{reset}", marked.carets)
    }

    fn notes(
        &self,
        scan: &Scan<'_>,
        finding: &Finding,
        signal: &Signal,
        left_out: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Style { frame, reset, .. } = self.style;
        writeln!(out, "  {frame}|{reset}")?;
        if left_out > 0 {
            self.line(
                "note",
                &format!("and {} more; --format json lists all", count(left_out, "place")),
                out,
            )?;
        }
        if !signal.evidence.decodings().is_empty() {
            self.line("note", &format!("decoded from {}", signal.evidence.place()), out)?;
        }
        if let Some(discount) = &signal.discount {
            let lowered = format!("confidence lowered from {}: {}", discount.from, discount.reason);
            self.line("note", &lowered, out)?;
        }
        let signals = if finding.checks.is_empty() { "none".to_owned() } else { finding.checks.join(", ") };
        let sure = format!("confidence {}, signals {signals}", signal.confidence);
        self.line("note", &sure, out)?;
        let verdict = format!(
            "{} ({}); {} is {}, risk {}: {}",
            signal.threat.as_str(),
            scan.owasp(signal.check),
            article(finding.kind),
            finding.severity.as_str(),
            finding.risk,
            finding.action.as_str()
        );
        self.line("note", &verdict, out)?;
        if let Some(fingerprint) = finding.fingerprint {
            self.line("note", &format!("fingerprint {}@{fingerprint}", signal.check), out)?;
        }
        self.line("help", &format!("portcullis explain {}", signal.check), out)?;
        writeln!(out)
    }

    fn line(&self, word: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let Style { frame, strong, reset, .. } = self.style;
        writeln!(out, "  {frame}={reset} {strong}{word}{reset}: {text}")
    }

    fn gap(&self, gap: &Incomplete, out: &mut dyn Write) -> io::Result<()> {
        let Style { error, strong, reset, .. } = self.style;
        let (subject, reason) = (escape_line(&gap.subject, 200), escape_line(&gap.reason, 400));
        writeln!(out, "{error}incomplete{reset}{strong}: {subject}: {reason}{reset}")
    }

    fn last_line(&self, scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
        let totals = scan.report.totals();
        let found = totals.critical + totals.high + totals.medium + totals.low + totals.info;
        let by_severity = [
            (totals.critical, "critical"),
            (totals.high, "high"),
            (totals.medium, "medium"),
            (totals.low, "low"),
            (totals.info, "info"),
        ];
        let parts: Vec<String> = by_severity
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let gaps = scan.report.incomplete.len();
        let doubt = if gaps == 0 {
            String::new()
        } else {
            format!("incomplete: {} not looked at; ", count(gaps, "part"))
        };
        let drift = match scan.report.drift.len() {
            0 => String::new(),
            drifted => format!("{} from the lock; ", count(drifted, "difference")),
        };
        let severities = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let (persona, rules) = (scan.report.persona.as_str(), RULES_VERSION);
        writeln!(
            out,
            "{doubt}{drift}{}{severities} ({} suppressed, {} ignored by {persona}) in {} of {}, rules {rules}",
            if found == 0 { "no findings".to_owned() } else { count(found, "finding") },
            totals.suppressed,
            totals.ignored,
            count(totals.definitions, "definition"),
            count(scan.report.servers.len(), "server"),
        )
    }
}

fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool => "the tool",
        Kind::Prompt => "the prompt",
        Kind::Resource => "the resource",
        Kind::ResourceTemplate => "the template",
        Kind::Instructions => "the server's text",
    }
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
