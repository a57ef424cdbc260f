//! What is read of servers without running them: registry entries, bundles, source trees.

use std::process::Command;

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

#[test]
fn a_bundle_is_read_with_its_source() {
    let world = World::new("unrun_bundle");
    let (bundle, source) = (world.path("dice.mcpb"), world.file("index.js", JAVASCRIPT));
    let manifest = world.file("manifest.json", r#"{"manifest_version":"0.3","name":"dice","version":"1","server":{"type":"node"},"tools":[{"name":"roll","description":"Rolls."}]}"#);
    let pack = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\nz.write(sys.argv[2], 'manifest.json')\nz.write(sys.argv[3], 'server/index.js')\nz.write(sys.argv[3], 'node_modules/x/index.js')\nz.close()";
    let packed = Command::new("python3").args(["-c", pack, &bundle, &manifest, &source]).status();
    assert!(packed.is_ok_and(|status| status.success()));
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
}
