//! The words by which a declared purpose is told, kept as plain tables.

/// Beginnings of words that declare business with secrets.
#[rustfmt::skip]
pub(super) const SECRET_SUBJECTS: [&str; 31] = [
    "ssh", "secret", "credential", "password", "passphrase", "vault", "key", "token", "authen", "authori", "oauth", "login",
    "sign", "encrypt", "decrypt", "certificate", "cookie", "wallet", "scan", "audit", "security",
    "leak", "redact", "detect", "env", "dotfile", "deploy", "connect", "session", "2fa", "otp",
];

/// Beginnings of words that declare business with files and machines.
#[rustfmt::skip]
pub(super) const FILE_SUBJECTS: [&str; 35] = [
    "file", "director", "folder", "path", "shell", "terminal", "command", "script", "exec", "backup",
    "sync", "git", "config", "docker", "kube", "server", "host", "disk", "dotfile", "download", "csv",
    "data ", "workload", "target", "read", "search", "grep", "upload", "repository", "repo ", "project",
    "workspace", "linux", "system", "log",
];

/// Beginnings of words that declare business with what was said.
#[rustfmt::skip]
pub(super) const CONVERSATION_SUBJECTS: [&str; 31] = [
    "conversation", "chat", "message", "memory", "remember", "recall", "summar", "prompt", "think",
    "reason", "agent", "assistant", "feedback", "session", "context", "history", "transcript", "dialog",
    "llm", "model", "ai ", "question", "ask", "knowledge", "note", "reply", "respon", "thread",
    "support", "bug", "report",
];

/// Verbs that change or send something.
#[rustfmt::skip]
pub(super) const OUTWARD_VERBS: [&str; 72] = [
    "ausfuehren", "ausführen", "ueberweisen", "überweisen", "bezahlen", "virement", "transferir",
    "send", "deliver", "reorder", "delete", "remove", "pay", "transfer", "create", "update", "write",
    "post", "publish", "wipe", "drop", "purge", "erase", "destroy", "cancel", "refund", "charge",
    "execute", "run", "deploy", "install", "uninstall", "insert", "upload", "submit", "book", "buy",
    "purchase", "order", "revoke", "grant", "disable", "terminate", "kill", "reset", "overwrite",
    "truncate", "unlock", "lock", "approve", "merge", "archive", "move", "rename", "edit", "modify",
    "forward", "reply", "enviar", "borrar", "eliminar", "pagar", "senden", "loeschen", "löschen",
    "envoyer", "supprimer", "payer", "excluir", "apagar", "отправить", "удалить",
];

/// Verbs nobody would call reading, or harmless.
#[rustfmt::skip]
pub(super) const PLAIN_VERBS: [&str; 39] = [
    "ausfuehren", "ausführen", "ueberweisen", "überweisen", "bezahlen", "virement", "transferir",
    "send", "delete", "pay", "transfer", "wipe", "drop", "purge", "erase", "destroy", "buy", "purchase",
    "refund", "charge", "publish", "truncate", "deliver", "order", "reorder", "unlock", "shred",
    "enviar", "borrar", "eliminar", "pagar", "senden", "löschen", "envoyer", "supprimer", "excluir",
    "apagar", "удалить", "отправить",
];

/// Verbs that destroy.
#[rustfmt::skip]
pub(super) const DESTROYING_VERBS: [&str; 24] = [
    "delete", "remove", "wipe", "drop", "purge", "erase", "destroy", "truncate", "terminate", "kill",
    "format", "shred", "overwrite", "uninstall", "revoke", "reset", "borrar", "eliminar", "löschen",
    "loeschen", "supprimer", "excluir", "apagar", "удалить",
];

/// Words of names that declare plain computation.
#[rustfmt::skip]
pub(super) const PLAIN: [&str; 89] = [
    "upper", "lower", "case", "numerals", "vowels",
    "add", "subtract", "multiply", "divide", "sum", "calculate", "calculator", "calc", "math",
    "average", "convert", "converter", "units", "format", "uppercase", "lowercase", "capitalize",
    "reverse", "count", "word", "words", "slugify", "random", "dice", "joke", "quote", "fact",
    "weather", "forecast", "temperature", "time", "date", "timezone", "greet", "greeting", "hello",
    "echo", "translate", "spell", "rhyme", "color", "palette", "emoji", "roll", "shuffle", "bmi", "tip",
    "percentage", "round", "trim", "hash", "uuid", "lorem", "haiku", "poem", "recipe", "horoscope",
    "trivia", "palindrome", "numerals", "roman", "countdown", "timer", "metronome", "synonyms",
    "rhymes", "spelling", "bmi", "mass", "feet", "metres", "meters", "miles", "celsius", "fahrenheit",
    "moon", "phase", "letter", "letters", "dim", "dims", "caption", "pretty", "tempo",
];

/// Parameters that take anything and say nothing.
#[rustfmt::skip]
pub(super) const SINKS: [&str; 44] = [
    "sidenote", "side_note", "sidenotes", "scratchpad", "scratch", "notes", "note", "extra", "extras",
    "metadata", "context", "ctx", "debug", "debug_info", "diagnostics", "telemetry", "trace", "payload",
    "blob", "misc", "memo", "remarks", "annotation", "annotations", "background", "user_context",
    "session_context", "conversation", "conversation_context", "chat_history", "history",
    "full_context", "environment", "env", "raw_context", "reasoning", "observations", "attachment_data",
    "internal", "hidden", "aux", "auxiliary", "additional_data", "extra_data",
];

/// Verbs that read.
#[rustfmt::skip]
pub(super) const READING_VERBS: [&str; 17] = [
    "get", "list", "search", "find", "read", "fetch", "show", "describe", "check", "query", "count",
    "view", "preview", "validate", "estimate", "explain", "dry",
];

/// Outward verbs that are nouns as well: `order_history` orders nothing.
#[rustfmt::skip]
pub(super) const NOUNS_TOO: [&str; 12] = [
    "order", "book", "post", "charge", "transfer", "refund", "update", "run", "reply", "lock", "purchase",
    "archive",
];

/// What is kept about such a thing.
#[rustfmt::skip]
pub(super) const RECORDS: [&str; 14] = [
    "history", "status", "state", "stats", "statistics", "summary", "details", "info", "list", "log", "logs",
    "report", "count", "schema",
];

/// Beginnings of words that say a thing can be brought back.
#[rustfmt::skip]
pub(super) const RECOVERABLE: [&str; 12] = [
    "trash", "recycle", "restor", "recover", "undo", "papierkorb", "papelera", "corbeille", "lixeira", "корзин",
    "回收站", "휴지통",
];
