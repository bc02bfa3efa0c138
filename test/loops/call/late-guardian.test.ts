// A guardian that lives and does not work: stopped, it is woken; stuck, it is killed; who is not known for it is left alone.

import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DIED } from '../../../loops/call/close-orphaned-call.ts';
import { settle, settleLeftovers } from '../../../loops/call/settle.ts';
import { type Errand, sendGuardian } from '../../../loops/stage/guardian.ts';
import { sweepTask } from '../../../loops/upkeep/sweep-task.ts';
import type { PreflightReport } from '../../../preflight.ts';
import { type Call, openCalls } from '../../../state/journal/ledger.ts';
import { locateTask } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { rewriteDraft } from '../../rig/rewritten-draft.ts';
import { endStrangers, startStranger } from '../../rig/stranger.ts';
import { answerWith } from '../../rig/streams.ts';
import { isAlive } from '../../rig/survivors.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { waitWhile } from '../../rig/wait-while.ts';
import { TOO_LATE, withinLimit } from '../../rig/within-limit.ts';
import { runWrapper } from '../../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('a late guardian');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(async ({ rig }) => {
  await endStrangers();
  await rig.dispose();
});

const DAY_MS = 86_400_000;
/** Late at once, and killed as soon as it was woken. */
const NONE = { lateMs: 0, wokenMs: 100, leavingMs: 60_000 };

interface Late {
  task: TestTask;
  call: Call;
  fake: FakeCall;
}

const clocksADayAgo = ({ steadyMs, bootMs }: { steadyMs: number; bootMs: number }) => ({
  steadyMs: steadyMs - DAY_MS,
  bootMs: bootMs - DAY_MS,
});

/** The dispatcher is dead, the guardian stopped, and its call looks as if it had begun a day ago. */
async function lateCall(rig: TestRig): Promise<Late> {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const running = task.start();
  const fake = await rig.call();
  running.signal('SIGKILL');
  await running.result;
  return stopped(task, fake);
}

/** The same, of a call whose deadline comes while its guardian is stopped; each in a task of its own. */
const lateCallUnderLimit = (rig: TestRig): Promise<Late> =>
  withinLimit(1000, async (timeout_ms, isOver) => {
    const stages = [{ tool: 'codex', role: 'brief', ...ANY_ANSWER, timeout_ms }];
    const task = makeTask(rig, { stages, budgets: { retry_budget: 0 } }, `fix-${timeout_ms}`);
    const running = task.start();
    const fake = await rig.callBefore(running.result);
    if (fake !== null && !isOver()) running.signal('SIGKILL');
    await running.result;
    await waitWhile(() => !isOver() && openCalls(task.journal.read().ledger)[0]?.started == null);
    return fake === null || isOver() ? TOO_LATE : stopped(task, fake);
  });

async function stopped(task: TestTask, fake: FakeCall): Promise<Late> {
  await waitWhile(() => openCalls(task.journal.read().ledger)[0]?.started == null);
  const [call] = openCalls(task.journal.read().ledger);
  const { pid } = call!.reserved.guardian;
  await freeze(pid);
  rewriteDraft(task, call!, ({ clocks }) => ({ clocks: clocksADayAgo(clocks) }));
  return { task, call: call!, fake };
}

function folderOf(rig: TestRig, { task }: Pick<Late, 'task'>) {
  const located = locateTask(`${task.folder}/`, rig.project, rig.env);
  if (located.how === 'invalid') throw new Error(located.message);
  return located.folder;
}

const settling = (rig: TestRig, late: Pick<Late, 'task'>, said: string[] = []) => ({
  task: folderOf(rig, late),
  journal: late.task.journal,
  clock: () => new Date(),
  environment: rig.env,
  stop: new AbortController().signal,
  say: (sentence: string) => void said.push(sentence),
  patience: NONE,
});

const isStopped = (pid: number): boolean =>
  spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.startsWith('T');

async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  // One that waits for the disk, or for a processor, stops behind it.
  await waitWhile(() => !isStopped(pid));
}

const endingOf = ({ task, call }: Late) => task.journal.read().ledger.calls.get(call.reserved.call_id)?.ended?.ending;

test('the next run wakes one that was stopped, which then ends its call itself', async ({ rig }) => {
  const late = await lateCallUnderLimit(rig);
  rig.answer(() => answerWith('codex', 'asked anew'));
  const { said } = await late.task.run();
  assert.match(
    said,
    /the call \S+ is long past its deadline, and its guardian \(pid \d+\) has not ended it; it is woken/,
  );
  const record = late.task.read(`state/attempts/${late.call.reserved.call_id}/record.json`);
  assert.equal([endingOf(late), JSON.parse(record).warnings.includes(DIED)], ['timed_out', false]);
  assert.equal(rig.survivors(), []);
});

