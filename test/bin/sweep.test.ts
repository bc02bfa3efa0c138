// preflight --sweep after wrappers and dispatchers were killed: answers are kept, processes end, strangers live on.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeOrphanedCall } from '../../loops/call/close-orphaned-call.ts';
import type { Swept } from '../../loops/upkeep/swept.ts';
import type { PreflightReport } from '../../preflight.ts';
import type { RegisterEntry } from '../../state/calls/call-register.ts';
import { temporaryPrefix } from '../../state/disk/replace-file.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { locateTask } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import type { FakeCall, FakeCommand } from '../rig/fake-call.ts';
import { faultEnv } from '../rig/fault-shim.ts';
import { rewriteDraft } from '../rig/rewritten-draft.ts';
import { endStrangers, startStranger } from '../rig/stranger.ts';
import { answerWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { isAlive } from '../rig/survivors.ts';
import { ANY_ANSWER, killWithGuardian, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { where } from '../rig/where-possible.ts';
import { runWrapper, usualFlags } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('sweep');
const onLinux = where('linux', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(async ({ rig }) => {
  await endStrangers();
  await rig.dispose();
});

async function sweep(
  rig: TestRig,
  ...flags: string[]
): Promise<{ code: number | null; hows: string[]; swept: Swept[] }> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['preflight', '--sweep', '--json', ...flags]);
  assert.is(stderr, '');
  const { ok, swept } = JSON.parse(stdout) as PreflightReport;
  assert.is(ok, code === 0);
  return { code, hows: swept!.map(({ what, how }) => `${what} ${how}`), swept: swept! };
}

const register = (rig: TestRig) => path.join(rig.home, '.local/state/tollgate/calls');
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

function entryOf(rig: TestRig): { file: string; entry: RegisterEntry } {
  const [name] = namesIn(register(rig));
  const file = path.join(register(rig), name!);
  return { file, entry: JSON.parse(readFileSync(file, 'utf8')) as RegisterEntry };
}

const HOUR_MS = 3_600_000;
const earlier = (time: string) => new Date(Date.parse(time) - 2 * HOUR_MS).toISOString();

/** What is left of calls in the places where they may leave something. */
const traces = (rig: TestRig): string[] => [
  ...namesIn(register(rig)),
  ...namesIn(path.join(rig.root, 'tmp')),
  ...namesIn(rig.project).filter((name) => name.startsWith('.tollgate-')),
  ...namesIn(path.join(rig.home, '.cache/tollgate')).filter((name) => name !== 'code'),
];

/** A wrapper that is killed once its CLI has carried out `commands`. */
async function killedWrapper(rig: TestRig, flags: string[] = [], ...commands: FakeCommand[]): Promise<FakeCall> {
  const { running } = runWrapper(rig, 'codex', flags);
  const fake = await rig.call();
  // Killed while it writes that its CLI runs, it would leave half an entry for an hour, as it should.
  await waitWhile(() => namesIn(register(rig)).length !== 1 || entryOf(rig).entry.cli === null);
  running.signal('SIGKILL');
  await running.result;
  if (commands.length > 0) await fake.tell(...commands);
  return fake;
}

test('a call that ends well leaves nothing in the register; while it runs, a file of our own alone is there, and no sweep ends it', async ({
  rig,
}) => {
  const run = runWrapper(rig, 'codex');
  const fake = await rig.call();
  assert.equal([namesIn(register(rig)).length, entryOf(rig).entry.task], [1, null]);
  const modes = [register(rig), entryOf(rig).file].map((place) => statSync(place).mode & 0o777);
  assert.equal(modes, [0o700, 0o600]);
  assert.equal(await sweep(rig, '--now'), { code: 0, hows: [], swept: [] });
  await fake.tell(...answerWith('codex', 'ok'));
  const { code, out } = await run.ended();
  assert.equal([code, out, traces(rig)], [0, 'ok', []]);
});

test('a CLI that had said nothing yet, and whose file for stderr its agent took away, was started: its end is published', async ({
  rig,
}) => {
  const fake = await killedWrapper(rig);
  rmSync(path.join(entryOf(rig).entry.attempt, 'stderr'));
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  await fake.gone;
  const { code, hows } = await sweep(rig);
  assert.equal([code, hows, traces(rig)], [0, ['call settled'], []]);
  const { ending, verdict } = JSON.parse(readFileSync(path.join(rig.project, 'codex.json'), 'utf8'));
  assert.equal([ending, verdict.class], ['lost', 'transient']);
});

test('one that still works, without its file for stderr, is left to its deadline', async ({ rig }) => {
  const fake = await killedWrapper(rig);
  rmSync(path.join(entryOf(rig).entry.attempt, 'stderr'));
  assert.equal((await sweep(rig)).hows, ['call working']);
  await fake.tell(...answerWith('codex', 'paid for'));
  await fake.gone;
  assert.equal((await sweep(rig)).hows, ['call settled']);
  assert.is(readFileSync(path.join(rig.project, 'codex.out'), 'utf8'), 'paid for');
});

test('an answer of a wrapper that was killed, also while it published, is published, and nothing is left', async ({
  rig,
}) => {
  const fake = await killedWrapper(rig, [], ...answerWith('codex', 'paid for'));
  await fake.gone;
  for (const name of ['codex.err', 'codex.raw']) writeFileSync(path.join(rig.project, name), '');
  const before = await rig.run('tollgate', ['preflight', '--quick', '--json']);
  assert.match(before.stdout, '1 call was cut off; an answer may still be there, and a process may still run');
  const { code, hows } = await sweep(rig);
  assert.equal([code, hows, traces(rig)], [0, ['call settled'], []]);
  const read = (name: string) => readFileSync(path.join(rig.project, name), 'utf8');
  assert.equal([read('codex.out'), JSON.parse(read('codex.json')).verdict.class], ['paid for', null]);
  assert.equal(await sweep(rig), { code: 0, hows: [], swept: [] });
});

test('one whose place is taken by a later call is kept, and named until a person takes it', async ({ rig }) => {
  const first = await killedWrapper(rig, [], ...answerWith('codex', 'first'));
  await first.gone;
  rig.answer(() => answerWith('codex', 'second'));
  assert.is((await runWrapper(rig, 'codex').ended()).code, 0);
  for (const _ of ['once', 'again']) {
    const { code, hows, swept } = await sweep(rig);
    assert.equal([code, hows], [1, ['call kept']]);
    assert.match(readFileSync(path.join(swept[0]!.place, 'stdout'), 'utf8'), 'first');
  }
  assert.is(readFileSync(path.join(rig.project, 'codex.out'), 'utf8'), 'second');
  rmSync(entryOf(rig).entry.attempt, { recursive: true });
  assert.equal([(await sweep(rig)).code, traces(rig)], [0, []]);
});

test('a tree that still works is left until its deadline; --now ends it, and judges its files', async ({ rig }) => {
  const fake = await killedWrapper(rig, [], write(STREAMS.codex.opens(SESSION)));
  await fake.spawn(['sleep', '600'], { detached: true });
  const { code, hows, swept } = await sweep(rig);
  assert.equal([code, hows, rig.survivors().length], [0, ['call working'], 2]);
  assert.match(swept[0]!.told, `still works, until ${entryOf(rig).entry.deadline_at}`);
  const ended = await sweep(rig, '--now');
  assert.equal([ended.code, ended.hows, rig.survivors(), traces(rig)], [0, ['call settled'], [], []]);
  assert.match(ended.swept[0]!.told, /: transient, after 2 processes were ended$/);
});

test('after a jump of the wall clock it is left to its deadline, and past that it is ended', async ({ rig }) => {
  await killedWrapper(rig);
  const { file, entry } = entryOf(rig);
  const draft = entry.draft as { started_at: string };
  const shifted = { ...draft, started_at: earlier(draft.started_at) };
  writeFileSync(file, JSON.stringify({ ...entry, deadline_at: earlier(entry.deadline_at), draft: shifted }));
  assert.equal([(await sweep(rig)).hows, rig.survivors().length], [['call working'], 1]);
  writeFileSync(file, JSON.stringify({ ...entry, deadline_at: '2026-01-01T00:00:00.000Z' }));
  const { code, hows } = await sweep(rig);
  assert.equal([code, hows, rig.survivors(), traces(rig)], [0, ['call settled'], [], []]);
  const record = JSON.parse(readFileSync(path.join(rig.project, 'codex.json'), 'utf8'));
  assert.equal([record.ending, record.orphans_killed], ['timed_out', 1]);
});

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

/** A task whose run and guardian were killed while its CLI works on. */
async function killedTask(rig: TestRig) {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  // Killed before it has noted which process its CLI is, it would leave that to the marker.
  await waitWhile(() => openCalls(task.journal.read().ledger)[0]!.started === null || entryOf(rig).entry.cli === null);
  const { reserved } = await killWithGuardian(task, running);
  return { task, fake, reserved, attempt: path.join(task.folder, 'state/attempts', reserved.call_id) };
}

test('a task’s call that still works is left to its deadline, also after a jump of the wall clock; --now ends it, and its record says so', async ({
  rig,
}) => {
  const { task, fake, reserved } = await killedTask(rig);
  await fake.spawn(['sleep', '600'], { detached: true });
  assert.equal([(await sweep(rig)).hows, rig.survivors().length], [['call working'], 2]);
  // A jump of the wall clock makes it older than its deadline.
  const call = openCalls(task.journal.read().ledger)[0]!;
  rewriteDraft(task, call, ({ started_at }) => ({ started_at: earlier(started_at) }));
  const { file } = task.journal;
  const { deadline_at } = reserved;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(deadline_at, earlier(deadline_at)));
  assert.equal([(await sweep(rig)).hows, rig.survivors().length], [['call working'], 2]);
  const { code, hows, swept } = await sweep(rig, '--now');
  assert.equal([code, hows, rig.survivors(), traces(rig)], [0, ['call settled'], [], []]);
  assert.match(swept[0]!.told, /: transient, after 2 processes were ended$/);
  const record = JSON.parse(task.read('outputs/codex_brief.codex.call.json'));
  assert.equal([record.ending, record.orphans_killed], ['cancelled', 1]);
});

