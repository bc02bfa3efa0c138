// What one wrapper command does alone, or by one flag: prompt limits, escapes, exit classes, JSON, the marker.

import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith } from '../../rig/streams.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { runWrapper } from '../../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('wrapper flags');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

test('run_codex: a prompt over 1,048,576 characters is refused before anything is paid', async ({ rig }) => {
  const { code, record } = await runWrapper(rig, 'codex', [], 'é'.repeat(1_048_577)).ended();
  assert.equal([code, record.verdict.class, rig.calls.length], [2, 'prompt_too_large', 0]);
});

test('run_codex: 1,048,576 characters are taken, however many bytes they are', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await runWrapper(rig, 'codex', [], 'é'.repeat(1_048_576)).ended()).code, 0);
});

test('gemini_headless: a prompt over 8 MiB is refused before it is cut', async ({ rig }) => {
  const { code, record } = await runWrapper(rig, 'gemini', [], 'x'.repeat(8 * 1024 * 1024 + 1)).ended();
  assert.equal([code, record.verdict.class, rig.calls.length], [11, 'prompt_too_large', 0]);
});

test('gemini_headless: native exit 42 is exit 14', async ({ rig }) => {
  rig.answer(() => [
    { do: 'write', to: 'stderr', text: 'Error resuming session: No previous sessions found for this project.\n' },
    { do: 'exit', code: 42 },
  ]);
  const { code, record } = await runWrapper(rig, 'gemini', ['--resume-session=x']).ended();
  assert.equal([code, record.verdict.class, record.native_exit_code], [14, 'tooling', 42]);
});

test('gemini_headless: what a prompt mentions or begins with is sent as text', async ({ rig }) => {
  rig.answer(() => answerWith('gemini', 'ok'));
  await runWrapper(rig, 'gemini', [], '/help me with @.env and a\\@b\n').ended();
  assert.is(rig.calls[0]!.report.stdin.text, '\n/help me with \\@.env and a\\@b\n');
});

test('copilot_tool: a prompt that begins with a slash is sent as text', async ({ rig }) => {
  rig.answer(() => answerWith('copilot', 'ok'));
  await runWrapper(rig, 'copilot', [], ' \n/compact this @file\n').ended();
  assert.is(rig.calls[0]!.report.stdin.text, '\u200b \n/compact this @file\n');
});

test('--timeout-mode wait_done only notes the deadline', async ({ rig }) => {
  const running = runWrapper(rig, 'codex', ['--timeout-ms=4000', '--timeout-mode=wait_done']);
  const fake = await rig.call();
  await fake.tell({ do: 'wait', ms: 4200 }, ...answerWith('codex', 'late'));
  const { code, record } = await running.ended();
  assert.is(code, 0);
  assert.ok(record.warnings.includes('the deadline of 4000 ms passed; it was only noted (--timeout-mode wait_done)'));
});

test('--exit-by-class gives the classes codes of their own', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'Quota exceeded. Check your plan and billing details.', 429));
  assert.is((await runWrapper(rig, 'codex', ['--exit-by-class']).ended()).code, 75);
});

test('--json prints the record, one object and nothing else', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const { stdout } = await runWrapper(rig, 'codex', ['--json']).running.result;
  assert.is(JSON.parse(stdout).schema, 1);
  assert.is(stdout.trimEnd().split('\n').length, 1);
});

test('a planted symlink at --out is replaced, not followed', async ({ rig }) => {
  const victim = rig.write('victim', 'mine');
  symlinkSync(victim, path.join(rig.project, 'codex.out'));
  rig.answer(() => answerWith('codex', 'ok'));
  const { out } = await runWrapper(rig, 'codex').ended();
  assert.equal([out, readFileSync(victim, 'utf8')], ['ok', 'mine']);
});

test('the marker is a chain for a call within a call', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  rig.write('ask.md', 'x');
  const running = rig.start('run_codex', ['--prompt-file=ask.md', '--out=o', '--err=e', '--result=r'], {
    env: { TOLLGATE_CALL_ID: 'outer' },
  });
  await running.result;
  const { call_id } = JSON.parse(readFileSync(path.join(rig.project, 'r'), 'utf8'));
  const { env } = rig.calls[0]!.report;
  assert.equal([env.TOLLGATE_CALL_ID, env.GEMINI_CLI_TOLLGATE_CALL_ID], [`outer/${call_id}`, `outer/${call_id}`]);
  assert.not(existsSync(env.TMPDIR!));
});

test.run();
