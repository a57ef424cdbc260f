//! `demo` without what it needs; what it tells is played by `cargo xtask street`, where the hostile server is built.

use crate::world::{World, run};

#[test]
fn without_the_hostile_server_it_says_how_to_get_it() {
    let world = World::new("demo_missing");
    let outcome = run(&["demo", "--fast", "--adversary", &world.path("nowhere")]);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""));
    assert!(outcome.err.contains("cargo build --release -p portcullis-adversary"), "{}", outcome.err);
    assert!(outcome.err.contains("--adversary FILE"), "{}", outcome.err);
}