test('a task of another project is settled as its next run would; that run pays nothing', async ({ rig }) => {
  const { task, fake } = await killedTask(rig);
  await fake.tell(...answerWith('codex', 'paid for'));
  await fake.gone;
  const cwd = path.join(rig.root, 'elsewhere');
  mkdirSync(cwd);
  const { code, hows } = await sweep(rig, `--cwd=${cwd}`);
  assert.equal([code, hows, traces(rig)], [0, ['call settled'], []]);
  assert.equal(openCalls(task.journal.read().ledger), []);
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
  assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
});

test('a run that settles what a killed guardian left forgets it; preflight warns of nothing', async ({ rig }) => {
  const { task, fake } = await killedTask(rig);
  await fake.tell(...answerWith('codex', 'paid for'));
  await fake.gone;
  assert.equal([(await task.run()).code, rig.calls.length, traces(rig)], [0, 1, []]);
});

test('what a run that came meanwhile settles is not written over', async ({ rig }) => {
  const { task, fake, attempt, reserved } = await killedTask(rig);
  await fake.tell(...answerWith('codex', 'paid for'));
  await fake.gone;
  const located = locateTask(`${task.folder}/`, rig.project, rig.env);
  assert.is(located.how, 'found');
  const { journal } = task;
  const open = openCalls(journal.read().ledger)[0]!;
  const closing = { journal, clock: () => new Date(), environment: rig.env, stop: new AbortController().signal };
  const folder = (located as Extract<typeof located, { how: 'found' }>).folder;
  await closeOrphanedCall(open, { ...closing, task: folder, say: () => {}, isTaken: async () => true });
  const out = path.join(task.folder, 'outputs/codex_brief.codex.out');
  assert.equal([existsSync(out), existsSync(path.join(attempt, 'stdout'))], [false, true]);
  assert.is(journal.read().ledger.calls.get(reserved.call_id)!.verdict, null);
  assert.equal([namesIn(register(rig)).length, (await task.run()).code, traces(rig)], [1, 0, []]);
});

