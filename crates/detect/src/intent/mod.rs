//! What a sentence wants: whom it addresses, what it demands, which tool it speaks of and whose that is.
//!
//! `directive.*` and `shadowing` both ask this. A sentence's *manner* (concealment, override, a hidden tag, a
//! precondition on use) and its *matter* (a secret, data put somewhere, another tool's behaviour) are found
//! independently from the classes of its words, so that rewording changes little.

mod mention;
mod quoted;
mod rows;
mod topic;

use crate::checks::Context;
use crate::prelude::*;
use crate::registry::key_hash;
use crate::text::lexicon::Classes;
use crate::text::position::{self, Position};
use crate::text::reading::{Passage, Sentence};
use crate::text::token::{Shape, Token};
use crate::tool::Role;
use core::cell::OnceCell;
use core::ops::Range;

pub(crate) use mention::{Mention, Owner};

/// A set of things a sentence does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u64);

macro_rules! kinds {
    ($($bit:literal $constant:ident $words:literal)*) => {
        impl Kinds {
            $(pub(crate) const $constant: Kinds = Kinds(1 << $bit);)*

            /// The kinds in words, for the operator.
            pub(crate) fn words(self) -> Vec<&'static str> {
                let mut words = Vec::new();
                $(if self.any(Kinds::$constant) { words.push($words); })*
                words
            }
        }
    };
}

kinds! {
    0 CONCEALS "hides something from the user"
    1 OVERRIDES "overrides the user's or earlier instructions"
    2 TAGGED "stands in a block meant for the model alone"
    3 TEMPLATE "imitates a chat template"
    4 CONDITIONS_SELF "sets a precondition on using this tool"
    5 CONDITIONS_OTHER "sets conditions on using another tool"
    6 ORDERS "gives an order"
    7 TOUCHES_SECRET "reaches for secrets"
    8 PUTS_DATA "puts data where it does not belong"
    9 CHANGES_OTHER "changes what another tool is given"
    10 CALLS_OTHER "demands a call of another tool"
    11 COMMAND "demands a shell command"
    12 DICTATES "dictates what the user is told"
    13 RECASTS "gives the model a new role"
    14 TAKES_CONVERSATION "takes the conversation"
    16 ENACTS "declares an example to be meant"
    17 MISPLACED "gives an order where a value or a title belongs"
    18 ADDRESS "names an outside address"
    19 CONDITIONS_ACTIVITY "sets conditions on an activity"
    20 ADDRESSES_MODEL "speaks to the model about its conduct"
    21 PRETENDS "tells a cover story"
    22 IF_ASKED "prepares an answer in case somebody asks"
    23 UNASKED "acts without asking"
    24 VOIDS "declares rules void"
    25 FAKE_TURN "imitates turns of a conversation"
    26 TAKES_ALL "takes everything there is"
    27 TOUCHES_PRIVATE "reaches for private data"
    28 UNSEEN "keeps something out of sight"
    29 CALLS_FOREIGN "speaks for a tool of another server"
    30 NAMES_SECRET "names a secret"
    31 SETS_PARAMETER "sets a parameter that is not its own"
    32 ROUTES "routes data to a fixed address"
    33 NOT_FOR_USE "says it is not to be called"
    34 OVERT "speaks of an attack as its purpose"
    35 OPENS_SECRET "opens a file of secrets"
    36 CHAINS_OTHERS "ties two tools together that are not its own"
    37 AGENT_ACTS "says what the agent does"
    38 RUNS_SHELL "gives a shell command"
    39 STANDING "gives an order that outlives the call"
    40 HANDS_OVER "hands data to its maker or to others"
    41 TAKES_HOLDINGS "reaches for what other tools keep"
    42 UNCUT "wants it whole and unmasked"
    43 WITHHOLDS "keeps something from view"
    44 YOU_ACT "says what the model does"
    47 RULES_REPLY "rules the model's replies"
    48 WEAKENS "takes protection down"
    49 INSISTS "allows no exception"
    50 TAKES_PRIVATE "takes private data"
    51 ADDED "was added by the last change"
    52 STEERS_FOREIGN "presses for something with a tool of another server"
    53 CONDITIONS_DEED "makes deleting or sending a condition"
    55 EMBEDS "hides data in a picture's address"
}

