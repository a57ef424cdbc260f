//! Commands no honest definition hides: downloads into a shell, reverse shells, wiped disks, planted keys.

use crate::prelude::*;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use once_cell::race::OnceBox;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// One row: a pattern and what it is called.
struct Row {
    name: &'static str,
    /// One of these must occur for the pattern to be tried; empty: an address with a port is looked for.
    marks: &'static [&'static str],
    pattern: &'static str,
}

const ROWS: [Row; 31] = [
    Row {
        name: "download into a shell",
        marks: &["curl", "wget", "fetch", "lwp-download"],
        pattern: r"(curl|wget|fetch|lwp-download)\b[^\n|;&]{0,300}[|]\s*(sudo\s+)?(env\s+)?[/a-z]*\b(ba|z|da|k|c|tc|fi)?sh\b",
    },
    Row {
        name: "download into an interpreter",
        marks: &["curl", "wget", "fetch"],
        pattern: r"(curl|wget|fetch)\b[^\n|;&]{0,300}[|]\s*(sudo\s+)?[/a-z]*(python[0-9.]*|perl|ruby|node|php)\b",
    },
    Row {
        name: "shell on a download",
        marks: &["curl", "wget"],
        pattern: r"\b(ba|z|da)?sh\s+(-c\s+)?[<\x22'(]{1,3}\s*[$(`]{0,2}\s*(curl|wget)\b",
    },
    Row {
        name: "command substitution of a download",
        marks: &["curl", "wget"],
        pattern: r"[$]\(\s*(curl|wget)\b|`\s*(curl|wget)\b",
    },
    Row {
        name: "download to a file",
        marks: &["curl", "wget"],
        pattern: r"\b(curl|wget)\s+(-[a-z-]+\s+)*[^\s]*https?://[^\s]+",
    },
    Row {
        name: "upload of data",
        marks: &["curl"],
        pattern: r"\bcurl\b[^\n]{0,300}(--data|--data-binary|--data-raw|--upload-file|\s-d\s|\s-t\s|\s-f\s|--form)",
    },
    Row {
        name: "reverse shell over /dev/tcp",
        marks: &["/dev/tcp", "/dev/udp"],
        pattern: r"/dev/(tcp|udp)/",
    },
    Row {
        name: "netcat shell",
        marks: &["nc", "netcat"],
        pattern: r"\b(nc|ncat|netcat|nc\.traditional|nc\.openbsd)\b[^\n]{0,80}(\s-[a-z]*[ec][a-z]*\s|\b(ba|z|da)?sh\b|\s\d{1,3}(\.\d{1,3}){3}\s+\d{2,5})",
    },
    Row {
        name: "named pipe shell",
        marks: &["mkfifo"],
        pattern: r"\bmkfifo\b[^\n]{0,160}\b(nc|sh|bash|openssl|telnet)\b",
    },
    Row { name: "socat shell", marks: &["socat"], pattern: r"\bsocat\b[^\n]{0,160}(exec|system|tcp|pty)" },
    Row { name: "interactive bash redirect", marks: &["sh "], pattern: r"\b(ba|z|da)?sh\s+-i\b" },
    Row {
        name: "openssl or telnet shell",
        marks: &["openssl", "telnet"],
        pattern: r"\b(openssl\s+s_client|telnet)\b[^\n]{0,160}[|]",
    },
    Row {
        name: "python one-liner",
        marks: &["python", "import"],
        pattern: r"\bpython[0-9.]*\s+-c\b|\bimport\s+(os|socket|subprocess|pty)\b[^\n]{0,200}(system|connect|popen|spawn|call|check_output|run)\s*\(",
    },
    Row {
        name: "interpreter one-liner",
        marks: &["perl", "ruby", "php", "node", "lua", "awk", "deno", "bun"],
        pattern: r"\b(perl|ruby|php|node|lua|awk|deno|bun)\s+(-[er]|--eval|-mio|-rsocket)",
    },
    Row {
        name: "php, ruby or perl socket",
        marks: &["fsockopen", "tcpsocket", "io::socket", "use socket"],
        pattern: r"fsockopen\s*\(|tcpsocket\.(new|open)|io::socket::inet|use\s+socket\s*;",
    },
    Row {
        name: "node child process",
        marks: &["require(", "execsync"],
        pattern: r"require\(\s*['\x22](child_process|net)['\x22]\s*\)|\bexecsync\s*\(",
    },
    Row {
        name: "recursive delete",
        marks: &["rm ", "rmtree", "-delete"],
        pattern: r"\brm\s+(-[a-z]*\s+)*-?[a-z]*[rf][a-z]*\s+[-~/$.*a-z]|\bshutil\.rmtree\b|\bfind\s+/[^\n]{0,60}-delete\b",
    },
    Row {
        name: "disk wipe",
        marks: &["dd if", "mkfs", "shred", "/dev/sd", ":()"],
        pattern: r"\bdd\s+if=/dev/(zero|u?random)|\bmkfs(\.[a-z0-9]+)?\s|\bshred\s+-|>\s*/dev/sd[a-z]|:\(\)\s*\{\s*:\|:",
    },
    Row {
        name: "permission change",
        marks: &["chmod", "chown"],
        pattern: r"\bchmod\s+(-[a-z]+\s+)*(\+[rwxst]+|[ugoa]*[+=][rwxst]+|[0-7]{3,4})\s|\bchown\s+(-[a-z]+\s+)*(root|0)\b",
    },
    Row {
        name: "powershell",
        marks: &["powershell", "iex", "invoke-", "new-object", "certutil", "bitsadmin"],
        pattern: r"\bpowershell(\.exe)?\b[^\n]{0,200}(-e(nc|ncodedcommand|c)?\b|-nop|-w(indowstyle)?\s+hidden|-c(ommand)?\b|iex|invoke|downloadstring)|\biex\s*\(|invoke-(expression|webrequest|restmethod)\b|new-object\s+(system\.)?net\.|\bcertutil\b[^\n]{0,80}-urlcache|\bbitsadmin\b",
    },
    Row {
        name: "windows execution",
        marks: &["mshta", "regsvr32", "rundll32", "wscript", "cscript", "cmd"],
        pattern: r"\b(mshta|regsvr32|rundll32|wscript|cscript)(\.exe)?\s+[^\s]|\bcmd(\.exe)?\s+/c\b",
    },
    Row {
        name: "scheduled persistence",
        marks: &["cron", "schtasks", "systemctl", "launchctl", "@reboot", "*/"],
        pattern: r"\bcrontab\b|/etc/cron|\bschtasks\b|\bsystemctl\s+enable\b|\blaunchctl\b|@reboot\b|\*/\d+\s\*\s\*\s\*\s\*",
    },
    Row { name: "planted key", marks: &["authorized_keys"], pattern: r"authorized_keys" },
    Row {
        name: "decoded and run",
        marks: &["base64", "xxd", "b64decode", "atob", "eval", "exec"],
        pattern: r"base64\s+(-d|--decode|-D)\b|\bxxd\s+-r\b|b64decode\s*\(|\batob\s*\(|\beval\s*[\(\x22$`]|\bexec\s*\(",
    },
    Row {
        name: "system call",
        marks: &["os.system", "os.popen", "subprocess", "getruntime", "shell_exec", "passthru", "popen"],
        pattern: r"\b(os\.system|os\.popen|subprocess\.(run|call|popen|check_output|check_call)|runtime\.getruntime|shell_exec|passthru|popen)\s*\(",
    },
    Row {
        name: "credential file",
        marks: &[
            "/etc/passwd",
            "/etc/shadow",
            ".ssh",
            "id_rsa",
            "id_ed25519",
            ".aws",
            ".env",
            ".netrc",
            ".kube",
            ".npmrc",
            ".pgpass",
            ".git-credentials",
            ".bash_history",
            "credentials",
        ],
        pattern: r"\b(cat|type|less|head|tail|cp|scp|tar|zip|rsync|more|strings|grep|curl|nc)\b[^\n]{0,80}(/etc/(passwd|shadow)|\.ssh|id_rsa|id_ed25519|\.aws|\.env\b|\.netrc|\.kube|\.npmrc|\.pgpass|\.git-credentials|\.bash_history|credentials)",
    },
    Row {
        name: "environment dump",
        marks: &["printenv", "env", "set", "process.env"],
        pattern: r"\b(printenv|env|set)\b\s*[|>]|process\.env\b[^\n]{0,80}(fetch|post|http)",
    },
    Row {
        name: "copy to a remote host",
        marks: &["scp", "rsync", "ftp", "rclone"],
        pattern: r"\b(scp|rsync|sftp|ftp|tftp|rclone)\b[^\n]{0,160}[@:][^\s]",
    },
    Row { name: "address and port", marks: &[], pattern: r"\b(\d{1,3}\.){3}\d{1,3}:\d{2,5}\b" },
    Row {
        name: "firewall or history tampering",
        marks: &["iptables", "history", "histfile", "setenforce", "ufw"],
        pattern: r"\biptables\s+-[a-z]|\bhistory\s+-c\b|\bunset\s+histfile\b|\bsetenforce\s+0\b|\bufw\s+disable\b",
    },
    Row {
        name: "package install from an address",
        marks: &["npm", "pip", "gem", "cargo", "go "],
        pattern: r"\b(npm|pip3?|gem|cargo|go)\s+(install|i|get)\b[^\n]{0,60}(https?://|git\+)",
    },
];

