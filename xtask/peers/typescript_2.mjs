// The official TypeScript SDK 2.x: the older revisions or 2026-07-28, over HTTP or with a process.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CAPABILITIES, walk } from './walk.mjs';

// Where the server says things by itself only if it is asked to, with every request.
const LOGGED = { 'io.modelcontextprotocol/logLevel': 'debug' };

async function connect(to, plan, ears) {
  const mode = plan.mode === 'auto' || plan.mode === 'legacy' ? plan.mode : { pin: plan.mode };
  const options = { capabilities: CAPABILITIES, versionNegotiation: { mode } };
  const client = new Client({ name: plan.client, version: '1.0.0' }, options);
  for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list']) {
    client.setRequestHandler(method, () => ears.answer(method, plan));
  }
  client.fallbackNotificationHandler = async ({ method }) => ears.hear(method);
  const transport = to.url ? new StreamableHTTPClientTransport(new URL(to.url)) : new StdioClientTransport(to);
  await client.connect(transport);
  const isModern = client.getProtocolEra() === 'modern';
  if (!isModern && client.getServerCapabilities().logging) await client.setLoggingLevel('debug');

  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) =>
      client.callTool({ name, arguments: args, ...(isModern && { _meta: LOGGED }) }, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (prompt, name, value) =>
      client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } }),
    listening: async (method) =>
      isModern && method === 'notifications/resources/list_changed'
        ? client.listen({ resourcesListChanged: true })
        : undefined,
    async end() {
      if (to.url && !isModern) await transport.terminateSession();
      await client.close();
    },
  };
}

await walk(connect);
