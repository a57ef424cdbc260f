//! Reads a command line of words, flags and options; what nobody asked for is an error.

use anyhow::{Context, Result, bail};
use std::collections::VecDeque;

/// What was written after `cargo xtask`, not yet understood.
#[derive(Debug)]
pub(crate) struct Arguments(VecDeque<String>);

impl Arguments {
    pub(crate) fn from_command_line() -> Self {
        Arguments(std::env::args().skip(1).collect())
    }

    /// The first word, if it is not a flag.
    pub(crate) fn word(&mut self) -> Option<String> {
        let is_word = self.0.front().is_some_and(|first| !first.starts_with('-'));
        if is_word { self.0.pop_front() } else { None }
    }

    /// Whether `--name` was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|argument| argument != name);
        self.0.len() < before
    }

    /// Every value of `--name VALUE` or `--name=VALUE`, in order.
    pub(crate) fn values(&mut self, name: &str) -> Result<Vec<String>> {
        let mut values = Vec::new();
        let mut others = VecDeque::new();
        while let Some(argument) = self.0.pop_front() {
            if argument == name {
                values.push(self.0.pop_front().with_context(|| format!("{name} needs a value"))?);
            } else if let Some(value) = argument.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
            } else {
                others.push_back(argument);
            }
        }
        self.0 = others;
        Ok(values)
    }

    /// The last value of an option.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        Ok(self.values(name)?.pop())
    }

    /// Everything that is left, flags too, for another program to understand.
    pub(crate) fn untouched(self) -> Vec<String> {
        self.0.into()
    }

    /// The words that are left; a flag among them was not understood.
    pub(crate) fn rest(self) -> Result<Vec<String>> {
        match self.0.iter().find(|argument| argument.starts_with('-')) {
            Some(unknown) => bail!("unknown option {unknown}; `cargo xtask help` lists them"),
            None => Ok(self.0.into()),
        }
    }

    /// Fails if anything is left.
    pub(crate) fn end(self) -> Result<()> {
        match self.rest()?.first() {
            Some(unknown) => bail!("unexpected argument {unknown}; `cargo xtask help` lists what there is"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(words: &[&str]) -> Arguments {
        Arguments(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn reads_words_flags_and_options() {
        let mut arguments =
            given(&["fuzz", "--seconds=5", "decoder", "--quick", "--only", "a", "--only", "b"]);
        assert_eq!(arguments.word().as_deref(), Some("fuzz"));
        assert!(arguments.flag("--quick"));
        assert!(!arguments.flag("--slow"));
        assert_eq!(arguments.value("--seconds").unwrap().as_deref(), Some("5"));
        assert_eq!(arguments.values("--only").unwrap(), ["a", "b"]);
        assert_eq!(arguments.rest().unwrap(), ["decoder"]);
    }

    #[test]
    fn what_nobody_asked_for_is_an_error() {
        assert!(given(&["--offln"]).rest().is_err());
        assert!(given(&["extra"]).end().is_err());
        assert!(given(&["--only"]).values("--only").is_err());
    }
}
