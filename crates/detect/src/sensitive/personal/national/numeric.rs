//! Numbers made of digits, bare or in printed groups.

use crate::sensitive::personal::Kind;
use crate::sensitive::personal::checksum::{luhn, mod_11_10, remainder, value, verhoeff, weighted};
use crate::sensitive::personal::context::{self, Words};
use crate::sensitive::personal::number::{Number, is_filler, runs_in, runs_on};
use crate::sensitive::scan::Sink;

/// One kind: how it is printed, what it must pass, and the words that name it.
struct Form {
    kind: Kind,
    /// Sizes of the groups and the marks between them; no marks for bare digits.
    layouts: &'static [(&'static [u8], &'static [u8])],
    /// Printed so, it needs no word.
    telling: Option<(&'static [u8], &'static [u8])>,
    holds: fn(&[u8]) -> bool,
    words: Words,
}

static FORMS: [Form; 11] = [
    Form {
        kind: Kind::BrCpf,
        layouts: &[(&[11], b"")],
        telling: Some((&[3, 3, 3, 2], b"..-")),
        holds: |digits| two_checks(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2], &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]),
        words: Words::new(&["cpf"]),
    },
    Form {
        kind: Kind::BrCnpj,
        layouts: &[(&[14], b"")],
        telling: Some((&[2, 3, 3, 4, 2], b"../-")),
        holds: |digits| {
            two_checks(
                digits,
                &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
                &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
            )
        },
        words: Words::new(&["cnpj"]),
    },
    Form {
        kind: Kind::FrNir,
        layouts: &[(&[15], b"")],
        telling: Some((&[1, 2, 2, 2, 3, 3, 2], b"      ")),
        holds: is_nir,
        words: Words::new(&[
            "nir",
            "insee",
            "sécurité sociale",
            "securite sociale",
            "numéro de sécu*",
            "carte vitale",
        ]),
    },
    Form {
        kind: Kind::DeTaxId,
        layouts: &[(&[11], b""), (&[2, 3, 3, 3], b"   ")],
        telling: None,
        holds: |digits| digits.first() != Some(&b'0') && repeats_one(digits) && mod_11_10(digits),
        words: Words::new(&[
            "steuer*",
            "idnr",
            "tin",
            "tax id*",
            "taxid*",
            "tax_id*",
            "identifikationsnummer",
        ]),
    },
    Form {
        kind: Kind::UkNhs,
        layouts: &[(&[10], b""), (&[3, 3, 4], b"  "), (&[3, 3, 4], b"--")],
        telling: None,
        holds: |digits| {
            let check = (11 - weighted(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
            digits.last().is_some_and(|last| value(*last) == check)
        },
        words: Words::new(&["nhs*"]),
    },
    Form {
        kind: Kind::NlBsn,
        layouts: &[(&[9], b""), (&[4, 2, 3], b"..")],
        telling: None,
        holds: |digits| {
            let body = weighted(digits, &[9, 8, 7, 6, 5, 4, 3, 2]);
            digits.last().is_some_and(|last| body % 11 == value(*last))
        },
        words: Words::new(&["bsn", "burgerservice*", "sofi*"]),
    },
    Form {
        kind: Kind::PlPesel,
        layouts: &[(&[11], b"")],
        telling: None,
        holds: |digits| {
            let month = digits.get(2..4).map_or(0, |month| weighted(month, &[10, 1])) % 20;
            (1..=12).contains(&month)
                && weighted(digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
        },
        words: Words::new(&["pesel"]),
    },
    Form {
        kind: Kind::SePersonnummer,
        layouts: &[(&[6, 4], b"-"), (&[8, 4], b"-"), (&[10], b""), (&[12], b"")],
        telling: None,
        holds: |digits| {
            let short = digits.get(digits.len().saturating_sub(10)..).unwrap_or_default();
            is_date(short.get(2..4), short.get(4..6)) && luhn(short)
        },
        words: Words::new(&["personnummer", "personnr", "pnr", "samordningsnummer", "swedish personal"]),
    },
    Form {
        kind: Kind::InAadhaar,
        layouts: &[(&[12], b""), (&[4, 4, 4], b"  "), (&[4, 4, 4], b"--")],
        telling: None,
        holds: |digits| !matches!(digits.first(), Some(b'0' | b'1')) && verhoeff(digits),
        words: Words::new(&["aadhaar*", "aadhar*", "uidai", "आधार"]),
    },
    Form {
        kind: Kind::CaSin,
        layouts: &[(&[9], b""), (&[3, 3, 3], b"  "), (&[3, 3, 3], b"--")],
        telling: None,
        holds: |digits| !matches!(digits.first(), Some(b'0' | b'8')) && luhn(digits),
        words: Words::new(&["sin", "social insurance", "social_insurance*", "assurance sociale", "nas"]),
    },
    Form {
        kind: Kind::AuTfn,
        layouts: &[(&[9], b""), (&[3, 3, 3], b"  "), (&[3, 3, 3], b"--")],
        telling: None,
        holds: |digits| weighted(digits, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11),
        words: Words::new(&["tfn", "tax file", "tax_file*"]),
    },
];

pub(in crate::sensitive::personal) fn look(bytes: &[u8], start: usize, number: &Number, sink: &mut Sink) {
    for form in &FORMS {
        let fits = |&(sizes, marks): &(&[u8], &[u8])| {
            number.sizes().starts_with(sizes)
                && number.marks().starts_with(marks)
                && (number.sizes().len() == sizes.len() || number.marks().get(marks.len()) == Some(&b' '))
        };
        let is_telling = form.telling.as_ref().is_some_and(fits);
        let layout = if is_telling { form.telling } else { form.layouts.iter().copied().find(fits) };
        let Some((sizes, _)) = layout else { continue };
        let (digits, end) = (number.digits(sizes.len()), number.end(sizes.len()));
        if !(form.holds)(digits) || is_filler(digits) || runs_in(bytes, start) || runs_on(bytes, end) {
            continue;
        }
        if is_telling || context::before(bytes, start, &form.words) {
            sink.push_personal(form.kind, start, end, 900, None);
        }
    }
}

const DNI_WORDS: Words = Words::new(&["dni", "nif", "nie", "documento*", "identidad", "española", "spanish"]);

/// Digits with a letter of their own: `12345678Z` in Spain, `131052-308T` in Finland. `end` is the first digits' end.
pub(in crate::sensitive::personal) fn look_lettered(bytes: &[u8], start: usize, end: usize, sink: &mut Sink) {
    let digits = bytes.get(start..end).unwrap_or_default();
    let after = bytes.get(end..).unwrap_or_default();
    let found = match (digits.len(), after) {
        (8, [b'-', letter, ..]) if letter.is_ascii_uppercase() => {
            (dni(digits) == *letter).then_some((Kind::EsDni, 2))
        }
        (8, [letter, ..]) => (dni(digits) == *letter).then_some((Kind::EsDni, 1)),
        (6, [b'-' | b'+' | b'A'..=b'F' | b'U'..=b'Y', a, b, c, check, ..]) => {
            let serial = [*a, *b, *c];
            let left = remainder(digits.iter().chain(&serial).copied(), 31);
            let is_hetu = serial.iter().all(u8::is_ascii_digit)
                && is_date(digits.get(2..4), digits.get(..2))
                && b"0123456789ABCDEFHJKLMNPRSTUVWXY".get(left as usize) == Some(check);
            is_hetu.then_some((Kind::FiHetu, 5))
        }
        _ => None,
    };
    let Some((kind, more)) = found else { return };
    let end = end + more;
    if is_filler(digits) || runs_in(bytes, start) || runs_on(bytes, end) {
        return;
    }
    if matches!(kind, Kind::FiHetu) || context::before(bytes, start, &DNI_WORDS) {
        sink.push_personal(kind, start, end, 900, None);
    }
}

/// The letter of a Spanish number.
pub(super) fn dni(digits: &[u8]) -> u8 {
    let left = remainder(digits.iter().copied(), 23);
    b"TRWAGMYFPDXBNJZSQVHLCKE".get(left as usize).copied().unwrap_or(0)
}

/// Two check digits modulo 11, ten counting as zero, as in Brazil.
fn two_checks(digits: &[u8], first: &[u32], second: &[u32]) -> bool {
    let check = |weights: &[u32]| match 11 - weighted(digits, weights) % 11 {
        10 | 11 => 0,
        check => check,
    };
    match digits {
        [.., a, b] => check(first) == value(*a) && check(second) == value(*b),
        _ => false,
    }
}

/// Sex, year, month, department: then the rest must leave what the key says.
fn is_nir(digits: &[u8]) -> bool {
    let Some((body, key)) = digits.split_at_checked(13) else { return false };
    let month = body.get(3..5).map_or(0, |month| weighted(month, &[10, 1]));
    matches!(body.first(), Some(b'1' | b'2'))
        && matches!(month, 1..=12 | 20..=42)
        && 97 - remainder(body.iter().copied(), 97) == weighted(key, &[10, 1])
}

/// Days of coordination numbers are 60 higher.
fn is_date(month: Option<&[u8]>, day: Option<&[u8]>) -> bool {
    let number = |digits: Option<&[u8]>| weighted(digits.unwrap_or_default(), &[10, 1]);
    (1..=12).contains(&number(month)) && (1..=31).contains(&(number(day) % 60))
}

/// Of the first ten digits of a German number exactly one occurs twice or three times.
fn repeats_one(digits: &[u8]) -> bool {
    let mut counts = [0u8; 10];
    for &digit in digits.iter().take(10) {
        if let Some(count) = counts.get_mut(value(digit) as usize) {
            *count += 1;
        }
    }
    counts.iter().filter(|count| **count > 1).count() == 1 && counts.iter().all(|count| *count <= 3)
}

#[cfg(test)]
pub(in crate::sensitive::personal) const EXAMPLES: [super::super::Examples; 13] = {
    use crate::sensitive::personal::Examples;
    [
        Examples {
            kind: "br_cpf",
            yes: &["529.982.247-25", "CPF 52998224725"],
            no: &["529.982.247-26", "52998224725", "111.111.111-11"],
        },
        Examples {
            kind: "br_cnpj",
            yes: &["11.222.333/0001-81", "cnpj: 11222333000181"],
            no: &["11.222.333/0001-82", "11222333000181"],
        },
        Examples {
            kind: "fr_nir",
            yes: &["2 55 08 14 168 025 38", "NIR 255081416802538"],
            no: &["2 55 08 14 168 025 39", "255081416802538", "9 55 08 14 168 025 38"],
        },
        Examples {
            kind: "de_tax_id",
            yes: &["Steuer-ID 86095742719", "steuerliche Identifikationsnummer: 86 095 742 719"],
            no: &["86095742719", "Steuer-ID 86095742718", "order 86 095 742 719"],
        },
        Examples {
            kind: "uk_nhs",
            yes: &["NHS number 943 476 5919", "{\"nhs_number\":\"9434765919\"}"],
            no: &["9434765919", "NHS number 943 476 5918"],
        },
        Examples {
            kind: "nl_bsn",
            yes: &["BSN 111222333", "{\"bsn\":\"123456782\"}"],
            no: &["111222333", "BSN 111222334"],
        },
        Examples {
            kind: "pl_pesel",
            yes: &["PESEL 44051401359", "pesel: 02070803628"],
            no: &["44051401359", "PESEL 44051401358", "PESEL 44991401359"],
        },
        Examples {
            kind: "se_personnummer",
            yes: &["personnummer 811218-9876", "pnr: 19811218-9876"],
            no: &["811218-9876", "personnummer 811218-9875", "personnummer 811318-9876"],
        },
        Examples {
            kind: "in_aadhaar",
            yes: &["Aadhaar 2341 2341 2346", "{\"aadhaar_no\":\"234123412346\"}"],
            no: &["2341 2341 2346", "Aadhaar 2341 2341 2345", "Aadhaar 0341 2341 2346"],
        },
        Examples {
            kind: "ca_sin",
            yes: &["SIN 130 692 544", "social insurance number 130-692-544"],
            no: &["130 692 544", "SIN 130 692 545", "sinus 130 692 544"],
        },
        Examples {
            kind: "au_tfn",
            yes: &["TFN 123 456 782", "tax file number 123456782"],
            no: &["123 456 782", "TFN 123 456 783"],
        },
        Examples {
            kind: "es_dni",
            yes: &["DNI 40398576L", "nif: 40398576-L", "NIE Y1234567X"],
            no: &["40398576L", "DNI 40398576D", "SKU Y1234567X"],
        },
        Examples {
            kind: "fi_hetu",
            yes: &["131052-308T", "hetu 010594A9021"],
            no: &["131052-308U", "991052-308T", "131052-3081"],
        },
    ]
};
