// A call whose guardian was killed: the next run guards it as well as its own, and the answer is never paid for again.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallTerms } from '../../policies/manifest/call-terms.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { registerFolder } from '../../state/calls/call-register.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { type Call, openCalls } from '../../state/journal/ledger.ts';
import { signallingUnread } from '../../wrappers/following/cut.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { draftOf, rewriteDraft } from '../rig/rewritten-draft.ts';
import type { RunningCommand } from '../rig/running-command.ts';
import { answerWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, killWithGuardian, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { where } from '../rig/where-possible.ts';
import { TOO_LATE, withinLimit } from '../rig/within-limit.ts';

const test = suite<{ rig: TestRig }>('adopted');
const onLinux = where('linux', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const { opens, says, succeeds, retries, runsTool } = STREAMS.codex;
const OPENED = write(opens(SESSION));
const SETTLED = /stage codex_brief: the call \S+ lost its guardian and still works; guarded from here \(until \S+\)\n/;

type Draft = Record<string, object>;

interface Orphan {
  task: TestTask;
  call: Call;
  fake: FakeCall;
}

/** A call that works on without its dispatcher and its guardian. */
const orphan = async (rig: TestRig, stage: object = {}): Promise<Orphan> =>
  (await orphanBefore(() => false, rig, stage))!;

/** null where its guardian may have ended it before. */
async function orphanBefore(isLate: () => boolean, rig: TestRig, stage: object): Promise<Orphan | null> {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER, ...stage }] });
  const first = task.start();
  const fake = await rig.callBefore(first.result);
  await waitWhile(() => !isLate() && openCalls(task.journal.read().ledger)[0]?.started == null);
  if (isLate()) return null;
  return { task, call: await killWithGuardian(task, first), fake: fake! };
}

/** An orphan under a limit that its guardian has not lived to see. */
const orphanUnder = <Seen>(
  limit: 'idle_timeout_ms' | 'start_timeout_ms' | 'timeout_ms',
  firstMs: number,
  look: (left: Orphan, rig: TestRig, limitMs: number) => Promise<Seen | typeof TOO_LATE>,
): Promise<Seen> =>
  withinLimit(firstMs, async (limitMs, isOver) => {
    const rig = await TestRig.open({ tools: ['codex'] });
    try {
      const left = await orphanBefore(isOver, rig, { [limit]: limitMs });
      return left === null ? TOO_LATE : await look(left, rig, limitMs);
    } finally {
      await rig.dispose();
    }
  });

/** The next run guards it to its end. @returns whether its first byte came before that run, too, would end it as silent. */
async function spokeUnderIt(left: Orphan, rig: TestRig, idleMs: number): Promise<boolean> {
  const began = performance.now();
  const next = await adopted(rig, left);
  const said = await left.fake.did(OPENED);
  const inTime = said && performance.now() - began < idleMs;
  await next.result;
  return inTime;
}

const recordOf = ({ task, call }: Orphan) =>
  JSON.parse(task.read(`state/attempts/${call.reserved.call_id}/record.json`)) as CallRecord;

/** The next run, which answers what is asked anew. */
async function adopted(rig: TestRig, { task }: Orphan): Promise<RunningCommand> {
  rig.answer(() => answerWith('codex', 'asked anew'));
  const next = task.start();
  await next.says(SETTLED);
  return next;
}

/** One that has a child is ended by the next run, and that is how its record tells it. */
function assertEnded(left: Orphan, rig: TestRig, ending: string, reason: string): void {
  const { ending: ended, verdict, orphans_killed, duration_ms } = recordOf(left);
  assert.equal([ended, verdict.reason, orphans_killed, duration_ms], [ending, reason, 1, null]);
  assert.equal(rig.survivors(), []);
}

for (const [ending, reason, stage, told] of [
  ['retry_cut', 'overloaded', {}, write([...opens(SESSION), ...retries('The engine is overloaded')])],
  ['max_turns', 'max_turns', { max_turns: 1 }, write([...opens(SESSION), ...runsTool('ok')])],
] as const)
  test(`its limits hold: ${reason}`, async ({ rig }) => {
    const left = await orphan(rig, stage);
    await left.fake.spawn(['sleep', '600'], { detached: true });
    const next = await adopted(rig, left);
    await left.fake.tell(told);
    await next.result;
    assertEnded(left, rig, ending, reason);
  });