struct Compiled {
    marks: AhoCorasick,
    /// For each mark, its row.
    owner: Vec<usize>,
    rows: Vec<(&'static str, Regex)>,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceBox<Compiled> = OnceBox::new();
    COMPILED.get_or_init(|| {
        // One pattern per automaton: a set of all of them collapses on real hits.
        let build = |row: &Row| {
            let syntax = syntax::Config::new().case_insensitive(true).unicode(false).utf8(false);
            let regex = Regex::builder()
                .syntax(syntax)
                .build(row.pattern)
                .expect("the shell rows are valid patterns");
            (row.name, regex)
        };
        let mut marks: Vec<&str> = Vec::new();
        let mut owner = Vec::new();
        for (index, row) in ROWS.iter().enumerate() {
            marks.extend(row.marks.iter().copied());
            owner.extend(row.marks.iter().map(|_| index));
        }
        let marks = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            // The quickest kind, and built only where something was decoded.
            .kind(Some(AhoCorasickKind::DFA))
            .build(marks);
        let marks = marks.expect("the marks make a small automaton");
        Box::new(Compiled { marks, owner, rows: ROWS.iter().map(build).collect() })
    })
}

/// The first command in `text`, by the order of the rows: what it is called and its bytes.
pub(crate) fn find(text: &str) -> Option<(&'static str, usize, usize)> {
    search(text, |_| true)
}

/// Whether text as it stands (not decoded) holds a command that downloads and runs, wipes, or opens a shell.
pub(crate) fn is_command(text: &str) -> bool {
    search(text, |name| PLAIN.contains(&name)).is_some()
}

/// Rows that say enough in text that nobody hid.
const PLAIN: [&str; 9] = [
    "download into a shell",
    "download into an interpreter",
    "shell on a download",
    "command substitution of a download",
    "reverse shell over /dev/tcp",
    "netcat shell",
    "recursive delete",
    "permission change",
    "upload of data",
];

/// Tries the rows whose marks occur, and that are wanted, in order.
fn search(text: &str, wanted: fn(&'static str) -> bool) -> Option<(&'static str, usize, usize)> {
    let compiled = compiled();
    let mut is_marked = [false; ROWS.len()];
    for mark in compiled.marks.find_overlapping_iter(text) {
        let row = compiled.owner.get(mark.pattern().as_usize()).and_then(|row| is_marked.get_mut(*row));
        if let Some(row) = row {
            *row = true;
        }
    }
    let has_port = text.contains(':') && text.bytes().any(|byte| byte.is_ascii_digit());
    compiled.rows.iter().zip(&ROWS).zip(is_marked).find_map(|(((name, regex), row), is_marked)| {
        let may_match = is_marked || row.marks.is_empty() && has_port;
        let found = (may_match && wanted(name)).then(|| regex.find(text.as_bytes())).flatten()?;
        Some((*name, found.start(), found.end()))
    })
}
