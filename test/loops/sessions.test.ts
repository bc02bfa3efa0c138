// Sessions by tag: which one a stage continues in, what a failure does to it, and that two never write one at a time.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTask } from '../../loops/run/run.ts';
import { recoverSession } from '../../loops/session/find-lost-session.ts';
import type { RunContext } from '../../loops/task/run-context.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { faultEnv } from '../rig/fault-shim.ts';
import { keepEntries, sessionsFileOf } from '../rig/kept-entries.ts';
import { contextIn, OPTIONS } from '../rig/run-settings.ts';
import { type MadeTurn, makeSession, SESSION_IDS, sessionFile } from '../rig/session-files.ts';
import { answerWith, failWith, SESSION, STREAMS, type Stream, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('sessions');
const onLinux = where('linux', test);
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };
const ONE = { stages: [REVIEW] };
const TOOLS: BuiltIn[] = ['gemini', 'copilot', 'codex', 'claude'];
const RESUMES = { gemini: '--resume', copilot: '--resume=', codex: 'resume', claude: '--resume=' } as const;
const BUSY = 'unexpected status 503 Service Unavailable: busy';

const file = sessionsFileOf;
const stored = (rig: TestRig) =>
  JSON.parse(readFileSync(file(rig), 'utf8')) as {
    active_sessions: Record<string, Record<string, SessionEntry>>;
    given_up?: Record<string, string[]>;
  };
const keep = (rig: TestRig, tag: string, entry: Partial<SessionEntry>, tool = 'codex') =>
  keepEntries(rig, tool, { [tag]: entry });
/** The session that each call was told to continue in. */
const asked = (rig: TestRig) =>
  rig.calls.map(({ report: { argv, tool } }) => {
    if (!argv.some((word) => word.startsWith(RESUMES[tool as BuiltIn]))) return null;
    return argv.find((word) => /[0-9a-f]{8}-[0-9a-f-]{27}/.test(word))!.replace(/^--resume=/, '');
  });
const prompts = (rig: TestRig) => rig.calls.map(({ report }) => report.stdin.text);

for (const tool of TOOLS)
  test(`${tool}: the tasks of a feature continue in one session, and its first prompt alone says whose it is`, async ({
    rig,
  }) => {
    rig.answer((call) => answerWith(call.report.tool, 'fine'));
    const manifest = { stages: [{ ...REVIEW, tool }], meta: { feature: 'the login' } };
    const first = await makeTask(rig, manifest, 'one').run();
    const { report, summary } = await makeTask(rig, manifest, 'two').run();
    assert.equal([first.report.stages[0]!.session, report.stages[0]!.session], ['new', 'resumed']);
    assert.match(summary, `Sessions: ${tool}_review ${SESSION} (continued)`);
    assert.equal(asked(rig), [null, SESSION]);
    const [one, two] = prompts(rig);
    assert.ok(one!.startsWith('[Feature: the login]\n\n'));
    assert.not.match(two!, '[Feature:');
    const key = tool === 'codex' || tool === 'claude' ? tool : `${tool}@${rig.project}`;
    assert.is(stored(rig).active_sessions['the login']![key]!.session_id, SESSION);
  });

test('a task without a feature has its id for a tag, and a stage continues in the session of the one before', async ({
  rig,
}) => {
  rig.answer((call) => answerWith(call.report.tool, 'fine'));
  const { code } = await makeTask(rig, { stages: [REVIEW, { ...REVIEW, id: 'again' }] }).run();
  assert.equal([code, asked(rig)], [0, [null, SESSION]]);
  assert.equal(Object.keys(stored(rig).active_sessions), ['fix']);
});

test('a session by its id comes before that of the tag', async ({ rig }) => {
  keep(rig, 'fix', {});
  rig.answer(() => answerWith('codex', 'fine', OTHER));
  const { report } = await makeTask(rig, { ...ONE, meta: { session_id: OTHER } }).run();
  assert.equal([asked(rig), report.stages[0]!.session], [[OTHER], 'named']);
});