test('its limits hold: idle', () =>
  orphanUnder('idle_timeout_ms', 2000, async (left, rig, limitMs) => {
    await left.fake.spawn(['sleep', '600'], { detached: true });
    if (!(await spokeUnderIt(left, rig, limitMs))) return TOO_LATE;
    assertEnded(left, rig, 'idle', 'idle');
  }));

test('its limits hold: silent_start', () =>
  orphanUnder('start_timeout_ms', 3000, async (left, rig) => {
    await left.fake.spawn(['sleep', '600'], { detached: true });
    await (await adopted(rig, left)).result;
    assertEnded(left, rig, 'idle', 'silent_start');
  }));

test('its limits hold: the size of its output', async ({ rig }) => {
  const left = await orphan(rig);
  rewriteDraft(left.task, left.call, ({ limits }) => ({ limits: { ...limits, maxOutputBytes: 1000 } }));
  const next = await adopted(rig, left);
  void left.fake.tell({ do: 'fill', to: 'stderr', bytes: 5000 }, { do: 'hang' });
  await next.result;
  assert.equal([recordOf(left).ending, recordOf(left).verdict.reason], ['overflowed', 'output_overflow']);
  assert.equal(rig.survivors(), []);
});

for (const [what, text] of [
  ['is gone', null],
  ['gives it more time', (draft: Draft) => ({ ...draft, limits: { ...draft.limits, idleTimeoutMs: null } })],
  ['is of another call', (draft: Draft) => ({ ...draft, call_id: 'other', marker: 'other', redaction_patterns: [] })],
] as const)
  test(`its limits hold though its draft ${what}: the agent can write that`, () =>
    orphanUnder('idle_timeout_ms', 2000, async (left, rig, limitMs) => {
      const file = draftOf(left.task, left.call);
      if (text === null) rmSync(file);
      else writeFileSync(file, JSON.stringify(text(JSON.parse(readFileSync(file, 'utf8')))));
      if (!(await spokeUnderIt(left, rig, limitMs))) return TOO_LATE;
      const { ending, verdict, warnings } = recordOf(left);
      assert.equal([ending, verdict.reason], ['idle', 'idle']);
      assert.ok(
        warnings.includes(
          'the attempt.json of the call is not the one that its wrapper wrote: the call was settled by what the journal says of it',
        ),
      );
      assert.ok(warnings.some((warning) => warning.startsWith('[withheld: the attempt.json of the call, which says')));
      assert.equal(rig.survivors(), []);
    }));

test('an agent that edits draft and journal alike is held by the register of its user', () =>
  orphanUnder('timeout_ms', 6000, async (left, rig) => {
    rewriteDraft(left.task, left.call, ({ limits }) => ({ limits: { ...limits, timeoutMs: 86_400_000 } }));
    const next = await adopted(rig, left);
    await next.result;
    assert.equal([recordOf(left).ending, recordOf(left).verdict.reason], ['timed_out', 'timeout']);
    assert.equal(rig.survivors(), []);
  }));

test('a dispatcher that lives holds the call of a killed guardian to what it asked for', () =>
  withinLimit(2000, async (idle_timeout_ms, isOver) => {
    const rig = await TestRig.open({ tools: ['codex'] });
    try {
      const task = makeTask(rig, {
        stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER, idle_timeout_ms }],
        budgets: { retry_budget: 0 },
      });
      const running = task.start();
      const fake = await rig.callBefore(running.result);
      await waitWhile(() => !isOver() && openCalls(task.journal.read().ledger)[0]?.started == null);
      const [call] = openCalls(task.journal.read().ledger);
      if (isOver()) return TOO_LATE;
      process.kill(call!.reserved.guardian.pid, 'SIGSTOP');
      const unlimited = { idleTimeoutMs: null, timeoutMs: 86_400_000 };
      rewriteDraft(task, call!, ({ limits }) => ({ limits: { ...limits, ...unlimited } }));
      rmSync(path.join(registerFolder(rig.env)!, `${call!.reserved.call_id}.json`));
      process.kill(call!.reserved.guardian.pid, 'SIGKILL');
      await running.says(SETTLED);
      await fake!.tell(OPENED);
      await running.result;
      assert.is(recordOf({ task, call: call!, fake: fake! }).ending, 'idle');
      assert.equal(rig.survivors(), []);
    } finally {
      await rig.dispose();
    }
  }));

