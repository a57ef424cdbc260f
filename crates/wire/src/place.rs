//! Places in a message: which members are noted, and where they are.

/// What a message may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one message; more than 4 GB cannot be asked for.
    pub bytes: u32,
    /// Levels of nesting.
    pub depth: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 64 << 20, depth: 64 }
    }
}

/// A place in a message. An absent member has the empty place at 0, where no value can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    /// From the byte at `start` to the one before `end`.
    pub fn new(start: usize, end: usize) -> Span {
        // INVARIANT: no message is larger than `Limits::bytes`, which is a u32.
        Span { start: start as u32, end: end as u32 }
    }

    /// The empty place before the byte at `at`: what is spliced there is inserted.
    pub(crate) fn before(at: usize) -> Span {
        Span::new(at, at)
    }

    /// Whether the member is there.
    pub fn is_there(self) -> bool {
        self.end > 0
    }

    /// The bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Makes the members whose places are noted: where they are, their key, their name here.
macro_rules! fields {
    ($($role:ident $key:literal $name:ident,)*) => {
        /// A member whose place is noted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Field { $(#[doc = concat!("`", $key, "`.")] $name,)* }

        /// How many there are.
        pub(crate) const FIELDS: usize = [$(Field::$name,)*].len();

        pub(crate) fn field(role: Role, key: &[u8]) -> Option<Field> {
            $(if role == Role::$role && key == $key.as_bytes() { return Some(Field::$name); })*
            None
        }

        /// Readers that ignore case would take such a key for the real one, we would not: nobody may send it.
        pub(crate) fn is_look_alike(role: Role, key: &[u8]) -> bool {
            $((role == Role::$role && key.eq_ignore_ascii_case($key.as_bytes())) ||)* false
        }
    };
}

/// Which object is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Top,
    Params,
    ParamsMeta,
    Result,
    ResultMeta,
    ResultTask,
    RelatedTask,
    Error,
    Other,
}

fields! {
    Top "jsonrpc" Jsonrpc,
    Top "id" Id,
    Top "method" Method,
    Top "params" Params,
    Top "result" Result,
    Top "error" Error,
    Params "name" Name,
    Params "arguments" Arguments,
    Params "uri" Uri,
    Params "taskId" TaskId,
    Params "task" Task,
    Params "_meta" Meta,
    Params "progressToken" ProgressToken,
    Params "requestId" RequestId,
    Params "requestState" RequestState,
    Params "inputResponses" InputResponses,
    Params "notifications" Notifications,
    Params "protocolVersion" ProtocolVersion,
    Params "capabilities" Capabilities,
    Params "clientInfo" ClientInfo,
    Params "cursor" Cursor,
    Params "ref" Reference,
    Params "level" Level,
    ParamsMeta "progressToken" MetaProgressToken,
    ParamsMeta "io.modelcontextprotocol/protocolVersion" MetaVersion,
    ParamsMeta "io.modelcontextprotocol/clientInfo" MetaClientInfo,
    ParamsMeta "io.modelcontextprotocol/clientCapabilities" MetaClientCapabilities,
    ParamsMeta "io.modelcontextprotocol/logLevel" MetaLogLevel,
    ParamsMeta "io.modelcontextprotocol/subscriptionId" MetaSubscriptionId,
    ParamsMeta "portcullis/intent" MetaIntent,
    ParamsMeta "io.modelcontextprotocol/related-task" MetaRelatedTask,
    Result "resultType" ResultType,
    Result "cacheScope" CacheScope,
    Result "ttlMs" Ttl,
    Result "_meta" ResultMeta,
    Result "protocolVersion" ResultVersion,
    Result "isError" IsError,
    Result "taskId" ResultTaskId,
    Result "task" ResultTask,
    ResultTask "taskId" ResultTaskOwnId,
    RelatedTask "taskId" RelatedTaskId,
    ResultMeta "io.modelcontextprotocol/subscriptionId" ResultSubscriptionId,
    ResultMeta "io.modelcontextprotocol/related-task" ResultRelatedTask,
    Error "code" ErrorCode,
}

/// Where the noted members are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places([Span; FIELDS]);

impl Default for Places {
    fn default() -> Self {
        Places([Span::default(); FIELDS])
    }
}

impl Places {
    pub(crate) fn get(&self, field: Field) -> Span {
        self.0.get(field as usize).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: Field, span: Span) {
        if let Some(place) = self.0.get_mut(field as usize) {
            *place = span;
        }
    }
}
