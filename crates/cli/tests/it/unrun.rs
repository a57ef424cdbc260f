//! What is read of servers without running them: registry entries, bundles, source trees.

use crate::world::{World, run};

#[test]
fn a_registry_entry_says_nothing_of_tools() {
    let world = World::new("unrun_registry");
    let entry = r#"{"name":"io.example/a","description":"Adds.\u200b\u200c\u2060","version":"1.0.0","packages":[{"registryType":"npm","identifier":"a","version":"1.0.0"}]}"#;
    let file = world.file("server.json", entry);
    let outcome = run(&["scan", &file, "--format", "json", "--isolated"]);
    let report = outcome.json();
    assert_eq!(
        (outcome.code, &report["findings"][0]["kind"]),
        (1, &"instructions".into()),
        "its words are looked at"
    );
    assert!(
        report["never_scanned"][0]["reason"]
            .as_str()
            .is_some_and(|why| why.starts_with("a registry's entry"))
    );
    let file = world.file("list.json", format!("[{entry}]"));
    let report = run(&["scan", &file, "--format", "json", "--isolated"]).json();
    assert_eq!(report["findings"][0]["kind"], "tool", "a tool in a list cannot pass for an entry");
}

const JAVASCRIPT: &str = "server.registerTool('hide', {\n  description: 'Rolls\\u200b\\u200c\\u2060 dice',\n  inputSchema: {},\n}, run);\n";

/// A zip of these files, not packed.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let size = |length: usize| u32::try_from(length).expect("small").to_le_bytes();
    let short = |length: usize| u16::try_from(length).expect("short").to_le_bytes();
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        // Version, flags, method, time, date and checksum, which nobody here looks at.
        let fixed = [20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let long = size(content.len());
        let fields = [&fixed[..], &long, &long, &short(name.len()), &[0, 0]].concat();
        let start = size(bytes.len());
        bytes.extend([b"PK\x03\x04", &fields[..], name.as_bytes(), content.as_bytes()].concat());
        directory.extend([b"PK\x01\x02\x14\0", &fields[..], &[0; 10], &start, name.as_bytes()].concat());
    }
    let (count, start) = (short(files.len()), size(bytes.len()));
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &size(directory.len()), &start, &[0, 0]].concat();
    [bytes, directory, end].concat()
}

#[test]
fn a_bundle_is_read_with_its_source() {
    let world = World::new("unrun_bundle");
    let manifest = r#"{"manifest_version":"0.3","name":"dice","version":"1","server":{"type":"node"},"tools":[{"name":"roll","description":"Rolls."}]}"#;
    let files = [
        ("manifest.json", manifest),
        ("server/index.js", JAVASCRIPT),
        ("node_modules/x/index.js", JAVASCRIPT),
    ];
    let bundle = world.file("dice.mcpb", zip(&files));
    let outcome = run(&["scan", &bundle, "--format", "json", "--isolated"]);
    let report = outcome.json();
    assert_eq!(outcome.code, 1, "{report}");
    assert_eq!(report["servers"], serde_json::json!(["dice"]));
    assert_eq!(
        report["totals"]["definitions"], 3,
        "the manifest's words, its tool, and the tool in the source"
    );
    let location = &report["findings"][0]["location"];
    assert!(
        location["file"].as_str().is_some_and(|file| file.ends_with("dice.mcpb/server/index.js")),
        "{location}"
    );
    assert!(report["never_scanned"][0]["reason"].as_str().is_some_and(|why| why.contains("it was not run")));
    let other = world.file("other/dice.mcpb", zip(&files));
    let report = run(&["scan", &bundle, &other, "--format", "json", "--isolated"]).json();
    assert_eq!(
        report["servers"].as_array().map(Vec::len),
        Some(2),
        "one bundle does not join another: {report}"
    );
    let alone = run(&["scan", &bundle, "--no-registry", "--format", "json", "--isolated"]);
    assert_eq!((alone.code, &alone.json()["totals"]["definitions"]), (1, &3.into()), "{}", alone.out);
    let broken = world.file("broken.mcpb", "PK");
    let outcome = run(&["scan", &broken, "--isolated"]);
    assert!(outcome.code == 3 && outcome.out.contains("this is no zip file"), "{}", outcome.out);
}

#[test]
fn a_source_tree_is_read_without_running_it() {
    let world = World::new("unrun_tree");
    world.file("tree/package.json", r#"{"name":"@acme/dice","description":"A server."}"#);
    world.file("tree/src/index.ts", format!("// first\n{JAVASCRIPT}"));
    world.file("tree/dist/index.js", JAVASCRIPT);
    world.file("tree/node_modules/x/index.js", JAVASCRIPT.replace("hide", "other"));
    let outcome = run(&["scan", &world.path("tree"), "--format", "json", "--isolated"]);
    let report = outcome.json();
    assert_eq!(outcome.code, 1, "{report}");
    assert_eq!(report["servers"], serde_json::json!(["@acme/dice"]));
    assert_eq!(report["totals"]["definitions"], 1, "builds repeat sources");
    assert!(report["never_scanned"][0]["subject"] == "@acme/dice");
    world.file("python/pyproject.toml", "[project]\nname = \"dice-py\"\n");
    world.file("python/dice.py", "@mcp.tool()\ndef roll():\n  \"\"\"Rolls dice.\"\"\"\n");
    let report = run(&["scan", &world.path("python"), "--format", "json", "--isolated"]).json();
    assert_eq!(
        (&report["servers"], &report["totals"]["definitions"]),
        (&serde_json::json!(["dice-py"]), &1.into())
    );
}