test('its deadline holds by the clock that does not jump, whatever the time of day', async ({ rig }) => {
  const left = await orphan(rig);
  // By the time of day it would have a year; by the steady clock it has worked for longer than it may.
  rewriteDraft(left.task, left.call, ({ clocks }) => {
    const { steadyMs, bootMs } = clocks;
    return {
      started_at: new Date(Date.now() + 365 * 86_400_000).toISOString(),
      clocks: { steadyMs: steadyMs - 86_400_000, bootMs: bootMs - 86_400_000 },
    };
  });
  const next = await adopted(rig, left);
  await next.result;
  assert.equal([recordOf(left).ending, recordOf(left).verdict.reason], ['timed_out', 'timeout']);
  assert.equal(rig.survivors(), []);
});

test('a result whose CLI does not end counts; the CLI is ended', async ({ rig }) => {
  const left = await orphan(rig);
  const next = await adopted(rig, left);
  await left.fake.tell(write([...opens(SESSION), ...says('paid for'), ...succeeds()]));
  const { code } = await next.result;
  const { ending, warnings } = recordOf(left);
  assert.equal([code, rig.calls.length, ending], [0, 1, 'lingered']);
  assert.ok(warnings.includes('the answer was complete, but the CLI reported its result but did not exit'));
  assert.is(left.task.read('outputs/codex_brief.codex.out'), 'paid for');
  assert.equal(rig.survivors(), []);
});

test('a success that came after the signal of a guardian that died does not count', async ({ rig }) => {
  const left = await orphan(rig);
  await left.fake.tell(write([...opens(SESSION), ...says('half of an answer')]));
  signallingUnread({ stdout: path.join(left.task.folder, 'state/attempts', left.call.reserved.call_id, 'stdout') });
  await left.fake.tell(write(succeeds()), { do: 'exit', code: 0 });
  rig.answer(() => answerWith('codex', 'asked again'));
  const { code } = await left.task.run();
  assert.equal([code, rig.calls.length], [0, 2]);
  assert.equal([recordOf(left).ending, recordOf(left).verdict.reason], ['lost', 'interrupted']);
  assert.is(left.task.read('outputs/codex_brief.codex.out'), 'asked again');
});

test('a clock that was set forward ends no call early; what the CLI leaves behind is ended, and keeps nobody waiting', async ({
  rig,
}) => {
  const left = await orphan(rig);
  rewriteDraft(left.task, left.call, () => ({ started_at: '2001-01-01T00:00:00.000Z' }));
  await left.fake.spawn(['sleep', '600'], { detached: true });
  await left.fake.spawn(['sleep', '600'], { env: { PATH: process.env.PATH! } });
  const next = await adopted(rig, left);
  await left.fake.tell(...answerWith('codex', 'paid for'));
  const { code } = await next.result;
  const { ending, orphans_killed } = recordOf(left);
  assert.equal([code, rig.calls.length, ending, orphans_killed], [0, 1, 'exited', 2]);
  assert.is(left.task.read('outputs/codex_brief.codex.out'), 'paid for');
  assert.match(left.task.read('outputs/_summary.md'), 'Warning: codex_brief: the wrapper died; this record was made');
  assert.equal(rig.survivors(), []);
});

