// The policy of three failures, and whose session a tag has: for a session that is named too, and where sessions.json is lost, or an entry of it cannot be read.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionEntry } from '../../../policies/session/session-entry.ts';
import { faultEnv, faultShim } from '../../rig/fault-shim.ts';
import { keepEntries, sessionsFileOf } from '../../rig/kept-entries.ts';
import { makeSession, SESSION_IDS } from '../../rig/session-files.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('kept sessions');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const NAMED = SESSION_IDS.codex;
const FRESH = '00000000-0000-4000-8000-000000000002';
const BUSY = 'unexpected status 503 Service Unavailable: busy';
const ONE = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }], budgets: { retry_budget: 0 } };

const file = sessionsFileOf;
const tags = (rig: TestRig) => JSON.parse(readFileSync(file(rig), 'utf8')).active_sessions;
const asked = (rig: TestRig) =>
  rig.calls.map(({ report: { argv } }) => (argv.includes('resume') ? argv.find((word) => /^\w{8}-/.test(word)) : null));
const fails = (rig: TestRig) => rig.answer(() => failWith('codex', BUSY, 503, NAMED));
const succeeds = (rig: TestRig, id: string) => rig.answer(() => answerWith('codex', 'fine', id));

const keep = (rig: TestRig, entries: Record<string, Partial<SessionEntry>>) => {
  const old = { session_id: NAMED, last_used: new Date(0).toISOString() };
  keepEntries(
    rig,
    'codex',
    Object.fromEntries(Object.entries(entries).map(([tag, entry]) => [tag, { ...old, ...entry }])),
  );
};

test('the failures of a named session are in the journals of other tasks, where sessions.json is lost or damaged', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', NO_REST);
  makeSession('codex', rig, [{ prompt: 'by hand', answer: 'ONE' }]);
  const named = { ...ONE, meta: { session_id: NAMED } };
  fails(rig);
  for (const id of ['one', 'two', 'three']) await makeTask(rig, named, id).run();
  const text = readFileSync(file(rig), 'utf8');
  succeeds(rig, FRESH);
  for (const spoilt of ['{}', text.replaceAll(/"error_count": \d+/g, '"error_count": "many"')]) {
    assert.is.not(spoilt, text);
    writeFileSync(file(rig), spoilt);
    const task = makeTask(rig, named, 'four');
    const { said } = await task.run();
    assert.match(said, `a fresh session takes the place of ${NAMED}: it failed 3 times in a row`);
    rmSync(task.folder, { recursive: true });
  }
});

test('a named session that failed three times is continued no more, whatever tags it goes by', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  makeSession('codex', rig, [{ prompt: 'by hand', answer: 'ONE' }]);
  // A tag that was there before, and knows nothing of the failures.
  keep(rig, { other: {} });
  const task = makeTask(rig, { ...ONE, meta: { session_id: NAMED } });
  fails(rig);
  const counts: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    await task.run();
    counts.push(tags(rig).fix.codex.error_count);
  }
  // By it the wait grows, too.
  assert.equal(counts, [1, 2, 3]);
  succeeds(rig, FRESH);
  const { said } = await task.run();
  assert.match(said, `a fresh session takes the place of ${NAMED}: it failed 3 times in a row`);
  assert.equal([tags(rig).fix.codex.session_id, tags(rig).fix.codex.in_place_of], [FRESH, NAMED]);
  const again = await makeTask(rig, { ...ONE, meta: { session_id: NAMED } }, 'later').run();
  assert.match(again.said, `continues in session ${FRESH}, which took the place of ${NAMED}`);
  assert.equal(asked(rig), [NAMED, NAMED, NAMED, null, FRESH]);
});

const shim = faultShim();
if (shim === null) console.log('SKIPPED: no C compiler here, so no file can be made unwritable, and no clock set back');

/** By a clock that is set back between the runs, where that is possible. */
test('an entry that cannot be read is rebuilt from the journal in the order of its lines, and left as it is', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', NO_REST);
  makeSession('codex', rig, [{ prompt: '[Feature: fix]\n\none', answer: 'ONE' }]);
  keep(rig, { fix: {}, other: {} });
  const task = makeTask(rig, ONE);
  fails(rig);
  await task.run();
  const env = shim === null ? {} : faultEnv({ in: 'tollgate.cjs', clockSeconds: -86_400 });
  await rig.run('tollgate', ['run', 'fix'], { env });
  assert.is(tags(rig).fix.codex.error_count, 2);
  const damaged = { ...tags(rig), fix: { codex: { ...tags(rig).fix.codex, error_count: 'two' } } };
  writeFileSync(file(rig), JSON.stringify({ active_sessions: damaged }));
  await task.run();
  succeeds(rig, FRESH);
  const { said } = await task.run();
  assert.match(said, `a fresh session takes the place of ${NAMED}: it failed 3 times in a row`);
  await task.run('--redo=codex_review');
  assert.equal(asked(rig), [NAMED, NAMED, NAMED, null, FRESH]);
  assert.equal(tags(rig), damaged);
});

test('a session that was taken on is found again without sessions.json, in any task of its tag', async ({ rig }) => {
  makeSession('codex', rig, [{ prompt: 'by hand', answer: 'ONE' }]);
  const words = ['sessions', 'adopt', 'login', NAMED, '--tool', 'codex'];
  const adopted = await rig.run('tollgate', words);
  assert.is(adopted.code, 0, adopted.stderr);
  succeeds(rig, NAMED);
  const meta = { feature: 'login' };
  await makeTask(rig, { ...ONE, meta }, 'one').run();
  for (const [task, lose] of [
    ['two', () => rmSync(file(rig))],
    ['three', () => writeFileSync(file(rig), '{"active_sessions": {"log')],
  ] as const) {
    lose();
    const { report } = await makeTask(rig, { ...ONE, meta }, task).run();
    assert.is(report.stages[0]!.session, 'recovered');
  }
  assert.equal(asked(rig), [NAMED, NAMED, NAMED]);
});

test('what was forgotten is not brought back by the journal', async ({ rig }) => {
  makeSession('codex', rig, [{ prompt: 'by hand', answer: 'ONE' }]);
  keep(rig, { login: {} });
  succeeds(rig, NAMED);
  const meta = { feature: 'login' };
  await makeTask(rig, { ...ONE, meta }, 'one').run();
  assert.is((await rig.run('tollgate', ['sessions', 'forget', 'login'])).code, 0);
  succeeds(rig, FRESH);
  const { report } = await makeTask(rig, { ...ONE, meta }, 'two').run();
  assert.equal([asked(rig), report.stages[0]!.session], [[NAMED, null], 'new']);
});

(shim === null ? test.skip : test)(
  'a session whose file cannot be written is worked around with a fresh one',
  async ({ rig }) => {
    const kept = makeSession('codex', rig, [{ prompt: 'by hand', answer: 'ONE' }]);
    keep(rig, { fix: {} });
    succeeds(rig, FRESH);
    makeTask(rig, ONE);
    const refuses = faultEnv({ in: 'tollgate.cjs', under: path.dirname(kept), at: 1, does: 'EROFS', times: 0 });
    const { code, stderr } = await rig.run('tollgate', ['run', 'fix'], { env: refuses });
    assert.is(code, 0, stderr);
    assert.match(stderr, `a fresh session takes the place of ${NAMED}: ${kept} cannot be written (EROFS)`);
    assert.equal([asked(rig), tags(rig).fix.codex.session_id], [[null], FRESH]);
    assert.match(rig.calls[0]!.report.stdin.text, '# State of the work');
  },
);

test.run();
