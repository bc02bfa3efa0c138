// tollgate recover: each way out of a broken conversation, for sessions and for tasks, and who may not take it.

import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../../../policies/facts/tools.ts';
import { faultEnv } from '../../../rig/fault-shim.ts';
import { SESSION_IDS } from '../../../rig/session-files.ts';
import { makeIn, standsIn, tollgate } from '../../../rig/session-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';
import { where } from '../../../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('recover');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const TOOL = { name: 'shell', input: { cmd: 'ls' }, output: 'a\nb' };
const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', tool: TOOL, answer: 'TWO' },
];

for (const tool of TOOLS) {
  const id = SESSION_IDS[tool];

  test(`${tool}: deep rollback goes to before the last prompt, and comes back`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    const told = await tollgate(rig, ['recover', id, '--choose', 'rollback', '--json']);
    const { how, choice, reverted, redo } = told.object();
    assert.equal([told.code, how, choice, reverted, redo], [0, 'edited', 'rollback', 1, `tollgate undo ${id} --redo`]);
    assert.is(await standsIn(rig, id), '+one=ONE -two=TWO');
    await tollgate(rig, ['undo', id, '--redo']);
    assert.is(readFileSync(file, 'utf8'), was);
  });

  test(`${tool}: of a conversation that is well-formed, clear takes back the last step alone`, async ({ rig }) => {
    makeIn(rig, tool, [TURNS[0]!, { prompt: 'two', answer: 'TWO' }]);
    const told = await tollgate(rig, ['recover', id, '--choose', 'clear']);
    assert.equal([told.code, told.err], [0, '']);
    assert.match(told.out, 'the last step of turn 2 is taken back');
    assert.is(await standsIn(rig, id), '+one=ONE +two= -~=TWO');
    assert.is((await tollgate(rig, ['undo', id, '--redo'])).code, 0);
    assert.is(await standsIn(rig, id), '+one=ONE +two=TWO');
  });

  test(`${tool}: export writes down all that is known, without secrets, and changes nothing`, async ({ rig }) => {
    const secret = 'hunter2-hunter2-hunter2';
    const file = makeIn(rig, tool, [...TURNS, { prompt: secret, answer: 'THREE' }]);
    const was = readFileSync(file, 'utf8');
    const told = await tollgate(rig, ['recover', id, '--choose', 'export', '--json'], { MY_API_TOKEN: secret });
    const { file: written, how } = told.object();
    assert.equal([told.code, how], [0, 'exported']);
    assert.ok(String(written).startsWith(path.join(rig.project, '.tmp/state/diagnostics/')));
    assert.is(statSync(String(written)).mode & 0o777, 0o600);
    const text = readFileSync(String(written), 'utf8');
    assert.not.match(text, secret);
    const { turns, versions, session } = JSON.parse(text);
    assert.equal([turns.length, session.id, versions.node], [3, id, process.version]);
    assert.is(readFileSync(file, 'utf8'), was);
  });

  test(`${tool}: without a terminal it says what is wrong and what can be chosen`, async ({ rig }) => {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    const { code, err } = await tollgate(rig, ['recover', id]);
    assert.is(code, 2);
    assert.match(
      err,
      `tollgate recover: ${tool} ${id}: choose what to do by --choose, since there is no terminal\n  2 turns, 18 tokens of context\n  last prompt: two\n`,
    );
    assert.match(
      err,
      /\nChoices:\n {2}--choose rollback {2}.+\n {2}--choose clear {5}.+\n {2}--choose export {4}.+\n {2}--choose ignore {4}.+\n$/,
    );
    const ignored = await tollgate(rig, ['recover', id, '--choose', 'ignore']);
    assert.is(ignored.code, 0);
    assert.is(readFileSync(file, 'utf8'), was);
  });
}

test('gemini: what its resume would send twice is mended, and nothing that was said goes', async ({ rig }) => {
  const id = SESSION_IDS.gemini;
  makeIn(rig, 'gemini', TURNS);
  const told = await tollgate(rig, ['recover', id, '--choose', 'clear', '--json']);
  const { says, flaws, reverted, redo } = told.object() as unknown as Record<string, { how: string }[]>;
  assert.equal(
    [told.code, flaws!.map(({ how }) => how), says],
    [0, ['doubled_response'], 'what was wrong is repaired; all turns are kept'],
  );
  assert.equal([reverted, redo], [0, null]);
  assert.is(await standsIn(rig, id), '+one=ONE +two=TWO');
  assert.match((await tollgate(rig, ['recover', id])).err, /it is well-formed/);
});

for (const turns of [1, 2])
  test(`gemini: rollback number ${turns} would leave nothing, and changes nothing, the tag included`, async ({
    rig,
  }) => {
    const id = SESSION_IDS.gemini;
    const file = makeIn(rig, 'gemini', [TURNS[0]!, { prompt: 'two', answer: 'TWO' }].slice(0, turns));
    const entry = {
      session_id: id,
      last_used: '2026-11-21T20:06:00.000Z',
      error_count: 1,
      total_tokens: 18,
      context_tokens: 18,
      feature_id: 'login',
      cwd: rig.project,
    };
    const sessions = rig.write(
      '.tmp/state/sessions.json',
      JSON.stringify({ active_sessions: { login: { gemini: entry } } }),
    );
    const rollback = () => tollgate(rig, ['recover', 'login', '--choose', 'deep-rollback']);
    if (turns === 2) assert.is((await rollback()).code, 0);
    const was = [readFileSync(file, 'utf8'), readFileSync(sessions, 'utf8')];
    const { code, err } = await rollback();
    assert.is(code, 1);
    assert.match(
      err,
      /^tollgate recover: Nothing would remain of this session, .* With tollgate sessions forget login the next task begins a fresh one\. \(Nothing was changed\.\)\n$/,
    );
    assert.equal([readFileSync(file, 'utf8'), readFileSync(sessions, 'utf8')], was);
  });

