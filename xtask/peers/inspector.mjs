// The Inspector's command line: a process per step, each with a session of its own.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// The package exports nothing: its program is found beside its manifest.
const manifest = import.meta.resolve('@modelcontextprotocol/inspector/package.json');
const program = fileURLToPath(new URL('clients/launcher/build/index.js', manifest));
const run = promisify(execFile);

async function take(to, plan, step) {
  const asked = step.do === 'tools'
    ? ['--method', 'tools/list']
    : ['--method', 'tools/call', '--tool-name', step.name, '--tool-args-json', JSON.stringify(step.arguments)];
  const era = ['--protocol-era', plan.mode === 'legacy' ? 'legacy' : 'modern'];
  const all = ['--cli', '--transport', 'http', '--server-url', to.url, '--format', 'json', '--quiet', ...era, ...asked];
  const { stdout } = await run(process.execPath, [program, ...all], { maxBuffer: 1 << 26, timeout: 60_000 });
  const { result } = JSON.parse(stdout);
  return step.do === 'tools' ? result.tools : { result };
}

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { route, to, steps } of plan.connections) {
  for (const step of steps) {
    const outcome = await take(to, plan, step).then((got) => ({ got }), (error) => ({ error: error.stderr || String(error) }));
    console.log(JSON.stringify({ route, server: step.server, step: step.step, ...outcome }));
  }
}
