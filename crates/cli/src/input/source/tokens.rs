//! Source text cut into words, texts and marks: as much of JavaScript and Python as finding definitions takes.

/// Whose rules hold for comments and texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// TypeScript too.
    JavaScript,
    Python,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a number.
    Word(&'a str),
    /// What a literal says, its escapes resolved.
    Text(String),
    Mark(char),
}

/// A token and the line it begins on.
pub(super) type Placed<'a> = (Token<'a>, usize);

/// The longest escape, `\u{10ffff}`.
const LONGEST_ESCAPE: usize = 10;
/// How often a file may be read over again in search of ends that are not there.
const MOST_REREAD: usize = 8;

/// Cuts a file, and says whether all of it was cut. What it cannot make sense of becomes marks: a guess that goes wrong
/// loses one literal, not the file.
pub(super) fn tokens(text: &str, language: Language) -> (Vec<Placed<'_>>, bool) {
    let patience = text.len().saturating_mul(MOST_REREAD);
    let mut reader = Reader { text, at: 0, line: 1, language, patience, out: Vec::new() };
    while reader.patience > 0 && reader.step() {}
    let is_whole = reader.rest().is_empty();
    (reader.out, is_whole)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    language: Language,
    /// Bytes that may still be read in vain.
    patience: usize,
    out: Vec<Placed<'a>>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.at += bytes;
    }

    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        let is_python = self.language == Language::Python;
        if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if (is_python && first == '#') || (!is_python && rest.starts_with("//")) {
            self.skip(rest.find('\n').unwrap_or(rest.len()));
        } else if !is_python && rest.starts_with("/*") {
            self.skip(rest.find("*/").map_or(rest.len(), |end| end + 2));
        } else if !is_python && first == '/' && self.may_be_pattern() {
            self.pattern();
        } else if is_quote(first, is_python) {
            self.literal(false);
        } else if first.is_alphanumeric() || first == '_' || first == '$' {
            self.word();
        } else {
            self.out.push((Token::Mark(first), self.line));
            self.skip(first.len_utf8());
        }
        true
    }

    fn word(&mut self) {
        let rest = self.rest();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
        let length = rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let is_prefix = length <= 2 && word.bytes().all(|byte| b"rRbBuUfF".contains(&byte));
        let next = rest.get(length..).and_then(|after| after.chars().next());
        let line = self.line;
        self.skip(length);
        if self.language == Language::Python && is_prefix && next.is_some_and(|next| is_quote(next, true)) {
            return self.literal(word.contains(['r', 'R']));
        }
        self.out.push((Token::Word(word), line));
    }

    /// After a value a slash divides; anywhere else it begins a pattern.
    fn may_be_pattern(&self) -> bool {
        match self.out.last() {
            Some((Token::Word(word), _)) => matches!(*word, "return" | "typeof" | "case" | "in" | "of"),
            Some((Token::Mark(mark), _)) => !matches!(mark, ')' | ']' | '}'),
            Some((Token::Text(_), _)) => false,
            None => true,
        }
    }

    fn pattern(&mut self) {
        let (mut is_escaped, mut is_class, mut read) = (false, false, 1);
        for (place, letter) in self.rest().char_indices().skip(1) {
            read = place;
            match letter {
                '\n' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => return self.skip(place + 1),
                _ => {}
            }
        }
        self.endless('/', read);
    }

    /// What should end does not: only the sign it begins with is passed over, though `read` bytes were looked at.
    fn endless(&mut self, sign: char, read: usize) {
        self.patience = self.patience.saturating_sub(read);
        self.out.push((Token::Mark(sign), self.line));
        self.skip(sign.len_utf8());
    }

    fn literal(&mut self, is_raw: bool) {
        let (rest, line) = (self.rest(), self.line);
        let Some(quote) = rest.chars().next() else { return };
        let triple: String = [quote; 3].iter().collect();
        let is_triple = self.language == Language::Python && rest.starts_with(&triple);
        let fence = if is_triple { triple.as_str() } else { &triple[..1] };
        let is_one_line = !is_triple && quote != '`';
        let mut text = String::new();
        let mut at = fence.len();
        while let Some(letter) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            let here = rest.get(at..).unwrap_or_default();
            if here.starts_with(fence) {
                self.skip(at + fence.len());
                self.out.push((Token::Text(text), line));
                return;
            }
            if is_one_line && letter == '\n' {
                break;
            }
            if letter == '\\' && !is_raw {
                let (shown, width) = escape(here);
                text.extend(shown);
                at += width;
            } else {
                text.push(letter);
                at += letter.len_utf8();
            }
        }
        self.endless(quote, at);
    }
}

fn is_quote(letter: char, is_python: bool) -> bool {
    matches!(letter, '"' | '\'') || (letter == '`' && !is_python)
}

/// The character an escape stands for, and how many bytes it takes.
fn escape(text: &str) -> (Option<char>, usize) {
    let Some(second) = text.chars().nth(1) else { return (Some('\\'), 1) };
    let short = 1 + second.len_utf8();
    let code = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?), to))
    };
    let found = match second {
        'n' => Some((Some('\n'), short)),
        't' => Some((Some('\t'), short)),
        'r' => Some((Some('\r'), short)),
        'b' => Some((Some('\u{8}'), short)),
        '0' => Some((Some('\0'), short)),
        '\n' => Some((None, short)),
        'x' => code(2, 4),
        'u' if text.as_bytes().get(2) == Some(&b'{') => {
            let end = text.bytes().take(LONGEST_ESCAPE).position(|byte| byte == b'}');
            end.and_then(|end| code(3, end)).map(|(letter, end)| (letter, end + 1))
        }
        'u' => code(2, 6),
        'U' => code(2, 10),
        _ => None,
    };
    found.unwrap_or((Some(second), short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, language: Language, expected: &str) {
        let shown = |(token, line): &Placed<'_>| match token {
            Token::Word(word) => format!("{line}:{word}"),
            Token::Text(text) => format!("{line}:{text:?}"),
            Token::Mark(mark) => format!("{line}:{mark}"),
        };
        let (tokens, is_whole) = tokens(text, language);
        assert!(is_whole);
        assert_eq!(tokens.iter().map(shown).collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn literals_comments_and_patterns_are_told_apart() {
        use Language::{JavaScript, Python};
        check(
            "a(\"x\\u200b\", 'y') // \"no\"\n/* 'no' */ `t\n${b}`",
            JavaScript,
            "1:a 1:( 1:\"x\\u{200b}\" 1:, 1:\"y\" 1:) 2:\"t\\n${b}\"",
        );
        check("x = /[\"/]/g; y / 2 / z", JavaScript, "1:x 1:= 1:g 1:; 1:y 1:/ 1:2 1:/ 1:z");
        check("'never\n\"ends\"", JavaScript, "1:' 1:never 2:\"ends\"");
        check("\"\"\"a\n'b'\"\"\" # 'no'\nr'\\n' f\"{x}\"", Python, "1:\"a\\n'b'\" 3:\"\\\\n\" 3:\"{x}\"");
    }

    #[test]
    fn ends_that_are_not_there_are_not_sought_for_ever() {
        for (endless, is_whole) in [("\"\\", false), ("/[", false), ("\\u{", true)] {
            let text = format!("'{}", endless.repeat(200_000));
            assert_eq!(tokens(&text, Language::JavaScript).1, is_whole, "{endless}");
        }
    }
}