for (const tool of TOOLS)
  test(`${tool}: where nothing is broken clear takes the last entry: an answer, then its prompt`, async ({ rig }) => {
    const id = SESSION_IDS[tool];
    makeIn(rig, tool, [TURNS[0]!, { prompt: 'two', answer: 'TWO' }]);
    const clear = async () => (await tollgate(rig, ['recover', id, '--choose', 'clear', '--json'])).object().says;
    assert.is(await clear(), 'the last step of turn 2 is taken back');
    assert.is(await standsIn(rig, id), '+one=ONE +two= -~=TWO');
    assert.is(await clear(), 'turn 2, a prompt without an answer, is taken back');
    assert.is(await standsIn(rig, id), '+one=ONE -two= -~=TWO');
  });

withFaults('what stands against a session and cannot be taken off is told', async ({ rig }) => {
  const id = SESSION_IDS.codex;
  makeIn(rig, 'codex', TURNS);
  const state = path.join(rig.project, '.tmp/state');
  mkdirSync(state, { recursive: true });
  const full = faultEnv({ in: 'tollgate.cjs', under: state, at: 1, times: 0, does: 'ENOSPC' });
  const told = await tollgate(rig, ['recover', id, '--choose', 'rollback'], full);
  assert.is(told.code, 0);
  assert.match(told.out, 'turn 2 is taken back');
  assert.match(told.err, 'warning: sessions.json could not be written');
});

test('a task stands for the session of its last failing call', async ({ rig }) => {
  const id = SESSION_IDS.codex;
  makeIn(rig, 'codex', TURNS);
  const record = (started_at: string, session_id: string, verdict: object) =>
    JSON.stringify({ tool: 'codex', session_id, cwd: rig.project, started_at, verdict });
  const outputs = '.tmp/task/fix/outputs';
  rig.write(`${outputs}/a.codex.call.json`, record('2026-11-21T20:06:00Z', 'older', { class: 'transient' }));
  rig.write(`${outputs}/b.codex.call.json`, record('2026-11-21T20:07:00Z', id, { class: 'broken_history' }));
  rig.write(`${outputs}/c.codex.call.json`, record('2026-11-21T20:08:00Z', 'good', { class: null }));
  rig.write(`${outputs}/d.codex.call.json`, 'half a reco');
  const told = await tollgate(rig, ['recover', 'fix', '--choose', 'rollback', '--json']);
  assert.equal([told.code, told.object().session_id], [0, id], told.err);
  rig.write('.tmp/task/empty/manifest.yaml', '');
  const none = await tollgate(rig, ['recover', 'empty', '--choose', 'rollback']);
  assert.equal([none.code, none.err], [2, 'tollgate recover: no call of empty failed in a session that is known\n']);
});

test('a session in which a call of ours continues is left alone', async ({ rig }) => {
  const id = SESSION_IDS.codex;
  const file = makeIn(rig, 'codex', TURNS);
  const was = readFileSync(file, 'utf8');
  rig.write('ask.md', 'continue');
  const words = ['--prompt-file', 'ask.md', '--out', 'a.out', '--err', 'a.err', '--resume-session', id];
  const running = rig.start('run_codex', words);
  await rig.call();
  for (const command of [
    ['undo', id],
    ['recover', id, '--choose', 'rollback'],
    ['undo', id, '--edit', 'else'],
  ]) {
    const { code, err } = await tollgate(rig, command);
    assert.is(code, 1);
    const who =
      /^tollgate (?:undo|recover): the codex session \S+ is in use: the call \d{14}-[0-9a-f]{8} continues in it; try again when that has ended \(nothing was changed\)\n$/;
    assert.match(err, who);
  }
  assert.is(readFileSync(file, 'utf8'), was);
  running.signal('SIGTERM');
  await running.result;
});

test('gemini: a file that was just changed is waited for, with a word', async ({ rig }) => {
  const id = SESSION_IDS.gemini;
  const file = makeIn(rig, 'gemini', TURNS);
  const then = Date.now() / 1000 - 25;
  utimesSync(file, then, then);
  const { code, err } = await tollgate(rig, ['undo', id]);
  assert.is(code, 0, err);
  assert.match(err, /^tollgate undo: gemini may still be at it: .*; waiting until it has been idle for 30 s\n$/);
  // What we changed ourselves is no sign of anybody else.
  const again = await tollgate(rig, ['undo', id, '--redo']);
  assert.equal([again.code, again.err], [0, '']);
});

test('from within a call nothing is taken back', async ({ rig }) => {
  const file = makeIn(rig, 'codex', TURNS);
  const was = readFileSync(file, 'utf8');
  for (const words of [
    ['undo', SESSION_IDS.codex],
    ['recover', SESSION_IDS.codex, '--choose', 'rollback'],
  ]) {
    const { code, err } = await tollgate(rig, words, { TOLLGATE_CALL_ID: '20261122120000-0123abcd' });
    assert.is(code, 2);
    assert.match(err, /a call may not change a conversation/);
  }
  assert.is(readFileSync(file, 'utf8'), was);
  writeFileSync(file, was);
});

test.run();
