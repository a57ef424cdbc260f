// The official TypeScript SDK 1.x: sessions, over HTTP or with a process.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { CAPABILITIES, walk } from './walk.mjs';

async function connect(to, plan, ears) {
  const client = new Client({ name: plan.client, version: '1.0.0' }, { capabilities: CAPABILITIES });
  client.setRequestHandler(CreateMessageRequestSchema, () => ears.answer('sampling/createMessage', plan));
  client.setRequestHandler(ElicitRequestSchema, () => ears.answer('elicitation/create', plan));
  client.setRequestHandler(ListRootsRequestSchema, () => ears.answer('roots/list', plan));
  client.fallbackNotificationHandler = async ({ method }) => ears.hear(method);
  const transport = to.url ? new StreamableHTTPClientTransport(new URL(to.url)) : new StdioClientTransport(to);
  // Only the transport is told what was agreed on.
  let version;
  const told = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (agreed) => {
    version = agreed;
    told?.(agreed);
  };
  await client.connect(transport);
  if (client.getServerCapabilities().logging) await client.setLoggingLevel('debug');

  return {
    version,
    async tools() {
      const found = [];
      let cursor;
      do {
        const page = await client.listTools({ cursor });
        found.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor);
      return found;
    },
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (prompt, name, value) =>
      client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } }),
    listening: async () => undefined,
    async end() {
      if (to.url) await transport.terminateSession();
      await client.close();
    },
  };
}

await walk(connect);
