//! Where in a definition a walk stands, and what role that gives to keys and strings.

/// Where in a definition the walk stands; decides the role of the strings it meets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The members of an `initialize` result, or the instructions string itself.
    Server,
    /// The members of the definition itself.
    Top,
    /// A JSON Schema.
    Schema { output: bool },
    /// The map from parameter names to schemas.
    Properties { output: bool },
    /// Enum, const, default, examples: any JSON, as data.
    Values { output: bool },
    /// The annotations.
    Annotations,
    /// A prompt's arguments: a list of objects with name and description.
    Arguments,
    /// Anything else.
    Other,
}

/// Which well-known key led to the value being read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    None,
    Name,
    Title,
    Description,
    Type,
    Uri,
    Header,
    ReadOnly,
    Destructive,
    Idempotent,
    OpenWorld,
}

/// The place and key of the member `key` of an object that stands at `place`, and whether the key itself
/// is text of the author rather than a word of the protocol.
pub(super) fn member(place: Place, key: &str) -> (Place, Key, bool) {
    match place {
        Place::Top | Place::Server => top_member(place, key),
        Place::Schema { output } => schema_member(output, key),
        Place::Properties { output } => (Place::Schema { output }, Key::None, true),
        Place::Values { output } => (Place::Values { output }, Key::None, true),
        Place::Annotations => match key {
            "title" => (Place::Annotations, Key::Title, false),
            "readOnlyHint" => (Place::Annotations, Key::ReadOnly, false),
            "destructiveHint" => (Place::Annotations, Key::Destructive, false),
            "idempotentHint" => (Place::Annotations, Key::Idempotent, false),
            "openWorldHint" => (Place::Annotations, Key::OpenWorld, false),
            _ => (Place::Other, Key::None, true),
        },
        Place::Arguments => match key {
            "name" => (Place::Arguments, Key::Name, false),
            "title" => (Place::Arguments, Key::Title, false),
            "description" => (Place::Arguments, Key::Description, false),
            "required" => (Place::Other, Key::None, false),
            _ => (Place::Other, Key::None, true),
        },
        Place::Other => (Place::Other, Key::None, !is_protocol_word(key)),
    }
}

fn top_member(place: Place, key: &str) -> (Place, Key, bool) {
    if place == Place::Server {
        return match key {
            "instructions" => (Place::Server, Key::None, false),
            _ => (Place::Other, Key::None, !is_protocol_word(key)),
        };
    }
    match key {
        "name" => (Place::Top, Key::Name, false),
        "title" => (Place::Top, Key::Title, false),
        "description" => (Place::Top, Key::Description, false),
        "uri" | "uriTemplate" => (Place::Top, Key::Uri, false),
        "inputSchema" | "input_schema" | "parameters" => (Place::Schema { output: false }, Key::None, false),
        "outputSchema" | "output_schema" => (Place::Schema { output: true }, Key::None, false),
        "annotations" => (Place::Annotations, Key::None, false),
        "arguments" => (Place::Arguments, Key::None, false),
        "icons" | "_meta" | "mimeType" | "size" | "execution" => (Place::Other, Key::None, false),
        _ => (Place::Other, Key::None, true),
    }
}

fn schema_member(output: bool, key: &str) -> (Place, Key, bool) {
    let schema = Place::Schema { output };
    match key {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            (Place::Properties { output }, Key::None, false)
        }
        "description" => (schema, Key::Description, false),
        "title" => (schema, Key::Title, false),
        "type" => (schema, Key::Type, false),
        "enum" | "const" | "default" | "examples" | "example" => (Place::Values { output }, Key::None, false),
        "x-mcp-header" => (schema, Key::Header, false),
        "items"
        | "additionalProperties"
        | "anyOf"
        | "oneOf"
        | "allOf"
        | "not"
        | "if"
        | "then"
        | "else"
        | "prefixItems"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties" => (schema, Key::None, false),
        "required" | "pattern" | "format" | "$ref" | "$schema" | "$id" | "$comment" | "minimum"
        | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "multipleOf"
        | "exclusiveMinimum" | "exclusiveMaximum" | "nullable" | "deprecated" | "readOnly" | "writeOnly"
        | "contentEncoding" | "contentMediaType" | "minProperties" | "maxProperties" => {
            (Place::Other, Key::None, false)
        }
        _ => (Place::Other, Key::None, true),
    }
}

pub(super) fn is_type_word(text: &str) -> bool {
    matches!(text, "string" | "number" | "integer" | "boolean" | "object" | "array" | "null")
}

fn is_protocol_word(key: &str) -> bool {
    matches!(
        key,
        "name"
            | "version"
            | "title"
            | "description"
            | "src"
            | "mimeType"
            | "sizes"
            | "url"
            | "uri"
            | "serverInfo"
            | "protocolVersion"
            | "capabilities"
            | "tools"
            | "prompts"
            | "resources"
            | "listChanged"
            | "logging"
            | "taskSupport"
            | "audience"
            | "priority"
    )
}