test('what could not be published stays in the register, and is published by a sweep when it can be', async ({
  rig,
}) => {
  const under = path.join(rig.project, 'records');
  mkdirSync(under);
  // The first is the look at the folder, before anything is paid.
  const fault = faultEnv({ in: 'run_codex.cjs', under, at: 2, times: 0, does: 'ENOSPC' });
  Object.assign(rig.env, fault);
  const { running } = runWrapper(rig, 'codex', ['--result=records/r.json']);
  const fake = await rig.call();
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.match(
    (await running.result).stderr,
    /what could be kept of it is in .*; once that is corrected, tollgate preflight --sweep publishes it/,
  );
  for (const name of Object.keys(fault)) delete rig.env[name];
  assert.equal([(await sweep(rig)).hows, traces(rig)], [['call settled'], []]);
  assert.is(JSON.parse(readFileSync(path.join(rig.project, 'records/r.json'), 'utf8')).verdict.class, null);
  assert.is(readFileSync(path.join(rig.project, 'codex.out'), 'utf8'), 'paid for');
});

where('faults', test)(
  'a full disk keeps the call of a dead guardian open, and the next sweep publishes it',
  async ({ rig }) => {
    const { task, fake } = await killedTask(rig);
    await fake.tell(...answerWith('codex', 'paid for'));
    await fake.gone;
    const under = path.join(task.folder, 'outputs');
    const fault = faultEnv({ in: 'tollgate.cjs', under, at: 1, times: 0, does: 'ENOSPC' });
    Object.assign(rig.env, fault);
    const full = await sweep(rig);
    assert.equal([full.code, full.hows, openCalls(task.journal.read().ledger).length], [1, ['call failed'], 1]);
    for (const name of Object.keys(fault)) delete rig.env[name];
    assert.equal([(await sweep(rig)).hows, traces(rig)], [['call settled'], []]);
    assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
    assert.is(task.read('outputs/codex_brief.codex.out'), 'paid for');
  },
);