impl Kinds {
    /// Kinds that say something by themselves; the others only colour an order.
    pub(crate) const TELLING: Kinds = Kinds(
        !(Kinds::ORDERS.0
            | Kinds::NAMES_SECRET.0
            | Kinds::ADDRESS.0
            | Kinds::CONDITIONS_ACTIVITY.0
            | Kinds::YOU_ACT.0
            | Kinds::AGENT_ACTS.0
            | Kinds::RULES_REPLY.0
            | Kinds::CALLS_FOREIGN.0
            | Kinds::ADDED.0),
    );

    /// The union of several sets.
    pub(crate) const fn all_of(sets: &[Kinds]) -> Kinds {
        let mut sum = 0;
        let mut rest = sets;
        while let [first, tail @ ..] = rest {
            sum |= first.0;
            rest = tail;
        }
        Kinds(sum)
    }

    pub(crate) fn any(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl core::ops::BitOr for Kinds {
    type Output = Kinds;
    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl core::ops::BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Kinds) {
        self.0 |= other.0;
    }
}

impl core::ops::BitAnd for Kinds {
    type Output = Kinds;
    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

/// What one sentence does.
pub(crate) struct Intent {
    /// Index of the passage in the reading.
    pub(crate) passage: usize,
    /// Index of the sentence in the passage.
    pub(crate) sentence: usize,
    pub(crate) kinds: Kinds,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) position: Position,
    /// Bytes of the passage.
    pub(crate) span: Range<usize>,
}

/// What the sentences of one definition do; sentences that do nothing are left out.
#[derive(Default)]
pub(crate) struct Intents {
    pub(crate) all: Vec<Intent>,
    /// The classes of the declared purpose.
    pub(crate) topic: Classes,
}

impl Intents {
    pub(crate) fn of(context: &Context<'_>) -> Self {
        let topic = topic::topic(context);
        let mut intents = Intents { all: Vec::new(), topic };
        let mut mentions = mention::Finder::new(context);
        for (index, passage) in context.reading.passages().iter().enumerate() {
            let tokens = context.reading.tokens(passage);
            if tokens.len() < 3 {
                continue;
            }
            let sentences = context.reading.sentences(passage);
            let first = intents.all.len();
            for (number, sentence) in sentences.iter().enumerate() {
                let words = tokens.get(sentence.tokens.clone()).unwrap_or_default();
                let found = mentions.find(passage, sentence, words);
                let Some(view) = Words::of(passage, (sentences, number), words, &mentions, topic) else {
                    continue;
                };
                let mut kinds = rows::kinds(&view, &found);
                if kinds.is_empty() && found.is_empty() {
                    continue;
                }
                let mut position = position::of(passage, tokens, sentences, number);
                if position == Position::Instruction && is_specimen(passage, topic, kinds) {
                    position = Position::Example("it is a sample value of a tool that detects such texts");
                }
                let span = span_of(words);
                if context.definition.is_added(passage.text.get(span.clone()).unwrap_or_default()) {
                    kinds |= Kinds::ADDED;
                }
                intents.all.push(Intent {
                    passage: index,
                    sentence: number,
                    kinds,
                    mentions: found,
                    position,
                    span,
                });
            }
            let fresh = intents.all.get_mut(first..).unwrap_or_default();
            if !passage.is_decoded() && fresh.iter().any(|intent| intent.kinds.any(Kinds::TELLING)) {
                quoted::set_aside(passage, tokens, sentences, fresh, |number| {
                    let words = tokens.get(sentences.get(number)?.tokens.clone())?;
                    Words::of(passage, (sentences, number), words, &mentions, topic)
                });
            }
        }
        intents
    }

    /// Whether any sentence does one of `wanted`, kinds that do not depend on names of tools. Far cheaper than working
    /// out everything that every sentence does.
    pub(crate) fn any_does(context: &Context<'_>, wanted: Kinds) -> bool {
        let topic = topic::topic(context);
        let mentions = mention::Finder::new(context);
        context.reading.passages().iter().any(|passage| {
            let tokens = context.reading.tokens(passage);
            let sentences = context.reading.sentences(passage);
            sentences.iter().enumerate().any(|(number, sentence)| {
                let words = tokens.get(sentence.tokens.clone()).unwrap_or_default();
                let view = Words::of(passage, (sentences, number), words, &mentions, topic);
                view.is_some_and(|view| rows::does(&view, wanted))
            })
        })
    }

