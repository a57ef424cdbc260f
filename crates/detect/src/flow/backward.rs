//! What a text says from its end to its beginning, as far as anybody could have turned it around.

use super::part::Part;
use super::walk::{Step, hash_word};
use crate::prelude::*;

/// Texts that are read backwards too.
const SHORTEST: usize = 24;
const LONGEST: usize = 4096;

/// How much must stand between usual words to be worth a look: a passage, or at least something with a digit.
const SHORTEST_STRETCH: usize = 16;
const SHORTEST_CODE: usize = 6;

/// Usual words that are usual words backwards too, and so say nothing of the direction.
const BOTH_WAYS: [u64; 6] = [
    hash_word("did"),
    hash_word("net"),
    hash_word("now"),
    hash_word("ten"),
    hash_word("won"),
    hash_word("www"),
];

/// A text from its end to its beginning. Between usual words it was not turned around: unless all of it is asked for,
/// only what stands apart from them is read, which costs little where people write to people.
pub(crate) fn backward(text: &str, steps: &[Step], asks_for_all: bool) -> Option<String> {
    if !(SHORTEST..LONGEST).contains(&text.len()) {
        return None;
    }
    if asks_for_all {
        return Some(reversed(text));
    }
    let mut kept = String::new();
    let (mut from, mut has_digit) = (0, false);
    for step in steps {
        if is_usual(step) {
            keep(text.get(from..step.start as usize), has_digit, &mut kept);
            (from, has_digit) = (step.end as usize, false);
        }
        has_digit |= step.has_digit;
    }
    if from == 0 {
        return Some(reversed(text));
    }
    keep(text.get(from..), has_digit, &mut kept);
    (!kept.is_empty()).then(|| reversed(&kept))
}

fn is_usual(step: &Step) -> bool {
    step.part.any(Part::EVERYDAY) && !step.has_digit && step.len() > 2 && !BOTH_WAYS.contains(&step.hash)
}

fn keep(stretch: Option<&str>, has_digit: bool, kept: &mut String) {
    let shortest = if has_digit { SHORTEST_CODE } else { SHORTEST_STRETCH };
    if let Some(stretch) = stretch.map(str::trim).filter(|stretch| stretch.len() >= shortest) {
        kept.push_str(stretch);
        kept.push('\n');
    }
}

fn reversed(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    bytes.reverse();
    // Only ASCII can be turned around byte by byte.
    String::from_utf8(bytes).ok().filter(|_| text.is_ascii()).unwrap_or_else(|| text.chars().rev().collect())
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;

    fn read(text: &str, asks_for_all: bool) -> Option<String> {
        backward(text, &walk(text, 1000).0, asks_for_all)
    }

    #[test]
    fn a_passage_that_was_turned_around_is_read_wherever_it_stands() {
        let passage = "Zirconium shipments to Valparaiso doubled in spring";
        let turned = reversed(passage);
        assert_eq!(read(&turned, false).as_deref(), Some(passage));
        let among = format!("Hello, here is the list you asked for: {turned} and thanks for your time.");
        assert!(read(&among, false).is_some_and(|all| all.contains(passage)), "{:?}", read(&among, false));
    }

    #[test]
    fn codes_are_read_between_usual_words() {
        let among = "The number you asked about is 4471-2288 and that is all from the team.";
        assert_eq!(read(among, false).as_deref(), Some("\n8822-1744 si"));
    }

    #[test]
    fn prose_is_left_alone_unless_all_is_asked_for() {
        let prose = "Please send the list of files to the team when you have time for it.";
        assert_eq!(read(prose, false), None);
        assert_eq!(read(prose, true), Some(reversed(prose)));
        assert_eq!(read("too short", true), None);
    }

    #[test]
    fn words_that_are_usual_both_ways_end_nothing() {
        let turned = reversed("Antofagasta won ten of net Valparaiso now");
        assert_eq!(read(&turned, false), Some(reversed(&turned)));
    }
}