const OTHER = '00000000-0000-4000-8000-000000000002';
const GOAL = 'Find out why the login of the shop fails.';
const ANSWERED: MadeTurn = { prompt: '[Feature: fix]\n\nDo it.', answer: 'done' };

const FOUND: [what: string, turns: MadeTurn[], found: boolean][] = [
  ['its header', [ANSWERED], true],
  ['its goal and no header', [{ prompt: `Please: ${GOAL}`, answer: 'ok' }], true],
  ["another tag's header", [{ prompt: `[Feature: fix 2]\n\n${GOAL}`, answer: 'ok' }], false],
  ['its header, but no answer', [{ prompt: '[Feature: fix]\n\nDo it.' }], false],
  ['something else', [{ prompt: 'Hello.', answer: 'ok' }], false],
];
/** The id of the session that a stage would continue in, from the files of its CLI alone. */
const found = async (rig: TestRig, tool: BuiltIn = 'codex', isGivenUp = (_: string) => false) =>
  (
    await recoverSession({
      ...{ tool, tag: 'fix', goal: GOAL, trees: [rig.project], isGivenUp, now: new Date() },
      lookup: { environment: rig.env, cwd: rig.project },
    })
  )?.session.id ?? null;

for (const tool of TOOLS)
  for (const [what, turns, isFound] of FOUND)
    test(`${tool}: a session that begins with ${what} is ${isFound ? 'found again' : 'not taken'}`, async ({ rig }) => {
      makeSession(tool, rig, turns);
      assert.is(await found(rig, tool), isFound ? SESSION_IDS[tool] : null);
      assert.is(await found(rig, tool, (id) => id === SESSION_IDS[tool]), null);
    });

test('a stage continues in the session that was found again, and says so', async ({ rig }) => {
  makeSession('gemini', rig, [{ prompt: `Please: ${GOAL}`, answer: 'ok' }]);
  rig.answer(() => answerWith('gemini', 'fine', SESSION_IDS.gemini));
  const { report, said } = await makeTask(rig, { goal: GOAL, stages: [{ ...REVIEW, tool: 'gemini' }] }).run();
  assert.equal([asked(rig), report.stages[0]!.session], [[SESSION_IDS.gemini], 'recovered']);
  assert.match(said, `found session ${SESSION_IDS.gemini} of feature "fix"`);
});

test('of two sessions with one tag the newest is taken; an unreadable one and one of another project are passed over', async ({
  rig,
}) => {
  const elsewhere = path.join(rig.root, 'elsewhere');
  mkdirSync(elsewhere);
  const ids = [1, 2, 3, 4].map((n) => `00000000-0000-4000-8000-00000000001${n}`);
  const [older, newer, foreign, broken] = ids as [string, string, string, string];
  makeSession('codex', rig, [ANSWERED], older);
  changeLater(makeSession('codex', rig, [ANSWERED], newer), 1);
  changeLater(makeSession('codex', { home: rig.home, project: elsewhere }, [ANSWERED], foreign), 2);
  const corrupt = makeSession('codex', rig, [ANSWERED], broken);
  writeFileSync(corrupt, 'no session at all\n');
  assert.is(await found(rig), newer);
});

test('a session of a project within this one is not taken, one of a folder of this project is', async ({ rig }) => {
  const [theirs, ours] = ['inner/src', 'src'].map((name) => path.join(rig.project, name)) as [string, string];
  for (const folder of [theirs, ours, path.join(rig.project, 'inner/.tmp/task')])
    mkdirSync(folder, { recursive: true });
  makeSession('codex', { home: rig.home, project: ours }, [ANSWERED], OTHER);
  changeLater(makeSession('codex', { home: rig.home, project: theirs }, [ANSWERED]), 1);
  assert.is(await found(rig), OTHER);
});

test('a session of last week is not found again', async ({ rig }) => {
  changeLater(makeSession('codex', rig, [ANSWERED]), -60 * 24 * 7);
  assert.is(await found(rig), null);
});

/** @param steps newer than the others by so many minutes. */
function changeLater(made: string, steps: number): void {
  const at = Date.now() / 1000 - 3600 + steps * 60;
  utimesSync(made, at, at);
}

