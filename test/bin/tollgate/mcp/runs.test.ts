// The tools of tollgate mcp that pay: a run outlives its asking, its client and its server, and is paid once.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type McpClient, openMcp } from '../../../rig/mcp-client.ts';
import { answerWith, failWith, write } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('runs of tollgate mcp');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const CODEX = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };
const QUESTION = { cli: 'codex', prompt: 'Where is the login?' };

/** A busy machine takes longer than a client waits at once. */
async function ended({ ask }: McpClient, run_id: string) {
  for (;;) {
    const said = await ask('wait', { run_id, wait_ms: 20_000 });
    if (said.object.state !== 'running') return said;
  }
}

test('a task is run to its end, and one that fails says why and what to ask next', async ({ rig }) => {
  makeTask(rig, CODEX);
  rig.answer(() => failWith('codex', 'invalid api key', 401));
  const mcp = await openMcp(rig);
  const failed = await ended(mcp, (await mcp.ask('run_task', { task: 'fix', wait_ms: 0 })).object.run_id);
  const { state, class: errorClass, failed_stage, next_actions, next_call, stages } = failed.object;
  assert.equal([failed.isError, state, errorClass, failed_stage], [true, 'failed', 'auth', 'codex_brief']);
  assert.equal(next_call, { tool: 'explain_failure', arguments: { task: 'fix' } });
  assert.ok(next_actions.length > 0 && stages.length === 1);

  rig.answer(() => answerWith('codex', 'It is in login.ts.'));
  const done = await ended(mcp, (await mcp.ask('run_task', { task: 'fix', wait_ms: 0 })).object.run_id);
  assert.equal([done.isError, done.object.state, done.object.answer], [false, 'done', 'It is in login.ts.']);
  assert.is(done.object.run_id, 'run.fix.2');
  assert.equal(done.object.budget, { used: 2, total: 10, left: 8 });
  const none = await mcp.ask('run_task', { task: 'none' });
  assert.equal([none.isError, none.object.reason, rig.calls.length], [true, 'bad_input', 2]);
  await mcp.close();
});

test('sixty who ask for one task at once are told of one run, which is paid once', async ({ rig }) => {
  makeTask(rig, CODEX);
  const mcp = await openMcp(rig);
  const asked = Array.from({ length: 60 }, () => mcp.ask('run_task', { task: 'fix', wait_ms: 0 }));
  const ids = new Set((await Promise.all(asked)).map(({ object }) => object.run_id));
  assert.equal([...ids], ['run.fix.1']);
  // Only now: who asks after the end of a run begins another.
  await (await rig.call()).tell(...answerWith('codex', 'It is in login.ts.'));
  assert.is((await ended(mcp, 'run.fix.1')).object.state, 'done');
  assert.is(rig.calls.length, 1);
  await mcp.close();
});

test('a server that is killed loses nothing: the next one finds the run, which was paid once', async ({ rig }) => {
  makeTask(rig, CODEX);
  const first = await openMcp(rig);
  const { object } = await first.ask('run_task', { task: 'fix', wait_ms: 0 });
  assert.equal([object.state, object.next_call.arguments], ['running', { run_id: object.run_id }]);
  const fake = await rig.call();
  process.kill(first.pid, 'SIGKILL');

  const second = await openMcp(rig);
  const again = await second.ask('run_task', { task: 'fix', wait_ms: 0 });
  assert.equal([again.object.run_id, again.object.asked_before], [object.run_id, true]);
  const { runs } = (await second.ask('status')).object;
  assert.equal(
    runs.map((run: { run_id: string; state: string }) => [run.run_id, run.state]),
    [[object.run_id, 'running']],
  );
  await fake.tell(...answerWith('codex', 'It is mended.'));
  const done = await ended(second, object.run_id);
  assert.equal([done.object.state, done.object.answer, rig.calls.length], ['done', 'It is mended.', 1]);
  await second.close();
});

