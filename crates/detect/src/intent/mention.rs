//! Which tools a sentence names, and whose they are.

use crate::checks::Context;
use crate::prelude::*;
use crate::registry::{DefinitionId, key_hash};
use crate::text::lexicon::Classes;
use crate::text::reading::{Passage, Sentence};
use crate::text::token::{Shape, Token};
use crate::tool::Role;
use core::cell::OnceCell;

/// Longer values are texts, not words.
const LONGEST_VALUE: usize = 64;

/// Whose tool a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The definition itself.
    Own,
    /// Another tool of the same server.
    Sibling,
    /// A tool that lives only on another server.
    Foreign(DefinitionId),
    /// An identifier no tool of the registry has.
    Unknown,
}

/// A name in a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    /// Index among the sentence's tokens.
    pub(crate) at: usize,
    pub(crate) owner: Owner,
    /// The sentence calls it a tool, or uses it: it is no mere word.
    pub(crate) is_called: bool,
    /// Bytes of the passage.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Looks names up in the registry.
pub(super) struct Finder<'a> {
    context: &'a Context<'a>,
    scratch: String,
    own: u64,
    /// The index spellings of the definition's own parameters, worked out when first asked for.
    parameters: OnceCell<Vec<u64>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        let own = context.definition.name_key().hash;
        Finder { context, scratch: String::new(), own, parameters: OnceCell::new() }
    }

    /// Whether this is the index spelling of one of the definition's own parameters.
    pub(super) fn is_parameter(&self, hash: u64) -> bool {
        let definition = self.context.definition;
        let parameters = self.parameters.get_or_init(|| {
            let mut scratch = String::new();
            let units = definition.units_with(Role::PropertyName);
            units.map(|unit| key_hash(definition.unit_text(unit), &mut scratch)).collect()
        });
        parameters.contains(&hash)
    }

    pub(super) fn find(
        &mut self,
        passage: &Passage<'_>,
        sentence: &Sentence,
        tokens: &[Token],
    ) -> Vec<Mention> {
        let mut mentions = Vec::new();
        let speaks_of_tools = sentence.classes.any(Classes::TOOL);
        for (at, token) in tokens.iter().enumerate() {
            let is_identifier = token.shape == Shape::Identifier;
            if !is_identifier && token.shape != Shape::Word {
                continue;
            }
            let is_named_tool = speaks_of_tools && is_called_tool(&passage.text, tokens, at);
            // Plain words are names only where the sentence marks them as such.
            if !is_identifier && !is_named_tool && !is_quoted(tokens, at) {
                continue;
            }
            let text = passage.text.get(token.start as usize..token.end as usize).unwrap_or_default();
            if text.len() < 3 {
                continue;
            }
            let hash = key_hash(text, &mut self.scratch);
            let owner = self.owner(hash);
            let is_called = is_named_tool || is_used(tokens, at);
            // `query` may be another server's tool, but here it is a parameter or one of its values.
            let is_tool = if is_identifier { is_called } else { is_named_tool };
            if matches!(owner, Owner::Foreign(_)) && !is_tool && self.is_own_word(hash) {
                continue;
            }
            if owner == Owner::Unknown
                && (!self.looks_like_tool(text, hash, is_identifier)
                    || !token.classes.is_empty() && !is_identifier)
            {
                continue;
            }
            let (start, end) = (token.start as usize, token.end as usize);
            mentions.push(Mention { at, owner, is_called, start, end });
        }
        mentions
    }

    fn owner(&self, hash: u64) -> Owner {
        if hash == self.own {
            return Owner::Own;
        }
        let registry = self.context.registry;
        // The name may be spelt with its gateway prefix or namespace; the registry holds the bare one.
        let Some(first) = registry.first(registry.named(hash)) else { return Owner::Unknown };
        let is_sibling = registry.named(hash).any(|id| registry.same_server(id, self.context.id));
        if is_sibling || registry.abbreviates_sibling(self.context.id, hash) {
            return Owner::Sibling;
        }
        Owner::Foreign(first)
    }

    /// Whether the name is one of the definition's own parameters or one of their values.
    fn is_own_word(&mut self, hash: u64) -> bool {
        let definition = self.context.definition;
        if self.is_parameter(hash) {
            return true;
        }
        let scratch = &mut self.scratch;
        definition.units_with(Role::Value).any(|unit| {
            unit.range().len() <= LONGEST_VALUE && key_hash(definition.unit_text(unit), scratch) == hash
        })
    }

    /// An unknown identifier counts as a tool's name unless it is a parameter of this tool or a constant.
    fn looks_like_tool(&self, text: &str, hash: u64, is_identifier: bool) -> bool {
        let is_constant =
            text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        let is_file = text.rsplit_once('.').is_some_and(|(_, tail)| tail.len() <= 4);
        !is_constant && !is_file && !self.is_parameter(hash) && (is_identifier || text.len() > 2)
    }
}

fn is_quoted(tokens: &[Token], at: usize) -> bool {
    let is_quote = |index: Option<usize>| {
        index.and_then(|index| tokens.get(index)).is_some_and(|token| token.shape == Shape::Quote)
    };
    is_quote(at.checked_sub(1)) && is_quote(Some(at + 1))
}

/// `the search tool`, `tool search`, `the search function`; "search tools" are a sort of tools.
fn is_called_tool(text: &str, tokens: &[Token], at: usize) -> bool {
    let is_tool = |token: Option<&Token>| {
        token.is_some_and(|token| {
            let word = text.get(token.start as usize..token.end as usize).unwrap_or_default();
            token.classes.any(Classes::TOOL) && token.shape == Shape::Word && !word.ends_with('s')
        })
    };
    let behind = tokens.get(at + 1);
    let before = at.checked_sub(1).and_then(|index| tokens.get(index));
    let this = tokens.get(at).is_some_and(|token| {
        token.classes.is_empty()
            || token.classes.any(Classes::READ | Classes::SEND | Classes::CHANGE | Classes::DELETE)
    });
    this && (is_tool(behind) || is_tool(before))
}

/// `call "search"`, `when 'search' is used`.
fn is_used(tokens: &[Token], at: usize) -> bool {
    let before = tokens.get(at.saturating_sub(3)..at).unwrap_or_default();
    let behind = tokens.get(at + 1..).unwrap_or_default().iter().take(4);
    before.iter().chain(behind).any(|token| token.classes.any(Classes::USE | Classes::TOOL))
}
