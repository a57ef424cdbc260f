//! Every kind of change to a log is noticed, and the first record it touches is named.

use crate::world::{NOON, World, call, fill};
use std::fs;
use std::ops::Range;

/// A log of 50 records in one open segment, its bytes, and where each record stands.
fn stage() -> (World, Vec<u8>, Vec<Range<usize>>) {
    let world = World::new();
    {
        let log = world.log();
        (0..49).for_each(|number| assert!(call(&log, number, NOON) > 0));
    }
    let bytes = fs::read(&world.segments("log")[0]).unwrap();
    let mut places = Vec::new();
    let mut at = 64;
    while at < bytes.len() {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let length = 8 + number(at) + 32 + number(at + 4);
        places.push(at..at + length);
        at += length;
    }
    assert_eq!(places.len(), 50);
    (world, bytes, places)
}

#[test]
fn the_first_touched_record_is_named() {
    let (world, bytes, places) = stage();
    let path = world.segments("log")[0].clone();
    let check = |what: &str, changed: Vec<u8>, expected: u64| {
        fs::write(&path, changed).unwrap();
        assert_eq!(world.first_bad(), Some(expected), "{what}");
    };
    let place = |seq: u64| places[seq as usize - 1].clone();
    for seq in [1, 2, 25, 50] {
        for at in [0, 5, 9, 20, 60, 100, place(seq).len() - 1] {
            let mut flipped = bytes.clone();
            flipped[place(seq).start + at] ^= 4;
            check("flip", flipped, seq);
        }
        check("cut inside", bytes[..place(seq).start + 30].to_vec(), seq);
        check("cut before", bytes[..place(seq).start].to_vec(), seq);
        let mut dropped = bytes.clone();
        dropped.drain(place(seq));
        check("drop", dropped, seq);
        let mut inserted = bytes.clone();
        inserted.splice(place(seq).start..place(seq).start, bytes[place(7)].to_vec());
        check("insert", inserted, seq);
    }
    let swapped = [&bytes[..place(10).start], &bytes[place(11)], &bytes[place(10)], &bytes[place(11).end..]];
    check("swap", swapped.concat(), 10);
    let mut early = bytes.clone();
    early[20] ^= 1;
    check("preamble", early, 1);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(world.first_bad(), None);
}

#[test]
fn removing_a_body_needs_the_chains_word() {
    let (world, bytes, places) = stage();
    let place = places[9].clone();
    let body = u32::from_le_bytes(bytes[place.start + 4..place.start + 8].try_into().unwrap()) as usize;
    let mut changed = bytes.clone();
    changed.drain(place.end - body..place.end);
    changed[place.start + 4..place.start + 8].copy_from_slice(&[0; 4]);
    fs::write(&world.segments("log")[0], changed).unwrap();
    assert_eq!(world.first_bad(), Some(10));
}

#[test]
fn a_cut_tail_is_named_by_index_or_checkpoint_alone() {
    let (world, bytes, places) = stage();
    fs::write(&world.segments("log")[0], &bytes[..places[40].start]).unwrap();
    let checkpoints = world.root().join("checkpoints.jsonl");
    let kept = fs::read(&checkpoints).unwrap();
    fs::remove_file(&checkpoints).unwrap();
    assert_eq!(world.first_bad(), Some(41), "by the index");
    fs::write(&checkpoints, kept).unwrap();
    for file in world.files().iter().filter(|file| file.to_string_lossy().contains("index.sqlite")) {
        fs::remove_file(file).unwrap();
    }
    assert_eq!(world.first_bad(), Some(41), "by the checkpoint");
}

#[test]
fn a_forged_checkpoint_is_noticed() {
    let (world, ..) = stage();
    let path = world.root().join("checkpoints.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"hash\":\"", "\"hash\":\"0"), ("\"seq\":50", "\"seq\":49"), ("{", "[")] {
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        assert!(world.first_bad().is_some(), "{from}");
    }
}

#[test]
fn a_sealed_segment_may_not_change_by_one_bit() {
    let world = World::new();
    {
        fill(&world.log(), 1_500, NOON);
    }
    let path = world.segments("zst")[0].clone();
    let bytes = fs::read(&path).unwrap();
    for at in [0, 4, 5, 100, bytes.len() / 2, bytes.len() - 33, bytes.len() - 1] {
        for bit in [0, 7] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            fs::write(&path, changed).unwrap();
            assert!(world.first_bad().is_some_and(|seq| seq <= 1_100), "byte {at} bit {bit}");
        }
    }
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(world.first_bad().is_some());
}

#[test]
fn checkpoints_that_are_no_text_any_more_are_noticed() {
    let (world, ..) = stage();
    let path = world.root().join("checkpoints.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes[10] = 0xff;
    fs::write(&path, bytes).unwrap();
    assert_eq!(world.first_bad(), Some(50));
}
