//! What arrives is what was sent, bit for bit, in both directions.

use super::client::{MODERN, Session, send};
use super::recorder::Recorder;
use super::world::{World, process, remote};

/// Messages tried in each direction.
const MESSAGES: u64 = 1000;

/// Texts of JSON that readers and writers like to change.
const ODD: [&str; 16] = [
    "1.50",
    "-0",
    "1E400",
    "12345678901234567890123456789",
    "0.1e-7",
    "1e+2",
    "\"\\u00e9\\/\\ud83d\\ude00\"",
    "\"\u{e9}\u{1f600}\"",
    "\"\\u0000\\b\\f\"",
    "\"\"",
    "null",
    "true",
    "{}",
    "[]",
    "[ 1 ,\t2 ]",
    "9007199254740993",
];

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn value(&mut self, depth: u64) -> String {
        match self.roll(if depth == 0 { 4 } else { 6 }) {
            4 => self.object(depth - 1, &[]),
            5 => {
                let items: Vec<String> = (0..self.roll(4)).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", items.join(self.blank()))
            }
            _ => ODD[self.roll(ODD.len() as u64) as usize].to_owned(),
        }
    }

    /// An object with these members among others nobody knows, in any order.
    fn object(&mut self, depth: u64, known: &[String]) -> String {
        let mut members = known.to_vec();
        for number in 0..self.roll(4) {
            let key = ["x-vendor", "z", "\\u0061b", "\u{e9}"][self.roll(4) as usize];
            let member =
                format!("\"{key}{number}\"{}:{}", [" ", "", "\t"][self.roll(3) as usize], self.value(depth));
            members.insert(self.roll(members.len() as u64 + 1) as usize, member);
        }
        format!("{{{}}}", members.join(self.blank()))
    }

    fn blank(&mut self) -> &'static str {
        [",", ", ", " ,", ",\t "][self.roll(4) as usize]
    }
}

fn request(dice: &mut Dice, number: u64, meta: &str) -> String {
    let arguments = dice.object(3, &[]);
    let more = dice.object(2, &[]);
    let meta = if meta.is_empty() { more } else { format!("{{{meta},\"more\":{more}}}") };
    let params = dice.object(
        2,
        &["\"name\":\"echo\"".into(), format!("\"arguments\":{arguments}"), format!("\"_meta\":{meta}")],
    );
    dice.object(
        2,
        &[
            "\"jsonrpc\":\"2.0\"".into(),
            format!("\"id\":{number}"),
            "\"method\":\"tools/call\"".into(),
            format!("\"params\":{params}"),
        ],
    )
}

fn response(dice: &mut Dice, number: u64) -> String {
    let result = dice.object(4, &["\"content\":[]".into()]);
    dice.object(
        2,
        &["\"jsonrpc\":\"2.0\"".into(), format!("\"id\":{number}"), format!("\"result\":{result}")],
    )
}

/// The message of an answer, however it travelled.
fn carried(body: &[u8]) -> &[u8] {
    match body.strip_prefix(b"event: message\ndata: ") {
        Some(rest) => rest.strip_suffix(b"\n\n").unwrap(),
        None => body,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_over_http_change_nothing() {
    let recorder = Recorder::start().await;
    let world = World::new(vec![remote("r", &recorder.url)]).await;
    let session = Session::open(world.address, "/mcp/r").await;
    let mut dice = Dice(42);
    for number in 0..MESSAGES {
        let (sent, answered) = (request(&mut dice, number, ""), response(&mut dice, number));
        if number % 3 == 0 {
            recorder.answer(format!("data: {answered}\n\n"), "text/event-stream");
        } else {
            recorder.answer(answered.clone(), "application/json");
        }
        let answer = session.post(sent.clone()).await;
        assert_eq!(recorder.last(), sent, "on the way out");
        assert_eq!(carried(&answer.body), answered.as_bytes(), "on the way back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_stand_alone_change_nothing() {
    let recorder = Recorder::start().await;
    let world = World::new(vec![remote("r", &recorder.url)]).await;
    let meta = format!(
        r#""io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientCapabilities":{{}}"#
    );
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "echo")];
    let mut dice = Dice(7);
    for number in 0..MESSAGES {
        let (sent, answered) = (request(&mut dice, number, &meta), response(&mut dice, number));
        recorder.answer(answered.clone(), "application/json");
        let answer = send(world.address, "POST", "/mcp/r", &headers, sent.clone()).await;
        assert_eq!(recorder.last(), sent, "on the way out");
        assert_eq!(answer.body, answered, "on the way back");
    }
}

/// Over a shared process the id is another on the way; the fixture sends the whole request back as text.
#[tokio::test(flavor = "multi_thread")]
async fn a_shared_process_sees_everything_but_the_id() {
    let world = World::new(vec![process("p", "legacy")]).await;
    let session = Session::open(world.address, "/mcp/p").await;
    let mut dice = Dice(1);
    for number in 100_000..100_000 + MESSAGES {
        let sent = request(&mut dice, number, "").replace("\"echo\"", "\"echo_message\"");
        let answer = session.post(sent.clone()).await.json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(answer["id"], number);
        let (before, after) = sent.split_once(&format!("\"id\":{number}")).unwrap();
        let inner = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let inner = inner.unwrap_or_else(|| panic!("{sent}\narrived as\n{text}"));
        assert!(inner.strip_prefix("\"id\":").unwrap().bytes().all(|byte| byte.is_ascii_digit()), "{inner}");
    }
}