test('a client that cancels ends the waiting, and never the call', async ({ rig }) => {
  const mcp = await openMcp(rig);
  const given_up = new AbortController();
  const asked = mcp.ask('ask', { ...QUESTION, wait_ms: 45_000 }, { signal: given_up.signal }).catch(() => 'given up');
  const fake = await rig.call();
  given_up.abort();
  assert.is(await asked, 'given up');
  await fake.tell(...answerWith('codex', 'In login.ts.'));
  const { object } = await mcp.ask('ask', { ...QUESTION, wait_ms: 0 });
  const done = await ended(mcp, object.run_id);
  assert.equal([done.object.answer, rig.calls.length], ['In login.ts.', 1]);
  await mcp.close();
});

test('cancel_run ends the call with all that it started', async ({ rig }) => {
  makeTask(rig, CODEX);
  const mcp = await openMcp(rig);
  const { object } = await mcp.ask('run_task', { task: 'fix', wait_ms: 0 });
  const fake = await rig.call();
  await mcp.ask('cancel_run', { run_id: object.run_id, wait_ms: 0 });
  const { isError, object: said } = await ended(mcp, object.run_id);
  assert.equal([isError, said.state], [true, 'interrupted']);
  await fake.gone;
  await mcp.close();
  const unknown = await (await openMcp(rig)).ask('cancel_run', { run_id: 'run.fix.9' });
  assert.equal([unknown.isError, unknown.object.state], [true, 'refused']);
});

test('a question is paid once, unless it is asked again on purpose or has failed', async ({ rig }) => {
  const mcp = await openMcp(rig, ['--access', 'write']);
  const asks = async (more: object) =>
    ended(mcp, (await mcp.ask('ask', { ...QUESTION, ...more, wait_ms: 0 })).object.run_id);
  rig.answer(() => failWith('codex', 'Rate limit reached for requests', 429));
  const failed = await asks({});
  assert.equal([failed.isError, failed.object.class, failed.object.reason], [true, 'transient', 'rate_limit']);
  assert.ok(failed.object.next_actions.length > 0);
  rig.answer(() =>
    answerWith('codex', `\u001b[31mAnswer ${rig.calls.length}, ghp_0123456789abcdefghijABCDEFGHIJ012345`),
  );
  for (const [more, answer] of [
    [{}, /^.?\[31mAnswer 2, \[REDACTED/],
    [{}, /Answer 2,/],
    [{ again: true }, /Answer 3,/],
    [{ access: 'write' }, /Answer 4,/],
  ] as const) {
    const { isError, object } = await asks(more);
    assert.is(isError, false);
    assert.match(object.answer, answer);
    assert.not.match(object.answer, /\u001b|ghp_/);
    assert.ok(existsSync(object.answer_file));
  }
  rmSync(path.join(rig.project, '.tmp'), { recursive: true });
  const kept = (await asks({ access: 'write' })).object;
  assert.equal([/Answer 4,/.test(kept.answer), kept.answer_file, rig.calls.length], [true, null, 4]);
  rig.write('.git/HEAD', 'ref: refs/heads/main\n');
  rig.write('.git/objects/.keep', '');
  rig.write('.git/refs/.keep', '');
  const writesGit = (n: number) => rig.calls[n]!.report.argv.join(' ').includes('.git');
  assert.is((await asks({ access: 'write', allow_commit: true })).isError, false);
  assert.equal([writesGit(3), writesGit(4)], [false, true]);
  const { isError, object } = await mcp.ask('ask', { ...QUESTION, access: 'full' });
  assert.equal([isError, object.reason, rig.calls.length], [true, 'bad_input', 5]);
  await mcp.close();
});

test('a failed question advises what its wrapper knows, in the words of ask', async ({ rig }) => {
  const mcp = await openMcp(rig, [], { CODEX_API_KEY: 'sk-refused-00000000' });
  const adviceOf = async (more: object) =>
    (await ended(mcp, (await mcp.ask('ask', { ...QUESTION, ...more, wait_ms: 0 })).object.run_id)).object.next_actions;
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401));
  const [key, check, again] = await adviceOf({});
  assert.match(key.text, 'set a valid key or token in CODEX_API_KEY');
  assert.is(check.call.tool, 'preflight');
  assert.equal([again.text, again.pays], ['call codex again: call ask with the same arguments', true]);
  rig.answer(() => [{ do: 'hang' }]);
  const [longer] = await adviceOf({ timeout_s: 1, again: true });
  assert.is(longer.text, 'if the work needs longer, set: `timeout_s`');
  await mcp.close();
});

