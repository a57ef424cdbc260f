// The official TypeScript SDK 2.x as an agent: a line of JSON says what to do, a line of JSON what came of it.

import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

// Nothing here takes longer, unless it hangs.
const STEP = { timeout: 60_000 };
const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
const LISTS = {
  tools: ['listTools', 'tools'],
  prompts: ['listPrompts', 'prompts'],
  resources: ['listResources', 'resources'],
  resource_templates: ['listResourceTemplates', 'resourceTemplates'],
};

// The SDK says things by itself; the answers alone are read.
console.log = console.info = console.debug = console.error;

const plan = JSON.parse(process.argv[2]);
const asked = [];
let answer = { action: 'decline' };
const ANSWERS = {
  'sampling/createMessage': () => ({
    role: 'assistant', model: 'street', content: { type: 'text', text: 'I am only a script.' },
  }),
  'elicitation/create': () => answer,
  'roots/list': () => ({ roots: [{ uri: 'file:///home/jroe/street' }] }),
};

const client = new Client(
  { name: plan.name, version: '1' },
  { capabilities: plan.can_be_asked ? CAPABILITIES : {}, versionNegotiation: { mode: { pin: plan.revision } } },
);
if (plan.can_be_asked) {
  for (const [method, make] of Object.entries(ANSWERS)) {
    client.setRequestHandler(method, ({ params }) => {
      asked.push({ method, params });
      return make();
    });
  }
}

async function listed(kind) {
  const [ask, member] = LISTS[kind];
  const found = [];
  let cursor;
  do {
    const page = await client[ask](cursor ? { cursor } : {}, STEP);
    found.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

async function take(step) {
  switch (step.do) {
    case 'open':
      await client.connect(new StreamableHTTPClientTransport(new URL(plan.url)));
      return { instructions: client.getInstructions(), protocolVersion: client.getNegotiatedProtocolVersion() };
    case 'list': return listed(step.kind);
    case 'call': return client.callTool({ name: step.name, arguments: step.arguments, _meta: step.meta }, STEP);
    case 'get_prompt': return client.getPrompt({ name: step.name, arguments: step.arguments }, STEP);
    case 'read': return client.readResource({ uri: step.uri }, STEP);
    case 'answer':
      answer = step.with;
      return {};
    default: throw new Error(`no step is called ${step.do}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let came;
  try {
    came = { ok: await take(JSON.parse(line)) };
  } catch (error) {
    came = { error: { message: error.message, code: error.code } };
  }
  process.stdout.write(`${JSON.stringify({ ...came, asked: asked.splice(0) })}\n`);
}
process.exit(0);
