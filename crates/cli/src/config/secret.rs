//! `${env:NAME}`: secrets come from the environment, so that the file holds none. Messages name the variable, never
//! its value.

use serde_json::{Map, Value};

use crate::document::{Member, Node, Problem, Tree};

const OPENING: &str = "${env:";

/// Looks a variable up.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The value with every variable in its texts replaced; what is not set is a problem.
pub(crate) fn resolved(node: &Node, environment: Environment<'_>, problems: &mut Vec<Problem>) -> Value {
    match &node.value {
        Tree::Null => Value::Null,
        Tree::Bool(value) => Value::Bool(*value),
        Tree::Number(number) => Value::Number(number.clone()),
        Tree::Text(text) => match replaced(text, environment) {
            Ok(text) => Value::String(text),
            Err(reason) => {
                problems.push(Problem::at(node.at, reason));
                Value::String(String::new())
            }
        },
        Tree::List(nodes) => nodes.iter().map(|node| resolved(node, environment, problems)).collect(),
        Tree::Map(members) => {
            let value = |member: &Member, problems: &mut Vec<Problem>| {
                (member.name.clone(), resolved(&member.node, environment, problems))
            };
            Value::Object(members.iter().map(|member| value(member, problems)).collect::<Map<_, _>>())
        }
    }
}

fn replaced(text: &str, environment: Environment<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPENING) {
        let (name, after) = after.split_once('}').ok_or("`${env:` without its closing brace")?;
        let value = environment(name).ok_or_else(|| format!("the environment variable {name} is not set"))?;
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_and_what_they_hold_is_not_read_again() {
        let environment = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "B" => Some("${env:A}".to_owned()),
            _ => None,
        };
        let check = |text: &str, expected: Result<&str, &str>| {
            let found = replaced(text, &environment);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
        };
        check("plain $A ${A}", Ok("plain $A ${A}"));
        check("Bearer ${env:A}${env:A}.", Ok("Bearer 11."));
        check("${env:B}", Ok("${env:A}"));
        check("${env:C}", Err("the environment variable C is not set"));
        check("${env:C", Err("`${env:` without its closing brace"));
    }
}