test('one that is woken and does not end its call is killed, and what it left is settled', async ({ rig }) => {
  const late = await lateCall(rig);
  await late.fake.spawn(['sleep', '600'], { detached: true });
  assert.equal(await settle(late.call, { ...settling(rig, late), foreign: 'refuse' }), { how: 'settled' });
  assert.is(endingOf(late), 'timed_out');
  assert.equal(rig.survivors(), []);
});

test('within its time it is waited for, stopped or not', async ({ rig }) => {
  const late = await lateCall(rig);
  const said: string[] = [];
  const stop = new AbortController();
  const say = (sentence: string) => {
    said.push(sentence);
    stop.abort();
  };
  const patience = { ...NONE, lateMs: 2 * DAY_MS, wokenMs: 0 };
  const { how } = await settle(late.call, {
    ...settling(rig, late),
    foreign: 'refuse',
    say,
    stop: stop.signal,
    patience,
  });
  assert.is(how, 'stopped');
  assert.match(said[0]!, 'waiting for the call');
  assert.ok(isAlive(late.call.reserved.guardian.pid));
});

for (const foreign of ['refuse', 'close'] as const)
  test(`a process that the journal passes for the guardian is not touched (${foreign})`, async ({ rig }) => {
    const late = await lateCall(rig);
    const stranger = startStranger();
    await freeze(stranger);
    const { file } = late.task.journal;
    const planted = JSON.stringify(await identify(stranger));
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(JSON.stringify(late.call.reserved.guardian), planted));
    const call = openCalls(late.task.journal.read().ledger)[0]!;
    assert.is(call.reserved.guardian.pid, stranger);
    const settled = await settle(call, { ...settling(rig, late), foreign });
    if (settled.how === 'refused') assert.match(settled.message, `its guardian is the process ${stranger};`);
    assert.is(settled.how, foreign === 'refuse' ? 'refused' : 'settled');
    assert.is(isStopped(stranger), true);
    process.kill(late.call.reserved.guardian.pid, 'SIGKILL');
  });

test('one that has not started its CLI is not woken: it would ask, and nobody waits for that', async ({ rig }) => {
  const late = await lateCallUnderLimit(rig);
  unlinkSync(path.join(late.task.folder, 'state/attempts', late.call.reserved.call_id, 'stdout'));
  // Woken, it would end its call as timed out.
  const patience = { ...NONE, wokenMs: 20_000 };
  const { how } = await settle(late.call, { ...settling(rig, late), foreign: 'refuse', patience });
  assert.equal([how, endingOf(late), rig.survivors()], ['settled', 'lost', []]);
});

test('a wrapper whose time was over before it started anything asks nobody', async ({ rig }) => {
  const anHourEach =
    'const is = process.hrtime.bigint; let n = 0n; process.hrtime.bigint = () => is() + (n += 3600n * 10n ** 9n);';
  rig.env.NODE_OPTIONS = `--require=${JSON.stringify(rig.write('jumps.cjs', anHourEach))}`;
  const { code, said, record } = await runWrapper(rig, 'codex', ['--timeout-ms=1000']).ended();
  assert.equal([code, record.verdict.reason, rig.calls.length], [12, 'timeout', 0]);
  assert.match(said, 'no request was sent');
  const left = readdirSync(rig.project).filter((name) => name.startsWith('.'));
  assert.equal([left, readdirSync(path.join(rig.home, '.local/state/tollgate/calls'))], [[], []]);
});

for (const foreign of ['refuse', 'close'] as const)
  test(`a wrapper of tollgate that is not known for the guardian is left too (${foreign})`, async ({ rig }) => {
    const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
    const { running } = runWrapper(rig, 'codex', [`--task=${task.folder}/`, '--stage=codex_brief']);
    const late = await stopped(task, await rig.call());
    const { how } = await settle(late.call, { ...settling(rig, late), foreign });
    assert.equal([how, isStopped(running.pid)], ['refused', true]);
    running.signal('SIGCONT');
    await late.fake.tell(...answerWith('codex', 'ok'));
    assert.is((await running.result).code, 0);
  });

test('a sweep does as the next run would', async ({ rig }) => {
  const late = await lateCall(rig);
  const sweeping = {
    cwd: rig.project,
    environment: rig.env,
    working: 'wait',
    clock: () => new Date(),
    patience: NONE,
  } as const;
  assert.equal(await sweepTask(late.task.folder, sweeping).then((swept) => swept.map(({ how }) => how)), ['settled']);
  assert.equal([endingOf(late), rig.survivors()], ['timed_out', []]);
});

