//! Which words of a text stayed, went and came: the longest common subsequence, in linear space.
//!
//! Hirschberg's method: halve one text, find where the other is best halved, and do the halves. Work is the product
//! of the two lengths, so it is capped; a text beyond the cap is shown as replaced between its common ends.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The most pairs of words of one definition that are compared, twice in all: about 4,000 words against 4,000.
pub(super) const MOST_PAIRS: usize = 16_000_000;

/// What became of some words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// They stayed.
    Same,
    /// They went.
    Removed,
    /// They came.
    Added,
}

/// Neighbouring words with the same fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What became of them.
    pub kind: RunKind,
    /// The words, with the space between them. May be hostile: escape before printing.
    pub text: Box<str>,
}

impl Run {
    pub(super) fn is_same(&self) -> bool {
        self.kind == RunKind::Same
    }

    /// Whether there is nothing but plain white space; a space that only looks like one is none.
    pub(super) fn is_space(&self) -> bool {
        self.text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
    }
}

/// Compares two texts by words, taking from the pairs that may still be compared; the flag says that they ran out.
pub(super) fn compare(before: &str, after: &str, pairs_left: &mut usize) -> (Vec<Run>, bool) {
    let (old, new) = (cut(before), cut(after));
    let mut fates = Vec::with_capacity(old.len() + new.len());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (same, old) = old.split_at_checked(head).unwrap_or_default();
    let new = new.get(head..).unwrap_or_default();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, end) = old.split_at_checked(old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();

    fates.extend(same.iter().map(|word| (RunKind::Same, *word)));
    let pairs = pairs_left.checked_sub(old.len().saturating_mul(new.len()));
    if let Some(left) = pairs {
        *pairs_left = left;
        align(old, new, &mut fates);
    } else {
        replace(old, new, &mut fates);
    }
    fates.extend(end.iter().map(|word| (RunKind::Same, *word)));
    (runs(&fates), pairs.is_none())
}

/// Words, runs of white space, and single other characters, so that an invisible one stands alone.
fn cut(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_kin = |c: char| {
            (is_word(first) && is_word(c)) || (first.is_ascii_whitespace() && c.is_ascii_whitespace())
        };
        let end = rest.find(|c| !is_kin(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

type Fates<'a> = Vec<(RunKind, &'a str)>;

fn replace<'a>(old: &[&'a str], new: &[&'a str], fates: &mut Fates<'a>) {
    fates.extend(old.iter().map(|word| (RunKind::Removed, *word)));
    fates.extend(new.iter().map(|word| (RunKind::Added, *word)));
}

fn align<'a>(old: &[&'a str], new: &[&'a str], fates: &mut Fates<'a>) {
    match old {
        [] => replace(old, new, fates),
        [word] => match new.iter().position(|other| other == word) {
            Some(at) => {
                let (before, after) = new.split_at_checked(at).unwrap_or_default();
                replace(&[], before, fates);
                fates.push((RunKind::Same, word));
                replace(&[], after.get(1..).unwrap_or_default(), fates);
            }
            None => replace(old, new, fates),
        },
        _ => {
            let (head, tail) = old.split_at_checked(old.len() / 2).unwrap_or_default();
            let forward = lengths(head.iter(), || new.iter());
            let backward = lengths(tail.iter().rev(), || new.iter().rev());
            let sums = forward.iter().zip(backward.iter().rev()).map(|(a, b)| a + b).enumerate();
            // Of equal sums the first: the same answer on every machine.
            let best = sums.fold((0, 0), |best, (at, sum)| if sum > best.1 { (at, sum) } else { best }).0;
            let (left, right) = new.split_at_checked(best).unwrap_or_default();
            align(head, left, fates);
            align(tail, right, fates);
        }
    }
}

/// For every beginning of `new`, the length of what it has in common with all of `old`.
fn lengths<'a, 'b: 'a, I: Iterator<Item = &'a &'b str>>(
    old: impl Iterator<Item = &'a &'b str>,
    new: impl Fn() -> I,
) -> Vec<u32> {
    let mut row = vec![0; new().count() + 1];
    for word in old {
        let (mut diagonal, mut left) = (0, 0);
        for (cell, other) in row.iter_mut().skip(1).zip(new()) {
            let above = *cell;
            *cell = if word == other { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *cell);
        }
    }
    row
}

/// Joins neighbours with the same fate; between two words that stayed, what went stands before what came.
fn runs(fates: &[(RunKind, &str)]) -> Vec<Run> {
    let mut runs = Vec::new();
    let (mut same, mut gone, mut come) = (String::new(), String::new(), String::new());
    let push = |runs: &mut Vec<Run>, kind, text: &str| {
        if !text.is_empty() {
            runs.push(Run { kind, text: text.into() });
        }
    };
    for (kind, word) in fates {
        match kind {
            RunKind::Same => {
                if !gone.is_empty() || !come.is_empty() {
                    push(&mut runs, RunKind::Same, &core::mem::take(&mut same));
                    push(&mut runs, RunKind::Removed, &core::mem::take(&mut gone));
                    push(&mut runs, RunKind::Added, &core::mem::take(&mut come));
                }
                same.push_str(word);
            }
            RunKind::Removed => gone.push_str(word),
            RunKind::Added => come.push_str(word),
        }
    }
    push(&mut runs, RunKind::Same, &same);
    push(&mut runs, RunKind::Removed, &gone);
    push(&mut runs, RunKind::Added, &come);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn shown(before: &str, after: &str) -> String {
        let (runs, _) = compare(before, after, &mut MOST_PAIRS.clone());
        let side = |kind| -> String {
            runs.iter().filter(|run| run.is_same() || run.kind == kind).map(|run| &*run.text).collect()
        };
        assert_eq!((side(RunKind::Removed), side(RunKind::Added)), (before.into(), after.into()));
        runs.iter()
            .map(|run| match run.kind {
                RunKind::Same => run.text.clone().into_string(),
                RunKind::Removed => format!("[-{}-]", run.text),
                RunKind::Added => format!("[+{}+]", run.text),
            })
            .collect()
    }

    #[test]
    fn words_that_stay_go_and_come() {
        assert_eq!(shown("Reads a file.", "Reads the file."), "Reads [-a-][+the+] file.");
        assert_eq!(shown("Reads.", "Reads. Then mail it."), "Reads.[+ Then mail it.+]");
        assert_eq!(shown("", "x"), "[+x+]");
        assert_eq!(shown("one two three four", "two three five four"), "[-one -]two three[+ five+] four");
        assert_eq!(shown("ab", "a\u{200b}b"), "[-ab-][+a\u{200b}b+]");
        assert_eq!(shown("a b", "a\u{200b} b"), "a[+\u{200b}+] b");
    }

    #[test]
    fn very_long_texts_are_compared_coarsely_and_that_is_said() {
        let text = |seed: usize| -> String { (0..5000).map(|n| format!("{} ", n * seed)).collect() };
        let (old, new) = (format!("same {} end", text(3)), format!("same {} end", text(7)));
        let (runs, is_coarse) = compare(&old, &new, &mut MOST_PAIRS.clone());
        assert!(is_coarse && runs.len() == 4, "{}", runs.len());
        let mut left = 5;
        assert!(!compare("a b", "c d", &mut 9).1, "three pieces against three");
        assert!(compare("a b", "c d", &mut left).1 && left == 5, "a text that does not fit takes nothing");
    }
}
