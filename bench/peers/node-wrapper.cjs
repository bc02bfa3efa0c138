// What a call must do on disk whoever makes it, by Node's builtins alone: the floor that `npm run bench` measures a wrapper of ours beside.
// It does all that is promised to be there: it looks at what it would replace, keeps a private folder, the prompt's copy and a $TMPDIR, registers the
// call, gives the CLI descriptors of files and a session of its own, ends it at its deadline, looks for processes that it left, reads its events, publishes
// four files by a rename, answer and record synced, and takes away what was private. With a task it is the guardian: it keeps a draft, reserves, tells and
// closes the call in the journal, each line synced, and publishes a second time into the attempt. A used-up quota is kept for others.
// It leaves out all that is no writing: flags, sign-in, versions, secrets, rows of rules, walls around files, calls that others left.
// node-wrapper.cjs TOOL PROMPT OUT ERR RESULT [TASK ID]: exits 0, 12 (the CLI failed or said nothing), 13 (no CLI), 40 (bad input).

'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { append, factsOf, makeFolder, replace, standIn, syncFolder } = require('./promised.cjs');

const [tool, prompt, out, err, result, task = null, id = `${Date.now()}-${process.pid}`] = process.argv.slice(2);
const raw = out.replace(/\.out$/, '.raw');
const state = path.join(process.env.XDG_STATE_HOME, 'peer');
const journal = task === null ? null : path.join(task, 'state/journal.jsonl');
const tell = (fact) => journal !== null && append(journal, { call_id: id, ...fact }, { isSynced: true });

const text = `${process.env.PEER_BEFORE ?? ''}${fs.readFileSync(prompt, 'utf8')}`;
if (text.trim() === '') process.exit(40);
const looked = process.env.PATH.split(':').map((folder) => path.join(folder, tool));
const binary = looked.find((file) => fs.existsSync(file));
if (binary === undefined) process.exit(13);
for (const file of [out, raw, err, result]) fs.lstatSync(file, { throwIfNoEntry: false });

for (const name of ['calls', 'ended', 'limits']) makeFolder(path.join(state, name));
const holds = path.join(state, 'limits/holds.json');
const hold = (probe) =>
  standIn(path.join(state, 'limits/ledger.jsonl'), () =>
    replace(holds, JSON.stringify({ tool, reason: 'quota', seen_at: Date.now(), probe })),
  );
// Who tries in spite of a hold says so, that no other does.
if (fs.existsSync(holds)) hold(id);

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'peer-'));
const overlay = tool === 'gemini' ? fs.mkdtempSync(path.join(os.tmpdir(), 'peer-overlay-')) : null;
if (overlay !== null)
  fs.writeFileSync(path.join(overlay, 'settings.json'), '{"general":{"maxAttempts":1}}', { mode: 0o600 });
const entry = path.join(state, 'calls', `${id}.json`);
const attempt =
  task === null ? path.join(path.dirname(path.resolve(out)), `.peer-${id}`) : path.join(task, 'state/attempts', id);
makeFolder(attempt);
replace(entry, JSON.stringify({ id, tool, pid: process.pid, attempt, temporary, overlay, out, err, result }));
const at = (name) => path.join(attempt, name);
fs.writeFileSync(at('prompt'), text, { mode: 0o600 });
for (const file of [out, raw, err, result]) if (fs.existsSync(file)) fs.unlinkSync(file);
if (task !== null) {
  makeFolder(path.dirname(out));
  replace(
    at('attempt.json'),
    JSON.stringify({ id, tool, out, err, result, prompt, temporary, limits: { timeout_ms: 1_800_000 } }),
  );
  const paid = (facts) => facts.filter(({ fact }) => fact === 'reserved').length;
  if (paid(factsOf(journal)) >= 10) process.exit(15);
  tell({ fact: 'reserved', tool, guardian: process.pid, deadline_at: Date.now() + 1_800_000, temporary });
  // Another one may have reserved at the same time.
  if (paid(factsOf(journal)) > 10) process.exit(15);
}