test('a call whose files cannot be read is told as made, and swept when they can be', async ({ rig }) => {
  const under = path.join(rig.project, 'kept');
  mkdirSync(under);
  const fault = faultEnv({ in: 'copilot_tool.cjs', under, does: 'EIO_READ' });
  Object.assign(rig.env, fault);
  const run = runWrapper(rig, 'copilot', ['--out=kept/copilot.out', '--err=kept/copilot.err']);
  const fake = await rig.call();
  await fake.tell(...answerWith('copilot', 'paid for'));
  const { code, record, said: stderr } = await run.ended();
  assert.equal([code, record.ending, record.verdict.evidence?.rule], [32, 'lost', 'unread-disk']);
  assert.match(stderr, /the call was made, and its result could not be read .*preflight --sweep publishes it/);
  for (const name of Object.keys(fault)) delete rig.env[name];
  assert.equal([(await sweep(rig)).hows, traces(rig)], [['call settled'], []]);
  assert.is(readFileSync(path.join(under, 'copilot.out'), 'utf8'), 'paid for');
});

test('half an entry that a kill left, also one of an earlier version, is removed once it is old', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  await runWrapper(rig, 'codex').ended();
  const [old, young] = ['20260101000000-00000000.json', '20260101000000-00000001.json'];
  for (const half of [(name: string) => `${temporaryPrefix(name, 4_000_000)}1`, (name: string) => `${name}.new`]) {
    for (const name of [old, young]) writeFileSync(path.join(register(rig), half(name)), '');
    utimesSync(path.join(register(rig), half(old)), 1, 1);
    assert.equal([(await sweep(rig)).hows, namesIn(register(rig))], [[], [half(young)]]);
    rmSync(path.join(register(rig), half(young)));
  }
});

