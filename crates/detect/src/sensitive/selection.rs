//! Which rows are looked for, when a configuration names types.

use super::{BadPattern, Facts, Family, SensitiveData};
use crate::prelude::*;

/// Other names for our types.
const ALIASES: [(&str, &str); 5] = [
    ("credit_card", "card"),
    ("phone_number", "phone"),
    ("ip_address", "ip"),
    ("email_address", "email"),
    ("us_ssn", "ssn"),
];

/// By row, whether one of the types names it. Custom patterns are always looked for: they were asked for by name.
pub(super) fn rows(data: &SensitiveData, types: &[String]) -> Result<Vec<bool>, BadPattern> {
    let facts = |row: usize| data.facts(u16::try_from(row).unwrap_or(u16::MAX));
    let mut selected: Vec<bool> =
        (0..data.row_count()).map(|row| facts(row).family == Family::Custom).collect();
    for name in types {
        let wanted = ALIASES.iter().find(|(alias, _)| alias == name).map_or(name.as_str(), |(_, ours)| ours);
        let mut is_known = false;
        for (row, slot) in selected.iter_mut().enumerate() {
            let facts = facts(row);
            let is_named = facts.id == wanted
                || facts.kind == wanted
                || wanted == "api_key" && facts.family == Family::Secret
                || wanted == "national_id" && is_national(facts);
            is_known |= is_named;
            *slot |= is_named;
        }
        if !is_known {
            let problem = "no such type; there are api_key, email, ssn, card, phone, iban, ip, national_id, \
                           date_of_birth, and the ids of rows"
                .to_owned();
            return Err(BadPattern { entry: name.clone(), problem });
        }
    }
    Ok(selected)
}

/// National ids begin with their country: `br_cpf`.
fn is_national(facts: Facts<'_>) -> bool {
    facts.family == Family::Personal && facts.id.as_bytes().get(2) == Some(&b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensitive::CustomPattern;

    #[test]
    fn types_select_rows() {
        let text = "cpf 529.982.247-25 ann@tide.example AKIA{cut}QX7TRMSV3BLNWD4K".replace("{cut}", "");
        let count = |types: &[&str]| {
            let types: Vec<String> = types.iter().map(|name| (*name).to_owned()).collect();
            SensitiveData::with(Some(&types), &[]).map(|data| data.in_text(text.as_bytes()).len())
        };
        assert_eq!(count(&["email"]), Ok(1));
        assert_eq!(count(&["national_id"]), Ok(1));
        assert_eq!(count(&["api_key"]), Ok(1));
        assert_eq!(count(&["api_key", "email_address"]), Ok(2));
        assert_eq!(count(&[]), Ok(0));
        let cpf = CustomPattern { name: "cpf".into(), regex: "cpf".into(), ..CustomPattern::default() };
        let own = SensitiveData::with(Some(&[]), &[cpf]).map(|data| data.in_text(text.as_bytes()).len());
        assert_eq!(own, Ok(1), "what was written down by hand is looked for whatever types are named");
        assert!(count(&["e-mail"]).is_err_and(|bad| bad.to_string().contains("`e-mail`")));
    }
}