test('what a finished answer lacks is in its result and in its text, also when it is read again', async ({ rig }) => {
  makeTask(rig, CODEX);
  const lack = 'codex reported: rerouted from m to n';
  const item = { type: 'item.completed', item: { id: '1', type: 'error', message: 'rerouted from m to n' } };
  const mcp = await openMcp(rig);
  const asks = async (tool: string, given: object) =>
    ended(mcp, (await mcp.ask(tool, { ...given, wait_ms: 0 })).object.run_id);
  rig.answer(() => [write([JSON.stringify(item)]), ...answerWith('codex', 'In login.ts.')]);
  for (const [tool, given, warning] of [
    ['ask', QUESTION, lack],
    ['run_task', { task: 'fix' }, `codex_brief: ${lack}`],
    // Neither pays again.
    ['ask', QUESTION, lack],
    ['run_task', { task: 'fix' }, `codex_brief: ${lack}`],
  ] as const) {
    const { object, text } = await asks(tool, given);
    assert.equal([object.state, object.warnings], ['done', [warning]], tool);
    assert.match(text, warning);
  }
  assert.is(rig.calls.length, 2);
  rig.answer(() => answerWith('codex', 'In login.ts.'));
  for (const [tool, given] of [
    ['ask', { ...QUESTION, again: true }],
    ['run_task', { task: 'fix', redo: ['codex_brief'] }],
  ] as const)
    assert.equal((await asks(tool, given)).object.warnings, [], tool);
  const { tools } = await mcp.client.listTools();
  for (const name of ['ask', 'run_task', 'wait'])
    assert.match(JSON.stringify(tools.find((tool) => tool.name === name)?.outputSchema), '"warnings":', name);
  await mcp.close();
});

test('a call whose wrapper was killed is not paid again: its CLI is heard out', async ({ rig }) => {
  const mcp = await openMcp(rig);
  const { object } = await mcp.ask('ask', { ...QUESTION, wait_ms: 0 });
  const fake = await rig.call();
  const projects = path.join(rig.home, '.local/state/tollgate/mcp');
  const claim = path.join(projects, readdirSync(projects)[0]!, object.run_id, 'claim.json');
  process.kill(JSON.parse(readFileSync(claim, 'utf8')).pid, 'SIGKILL');
  const lost = await ended(mcp, object.run_id);
  assert.equal([lost.isError, lost.object.state], [true, 'lost']);
  await fake.tell(...answerWith('codex', 'In login.ts.'));
  await fake.gone;
  // Its process may take a moment longer than its last word.
  let said = await mcp.ask('ask', QUESTION);
  while (said.object.state === 'lost') said = await mcp.ask('ask', QUESTION);
  assert.equal([said.object.answer, rig.calls.length], ['In login.ts.', 1], said.text);
  await mcp.close();
});

test('no more runs than allowed at once, and how far one is told to whoever asked alone', async ({ rig }) => {
  const mcp = await openMcp(rig, ['--runs', '1']);
  const { object } = await mcp.ask('ask', { ...QUESTION, wait_ms: 0 });
  const fake = await rig.call();
  const more = await mcp.ask('ask', { ...QUESTION, prompt: 'And the logout?', wait_ms: 0 });
  assert.equal([more.isError, more.object.state], [true, 'refused']);
  const heard = await new Promise<{ progress: number; message?: string }>((resolve) => {
    const onprogress = resolve;
    void mcp.ask('wait', { run_id: object.run_id, wait_ms: 45_000 }, { onprogress }).catch(() => {});
  });
  assert.ok(heard.progress >= 3 && heard.message);
  await fake.tell(...answerWith('codex', 'In login.ts.'));
  assert.is((await ended(mcp, object.run_id)).object.state, 'done');
  await mcp.close();
});

test.run();