test('a task that a living run has is left to that run', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  const [call] = openCalls(task.journal.read().ledger);
  running.signal('SIGSTOP');
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  assert.equal(await sweep(rig, '--now'), { code: 0, hows: [], swept: [] });
  running.signal('SIGCONT');
  await fake.tell(...answerWith('codex', 'ok'));
  assert.equal([(await running.result).code, rig.calls.length], [0, 1]);
});

test('what a task left in other folders goes, when its CLI was never started', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  const { reserved } = await killWithGuardian(task, running);
  await fake.tell({ do: 'die', signal: 'SIGKILL' });
  rmSync(path.join(task.folder, 'state/attempts', reserved.call_id, 'stdout'));
  rig.answer(() => answerWith('codex', 'again'));
  assert.equal([(await task.run()).code, traces(rig)], [0, []]);
});

test('a journal of a newer version and one that cannot be read are named, and not changed', async ({ rig }) => {
  const [newer, folder] = ['newer', 'folder'].map((id) =>
    path.join(makeTask(rig, ONE, id).folder, 'state/journal.jsonl'),
  );
  mkdirSync(path.dirname(newer!));
  writeFileSync(newer!, '{"v":2,"fact":"new"}\n');
  mkdirSync(folder!, { recursive: true });
  const { code, hows, swept } = await sweep(rig, '--now');
  assert.equal([code, hows.sort()], [1, ['task failed', 'task failed']]);
  const told = swept.map((one) => one.told).join('\n');
  assert.match(told, `${newer} was written by a newer version (format 2, this one reads 1): update tollgate`);
  assert.match(told, 'task/folder/state/journal.jsonl is a folder, and no regular file');
  assert.is(readFileSync(newer!, 'utf8'), '{"v":2,"fact":"new"}\n');
});

test('a task whose outputs lead elsewhere is named', async ({ rig }) => {
  const { folder } = makeTask(rig, ONE);
  symlinkSync(rig.home, path.join(folder, 'outputs'));
  const { code, hows, swept } = await sweep(rig);
  assert.equal([code, hows], [1, ['task failed']]);
  assert.match(swept[0]!.told, 'outputs is a symbolic link that leads out of');
});

onLinux(
  'a child that bears no marker and works in the $TMPDIR of a call on its own is ended with it',
  async ({ rig }) => {
    const fake = await killedWrapper(rig);
    const { PATH } = fake.report.env;
    const script = 'cd "$1" && exec sleep 600';
    const pid = await fake.spawn(['sh', '-c', script, 'sh', fake.report.env.TMPDIR!], {
      detached: true,
      env: { PATH: PATH! },
    });
    await waitWhile(() => readlinkSync(`/proc/${pid}/cwd`) !== fake.report.env.TMPDIR);
    await fake.tell(...answerWith('codex', 'paid for'));
    await fake.gone;
    assert.equal([(await sweep(rig, '--now')).hows, isAlive(pid), traces(rig)], [['call settled'], false, []]);
  },
);

type Row = [what: string, plant: (entry: RegisterEntry, rig: TestRig) => unknown, told: string];