    /// Every intent with its neighbours: the sentence before and behind, or the whole of a tagged block.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = &[Intent]> {
        (0..self.all.len()).filter_map(|at| {
            let intent = self.all.get(at)?;
            let joins = |a: &Intent, b: &Intent| {
                a.passage == b.passage
                    && (b.sentence - a.sentence <= 1
                        || a.kinds.any(Kinds::TAGGED) && b.kinds.any(Kinds::TAGGED))
            };
            let is_tagged = intent.kinds.any(Kinds::TAGGED);
            let mut from = at;
            while from > 0
                && (is_tagged || at - from < 1)
                && joins(self.all.get(from - 1)?, self.all.get(from)?)
            {
                from -= 1;
            }
            let mut to = at + 1;
            while to < self.all.len()
                && (is_tagged || to - at < 2)
                && joins(self.all.get(to - 1)?, self.all.get(to)?)
            {
                to += 1;
            }
            self.all.get(from..to)
        })
    }
}

/// A value in the schema of a tool whose name and lead speak of detecting attacks.
fn is_specimen(passage: &Passage<'_>, topic: Classes, kinds: Kinds) -> bool {
    passage.unit.role == Role::Value
        && topic.any(Classes::DETECTS)
        && topic.any(Classes::ATTACK)
        && !kinds.any(quoted::HARMFUL)
}

fn span_of(words: &[Token]) -> Range<usize> {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.start as usize..last.end as usize,
        _ => 0..0,
    }
}

/// The words of a sentence, with the questions rows ask of them.
pub(crate) struct Words<'a> {
    names: &'a mention::Finder<'a>,
    pub(crate) passage: &'a Passage<'a>,
    pub(crate) sentence: &'a Sentence,
    pub(crate) tokens: &'a [Token],
    /// The classes of the declared purpose.
    pub(crate) topic: Classes,
    /// The first sentence of the description says what the tool does.
    pub(crate) is_lead: bool,
    /// The sentence before speaks of the model, so "it" may be the model.
    pub(crate) follows_model: bool,
    /// Whether the sentence gives an order: a dozen rows ask, one answers.
    pub(crate) orders: OnceCell<bool>,
}

impl<'a> Words<'a> {
    fn of(
        passage: &'a Passage<'a>,
        (sentences, number): (&'a [Sentence], usize),
        tokens: &'a [Token],
        names: &'a mention::Finder<'a>,
        topic: Classes,
    ) -> Option<Self> {
        let sentence = sentences.get(number)?;
        let before = number.checked_sub(1).and_then(|before| sentences.get(before));
        let is_lead = number == 0 && passage.unit.role == Role::Description;
        let follows_model = before.is_some_and(|before| before.classes.any(Classes::MODEL));
        let orders = OnceCell::new();
        Some(Words { names, passage, sentence, tokens, topic, is_lead, follows_model, orders })
    }

    pub(crate) fn has(&self, classes: Classes) -> bool {
        self.sentence.classes.any(classes)
    }

    /// Whether a word of `second` follows a word of `first` within `window` tokens.
    pub(crate) fn follows(&self, first: Classes, second: Classes, window: usize) -> bool {
        self.pairs(first, second, window).next().is_some()
    }

    /// Whether words of both classes stand within `window` tokens, in any order.
    pub(crate) fn near(&self, one: Classes, other: Classes, window: usize) -> bool {
        self.follows(one, other, window) || self.follows(other, one, window)
    }

    /// All (first, second) positions with the second word at most `window` tokens behind the first.
    pub(crate) fn pairs(
        &self,
        first: Classes,
        second: Classes,
        window: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let both = self.has(first) && self.has(second);
        let tokens = if both { self.tokens } else { &[] };
        tokens.iter().enumerate().filter(move |(_, token)| token.classes.any(first)).filter_map(
            move |(at, _)| {
                let behind = tokens.get(at + 1..).unwrap_or_default().iter().take(window);
                behind
                    .enumerate()
                    .find(|(_, token)| token.classes.any(second))
                    .map(|(offset, _)| (at, at + 1 + offset))
            },
        )
    }

    pub(crate) fn text(&self, token: &Token) -> &str {
        self.passage.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// Whether the token names a parameter of the tool itself.
    pub(crate) fn is_own_parameter(&self, token: &Token) -> bool {
        self.names.is_parameter(key_hash(self.text(token), &mut String::new()))
    }

    /// The first real word of a clause that opens at token `at`, markup and list marks passed over.
    pub(crate) fn clause_opener(&self, at: usize) -> Option<(usize, &Token)> {
        self.tokens.iter().enumerate().skip(at).find(|(_, token)| {
            !matches!(token.shape, Shape::Pause | Shape::Tag | Shape::Quote | Shape::Number)
        })
    }
}
