#!/usr/bin/env node
// Makes the tables of generic MCP tool names.
//
// A tool called `search` or `list_files` says nothing about who wrote it: many
// unrelated servers chose the same name. The scanner needs to know which names
// and which words are common property of that kind, and the honest way to know
// is to ask real servers. This script does the asking, in two steps:
//
//   node harvest.mjs --work DIR [--list FILE] [--jobs N] [--python CMD] [--unconfined]
//       installs every server named in packages.txt (or FILE), starts it over
//       stdio, asks for its tools and keeps the answer in DIR/answers/. Servers
//       that answered before are skipped, so a broken run is simply started
//       again. What a failed server printed is kept in DIR/failures/.
//
//   node harvest.mjs --table --work DIR --out DIR2
//       reads the answers and writes DIR2/names.txt and DIR2/tokens.txt. The
//       same answers always give the same bytes.
//
// The servers are strangers' code. They are installed without running their
// install scripts, and run with a scrubbed environment, without any network but
// loopback, and with nothing writable but their own folder (Linux namespaces,
// which want root; --unconfined does without).

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PROTOCOL_VERSION = '2025-06-18';
const INSTALL_LIMIT_MS = 180_000;
const CONVERSATION_LIMIT_MS = 30_000;
// A server whose cursor never ends must not keep us for ever.
const MAX_PAGES = 100;
const MAX_STDERR_CHARS = 4_000;

// A name is generic if this many independent servers use it, a word if that many.
const NAME_MIN_SERVERS = 2;
const TOKEN_MIN_SERVERS = 3;

// ---------------------------------------------------------------- the list

/**
 * Reads one line of the list: `npm <package> [NAME=value…] [args…]` or
 * `pypi <package> <command> [NAME=value…] [args…]`. Null for a blank line.
 * The package may carry a version, and `+other` adds a requirement: an old
 * server can need an older library than its metadata admits (`thing+mcp<2`).
 */
