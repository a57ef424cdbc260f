//! The evidence on the HTML page, worst first, and what the checks mean; the finding links to its check.

use std::io::{self, Write};

use portcullis_decide::Finding;
use portcullis_detect::{Evidence, Facts, Signal};

use super::text;
use crate::Scan;
use crate::place::subject;
use crate::summary::{self, count};
use crate::word::{Word, words};

/// Findings shown open; a reader of a long page opens the others.
const OPEN: usize = 3;

/// All findings the persona shows.
pub(super) fn write(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut shown: Vec<&Finding> = scan.report.shown().collect();
    shown.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.risk)));
    out.write_all(b"<h2>Findings</h2>\n")?;
    for (index, finding) in shown.iter().enumerate() {
        write_finding(scan, finding, index < OPEN, out)?;
    }
    Ok(())
}

fn write_finding(scan: &Scan<'_>, finding: &Finding, is_open: bool, out: &mut dyn Write) -> io::Result<()> {
    let (severity, open) = (finding.severity.as_str(), if is_open { " open" } else { "" });
    let place = scan
        .origins
        .of(finding)
        .map(|origin| format!(" <span class=\"soft\">{}</span>", text(&origin.shown())));
    writeln!(
        out,
        "<details{open}><summary><span class=\"severity {severity}\">{severity}</span><code>{}</code>{}</summary>\n<div>",
        text(&subject(finding)),
        place.unwrap_or_default()
    )?;
    writeln!(
        out,
        "<p>Risk {} of 100; confidence {}; what should happen: {}.</p>",
        finding.risk,
        finding.confidence,
        finding.action.as_str()
    )?;
    for word in words(finding, scan.report.persona) {
        write_word(scan, &word, out)?;
    }
    out.write_all(b"</div></details>\n")
}

fn write_word(scan: &Scan<'_>, word: &Word<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Word { first, further, .. } = word;
    let check = text(first.check);
    writeln!(out, "<p><a href=\"#{check}\">{check}</a>: {}</p>", text(&first.detail))?;
    write_evidence(&first.evidence, out)?;
    if let Some(discount) = &first.discount {
        let reason = text(discount.reason);
        writeln!(out, "<p class=\"soft\">Confidence lowered from {}: {reason}.</p>", discount.from)?;
    }
    if let Some(news) = scan.report.news(word.finding, first.check) {
        writeln!(out, "<p class=\"soft\">{}.</p>", text(&summary::news(scan, news)))?;
    }
    if further.is_empty() {
        return Ok(());
    }
    writeln!(out, "<details><summary>{} more</summary><div>", count(further.len(), "place"))?;
    let write_further = |signal: &&Signal, out: &mut dyn Write| {
        writeln!(out, "<p>{}</p>", text(&signal.detail))?;
        write_evidence(&signal.evidence, out)
    };
    further.iter().try_for_each(|signal| write_further(signal, out))?;
    out.write_all(b"</div></details>\n")
}

/// The excerpt with its mark, and how it came to be.
fn write_evidence(evidence: &Evidence, out: &mut dyn Write) -> io::Result<()> {
    let (start, end) = evidence.mark();
    let excerpt = evidence.excerpt();
    let part = |from: usize, to: usize| {
        text(&excerpt.chars().skip(from).take(to.saturating_sub(from)).collect::<String>())
    };
    let (before, marked, after) = (part(0, start), part(start, end), part(end, usize::MAX));
    writeln!(out, "<p class=\"soft\">at {}</p>", text(&evidence.place()))?;
    writeln!(out, "<pre>{before}<mark>{marked}</mark>{after}</pre>")
}

/// Every check that ran: what it looks for, in a sentence, and the opening of its page.
pub(super) fn checks(scan: &Scan<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"<h2>What was looked for</h2>\n")?;
    scan.checks.iter().try_for_each(|facts| write_check(scan, facts, out))
}

fn write_check(scan: &Scan<'_>, facts: &Facts, out: &mut dyn Write) -> io::Result<()> {
    // The id is inside: a browser opens what a link leads into.
    let (id, title) = (text(facts.id), text(facts.title));
    let meaning = match facts.tier {
        portcullis_detect::Tier::Hard => "Honest tools practically never show it: hold the tool.",
        portcullis_detect::Tier::Soft => "Somebody should look; it holds nothing by itself.",
    };
    let owasp = if facts.owasp.is_empty() {
        String::new()
    } else {
        format!(" OWASP MCP Top 10: {}.", text(facts.owasp))
    };
    writeln!(
        out,
        "<details><summary><code>{id}</code> {title}</summary>\n<div id=\"{id}\"><p>{meaning}{owasp}</p>"
    )?;
    paragraphs(facts.page).iter().try_for_each(|paragraph| writeln!(out, "<p>{}</p>", text(paragraph)))?;
    if let Some(page) = scan.page(facts.id) {
        writeln!(out, "<p><a href=\"{}\" rel=\"noreferrer\">The whole page</a></p>", text(&page))?;
    }
    out.write_all(b"</div></details>\n")
}

/// The prose of a page before its examples: what it finds, why it matters, what to do about it.
fn paragraphs(page: &str) -> Vec<String> {
    let mut section = "";
    let mut kept = Vec::new();
    for block in page.split("\n\n") {
        if let Some(heading) = block.strip_prefix("## ") {
            section = heading.trim();
        } else if matches!(section, "" | "Why it matters" | "What to do") && !block.starts_with(['#', '`']) {
            kept.push(block.trim().replace('\n', " ").replace('`', ""));
        }
    }
    kept.retain(|paragraph| !paragraph.is_empty());
    kept
}
