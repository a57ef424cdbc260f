//! Rows: what one kind of secret looks like, as data with its own examples beside it.

/// How sure the shape of a value alone makes us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// A word beside a value that looks random. Never enough to block anything.
    Keyword,
    /// A prefix, a structure or a checksum that ordinary text does not show by chance.
    Bound,
}

impl Strength {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Strength::Keyword => "keyword",
            Strength::Bound => "bound",
        }
    }
}

/// How bad it is when the value reaches someone it should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Seldom matters alone.
    Low,
    /// Personal, or of use to an attacker together with more.
    Medium,
    /// Opens something.
    High,
    /// Opens much, pays, or names a person for life.
    Critical,
}

impl Severity {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

/// What a value must pass after its shape matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Validator {
    /// The shape says enough.
    Shape,
    /// At least this many tenths of a bit of entropy per character.
    Entropy(u8),
    /// Letters and digits mixed as no word has them, or a UUID; and at least this many tenths of a bit of entropy.
    Random(u8),
    /// A password somebody chose: no type, variable, call or template.
    Password,
    /// What follows `Basic ` decodes to a user and a password.
    Basic,
    /// The first part decodes to a JSON object that names an algorithm.
    Jwt,
    /// The last six characters are the CRC-32 of those before, in base 62.
    Crc32,
    /// The body of the PEM block has enough base64.
    Pem,
    /// A password in a URL that is not a placeholder or a variable.
    UrlPassword,
    /// The base58 checksum holds.
    Base58Check,
}

/// Where a row's literals stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// In the value, exactly so spelt.
    Bound,
    /// In the name the value is given to, in any case.
    Keyword,
    /// Before a value that some keyword row's name is given, in any case: the vendor says what the value is.
    Vendor,
}

/// One kind of secret.
pub(super) struct Row {
    pub(super) id: &'static str,
    pub(super) mark: Mark,
    /// One of these must be there; none at all: a finder of its own looks for the row.
    pub(super) literals: &'static [&'static str],
    /// The value's [shape](super::shape).
    pub(super) pattern: &'static str,
    pub(super) validator: Validator,
    /// Thousandths.
    pub(super) confidence: u16,
    pub(super) severity: Severity,
    /// `{cut}` is removed before use: no whole credential shape is committed.
    #[cfg(test)]
    pub(super) yes: &'static [&'static str],
    #[cfg(test)]
    pub(super) no: &'static [&'static str],
}

impl Row {
    pub(super) fn strength(&self) -> Strength {
        match self.mark {
            Mark::Bound => Strength::Bound,
            Mark::Keyword | Mark::Vendor => Strength::Keyword,
        }
    }
}

/// A family's table: mark, id, literals, shape, validator, confidence, severity, examples.
macro_rules! rows {
    ($($mark:ident $id:literal [$($literal:literal)*] $pattern:literal $validator:ident $(($bits:literal))?
       $confidence:literal $severity:ident yes [$($yes:literal)+] no [$($no:literal)+])*) => {
        pub(in crate::sensitive) const ROWS: &[$crate::sensitive::row::Row] = &[$($crate::sensitive::row::Row {
            id: $id,
            literals: &[$($literal),*],
            pattern: $pattern,
            validator: $crate::sensitive::row::Validator::$validator $(($bits))?,
            mark: $crate::sensitive::row::Mark::$mark,
            confidence: $confidence,
            severity: $crate::sensitive::row::Severity::$severity,
            #[cfg(test)] yes: &[$($yes),+],
            #[cfg(test)] no: &[$($no),+],
        }),*];
    };
}
pub(super) use rows;