test('a call that died with everything counts as paid, and is made once more; its record and the report say so', async ({
  rig,
}) => {
  const left = await orphan(rig);
  await left.fake.tell(OPENED, { do: 'die', signal: 'SIGKILL' });
  rig.answer(() => answerWith('codex', 'asked anew'));
  const { code, report, summary } = await left.task.run();
  const [lost, again] = left.task.journal.read().ledger.calls.keys();
  const note = `codex_brief: the call ${lost} was in flight when it died with its wrapper; it counts as paid, and was made once more (${again})`;
  assert.equal([code, rig.calls.length, report.budget.used, report.notes], [0, 2, 2, [note]]);
  assert.match(summary, note);
  const { ending, verdict, warnings } = recordOf(left);
  assert.equal([ending, verdict.class, verdict.reason], ['lost', 'transient', 'interrupted']);
  assert.equal(warnings.slice(-2), [
    'the wrapper died; this record was made afterwards from the files of its attempt',
    'it was in flight when its wrapper died, and its end was not seen: it counts as paid',
  ]);
});

for (const how of ['a run', 'a sweep'] as const)
  onLinux(
    `what a CLI that died with its wrapper left behind keeps ${how} not waiting, and is ended`,
    async ({ rig }) => {
      const left = await orphan(rig);
      await left.fake.spawn(['sleep', '600'], { detached: true });
      await left.fake.tell(OPENED, { do: 'die', signal: 'SIGKILL' });
      if (how === 'a sweep') await rig.run('tollgate', ['preflight', '--sweep']);
      else {
        rig.answer(() => answerWith('codex', 'asked anew'));
        const { code } = await left.task.run();
        assert.equal([code, rig.calls.length], [0, 2]);
      }
      const { ending, orphans_killed } = recordOf(left);
      assert.equal([ending, orphans_killed], ['lost', 1]);
      assert.equal(rig.survivors(), []);
    },
  );

for (const [what, missing, fate, ended] of [
  [
    'was killed right before it started its CLI',
    'stderr',
    'died with its wrapper before its CLI was started; it counts as paid, although no request was sent',
    'not_started',
  ],
  [
    'left nothing that could be judged',
    'stdout',
    'was in flight when it died with its wrapper; it counts as paid',
    'lost',
  ],
] as const)
  test(`a call whose wrapper ${what} is closed, and said to be`, async ({ rig }) => {
    const left = await orphan(rig);
    const { journal, folder } = left.task;
    rmSync(path.join(folder, 'state/attempts', left.call.reserved.call_id, missing));
    if (ended === 'not_started')
      writeFileSync(journal.file, readFileSync(journal.file, 'utf8').replace(/.*"fact":"started".*\n/, ''));
    rig.answer(() => answerWith('codex', 'asked anew'));
    const { code, report } = await left.task.run();
    const calls = openJournal(folder, () => new Date()).read().ledger.calls;
    const [lost, again] = calls.keys();
    const note = `codex_brief: the call ${lost} ${fate}, and was made once more (${again})`;
    assert.equal([code, report.budget.used, report.notes, calls.get(lost!)!.ended!.ending], [0, 2, [note], ended]);
    await left.fake.gone;
    if (ended !== 'not_started') return;
    const { ending, verdict, wrapper_exit_code } = recordOf(left);
    assert.equal(
      [ending, verdict.reason, verdict.evidence!.text, wrapper_exit_code],
      [
        'not_started',
        'interrupted',
        'its wrapper died before the CLI was started; no request was sent, but the call counts as paid',
        12,
      ],
    );
  });

test('SIGTERM while it is guarded: the record first, then its tree, exit 143', async ({ rig }) => {
  const left = await orphan(rig);
  await left.fake.tell(OPENED, { do: 'trap', signals: ['SIGTERM'] });
  const next = await adopted(rig, left);
  next.signal('SIGTERM');
  await left.fake.caught('SIGTERM');
  const early = recordOf(left);
  const { code, stdout } = await next.result;
  assert.equal([code, JSON.parse(stdout).state, early.ending], [143, 'interrupted', 'cancelled']);
  assert.equal([recordOf(left).ending, openCalls(left.task.journal.read().ledger)], ['cancelled', []]);
  assert.equal(rig.survivors(), []);
});

