//! The dashboard over a hundred thousand tools and a million records: how long until a page's first byte.

use crate::Figures;
use crate::client::{Client, parts};
use crate::crowd::{Crowd, TOOLS, name};
use crate::gate::{PATIENCE, ROUNDS, listed, median, ms};
use crate::subject::{Gateway, Tools, settles};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Records that are written before anything is measured.
const RECORDS: u32 = 1_000_000;
/// What a page may take, in milliseconds.
const BAR: f64 = 50.0;

pub(crate) async fn run(tools: &Tools, servers: u32, figures: &mut Figures) -> Result<()> {
    crate::subject::open_files();
    let crowd = Crowd::start(servers).await?;
    let config = json!({ "mcpServers": crowd.configured(),
        "security": { "tool_quarantine": { "auto_quarantine_new_tools": false, "recheck_s": 86_400 } } });
    let all = servers * TOOLS;
    let is_whole = async |url: &str| listed(url).await.is_ok_and(|(count, _)| count == all);
    let first = Gateway::start(tools, config)?;
    ensure!(settles(PATIENCE, async || is_whole(&first.url).await).await, "not all tools are exposed");
    first.end();
    let mut fill = Command::new(tools.portcullis.with_file_name("store"));
    fill.args(["fill", &RECORDS.to_string()]).arg(tools.folder.join("data"));
    ensure!(fill.stdout(Stdio::null()).status()?.success(), "the records could not be written");
    let gateway = Gateway::restart(tools)?;
    ensure!(
        settles(PATIENCE, async || is_whole(&gateway.url).await).await,
        "not all tools are exposed again"
    );
    let mut browser = Browser::sign_in(tools, &gateway).await?;
    let (server, half) = (name(crowd.len() / 2), RECORDS / 2);
    let page = format!("/servers/{server}");
    let tool = browser.linked(&page, &format!("{page}/tools/")).await?;
    let session = browser.linked("/sessions", "/sessions/").await?;
    for path in [
        "/".to_owned(),
        "/review".to_owned(),
        "/review?held=any".to_owned(),
        format!("/review?held=any&after={server}/0/x"),
        "/review?held=any&q=nothing_is_called_so".to_owned(),
        "/servers".to_owned(),
        page,
        tool,
        format!("/servers/{server}/report"),
        "/activity".to_owned(),
        format!("/activity?before={half}"),
        "/activity?kind=rug_pull".to_owned(),
        "/activity?server=github&tool=tool_1".to_owned(),
        format!("/activity/{half}"),
        "/sessions".to_owned(),
        session,
        "/held".to_owned(),
        "/posture".to_owned(),
        "/baseline".to_owned(),
        "/policy".to_owned(),
        "/settings".to_owned(),
        "/about".to_owned(),
    ] {
        let took = browser.first_byte(&path).await?;
        figures.at_most(&format!("first byte of {path}"), took, "ms", BAR);
    }
    gateway.end();
    Ok(())
}

/// A browser that is signed in.
struct Browser {
    connection: Client,
    host: String,
    cookie: String,
}

impl Browser {
    async fn sign_in(tools: &Tools, gateway: &Gateway) -> Result<Browser> {
        let mut command = Command::new(&tools.portcullis);
        command.args(["dashboard", "--config"]).arg(tools.folder.join("portcullis.json"));
        let link = String::from_utf8(command.stderr(Stdio::null()).output()?.stdout)?;
        let once = link.trim().split_once("?once=").context("a link that signs in")?.1.to_owned();
        let (host, _) = parts(&gateway.url)?;
        let mut connection = Client::connect(&gateway.url).await?;
        let body = format!("once={once}");
        let about = "Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin";
        let request = format!(
            "POST /sign-in HTTP/1.1\r\nHost: {host}\r\n{about}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        connection.send_raw(request.as_bytes()).await?;
        let head = connection.whole_head().await?;
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).context("a cookie")?.to_owned();
        Ok(Browser { connection: Client::connect(&gateway.url).await?, host, cookie })
    }

    /// The first address on a page that begins so.
    async fn linked(&mut self, path: &str, beginning: &str) -> Result<String> {
        self.connection.send_raw(self.request(path).as_bytes()).await?;
        let page = String::from_utf8(self.connection.answer().await?.body)?;
        let links = page.split("href=\"").skip(1).filter_map(|link| link.split('"').next());
        let is_meant = |link: &&str| link.strip_prefix(beginning).is_some_and(|rest| !rest.is_empty());
        let link = links.into_iter().find(is_meant);
        Ok(link.with_context(|| format!("{path} leads to nothing at {beginning}"))?.to_owned())
    }

    fn request(&self, path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.host, self.cookie)
    }

    /// How long a page's head takes to come, in the middle of some rounds.
    async fn first_byte(&mut self, path: &str) -> Result<f64> {
        let request = self.request(path);
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            self.connection.send_raw(request.as_bytes()).await?;
            self.connection.first_byte().await?;
            times.push(ms(began));
            let answer = self.connection.answer().await?;
            ensure!(answer.status == 200, "{path} is answered with {}", answer.status);
        }
        Ok(median(times))
    }
}
