//! Plain text for people, in the manner of rustc: what is wrong, where, the evidence, what to do.

use std::io::{self, Write};

use portcullis_decide::{Finding, Incomplete};
use portcullis_detect::{Evidence, Kind, escape_line};

use crate::Scan;
use crate::accepted;
use crate::excerpt::marked;
use crate::place::{LONGEST_NOTE, subject, told};
use crate::style::Style;
use crate::summary::{self, count};
use crate::word::{Word, words};
use crate::wrap::wrapped;

/// How many further places of one check are shown before the rest is only counted.
const FURTHER_PLACES: usize = 2;
/// The columns an excerpt may take where nobody sees lines break.
const UNSEEN_WIDTH: usize = 100;
/// The columns the frame left of an excerpt takes.
const FRAME: usize = 4;

/// How plain text is written.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// The colours.
    pub style: Style,
    /// The columns of the terminal; `None` where nobody sees where lines break, so that none is broken.
    pub width: Option<usize>,
    /// Show every place of every check, not only the first few.
    pub every_place: bool,
    /// Write nothing but the last line.
    pub only_counts: bool,
}

impl Default for Plain {
    fn default() -> Self {
        Plain { style: Style::plain(), width: None, every_place: false, only_counts: false }
    }
}

impl Plain {
    /// Writes the findings the report's persona shows, what was not looked at, and the counts.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn write(&self, scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
        scan.report.shown().try_for_each(|finding| self.finding(scan, finding, out))?;
        self.end(scan, out)
    }

    /// Writes one finding.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn finding(&self, scan: &Scan<'_>, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        if self.only_counts {
            return Ok(());
        }
        words(finding, scan.report.persona).iter().try_for_each(|word| self.block(scan, word, out))
    }

    /// Writes what follows the findings: what was accepted, what was not looked at, the counts.
    ///
    /// # Errors
    /// Only those of `out`.
    pub fn end(&self, scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
        if !self.only_counts {
            accepted::write(scan.report, self.style, out)?;
            let Style { error, warning, .. } = self.style;
            let report = scan.report;
            report.incomplete.iter().try_for_each(|gap| self.gap(error, "incomplete", gap, out))?;
            report.never_scanned.iter().try_for_each(|gap| self.gap(warning, "never scanned", gap, out))?;
            for note in &report.notes {
                writeln!(out, "note: {}", self.wrapped(&escape_line(note, LONGEST_NOTE), 6, 6))?;
            }
        }
        writeln!(out, "{}", self.wrapped(&summary::line(scan), 0, 4))
    }

    /// One check's word on one definition.
    fn block(&self, scan: &Scan<'_>, word: &Word<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Word { finding, first, .. } = word;
        let Style { frame, strong, reset, .. } = self.style;
        let (colour, level) = (self.style.of(word.level), word.level.as_str());
        let detail = self.wrapped(&first.detail, level.len() + first.check.len() + 4, 4);
        writeln!(out, "{colour}{level}[{}]{reset}{strong}: {detail}{reset}", first.check)?;
        let subject = subject(finding);
        write!(out, " {frame}-->{reset} {subject}#{}", first.evidence.pointer())?;
        match scan.origins.of(finding) {
            Some(origin) => writeln!(out, " ({})", origin.shown())?,
            None => writeln!(out)?,
        }
        self.excerpt(&first.evidence, colour, out)?;
        let most = if self.every_place { usize::MAX } else { FURTHER_PLACES };
        for signal in word.further.iter().take(most) {
            let rungs = signal.evidence.decodings().join(" in ");
            let path = if rungs.is_empty() { rungs } else { format!(" ({rungs})") };
            let pointer = signal.evidence.pointer();
            let place = format!("{subject}#{pointer}{path}: {}", signal.detail);
            writeln!(out, " {frame}:::{reset} {}", self.wrapped(&place, 5, 5))?;
            self.excerpt(&signal.evidence, colour, out)?;
        }
        self.notes(scan, word, word.further.len().saturating_sub(most), out)
    }

    fn excerpt(&self, evidence: &Evidence, colour: &str, out: &mut dyn Write) -> io::Result<()> {
        let Style { frame, reset, .. } = self.style;
        let width = self.width.unwrap_or(UNSEEN_WIDTH).saturating_sub(FRAME).max(20);
        let marked = marked(evidence.excerpt(), evidence.mark(), width);
        writeln!(out, "  {frame}|{reset}")?;
        writeln!(out, "  {frame}|{reset} {}", marked.text.trim_end())?;
        writeln!(out, "  {frame}|{reset} {colour}{}{reset}", marked.carets)
    }

    fn notes(
        &self,
        scan: &Scan<'_>,
        word: &Word<'_>,
        left_out: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Word { finding, first: signal, .. } = word;
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
        if let Some(news) = scan.report.news(finding, signal.check) {
            self.line("note", &summary::news(scan, news), out)?;
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
        let page = scan.page(signal.check).map_or_else(String::new, |page| format!(" or {page}"));
        self.line("help", &format!("portcullis explain {}{page}", signal.check), out)?;
        writeln!(out)
    }

    fn line(&self, word: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let Style { frame, strong, reset, .. } = self.style;
        let text = self.wrapped(text, word.len() + 6, word.len() + 6);
        writeln!(out, "  {frame}={reset} {strong}{word}{reset}: {text}")
    }

    /// A text broken into lines where a reader would see it broken, the further ones indented.
    fn wrapped(&self, text: &str, taken: usize, indent: usize) -> String {
        self.width.map_or_else(|| text.to_owned(), |width| wrapped(text, width, taken, indent))
    }

    fn gap(&self, colour: &str, word: &str, gap: &Incomplete, out: &mut dyn Write) -> io::Result<()> {
        let Style { strong, reset, .. } = self.style;
        let told = self.wrapped(&told(gap), word.len() + 2, 4);
        writeln!(out, "{colour}{word}{reset}{strong}: {told}{reset}")
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