const argv = tool === 'gemini' ? ['--output-format', 'stream-json'] : ['exec', '--json', '-'];
const stdio = [
  fs.openSync(at('prompt'), 'r'),
  fs.openSync(at('stdout'), 'a', 0o600),
  fs.openSync(at('stderr'), 'a', 0o600),
];
const env = {
  ...process.env,
  TMPDIR: temporary,
  PEER_CALL_ID: id,
  GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${overlay}/settings.json`,
};
const child = spawn(binary, argv, { stdio, env, detached: true });
const end = () => process.kill(-child.pid, 'SIGKILL');
const deadline = setTimeout(end, 1_800_000);
process.on('SIGTERM', end).on('SIGINT', end);
tell({ fact: 'started' });

child.on('exit', (code) => {
  clearTimeout(deadline);
  tell({ fact: 'ended', native_exit_code: code });
  for (const pid of fs.readdirSync('/proc')) if (Number(pid) > child.pid) endIfLeft(pid);
  const [stdout, stderr] = [fs.readFileSync(at('stdout'), 'utf8'), fs.readFileSync(at('stderr'), 'utf8')];
  const { answer, hasSucceeded } = read(stdout.split('\n').filter(Boolean).map(JSON.parse));
  const isOk = code === 0 && hasSucceeded && answer !== '';
  const { createHash } = require('node:crypto');
  const sha256 = (of) => createHash('sha256').update(of).digest('hex');
  const said = stderr.split('\n').filter((line) => /error|fail|[45]\d\d/i.test(line));
  const kind = isOk
    ? null
    : /429|quota|rate.?limit/i.test(stderr)
      ? 'quota'
      : /401|403|api.?key/i.test(stderr)
        ? 'auth'
        : 'unknown';
  const signature = isOk
    ? null
    : sha256(said.map((line) => line.replace(/[0-9a-f]{8,}|\d+/g, 'N').replace(/\/[^ ]+/g, 'PATH')).join('\n'));
  const verdict = { class: kind, signature, exit_code: isOk ? 0 : 12 };
  publish({ stdout, stderr, answer, record: { id, tool, argv, code, prompt_sha256: sha256(text), ...verdict } });
  tell({ fact: 'verdict', ...verdict });
  clean();
  if (kind === 'quota') hold(null);
  if (!isOk) console.error(`${tool}: ${kind}: ${said[0]}`);
  // Node's own end would take longer.
  process.exit(verdict.exit_code);
});

function endIfLeft(pid) {
  try {
    // Its session is the sixth word behind the name.
    const session = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[3];
    if (Number(session) === child.pid) process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** What the event streams of gemini and codex say. */
function read(events) {
  const said = events.map(({ role, content, item }) =>
    role === 'assistant' ? content : item?.type === 'agent_message' ? item.text : '',
  );
  const hasSucceeded = events.some(
    ({ type, status }) => type === 'turn.completed' || (type === 'result' && status === 'success'),
  );
  return { answer: said.join(''), hasSucceeded };
}

function publish({ stdout, stderr, answer, record }) {
  const isSynced = task !== null;
  const into = (name) => ({ isSynced, into: isSynced ? at(name) : null });
  replace(err, stderr, into('stderr.redacted'));
  replace(raw, stdout, into('stdout.redacted'));
  if (answer !== '') replace(out, answer, { ...into('answer'), isSynced: true });
  const text = JSON.stringify(record, null, 2);
  if (isSynced) replace(at('record.json'), text, { isSynced });
  replace(result, text, { isSynced: true });
  if (isSynced)
    for (const folder of [path.dirname(out), attempt, `${attempt}/..`, `${task}/state`, task]) syncFolder(folder);
}

/** What was private goes; when a call of this folder ended last stays. */
function clean() {
  for (const name of ['stdout', 'stderr', ...(task === null ? ['prompt'] : [])]) fs.unlinkSync(at(name));
  if (task === null) fs.rmdirSync(attempt);
  else replace(path.join(task, 'state/stats.json'), JSON.stringify({ paid_calls_used: 1 }));
  fs.rmdirSync(temporary);
  if (overlay !== null) fs.rmSync(overlay, { recursive: true });
  const ended = path.join(state, 'ended/here');
  fs.rmSync(ended, { force: true });
  fs.writeFileSync(ended, '', { mode: 0o600 });
  fs.unlinkSync(entry);
}
