// Walks a plan with a client: the steps are data, so that every client takes the same ones.
//
// Each step prints one line of JSON: what the client got, or why it got nothing.

import { readFileSync } from 'node:fs';

// Nothing here takes longer, unless it hangs; a machine under load is slow to start processes.
const STEP_MS = 60_000;
const HEAR_MS = 20_000;

const ANSWERS = {
  'sampling/createMessage': () => ({
    role: 'assistant', content: { type: 'text', text: 'a sample' }, model: 'a-model', stopReason: 'endTurn',
  }),
  'elicitation/create': () => ({ action: 'accept', content: { name: 'A Name', check: true, integer: 7 } }),
  'roots/list': (plan) => ({ roots: plan.roots }),
};

export const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };

// What the server said or asked without being called.
class Ears {
  all = [];
  waiting = new Set();

  hear(method) {
    this.all.push(method);
    this.waiting.forEach((wake) => wake());
  }

  async until(method, since) {
    const heard = () => this.all.slice(since).includes(method);
    while (!heard()) await within(HEAR_MS, `to hear ${method}`, new Promise((wake) => this.waiting.add(wake)));
  }

  // Answers what a server may ask; both are remembered.
  answer(method, plan) {
    this.hear(method);
    return ANSWERS[method](plan);
  }
}

async function take(client, ears, step) {
  switch (step.do) {
    case 'tools': return client.tools();
    case 'until': return listed(client, step.prefixes);
    case 'read': return client.read(step.uri);
    case 'prompt': return client.prompt(step.name, step.arguments);
    case 'complete': return client.complete(step.prompt, step.argument, step.value);
    case 'call': return step.cancel ? cancelled(client, step) : called(client, ears, step);
    default: throw new Error(`no step is called ${step.do}`);
  }
}

// Asks for the tools until every server has one among them.
async function listed(client, prefixes) {
  for (;;) {
    const tools = await client.tools();
    if (prefixes.every((prefix) => tools.some(({ name }) => name.startsWith(prefix)))) return {};
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function called(client, ears, step) {
  const progress = [];
  const since = ears.all.length;
  const listening = await client.listening(step.hears);
  const options = step.progress ? { onprogress: ({ progress: done, total }) => progress.push([done, total]) } : {};
  const got = { result: await client.call(step.name, step.arguments, options) };
  if (step.hears) await ears.until(step.hears, since);
  await listening?.close();
  // Some clients let the last one go when the answer comes with it.
  if (step.progress) got.progress = progress.slice(0, 2);
  if (step.asks) got.asked = ears.all.slice(since).filter((method) => method === step.asks).length;
  return got;
}

// Cancels a call once it has made progress.
async function cancelled(client, step) {
  const leaving = new AbortController();
  const options = { signal: leaving.signal, onprogress: () => leaving.abort() };
  const answered = () => 'answered';
  const failed = (error) => (leaving.signal.aborted ? 'cancelled' : Promise.reject(error));
  return { ended: await client.call(step.name, step.arguments, options).then(answered, failed) };
}

export async function walk(connect) {
  const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  for (const { route, to, steps } of plan.connections) {
    const left = [{ step: 'open' }, ...steps, { step: 'end' }];
    try {
      const ears = new Ears();
      const client = await within(STEP_MS, 'to connect', connect(to, plan, ears));
      tell(route, left.shift(), { got: { version: client.version } });
      while (left.length > 1) {
        const got = await within(STEP_MS, 'for an answer', take(client, ears, left[0]));
        tell(route, left.shift(), { got });
      }
      await within(STEP_MS, 'to end', client.end());
      tell(route, left.shift(), { got: {} });
    } catch (error) {
      console.error(error);
      left.forEach((step) => tell(route, step, { error: String(error) }));
    }
  }
  // A connection that failed must not keep us.
  process.exit(0);
}

function tell(route, { server = route, step }, outcome) {
  console.log(JSON.stringify({ route, server, step, ...outcome }));
}

async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited too long ${what}`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
