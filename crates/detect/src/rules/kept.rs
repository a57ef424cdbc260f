//! What lives as long as the process and is held only once: the facts of rules that are loaded again and again.

use crate::checks::Facts;
use crate::prelude::*;
use once_cell::race::OnceBox;

/// A value, and the one that was kept after it.
struct Kept<T> {
    value: T,
    next: OnceBox<Kept<T>>,
}

/// Facts that were kept before, or these.
pub(super) fn facts(facts: Facts) -> &'static Facts {
    static FIRST: OnceBox<Kept<Facts>> = OnceBox::new();
    keep(&FIRST, facts)
}

/// A text that was kept before, or this one.
pub(super) fn text(text: &str) -> &'static str {
    static FIRST: OnceBox<Kept<Box<str>>> = OnceBox::new();
    keep::<Box<str>>(&FIRST, text.into())
}

/// The value in the list, which is put at its end if it is new. Nothing is ever taken out: operators have few rules and
/// change them by hand.
fn keep<T: PartialEq>(first: &'static OnceBox<Kept<T>>, value: T) -> &'static T {
    let mut place = first;
    let mut new = Box::new(Kept { value, next: OnceBox::new() });
    loop {
        if let Some(kept) = place.get() {
            if kept.value == new.value {
                return &kept.value;
            }
            place = &kept.next;
        } else if let Err(refused) = place.set(new) {
            // Another thread was faster; what it kept may be the same.
            new = refused;
        } else {
            return place.get().map(|kept| &kept.value).expect("a place that was filled stays so");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_is_kept_once() {
        let (first, other) = (text("acme.internal_host"), text("acme.other_host"));
        assert_ne!(first, other);
        assert!(core::ptr::eq(first, text(&String::from("acme.internal_host"))));
        assert!(core::ptr::eq(other, text("acme.other_host")));
    }
}