/** Each a change to an entry whose guardian is dead. */
const PLANTED: Row[] = [
  ['is not JSON', () => 'half of {', 'it is not a JSON object'],
  ['is a list', () => [], 'its v is missing or wrong'],
  ['is of a newer version', (entry) => ({ ...entry, v: 2 }), 'a newer version wrote it (format 2, this one reads 1)'],
  [
    'tells of another call',
    (entry) => ({ ...entry, call_id: '20260101000000-00000000', marker: '20260101000000-00000000' }),
    'it tells of another call (20260101000000-00000000)',
  ],
  ['has a marker of another', (entry) => ({ ...entry, marker: 'stranger' }), 'its marker is missing or wrong'],
  ['has no guardian', (entry) => ({ ...entry, guardian: null }), 'its guardian is missing or wrong'],
  [
    'lives on another host',
    (entry) => ({ ...entry, guardian: { ...entry.guardian, host: 'far' } }),
    'may be at work on far (or in another container), and was not touched',
  ],
  [
    'lives in another container',
    (entry) => ({ ...entry, guardian: { ...entry.guardian, pid_ns: 'pid:[1]' } }),
    '(or in another container), and was not touched',
  ],
  ['names /etc as its temporary folder', (entry) => ({ ...entry, temporary: '/etc' }), '/etc was not made by tollgate'],
  [
    'names a folder with ..',
    (entry) => ({ ...entry, temporary: `${entry.temporary}/../tg-aaaaaa` }),
    'its temporary is missing or wrong',
  ],
  ['names a relative folder', (entry) => ({ ...entry, attempt: '.tollgate-x' }), 'its attempt is missing or wrong'],
  [
    'names a foreign overlay',
    (entry) => ({ ...entry, overlay_folders: ['/etc/tollgate'] }),
    '/etc/tollgate was not made by tollgate',
  ],
  [
    'names a link',
    (entry, rig) => {
      const temporary = path.join(rig.root, 'tmp/tg-linked');
      symlinkSync(rig.home, temporary);
      return { ...entry, temporary };
    },
    'tg-linked was not made by tollgate',
  ],
  [
    'would publish elsewhere',
    (entry, rig) => ({
      ...entry,
      draft: {
        ...entry.draft,
        files: { ...(entry.draft as { files: object }).files, out: path.join(rig.home, '.bashrc') },
      },
    }),
    'the register does not record how it was called',
  ],
  [
    'holds a pattern that is none',
    (entry) => ({ ...entry, draft: { ...entry.draft, redaction_patterns: ['('] } }),
    'the register does not record how it was called',
  ],
  [
    'holds rows that are none',
    (entry) => ({ ...entry, draft: { ...entry.draft, own_rows: 5 } }),
    'the register does not record how it was called',
  ],
  [
    'names a task’s attempt elsewhere',
    (entry, rig) => ({ ...entry, task: rig.home, attempt: entry.attempt }),
    'was not made by tollgate',
  ],
  ['holds no draft', (entry) => ({ ...entry, draft: null }), 'the register does not record how it was called'],
];

test('an entry of the register that is forged or foreign is named, and nothing of it is touched', async ({ rig }) => {
  const fake = await killedWrapper(rig, [], ...answerWith('codex', 'paid for'));
  await fake.gone;
  const { file, entry } = entryOf(rig);
  for (const [what, plant, told] of PLANTED) {
    const planted = plant(entry, rig);
    const text = typeof planted === 'string' ? planted : JSON.stringify(planted);
    writeFileSync(file, text);
    const { code, swept } = await sweep(rig, '--now');
    assert.match(swept.map((one) => one.told).join('\n'), told, what);
    assert.is(code, swept[0]!.how === 'elsewhere' ? 0 : 1, what);
    assert.equal([readFileSync(file, 'utf8'), existsSync(path.join(rig.project, 'codex.out'))], [text, false], what);
    assert.match(readFileSync(path.join(entry.attempt, 'stdout'), 'utf8'), 'paid for', what);
    assert.is(existsSync(path.join(rig.home, '.bashrc')), false, what);
  }
  writeFileSync(file, JSON.stringify(entry));
  assert.equal((await sweep(rig)).hows, ['call settled']);
});