test('an answer that arrives after the stop signal does not count, and the next run requests it again', async ({
  rig,
}) => {
  const left = await orphan(rig);
  const [answer] = answerWith('codex', 'just in time');
  await left.fake.tell(OPENED, { do: 'trap', signals: ['SIGTERM'], run: [answer!, { do: 'exit', code: 0 }] });
  const next = await adopted(rig, left);
  next.signal('SIGINT');
  assert.is((await next.result).code, 130);
  assert.is(recordOf(left).verdict.reason, 'cancelled');
  const again = left.task.start();
  await (await rig.call()).tell(...answerWith('codex', 'the second answer'));
  assert.equal([(await again.result).code, rig.calls.length], [0, 2]);
});

test('status shows a call that its next run guards', async ({ rig }) => {
  const left = await orphan(rig);
  const next = await adopted(rig, left);
  const { stdout } = await rig.run('tollgate', ['status', '--json']);
  const [shown] = JSON.parse(stdout).running.calls;
  assert.equal([shown.call_id, shown.pid], [left.call.reserved.call_id, left.call.started?.cli?.pid]);
  await left.fake.tell(...answerWith('codex', 'the answer'));
  assert.is((await next.result).code, 0);
});

test('a run that is told to stop while a guardian still works leaves the call to it, and says so', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const first = task.start();
  const fake = await rig.call();
  first.signal('SIGKILL');
  await first.result;
  const second = task.start();
  await second.says(/waiting for the call/);
  second.signal('SIGINT');
  const { code, stderr } = await second.result;
  assert.is(code, 130);
  assert.match(
    stderr,
    /stage codex_brief: the call \S+ continues under its guardian \(pid \d+\); the next run takes its answer\n/,
  );
  await fake.tell(...answerWith('codex', 'paid for'));
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

test('a guardian that is killed under a living dispatcher: the call is guarded on, and told to stop with it', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const running = task.start();
  const fake = await rig.call();
  await fake.tell(OPENED);
  const [call] = openCalls(task.journal.read().ledger);
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await running.says(SETTLED);
  running.signal('SIGINT');
  assert.is((await running.result).code, 130);
  await fake.gone;
  assert.is(recordOf({ task, call: call!, fake }).ending, 'cancelled');
  assert.equal([openCalls(task.journal.read().ledger), rig.survivors()], [[], []]);
});

test('a reservation that the agent took out is made again with its deadline and its terms', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER, timeout_ms: 3_600_000 }] });
  const running = task.start();
  const fake = await rig.call();
  await fake.tell(OPENED);
  await waitWhile(() => openCalls(task.journal.read().ledger)[0]?.started?.cli == null);
  const [call] = openCalls(task.journal.read().ledger);
  const { terms, deadline_at, guardian } = call!.reserved;
  process.kill(guardian.pid, 'SIGSTOP');
  const lines = task.read('state/journal.jsonl').split('\n');
  writeFileSync(task.journal.file, lines.filter((line) => !line.includes(call!.reserved.call_id)).join('\n'));
  process.kill(guardian.pid, 'SIGKILL');
  await running.says(SETTLED);
  const [again] = openCalls(task.journal.read().ledger);
  const { marker, limits, temporary, overlay_folders } = again!.reserved.terms as CallTerms;
  assert.equal({ marker, temporary, overlay_folders }, pick(terms as CallTerms));
  assert.is(limits.timeoutMs, 3_600_000);
  assert.ok(Math.abs(Date.parse(again!.reserved.deadline_at) - Date.parse(deadline_at)) < 600_000);
  await fake.tell(...answerWith('codex', 'paid for'));
  await running.result;
  assert.equal([task.read('outputs/codex_brief.codex.out'), rig.calls.length], ['paid for', 1]);
});

const pick = ({ marker, temporary, overlay_folders }: CallTerms) => ({ marker, temporary, overlay_folders });

test('what an agent changes after it lost its guardian is found as if it had one', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const running = task.start();
  const fake = await rig.call();
  await fake.tell(OPENED);
  const [call] = openCalls(task.journal.read().ledger);
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await running.says(SETTLED);
  const manifest = task.read('manifest.json');
  await fake.tell({ do: 'save', file: path.join(task.folder, 'manifest.json'), text: '{}' });
  await fake.tell(...answerWith('codex', 'mine now'));
  const { code } = await running.result;
  assert.equal([code, task.failure()!.reason, task.read('manifest.json')], [1, 'judge_changed', manifest]);
});

test.run();
