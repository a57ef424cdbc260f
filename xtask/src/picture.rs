//! `cargo xtask picture`: what `portcullis demo` really prints, as the picture of the README.

use crate::arguments::Arguments;
use crate::shell;
use crate::tree;
use anyhow::Result;
use std::fmt::Write;
use std::process::Command;

/// The columns of the terminal in the picture; longer lines are broken.
const COLUMNS: usize = 112;
/// How far what belongs to a line is indented when it is broken.
const HANGING: &str = "           ";
const LINE_HEIGHT: usize = 18;
const PICTURE: &str = "docs/demo.svg";

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    arguments.end()?;
    let portcullis = tree::portcullis()?;
    shell::build_as_tested(&["portcullis-adversary"])?;
    let text = shell::output(Command::new(portcullis).args(["demo", "--fast", "--color", "always"]))?;
    std::fs::write(tree::root().join(PICTURE), drawn(&format!("$ portcullis demo\n{text}")))?;
    shell::say(&format!("{PICTURE} is written"));
    Ok(())
}

/// A run of text in one colour.
#[derive(Debug, PartialEq)]
struct Run {
    style: &'static str,
    text: String,
}

fn drawn(text: &str) -> String {
    let lines: Vec<Vec<Run>> = text.lines().flat_map(|line| broken(runs(line))).collect();
    let height = lines.len() * LINE_HEIGHT + 30;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"928\" height=\"{height}\" viewBox=\"0 0 928 {height}\" \
         role=\"img\" aria-label=\"Output of portcullis demo\"><rect width=\"100%\" height=\"100%\" rx=\"8\" \
         fill=\"#0d1117\"/><g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" \
         font-size=\"13\">\n"
    );
    for (index, line) in lines.iter().enumerate() {
        let y = index * LINE_HEIGHT + 30;
        let _ = write!(out, "<text x=\"16\" y=\"{y}\" xml:space=\"preserve\">");
        for run in line {
            let _ = write!(out, "<tspan {}>{}</tspan>", run.style, escaped(&run.text));
        }
        out.push_str("</text>\n");
    }
    out.push_str("</g></svg>\n");
    out
}

/// The runs of a line, by the colours in it.
fn runs(line: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for (index, part) in line.split("\u{1b}[").enumerate() {
        let (code, text) = match part.split_once('m') {
            Some((code, text)) if index > 0 => (code, text),
            _ => ("0", part),
        };
        if !text.is_empty() {
            runs.push(Run { style: style(code), text: text.to_owned() });
        }
    }
    runs
}

fn style(code: &str) -> &'static str {
    match code {
        "1" => "fill=\"#e6edf3\" font-weight=\"bold\"",
        "1;4" => "fill=\"#e6edf3\" font-weight=\"bold\" text-decoration=\"underline\"",
        "31;1" => "fill=\"#ff7b72\" font-weight=\"bold\"",
        "32;1" => "fill=\"#7ee787\" font-weight=\"bold\"",
        "33" => "fill=\"#e3b341\"",
        "35" => "fill=\"#d2a8ff\"",
        "36" => "fill=\"#79c0ff\"",
        _ => "fill=\"#e6edf3\"",
    }
}

/// A line as many as it takes, broken between words.
fn broken(runs: Vec<Run>) -> Vec<Vec<Run>> {
    let (mut lines, mut line, mut width) = (Vec::new(), Vec::new(), 0);
    for run in runs {
        let mut text = String::new();
        for word in run.text.split_inclusive(' ') {
            let length = word.chars().count();
            if width + length > COLUMNS && width > HANGING.len() {
                line.push(Run { style: run.style, text: std::mem::take(&mut text) });
                lines.push(std::mem::take(&mut line));
                text.push_str(HANGING);
                width = HANGING.len();
            }
            text.push_str(word);
            width += length;
        }
        line.push(Run { style: run.style, text });
    }
    lines.push(line);
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_runs() {
        let found = runs("\u{1b}[36magent\u{1b}[0m  reads");
        assert_eq!(found.iter().map(|run| run.text.as_str()).collect::<Vec<_>>(), ["agent", "  reads"]);
        assert_ne!(found[0].style, found[1].style);
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let lines = broken(runs(&"word ".repeat(40)));
        let text = |line: &Vec<Run>| line.iter().map(|run| run.text.clone()).collect::<String>();
        assert!(lines.len() > 1 && lines.iter().all(|line| text(line).chars().count() <= COLUMNS));
        assert!(lines.iter().skip(1).all(|line| text(line).starts_with(HANGING)));
    }

    #[test]
    fn nothing_of_the_text_is_markup() {
        assert!(drawn("<IMPORTANT> & so on").contains("&lt;IMPORTANT&gt; &amp; so on"));
    }
}