test('a stranger that bears the number of the CLI, or is named as it, lives on', async ({ rig }) => {
  const fake = await killedWrapper(rig, [], { do: 'die', signal: 'SIGKILL' });
  await fake.gone;
  const { file, entry } = entryOf(rig);
  const stranger = (await identify(startStranger()))!;
  for (const cli of [{ ...stranger, start_time: '1' }, stranger]) {
    writeFileSync(file, JSON.stringify({ ...entry, cli, deadline_at: '2026-01-01T00:00:00.000Z' }));
    assert.equal([(await sweep(rig, '--now')).code, isAlive(stranger.pid)], [0, true]);
  }
});

test('a guardian whose number a stranger bears now is dead, and a link in its attempt is not followed', async ({
  rig,
}) => {
  const fake = await killedWrapper(rig, [], ...answerWith('codex', 'paid for'));
  await fake.gone;
  const { file, entry } = entryOf(rig);
  const pid = startStranger();
  writeFileSync(file, JSON.stringify({ ...entry, guardian: { ...entry.guardian, pid } }));
  rmSync(path.join(entry.attempt, 'stderr'));
  symlinkSync('/etc/passwd', path.join(entry.attempt, 'stderr'));
  const { code, hows } = await sweep(rig);
  assert.equal([code, hows, isAlive(pid)], [0, ['call settled'], true]);
  assert.is(readFileSync(path.join(rig.project, 'codex.out'), 'utf8'), 'paid for');
  assert.not.match(readFileSync(path.join(rig.project, 'codex.err'), 'utf8'), 'root:');
});

test('a register that others may write is not believed', async ({ rig }) => {
  await killedWrapper(rig);
  chmodSync(register(rig), 0o777);
  const { code, swept } = await sweep(rig, '--now');
  assert.equal([code, rig.survivors().length], [1, 1]);
  assert.match(swept[0]!.told, 'is not ours alone to write');
});

test('without a home nothing is registered, and the call is made all the same', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  rig.write('ask.md', 'Say hello.\n');
  for (const HOME of ['', 'relative', '/proc/nowhere', '/dev/null', path.join(rig.root, 'nowhere')]) {
    rig.env.HOME = HOME;
    const { code } = await rig.run('tollgate', ['call', 'codex', ...usualFlags('codex')]);
    assert.equal([code, existsSync(path.join(rig.root, 'nowhere'))], [0, false], HOME);
  }
});

onLinux(
  'a folder that nothing was done in for a day is removed, unless somebody uses it or it may be another’s',
  async ({ rig }) => {
    const make = (name: string, mode: number) => {
      const folder = path.join(rig.root, 'tmp', name);
      mkdirSync(folder, { mode });
      writeFileSync(path.join(folder, 'file'), '');
      return folder;
    };
    const old = (folder: string) => {
      for (const file of [path.join(folder, 'file'), folder]) utimesSync(file, 1, 1);
      return folder;
    };
    const stray = old(make('tg-strayA', 0o700));
    make('tg-youngA', 0o700);
    old(make('tg-openAA', 0o755));
    old(make('tg-longer-name', 0o700));
    const fresh = old(make('tg-freshA', 0o700));
    utimesSync(path.join(fresh, 'file'), new Date(), new Date());
    startStranger({ TMPDIR: old(make('tg-usedAA', 0o700)) });
    const { hows, swept } = await sweep(rig);
    assert.equal([hows, swept.map(({ place }) => place)], [['folder removed'], [stray]]);
    assert.equal(namesIn(path.join(rig.root, 'tmp')).sort(), [
      'tg-freshA',
      'tg-longer-name',
      'tg-openAA',
      'tg-usedAA',
      'tg-youngA',
    ]);
  },
);

test('without a home it says that there is no register to look at', async ({ rig }) => {
  delete rig.env.HOME;
  rig.answer(() => answerWith('codex', 'ok'));
  const { record } = await runWrapper(rig, 'codex').ended();
  assert.match(record.warnings.join(), 'the call could not be registered');
  const { code, stdout } = await rig.start('preflight', ['--sweep']).result;
  assert.is(code, 0);
  assert.match(stdout, 'there is no register to look at');
  assert.not.match(stdout, 'Nothing to sweep');
});

test.run();
