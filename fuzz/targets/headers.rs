//! Any name and header value: what we send agrees with the body, and what agrees says the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_wire::headers::{check, decode, encode, required};
use portcullis_wire::{Limits, Message};

fuzz_target!(|input: (&str, &str)| {
    let (name, said) = input;
    let text =
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}})
            .to_string();
    let message = Message::one(text.into(), Limits::default()).expect("it is a message");
    let mut headers: http::HeaderMap = required(&message, &[]).into_iter().collect();
    assert_eq!(check(&headers, &message, &[]), Ok(()), "what we send does not agree");
    assert_eq!(
        encode(name).and_then(|value| Some(decode(value.to_str().ok()?)?.into_owned())).as_deref(),
        Some(name)
    );
    if let Ok(value) = http::HeaderValue::from_str(said) {
        headers.insert("mcp-name", value);
        let agrees = check(&headers, &message, &[]).is_ok();
        assert_eq!(
            agrees,
            decode(said.trim_matches([' ', '\t'])).as_deref() == Some(name) && said.is_ascii()
        );
    }
});
