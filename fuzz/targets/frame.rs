//! Any bytes as a message: what is accepted is JSON without duplicate keys, and every place holds what it should.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_wire::{Field, Limits, Message, Reading, read};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 16, depth: 64 };
    let Ok(reading) = read(bytes.to_vec().into(), limits) else { return };
    let value: serde_json::Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        // Numbers beyond the range of a double are the only thing we read and others may not.
        Err(error) => return assert!(error.to_string().contains("number out of range"), "{error}"),
    };
    match reading {
        Reading::One(message) => check(&message, &value),
        Reading::Batch(messages) => {
            messages.iter().zip(value.as_array().unwrap()).for_each(|(message, value)| check(message, value))
        }
    }
});

fn check(message: &Message, value: &serde_json::Value) {
    assert_eq!(message.method(), value["method"].as_str().unwrap_or_default());
    for (field, expected) in [
        (Field::Id, &value["id"]),
        (Field::Params, &value["params"]),
        (Field::Name, &value["params"]["name"]),
        (Field::Arguments, &value["params"]["arguments"]),
        (Field::MetaProgressToken, &value["params"]["_meta"]["progressToken"]),
        (Field::ResultType, &value["result"]["resultType"]),
        (Field::ErrorCode, &value["error"]["code"]),
    ] {
        assert_eq!(message.value(field).unwrap_or_default(), *expected, "{field:?}");
    }
}
