//! Which package a command line fetches and runs, and whether it is the same one tomorrow.

use portcullis_report::inventory::Package;

/// Programs that fetch a package and run it, the words that make them do so, and where the package comes from.
const RUNNERS: &[(&str, &[&str], &str)] = &[
    ("npx", &[], "npm"),
    ("bunx", &[], "npm"),
    ("npm", &["exec", "x"], "npm"),
    ("pnpm", &["dlx"], "npm"),
    ("yarn", &["dlx"], "npm"),
    ("bun", &["x"], "npm"),
    ("uvx", &[], "pypi"),
    ("uv", &["tool run"], "pypi"),
    ("pipx", &["run"], "pypi"),
    ("docker", &["run"], "oci"),
    ("podman", &["run"], "oci"),
];

/// Options of runners whose value is the next word, so that it is no package.
const VALUED: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "--mount",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "--entrypoint",
    "--platform",
    "--add-host",
    "-m",
    "--memory",
    "--cpus",
    "-l",
    "--label",
    "-h",
    "--hostname",
    "--pull",
    "--restart",
    "--gpus",
    "--device",
    "--tmpfs",
    "--ulimit",
    "--shm-size",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--dns",
    "--log-driver",
    "--python",
    "--with",
    "--index-url",
    "--extra-index-url",
    "--registry",
    "--directory",
    "-c",
    "--call",
];

/// Options whose value names the package, whatever program of it is run.
const PACKAGE: &[&str] = &["--from", "--package", "--spec"];

/// Shells and the options after which they interpret a text.
const SHELLS: &[(&str, &[&str])] = &[
    ("sh", &["-c", "-lc", "-ec"]),
    ("bash", &["-c", "-lc", "-ec"]),
    ("zsh", &["-c", "-lc"]),
    ("fish", &["-c"]),
    ("cmd", &["/c", "/C", "/k", "/K"]),
    ("powershell", &["-c", "-Command", "-command"]),
    ("pwsh", &["-c", "-Command", "-command"]),
];

/// The name of a program without its folder and the endings Windows has.
pub(super) fn program(command: &str) -> String {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let ending = [".exe", ".cmd", ".bat"].iter().find_map(|ending| name.strip_suffix(ending));
    ending.unwrap_or(&name).to_owned()
}

/// The command line a shell is asked to interpret, word by word, from the program on; `None` if no shell is.
pub(super) fn inside_shell(command: &str, arguments: &[String]) -> Option<Vec<String>> {
    let program = program(command);
    let (_, options) = SHELLS.iter().find(|(shell, _)| *shell == program)?;
    let place = arguments.iter().position(|argument| options.contains(&argument.as_str()))?;
    let words =
        arguments.get(place + 1..).unwrap_or_default().iter().flat_map(|text| text.split_whitespace());
    // Variables may be set before the program is named.
    let is_before = |word: &&str| word.contains('=') || matches!(*word, "exec" | "env");
    Some(words.skip_while(is_before).map(str::to_owned).collect())
}

/// The package a command line fetches; `None` if it fetches none.
pub(crate) fn package(command: &str, arguments: &[String]) -> Option<Package> {
    if let Some(inner) = inside_shell(command, arguments) {
        let (command, arguments) = inner.split_first()?;
        return package(command, arguments);
    }
    let program = program(command);
    let (_, words, registry) = RUNNERS.iter().find(|(runner, ..)| *runner == program)?;
    let rest = match words {
        [] => arguments,
        _ => words.iter().find_map(|words| after(arguments, words))?,
    };
    let spec = specified(rest, registry)?;
    if spec.starts_with(['.', '/', '~']) || spec.contains(":\\") {
        return None;
    }
    Some(read(spec, registry))
}

/// What follows these words, which must come first but for options.
fn after<'a>(arguments: &'a [String], words: &str) -> Option<&'a [String]> {
    let mut rest = arguments;
    for word in words.split(' ') {
        let place = rest.iter().position(|argument| !argument.starts_with('-'))?;
        if rest.get(place)? != word {
            return None;
        }
        rest = rest.get(place + 1..)?;
    }
    Some(rest)
}

/// The word that says which package.
fn specified<'a>(arguments: &'a [String], registry: &str) -> Option<&'a str> {
    // For npm `-p` names the package; for the others it is a port or an interpreter.
    let names_package = |option: &str| PACKAGE.contains(&option) || (registry == "npm" && option == "-p");
    let mut words = arguments.iter().map(String::as_str);
    let mut first = None;
    while let Some(word) = words.next() {
        if let Some((_, value)) = word.split_once('=').filter(|(option, _)| names_package(option)) {
            return Some(value);
        }
        if names_package(word) {
            return words.next();
        }
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            first = Some(word);
            break;
        }
    }
    first
}

