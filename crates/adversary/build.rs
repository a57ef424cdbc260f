//! Puts every file of `scenarios/` into the binary: a list of names and texts for `library.rs`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let folder = root.join("scenarios");
    let mut paths = Vec::new();
    collect(&folder, &mut paths)?;
    paths.sort();
    let entries = paths.iter().map(|path| {
        let name = path.strip_prefix(&folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        format!("    ({name:?}, include_str!({path:?})),\n")
    });
    let list: String = entries.collect();
    fs::write(
        out.join("embedded.rs"),
        format!("/// The built-in files.\nconst EMBEDDED: &[(&str, &str)] = &[\n{list}];\n"),
    )
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            paths.push(path);
        }
    }
    Ok(())
}
