// undo --edit and --resend of the only turn: in the same session, or in a new one that stands in its place where its CLI continues in no empty one.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { age, makeSession, SESSION_IDS } from '../rig/session-files.ts';
import { makeIn, standsIn, tollgate } from '../rig/session-run.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('undo of an only turn');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { prompt: '[Feature: login]\n\none', answer: 'ONE' };
const SECOND = '0000000b-0000-4000-8000-000000000000';
const THIRD = '0000000c-0000-4000-8000-000000000000';

for (const tool of ['codex', 'copilot'] as const)
  test(`${tool}: the prompt is sent into the same session`, async ({ rig }) => {
    const id = SESSION_IDS[tool];
    makeIn(rig, tool, [ONE]);
    rig.answer(() => answerWith(tool, 'TWO', id));
    const told = await tollgate(rig, ['undo', id, '--edit', 'two', '--json']);
    assert.equal([told.code, told.object().session_id, told.object().in_place_of], [0, id, undefined], told.err);
    assert.ok(rig.calls[0]!.report.argv.some((word) => word.includes(id)));
    assert.is(await standsIn(rig, id), `-${ONE.prompt}=ONE`);
  });

/** What gemini would write of a new session. */
const answers = (rig: TestRig, id: string, prompt: string, answer: string) =>
  rig.answer(() => {
    age(makeSession('gemini', rig, [{ prompt: `[Feature: login]\n\n${prompt}`, answer }], id));
    return answerWith('gemini', answer, id);
  });

const tagOf = (rig: TestRig) => {
  const file = path.join(rig.project, '.tmp/state/sessions.json');
  const { active_sessions, given_up } = JSON.parse(readFileSync(file, 'utf8'));
  return [active_sessions.login?.gemini.session_id, given_up?.gemini];
};

function tagged(rig: TestRig): string {
  const id = SESSION_IDS.gemini;
  const entry: SessionEntry = {
    session_id: id,
    last_used: '2026-11-21T20:06:00.000Z',
    error_count: 2,
    total_tokens: 18,
    context_tokens: 18,
    feature_id: 'login',
    cwd: rig.project,
  };
  rig.write('.tmp/state/sessions.json', JSON.stringify({ active_sessions: { login: { gemini: entry } } }));
  return makeIn(rig, 'gemini', [ONE]);
}

test('gemini: a new session stands in its place, in which its tag continues and all can be brought back', async ({
  rig,
}) => {
  const id = SESSION_IDS.gemini;
  const file = tagged(rig);
  const was = readFileSync(file, 'utf8');
  answers(rig, SECOND, 'two', 'TWO');
  const told = await tollgate(rig, ['undo', 'login', '--edit', 'two', '--json']);
  const { session_id, in_place_of, redo, says } = told.object();
  assert.equal([told.code, session_id, in_place_of], [0, SECOND, id], told.err);
  assert.is(redo, `tollgate undo ${SECOND} --redo --force`);
  assert.is(
    says,
    `turn 1 ("[Feature: login] one") is taken back, and another prompt is sent in its place, in a new session that replaces this one: ${SECOND}, in which login continues`,
  );
  const [first] = rig.calls;
  assert.equal(
    first!.report.argv.filter((word) => word.includes('resume')),
    [],
  );
  assert.ok(first!.report.stdin.text.startsWith('[Feature: login]\n\ntwo'), first!.report.stdin.text);
  assert.equal(tagOf(rig), [SECOND, [id]]);
  assert.is(readFileSync(file, 'utf8'), was);

  answers(rig, THIRD, 'three', 'THREE');
  assert.is((await tollgate(rig, ['undo', 'login', '--edit', 'three'])).code, 0);
  assert.equal(tagOf(rig), [THIRD, [id, SECOND]]);
  const said = async () => (await standsIn(rig, THIRD)).replaceAll('[Feature: login]\n\n', '');
  assert.is(await said(), '-one=ONE -two=TWO +three=THREE');
  const seen: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    assert.is((await tollgate(rig, ['undo', 'login', '--redo', '--force'])).code, 0);
    seen.push((await said()).split(' ').find((turn) => turn.startsWith('+'))!);
  }
  assert.equal(seen, ['+two=TWO', '+three=THREE', '+one=ONE']);
});

test('gemini: a call that fails, or is not started, leaves the session and its tag as they are', async ({ rig }) => {
  const id = SESSION_IDS.gemini;
  const file = tagged(rig);
  const was = readFileSync(file, 'utf8');
  const before = tagOf(rig);
  const left = (code: number | null) => assert.equal([code, readFileSync(file, 'utf8'), tagOf(rig)], [1, was, before]);
  rig.answer(() => failWith('gemini', 'The model is overloaded.', 503, SECOND));
  const failed = await tollgate(rig, ['undo', id, '--resend']);
  left(failed.code);
  assert.match(failed.err, /\(The conversation is what it was before\.\)\n$/);
  rig.uninstall('gemini');
  const missing = await tollgate(rig, ['undo', id, '--edit', 'two']);
  left(missing.code);
  assert.match(missing.err, /^tollgate undo: nothing was sent: .*\(The conversation is what it was before\.\)\n$/s);
});

test('gemini: a dry run says that a new session would stand in its place', async ({ rig }) => {
  makeIn(rig, 'gemini', [ONE]);
  const told = await tollgate(rig, ['undo', SESSION_IDS.gemini, '--edit', 'two', '--dry-run']);
  assert.is(told.code, 0, told.err);
  assert.match(told.out, /in a new session that replaces this one\n$/);
});

test.run();