test('an id that the CLI does not know costs neither the task nor a retry', async ({ rig }) => {
  const lost = `Error: thread/resume failed: no rollout found for thread id ${OTHER} (code -32600)`;
  rig.answer(() =>
    rig.calls.length === 1
      ? [
          { do: 'write', to: 'stderr', text: `${lost}\n` },
          { do: 'exit', code: 1 },
        ]
      : answerWith('codex', 'fine'),
  );
  const task = makeTask(rig, { ...ONE, meta: { session_id: OTHER }, budgets: { retry_budget: 0 } });
  const { code, summary } = await task.run();
  assert.equal([code, asked(rig)], [0, [OTHER, null]]);
  assert.match(summary, `session ${OTHER} is no longer known to codex`);
  assert.match(prompts(rig)[1]!, /^\[Feature: fix\]\n\n# State of the work\n/);
  assert.is(stored(rig).active_sessions.fix!.codex!.session_id, SESSION);
});

test('a context over the limit, also over one of tollgate.yaml, is left, with a word on where the work stands', async ({
  rig,
}) => {
  rig.answer(() => answerWith('codex', 'fine', OTHER));
  for (const [context_tokens, settings] of [
    [350_001, null],
    [5001, 'sessions: {context_limit: {codex: 5000}}\n'],
  ] as const) {
    if (settings !== null) rig.write('tollgate.yaml', settings);
    keep(rig, 'fix', { context_tokens });
    const { report } = await makeTask(rig, ONE).run('--redo=codex_review');
    assert.equal([asked(rig).at(-1), report.stages[0]!.session], [null, 'new']);
    const [prompt] = prompts(rig).slice(-1);
    assert.match(prompt!, /^\[Feature: fix\]\n\n# State of the work\n/);
    assert.match(prompt!, 'Goal: Find out.');
    assert.equal(
      [stored(rig).active_sessions.fix!.codex!.session_id, stored(rig).given_up],
      [OTHER, { codex: [SESSION] }],
    );
  }
});

test('a poisoned session and one that was forgotten are not continued, nor found again', async ({ rig }) => {
  makeSession('codex', rig, [ANSWERED]);
  keep(rig, 'fix', { session_id: SESSION_IDS.codex, poisoned: 'broken' });
  rig.answer(() => answerWith('codex', 'fine'));
  await makeTask(rig, ONE).run();
  assert.is((await rig.run('tollgate', ['sessions', 'forget', 'fix'])).code, 0);
  await makeTask(rig, ONE, 'fix').run('--redo=codex_review');
  assert.equal(asked(rig), [null, null]);
});

/** In this process, with a clock and pauses of the test's own. */
async function runWithin(rig: TestRig, paused: number[], now: { ms: number }, more: Partial<RunContext> = {}) {
  const ran = await runTask({
    word: 'fix',
    options: OPTIONS,
    context: contextIn(rig, {
      clock: () => new Date(now.ms),
      async pause(ms) {
        paused.push(ms);
        now.ms += ms;
      },
      ...more,
    }),
  });
  if (ran.how !== 'ran') throw new Error(JSON.stringify(ran));
  return ran.report;
}

test('three failures in a row, over runs, end it: after rests of 10 and 20 s', async ({ rig }) => {
  const now = { ms: Date.now() };
  keep(rig, 'fix', { last_used: new Date(now.ms).toISOString() });
  const paused: number[] = [];
  rig.answer(() => (rig.calls.length <= 3 ? failWith('codex', BUSY, 503) : answerWith('codex', 'fine', OTHER)));
  makeTask(rig, ONE);
  const first = await runWithin(rig, paused, now);
  assert.equal([first.state, paused, stored(rig).active_sessions.fix!.codex!.error_count], ['failed', [10_000], 2]);
  const second = await runWithin(rig, paused, now);
  assert.equal([second.state, paused.slice(1)], ['done', [20_000, 0]]);
  assert.equal(asked(rig), [SESSION, SESSION, SESSION, null]);
  assert.equal(
    [stored(rig).active_sessions.fix!.codex!.session_id, stored(rig).active_sessions.fix!.codex!.error_count],
    [OTHER, 0],
  );
});

test('only what is left of its rest is waited for, and a success forgets the failures', async ({ rig }) => {
  const now = { ms: Date.now() };
  keep(rig, 'fix', { error_count: 2, last_used: new Date(now.ms - 15_000).toISOString() });
  const paused: number[] = [];
  rig.answer(() => answerWith('codex', 'fine'));
  makeTask(rig, ONE);
  assert.is((await runWithin(rig, paused, now)).state, 'done');
  assert.equal([paused, stored(rig).active_sessions.fix!.codex!.error_count], [[5000], 0]);
});

test('no rest is begun that would pass the wall clock', async ({ rig }) => {
  const now = { ms: Date.now() };
  keep(rig, 'fix', { error_count: 2, last_used: new Date(now.ms).toISOString() });
  const paused: number[] = [];
  makeTask(rig, { ...ONE, budgets: { max_wallclock_sec: 10 } });
  const report = await runWithin(rig, paused, now);
  assert.equal([paused, rig.calls.length, report.failure?.reason], [[], 0, 'budget']);
  assert.match(report.failure!.decision.why, 'the wait of 20 s for its session would pass');
});

test('a failure of the account says nothing against the session', async ({ rig }) => {
  keep(rig, 'fix', { error_count: 1, last_used: '2026-01-01T00:00:00.000Z' });
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  await makeTask(rig, ONE).run();
  assert.is(stored(rig).active_sessions.fix!.codex!.error_count, 1);
});

test("codex's lock of a session is waited for, and is no retry", async ({ rig }) => {
  const now = { ms: Date.now() };
  keep(rig, 'fix', {});
  const paused: number[] = [];
  const busy = `Error: thread/resume: thread/resume failed: thread ${SESSION} already has an active writer (code -32600)`;
  rig.answer(() =>
    rig.calls.length < 3
      ? [
          { do: 'write', to: 'stderr', text: `${busy}\n` },
          { do: 'exit', code: 1 },
        ]
      : answerWith('codex', 'fine'),
  );
  makeTask(rig, { ...ONE, budgets: { retry_budget: 0 } });
  const said: string[] = [];
  const report = await runWithin(rig, paused, now, { say: (sentence) => said.push(sentence) });
  assert.equal([report.state, paused, asked(rig)], ['done', [2000, 8000], [SESSION, SESSION, SESSION]]);
  assert.match(said.join('\n'), 'another process uses its session; waiting for it');
});

test('a history that is too long is left for a fresh session', async ({ rig }) => {
  keep(rig, 'fix', {});
  const long =
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.";
  rig.answer(() => (rig.calls.length === 1 ? failWith('codex', long, 400) : answerWith('codex', 'fine', OTHER)));
  assert.is((await makeTask(rig, ONE).run()).code, 0);
  assert.equal(asked(rig), [SESSION, null]);
  assert.equal(
    [stored(rig).active_sessions.fix!.codex!.session_id, stored(rig).given_up],
    [OTHER, { codex: [SESSION] }],
  );
});

test('a session whose first call ran tools and was cut off is kept, and continued by the next run', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  const { opens, runsTool, fails }: Stream = STREAMS.codex;
  rig.answer(() =>
    rig.calls.length === 1
      ? [write([...opens(SESSION), ...runsTool('half'), ...fails(BUSY, 503, SESSION)]), { do: 'exit', code: 1 }]
      : answerWith('codex', 'whole'),
  );
  const task = makeTask(rig, { ...ONE, budgets: { retry_budget: 0 } });
  await task.run();
  assert.not(existsSync(file(rig)));
  assert.is((await task.run()).code, 0);
  assert.equal([asked(rig), stored(rig).active_sessions.fix!.codex!.error_count], [[null, SESSION], 0]);
  assert.match(prompts(rig)[1]!, 'Continue from where it stopped');
});

const BROKEN = 'No tool output found for function call call_1.';

test('a history that cannot be mended poisons its session: the stage stops and names the way out, the next run begins anew', async ({
  rig,
}) => {
  keep(rig, 'fix', {});
  rig.answer(() => (rig.calls.length === 1 ? failWith('codex', BROKEN, 400) : answerWith('codex', 'fine', OTHER)));
  const task = makeTask(rig, ONE);
  const { code, report } = await task.run('--no-repair');
  assert.equal([code, rig.calls.length, report.failure?.reason], [1, 1, 'broken_history']);
  assert.is(report.next_actions[0]!.command, `tollgate recover ${SESSION} --choose clear`);
  assert.match(stored(rig).active_sessions.fix!.codex!.poisoned!, 'its history is broken');
  const { summary } = await task.run();
  assert.equal(asked(rig), [SESSION, null]);
  assert.match(summary, `a fresh session takes the place of ${SESSION}: its history is broken`);
});

test('a history that cannot be mended is asked anew in a fresh session, and its own is not found again', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', NO_REST);
  keep(rig, 'fix', {});
  rig.answer(() => (rig.calls.length === 1 ? failWith('codex', BROKEN, 400) : answerWith('codex', 'fine', OTHER)));
  const { code, summary } = await makeTask(rig, ONE).run();
  assert.equal([code, asked(rig)], [0, [SESSION, null]], summary);
  assert.match(summary, `the history of session ${SESSION} could not be repaired`);
  assert.equal(
    [stored(rig).active_sessions.fix!.codex!.session_id, stored(rig).given_up],
    [OTHER, { codex: [SESSION] }],
  );
});

