#!/usr/bin/env node
// Plays an agent CLI: reports how it was called, then carries out the test's commands, from a socket or a script.

// Its settings are in fake-cli.json beside it or in the environment (FAKE_CLI_SOCKET, FAKE_CLI_SCRIPT, FAKE_CLI_LOG). A test of a
// scrubbed environment can therefore control it too. It loads only builtins, when needed, since it must start fast.

'use strict';
const fs = require('node:fs');
const path = require('node:path');

const tool = path.basename(process.argv[1], '.cjs');
const { settings, failure } = readSettings();

if (process.argv[2] === '--version') {
  console.log(settings.version ?? '0.0.0');
} else {
  if (failure) process.stderr.write(`fake ${tool}: ${failure}\n`);
  setTimeout(() => process.exit(98), settings.lifeMs ?? 120_000); // it always ends by itself
  void begin();
}

function readSettings() {
  let file = {};
  try {
    file = JSON.parse(fs.readFileSync(path.join(__dirname, 'fake-cli.json'), 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') return { settings: {}, failure: error.message };
  }
  const { FAKE_CLI_SOCKET: socket, FAKE_CLI_SCRIPT: script, FAKE_CLI_LOG: log } = process.env;
  const said = { ...(socket && { socket }), ...(script && { script: JSON.parse(script) }), ...(log && { log }) };
  return { settings: { ...file, ...said }, failure: null };
}

async function begin() {
  const report = {
    tool,
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    began: performance.timeOrigin,
    stdin: await readStdin(),
  };
  if (settings.log) fs.appendFileSync(settings.log, `${JSON.stringify({ ...report, env: undefined })}\n`);
  if (settings.script) await obey(settings.script);
  else if (settings.socket) converse(report);
  else process.exit(97);
}

/** Reads a pipe to its end, as codex does; does not read a terminal. */
async function readStdin() {
  const kind = stdinKind();
  if (kind === 'closed' || kind === 'terminal') return { kind, bytes: 0, sha256: null, text: '' };
  const chunks = [];
  if (kind === 'pipe') for await (const chunk of process.stdin) chunks.push(chunk);
  else chunks.push(fs.readFileSync(0));
  const bytes = Buffer.concat(chunks);
  const sha256 = require('node:crypto').createHash('sha256').update(bytes).digest('hex');
  return { kind, bytes: bytes.length, sha256, text: bytes.subarray(0, 1024 * 1024).toString() };
}

function stdinKind() {
  try {
    const stat = fs.fstatSync(0);
    if (stat.isFile()) return 'file';
    if (stat.isCharacterDevice()) return require('node:tty').isatty(0) ? 'terminal' : 'null';
    return 'pipe';
  } catch {
    return 'closed';
  }
}

/** One JSON line per message: sends the report, receives commands, and answers each with its outcome. */
function converse(report) {
  const socket = require('node:net').connect(settings.socket);
  const send = (message) => socket.write(`${JSON.stringify(message)}\n`);
  let queue = Promise.resolve();
  let rest = '';
  socket.on('connect', () => send({ report }));
  socket.on('close', () => process.exit(96)); // the test has ended
  socket.on('error', () => process.exit(96));
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { n, command } = JSON.parse(line);
      queue = queue.then(async () => send({ n, outcome: (await perform(command, send)) ?? null }));
    }
  });
}

async function obey(script) {
  for (const command of script) await perform(command, () => {});
}

function perform(command, send) {
  const action = ACTIONS[command.do];
  if (!action) throw new Error(`unknown command ${JSON.stringify(command)}`);
  return action(command, send);
}

const ACTIONS = {
  /** {text} or {base64}, to `to`: 'stdout' | 'stderr'. */
  write: ({ to, text, base64 }) =>
    writeAll(to, base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64')),
  /** {to, bytes, line}: this many bytes, all of them the repeated line. */
  fill: async ({ to, bytes, line = 'filler filler filler filler filler filler filler filler filler filler\n' }) => {
    const block = Buffer.from(line.repeat(Math.ceil(1_048_576 / line.length)));
    for (let left = bytes; left > 0; left -= block.length)
      await writeAll(to, block.subarray(0, Math.min(left, block.length)));
  },
  /** {file, text}: a change in the working tree. */
  save: ({ file, text }) => {
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    fs.writeFileSync(file, text);
  },
  /** {argv, detached, env}: a child that outlives this process; `detached` gives it a separate session. */
  spawn: ({ argv, detached = false, env }) => {
    const options = { detached, stdio: 'ignore', ...(env && { env }) };
    const child = require('node:child_process').spawn(argv[0], argv.slice(1), options);
    child.unref();
    return { pid: child.pid };
  },
  /** {argv, to}: runs a command to its end, with its stdout and stderr in that file. */
  run: ({ argv, to }) => {
    const out = fs.openSync(to, 'w');
    const options = { stdio: ['ignore', out, out], timeout: 100_000 };
    return { code: require('node:child_process').spawnSync(argv[0], argv.slice(1), options).status };
  },
  /** {signals, run}: reports each signal to the test and carries out `run`; without it the signal is ignored. */
  trap: ({ signals, run = [] }, send) => {
    for (const signal of signals) {
      process.on(signal, async () => {
        send({ signal });
        await obey(run);
      });
    }
  },
  wait: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms)),
  hang: () => new Promise(() => {}),
  exit: ({ code }) => process.exit(code),
  die: ({ signal }) => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    return new Promise(() => {});
  },
  /** {folder}: prints a capture as it was recorded and ends as it ended. */
  replay: async ({ folder }) => {
    const meta = JSON.parse(fs.readFileSync(path.join(folder, 'meta.json'), 'utf8'));
    for (const to of ['stderr', 'stdout']) await writeAll(to, fs.readFileSync(path.join(folder, to)));
    if (meta.killed) return ACTIONS.hang();
    return meta.signal ? ACTIONS.die(meta) : ACTIONS.exit({ code: meta.exit_code });
  },
};

/** Waits for a slow reader of a pipe; a file accepts everything at once. */
async function writeAll(to, bytes) {
  const fd = to === 'stderr' ? 2 : 1;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}