fn read(spec: &str, registry: &'static str) -> Package {
    let registry = if spec.contains("://") || spec.starts_with("github:") { "git" } else { registry };
    let (name, version) = match registry {
        "oci" => image(spec),
        "git" => repository(spec),
        "pypi" => spec.split_once("==").or_else(|| spec.split_once('@')).map_or((spec, None), some),
        _ => {
            // A scope begins with the sign that a version follows.
            let place =
                spec.char_indices().skip(1).find(|(_, character)| *character == '@').map(|(place, _)| place);
            place
                .and_then(|place| spec.split_at_checked(place))
                .map_or((spec, None), |(name, rest)| (name, rest.strip_prefix('@')))
        }
    };
    let pin = match version {
        None => "none",
        Some("latest" | "next" | "*" | "") => "latest",
        // The tag of an image can be moved by its owner; a digest cannot.
        Some(version) if registry == "oci" && !version.starts_with("sha256:") => "tag",
        Some(version) if registry == "oci" || is_exact(version, registry) => "exact",
        Some(_) => "none",
    };
    Package { registry, name: name.to_owned(), version: version.map(str::to_owned), pin }
}

fn some<'a>((name, version): (&'a str, &'a str)) -> (&'a str, Option<&'a str>) {
    (name, Some(version))
}

/// An image and its tag or digest; a colon before the last slash belongs to a port.
fn image(spec: &str) -> (&str, Option<&str>) {
    if let Some((name, digest)) = spec.split_once('@') {
        return (name, Some(digest));
    }
    match spec.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (spec, None),
    }
}

/// A repository and its tag, branch or commit; a sign before the last slash belongs to who signs in there.
fn repository(spec: &str) -> (&str, Option<&str>) {
    let last = spec.rfind('/').unwrap_or(0);
    let place = spec
        .char_indices()
        .skip_while(|(place, _)| *place < last)
        .find(|(_, sign)| matches!(sign, '@' | '#'));
    place
        .and_then(|(place, _)| spec.split_at_checked(place))
        .map_or((spec, None), |(name, rest)| (name, rest.get(1..)))
}

/// Whether a version can only ever mean one thing. To npm `1.2` is a range, to Python it is a version; whatever names
/// something in a repository can be moved, but for a commit.
fn is_exact(version: &str, registry: &str) -> bool {
    let is_commit = version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let least = match registry {
        "git" => return is_commit,
        "pypi" => 1,
        _ => 3,
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_commit || (numbers.split('.').count() >= least && numbers.split('.').all(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(&str, &str, Option<&str>, &str)>) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (command, arguments) = words.split_first().expect("a command");
        let found = package(command, arguments);
        let found =
            found.as_ref().map(|one| (one.registry, one.name.as_str(), one.version.as_deref(), one.pin));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn packages_are_recognised_with_their_pins() {
        check("npx -y @scope/server@1.2.3 /home", Some(("npm", "@scope/server", Some("1.2.3"), "exact")));
        check("npx -y @scope/server", Some(("npm", "@scope/server", None, "none")));
        check("npx.cmd server@latest", Some(("npm", "server", Some("latest"), "latest")));
        check("npx -p server@^1.2.0 run", Some(("npm", "server", Some("^1.2.0"), "none")));
        check("/usr/bin/pnpm dlx server@2.0.0-rc.1", Some(("npm", "server", Some("2.0.0-rc.1"), "exact")));
        check(
            "uvx --python 3.12 mcp-server-git==0.6.2",
            Some(("pypi", "mcp-server-git", Some("0.6.2"), "exact")),
        );
        check("uvx --from tools==1.0 run", Some(("pypi", "tools", Some("1.0"), "exact")));
        check("uvx tools==1.*", Some(("pypi", "tools", Some("1.*"), "none")));
        check(
            "uvx --from git+https://a.example/b@1.0 b",
            Some(("git", "git+https://a.example/b", Some("1.0"), "none")),
        );
        check("npx github:a/b", Some(("git", "github:a/b", None, "none")));
        let commit = "0123456789abcdef0123456789abcdef01234567";
        check(
            &format!("npx git+ssh://git@a.example/b#{commit}"),
            Some(("git", "git+ssh://git@a.example/b", Some(commit), "exact")),
        );
        check("uv tool run a@latest", Some(("pypi", "a", Some("latest"), "latest")));
        check(
            "docker run -i --rm -e KEY=v r.example:5000/a/b",
            Some(("oci", "r.example:5000/a/b", None, "none")),
        );
        check("docker run -i ghcr.io/a/b:1.2", Some(("oci", "ghcr.io/a/b", Some("1.2"), "tag")));
        check("docker run --cap-drop ALL a", Some(("oci", "a", None, "none")));
        check("podman run a:1.2.3", Some(("oci", "a", Some("1.2.3"), "tag")));
        check("podman run a@sha256:00", Some(("oci", "a", Some("sha256:00"), "exact")));
        check("cmd /c npx -y server", Some(("npm", "server", None, "none")));
        check("sh -c A=b exec npx -y server", Some(("npm", "server", None, "none")));
    }

    #[test]
    fn what_is_already_here_is_no_package() {
        check("node server.js", None);
        check("npx ./server", None);
        check("uv run server.py", None);
        check("docker ps", None);
        check("npx", None);
    }
}