const MENDS: [what: string, failures: number, expected: (string | number)[]][] = [
  ['that could be mended is tried once more in its session', 1, [0, 2, 'done']],
  ['that is broken again poisons its session', 2, [1, 2, 'failed']],
];
for (const [what, failures, expected] of MENDS)
  test(`a history ${what}`, async ({ rig }) => {
    rig.write('tollgate.yaml', NO_REST);
    const id = SESSION_IDS.codex;
    makeSession('codex', rig, [ANSWERED]);
    keep(rig, 'fix', { session_id: id });
    rig.answer((call) => {
      if (rig.calls.length > failures) return answerWith('codex', 'fine', id);
      makeSession('codex', rig, [ANSWERED, { prompt: call.report.stdin.text }]);
      return failWith('codex', BROKEN, 400, id);
    });
    const { code, report, summary } = await makeTask(rig, ONE).run();
    assert.equal([code, rig.calls.length, report.state], expected, summary);
    assert.equal(asked(rig), [id, id]);
    assert.match(summary, `the history of session ${id} was repaired`);
    assert.is(stored(rig).active_sessions.fix!.codex!.poisoned !== undefined, failures === 2);
  });

test('a refused history without a flaw in its file is not called repaired', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  const id = SESSION_IDS.codex;
  makeSession('codex', rig, [ANSWERED]);
  keep(rig, 'fix', { session_id: id });
  rig.answer(() => (rig.calls.length > 1 ? answerWith('codex', 'fine', id) : failWith('codex', BROKEN, 400, id)));
  const { code, summary } = await makeTask(rig, ONE).run();
  assert.equal([code, asked(rig)], [0, [id, id]]);
  assert.match(summary, `the history of session ${id} was refused, but nothing in its file is wrong`);
});

