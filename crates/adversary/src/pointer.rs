//! JSON pointers into a document: how a version or a twin says where it differs.

use crate::node::{Node, Value};

/// Sets what stands at the pointer; `-` at the end of a list appends. The parent must exist.
pub(crate) fn set(document: &mut Node, pointer: &str, node: Node) -> Result<(), String> {
    let (parent, last) = parent(document, pointer)?;
    match &mut parent.value {
        Value::Map(_) => parent.put(&last, node),
        Value::List(items) if last == "-" => items.push(node),
        Value::List(items) => *items.get_mut(index(&last)?).ok_or("the list is shorter")? = node,
        _ => return Err("its parent holds nothing".to_owned()),
    }
    Ok(())
}

/// Takes away what stands at the pointer.
pub(crate) fn remove(document: &mut Node, pointer: &str) -> Result<(), String> {
    let (parent, last) = parent(document, pointer)?;
    match &mut parent.value {
        Value::Map(entries) => {
            let place = entries.iter().position(|(key, _)| *key == last).ok_or("there is nothing")?;
            entries.remove(place);
        }
        Value::List(items) => {
            let place = index(&last)?;
            if place >= items.len() {
                return Err("the list is shorter".to_owned());
            }
            items.remove(place);
        }
        _ => return Err("its parent holds nothing".to_owned()),
    }
    Ok(())
}

/// Every pointer at which two documents differ, as deep as they can be compared.
pub(crate) fn differences(before: &Node, after: &Node) -> Vec<String> {
    let mut found = Vec::new();
    compare(before, after, String::new(), &mut found);
    found
}

fn compare(before: &Node, after: &Node, at: String, found: &mut Vec<String>) {
    match (&before.value, &after.value) {
        (Value::Map(old), Value::Map(new)) => {
            for (key, node) in old {
                let at = format!("{at}/{}", escape(key));
                match after.get(key) {
                    Some(other) => compare(node, other, at, found),
                    None => found.push(at),
                }
            }
            let added = new.iter().filter(|(key, _)| before.get(key).is_none());
            found.extend(added.map(|(key, _)| format!("{at}/{}", escape(key))));
        }
        (Value::List(old), Value::List(new)) => {
            for (place, (node, other)) in old.iter().zip(new).enumerate() {
                compare(node, other, format!("{at}/{place}"), found);
            }
            let (short, long) = (old.len().min(new.len()), old.len().max(new.len()));
            found.extend((short..long).map(|place| format!("{at}/{place}")));
        }
        _ if before == after => {}
        _ => found.push(at),
    }
}

fn parent<'a>(document: &'a mut Node, pointer: &str) -> Result<(&'a mut Node, String), String> {
    let path = pointer.strip_prefix('/').ok_or("a pointer begins with /")?;
    let mut steps: Vec<String> = path.split('/').map(unescape).collect();
    let last = steps.pop().unwrap_or_default();
    let mut node = document;
    for step in steps {
        let next = match &mut node.value {
            Value::Map(entries) => entries.iter_mut().find(|(key, _)| *key == step).map(|(_, node)| node),
            Value::List(items) => items.get_mut(index(&step)?),
            _ => None,
        };
        node = next.ok_or_else(|| format!("there is no {step} on the way"))?;
    }
    Ok((node, last))
}

fn index(step: &str) -> Result<usize, String> {
    step.parse().map_err(|_| format!("{step} is no place in a list"))
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Node {
        Node::map([("a/b", Node::list([Node::from("x"), Node::map([("c", 1.into())])])), ("d", "y".into())])
    }

    #[test]
    fn sets_removes_and_tells_the_difference() {
        let mut changed = document();
        set(&mut changed, "/a~1b/1/c", "new".into()).unwrap();
        set(&mut changed, "/a~1b/-", "more".into()).unwrap();
        remove(&mut changed, "/d").unwrap();
        assert_eq!(differences(&document(), &changed), ["/a~1b/1/c", "/a~1b/2", "/d"]);
        assert!(differences(&changed, &changed).is_empty());
    }

    #[test]
    fn a_pointer_to_nowhere_is_an_error() {
        for wrong in ["", "a", "/x/y", "/a~1b/9", "/a~1b/x", "/d/e"] {
            assert!(set(&mut document(), wrong, "new".into()).is_err(), "{wrong}");
            assert!(remove(&mut document(), wrong).is_err(), "{wrong}");
        }
    }
}