function parseLine(line) {
  const words = line.replace(/(^|\s)#.*$/, '').split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const [registry, packages, ...rest] = words;
  if (!['npm', 'pypi'].includes(registry) || !packages) throw new Error(`cannot read list line: ${line}`);
  const specs = packages.split('+');
  const command = registry === 'pypi' ? rest.shift() : null;
  if (registry === 'pypi' && !command) throw new Error(`no command in list line: ${line}`);

  const env = {};
  while (/^[A-Za-z_][A-Za-z0-9_]*=/.test(rest[0] ?? '')) {
    const word = rest.shift();
    const at = word.indexOf('=');
    env[word.slice(0, at)] = word.slice(at + 1);
  }
  return { registry, specs, name: bareName(registry, specs[0]), command, env, args: rest };
}

/** The package's name without a pinned version or extras. */
function bareName(registry, spec) {
  return registry === 'npm' ? spec.replace(/(.)@.*$/, '$1') : spec.replace(/[=<>~!;[].*$/, '');
}

function readList(file) {
  return fs.readFileSync(file, 'utf8').split('\n').map(parseLine).filter(Boolean);
}

/** A file name for a package, different for different packages. */
function safeName(entry) {
  return `${entry.registry}-${entry.name}`.replace(/[^A-Za-z0-9.-]+/g, '_');
}

// ------------------------------------------------------------- the install

/** Runs a command to its end; rejects with the end of its output on failure. */
function run(command, args, { limitMs, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk) => { output = (output + chunk).slice(-MAX_STDERR_CHARS); };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const timer = setTimeout(() => {
      killGroup(child);
      reject(new Error(`${command} took longer than ${limitMs / 1000} s`));
    }, limitMs);
    child.on('error', (error) => { clearTimeout(timer); reject(error); });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(command)} ended with ${code}\n${output}`));
    });
  });
}

function killGroup(child) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already, which is what we wanted.
  }
}

async function installNpm(entry, prefix) {
  // Most servers share most of their dependencies: asking the registry anew
  // for each of them is what an install spends its time on.
  const args = ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund',
    '--prefer-offline', '--loglevel=error'];
  await run('npm', [...args, ...entry.specs], { limitMs: INSTALL_LIMIT_MS, cwd: prefix });
}

async function installPypi(entry, prefix, python) {
  const deadline = Date.now() + INSTALL_LIMIT_MS;
  // The outer pip fills the new environment, which saves installing pip into each.
  await run(python, ['-m', 'venv', '--without-pip', prefix], { limitMs: INSTALL_LIMIT_MS });
  const pip = ['-m', 'pip', '--python', path.join(prefix, 'bin', 'python'), '--disable-pip-version-check'];
  // Wheels only: building from source would run the package's code unconfined.
  const options = ['--quiet', '--no-compile', '--only-binary', ':all:'];
  await run(python, [...pip, 'install', ...options, ...entry.specs], { limitMs: deadline - Date.now(), cwd: prefix });
}

/** Installs the package unless a failed run left just that installed already. */
async function install(entry, prefix, python) {
  const marker = path.join(prefix, '.installed');
  const wanted = entry.specs.join('+');
  if (fs.existsSync(marker) && fs.readFileSync(marker, 'utf8') === wanted) return;
  fs.rmSync(prefix, { recursive: true, force: true });
  fs.mkdirSync(path.join(prefix, 'home'), { recursive: true });
  fs.mkdirSync(path.join(prefix, 'tmp'));
  await (entry.registry === 'npm' ? installNpm : installPypi)(entry, prefix, python);
  fs.writeFileSync(marker, wanted);
}

// ------------------------------------------- what the installed package says

/** Version, author and start command of an installed package. */
function describe(entry, prefix) {
  return entry.registry === 'npm' ? describeNpm(entry, prefix) : describePypi(entry, prefix);
}

function describeNpm(entry, prefix) {
  const manifest = path.join(prefix, 'node_modules', entry.name, 'package.json');
  const pkg = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  const repository = typeof pkg.repository === 'string' ? pkg.repository : pkg.repository?.url;
  const scope = /^@([^/]+)\//.exec(entry.name)?.[1];
  return {
    version: pkg.version,
    author: repositoryOwner(repository) ?? scope ?? null,
    command: path.join(prefix, 'node_modules', '.bin', chooseBin(entry, pkg)),
  };
}

/** The command `npx` would choose: the only one, or the one named like the package. */
function chooseBin(entry, pkg) {
  const unscoped = path.basename(entry.name);
  if (typeof pkg.bin === 'string') return unscoped;
  const names = Object.keys(pkg.bin ?? {}).map((name) => path.basename(name)); // as npm links them
  if (names.length === 0) throw new Error('the package has no command');
  return names.includes(unscoped) ? unscoped : names[0];
}

function describePypi(entry, prefix) {
  const metadata = pypiMetadata(entry, prefix);
  const links = [...metadata.matchAll(/^(?:Home-page|Project-URL): *(.*)$/gm)].map((match) => match[1]);
  const owners = links.map(repositoryOwner).filter(Boolean);
  const namespace = /^([^.]+)\./.exec(entry.name)?.[1];
  return {
    version: /^Version: *(.*)$/m.exec(metadata)?.[1] ?? null,
    author: owners[0] ?? namespace ?? null,
    command: path.join(prefix, 'bin', entry.command),
  };
}

function pypiMetadata(entry, prefix) {
  const plain = (name) => name.toLowerCase().replace(/[-_.]+/g, '-');
  const lib = path.join(prefix, 'lib');
  for (const python of fs.readdirSync(lib)) {
    const site = path.join(lib, python, 'site-packages');
    const info = fs.readdirSync(site).find((name) =>
      name.endsWith('.dist-info') && plain(name.split('-')[0]) === plain(entry.name));
    if (info) return headers(fs.readFileSync(path.join(site, info, 'METADATA'), 'utf8'));
  }
  return '';
}

/** The part of a metadata file before the long description, which may link to anybody. */
function headers(text) {
  return text.split(/\r?\n\r?\n/)[0];
}

/** `owner` of a github.com/owner/repo link or of the npm short form. */
function repositoryOwner(link) {
  const match = /github\.com[/:]([^/\s]+)\//.exec(link ?? '') ?? /^(?:github:)?([\w-]+)\/[\w.-]+$/.exec(link ?? '');
  return match ? match[1].toLowerCase() : null;
}

// ---------------------------------------------------------------- the cage

// Run by `sh -c` inside new namespaces: loopback up, everything read-only but
// the server's own folder ($1), then the server itself.
const CAGE_SCRIPT = [
  'ip link set lo up',
  'mount --bind "$1" "$1"',
  'mount -o remount,bind,ro /',
  'mount -t proc proc /proc',
  // The working folder was entered before the bind mount: enter it again.
  'cd "$1"',
  'shift',
  'exec "$@"',
].join(' && ');
const CAGE = ['--net', '--pid', '--mount', '--fork', '--kill-child', 'sh', '-c', CAGE_SCRIPT, 'cage'];

function requireCage(workDir) {
  const probe = spawnSync('unshare', [...CAGE, workDir, 'true'], { encoding: 'utf8' });
  if (probe.status === 0) return;
  const why = probe.error?.message ?? probe.stderr.trim();
  throw new Error(`cannot confine the servers (${why}); run as root, or pass --unconfined`);
}

function startServer(command, args, env, prefix, confined) {
  const argv = confined ? ['unshare', ...CAGE, prefix, command, ...args] : [command, ...args];
  return spawn(argv[0], argv.slice(1), {
    cwd: prefix,
    detached: true, // its own process group, so that its children die with it
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: [path.dirname(command), process.env.PATH].join(path.delimiter),
      HOME: path.join(prefix, 'home'),
      TMPDIR: path.join(prefix, 'tmp'),
      LANG: 'C.UTF-8',
      ...env,
    },
  });
}

// -------------------------------------------------------- the conversation

/** A JSON-RPC client over a child's stdin and stdout, one message a line. */
class Client {
  #child;
  #waiting = new Map();
  #nextId = 1;
  #rest = '';
  #dead = null;
  stderr = '';

  constructor(child) {
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (chunk) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-MAX_STDERR_CHARS);
    });
    child.stdin.on('error', () => {}); // told by `close` below
    child.on('error', (error) => this.fail(error));
    child.on('close', (code, signal) => this.fail(new Error(`the server ended (${code ?? signal})`)));
  }

  request(method, params = {}) {
    if (this.#dead) return Promise.reject(this.#dead);
    const id = this.#nextId++;
    this.#send({ jsonrpc: '2.0', id, method, params });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  notify(method) {
    this.#send({ jsonrpc: '2.0', method });
  }

  fail(error) {
    this.#dead ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(chunk) {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      // Some servers print their greeting on stdout: what is no JSON object is none of ours.
      let message;
      try { message = JSON.parse(line); } catch { continue; }
      if (message && typeof message === 'object') this.#take(message);
    }
  }

  #take(message) {
    if (message.method !== undefined) return this.#answer(message);
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(`error answer: ${JSON.stringify(message.error)}`));
    else waiting.resolve(message.result ?? {});
  }

  /** Answers the server's own requests, so that none waits for us for ever. */
  #answer({ id, method }) {
    if (id === undefined) return;
    if (method === 'ping') this.#send({ jsonrpc: '2.0', id, result: {} });
    else this.#send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
}

/** All pages of one of the list methods. */
async function listAll(client, method, key) {
  const items = [];
  let cursor;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor });
    items.push(...(result[key] ?? []));
    if (result.nextCursor === undefined || result.nextCursor === null || result.nextCursor === '') break;
    cursor = result.nextCursor;
  }
  return items;
}

/** Prompts and resources are an extra: their failure must not cost us the tools. */
async function listExtra(client, capability, method, key) {
  if (!capability) return [];
  return listAll(client, method, key).catch(() => []);
}

async function converse(client) {
  const hello = await client.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'generic-names', version: '1.0.0' },
  });
  client.notify('notifications/initialized');
  const tools = await listAll(client, 'tools/list', 'tools');
  if (tools.length === 0) throw new Error('the server lists no tools');
  return {
    serverInfo: hello.serverInfo ?? null,
    instructions: hello.instructions ?? null,
    tools,
    prompts: await listExtra(client, hello.capabilities?.prompts, 'prompts/list', 'prompts'),
    resources: await listExtra(client, hello.capabilities?.resources, 'resources/list', 'resources'),
  };
}

/** Starts the installed server, asks, and kills it whatever came of it. */
async function ask(entry, command, prefix, confined) {
  const child = startServer(command, entry.args, entry.env, prefix, confined);
  const client = new Client(child);
  const timer = setTimeout(
    () => client.fail(new Error(`no answer within ${CONVERSATION_LIMIT_MS / 1000} s`)),
    CONVERSATION_LIMIT_MS,
  );
  try {
    return await converse(client);
  } catch (error) {
    error.message += `\n${client.stderr}`;
    throw error;
  } finally {
    clearTimeout(timer);
    killGroup(child);
  }
}

// ------------------------------------------------------------- the harvest

/** First line of an error, for the progress report. */
function brief(error) {
  return error.message.split('\n')[0];
}

/** Whole or not at all: a half-written answer would be skipped by the next run. */
function writeWhole(file, text) {
  fs.writeFileSync(`${file}.part`, text);
  fs.renameSync(`${file}.part`, file);
}

async function harvestOne(entry, { work: workDir, python, unconfined }) {
  const safe = safeName(entry);
  const answerFile = path.join(workDir, 'answers', `${safe}.json`);
  const failureFile = path.join(workDir, 'failures', `${safe}.txt`);
  if (fs.existsSync(answerFile)) return 'skipped';
  const prefix = path.join(workDir, entry.registry, safe);
  try {
    await install(entry, prefix, python);
    const { version, author, command } = describe(entry, prefix);
    const answer = await ask(entry, command, prefix, !unconfined);
    const whole = { package: `${entry.registry}:${entry.name}`, version, author, ...answer };
    writeWhole(answerFile, `${JSON.stringify(whole, null, 1)}\n`);
    fs.rmSync(failureFile, { force: true });
    // A failed install is kept: the next try, with other variables, is quick.
    fs.rmSync(prefix, { recursive: true, force: true, maxRetries: 3 });
    console.error(`ok     ${safe}: ${answer.tools.length} tools`);
    return 'answered';
  } catch (error) {
    fs.writeFileSync(failureFile, `${error.message}\n`);
    console.error(`failed ${safe}: ${brief(error)}`);
    return 'failed';
  }
}

async function harvest(options) {
  const { work, list, jobs, unconfined } = options;
  for (const folder of ['answers', 'failures']) fs.mkdirSync(path.join(work, folder), { recursive: true });
  if (!unconfined) requireCage(work);
  const entries = readList(list);
  const counts = { answered: 0, failed: 0, skipped: 0 };
  const queue = entries.values(); // one iterator, shared by the workers
  const worker = async () => {
    for (const entry of queue) counts[await harvestOne(entry, options)]++;
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  console.error(`${entries.length} servers: ${counts.answered} answered, ${counts.skipped} had answered before, ${counts.failed} failed`);
}

// --------------------------------------------------------------- the table

/**
 * The words of a tool name, lower-cased: split at everything that is neither
 * letter nor digit, at camelCase borders (`HTTPServer` is `http`, `server`) and
 * between letters and digits.
 */
function words(name) {
  const runs = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}\p{Lt}]+|\p{Nd}+/gu;
  return (name.match(runs) ?? []).map((word) => word.toLowerCase());
}

function readServers(workDir) {
  const folder = path.join(workDir, 'answers');
  return fs.readdirSync(folder).filter((file) => file.endsWith('.json')).sort().map((file) => {
    const answer = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
    const split = answer.tools.map((tool) => words(String(tool.name))).filter((list) => list.length > 0);
    return {
      package: answer.package,
      author: answer.author,
      names: new Set(split.map((list) => list.join('_'))),
      tokens: new Set(split.flat()),
    };
  });
}

/**
 * For each server, which others say nothing new beside it: its author's other servers. A fork by somebody else
 * does count: a name that people take over is common property.
 */
function findKin(servers) {
  return new Map(servers.map((one) => {
    const isKin = (other) => one === other || (one.author !== null && one.author === other.author);
    return [one, new Set(servers.filter(isKin))];
  }));
}

/** Whether a group holds `least` servers no two of which are kin. */
function holdsIndependent(group, kinOf, least) {
  if (least === 0) return true;
  return group.some((server, index) => {
    const others = group.slice(index + 1).filter((other) => !kinOf.get(server).has(other));
    return holdsIndependent(others, kinOf, least - 1);
  });
}

/** The entries (of `names` or `tokens`) that at least `least` independent servers use, sorted. */
function common(servers, kinOf, key, least) {
  const users = new Map();
  for (const server of servers) {
    for (const entry of server[key]) {
      if (!users.has(entry)) users.set(entry, []);
      users.get(entry).push(server);
    }
  }
  const entries = [...users].filter(([, group]) => holdsIndependent(group, kinOf, least));
  // The default sort is by code units: the same on every machine, in every locale.
  return entries.map(([entry]) => entry).sort();
}

function writeTable({ work, out }) {
  const servers = readServers(work);
  const kinOf = findKin(servers);
  const write = (file, what, entries) => {
    const head = `# ${what}; made by \`cargo xtask generic-names\` from ${servers.length} servers. Do not edit.`;
    fs.writeFileSync(path.join(out, file), [head, ...entries, ''].join('\n'));
    console.error(`${file}: ${entries.length} entries from ${servers.length} servers`);
  };
  fs.mkdirSync(out, { recursive: true });
  write('names.txt', `Tool names used by at least ${NAME_MIN_SERVERS} independent servers`,
    common(servers, kinOf, 'names', NAME_MIN_SERVERS));
  write('tokens.txt', `Words in the tool names of at least ${TOKEN_MIN_SERVERS} independent servers`,
    common(servers, kinOf, 'tokens', TOKEN_MIN_SERVERS));
}

// --------------------------------------------------------------------- main

function readOptions() {
  const { values } = parseArgs({
    options: {
      work: { type: 'string' },
      list: { type: 'string', default: path.join(HERE, 'packages.txt') },
      jobs: { type: 'string', default: '2' },
      python: { type: 'string', default: 'python3' },
      unconfined: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  if (!values.work) throw new Error('--work DIR is needed');
  if (values.table && !values.out) throw new Error('--table needs --out DIR');
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs wants a whole number above 0');
  return { ...values, jobs, work: path.resolve(values.work) };
}

async function main() {
  const options = readOptions();
  if (options.table) writeTable(options);
  else await harvest(options);
}

main().catch((error) => {
  console.error(`harvest: ${error.message}`);
  process.exitCode = 1;
});