test('a prompt that stands in the session without an answer is taken back before it is sent there again', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', NO_REST);
  makeSession('codex', rig, [ANSWERED]);
  keep(rig, 'fix', { session_id: SESSION_IDS.codex });
  const asks = () => JSON.stringify(readFileSync(sessionFile('codex', rig.home), 'utf8')).split('Find out.').length - 1;
  let stood = -1;
  rig.answer((call) => {
    if (rig.calls.length === 1) {
      // As the CLI writes it down before it asks.
      const turn = { prompt: call.report.stdin.text };
      makeSession('codex', rig, [ANSWERED, turn]);
      return failWith('codex', BUSY, 503, SESSION_IDS.codex);
    }
    stood = asks();
    return answerWith('codex', 'fine', SESSION_IDS.codex);
  });
  const { code } = await makeTask(rig, ONE).run();
  assert.equal([code, asked(rig)], [0, [SESSION_IDS.codex, SESSION_IDS.codex]]);
  const { stdout } = await rig.run('tollgate', ['history', SESSION_IDS.codex, '--json']);
  const states = (JSON.parse(stdout).turns as { state: string }[]).map(({ state }) => state);
  assert.equal([states, stood > 0], [['active', 'reverted'], true]);
});

test('so is one that the run before left there, and on which the model only thought', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  makeSession('codex', rig, [ANSWERED]);
  keep(rig, 'fix', { session_id: SESSION_IDS.codex });
  rig.answer((call) => {
    if (rig.calls.length > 1) return answerWith('codex', 'fine', SESSION_IDS.codex);
    makeSession('codex', rig, [ANSWERED, { prompt: call.report.stdin.text, thought: 'Hm.' }]);
    return failWith('codex', BUSY, 503, SESSION_IDS.codex);
  });
  const task = makeTask(rig, { ...ONE, budgets: { retry_budget: 0 } });
  assert.equal([(await task.run()).code, (await task.run()).code], [1, 0]);
  const { stdout } = await rig.run('tollgate', ['history', SESSION_IDS.codex, '--json']);
  const states = (JSON.parse(stdout).turns as { state: string }[]).map(({ state }) => state);
  assert.equal(
    [asked(rig), states],
    [
      [SESSION_IDS.codex, SESSION_IDS.codex],
      ['active', 'reverted'],
    ],
  );
});

