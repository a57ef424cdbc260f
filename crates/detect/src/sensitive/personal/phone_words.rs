//! Words beside a telephone number, in the languages of the plans most met.

use super::context::Words;

/// Words that make any plausible number a phone number.
pub(super) const WORDS: Words = Words::new(&[
    "phone*",
    "telephone*",
    "tel",
    "telefon*",
    "teléfono*",
    "telefax",
    "telnr",
    "mobile*",
    "mobil",
    "mob",
    "mobilnummer",
    "cell",
    "cellphone*",
    "cellular*",
    "celular*",
    "cellulare",
    "móvil",
    "movil",
    "handy*",
    "portable",
    "fax",
    "faxnummer",
    "landline",
    "call",
    "call me",
    "calling",
    "dial",
    "dialed",
    "whatsapp",
    "viber",
    "sms",
    "desk",
    "hotline",
    "helpline",
    "msisdn",
    "rufnummer",
    "contact number",
]);
/// Words that do so for a number grouped as some plan groups it.
pub(super) const HINTS: Words = Words::new(&[
    "contact*",
    "reach",
    "message",
    "messaging",
    "messages",
    "text me",
    "texting",
    "texted",
    "ring",
    "answering",
    "answered",
    "voicemail",
    "pager",
    "kontakt",
    "numéro",
    "número",
]);
/// After a number, as on cards and in signatures.
pub(super) const WORDS_AFTER: Words =
    Words::new(&["office", "fax", "mobile", "cell", "home", "work", "tel", "phone", "direct", "landline"]);
/// What a bare number is when such a word is near, whatever else is.
pub(super) const OTHER_WORDS: Words = Words::new(&[
    "id",
    "ids",
    "uuid",
    "count",
    "size",
    "price",
    "amount",
    "timestamp",
    "time",
    "order",
    "card",
    "zip",
]);
