// What tests and pictures share: the browser, an agent, and the files that say what servers declare.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

export const given = JSON.parse(process.argv[2]);

const declared = (server) => `${given.folder}/${server}.json`;

export function declare(server, change) {
  const now = JSON.parse(readFileSync(declared(server), "utf8"));
  change(now);
  writeFileSync(declared(server), JSON.stringify(now));
}

export const launch = () =>
  chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox", "--disable-gpu"] });

export const link = () =>
  execFileSync(given.portcullis, ["dashboard", "--config", given.config], { encoding: "utf8" }).trim();

export async function signIn(page) {
  await page.goto(link());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${given.url}/`);
}

// Asks until something is so; what never comes is a failure with a name.
export async function until(what, ask) {
  const end = Date.now() + 20000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`it never came: ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

// Steps with the Tab key to what is wanted, as somebody without a pointer does.
export async function tabTo(page, wanted) {
  for (let steps = 0; steps < 100; steps += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the Tab key never comes to ${wanted}`);
}

// An agent that speaks MCP of 2025-11-25 to one server.
export class Agent {
  #id = 1;

  static async open(server, client = "desk-agent", headers = {}) {
    const agent = new Agent();
    agent.headers = headers;
    agent.address = `${given.url}/mcp/${server}`;
    const opened = await agent.send("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: client, version: "3.1" },
    });
    agent.session = opened.session;
    await agent.send("tools/list", {});
    return agent;
  }

  async send(method, params) {
    const answer = await fetch(this.address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...this.headers,
        ...(this.session ? { "mcp-session-id": this.session } : {}),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#id++, method, params }),
    });
    return { session: answer.headers.get("mcp-session-id"), text: await answer.text() };
  }

  call(name, args) {
    return this.send("tools/call", { name, arguments: args });
  }
}