onLinux('a session whose lock codex holds is not mended, and a run waits for it', async ({ rig }) => {
  const id = SESSION_IDS.codex;
  const rollout = makeSession('codex', rig, [{ ...ANSWERED, tool: { name: 'x', input: {}, output: 'y' } }]);
  const lines = readFileSync(rollout, 'utf8').split('\n');
  const doubled = `${[...lines.slice(0, -1), lines.find((line) => line.includes('function_call_output'))].join('\n')}\n`;
  writeFileSync(rollout, doubled);
  keep(rig, 'fix', { session_id: id });
  rig.answer(() => answerWith('codex', 'fine', id));
  const lock = path.join(rig.home, `.codex/thread-writer-locks/${id}.lock`);
  mkdirSync(path.dirname(lock), { recursive: true });
  const holder = spawn('flock', ['--no-fork', lock, 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(holder.stdout, 'data');
    const { record } = await runWrapper(rig, 'codex', ['--resume-session', id]).ended();
    assert.is(readFileSync(rollout, 'utf8'), doubled);
    assert.match(record.warnings.join('\n'), /was resumed as it is: codex \(pid \d+\) holds its lock/);
    const running = makeTask(rig, ONE).start();
    await running.says(/is open: codex \(pid \d+\) holds its lock; waiting until it is closed/);
    assert.equal([readFileSync(rollout, 'utf8'), rig.calls.length], [doubled, 1]);
    holder.kill('SIGKILL');
    assert.is((await running.result).code, 0);
  } finally {
    holder.kill('SIGKILL');
  }
  assert.is.not(readFileSync(rollout, 'utf8'), doubled);
});

test('six tasks of one new feature, four at once: one session, and never two in it', async ({ rig }) => {
  let within = 0;
  let most = 0;
  rig.answer(async (call) => {
    within += 1;
    most = Math.max(most, within);
    await call.tell(...answerWith('codex', 'fine').slice(0, 1));
    within -= 1;
    await call.tell({ do: 'exit', code: 0 });
  });
  const ids = Array.from({ length: 6 }, (_, i) => `t${i}`);
  for (const id of ids) makeTask(rig, { ...ONE, meta: { feature: 'all' } }, id);
  const { code, stderr } = await rig.run('tollgate', ['batch', ...ids, '--concurrency=4']);
  assert.equal([code, rig.calls.length, most], [0, 6, 1], stderr);
  assert.equal(asked(rig).filter((id) => id === null).length, 1);
  assert.equal(asked(rig).filter((id) => id === SESSION).length, 5);
});

test('tasks of two projects with one session wait for each other, with a word', async ({ rig }) => {
  const other = path.join(rig.root, 'other');
  mkdirSync(path.join(other, '.tmp/task/two'), { recursive: true });
  const manifest = { goal: 'Find out.', ...ONE, meta: { session_id: OTHER } };
  writeFileSync(path.join(other, '.tmp/task/two/manifest.json'), JSON.stringify({ task_id: 'two', ...manifest }));
  const first = makeTask(rig, manifest).start();
  const call = await rig.call();
  const second = rig.start('tollgate', ['run', 'two'], { cwd: other });
  await second.says(
    new RegExp(`stage codex_review waits for codex session ${OTHER}: task fix \\(pid ${first.pid}\\) has it`),
  );
  assert.is(rig.calls.length, 1);
  await call.tell(...answerWith('codex', 'fine', OTHER));
  const next = await rig.call();
  await next.tell(...answerWith('codex', 'fine', OTHER));
  assert.equal([(await first.result).code, (await second.result).code], [0, 0]);
});

test('a run from within a call of the tag does not wait for it, and leaves its session alone', async ({ rig }) => {
  keep(rig, 'all', {});
  makeTask(rig, { ...ONE, meta: { feature: 'all' } }, 'inner');
  const task = makeTask(rig, { ...ONE, meta: { feature: 'all' } });
  const running = task.start();
  const outer = await rig.call();
  const tollgate = path.resolve(import.meta.dirname, '../../dist/tollgate.cjs');
  const run = outer.tell({
    do: 'run',
    argv: [process.execPath, tollgate, 'run', 'inner'],
    to: path.join(rig.root, 'inner.txt'),
  });
  const inner = await rig.call();
  await inner.tell(...answerWith('codex', 'inner', OTHER));
  await run;
  await outer.tell(...answerWith('codex', 'outer'));
  assert.is((await running.result).code, 0);
  assert.equal(asked(rig), [SESSION, null]);
  assert.is(stored(rig).active_sessions.all!.codex!.session_id, SESSION);
});

test('a sessions.json that is none is set aside with a word, and the run continues', async ({ rig }) => {
  mkdirSync(path.dirname(file(rig)), { recursive: true });
  writeFileSync(file(rig), '{"active_sessions": ');
  rig.answer(() => answerWith('codex', 'fine'));
  const { code, said } = await makeTask(rig, ONE).run();
  assert.is(code, 0);
  assert.match(said, /warning: .*sessions\.json is not a JSON object; it was moved to/);
  assert.ok(readdirSync(path.dirname(file(rig))).some((name) => name.includes('unreadable')));
});

withFaults('a sessions.json that cannot be written costs a note and nothing else', async ({ rig }) => {
  Object.assign(rig.env, faultEnv({ in: 'tollgate.cjs', under: file(rig), at: 1, times: 0, does: 'ENOSPC' }));
  rig.answer(() => answerWith('codex', 'fine'));
  const { code, summary } = await makeTask(rig, ONE).run();
  assert.is(code, 0);
  assert.match(summary, 'its session could not be written down');
});

test('a folder in the place of sessions.json is moved aside, and the session is written down; a store that is a link to nowhere is empty', async ({
  rig,
}) => {
  symlinkSync(path.join(rig.root, 'nowhere'), path.join(rig.home, '.codex'));
  mkdirSync(path.join(file(rig), 'x'), { recursive: true });
  rig.answer(() => answerWith('codex', 'fine'));
  assert.is((await makeTask(rig, ONE).run()).code, 0);
  assert.match(readFileSync(file(rig), 'utf8'), SESSION);
  const aside = readdirSync(path.dirname(file(rig))).filter((name) => name.startsWith('sessions.json.'));
  assert.equal(
    aside.map((name) => existsSync(path.join(path.dirname(file(rig)), name, 'x'))),
    [true],
  );
});

test.run();
