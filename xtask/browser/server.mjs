// A server that declares whatever a file says at the moment, and answers its tools with the texts it names.

import { readFileSync, watchFile } from "node:fs";
import { createInterface } from "node:readline";

const file = process.argv[2];
const declared = () => JSON.parse(readFileSync(file, "utf8"));
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scene", version: "1" },
  }),
  "tools/list": () => ({ tools: declared().tools }),
  "tools/call": (params) => ({
    content: [{ type: "text", text: declared().results?.[params.name] ?? `${params.name} was called` }],
  }),
  ping: () => ({}),
};

watchFile(file, { interval: 50 }, () => say({ method: "notifications/tools/list_changed" }));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const answer = answers[method];
  say(answer ? { id, result: answer(params) } : { id, error: { code: -32601, message: "Method not found" } });
}
process.exit(0);