test('of a call on its own a sweep names it', async ({ rig }) => {
  const { running } = runWrapper(rig, 'codex');
  const fake = await rig.call();
  running.signal('SIGSTOP');
  const register = path.join(rig.home, '.local/state/tollgate/calls');
  const file = path.join(register, readdirSync(register)[0]!);
  const entry = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(
    file,
    JSON.stringify({ ...entry, draft: { ...entry.draft, clocks: clocksADayAgo(entry.draft.clocks) } }),
  );
  const { code, stdout } = await rig.start('preflight', ['--sweep', '--now', '--json']).result;
  const [swept] = (JSON.parse(stdout) as PreflightReport).swept!;
  assert.equal([code, swept!.how], [1, 'failed']);
  assert.match(swept!.fix!, `kill -CONT ${running.pid}`);
  running.signal('SIGCONT');
  await fake.tell(...answerWith('codex', 'ok'));
  assert.is((await running.result).code, 0);
});

/** A call that is open, with that process for its guardian. */
async function guardedBy(rig: TestRig, pid: number): Promise<Pick<Late, 'task' | 'call'>> {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  task.journal.append({
    fact: 'reserved',
    call_id: '20260101000000-00000000',
    run_id: null,
    stage: 'codex_brief',
    tool: 'codex',
    attempt: 1,
    for_prompt: null,
    guardian: (await identify(pid))!,
    deadline_at: '2099-01-01T00:00:00.000Z',
  });
  return { task, call: openCalls(task.journal.read().ledger)[0]! };
}

const judge = ({ task, call }: Pick<Late, 'task' | 'call'>) =>
  task.journal.append({
    fact: 'verdict',
    call_id: call.reserved.call_id,
    class: null,
    reason: null,
    signature: null,
    retry_at: null,
    exit_code: 0,
  });

/** It ends when its input does. */
function startLeaver(): { pid: number; leaveSoon(): void } {
  const leaver = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  return { pid: leaver.pid!, leaveSoon: () => void setTimeout(() => leaver.stdin.end(), 300) };
}

test('a guardian that has yet to end after its verdict is waited for by the next run', async ({ rig }) => {
  const { pid, leaveSoon } = startLeaver();
  const guarded = await guardedBy(rig, pid);
  judge(guarded);
  const settled = settleLeftovers({ ...settling(rig, guarded), foreign: 'refuse' });
  leaveSoon();
  assert.is(await settled, null);
  assert.is(await identify(pid), null);
});

test('and by one that waited for its verdict', async ({ rig }) => {
  const { pid, leaveSoon } = startLeaver();
  const guarded = await guardedBy(rig, pid);
  const said: string[] = [];
  const say = (sentence: string) => {
    said.push(sentence);
    judge(guarded);
    leaveSoon();
  };
  assert.equal(await settle(guarded.call, { ...settling(rig, guarded), foreign: 'refuse', say }), { how: 'settled' });
  assert.equal([said.length, await identify(pid)], [1, null]);
});

test('but not for ever: one that stays is told of', async ({ rig }) => {
  const guarded = await guardedBy(rig, startStranger());
  judge(guarded);
  const said: string[] = [];
  const patience = { ...NONE, leavingMs: 100 };
  assert.is(await settleLeftovers({ ...settling(rig, guarded, said), foreign: 'refuse', patience }), null);
  const { pid } = guarded.call.reserved.guardian;
  assert.is(said.length, 1);
  assert.match(said[0]!, `is over, but its guardian (pid ${pid}) has not ended`);
  assert.ok(isAlive(pid));
});

/** A guardian that stops itself at once. */
function stuck(rig: TestRig): Errand {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief' }] });
  rig.write('commands/run_codex.cjs', "process.kill(process.pid, 'SIGSTOP'); setInterval(() => {}, 1000);");
  const located = locateTask(`${task.folder}/`, rig.project, rig.env);
  if (located.how === 'invalid') throw new Error(located.message);
  return {
    task: located.folder,
    stage: { tool: 'codex', name: 'codex_brief' },
    access: 'read',
    timeoutMs: 1,
    callId: '20260101000000-00000000',
    dispatch: { run_id: 'r', call_id: '20260101000000-00000000', for_prompt: 'p' },
    promptFile: 'p.md',
    cwd: rig.project,
    options: { trustWorkspace: false, keepRaw: false, recordRequests: false },
    resumeSession: null,
    environment: rig.env,
    commandFolder: path.join(rig.project, 'commands'),
  } as unknown as Errand;
}

test('a run that waits for its own ends it as well', async ({ rig }) => {
  const { killed, why } = await sendGuardian(stuck(rig), new AbortController().signal, NONE);
  assert.is(killed, false, 'its own kill is nobody’s harm');
  assert.match(why, 'long past the deadline of its call');
});

test('one that was stopped is told when the run is to end', async ({ rig }) => {
  const stop = new AbortController();
  const ended = sendGuardian(stuck(rig), stop.signal);
  await waitWhile(() => !rig.survivors().some(({ pid }) => isStopped(pid)));
  stop.abort();
  assert.is((await ended).why, 'the wrapper ended by SIGTERM and wrote no record');
});

test.run();
